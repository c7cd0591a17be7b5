//! Both protocols on one port, and graceful shutdown: no accepted request is lost.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::SendRequest;
use manywire::content::Text;
use manywire::{Api, Service, get};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::support::{PATIENCE, http2, listening};

fn request(method: &str, uri: &str) -> Request<Full<Bytes>> {
    let request = Request::builder().method(method).uri(uri);
    request.body(Full::default()).expect("a request")
}

#[tokio::test]
async fn serves_both_protocols_on_one_port() {
    let name = get("/{name}").path::<String>().returns::<Text>();
    let service = Api::new("Names").serve(name.to(|name| async move { name })).build();
    let address = listening(service.expect("a valid API")).await;
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let one = b"GET /one HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    stream.write_all(one).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("text");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("one"), "{answer}");
    let mut sender = http2(address).await;
    for method in ["GET", "HEAD"] {
        let response =
            sender.send_request(request(method, "http://a/two")).await.expect("an answer");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-length"], "3");
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        assert_eq!(body, if method == "GET" { "two" } else { "" });
    }
}

/// The number of clients that keep sending requests during the shutdown.
const CLIENTS: usize = 16;

/// The content of a slow response, long enough for several writes.
const ANSWER_BYTES: usize = 300_000;

/// A server with slow responses and a count of started requests.
struct Slow {
    begun: Arc<AtomicUsize>,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Slow {
    async fn start() -> Self {
        let begun = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&begun);
        let slow = get("/slow").returns::<Text>().to(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            async {
                tokio::time::sleep(Duration::from_millis(20)).await;
                "x".repeat(ANSWER_BYTES)
            }
        });
        let service: Service = Api::new("Slow").serve(slow).build().expect("a valid API");
        let server = service.bind("127.0.0.1:0").await.expect("a port");
        let address = server.local_address();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(server.run_until(async { drop(stopped.await) }));
        Slow { begun, address, stop, serving }
    }

    /// Shuts down during requests. Each started request must receive its complete response.
    async fn stop(self, clients: Vec<JoinHandle<usize>>) {
        while self.begun.load(Ordering::SeqCst) < 4 * CLIENTS {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.stop.send(()).expect("the server accepts the connection");
        let ended = tokio::time::timeout(PATIENCE, self.serving).await.expect("it stops");
        ended.expect("no panic").expect("all requests were answered in time");
        let mut responses = 0;
        for client in clients {
            responses += client.await.expect("no panic");
        }
        let begun = self.begun.load(Ordering::SeqCst);
        assert_eq!(responses, begun, "each started request received its complete response");
        assert!(TcpStream::connect(self.address).await.is_err(), "the socket is closed");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loses_no_accepted_request_at_shutdown() {
    let slow = Slow::start().await;
    let clients = (0..CLIENTS).map(|_| tokio::spawn(request_until_closed(slow.address))).collect();
    slow.stop(clients).await;
}

/// The shutdown also notifies idle connections, without waiting for their next request.
#[tokio::test]
async fn closes_idle_connections_at_shutdown() {
    let slow = Slow::start().await;
    let mut stream = TcpStream::connect(slow.address).await.expect("a connection");
    let mut sender = http2(slow.address).await;
    for _ in 0..3 {
        stream.write_all(b"GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
        let mut answer = Vec::new();
        while !is_whole(&answer) {
            assert!(
                stream.read_buf(&mut answer).await.expect("more") > 0,
                "a response was truncated"
            );
        }
        let response = sender.send_request(request("GET", "http://a/slow")).await;
        let body = response.expect("an answer").into_body().collect().await.expect("a body");
        assert_eq!(body.to_bytes().len(), ANSWER_BYTES);
    }
    slow.stop.send(()).expect("the server accepts the connection");
    let ended = async {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).await.expect("closed gracefully");
        assert!(rest.is_empty(), "no request was sent");
        drop(stream);
        slow.serving.await.expect("no panic").expect("no request was active");
        while sender.ready().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("it stops");
}

/// Returns the number of complete responses until the server closed the connection.
async fn request_until_closed(address: SocketAddr) -> usize {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let mut responses = 0;
    let mut answer = Vec::new();
    while stream.write_all(b"GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await.is_ok() {
        answer.clear();
        while !is_whole(&answer) {
            match stream.read_buf(&mut answer).await {
                Ok(count) if count > 0 => {}
                _ => {
                    assert!(answer.is_empty(), "a response was truncated");
                    return responses;
                }
            }
        }
        responses += 1;
    }
    responses
}

fn is_whole(answer: &[u8]) -> bool {
    let head = answer.windows(4).position(|window| window == b"\r\n\r\n");
    head.is_some_and(|head| answer.len() == head + 4 + ANSWER_BYTES)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loses_no_http_2_stream_at_shutdown() {
    let slow = Slow::start().await;
    // Four connections with four concurrent requests each.
    let mut clients = Vec::new();
    for _ in 0..CLIENTS / 4 {
        let sender = http2(slow.address).await;
        clients.extend((0..4).map(|_| tokio::spawn(request_until_refused(sender.clone()))));
    }
    slow.stop(clients).await;
}

/// Returns the number of complete responses until the server refused requests.
async fn request_until_refused(mut sender: SendRequest<Full<Bytes>>) -> usize {
    let mut responses = 0;
    while sender.ready().await.is_ok() {
        let Ok(response) = sender.send_request(request("GET", "http://a/slow")).await else {
            break;
        };
        let body = response.into_body().collect().await.expect("a response was truncated");
        assert_eq!(body.to_bytes().len(), ANSWER_BYTES);
        responses += 1;
    }
    responses
}
