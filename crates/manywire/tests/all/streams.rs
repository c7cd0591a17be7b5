//! Streams: one endpoint in every framing, decoded by other readers; failures; back-pressure.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use http::{Request, Response};
use http_body_util::{BodyExt, Empty};
use manywire::content::Items;
use manywire::{Api, Body, Format, Problem, Route, Service, Shaped, StatusCode, get};
use manywire_codec::{cbor, msgpack, protobuf};
use manywire_shape::Shape;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};
use tower_service::Service as _;

use crate::support::listening;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u32,
    name: String,
}

fn hotel(id: u32) -> Hotel {
    Hotel { id, name: "é\n".repeat(id as usize % 100) }
}

const FORMATS: [Format; 4] = [Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf];

fn service(route: Route) -> Service {
    Api::new("Streams").formats(FORMATS).serve(route).build().expect("a valid API")
}

fn service_of(count: u32) -> Service {
    let all = get("/").returns::<Items<Hotel>>();
    service(all.to(move || async move { Items::from_values((0..count).map(hotel)) }))
}

async fn fetch(service: &Service, accept: &str) -> Response<Body> {
    let request = Request::get("/").header("accept", accept).body(Empty::<Bytes>::new());
    service.clone().call(request.expect("a request")).await.expect("infallible")
}

async fn read_whole(response: Response<Body>) -> Bytes {
    response.into_body().collect().await.expect("a stream that does not fail").to_bytes()
}

/// Splits a sequence into the prefixes that a decoder takes whole.
fn delimited(mut bytes: &[u8]) -> Vec<Hotel> {
    let plan = protobuf::Plan::from_shape(&Shape::of::<Hotel>()).expect("a plan");
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let (mut length, mut shift) = (0usize, 0);
        while let Some((byte, rest)) = bytes.split_first() {
            bytes = rest;
            length |= usize::from(byte & 0x7F) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let (message, rest) = bytes.split_at(length);
        all.push(plan.decode(message).expect("a message"));
        bytes = rest;
    }
    all
}

#[tokio::test]
async fn serves_every_framing_from_one_endpoint() {
    for count in [0, 1, 2, 50] {
        let service = service_of(count);
        let expected: Vec<Hotel> = (0..count).map(hotel).collect();
        for (accept, content_type) in [
            ("*/*", "application/x-ndjson"),
            ("application/jsonl", "application/x-ndjson"),
            ("application/json", "application/json"),
            ("text/event-stream", "text/event-stream"),
            ("application/cbor-seq", "application/cbor-seq"),
            ("application/x-msgpack", "application/vnd.msgpack"),
            ("application/protobuf", "application/protobuf; delimited=true"),
        ] {
            let response = fetch(&service, accept).await;
            assert_eq!(response.status(), 200);
            assert_eq!(response.headers()["content-type"], content_type, "{accept}");
            assert_eq!(response.headers()["vary"], "accept, accept-encoding");
            let bytes = read_whole(response).await;
            let text = || std::str::from_utf8(&bytes).expect("text");
            let json = |text: &str| serde_json::from_str::<Hotel>(text).expect("JSON");
            let found: Vec<Hotel> = match content_type {
                "application/x-ndjson" => text().lines().map(json).collect(),
                "application/json" => serde_json::from_slice(&bytes).expect("an array"),
                "text/event-stream" => text()
                    .split_terminator("\n\n")
                    .map(|event| json(event.strip_prefix("data: ").expect("data")))
                    .collect(),
                "application/cbor-seq" => {
                    // A sequence is an indefinite-length array without its head and its end.
                    let array = [&[0x9F][..], &bytes, &[0xFF]].concat();
                    cbor::from_slice(&array).expect("a sequence")
                }
                "application/vnd.msgpack" => {
                    let head = [&[0xDC][..], &(count as u16).to_be_bytes()].concat();
                    msgpack::from_slice(&[&head[..], &bytes].concat()).expect("values")
                }
                _ => delimited(&bytes),
            };
            assert_eq!(found, expected, "{accept}");
        }
    }
    assert_eq!(fetch(&service_of(1), "application/bson").await.status(), 406);
}

/// Returns three values, followed by a failure.
#[allow(clippy::result_large_err, reason = "a failure ends a stream once")]
fn failing() -> Service {
    let values = (0..4).map(|id| match id {
        3 => Err(Problem::new(StatusCode::BAD_GATEWAY).with_detail("the source is gone")),
        id => Ok(hotel(id)),
    });
    let all = get("/").returns::<Items<Hotel>>();
    service(all.to(move || {
        let values = values.clone().collect::<Vec<_>>().into_iter();
        let values = DelayedStream { values, pause: Box::pin(tokio::time::sleep(PAUSE)) };
        async move { Items::fallible(values) }
    }))
}

/// A stream of delayed values, so that each is sent before the next is ready.
struct DelayedStream<I> {
    values: I,
    pause: Pin<Box<Sleep>>,
}

const PAUSE: Duration = Duration::from_millis(20);

impl<I: Iterator + Unpin> Stream for DelayedStream<I> {
    type Item = I::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<I::Item>> {
        ready!(self.pause.as_mut().poll(context));
        self.pause.as_mut().reset(Instant::now() + PAUSE);
        Poll::Ready(self.values.next())
    }
}

#[tokio::test]
async fn sends_a_failure_as_an_event_or_truncates_the_response() {
    let bytes = read_whole(fetch(&failing(), "text/event-stream").await).await;
    let text = std::str::from_utf8(&bytes).expect("text");
    let last = text.split_terminator("\n\n").last().expect("an event");
    let problem = last.strip_prefix("event: error\ndata: ").expect("an error event");
    let problem: Problem = serde_json::from_str(problem).expect("a problem");
    assert_eq!(problem.status(), StatusCode::BAD_GATEWAY);
    assert_eq!(text.matches("data: ").count(), 4);

    for accept in
        ["application/x-ndjson", "application/json", "application/cbor-seq", "application/protobuf"]
    {
        let response = fetch(&failing(), accept).await;
        response.into_body().collect().await.expect_err("a truncated response is an error");
    }

    // The last chunk is missing on a socket, so no client takes the response for complete.
    let address = listening(failing()).await;
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = "GET / HTTP/1.1\r\nhost: a\r\naccept: application/json\r\n\r\n";
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut all = Vec::new();
    // A reset is an acceptable end, too.
    drop(stream.read_to_end(&mut all).await);
    let text = String::from_utf8_lossy(&all);
    assert!(text.contains("transfer-encoding: chunked"), "{text}");
    assert!(text.contains("\"id\":2") && !text.ends_with("0\r\n\r\n"), "{text}");
}

/// The number of values of a stream of many chunks.
const VALUES: u64 = 100_000;

#[tokio::test]
async fn produces_values_as_they_are_read() {
    let made = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&made);
    let all = get("/").returns::<Items<u64>>();
    let service = service(all.to(move || {
        let counted = Arc::clone(&counted);
        let values = (0..VALUES).inspect(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        async move { Items::from_values(values) }
    }));
    let mut body = fetch(&service, "application/x-ndjson").await.into_body();
    assert_eq!(made.load(Ordering::Relaxed), 0, "no value is produced before it is requested");
    let (mut read, mut largest) = (0, 0);
    while let Some(frame) = body.frame().await {
        let data = frame.expect("a piece").into_data().expect("data");
        read += data.iter().filter(|byte| **byte == b'\n').count();
        largest = largest.max(data.len());
        assert!(made.load(Ordering::Relaxed) <= read, "no value is produced ahead of its chunk");
    }
    assert_eq!(read as u64, VALUES);
    assert!(largest <= 16 << 10, "all values in constant memory: {largest}");
}

#[test]
fn rejects_a_stream_in_a_format_without_framing_at_build() {
    let all = get("/").returns::<Items<u32>>().formats([Format::Bson]);
    let error = Api::new("Streams")
        .serve(all.to(|| async { Items::from_values(0..3) }))
        .build()
        .expect_err("BSON has no sequences");
    assert!(error.to_string().contains("bson"), "{error}");
}
