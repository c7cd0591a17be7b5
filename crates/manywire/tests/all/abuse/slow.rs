//! Clients that send or read so slowly that they would occupy the server without a pause that ends
//! them.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use manywire::content::{Items, Multipart, Raw, RawStream, Text};
use manywire::{Api, Limits, Service, Shaped, get, post};
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tower::ServiceExt;

use super::server::{connect, read, serving};
use crate::support::{PATIENCE, client};

/// A body that sends a chunk at each interval.
struct Drip {
    chunk: &'static [u8],
    interval: Duration,
    left: usize,
    timer: Pin<Box<Sleep>>,
}

impl Drip {
    fn new(chunk: &'static [u8], interval: Duration, left: usize) -> Self {
        Drip { chunk, interval, left, timer: Box::pin(sleep(interval)) }
    }
}

impl Body for Drip {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        ready!(self.timer.as_mut().poll(context));
        let next = Instant::now() + self.interval;
        self.timer.as_mut().reset(next);
        self.left -= 1;
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(self.chunk)))))
    }
}

#[derive(Deserialize, Shaped)]
struct Upload {
    text: String,
}

fn service() -> Service {
    let whole = post("/whole").body::<Raw>().returns::<u64>();
    let slow = post("/slow").body::<Raw>().slow_body().returns::<u64>();
    let items = post("/items").body::<Items<u8>>().returns::<u64>();
    let slow_items = post("/slow-items").body::<Items<u8>>().slow_body().returns::<u64>();
    let stream = post("/stream").body::<RawStream>().returns::<u64>();
    let form = post("/form").body::<Multipart<Upload>>().returns::<u64>();
    let count = |mut items: Items<u8>| async move {
        let mut count = 0;
        while let Some(item) = items.next().await {
            item?;
            count += 1;
        }
        Ok::<u64, manywire::Problem>(count)
    };
    Api::new("Slow")
        .serve(whole.to(|body: Bytes| async move { body.len() as u64 }))
        .serve(slow.to(|body: Bytes| async move { body.len() as u64 }))
        .serve(items.to(count))
        .serve(slow_items.to(count))
        .serve(stream.to(|mut body| async move {
            let mut bytes = 0;
            while let Some(chunk) = body.next().await {
                bytes += chunk?.len() as u64;
            }
            Ok::<u64, manywire::Problem>(bytes)
        }))
        .serve(form.to(|form| async move {
            form.read().await?;
            Ok::<u64, manywire::Problem>(1)
        }))
        .build()
        .expect("a valid API")
}

/// Sends a body, and returns the status, the text of the response, and the time that it took.
async fn send(path: &str, content_type: &str, body: Drip) -> (u16, String, Duration) {
    let request = Request::post(path).header("content-type", content_type);
    let began = Instant::now();
    let response: Response<_> =
        service().oneshot(request.body(body).expect("a request")).await.expect("a response");
    let status = response.status().as_u16();
    let content = response.into_body().collect().await.expect("a body").to_bytes();
    (status, String::from_utf8_lossy(&content).into_owned(), began.elapsed())
}

const SECOND: Duration = Duration::from_secs(1);

/// Every pause is shorter than the timeout for pauses.
#[tokio::test(start_paused = true)]
async fn ends_a_body_that_arrives_too_slowly() {
    for (path, content_type) in [
        ("/whole", "application/octet-stream"),
        ("/items", "application/x-ndjson"),
        ("/stream", "application/octet-stream"),
        ("/form", "multipart/form-data; boundary=x"),
    ] {
        // Text before the first part of a form is ignored.
        let chunk: &[u8] = if path == "/form" { b"text" } else { b"1\n" };
        let body = Drip::new(chunk, 10 * SECOND, 10_000);
        let (status, text, took) = send(path, content_type, body).await;
        assert_eq!(status, 408, "{path}: {text}");
        assert!(text.contains("at less than 500 bytes per second"), "{path}: {text}");
        assert!(took < 20 * SECOND, "{path}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn ends_a_body_that_pauses() {
    let body = Drip::new(b"1\n", 20 * SECOND, 2);
    let (status, text, took) = send("/whole", "text/plain", body).await;
    assert_eq!(status, 408);
    assert!(text.contains("paused for more than 15s"), "{text}");
    assert!(took < 16 * SECOND, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn ends_a_body_that_takes_too_long_in_all() {
    // 1,000 bytes per second are enough, but not for so long.
    let body = Drip::new(&[b'1'; 1_000], SECOND, 1_000);
    let (status, text, took) = send("/whole", "text/plain", body).await;
    assert_eq!(status, 408);
    assert!(text.contains("took more than 300s"), "{text}");
    assert!(took < 301 * SECOND, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn reads_a_body_at_the_minimum_rate_with_pauses() {
    // After a pause of 14 seconds, the rate pays for the next one.
    let body = Drip::new(&[b'1'; 7_000], 14 * SECOND, 20);
    let (status, text, _) = send("/whole", "text/plain", body).await;
    assert_eq!((status, &*text), (200, "140000"));
}

#[tokio::test(start_paused = true)]
async fn reads_a_slow_body_where_the_endpoint_permits_it() {
    let body = Drip::new(b"1", 10 * SECOND, 100);
    let (status, text, _) = send("/slow", "text/plain", body).await;
    assert_eq!((status, &*text), (200, "100"));
    let body = Drip::new(b"1\n", 10 * SECOND, 100);
    let (status, text, _) = send("/slow-items", "application/x-ndjson", body).await;
    assert_eq!((status, &*text), (200, "100"));
    let body = Drip::new(b"1", 16 * SECOND, 100);
    let (status, text, _) = send("/slow", "text/plain", body).await;
    assert_eq!(status, 408, "{text}");
}

/// Every limit on time is off, which must not overflow the clock.
#[tokio::test]
async fn serves_without_limits_on_time() {
    let mut limits = Limits::DEFAULT;
    for time in [
        &mut limits.inflate_timeout,
        &mut limits.header_timeout,
        &mut limits.body_idle_timeout,
        &mut limits.body_timeout,
        &mut limits.shutdown_grace,
        &mut limits.shutdown_timeout,
    ] {
        *time = Duration::MAX;
    }
    let address = serving(limits).await;
    let client = client(address).limits(limits);
    let name = get("/{name}").path::<String>().returns::<Text>();
    for client in [client.clone(), client.http2()] {
        assert_eq!(client.call(&name, "Ada".to_owned()).await.expect("an answer"), "Ada");
    }
    // The body comes later than its head, so the server waits for it.
    let mut stream = connect(address).await;
    let head = b"POST /tree HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n\
        content-length: 15\r\nconnection: close\r\n\r\n";
    stream.write_all(head).await.expect("sent");
    sleep(Duration::from_millis(50)).await;
    stream.write_all(b"{\"children\":[]}").await.expect("sent");
    let output = read(&mut stream, PATIENCE).await;
    assert_eq!(output.statuses(), ["200"], "{output:?}");
}

/// The number of connections of the server under attack.
const CONNECTIONS: usize = 30;

/// Occupies the server: most clients send a body byte by byte, and some read a response so. Each of
/// them comes back when its connection is closed.
fn attack(address: SocketAddr) -> JoinSet<()> {
    const DRIP: Duration = Duration::from_millis(100);
    let mut attackers = JoinSet::new();
    for number in 0..2 * CONNECTIONS {
        let is_reader = number % 10 == 0;
        attackers.spawn(async move {
            loop {
                let mut stream = connect(address).await;
                let head: &[u8] = match is_reader {
                    true => b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n",
                    false => {
                        b"POST /tree HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n\
                          content-length: 100000\r\n\r\n"
                    }
                };
                let mut is_open = stream.write_all(head).await.is_ok();
                while is_open {
                    sleep(DRIP).await;
                    is_open = match is_reader {
                        true => stream.read_u8().await.is_ok(),
                        false => stream.write_all(b" ").await.is_ok(),
                    };
                }
            }
        });
    }
    attackers
}

/// Asserts that a client from this address, with a new connection for each request, gets all
/// responses beside an attack.
async fn serves_beside_an_attack(limits: Limits, from: &str) {
    let address = serving(limits).await;
    let attackers = attack(address);
    // The attackers have filled the server after a second.
    sleep(SECOND).await;
    for number in 0..5 {
        let request = async {
            let socket = TcpSocket::new_v4().expect("a socket");
            socket.bind(from.parse().expect("an address")).expect("a port");
            let mut stream = socket.connect(address).await.expect("a connection");
            let request = b"GET /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
            stream.write_all(request).await.expect("sent");
            let mut text = String::new();
            stream.read_to_string(&mut text).await.expect("a response");
            text
        };
        let text = timeout(3 * PATIENCE, request).await.expect("a response in time");
        assert!(text.starts_with("HTTP/1.1 200") && text.ends_with("health"), "{number}: {text}");
    }
    assert_eq!(attackers.len(), 2 * CONNECTIONS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serves_others_while_slow_clients_hold_all_connections() {
    serves_beside_an_attack(Limits::DEFAULT.with_connections(CONNECTIONS), "127.0.0.1:0").await;
}

/// On Linux, every address of 127.0.0.0/8 is the machine itself.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serves_another_peer_while_one_has_all_its_connections() {
    let limits = Limits::DEFAULT.with_connections(CONNECTIONS + 1);
    serves_beside_an_attack(limits.with_peer_connections(CONNECTIONS), "127.0.0.2:0").await;
}
