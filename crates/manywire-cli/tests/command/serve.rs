//! `manywire serve`: payload files over sockets, in every format, read back by `convert`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::run::{Folder, example, manywire, manywire_bytes};

/// A running `serve`.
pub(crate) struct Server {
    process: Child,
    pub(crate) address: String,
    stderr: std::thread::JoinHandle<String>,
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::reading(arguments, b"")
    }

    fn reading(arguments: &[&str], input: &[u8]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_manywire"))
            .args([&["serve", "--listen", "127.0.0.1:0"], arguments].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut stdin = process.stdin.take().expect("a pipe");
        stdin.write_all(input).expect("the command has standard input");
        drop(stdin);
        let mut said = process.stderr.take().expect("a pipe");
        let stderr = std::thread::spawn(move || {
            let mut text = String::new();
            said.read_to_string(&mut text).expect("text");
            text
        });
        let mut line = String::new();
        let stdout = process.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_default();
        Server { address: address.to_owned(), process, stderr }
    }

    fn get(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.ask("GET", path, fields)
    }

    fn ask(&self, method: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n");
        for (name, value) in fields {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).expect("the request is sent");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("an answer");
        Answer::read(&bytes)
    }

    /// Ends the process with a signal. Returns its exit status and its messages.
    #[cfg(unix)]
    fn end(mut self, signal: &str) -> (Option<i32>, String) {
        let kill = format!("kill -{signal} {}", self.process.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
        let status = self.process.wait().expect("it ends");
        let stderr = std::mem::replace(&mut self.stderr, std::thread::spawn(String::new));
        (status.code(), stderr.join().expect("text"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have exited by itself, in which case the test has already failed.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn read(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8(bytes[..end].to_vec()).expect("text").to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let rest = &bytes[end + 4..];
        let chunked = head.contains("transfer-encoding: chunked");
        let body = if chunked { unchunked(rest) } else { rest.to_vec() };
        Answer { status: status.expect("a status"), head, body }
    }

    fn field(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

/// Decodes a chunked body (RFC 9112, section 7.1), which must be complete.
fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let end = bytes.windows(2).position(|window| window == b"\r\n").expect("a size");
        let size = std::str::from_utf8(&bytes[..end]).expect("text");
        let size = usize::from_str_radix(size, 16).expect("a size");
        bytes = &bytes[end + 2..];
        if size == 0 {
            return out;
        }
        out.extend_from_slice(&bytes[..size]);
        bytes = &bytes[size + 2..];
    }
}

fn document(path: &str) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

/// Converts bytes to JSON with `manywire convert`.
fn converted(bytes: &[u8], arguments: &[&str]) -> Value {
    let run = manywire_bytes(&[&["convert", "-", "--to", "json"], arguments].concat(), bytes);
    assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
    serde_json::from_slice(&run.stdout).expect("JSON")
}

#[test]
fn serves_a_document_in_every_format_and_coding() {
    let (folder, hotels) = (Folder::new(), example("hotels.json"));
    let expected = document(&hotels);
    let server = Server::start(&[&hotels]);
    let proto = server.get("/schema.proto", &[]);
    let proto = folder.file("schema.proto", proto.body);
    let openapi = server.get("/openapi.json", &[]).json();
    let content = &openapi["paths"]["/hotels"]["get"]["responses"]["200"]["content"];
    let avsc = content["application/avro"]["x-avro-schema"].as_str().expect("a path");
    let avsc = folder.file("schema.avsc", server.get(avsc, &[]).body);
    let by_proto = ["--schema", &*proto, "--message", "Hotels"];
    let mut seen = 0;
    for (media_type, from, schema) in [
        ("application/json", "json", &[][..]),
        ("application/vnd.msgpack", "msgpack", &[]),
        ("application/vnd.msgpack;layout=array", "msgpack-array", &["--schema", &*avsc]),
        ("application/cbor", "cbor", &[]),
        ("application/bson", "bson", &[]),
        ("application/protobuf", "protobuf", &by_proto),
        ("application/avro", "avro-datum", &["--schema", &*avsc]),
    ] {
        assert!(content[media_type].is_object(), "{media_type}: {content}");
        seen += 1;
        for coding in ["identity", "gzip", "br", "zstd"] {
            let fields = [("accept", media_type), ("accept-encoding", coding)];
            let answer = server.get("/hotels", &fields);
            assert_eq!(answer.status, 200, "{media_type} {coding}");
            assert_eq!(
                answer.field("content-type").map(|it| it.replace(' ', "")).as_deref(),
                Some(media_type)
            );
            assert!(answer.field("vary").is_some_and(|vary| vary.contains("accept-encoding")));
            let mut arguments = [&["--from", from], schema].concat();
            let coded = (coding != "identity").then_some(coding);
            assert_eq!(answer.field("content-encoding"), coded, "{media_type}");
            let mut body = answer.body;
            if let Some(coding) = coded {
                arguments.extend(["--from-coding", coding]);
            } else if from == "avro-datum" {
                assert_eq!(body[..2], [0xC3, 0x01], "single-object encoding");
                body.drain(..10);
            }
            if coded.is_none() || from != "avro-datum" {
                assert_eq!(converted(&body, &arguments), expected, "{media_type} {coding}");
            }
        }
    }
    assert_eq!(content.as_object().map(|content| content.len()), Some(seen), "{content}");
}

#[test]
fn unknown_paths_list_the_known_ones() {
    let folder = Folder::new();
    let odd = folder.file("odd name%.json", "{\"a\":1}");
    let server = Server::start(&[&example("user.json"), &odd]);
    let missing = server.get("/users", &[]);
    assert_eq!(missing.status, 404);
    let available = &missing.json()["available"];
    for path in ["/user", "/odd%20name%25", "/openapi.json"] {
        assert!(available.as_array().expect("paths").contains(&path.into()), "{available}");
    }
    assert_eq!(server.get("/odd%20name%25", &[]).json()["a"], 1);
    let refused = server.get("/user", &[("accept", "text/html")]);
    assert_eq!(refused.status, 406);
    assert!(refused.json()["available"].as_array().expect("types").len() >= 7);
    let head = server.ask("HEAD", "/user", &[]);
    let whole = server.get("/user", &[]);
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.field("content-length"), Some(&*whole.body.len().to_string()));
    let post = server.ask("POST", "/user", &[("content-length", "0")]);
    assert_eq!((post.status, post.field("allow")), (405, Some("get, head, options")));
}

#[test]
fn lines_are_served_as_an_array_or_a_stream() {
    let folder = Folder::new();
    let lines: String =
        (0..1_000).map(|id| format!("{{\"id\":{id},\"tags\":[\"t{id}\"]}}\n")).collect();
    let expected: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let server = Server::start(&[&folder.file("events.ndjson", &lines)]);
    let array = server.get("/events", &[("accept", "application/json")]);
    assert_eq!(array.json(), Value::Array(expected.clone()));
    let stream = server.get("/events", &[("accept", "application/x-ndjson")]);
    assert_eq!(String::from_utf8(stream.body).expect("text"), lines);
    let proto = folder.file("schema.proto", server.get("/schema.proto", &[]).body);
    for (media_type, from, schema) in [
        ("application/cbor-seq", "cbor-seq", &[][..]),
        ("application/vnd.msgpack", "msgpack", &[]),
        (
            "application/protobuf;delimited=true",
            "protobuf-delimited",
            &["--schema", &*proto, "--message", "Events"],
        ),
    ] {
        let body = server.get("/events", &[("accept", media_type)]).body;
        let arguments = [&["convert", "-", "--to", "ndjson", "--from", from], schema].concat();
        let run = manywire_bytes(&arguments, &body);
        assert_eq!(run.code, Some(0), "{media_type}: {}", run.stderr);
        assert_eq!(String::from_utf8(run.stdout).expect("text"), lines, "{media_type}");
    }
}

#[test]
fn serves_standard_input() {
    let server = Server::reading(&["-", "--from", "ndjson"], b"{\"a\":1}\n{\"a\":2}\n");
    let array = server.get("/stdin", &[("accept", "application/json")]);
    assert_eq!(array.json(), serde_json::json!([{"a": 1}, {"a": 2}]));
}

#[cfg(unix)]
#[test]
fn formats_that_cannot_represent_a_payload_are_not_offered() {
    let folder = Folder::new();
    // A map with bytes as a value, and a map with a key that is not text.
    let bytes = folder.file("bytes.msgpack", b"\x81\xa2id\xc4\x02\x4f\xfe");
    let keys = folder.file("keys.cbor", [0xA1, 0x01, 0x61, b'a']);
    let lines = folder.file("lines.ndjson", "{\"a\":1}\n");
    let server = Server::start(&[&bytes, &keys, &lines]);
    let json = server.get("/bytes", &[("accept", "application/json")]);
    assert_eq!(json.status, 406);
    let available = json.json()["available"].to_string();
    assert!(available.contains("msgpack") && !available.contains("/json"), "{available}");
    let cbor = server.get("/bytes", &[("accept", "application/cbor")]);
    assert_eq!(cbor.body, [0xA1, 0x62, b'i', b'd', 0x42, 0x4F, 0xFE]);
    let (code, stderr) = server.end("INT");
    assert_eq!(code, Some(130), "{stderr}");
    for said in [
        "/bytes: not served as json: ",
        "/keys: not served as bson: ",
        "/lines: not served as avro: ",
    ] {
        assert!(stderr.contains(said), "{said}: {stderr}");
    }
}

#[cfg(unix)]
#[test]
fn a_termination_signal_ends_serve() {
    let server = Server::start(&[&example("user.json")]);
    let (code, stderr) = server.end("TERM");
    assert_eq!(code, Some(0), "{stderr}");
}

#[test]
fn serve_checks_all_payloads_at_the_start() {
    let folder = Folder::new();
    let first = folder.file("a.json", "{\"a\":1}");
    let second = folder.file("a.msgpack", [0x80]);
    let broken = folder.file("broken.json", "{\"a\":");
    let empty = folder.file("empty.ndjson", "");
    let schema = folder.file("a.proto", "syntax = \"proto3\"; message A { string a = 1; }");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    for (arguments, code, said) in [
        (&[&*first, &second][..], 2, "would both be served at /a: rename one of them"),
        (&[&broken], 1, "broken.json:1:6"),
        (&[&empty], 1, "there is no value to serve"),
        (&["missing.json"], 1, "missing.json"),
        (&["README"], 1, "README: No such file"),
        (
            &["https://user:secret@127.0.0.1/a?key=secret"],
            2,
            "https://127.0.0.1/a: serve takes files and no URLs",
        ),
        (&[&first, "--schema", &schema], 1, "expected a string, found the integer 1, at $.a"),
        (&[&first, "--listen", &address], 1, &address),
        (&[&first, "--listen", "127.0.0.1"], 2, "--listen 127.0.0.1: expected an address"),
        (&[&first, "--listen", "127.0.0.1:65536"], 2, "a port up to 65535"),
        (&[], 2, "required"),
    ] {
        let run = manywire(&[&["serve"], arguments].concat());
        assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
}

#[test]
fn json_is_served_as_the_values_of_proto_json() {
    let folder = Folder::new();
    let payload = folder.file("a.json", r#"{"room_count":"5","e":1,"note":null}"#);
    let schema = folder.file(
        "a.proto",
        "syntax = \"proto3\"; enum E { OFF = 0; ON = 1; }
         message A { int64 room_count = 1; E e = 2; repeated int32 list = 3; string text = 4;
         optional string note = 5; }",
    );
    let server = Server::start(&[&payload, "--schema", &schema, "--formats", "protobuf,json"]);
    assert_eq!(server.get("/a", &[]).body, b"\x08\x05\x10\x01");
    let json = server.get("/a", &[("accept", "application/json")]).json();
    assert_eq!(json, serde_json::json!({"roomCount": 5, "e": "ON"}));
}

/// Our JSON has no times, so the file is not served as JSON, although it is JSON.
#[test]
fn times_of_proto_json_are_served_in_formats_that_have_times() {
    let folder = Folder::new();
    let payload = folder.file("a.json", r#"{"time":"1970-01-01T00:00:01.5Z"}"#);
    let schema = folder.file(
        "a.proto",
        "syntax = \"proto3\"; import \"google/protobuf/timestamp.proto\";
         message A { google.protobuf.Timestamp time = 1; }",
    );
    let server = Server::start(&[&payload, "--schema", &schema]);
    let body = server.get("/a", &[("accept", "application/protobuf")]).body;
    assert_eq!(body, b"\x0a\x08\x08\x01\x10\x80\xca\xb5\xee\x01");
    assert_eq!(server.get("/a", &[("accept", "application/json")]).status, 406);
    let invalid = folder.file("b.json", r#"{"time":"now"}"#);
    let run = manywire(&["serve", &invalid, "--schema", &schema]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("invalid time"), "{}", run.stderr);
    assert!(run.stderr.contains("at $.time"), "{}", run.stderr);
}

#[test]
fn a_schema_numbers_the_fields() {
    let folder = Folder::new();
    let payload = folder.file("a.json", "{\"a\":\"x\"}");
    let schema = folder.file("a.proto", "syntax = \"proto3\"; message A { string a = 5; }");
    let server = Server::start(&[&payload, "--schema", &schema, "--formats", "protobuf,json"]);
    assert_eq!(server.get("/a", &[]).body, b"\x2a\x01x", "the first format is the preferred one");
    let cbor = server.get("/a", &[("accept", "application/cbor")]);
    assert_eq!(cbor.status, 406);
}
