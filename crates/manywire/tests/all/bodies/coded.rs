//! Streams and forms of parts in content codings, in both directions.

use std::io::Write;
use std::net::SocketAddr;
use std::pin::Pin;
use std::process::{Command, Stdio};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use manywire::content::{Items, Multipart};
use manywire::{
    Api, Client, Coding, Endpoint, Format, HeaderValue, Limits, Problem, Shaped, StatusCode, get,
    header, input::Body, post as endpoint,
};
use manywire_codec::coding::{DecodeLimits, Decoder, Encoder};
use manywire_codec::{cbor, msgpack};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::wire::{TestResponse, post};
use crate::support::{client, listening};

/// The codings of responses. `deflate` is only read.
const OFFERED: [Coding; 3] = [Coding::Gzip, Coding::Zstd, Coding::Brotli];

const FORMATS: [Format; 4] = [Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf];

const FRAMINGS: [&str; 6] = [
    "application/x-ndjson",
    "application/json",
    "text/event-stream",
    "application/cbor-seq",
    "application/vnd.msgpack",
    "application/protobuf;delimited=true",
];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Reading {
    id: u32,
    text: String,
}

fn reading(id: u32) -> Reading {
    Reading { id, text: format!("what the sensor {id} has to say") }
}

fn readings() -> Endpoint<(), Items<Reading>> {
    get("/").returns::<Items<Reading>>()
}

fn coded(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let encoder = Encoder::new(coding.into());
    encoder.expect("compiled in").encode(bytes, &mut out).expect("memory");
    out
}

fn client_accepting(address: SocketAddr, coding: Coding, accept: &str) -> Client {
    let value = |text: &str| HeaderValue::from_str(text).expect("a value");
    client(address)
        .formats(FORMATS)
        .field(header::ACCEPT_ENCODING, value(coding.name()))
        .field(header::ACCEPT, value(accept))
}

/// A stream of the values that the other end of a channel sends.
struct FedStream(mpsc::Receiver<Reading>);

impl Stream for FedStream {
    type Item = Reading;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Reading>> {
        self.0.poll_recv(context)
    }
}

#[tokio::test]
async fn delivers_each_value_before_the_next_is_produced() {
    let (hand, handed) = mpsc::channel::<FedStream>(1);
    let handed = std::sync::Arc::new(tokio::sync::Mutex::new(handed));
    let served = readings().to(move || {
        let handed = std::sync::Arc::clone(&handed);
        async move { Items::new(handed.lock().await.recv().await.expect("a source")) }
    });
    let api = Api::new("Readings").formats(FORMATS).serve(served);
    let address = listening(api.build().expect("a valid API")).await;
    for coding in OFFERED {
        for accept in FRAMINGS {
            let (feed, source) = mpsc::channel(1);
            hand.send(FedStream(source)).await.expect("taken");
            let fetched = client_accepting(address, coding, accept).fetch(&readings(), ()).await;
            let fetched = fetched.expect("an answer");
            assert_eq!(fetched.headers()["content-encoding"], coding.name(), "{accept}");
            assert_eq!(fetched.headers()["vary"], "accept, accept-encoding");
            let mut values = fetched.into_value();
            for id in 0..20 {
                feed.send(reading(id)).await.expect("taken");
                let next = tokio::time::timeout(Duration::from_secs(20), values.next()).await;
                let next = next.unwrap_or_else(|_| panic!("{coding} holds {accept} {id} back"));
                assert_eq!(next.expect("a value").expect("a value"), reading(id));
            }
            drop(feed);
            assert!(values.next().await.is_none(), "{coding}: {accept}");
        }
    }
}

/// Returns a response as bytes on the wire, including chunks.
async fn raw(address: SocketAddr, method: &str, coding: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head = format!(
        "{method} / HTTP/1.1\r\nhost: a\r\nconnection: close\r\naccept-encoding: {coding}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut all = Vec::new();
    drop(stream.read_to_end(&mut all).await);
    let end = all.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
    let (mut rest, mut body) = (&all[end + 4..], Vec::new());
    while let Some(at) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = std::str::from_utf8(&rest[..at]).expect("a size");
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            return (String::from_utf8_lossy(&all[..end]).into_owned(), body);
        }
        body.extend_from_slice(&rest[at + 2..at + 2 + size]);
        rest = &rest[at + 4 + size..];
    }
    let head = String::from_utf8_lossy(&all[..end]).into_owned();
    (head + "\r\nbroken off", body)
}

#[tokio::test]
async fn encodes_a_stream_as_one_message_of_its_coding() {
    let count = 3_000;
    let served = readings().to(move || async move { Items::from_values((0..count).map(reading)) });
    let address = listening(Api::new("Readings").serve(served).build().expect("valid")).await;
    let expected: String =
        (0..count).map(|id| serde_json::to_string(&reading(id)).expect("JSON") + "\n").collect();
    for coding in OFFERED {
        let (head, body) = raw(address, "GET", coding.name()).await;
        assert!(head.contains(&format!("content-encoding: {coding}\r\n")), "{head}");
        assert!(!head.contains("broken off") && !head.contains("content-length"), "{head}");
        assert!(body.len() * 4 < expected.len(), "{coding}: {} bytes", body.len());
        let mut plain = Vec::new();
        let mut decoder = Decoder::new(coding, DecodeLimits::DEFAULT).expect("compiled in");
        decoder.decode(&body, &mut plain).expect("complete and in order");
        assert!(plain == expected.as_bytes(), "{coding}");
        // A HEAD request gets the same header fields.
        let (head, body) = raw(address, "HEAD", coding.name()).await;
        assert!(head.contains(&format!("content-encoding: {coding}")), "{head}");
        assert!(body.is_empty());
    }
    let (head, body) = raw(address, "GET", "identity").await;
    assert!(!head.contains("content-encoding") && body == expected.as_bytes(), "{head}");
    // An independent decoder reads it, too.
    let (_, body) = raw(address, "GET", "gzip").await;
    let mut gzip = Command::new("gzip");
    let gzip = gzip.arg("-dc").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut gzip = gzip.expect("gzip is there");
    let mut input = gzip.stdin.take().expect("piped");
    let fed = std::thread::spawn(move || input.write_all(&body));
    let output = gzip.wait_with_output().expect("it ran");
    fed.join().expect("no panic").expect("taken");
    assert!(output.status.success() && output.stdout == expected.as_bytes());
}

#[tokio::test]
async fn encodes_empty_streams_and_truncates_failed_ones() {
    for (values, fails) in [(0, false), (3, true), (2_000, true)] {
        let served = readings()
            .to(move || async move { Items::fallible(FailingStream { left: values, fails }) });
        let api = Api::new("Readings").formats(FORMATS).serve(served);
        let address = listening(api.build().expect("a valid API")).await;
        for coding in OFFERED {
            for accept in FRAMINGS {
                let mut received = client_accepting(address, coding, accept)
                    .call(&readings(), ())
                    .await
                    .expect("one");
                let (mut count, mut failure) = (0, None);
                while let Some(item) = received.next().await {
                    match item {
                        Ok(_) => count += 1,
                        Err(problem) => failure = Some(problem),
                    }
                }
                assert_eq!((count, failure.is_some()), (values, fails), "{coding} {accept}");
                let told = accept == "text/event-stream" && fails;
                let status = failure.map(|it| it.status());
                assert!(!told || status == Some(StatusCode::IM_A_TEAPOT), "{coding}: {status:?}");
            }
        }
    }
}

struct FailingStream {
    left: u32,
    fails: bool,
}

impl Stream for FailingStream {
    type Item = Result<Reading, Problem>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Reading, Problem>>> {
        if self.left == 0 {
            let fails = std::mem::take(&mut self.fails);
            return Poll::Ready(fails.then(|| Err(Problem::new(StatusCode::IM_A_TEAPOT))));
        }
        self.left -= 1;
        Poll::Ready(Some(Ok(reading(self.left))))
    }
}

/// The number of equal values whose text, two bytes each, is twice as long as the limit on the ratio
/// leaves free.
const EQUAL_VALUES: u32 = 1 << 20;

#[tokio::test]
async fn reads_highly_compressed_equal_values() {
    let same = get("/").returns::<Items<u64>>();
    let served = same.clone().to(|| async { Items::from_values((0..EQUAL_VALUES).map(|_| 7)) });
    let address = listening(Api::new("Sevens").serve(served).build().expect("valid")).await;
    for coding in OFFERED {
        let mut received =
            client_accepting(address, coding, "application/x-ndjson").call(&same, ()).await;
        let received = received.as_mut().expect("an answer");
        let mut count = 0;
        while let Some(value) = received.next().await {
            assert_eq!(value.expect("a value"), 7);
            count += 1;
        }
        assert_eq!(count, EQUAL_VALUES, "{coding}");
    }
}

fn sum() -> Endpoint<(Body<Items<Reading>>,), u64> {
    endpoint("/").body::<Items<Reading>>().returns::<u64>()
}

async fn summing(limits: Limits) -> SocketAddr {
    let served = sum().to(|mut readings| async move {
        let mut sum = 0;
        while let Some(reading) = readings.next().await {
            sum += u64::from(reading?.id);
        }
        Ok::<_, Problem>(sum)
    });
    let api = Api::new("Readings").formats(FORMATS).limits(limits).serve(served);
    listening(api.build().expect("a valid API")).await
}

async fn send(address: SocketAddr, content_type: &str, coding: &str, body: &[u8]) -> TestResponse {
    post(address, "/", &format!("{content_type}\r\ncontent-encoding: {coding}"), body).await
}

#[tokio::test]
async fn decodes_a_coded_body_as_a_stream() {
    let address = summing(Limits::DEFAULT).await;
    let all: Vec<Reading> = (0..3_000).map(reading).collect();
    let lines: Vec<u8> = all
        .iter()
        .flat_map(|it| [serde_json::to_vec(it).expect("JSON"), b"\n".to_vec()].concat())
        .collect();
    let framed = [
        ("application/x-ndjson", lines.clone()),
        ("application/json", serde_json::to_vec(&all).expect("JSON")),
        (
            "application/cbor-seq",
            all.iter().flat_map(|it| cbor::to_vec(it).expect("CBOR")).collect(),
        ),
        (
            "application/vnd.msgpack",
            all.iter().flat_map(|it| msgpack::to_vec(it).expect("MessagePack")).collect(),
        ),
    ];
    for (content_type, body) in &framed {
        for coding in Coding::ALL {
            let response = send(address, content_type, coding.name(), &coded(coding, body)).await;
            assert_eq!(response.text(), "4498500", "{coding} {content_type}: {response:?}");
        }
        let twice = coded(Coding::Brotli, &coded(Coding::Gzip, body));
        let response = send(address, content_type, "gzip, br", &twice).await;
        assert_eq!(response.text(), "4498500", "{content_type}: {response:?}");
    }
    // gzip may have several members, and zstd several frames.
    let (one, other) = lines.split_at(lines.len() / 2);
    for coding in [Coding::Gzip, Coding::Zstd] {
        let members = [coded(coding, one), coded(coding, other)].concat();
        let response = send(address, "application/x-ndjson", coding.name(), &members).await;
        assert_eq!(response.text(), "4498500", "{coding}: {response:?}");
    }
    for coding in Coding::ALL {
        let whole = coded(coding, &lines);
        let cut = &whole[..whole.len() - 3];
        let longer = [&whole[..], b"more"].concat();
        let mut wrong = whole.clone();
        for byte in wrong.iter_mut().skip(whole.len() / 2).step_by(7) {
            *byte ^= 0x55;
        }
        for body in [cut, &longer, b"{\"id\":1}", b"", &wrong] {
            let response = send(address, "application/x-ndjson", coding.name(), body).await;
            assert_eq!(response.status, 400, "{coding}, {} bytes: {response:?}", body.len());
        }
    }
    let response = send(address, "application/x-ndjson", "lzma", b"").await;
    assert_eq!(response.status, 415);
    assert!(response.head.contains("accept-encoding: gzip, deflate, zstd, br\r\n"), "{response:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Values are the same wherever the body is split, and arbitrary bytes never panic.
    #[test]
    fn decodes_coded_bodies_split_anywhere(
        ids in prop::collection::vec(0..200_u32, 0..40),
        size in 1..40_usize,
        noise in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let expected = ids.iter().copied().map(u64::from).sum::<u64>().to_string();
        let lines: String = ids.iter().map(|id| format!("{}\n", json!(reading(*id)))).collect();
        runtime.block_on(async {
            let address = summing(Limits::DEFAULT).await;
            for coding in Coding::ALL {
                let body = coded(coding, lines.as_bytes());
                let (status, text) = in_pieces(address, coding, &body, size).await;
                prop_assert_eq!((status, text), (200, expected.clone()), "{}", coding);
                let (status, text) = in_pieces(address, coding, &noise, size).await;
                prop_assert!([200, 400, 422].contains(&status), "{coding}: {status} {text}");
            }
            Ok(())
        })?;
    }
}

/// Sends a body in separate chunks.
async fn in_pieces(address: SocketAddr, coding: Coding, body: &[u8], size: usize) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head = format!(
        "POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/x-ndjson\r\n\
         content-encoding: {coding}\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    let mut message = head.into_bytes();
    for piece in body.chunks(size) {
        message.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        message.extend_from_slice(piece);
        message.extend_from_slice(b"\r\n");
    }
    message.extend_from_slice(b"0\r\n\r\n");
    drop(stream.write_all(&message).await);
    let mut all = String::new();
    drop(stream.read_to_string(&mut all).await);
    let (head, text) = all.split_once("\r\n\r\n").unwrap_or((&all, ""));
    let status = head.get(9..12).and_then(|status| status.parse().ok()).expect("a status");
    (status, text.to_owned())
}

#[tokio::test]
async fn refuses_bombs_in_streams() {
    let address = summing(Limits::DEFAULT).await;
    // 256 MiB of blank lines, none of which is an oversized value.
    let blank = vec![b'\n'; 1 << 20];
    let mut bomb = manywire_codec::coding::stream::Writer::new(Coding::Gzip.into(), Vec::new())
        .expect("compiled in");
    for _ in 0..256 {
        bomb.write_all(&blank).expect("coded");
    }
    let bomb = bomb.finish().expect("coded");
    let response = send(address, "application/x-ndjson", "gzip", &bomb).await;
    assert_eq!(response.status, 413, "{response:?}");
    assert!(response.text().contains("go beyond 200 for each coded byte"), "{response:?}");
    let twice = coded(Coding::Brotli, &bomb);
    let response = send(address, "application/x-ndjson", "gzip, br", &twice).await;
    assert_eq!(response.status, 413, "{response:?}");
    // The limit of a value applies to its decoded size.
    let address = summing(Limits::DEFAULT.with_body_bytes(10_000)).await;
    let large = json!(Reading { id: 1, text: "x".repeat(10_000) }).to_string();
    let large = coded(Coding::Zstd, large.as_bytes());
    let response = send(address, "application/x-ndjson", "zstd", &large).await;
    assert_eq!(response.status, 413, "{response:?}");
    assert!(response.text().contains("item 0 exceeds the limit of 10000 bytes"), "{response:?}");
    // A coding that produces no output times out.
    let address = summing(Limits::DEFAULT.with_inflate_timeout(Duration::ZERO)).await;
    let members = coded(Coding::Gzip, b"").repeat(100);
    let response = send(address, "application/x-ndjson", "gzip", &members).await;
    assert_eq!(response.status, 413, "{response:?}");
    assert!(response.text().contains("decoding took longer than the limit"), "{response:?}");
}

#[derive(Deserialize, Shaped)]
struct Upload {
    title: String,
    notes: Vec<String>,
}

#[tokio::test]
async fn decodes_a_coded_form_of_parts() {
    let upload = endpoint("/").body::<Multipart<Upload>>().returns::<String>();
    let served = upload.to(|form| async move {
        let Upload { title, notes } = form.read().await?;
        Ok::<_, Problem>(format!("{title} {}", notes.len()))
    });
    let limits = Limits::DEFAULT.with_multipart_bytes(100_000);
    let api = Api::new("Parts").limits(limits).serve(served);
    let address = listening(api.build().expect("a valid API")).await;
    let part = |name: &str, text: &str| {
        format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
    };
    let form =
        |count: usize| part("title", "Größe") + &part("notes", "n").repeat(count) + "--edge--\r\n";
    let multipart = "multipart/form-data; boundary=edge";
    for coding in Coding::ALL {
        let body = coded(coding, form(300).as_bytes());
        let response = send(address, multipart, coding.name(), &body).await;
        assert_eq!(response.json(), json!("Größe 300"), "{coding}: {response:?}");
        // The limit of parts applies to their decoded size.
        let body = coded(coding, form(3_000).as_bytes());
        assert!(body.len() < 100_000);
        let response = send(address, multipart, coding.name(), &body).await;
        assert_eq!(response.status, 413, "{coding}: {response:?}");
    }
}
