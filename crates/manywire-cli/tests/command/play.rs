//! `manywire play`: its page, its endpoints, and who may use them. `.ci/page` opens it in a browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::run::{Folder, example, manywire};

/// A running `play`.
struct Playground {
    process: Child,
    /// The address and port.
    host: String,
    /// The path of the page, with the token.
    path: String,
}

impl Playground {
    fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_manywire"))
            .args([&["play"], arguments].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("http://").expect("an address").to_owned();
        let (host, path) = address.split_once('/').expect("a path");
        Playground { process, host: host.to_owned(), path: format!("/{path}") }
    }

    /// Sends a request. Returns status, head and body.
    fn ask(&self, method: &str, path: &str, fields: &str, body: &str) -> (u16, String, String) {
        let mut stream = self.send(method, path, fields, body);
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("a status"), head.to_owned(), body.to_owned())
    }

    fn send(&self, method: &str, path: &str, fields: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a timeout");
        let host = if fields.contains("host:") {
            String::new()
        } else {
            format!("host: {}\r\n", self.host)
        };
        let length = body.len();
        // HTTP/1.0 has no chunks.
        let request = format!(
            "{method} {path} HTTP/1.0\r\n{host}{fields}content-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("the request is sent");
        stream
    }

    fn view(&self, request: &Value) -> (u16, Value) {
        let path = format!("{}view", self.path);
        let fields = "content-type: application/json\r\naccept: application/json\r\n";
        let (status, _, body) = self.ask("POST", &path, fields, &request.to_string());
        (status, serde_json::from_str(&body).expect("JSON"))
    }
}

impl Drop for Playground {
    fn drop(&mut self) {
        // The process may have exited by itself, in which case the test has already failed.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

#[test]
fn the_page_and_its_files_have_a_policy() {
    let playground = Playground::start(&[]);
    for (file, media_type) in
        [("", "text/html"), ("play.css", "text/css"), ("play.js", "text/javascript")]
    {
        let (status, head, body) =
            playground.ask("GET", &format!("{}{file}", playground.path), "", "");
        assert_eq!(status, 200, "{file}");
        assert!(head.contains(&format!("content-type: {media_type}")), "{head}");
        assert!(head.contains("content-security-policy: default-src 'none'"), "{head}");
        assert!(head.contains("referrer-policy: no-referrer"), "{head}");
        assert!(body.len() > 1_000, "{file}: {} bytes", body.len());
    }
}

#[test]
fn the_file_of_the_command_line_opens_in_every_format() {
    let playground = Playground::start(&[&example("people.json")]);
    let (status, _, body) = playground.ask("GET", &format!("{}start", playground.path), "", "");
    assert_eq!(status, 200);
    let start: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(start["name"], "people.json");
    let (status, view) = playground.view(&start["request"]);
    assert_eq!(status, 200);
    let lengths: Vec<u64> = view["formats"]
        .as_array()
        .expect("formats")
        .iter()
        .map(|format| format["length"].as_u64().expect("a length"))
        .collect();
    assert_eq!(lengths.len(), 7);
    assert!(lengths.iter().all(|&length| length > 0), "{lengths:?}");
}

#[test]
fn the_form_of_the_command_line_is_kept() {
    let folder = Folder::new();
    // Without a form, the first text is hex and the second one JSON document.
    for (content, form, is_valid) in
        [("82a2696407a1610c", "json", false), ("{\"id\":7}\n", "ndjson", true)]
    {
        let file = folder.file("payload", content);
        let playground = Playground::start(&[&file, "--from", form]);
        let (_, _, body) = playground.ask("GET", &format!("{}start", playground.path), "", "");
        let start: Value = serde_json::from_str(&body).expect("JSON");
        let (status, view) = playground.view(&start["request"]);
        assert_eq!((status, &view["input"]["form"]), (200, &json!(form)), "{view}");
        assert_eq!(view["failure"].is_null(), is_valid, "{view}");
    }
}

#[test]
fn the_form_of_an_extension_is_kept() {
    let folder = Folder::new();
    for (name, content, form) in [
        ("one.ndjson", "{\"id\":7}\n", "ndjson"),
        ("one.jsonl", "{\"id\":7}\n", "ndjson"),
        ("one.json", "{\"id\":7}\n", "json"),
        ("two.json", "{\"id\":7}\n{\"id\":8}\n", "ndjson"),
    ] {
        let file = folder.file(name, content);
        let playground = Playground::start(&[&file]);
        let (_, _, body) = playground.ask("GET", &format!("{}start", playground.path), "", "");
        let start: Value = serde_json::from_str(&body).expect("JSON");
        let (status, view) = playground.view(&start["request"]);
        assert_eq!((status, &view["input"]["form"]), (200, &json!(form)), "{name}: {view}");
        assert!(view["failure"].is_null(), "{name}: {view}");
    }
}

#[test]
fn a_view_comes_in_the_format_of_its_accept() {
    let playground = Playground::start(&[]);
    let path = format!("{}view", playground.path);
    let fields = "content-type: application/json\r\naccept: application/cbor\r\n";
    let mut stream = playground.send("POST", &path, fields, r#"{"text":"[1]"}"#);
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    let head = String::from_utf8_lossy(&bytes);
    assert!(
        head.starts_with("HTTP/1.0 200") && head.contains("content-type: application/cbor"),
        "{head}"
    );
}

#[test]
fn an_invalid_request_is_a_problem() {
    let playground = Playground::start(&[]);
    let (status, problem) = playground.view(&json!({"bytes": "!"}));
    assert_eq!(status, 422);
    assert!(problem["detail"].as_str().is_some_and(|it| it.contains("base64")), "{problem}");
}

#[test]
fn other_sites_and_other_tokens_get_nothing() {
    let playground = Playground::start(&[&example("people.json")]);
    let start = format!("{}start", playground.path);
    let cases = [
        (start.as_str(), "host: rebound.example.com\r\n", 422),
        (start.as_str(), "origin: http://example.com\r\n", 422),
        (start.as_str(), "origin: null\r\n", 422),
        ("/start", "", 404),
        ("/", "", 404),
        ("/00000000000000000000000000000000/start", "", 404),
    ];
    for (path, fields, expected) in cases {
        let (status, _, body) = playground.ask("GET", path, fields, "");
        assert_eq!(status, expected, "{path} {fields}");
        assert!(!body.contains("people"), "{body}");
    }
    let own = format!("origin: http://{}\r\n", playground.host);
    assert_eq!(playground.ask("GET", &start, &own, "").0, 200);
}

#[test]
fn a_measurement_shows_progress_and_ends_in_a_report() {
    let playground = Playground::start(&[]);
    let path = format!("{}weigh", playground.path);
    let fields = "content-type: application/json\r\naccept: text/event-stream\r\n";
    let request = json!({"text": r#"{"id":7,"</script>":"Ritz"}"#}).to_string();
    let (status, head, body) = playground.ask("POST", &path, fields, &request);
    assert_eq!(status, 200, "{body}");
    assert!(head.contains("content-type: text/event-stream"), "{head}");
    let events: Vec<Value> = body
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|data| serde_json::from_str(data).expect("JSON"))
        .collect();
    let (last, progress) = events.split_last().expect("events");
    assert!(
        !progress.is_empty() && progress.iter().all(|event| event["progress"].is_string()),
        "{body}"
    );
    let report = last["report"].as_str().expect("a report");
    let (status, head, page) =
        playground.ask("GET", &format!("{}{report}", playground.path), "", "");
    assert_eq!(status, 200);
    assert!(head.contains("frame-ancestors 'self'"), "{head}");
    assert!(page.contains("msgpack") && !page.contains("</script>\":"), "{page}");
    let unknown = format!("{}report/99", playground.path);
    assert_eq!(playground.ask("GET", &unknown, "", "").0, 404);
}

#[test]
fn one_measurement_runs_at_a_time_and_ends_with_its_client() {
    let playground = Playground::start(&[]);
    let path = format!("{}weigh", playground.path);
    let fields = "content-type: application/json\r\naccept: text/event-stream\r\n";
    let request = json!({"text": "[1,2,3]"}).to_string();
    let mut first = playground.send("POST", &path, fields, &request);
    // The head and the first event show that it runs.
    let mut started = [0; 256];
    let read = first.read(&mut started).expect("a head");
    assert!(started[..read].starts_with(b"HTTP/1.0 200"));
    let (_, _, second) = playground.ask("POST", &path, fields, &request);
    assert!(second.contains("another measurement is running"), "{second}");
    drop(first);
    // The measurement ends between two launches, so another one can start before long.
    let is_free = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        let mut next = playground.send("POST", &path, fields, &request);
        let mut text = Vec::new();
        let mut chunk = [0; 256];
        while !String::from_utf8_lossy(&text).contains("data:") {
            match next.read(&mut chunk).expect("events") {
                0 => break,
                read => text.extend_from_slice(&chunk[..read]),
            }
        }
        !String::from_utf8_lossy(&text).contains("another measurement")
    });
    assert!(is_free);
}

#[test]
fn files_that_cannot_be_shown_are_errors() {
    let folder = Folder::new();
    let missing = format!("{}/missing.json", folder.path());
    let run = manywire(&["play", &missing]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("missing.json"), "{}", run.stderr);
    let run = manywire(&["play", "http://127.0.0.1/a.json"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("play takes files and no URLs"), "{}", run.stderr);
    let long = folder.file("long.json", vec![b' '; (16 << 20) + 1]);
    let run = manywire(&["play", &long]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("long.json: expected a payload of at most 16777216 bytes"),
        "{}",
        run.stderr
    );
}
