//! Bodies that are too large, too slow, too deep or endless, and responses that are not read.

use std::time::Instant;

use manywire::{Format, Limits};
use manywire_shape::Shape;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::server::{SHORT, Tree, closes, connect, impatient, read, send, serves_others, serving};
use crate::support::PATIENCE;

const HEAD: &str = "POST /tree HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n";

#[tokio::test]
async fn responds_408_to_a_paused_body() {
    let address = impatient().await;
    for framing in ["content-length: 20\r\n\r\n{", "transfer-encoding: chunked\r\n\r\n1\r\n{"] {
        let mut stream = connect(address).await;
        stream.write_all(format!("{HEAD}{framing}").as_bytes()).await.expect("sent");
        let received = read(&mut stream, PATIENCE).await;
        assert_eq!(received.statuses(), ["408"], "{received:?}");
        assert!(received.closed && received.text.contains("connection: close"), "{received:?}");
    }
}

#[tokio::test]
async fn refuses_a_declared_size_beyond_the_limit_before_reading() {
    let address = serving(Limits::DEFAULT.with_body_bytes(100)).await;
    let head = format!("{HEAD}expect: 100-continue\r\ncontent-length: 101\r\n\r\n");
    assert_eq!(send(address, head.as_bytes()).await.statuses(), ["413"], "no 100 Continue");
    let largest = format!("{HEAD}content-length: {}\r\n\r\n", u64::MAX - 2);
    let received = send(address, largest.as_bytes()).await;
    assert!(
        received.statuses().iter().all(|status| ["413", "400"].contains(status)),
        "{received:?}"
    );
    // A chunked body without a declared size is refused as well.
    let chunk = format!("65\r\n{}\r\n0\r\n\r\n", " ".repeat(0x65));
    let request = format!("{HEAD}transfer-encoding: chunked\r\n\r\n{chunk}");
    assert_eq!(send(address, request.as_bytes()).await.statuses(), ["413"]);
}

#[tokio::test]
async fn delivers_a_refusal_to_a_client_that_still_sends() {
    let address = serving(Limits::DEFAULT).await;
    let request = format!("{HEAD}content-length: 10000000\r\n\r\n{}", " ".repeat(8_000_000));
    for _ in 0..5 {
        let received = send(address, request.as_bytes()).await;
        assert_eq!(received.statuses(), ["413"], "{received:?}");
    }
}

#[tokio::test]
async fn closes_the_connection_of_an_endless_body() {
    let address = serving(Limits::DEFAULT).await;
    let mut stream = connect(address).await;
    let head = format!("{HEAD}transfer-encoding: chunked\r\n\r\n");
    stream.write_all(head.as_bytes()).await.expect("sent");
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    let mut sent = 0;
    while sent < 64 << 20 && stream.write_all(chunk.as_bytes()).await.is_ok() {
        sent += chunk.len();
    }
    assert!(sent < 32 << 20, "{sent} bytes were taken");
    serves_others(address).await;
}

#[tokio::test]
async fn closes_the_connection_of_a_truncated_body() {
    let address = serving(Limits::DEFAULT).await;
    for framing in
        ["content-length: 20\r\n\r\n{\"chil", "transfer-encoding: chunked\r\n\r\nf\r\n{\"c"]
    {
        let mut stream = connect(address).await;
        stream.write_all(format!("{HEAD}{framing}").as_bytes()).await.expect("sent");
        stream.shutdown().await.expect("the client's side is closed");
        let received = read(&mut stream, PATIENCE).await;
        assert!(received.closed, "{received:?}");
        assert!(received.statuses().iter().all(|status| *status == "400"), "{received:?}");
    }
}

#[tokio::test]
async fn responds_after_the_client_closed_its_side() {
    let address = serving(Limits::DEFAULT).await;
    let mut stream = connect(address).await;
    stream.write_all(b"GET /half HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    stream.shutdown().await.expect("the client's side is closed");
    let received = read(&mut stream, PATIENCE).await;
    assert!(received.closed && received.text.ends_with("half"), "{received:?}");
}

#[tokio::test]
async fn closes_a_connection_whose_response_is_not_read() {
    let address = impatient().await;
    let mut stream = connect(address).await;
    stream.write_all(b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    let mut first = [0; 1_024];
    stream.read_exact(&mut first).await.expect("it begins");
    // The client waits longer than the server, and then reads only what the system had buffered.
    tokio::time::sleep(SHORT * 4).await;
    let connected = Instant::now();
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "still open after {:?}", connected.elapsed());
    assert!(rest.len() < 63 << 20, "it was all written: {} bytes", rest.len());
}

#[tokio::test]
async fn responds_to_pipelined_requests_in_order() {
    let address = serving(Limits::DEFAULT).await;
    let requests: String =
        (0..500).map(|number| format!("GET /n{number} HTTP/1.1\r\nhost: a\r\n\r\n")).collect();
    let received = send(address, requests.as_bytes()).await;
    let bodies: Vec<&str> = received.text.split("\r\n\r\n").skip(1).collect();
    for (number, body) in bodies.iter().enumerate() {
        let body = body.split("HTTP/1.1").next();
        assert_eq!(body, Some(&*format!("n{number}")));
    }
    assert_eq!(bodies.len(), 500);
}

/// The depth of the bodies in the next test.
const DEEP: usize = 100_000;

#[tokio::test]
async fn refuses_deeply_nested_bodies() {
    let address = serving(Limits::DEFAULT).await;
    for format in Format::ALL {
        let body = deep(format);
        let head = format!(
            "POST /tree HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: {}\r\ncontent-length: {}\r\n\r\n",
            format.row().media_type,
            body.len()
        );
        let mut stream = connect(address).await;
        stream.write_all(&[head.as_bytes(), &body].concat()).await.expect("sent");
        let received = read(&mut stream, PATIENCE).await;
        assert_eq!(received.statuses(), ["400"], "{format}: {received:?}");
    }
    closes(&mut connect(impatient().await).await).await;
}

/// Returns a body of nested containers, written with the format's own heads.
fn deep(format: Format) -> Vec<u8> {
    match format {
        Format::Json => b"{\"children\":[".repeat(DEEP),
        Format::MsgPack => b"\x81\xA8children\x91".repeat(DEEP),
        Format::MsgPackArray => b"\x91\x91".repeat(DEEP),
        Format::Cbor => b"\xA1\x68children\x81".repeat(DEEP),
        Format::Protobuf => {
            // Each message has the length of everything inside it, so messages are written from the
            // inside out.
            let mut lengths = vec![0usize];
            for _ in 0..DEEP {
                let inner = lengths.last().copied().expect("one");
                lengths.push(1 + varint(inner).len() + inner);
            }
            let outwards = lengths.iter().rev().skip(1);
            outwards.flat_map(|length| [vec![0x0A], varint(*length)].concat()).collect()
        }
        Format::Avro => {
            let schema = manywire_shape::avro::Schema::from_shape(&Shape::of::<Tree>());
            let fingerprint = schema.expect("a schema").fingerprint().to_le_bytes();
            // An array of one item, repeated.
            [&[0xC3, 0x01][..], &fingerprint, &[0x02].repeat(DEEP)].concat()
        }
        Format::Bson => {
            // Lengths that extend to the end overflow the stack of a reader that trusts its parent.
            let level = b"\x03children\0";
            let mut body = Vec::new();
            for number in 0..DEEP {
                let left = (DEEP - number) * (4 + level.len());
                body.extend_from_slice(&u32::try_from(left).expect("small").to_le_bytes());
                body.extend_from_slice(level);
            }
            body
        }
    }
}

fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7F {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}
