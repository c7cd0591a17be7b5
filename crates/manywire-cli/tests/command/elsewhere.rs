//! Payloads from URLs and from archives that browsers record.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use crate::run::{Folder, Run, example, manywire, manywire_bytes, row};
use crate::serve::Server;

fn sizes(arguments: &[&str]) -> Run {
    manywire(&[&["weigh", "--sizes-only", "--json", "-"], arguments].concat())
}

#[test]
fn weigh_fetches_urls() {
    let server = Server::start(&[&example("people.json"), &example("user.json")]);
    let url = |name: &str| format!("http://{}/{name}", server.address);
    let run = sizes(&[&url("people?secret=1"), &example("user.json")]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stderr);
    let report = run.json();
    assert_eq!(report["payloads"][0]["name"], "people");
    assert_eq!(report["payloads"][0]["bytes"], 7_863);
    assert_eq!(report["payload_count"], 2);
    // The server has every format, and the command requests the one of `--from`.
    let run = sizes(&["--from", "msgpack", &url("user")]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.json()["payloads"][0]["bytes"], 38);
    assert_eq!(row(&run.json(), "json")["size_bytes"], 51);
}

#[test]
fn convert_and_explain_fetch_urls() {
    let server = Server::start(&[&example("user.json")]);
    let url = format!("http://{}/user", server.address);
    let cbor = manywire_bytes(&["convert", &url, "--from", "cbor", "--to", "json"], b"");
    assert_eq!(cbor.code, Some(0), "{}", cbor.stderr);
    let user = std::fs::read(example("user.json")).expect("the example");
    assert_eq!(cbor.stdout.trim_ascii(), user.trim_ascii());
    let explained = manywire(&["explain", &url, "--from", "msgpack"]);
    assert!(explained.stdout.contains("38 bytes of MessagePack (map)"), "{}", explained.stdout);
    let plain = manywire(&["explain", &url]);
    assert!(plain.stdout.contains("bytes of JSON"), "{}", plain.stdout);
    let both = manywire(&["explain", "--diff", &url, &url, "--from", "json,bson"]);
    assert!(both.stdout.contains("bson"), "{}{}", both.stdout, both.stderr);
}

#[test]
fn failed_requests_do_not_hide_the_others() {
    let server = Server::start(&[&example("user.json")]);
    let gone = format!("http://{}/gone?key=secret", server.address);
    let run = sizes(&[&gone, &example("user.json")]);
    assert_eq!(run.code, Some(1));
    let said = format!(
        "error: http://{}/gone: the server responded with 404 Not Found: {{",
        server.address
    );
    assert!(run.stderr.starts_with(&said), "{}", run.stderr);
    assert!(!run.stderr.contains("secret"));
    assert_eq!(run.json()["payload_count"], 1);
    let document = format!("http://{}/schema.proto", server.address);
    let unknown = sizes(&[&document]);
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("choose one with --from"), "{}", unknown.stderr);
    let schema_driven = sizes(&[&format!("http://{}/user", server.address), "--from", "protobuf"]);
    assert_eq!(schema_driven.code, Some(2), "{}", schema_driven.stderr);
    let header = manywire(&["weigh", &gone, "--header", "Authorization"]);
    assert_eq!(header.code, Some(2));
    assert!(header.stderr.contains("a colon and a value"), "{}", header.stderr);
}

#[test]
fn an_archive_is_measured_by_endpoint() {
    let run = sizes(&[&example("shop.har")]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("shop.har: 6 taken, 8 left out: "), "{}", run.stderr);
    let report = run.json();
    let mut tables: Vec<&str> = Vec::new();
    for row in report["rows"].as_array().unwrap() {
        let name = row["payload"].as_str().unwrap();
        if tables.last() != Some(&name) {
            tables.push(name);
        }
        assert_eq!(row["status"], "ok", "{row}");
    }
    assert_eq!(
        tables,
        ["GET /v1/hotels", "GET /v1/hotels/{id}", "GET /v1/prices", "POST /v1/bookings"]
    );
    assert_eq!(report["payloads"][1]["name"], "GET /v1/hotels #2");
    assert_eq!(report["payloads"][1]["endpoint"], "GET /v1/hotels");
    let each = sizes(&["--each", "--requests", &example("shop.har")]);
    let report = each.json();
    let names = report["rows"].as_array().unwrap().iter().map(|row| row["payload"].as_str());
    let names: Vec<&str> = names.map(Option::unwrap).collect();
    for name in ["GET /v1/hotels", "GET /v1/hotels #1", "POST /v1/bookings (request)"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let table = manywire(&["weigh", "--sizes-only", &example("shop.har")]);
    let head =
        "GET /v1/hotels · 2 payloads · 705 bytes as given · bytes and times of one, as a mean";
    // The answer for the endpoint comes first.
    let mut lines = table.stdout.lines();
    assert!(lines.next().is_some_and(|line| line.starts_with("GET /v1/hotels: ")), "{head}");
    assert_eq!(lines.nth(1), Some(head), "{}", table.stdout);
}

/// The rows of an endpoint with several payloads are not those of a payload.
#[test]
fn payloads_of_endpoints_are_compared_with_the_first_payload() {
    let report = sizes(&["--compare", "payloads", &example("shop.har")]).json();
    let names = report["payloads"].as_array().expect("payloads").iter();
    let names: Vec<&str> = names.map(|payload| payload["name"].as_str().expect("text")).collect();
    let comparisons = report["payload_comparisons"].as_array().expect("comparisons");
    let mut compared: Vec<&str> = Vec::new();
    for comparison in comparisons {
        assert_eq!(comparison["base"], names[0], "{comparison}");
        compared.push(comparison["payload"].as_str().expect("text"));
    }
    compared.dedup();
    assert_eq!(compared, names[1..]);
}

/// Responds to one request with these bytes, like a file server.
fn answering(body: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut reader = BufReader::new(stream.try_clone().expect("the same connection"));
        let mut line = String::new();
        while reader.read_line(&mut line).expect("a request") > 2 {
            line.clear();
        }
        let length = body.len();
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
        stream.write_all(&[head.as_bytes(), &body].concat()).expect("an answer");
    });
    format!("http://{address}")
}

#[test]
fn an_archive_may_come_from_a_server() {
    let archive = std::fs::read(example("shop.har")).expect("the example");
    let run = sizes(&[&format!("{}/a/shop.har?version=2", answering(archive))]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("/a/shop.har: 6 taken, 8 left out: "), "{}", run.stderr);
    assert_eq!(run.json()["payloads"][5]["endpoint"], "POST /v1/bookings");
}

#[test]
fn shape_needs_one_endpoint_of_an_archive() {
    let several = manywire(&["shape", &example("shop.har")]);
    assert_eq!(several.code, Some(1));
    assert!(
        several.stderr.contains(
            "choose one of its endpoints with --endpoint: GET /v1/hotels, GET /v1/hotels/{id}, "
        ),
        "{}",
        several.stderr
    );
    let endpoint = ["--endpoint", "GET /v1/prices"];
    let one = manywire(&[&["shape", &example("shop.har")], &endpoint[..]].concat());
    assert_eq!(one.code, Some(0), "{}", one.stderr);
    assert!(one.stdout.contains("currency"), "{}", one.stdout);
    let weighed = sizes(&[&[example("shop.har").as_str()], &endpoint[..]].concat());
    assert_eq!(weighed.json()["payload_count"], 1);
    let unknown = sizes(&[&example("shop.har"), "--endpoint", "GET /"]);
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("nothing of GET /; there are GET /v1/"), "{}", unknown.stderr);
    let server = Server::start(&[&example("user.json")]);
    let url = format!("http://{}/user", server.address);
    let served = manywire(&["shape", &url, "--as", "go", "--name", "User"]);
    assert!(served.stdout.contains("type User struct {"), "{}{}", served.stdout, served.stderr);
    let checked = manywire(&["shape", &example("user.json"), "--check", &url]);
    assert_eq!((checked.code, checked.stdout.as_str()), (Some(0), "1 of 1 payload fits\n"));
}

#[test]
fn errors_in_an_archive_have_their_paths() {
    let folder = Folder::new();
    let empty = folder.file("empty.HAR", r#"{"log":{"entries":[]}}"#);
    let run = sizes(&[&empty]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.ends_with("no payloads: nothing was recorded\n"), "{}", run.stderr);
    let broken = folder.file(
        "broken.har",
        r#"{"log":{"entries":[{"request":{"method":"GET","url":"http://h/a"},
            "response":{"status":200,"content":{"mimeType":"application/json","text":"{\n?"}}}]}}"#,
    );
    let run = sizes(&[&broken]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("broken.har: GET /a:2:1: "), "{}", run.stderr);
}

#[test]
fn errors_of_other_endpoints_of_an_archive_do_not_count() {
    let folder = Folder::new();
    let entry = |url: &str, content: &str| {
        let request = format!(
            r#"{{"method":"POST","url":"{url}",
                "postData":{{"mimeType":"application/json","text":"?","encoding":"base64"}}}}"#
        );
        let content = format!(r#"{{"mimeType":"application/json",{content}}}"#);
        format!(r#"{{"request":{request},"response":{{"status":200,"content":{content}}}}}"#)
    };
    let entries = [
        entry("http://h/a", r#""text":"[1]""#),
        entry("http://h/b", r#""text":"?","encoding":"base64""#),
        entry("http://other/a", r#""text":"?","encoding":"base64""#),
        "{}".to_owned(),
    ];
    let entries = entries.join(",");
    let file = folder.file("a.har", format!(r#"{{"log":{{"entries":[{entries}]}}}}"#));
    // The body of the request is of another endpoint, although it is of the same entry.
    let endpoint = ["--endpoint", "POST /a", "--requests"];
    for arguments in [&endpoint[..2], &endpoint] {
        let run = sizes(&[&[file.as_str()], arguments].concat());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        assert_eq!(run.json()["payload_count"], 1, "{arguments:?}");
    }
    for (endpoint, path) in [
        ("POST /b", "[1].response.content.text"),
        ("POST other/a", "[2].response.content.text"),
        ("POST /a (request)", "[0].request.postData.text"),
    ] {
        let run = sizes(&[&file, "--requests", "--endpoint", endpoint]);
        assert_eq!(run.code, Some(1), "{endpoint}");
        assert_eq!(run.stderr.matches("invalid base64").count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains(path), "{}", run.stderr);
    }
    let run = sizes(&[&file]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("expected an object (HAR 1.2)"), "{}", run.stderr);
}
