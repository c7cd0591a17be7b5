//! Raw bytes as streams: downloads and uploads of any length, over sockets.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use manywire::content::RawStream;
use manywire::input::{Body, Path};
use manywire::{Api, CallError, Endpoint, Problem, Service, get, post as endpoint};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;
use tower_http::trace::TraceLayer;

use crate::support::{client, listening};

const PIECE: usize = 16 << 10;

/// A response as hyper writes it to a malformed request.
const ERROR: &[u8] = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// A stream of counted chunks, followed by a failure if one is set.
struct CountedStream {
    left: usize,
    made: Arc<AtomicUsize>,
    fails: bool,
}

impl Stream for CountedStream {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.left == 0 {
            let failure = io::Error::other("the disk is gone");
            return Poll::Ready(std::mem::take(&mut self.fails).then_some(Err(failure)));
        }
        self.left -= 1;
        self.made.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Some(Ok(Bytes::from(vec![self.left as u8; PIECE]))))
    }
}

fn download() -> Endpoint<(Path<String>,), RawStream> {
    get("/download/{kind}").path::<String>().returns::<RawStream>()
}

fn echo() -> Endpoint<(Body<RawStream>,), RawStream> {
    endpoint("/echo").body::<RawStream>().returns::<RawStream>()
}

fn count() -> Endpoint<(Body<RawStream>,), u64> {
    endpoint("/count").body::<RawStream>().returns::<u64>()
}

fn service(made: &Arc<AtomicUsize>) -> Service {
    let made = Arc::clone(made);
    let download = download().to(move |kind: String| {
        let stream =
            |left, fails| RawStream::new(CountedStream { left, made: Arc::clone(&made), fails });
        let size = |pieces: usize| (pieces * PIECE) as u64;
        let video = |stream: RawStream| stream.with_content_type("video/mp4");
        let answer = match &*kind {
            "sized" => video(stream(10, false)).with_size_bytes(size(10)),
            "unsized" => stream(10, false),
            "endless" => stream(usize::MAX, false),
            "empty" => stream(0, false).with_size_bytes(0),
            "fails" => video(stream(10, true)),
            "short" => stream(10, false).with_size_bytes(size(11)),
            "long" => stream(11, false).with_size_bytes(size(10) + 5),
            "paused" => {
                let (mut writer, reader) = tokio::io::duplex(PIECE);
                tokio::spawn(async move {
                    for piece in [&b"first"[..], ERROR] {
                        writer.write_all(piece).await.expect("written");
                        sleep(Duration::from_millis(50)).await;
                    }
                });
                RawStream::from_reader(reader).with_size_bytes(5 + ERROR.len() as u64)
            }
            "file" => RawStream::from_reader(io::Cursor::new(vec![7; 100_000])),
            _ => stream(1, false).with_content_type("video\r\nx: y"),
        };
        async move { answer }
    });
    let count = count().to(|mut bytes: RawStream| async move {
        let mut size_bytes = 0;
        while let Some(piece) = bytes.next().await {
            size_bytes += piece?.len() as u64;
        }
        Ok::<u64, Problem>(size_bytes)
    });
    let api = Api::new("Raw").serve(download).serve(count);
    let api = api.serve(echo().to(|bytes: RawStream| async move {
        let content_type = bytes.content_type().unwrap_or("text/none").to_owned();
        bytes.with_content_type(content_type)
    }));
    api.build().unwrap_or_else(|error| panic!("{error}"))
}

/// Sends a handwritten request, and reads until the connection ends.
async fn get_raw(address: std::net::SocketAddr, head: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = format!("{head} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut all = Vec::new();
    drop(stream.read_to_end(&mut all).await);
    all.iter().map(|byte| char::from(*byte)).collect()
}

#[tokio::test]
async fn sends_type_and_length_of_a_download() {
    let address = listening(service(&Arc::default())).await;
    let sized = get_raw(address, "GET /download/sized").await;
    let (head, body) = sized.split_once("\r\n\r\n").expect("a head");
    assert!(head.contains("content-length: 163840") && head.contains("content-type: video/mp4"));
    assert!(
        !head.contains("transfer-encoding") && head.contains("vary: accept-encoding"),
        "{head}"
    );
    assert_eq!(body.len(), 10 * PIECE);
    let head = get_raw(address, "HEAD /download/sized").await;
    assert!(head.contains("content-length: 163840") && head.ends_with("\r\n\r\n"), "{head}");
    let unsized_ = get_raw(address, "GET /download/unsized").await;
    let head = unsized_.split_once("\r\n\r\n").expect("a head").0;
    assert!(head.contains("transfer-encoding: chunked"), "{head}");
    assert!(head.contains("content-type: application/octet-stream"), "{head}");
    assert!(unsized_.ends_with("0\r\n\r\n"));
    let empty = get_raw(address, "GET /download/empty").await;
    assert!(empty.contains("content-length: 0") && empty.ends_with("\r\n\r\n"), "{empty}");
    let wrong = get_raw(address, "GET /download/wrong").await;
    assert!(wrong.starts_with("HTTP/1.1 500") && !wrong.contains("\nx: y"), "{wrong}");
}

/// The server replaces responses of hyper that look like this content.
#[tokio::test]
async fn sends_content_that_looks_like_a_response() {
    let service = service(&Arc::default());
    let layered = service.clone().layer(TraceLayer::new_for_http());
    let layered = layered.bind("127.0.0.1:0").await.expect("a port");
    let layered_address = layered.local_address();
    tokio::spawn(layered.run());
    for address in [listening(service).await, layered_address] {
        let answer = get_raw(address, "GET /download/paused").await;
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        assert_eq!(body.as_bytes(), [&b"first"[..], ERROR].concat(), "{head}");
    }
}

#[tokio::test]
async fn sends_raw_bytes_without_coding_unless_required() {
    let address = listening(service(&Arc::default())).await;
    let head = |answer: String| answer.split_once("\r\n\r\n").expect("a head").0.to_owned();
    let plain =
        head(get_raw(address, "GET /download/sized HTTP/1.1\r\naccept-encoding: gzip\r\nx:").await);
    assert!(!plain.contains("content-encoding") && plain.contains("content-length"), "{plain}");
    let fields = "accept-encoding: gzip, identity;q=0";
    let coded =
        head(get_raw(address, &format!("GET /download/sized HTTP/1.1\r\n{fields}\r\nx:")).await);
    assert!(
        coded.contains("content-encoding: gzip") && !coded.contains("content-length"),
        "{coded}"
    );
}

#[tokio::test]
async fn produces_no_more_than_the_client_reads() {
    let made = Arc::default();
    let address = listening(service(&made)).await;
    for http2 in [false, true] {
        let client = if http2 { client(address).http2() } else { client(address) };
        let before = made.load(Ordering::Relaxed);
        let mut stream = client.call(&download(), "endless".to_owned()).await.expect("a stream");
        let first = stream.next().await.expect("a piece").expect("no failure");
        assert!(!first.is_empty());
        // The sender waits only when both sockets' buffers are full.
        let mut known = made.load(Ordering::Relaxed);
        loop {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let now = made.load(Ordering::Relaxed);
            if now == known {
                break;
            }
            known = now;
        }
        assert!((known - before) * PIECE < 32 << 20, "{}", known - before);
        let mut size_bytes = first.len();
        while size_bytes < (known - before) * PIECE + (1 << 20) {
            size_bytes += stream.next().await.expect("more").expect("no failure").len();
        }
        assert!(made.load(Ordering::Relaxed) > known, "the stream continues");
    }
}

#[tokio::test]
async fn truncates_failed_downloads_and_those_of_another_size() {
    let address = listening(service(&Arc::default())).await;
    for http2 in [false, true] {
        let client = if http2 { client(address).http2() } else { client(address) };
        for kind in ["fails", "short", "long"] {
            let mut stream = match client.call(&download(), kind.to_owned()).await {
                Ok(stream) => stream,
                // A reset may overtake the bytes before it, including the head of the response.
                Err(CallError::Connection(_)) if http2 => continue,
                Err(error) => panic!("{kind}: {error}"),
            };
            let mut size_bytes = 0;
            let failure = loop {
                match stream.next().await {
                    Some(Ok(piece)) => size_bytes += piece.len(),
                    Some(Err(problem)) => break problem,
                    None => panic!("{kind} is taken for complete, with {size_bytes} bytes"),
                }
            };
            assert_eq!(failure.status(), 502, "{kind}");
            assert!(stream.next().await.is_none());
        }
    }
}

#[tokio::test]
async fn client_streams_raw_bytes_both_ways() {
    let address = listening(service(&Arc::default())).await;
    for http2 in [false, true] {
        let client = if http2 { client(address).http2() } else { client(address) };
        let answer = client.fetch(&download(), "file".to_owned()).await.expect("a stream");
        assert_eq!(
            answer.header::<String>("content-type").expect("one"),
            "application/octet-stream"
        );
        let mut stream = answer.into_value();
        let mut size_bytes = 0;
        while let Some(piece) = stream.next().await {
            let piece = piece.expect("no failure");
            assert!(piece.iter().all(|byte| *byte == 7));
            size_bytes += piece.len();
        }
        assert_eq!(size_bytes, 100_000);
        let made = || CountedStream { left: 1_000, made: Arc::default(), fails: false };
        let sent = RawStream::new(made()).with_content_type("image/png");
        let mut back = client.call(&echo(), sent).await.expect("a stream");
        assert_eq!(back.content_type(), Some("image/png"));
        let mut size_bytes = 0;
        while let Some(piece) = back.next().await {
            size_bytes += piece.expect("no failure").len();
        }
        assert_eq!(size_bytes, 1_000 * PIECE);
        // The stream is larger than the limit of a collected body.
        let count = client.call(&count(), RawStream::new(made())).await.expect("a count");
        assert_eq!(count, 1_000 * PIECE as u64);
        let broken = RawStream::new(CountedStream { left: 3, made: Arc::default(), fails: true });
        assert!(client.call(&self::count(), broken).await.is_err());
    }
}
