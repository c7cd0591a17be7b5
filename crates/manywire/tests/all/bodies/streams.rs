//! Bodies of many values, read as a stream.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use hyper_util::rt::{TokioExecutor, TokioIo};
use manywire::content::Items;
use manywire::{Api, Format, Limits, Problem, Route, Service, Shaped, post as endpoint};
use manywire_codec::{cbor, msgpack, protobuf};
use manywire_shape::Shape;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tower_service::Service as _;

use super::wire::{TestResponse, post};
use crate::support::listening;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u32,
    name: String,
    rates: Vec<f64>,
}

fn hotel(id: u32) -> Hotel {
    let name = format!("\"Hôtel\" [{id}] {{\\\n}}, {}", "x".repeat(id as usize % 50));
    Hotel { id, name, rates: vec![0.5; id as usize % 5] }
}

const FORMATS: [Format; 4] = [Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf];

/// Returns each framing with the bytes of these hotels, written by the codec of one value.
fn framed(hotels: &[Hotel]) -> Vec<(&'static str, Vec<u8>)> {
    let plan = protobuf::Plan::from_shape(&Shape::of::<Hotel>()).expect("a plan");
    let lines: Vec<u8> = hotels
        .iter()
        .flat_map(|hotel| [serde_json::to_vec(hotel).expect("JSON"), b"\n".to_vec()].concat())
        .collect();
    let delimited = hotels.iter().flat_map(|hotel| {
        let message = plan.to_vec(hotel).expect("a message");
        let (low, high) = ((message.len() & 0x7F) as u8 | 0x80, (message.len() >> 7) as u8);
        [vec![low, high], message].concat()
    });
    vec![
        ("application/x-ndjson", lines.clone()),
        ("application/jsonl", lines.strip_suffix(b"\n").unwrap_or(&lines).to_vec()),
        ("application/json", serde_json::to_vec_pretty(hotels).expect("an array")),
        ("application/json; charset=utf-8", serde_json::to_vec(hotels).expect("an array")),
        (
            "application/cbor-seq",
            hotels.iter().flat_map(|hotel| cbor::to_vec(hotel).expect("CBOR")).collect(),
        ),
        (
            "application/vnd.msgpack",
            hotels.iter().flat_map(|hotel| msgpack::to_vec(hotel).expect("MessagePack")).collect(),
        ),
        ("application/protobuf;delimited=true", delimited.collect()),
    ]
}

fn service(route: Route) -> Service {
    let api = Api::new("Streams").formats(FORMATS);
    api.serve(route).build().unwrap_or_else(|error| panic!("{error}"))
}

/// Returns a service that takes hotels and responds with their names.
fn names() -> Route {
    let names = endpoint("/").body::<Items<Hotel>>().returns::<Vec<String>>();
    names.to(|mut hotels| async move {
        let mut names = Vec::new();
        while let Some(hotel) = hotels.next().await {
            names.push(hotel?.name);
        }
        Ok::<_, Problem>(names)
    })
}

fn echo() -> Route {
    let echo = endpoint("/").body::<Items<Hotel>>().returns::<Items<Hotel>>();
    echo.to(|hotels| async move { hotels })
}

#[tokio::test]
async fn reads_every_framing_value_by_value() {
    let address = listening(service(names())).await;
    for count in [0, 1, 2, 300] {
        let hotels: Vec<Hotel> = (0..count).map(hotel).collect();
        let expected: Vec<&String> = hotels.iter().map(|hotel| &hotel.name).collect();
        for (content_type, body) in framed(&hotels) {
            let response = post(address, "/", content_type, body).await;
            assert_eq!(response.status, 200, "{content_type}: {response:?}");
            assert_eq!(response.json(), json!(expected), "{content_type}");
        }
    }
}

/// Sends chunks without a socket, and reads the response.
async fn send_body(service: &Service, content_type: &str, pieces: Vec<Bytes>) -> TestResponse {
    let pieces = pieces.into_iter().map(|piece| Ok::<_, std::io::Error>(Frame::data(piece)));
    let body = StreamBody::new(Pieces(Box::new(pieces)));
    let request = Request::post("/").header("content-type", content_type);
    let request = request.header("accept", "application/json").body(body).expect("a request");
    let response = service.clone().call(request).await.expect("infallible");
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.expect("an answer").to_bytes().to_vec();
    TestResponse { status, head: String::new(), body }
}

type Piece = Result<Frame<Bytes>, std::io::Error>;

struct Pieces(Box<dyn Iterator<Item = Piece> + Send>);

impl futures_core::Stream for Pieces {
    type Item = Piece;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Piece>> {
        std::task::Poll::Ready(self.0.next())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Values are the same wherever the body is split.
    #[test]
    fn reads_bodies_split_anywhere(ids in prop::collection::vec(0..200_u32, 0..12), size in 1..40_usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let hotels: Vec<Hotel> = ids.into_iter().map(hotel).collect();
        let expected: Vec<&String> = hotels.iter().map(|hotel| &hotel.name).collect();
        let service = service(names());
        for (content_type, body) in framed(&hotels) {
            let pieces = body.chunks(size).map(Bytes::copy_from_slice).collect();
            let response = runtime.block_on(send_body(&service, content_type, pieces));
            prop_assert_eq!(response.status, 200, "{}: {:?}", content_type, response);
            prop_assert_eq!(response.json(), json!(expected), "{}", content_type);
        }
    }

    /// Invalid streams are refused.
    #[test]
    fn never_panics_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), size in 1..40_usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let service = service(names());
        for (content_type, _) in framed(&[]) {
            let pieces = bytes.chunks(size).map(Bytes::copy_from_slice).collect();
            let response = runtime.block_on(send_body(&service, content_type, pieces));
            prop_assert!([200, 400, 413, 422].contains(&response.status), "{content_type}: {response:?}");
        }
    }
}

#[tokio::test]
async fn reports_faults_by_index_and_offset() {
    let address = listening(service(names())).await;
    let lines = "application/x-ndjson";
    let good = r#"{"id":1,"name":"a","rates":[]}"#;
    for (content_type, body, status, path, offset) in [
        (lines, format!("{good}\n\n{good}\n{{\"id\":-1}}"), 422, "$[2].id", 70),
        (lines, format!("{good}\n{{\"id\":1,"), 400, "$[1]", 39),
        (lines, format!("{good}\nx"), 400, "$[1]", 31),
        ("application/json", format!("[{good}, {good}"), 400, "$", 63),
        ("application/json", format!("[{good}; {good}]"), 400, "$", 31),
        ("application/json", format!("[{good},]"), 400, "$", 32),
        ("application/json", format!("[{good}] x"), 400, "$", 33),
        ("application/json", good.to_owned(), 400, "$", 0),
        ("application/json", String::new(), 400, "$", 0),
        ("application/vnd.msgpack", "\u{1}".to_owned(), 422, "$[0]", 0),
    ] {
        let response = post(address, "/", content_type, &body).await;
        assert_eq!(response.status, status, "{body}: {response:?}");
        let fault = &response.json()["errors"][0];
        assert!(fault["path"].as_str().expect("a path").starts_with(path), "{body}: {fault}");
        assert_eq!(fault["offset"], offset, "{body}: {fault}");
    }
    let response = post(address, "/", lines, format!("{good}\n\n{{\"id\": -1}}")).await;
    let fault = &response.json()["errors"][0];
    assert_eq!((&fault["line"], &fault["column"]), (&json!(3), &json!(9)), "{fault}");

    for content_type in [
        "text/event-stream",
        "application/protobuf",
        "application/avro",
        "application/json; charset=utf-16",
    ] {
        let response = post(address, "/", content_type, "").await;
        assert_eq!(response.status, 415, "{content_type}");
    }
    let response = post(address, "/", "text/plain", "").await;
    let accept = "application/x-ndjson, application/json, application/vnd.msgpack, \
                  application/cbor-seq, application/protobuf;delimited=true";
    assert!(response.head.contains(&format!("accept: {accept}\r\n")), "{}", response.head);
}

#[tokio::test]
async fn limits_each_value_but_not_their_number() {
    let limits = Limits::DEFAULT.with_body_bytes(1_000).with_depth(10);
    let service = || {
        let api = Api::new("Streams").formats(FORMATS).limits(limits);
        api.serve(names()).build().expect("a valid API")
    };
    let address = listening(service()).await;
    let hotels: Vec<Hotel> = (0..2_000).map(hotel).collect();
    for (content_type, body) in framed(&hotels) {
        assert!(body.len() > 100_000);
        assert_eq!(post(address, "/", content_type, body).await.status, 200, "{content_type}");
    }
    let large = Hotel { name: "x".repeat(1_000), ..hotel(1) };
    for (content_type, body) in framed(&[hotel(0), large]) {
        let response = post(address, "/", content_type, &body).await;
        assert_eq!(response.status, 413, "{content_type}");
        assert!(response.text().contains("item 1 exceeds the limit of 1000 bytes"));
        // The split positions do not matter here either.
        let pieces = body.chunks(7).map(Bytes::copy_from_slice).collect();
        assert_eq!(send_body(&service(), content_type, pieces).await.status, 413, "{content_type}");
    }
    // A claimed length that never arrives takes no memory.
    for (content_type, claim) in [
        ("application/cbor-seq", &b"\x7B\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"[..]),
        ("application/cbor-seq", b"\x9B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00"),
        ("application/vnd.msgpack", b"\xDB\xFF\xFF\xFF\xFF"),
        ("application/vnd.msgpack", b"\xDF\xFF\xFF\xFF\xFF\x00"),
        ("application/protobuf;delimited=true", b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"),
        ("application/protobuf;delimited=true", b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"),
    ] {
        assert_eq!(post(address, "/", content_type, claim).await.status, 400, "{claim:x?}");
    }
    for (content_type, opener) in [
        ("application/cbor-seq", 0x9F),
        ("application/vnd.msgpack", 0x91),
        ("application/json", b'['),
    ] {
        let deep = vec![opener; 900];
        assert_eq!(post(address, "/", content_type, deep).await.status, 400, "{content_type}");
    }
}

/// Reads until this text arrives.
async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut all = Vec::new();
    let mut chunk = [0; 4_096];
    loop {
        let found = String::from_utf8_lossy(&all).into_owned();
        if found.contains(text) {
            return found;
        }
        let count = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut chunk)).await;
        let count = count.unwrap_or_else(|_| panic!("waiting for {text:?}, got {found:?}"));
        all.extend_from_slice(&chunk[..count.expect("the connection holds")]);
        assert_ne!(all.len(), found.len(), "the server closed; got {found:?}");
    }
}

#[tokio::test]
async fn streams_both_ways_at_once_over_http_1() {
    let address = listening(service(echo())).await;
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head = "POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-ndjson\r\n\
                transfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("sent");
    for id in 0..5 {
        let line = format!("{}\n", serde_json::to_string(&hotel(id)).expect("JSON"));
        let chunk = format!("{:x}\r\n{line}\r\n", line.len());
        stream.write_all(chunk.as_bytes()).await.expect("sent");
        // The next value is sent only after this one is returned.
        let text = read_until(&mut stream, &line).await;
        assert!(id > 0 || text.starts_with("HTTP/1.1 200"), "{text}");
    }
    stream.write_all(b"0\r\n\r\n").await.expect("sent");
    read_until(&mut stream, "0\r\n\r\n").await;
    // The connection can be reused.
    stream.write_all(b"OPTIONS / HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    read_until(&mut stream, "HTTP/1.1 204").await;
}

#[tokio::test]
async fn streams_both_ways_at_once_over_http_2() {
    let address = listening(service(echo())).await;
    let stream = TcpStream::connect(address).await.expect("a connection");
    let handshake =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (mut sender, connection) = handshake.await.expect("HTTP/2");
    tokio::spawn(connection);
    let (values, received) = mpsc::channel::<Bytes>(1);
    let body = StreamBody::new(Received(received));
    let request = Request::post(format!("http://{address}/"))
        .header("content-type", "application/cbor-seq")
        .header("accept", "application/cbor-seq")
        .body(body)
        .expect("a request");
    let answering = sender.send_request(request);
    let response = tokio::spawn(answering);
    let first = cbor::to_vec(&hotel(0)).expect("CBOR");
    values.send(first.clone().into()).await.expect("taken");
    let mut body = response.await.expect("no panic").expect("an answer").into_body();
    let mut next = async || body.frame().await.expect("a piece").expect("a piece").into_data();
    assert_eq!(next().await.expect("data"), first);
    for id in 1..5 {
        let value = cbor::to_vec(&hotel(id)).expect("CBOR");
        values.send(value.clone().into()).await.expect("taken");
        assert_eq!(next().await.expect("data"), value);
    }
    drop(values);
    let rest = body.collect().await.expect("a graceful end").to_bytes();
    assert!(rest.is_empty(), "{rest:?}");
}

struct Received(mpsc::Receiver<Bytes>);

impl futures_core::Stream for Received {
    type Item = Piece;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Piece>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

#[tokio::test]
async fn applies_back_pressure_to_a_fast_sender() {
    let slow = endpoint("/").body::<Items<u64>>().returns::<u64>();
    let slow = slow.to(|mut numbers| async move {
        let first = numbers.next().await;
        tokio::time::sleep(Duration::from_secs(60)).await;
        first.unwrap_or(Ok(0))
    });
    let address = listening(service(slow)).await;
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head = "POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-ndjson\r\n\
                content-length: 1000000000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("sent");
    let lines = "1234567\n".repeat(8_192);
    let mut sent_bytes = 0;
    let wait = Duration::from_millis(300);
    while let Ok(Ok(count)) = tokio::time::timeout(wait, stream.write(lines.as_bytes())).await {
        sent_bytes += count;
        // The system buffers a few megabytes of a loopback connection.
        assert!(sent_bytes < 64 << 20, "{sent_bytes} bytes were accepted without a reader");
    }
}

#[tokio::test]
async fn reports_truncated_and_paused_bodies_as_errors() {
    let (sender, mut receiver) = mpsc::unbounded_channel::<Option<u16>>();
    let route = endpoint("/").body::<Items<u64>>().to(move |mut numbers| {
        let sender = sender.clone();
        // A separate task is used because the handler ends with its connection.
        tokio::spawn(async move {
            let last = loop {
                match numbers.next().await {
                    Some(Ok(_)) => {}
                    Some(Err(problem)) => break Some(problem.status().as_u16()),
                    None => break None,
                }
            };
            sender.send(last)
        });
        std::future::pending::<()>()
    });
    let limits = Limits::DEFAULT.with_body_idle_timeout(Duration::from_millis(300));
    let api = Api::new("Streams").limits(limits).serve(route);
    let address = listening(api.build().expect("a valid API")).await;
    let head = "POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-ndjson\r\n\
                transfer-encoding: chunked\r\n\r\n";
    for (rest, expected) in [("4\r\n1\n2\n\r\n", Some(408)), ("0\r\n\r\n", None)] {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream.write_all(format!("{head}{rest}").as_bytes()).await.expect("sent");
        assert_eq!(receiver.recv().await.expect("told"), expected);
    }
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(format!("{head}4\r\n1\n2\n\r\n").as_bytes()).await.expect("sent");
    drop(stream);
    assert_eq!(receiver.recv().await.expect("told"), Some(400), "the connection broke");
}
