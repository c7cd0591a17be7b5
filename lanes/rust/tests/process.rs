//! Tests the lane as a process: its responses, and that no request ends it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

struct Lane {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Lane {
    fn start() -> Lane {
        Lane::start_with(&[])
    }

    fn start_with(arguments: &[&str]) -> Lane {
        Lane::spawn(Command::new(env!("CARGO_BIN_EXE_lane")).args(arguments))
    }

    fn spawn(command: &mut Command) -> Lane {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the lane starts");
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Lane { child, input, output }
    }

    fn send(&mut self, frame: &[u8]) {
        self.input.write_all(&(frame.len() as u32).to_be_bytes()).expect("it reads");
        self.input.write_all(frame).expect("it reads");
    }

    fn receive(&mut self) -> Vec<u8> {
        let mut head = [0; 4];
        self.output.read_exact(&mut head).expect("an answer");
        let mut frame = vec![0; u32::from_be_bytes(head) as usize];
        self.output.read_exact(&mut frame).expect("an answer");
        frame
    }

    fn ask(&mut self, request: Value, frames: &[&[u8]]) -> Value {
        self.send(request.to_string().as_bytes());
        frames.iter().for_each(|frame| self.send(frame));
        serde_json::from_slice(&self.receive()).expect("an answer is JSON")
    }

    /// Returns the index of each dynamic subject of a format.
    fn dynamic(&mut self, format: &str) -> Vec<(usize, String)> {
        let described = self.ask(json!({ "verb": "describe" }), &[]);
        let subjects = described["ok"]["subjects"].as_array().expect("subjects").clone();
        let found = subjects
            .iter()
            .enumerate()
            .filter(|(_, subject)| subject["format"] == format && subject["target"] == "dynamic");
        found.map(|(at, subject)| (at, subject["library"].to_string())).collect()
    }

    fn finish(mut self) {
        drop(self.input);
        assert!(self.child.wait().expect("it ends").success());
    }
}

/// `{"a": [1, null, -2.5, "é"]}` in formats that need no schema.
const DOCUMENTS: [(&str, &[u8]); 4] = [
    ("json", r#"{"a":[1,null,-2.5,"é"]}"#.as_bytes()),
    ("msgpack", b"\x81\xa1a\x94\x01\xc0\xcb\xc0\x04\0\0\0\0\0\0\xa2\xc3\xa9"),
    ("cbor", b"\xa1\x61a\x84\x01\xf6\xfb\xc0\x04\0\0\0\0\0\0\x62\xc3\xa9"),
    (
        "bson",
        b"\x2c\0\0\0\x04a\0\x24\0\0\0\x100\0\x01\0\0\0\x0a1\0\x012\0\0\0\0\0\0\0\x04\xc0\
          \x023\0\x03\0\0\0\xc3\xa9\0\0\0",
    ),
];

/// SHA-256 of `m1:s1:aa4:i1;nd…s2:é`, computed by another program.
const DIGEST: &str = "47d661878a44ee3f";

#[test]
fn describe_has_the_version_of_every_subject() {
    let mut lane = Lane::start();
    let described = lane.ask(json!({ "verb": "describe" }), &[]);
    assert_eq!(described["ok"]["contract"], 1);
    assert_eq!(described["ok"]["lane"], "rust");
    assert_eq!(described["ok"]["codings"], json!(["gzip", "deflate", "zstd", "br"]));
    let subjects = described["ok"]["subjects"].as_array().expect("subjects");
    assert!(subjects.len() > 30, "{}", subjects.len());
    for subject in subjects {
        let version = subject["version"].as_str().expect("text");
        assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{subject}");
    }
    lane.finish();
}

#[test]
fn libraries_read_write_and_count() {
    let mut lane = Lane::start();
    for (format, document) in DOCUMENTS {
        for (subject, library) in lane.dynamic(format) {
            let load = json!({ "verb": "load", "subject": subject, "payloads": 1 });
            assert_eq!(lane.ask(load.clone(), &[document]), json!({ "ok": {} }), "{library}");
            let digests = lane.ask(json!({ "verb": "digest", "subject": subject }), &[]);
            let digest = digests["ok"]["digests"][0].as_str().expect("a digest").to_owned();
            assert!(digest.starts_with(DIGEST), "{format} by {library}: {digest}");
            let written = lane.ask(json!({ "verb": "encode", "subject": subject }), &[]);
            assert_eq!(written["ok"]["payloads"], 1);
            let bytes = lane.receive();
            assert_eq!(lane.ask(load, &[&bytes]), json!({ "ok": {} }), "{library}");
            for operation in ["encode", "decode"] {
                for coding in [json!(null), json!("gzip"), json!("zstd:3"), json!("br:4")] {
                    let run = json!({ "verb": "run", "subject": subject, "operation": operation,
                        "coding": coding, "window": [0, 0], "repeats": 4 });
                    let ran = lane.ask(run, &[]);
                    let wall_ns = ran["ok"]["wall_ns"].as_u64();
                    assert!(wall_ns.is_some_and(|ns| ns > 0), "{library} {coding}: {ran}");
                }
                let memory =
                    json!({ "verb": "memory", "subject": subject, "operation": operation });
                let memory = lane.ask(memory, &[]);
                let bytes = memory["ok"]["alloc_bytes"].as_f64().expect("it counts");
                assert!(bytes >= memory["ok"]["peak_bytes"].as_f64().expect("it counts"));
            }
        }
    }
    lane.finish();
}

#[test]
fn truncated_payloads_are_refused_and_the_lane_continues() {
    let mut lane = Lane::start();
    for (format, document) in DOCUMENTS {
        for (subject, library) in lane.dynamic(format) {
            let load = json!({ "verb": "load", "subject": subject, "payloads": 1 });
            for end in 0..document.len() {
                let answer = lane.ask(load.clone(), &[&document[..end]]);
                assert!(answer["error"].is_string(), "{format} by {library}, {end}: {answer}");
            }
        }
    }
    lane.finish();
}

#[test]
fn invalid_requests_are_refused_and_the_lane_continues() {
    let mut lane = Lane::start();
    for request in [
        json!({ "verb": "dance" }),
        json!({ "verb": "digest", "subject": 0 }),
        json!({ "verb": "load", "subject": 999, "payloads": 0 }),
        json!({ "verb": "run", "subject": 0, "operation": "read", "window": [], "repeats": 1 }),
        json!({ "verb": "run", "subject": -1, "operation": "encode", "window": [], "repeats": 1 }),
        json!({}),
    ] {
        let answer = lane.ask(request.clone(), &[]);
        assert!(answer["error"].is_string(), "{request}: {answer}");
    }
    let subject = lane.dynamic("json")[0].0;
    lane.ask(json!({ "verb": "load", "subject": subject, "payloads": 1 }), &[b"1"]);
    let beyond = json!({ "verb": "run", "subject": subject, "operation": "decode",
        "window": [1], "repeats": 1 });
    let answer = lane.ask(beyond, &[]);
    assert_eq!(answer["error"], "no payload 1; there are 1");
    let unknown = json!({ "verb": "run", "subject": subject, "operation": "decode",
        "coding": "rot13", "window": [0], "repeats": 1 });
    let answer = lane.ask(unknown, &[]);
    assert!(answer["error"].as_str().is_some_and(|why| why.contains("rot13")), "{answer}");
    lane.finish();
}

#[test]
fn a_request_of_unknown_length_ends_the_lane() {
    for count in [json!(-1), json!(1.5), json!("1")] {
        let mut lane = Lane::start();
        let load = json!({ "verb": "load", "subject": 0, "payloads": count });
        lane.send(load.to_string().as_bytes());
        let status = lane.child.wait().expect("it ends");
        assert_eq!(status.code(), Some(1), "{load}");
    }
}

#[test]
fn every_server_serves_and_fetches() {
    for (arguments, name) in [(&[][..], "manywire"), (&["hyper"], "hyper"), (&["axum"], "axum")] {
        let mut lane = Lane::start_with(arguments);
        let described = lane.ask(json!({ "verb": "describe" }), &[]);
        assert_eq!(described["ok"]["http"]["server"], name);
        serves_and_fetches(lane, "http", "404");
    }
    serves_and_fetches(Lane::start_with(&["zeromq"]), "tcp", "unknown target");
}

/// Starts a server that responds by gzip, whatever the client accepts. Returns its port.
fn gzipped() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.expect("a connection");
            std::thread::spawn(move || respond_by_gzip(&stream));
        }
    });
    port
}

fn respond_by_gzip(mut stream: &TcpStream) {
    let response = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc";
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    while lines.any(|line| line.is_empty()) && stream.write_all(response).is_ok() {}
}

#[test]
fn a_coding_that_was_not_requested_is_an_error() {
    let mut lane = Lane::start();
    let subject = load_json(&mut lane);
    let url = format!("http://127.0.0.1:{}/", gzipped());
    let fetch = |coding: &str| {
        json!({ "verb": "fetch", "subject": subject, "url": url, "nonce": null,
            "headers": [["Accept-Encoding", coding]], "decode": false, "connections": 1,
            "rate": null, "requests": 1, "duration_ms": 60_000, "timeout_ms": 10_000 })
    };
    let answer = lane.ask(fetch("gzip"), &[]);
    assert_eq!(answer["ok"]["errors"], 0, "{answer}");
    drop((lane.receive(), lane.receive()));
    let answer = lane.ask(fetch("identity"), &[]);
    let expected = "the first request failed: unexpected content coding \"gzip\"";
    assert_eq!(answer["error"], expected, "{answer}");
    lane.finish();
}

/// Returns a fetch over ZeroMQ from a port.
fn fetch_from(subject: usize, port: u64, requests: u64, timeout_ms: u64) -> Value {
    json!({ "verb": "fetch", "subject": subject,
        "url": format!("tcp://127.0.0.1:{port}/endpoint/0/"), "nonce": "5f3a9c01",
        "headers": [["Accept", "application/json"]], "decode": true, "connections": 1,
        "rate": null, "requests": requests, "duration_ms": 60_000, "timeout_ms": timeout_ms })
}

/// Loads JSON into a lane, which may then fetch it or serve it.
fn load_json(lane: &mut Lane) -> usize {
    let (subject, _) = lane.dynamic("json")[0].clone();
    let load = json!({ "verb": "load", "subject": subject, "payloads": 2 });
    lane.ask(load, &[br#"{"a":1}"#, b"[2]"]);
    subject
}

#[test]
fn dead_zeromq_peers_are_errors_within_seconds() {
    let mut lane = Lane::start();
    let subject = load_json(&mut lane);
    let mute = TcpListener::bind("127.0.0.1:0").expect("a port");
    let gone = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = |listener: &TcpListener| u64::from(listener.local_addr().expect("bound").port());
    let ports = [port(&mute), port(&gone)];
    drop(gone);
    for port in ports {
        let start = Instant::now();
        let answer = lane.ask(fetch_from(subject, port, 10, 500), &[]);
        let error = answer["error"].as_str().expect("an error");
        assert!(error.contains("no response within 500ms"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
    lane.finish();
}

#[test]
fn a_zeromq_peer_may_die_during_a_series() {
    let (mut server, mut client) = (Lane::start_with(&["zeromq"]), Lane::start());
    let subjects = [&mut server, &mut client].map(load_json);
    let offers = json!([{ "subject": subjects[0], "media_type": "application/json" }]);
    let served = server.ask(json!({ "verb": "serve", "offers": offers }), &[]);
    let port = served["ok"]["port"].as_u64().expect("a port");
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        server.child.kill().expect("it runs");
        server.child.wait().expect("it ends");
    });
    let start = Instant::now();
    let mut fetch = fetch_from(subjects[1], port, u64::MAX, 300);
    fetch["duration_ms"] = json!(2_000);
    let answer = client.ask(fetch, &[]);
    killer.join().expect("it ends");
    let (requests, errors) = (&answer["ok"]["requests"], &answer["ok"]["errors"]);
    assert!(requests.as_u64() > Some(0) && errors.as_u64() > Some(0), "{answer}");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    drop((client.receive(), client.receive()));
    client.finish();
}

#[cfg(unix)]
#[test]
fn a_server_without_descriptors_ends_with_an_error() {
    let script = "ulimit -n 32 && exec \"$0\" hyper";
    let mut lane = Lane::spawn(Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_lane")]));
    let subject = load_json(&mut lane);
    let offers = json!([{ "subject": subject, "media_type": "application/json" }]);
    let served = lane.ask(json!({ "verb": "serve", "offers": offers }), &[]);
    let port = served["ok"]["port"].as_u64().expect("a port");
    // The connections stay open, so the server never gets a descriptor for the next one.
    let connections: Vec<TcpStream> = (0..64)
        .map(|_| TcpStream::connect(("127.0.0.1", port as u16)).expect("the queue has room"))
        .collect();
    let start = Instant::now();
    let status = loop {
        match lane.child.try_wait().expect("a status") {
            Some(status) => break status,
            None if start.elapsed() < Duration::from_secs(60) => {
                std::thread::sleep(Duration::from_millis(50));
            }
            None => panic!("the server does not end"),
        }
    };
    assert_eq!(status.code(), Some(1));
    drop(connections);
}

#[test]
fn unknown_servers_are_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_lane")).arg("actix").output().expect("it starts");
    assert!(!output.status.success());
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .contains("expected manywire, hyper, axum or zeromq")
    );
}

fn serves_and_fetches(mut lane: Lane, scheme: &str, missing: &str) {
    let subject = load_json(&mut lane);
    let offers = json!([{ "subject": subject, "media_type": "application/json" }]);
    let served = lane.ask(json!({ "verb": "serve", "offers": offers }), &[]);
    let port = served["ok"]["port"].as_u64().expect("a port");
    let twice = lane.ask(json!({ "verb": "serve", "offers": [] }), &[]);
    assert_eq!(twice["error"], "the server is already running");
    let mut bodies = 0;
    for (meter, coding, rate) in [
        ("transport", "identity", json!(null)),
        ("transport", "gzip", json!(null)),
        ("endpoint", "identity", json!(200)),
        ("endpoint", "gzip", json!(null)),
    ] {
        let fetch = json!({ "verb": "fetch", "subject": subject,
            "url": format!("{scheme}://127.0.0.1:{port}/{meter}/0/"), "nonce": "5f3a9c01",
            "headers": [["Accept", "application/json"], ["Accept-Encoding", coding]], "decode": true, "connections": 2,
            "rate": rate, "requests": 10, "duration_ms": 60_000, "timeout_ms": 10_000 });
        let answer = lane.ask(fetch, &[]);
        assert_eq!(answer["ok"]["errors"], 0, "{meter} {coding}: {answer}");
        assert_eq!(answer["ok"]["requests"], 10);
        let (latencies, lags) = (lane.receive(), lane.receive());
        assert_eq!(latencies.len(), 80);
        assert_eq!(lags.len(), if rate.is_null() { 0 } else { 80 });
        // Two uncounted requests opened the connections.
        bodies += 12;
    }
    let answer = lane.ask(json!({ "verb": "served" }), &[]);
    assert_eq!(answer["ok"]["requests"], bodies);
    // The offer does not exist, so the first request and the verb fail.
    let nowhere = json!({ "verb": "fetch", "subject": subject,
        "url": format!("{scheme}://127.0.0.1:{port}/endpoint/7/"), "nonce": "5f3a9c01",
        "headers": [["Accept", "application/json"]],
        "decode": false, "connections": 1, "rate": null, "requests": 1, "duration_ms": 1_000,
        "timeout_ms": 10_000 });
    let answer = lane.ask(nowhere, &[]);
    assert!(answer["error"].as_str().is_some_and(|why| why.contains(missing)), "{answer}");
    lane.finish();
}
