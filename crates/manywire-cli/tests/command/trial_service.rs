//! `trial --url` with existing services: with `serve`, and with the library over TLS.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc;

use manywire::{Api, Format, Shaped, Tls, get};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde::{Deserialize, Serialize};

use crate::run::{Folder, example};
use crate::serve::Server;
use crate::trial::{ask, assert_valid, lanes_of, pair};

#[test]
fn an_existing_service_is_requested_in_each_format() {
    let Some(lanes) = lanes_of(&[("one", "none")]) else { return };
    let server = Server::start(&[&example("user.json")]);
    let url = format!("http://{}/user", server.address);
    let asking = |url: &str, more: &[&str]| {
        let arguments = ["--url", url, "--lanes", "one", "--launches", "1", "--json", "-"];
        ask(&lanes, &[&arguments[..], more].concat())
    };
    let run = asking(&url, &["--header", "X-Token: secret", "--formats", "msgpack,json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_valid(&report);
    // The lane supports only JSON.
    let row = &pair(&report, "one", &url)["rows"][0];
    assert_eq!((&row["status"], &row["format"]), (&"ok".into(), &"json".into()), "{row}");
    assert_eq!(row["body_bytes"], 51);
    for there in ["endpoint_ns", "end_to_end_ns", "processing_ns", "residual"] {
        assert!(!row[there].is_null(), "{there}: {row}");
    }
    // The internals of the service and its capacity are unknown.
    for unknown in ["server_library", "transport_ns", "encode_ns", "capacity"] {
        assert!(row[unknown].is_null(), "{unknown}: {row}");
    }
    let gone = asking(&format!("{url}s"), &["--formats", "json"]);
    assert_eq!(gone.code, Some(1));
    assert!(gone.stderr.contains("json: the server responded with 404"), "{}", gone.stderr);
    let document = format!("http://{}/schema.proto", server.address);
    let other = asking(&document, &["--formats", "json,cbor"]);
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("json: "), "{}", other.stderr);
}

/// The field numbers of a person in the services of these tests.
pub(crate) const SCHEMA: &str = "syntax = \"proto3\";\nmessage User {\n  uint32 id = 1;\n  bool isActive = 2;\n  string fullname = 3;\n}\n";

/// The same fields with other numbers, by which a message can be read without an error.
const OTHER: &str = "syntax = \"proto3\";\nmessage User {\n  uint32 id = 7;\n  bool isActive = 8;\n  string fullname = 9;\n}\n";

#[derive(Clone, Serialize, Deserialize, Shaped)]
#[serde(rename_all = "camelCase")]
struct User {
    id: u32,
    is_active: bool,
    fullname: String,
}

/// Starts a service over TLS with a self-signed certificate. Returns its port and the certificate.
fn secure() -> (u16, String) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    (secured_by(&cert.pem(), &signing_key.serialize_pem(), || ()), cert.pem())
}

/// Starts a service over TLS with this certificate chain and key, which calls a function before
/// each response. Returns its port.
pub(crate) fn secured_by(chain: &str, key: &str, before: impl Fn() + Send + Sync + 'static) -> u16 {
    let tls = Tls::from_pem(chain.as_bytes(), key.as_bytes()).expect("a pair");
    let homer = User { id: 4, is_active: true, fullname: "Homer Simpson".to_owned() };
    let user = get("/user").returns::<User>().to(move || {
        before();
        let homer = homer.clone();
        async move { homer }
    });
    let api = Api::new("Users").formats([Format::Json, Format::Protobuf]).serve(user);
    let service = api.build().expect("a valid API");
    let (sender, port) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async move {
            let server = service.bind("127.0.0.1:0").await.expect("a port").tls(tls);
            sender.send(server.local_address().port()).expect("somebody waits");
            drop(server.run().await);
        });
    });
    port.recv().expect("a port")
}

#[test]
fn an_existing_service_may_use_tls_and_a_schema() {
    let Some(lanes) = lanes_of(&[("one", "none")]) else { return };
    let (port, certificate) = secure();
    let folder = Folder::new();
    let (certificate, schema) =
        (folder.file("own.pem", certificate), folder.file("user.proto", SCHEMA));
    let url = format!("https://localhost:{port}/user");
    let asking = |more: &[&str], trusted: &str| {
        let words = [
            "trial",
            "--quick",
            "--url",
            &url,
            "--lanes",
            "one",
            "--launches",
            "1",
            "--formats",
            "json,protobuf",
            "--json",
            "-",
        ];
        lanes.run_with(&[&words[..], more].concat(), &[("SSL_CERT_FILE", trusted)])
    };
    let run = asking(&["--schema", &schema], &certificate);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_valid(&report);
    let rows = &pair(&report, "one", &url)["rows"];
    for (row, (format, bytes)) in [("json", 51), ("protobuf", 19)].into_iter().enumerate() {
        let row = &rows[row];
        assert_eq!((&row["status"], &row["format"]), (&"ok".into(), &format.into()), "{row}");
        assert_eq!((&row["body_bytes"], &row["note"]), (&bytes.into(), &().into()), "{row}");
        assert!(row["end_to_end_ns"]["value"].as_f64().is_some_and(|ns| ns > 0.0), "{row}");
    }

    // No field of the response is read with wrong field numbers, which a note reports.
    let other = folder.file("other.proto", OTHER);
    let run = asking(&["--schema", &other], &certificate);
    let note = run.json()["pairs"][0]["rows"][1]["note"].clone();
    assert!(
        note.as_str().is_some_and(|note| note.contains("is the schema the service's own")),
        "{note}"
    );

    // The field numbers are unknown without a schema, and are not guessed.
    let run = asking(&[], &certificate);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let row = run.json()["pairs"][0]["rows"][1].clone();
    let status = row["status"].as_str().expect("text");
    assert!(status.contains("without a schema: give one with --schema"), "{status}");

    // The self-signed certificate is not trusted by default.
    let run = asking(&["--schema", &schema], "/dev/null");
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stderr.to_lowercase().contains("certificate"), "{}", run.stderr);
}

/// Responds to every request with these bytes.
fn answering(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut reader = BufReader::new(stream.try_clone().expect("the same connection"));
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
                line.clear();
            }
            // The client may have disconnected, so errors are ignored.
            drop(stream.write_all(answer));
        }
    });
    address.to_string()
}

#[test]
fn errors_of_a_service_are_reported() {
    let Some(lanes) = lanes_of(&[("one", "none")]) else { return };
    let folder = Folder::new();
    let schema = folder.file("user.proto", SCHEMA);
    let (json, coded, message, cut) = (
        answering(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{\"a\":"),
        answering(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"),
        answering(b"HTTP/1.1 200 OK\r\nContent-Type: application/protobuf\r\nContent-Length: 3\r\n\r\n\x0f\xff\xff"),
        answering(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\nConnection: close\r\n\r\n{}"),
    );
    for (url, words) in [
        (format!("http://{json}/"), "1:6: "),
        (format!("http://{coded}/"), "gzip"),
        // Messages alone do not show the shape of the payload.
        (
            format!("http://{message}/"),
            "expected application/json, the response has application/protobuf",
        ),
        (format!("http://{cut}/"), "the connection ended before the end of the response"),
        (format!("https://{json}/"), "https"),
        ("http://127.0.0.1:1/".to_owned(), "refused"),
    ] {
        let arguments = ["--url", &url, "--lanes", "one", "--launches", "1", "--schema", &schema];
        let run = ask(&lanes, &[&arguments[..], &["--formats", "json,protobuf"]].concat());
        assert_eq!(run.code, Some(1), "{url}: {}", run.stdout);
        assert!(run.stderr.contains(&url), "{url}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
}
