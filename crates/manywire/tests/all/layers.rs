//! Services under layers of tower, and services other than an API, on the sockets of our server:
//! with its limits, its problems and its shutdown.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes as AxumBytes;
use axum::routing::{get as axum_get, post as axum_post};
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use manywire::content::{Items, Raw, Text};
use manywire::{Api, Format, Limits, RequestBody, Serve, Server, Service, Shaped, get, post};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;
use tower::limit::ConcurrencyLimitLayer;
use tower::service_fn;
use tower_http::cors::CorsLayer;
use tower_http::trace::TraceLayer;
use tower_layer::layer_fn;

use crate::support::{PATIENCE, client, http2};

/// The short timeout of servers whose clients are slow.
const SHORT: Duration = Duration::from_millis(300);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u64,
    name: String,
}

fn api() -> Service {
    let echo = post("/hotels").body::<Hotel>().returns::<Hotel>();
    let name = get("/{name}").path::<String>().returns::<Text>();
    let items = get("/items/{count}").path::<u32>().returns::<Items<u32>>();
    Api::new("Hotels")
        .formats([Format::Json, Format::Cbor])
        .serve(echo.to(|hotel| async move { hotel }))
        .serve(name.to(|name| async move { name }))
        .serve(items.to(|count| async move { Items::from_values(0..count) }))
        .build()
        .expect("a valid API")
}

/// Starts a server that lives as long as the test.
async fn serving<S: Serve>(server: io::Result<Server<S>>) -> SocketAddr {
    let server = server.expect("a port");
    let address = server.local_address();
    tokio::spawn(server.run_until(std::future::pending()));
    address
}

const ANY_PORT: &str = "127.0.0.1:0";

/// Sends bytes, and returns everything until the server closes the connection.
async fn exchange(address: SocketAddr, bytes: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(bytes.as_bytes()).await.expect("sent");
    let mut text = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut text)).await.expect("in time").expect("read");
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test]
async fn serves_an_api_under_layers() {
    let answered = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&answered);
    let trace = TraceLayer::new_for_http().on_response(
        move |_: &http::Response<_>, _: Duration, _: &tracing::Span| {
            counted.fetch_add(1, Ordering::Relaxed);
        },
    );
    let layered = api().layer(CorsLayer::permissive()).layer(trace);
    let address = serving(layered.bind(ANY_PORT).await).await;
    let get = "GET /Ada HTTP/1.1\r\nhost: a\r\norigin: http://b\r\nconnection: close\r\n\r\n";
    let answer = exchange(address, get).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("\r\naccess-control-allow-origin: *\r\n"), "{answer}");
    assert!(answer.contains("\r\ncontent-length: 3\r\n") && answer.ends_with("Ada"), "{answer}");
    // The layer answers a preflight, which never reaches the API.
    let preflight = "OPTIONS /hotels HTTP/1.1\r\nhost: a\r\norigin: http://b\r\n\
        access-control-request-method: POST\r\nconnection: close\r\n\r\n";
    let answer = exchange(address, preflight).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("\r\naccess-control-allow-methods: *\r\n"), "{answer}");
    let missing = "GET /a/b HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let answer = exchange(address, missing).await;
    assert!(answer.starts_with("HTTP/1.1 404") && answer.contains("\"status\":404"), "{answer}");

    let client = client(address);
    let echo = post("/hotels").body::<Hotel>().returns::<Hotel>();
    let hotel = Hotel { id: 7, name: "Ritz".to_owned() };
    for client in [client.clone(), client.clone().http2(), client.formats([Format::Cbor])] {
        assert_eq!(client.call(&echo, hotel.clone()).await.expect("an answer"), hotel);
    }
    assert_eq!(answered.load(Ordering::Relaxed), 6);
}

#[tokio::test]
async fn streams_through_layers_over_both_protocols() {
    let layered = api().layer(TraceLayer::new_for_http());
    let address = serving(layered.bind(ANY_PORT).await).await;
    let client = client(address);
    let items = get("/items/{count}").path::<u32>().returns::<Items<u32>>();
    for client in [client.clone(), client.http2()] {
        let mut found = client.call(&items, 50_000).await.expect("a stream");
        let mut count = 0;
        while let Some(item) = found.next().await {
            assert_eq!(item.expect("a number"), count);
            count += 1;
        }
        assert_eq!(count, 50_000);
    }
}

/// A body that is larger than the windows of HTTP/2 clients.
const LONG_BYTES: usize = 16 << 20;

fn router() -> Router {
    Router::new()
        .route("/", axum_get(|| async { "axum" }))
        .route("/long", axum_get(|| async { "x".repeat(LONG_BYTES) }))
        .route("/length", axum_post(|body: AxumBytes| async move { body.len().to_string() }))
}

#[tokio::test]
async fn serves_any_service_of_tower() {
    let address = serving(Server::serve(router()).bind(ANY_PORT).await).await;
    let answer = exchange(address, "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("axum"), "{answer}");
    let mut sender = http2(address).await;
    for (path, bytes) in [("/", 4), ("/long", LONG_BYTES)] {
        let request = Request::get(format!("http://a{path}")).body(Full::default());
        let response = sender.send_request(request.expect("a request")).await.expect("an answer");
        assert_eq!(response.status(), 200);
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        assert_eq!(body.len(), bytes);
    }
    let post = Request::post("http://a/length").body(Full::from(vec![b'x'; 100_000]));
    let response = sender.send_request(post.expect("a request")).await.expect("an answer");
    assert_eq!(response.into_body().collect().await.expect("a body").to_bytes(), "100000");
}

#[tokio::test]
async fn serves_an_async_function() {
    let count = service_fn(|request: Request<RequestBody>| async {
        let body = request.into_body().collect().await?.to_bytes();
        let text = Full::<Bytes>::from(body.len().to_string());
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(http::Response::new(text))
    });
    let address = serving(Server::serve(count).bind(ANY_PORT).await).await;
    let post = "POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 3\r\n\r\nabc";
    let answer = exchange(address, post).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\n3"), "{answer}");
}

/// The server adds problems to its own refusals only, not to the responses of a service.
#[tokio::test]
async fn leaves_responses_without_content_as_they_are() {
    let address = serving(Server::serve(router()).bind(ANY_PORT).await).await;
    for (request, status) in [("GET /none", 404), ("HEAD /none", 404), ("POST /", 405)] {
        let request = format!("{request} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
        let answer = exchange(address, &request).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {answer}");
        assert!(!answer.contains("problem") && answer.ends_with("\r\n\r\n"), "{request}: {answer}");
    }
    let nothing = service_fn(|_: Request<RequestBody>| async {
        let response = http::Response::builder().status(204).body(Full::<Bytes>::default());
        response.map_err(io::Error::other)
    });
    let mut sender = http2(serving(Server::serve(nothing).bind(ANY_PORT).await).await).await;
    let request = Request::get("http://a/").body(Full::default()).expect("a request");
    let response = sender.send_request(request).await.expect("an answer");
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    assert!(!response.headers().contains_key("content-length"), "{response:?}");
    assert!(http_body::Body::is_end_stream(response.body()), "{response:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn serves_any_service_on_a_unix_socket() {
    let path = std::env::temp_dir().join(format!("manywire-layers-{}.sock", std::process::id()));
    let server = Server::serve(router()).bind_unix(&path).await.expect("a socket");
    tokio::spawn(server.run_until(std::future::pending()));
    let mut stream = tokio::net::UnixStream::connect(&path).await.expect("a connection");
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        .await
        .expect("sent");
    let mut text = String::new();
    stream.read_to_string(&mut text).await.expect("text");
    std::fs::remove_file(&path).expect("the file of the socket");
    assert!(text.ends_with("axum"), "{text}");
}

#[tokio::test]
async fn applies_the_rules_for_heads_to_every_service() {
    let limits = Limits::DEFAULT.with_header_fields(10);
    let plain = Server::serve(router()).limits(limits).bind(ANY_PORT).await;
    let layered = api().layer(TraceLayer::new_for_http()).limits(limits).bind(ANY_PORT).await;
    for address in [serving(plain).await, serving(layered).await] {
        for (request, status) in [
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n\r\n", 501),
            ("GET /\r\n\r\n", 400),
        ] {
            let answer = exchange(address, request).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {answer}");
            assert!(answer.contains("\r\nconnection: close\r\n"), "{request}: {answer}");
            assert!(answer.contains(&format!("\"status\":{status}")), "{request}: {answer}");
        }
        let many: String = (0..20).map(|field| format!("x-{field}: 1\r\n")).collect();
        let answer = exchange(address, &format!("GET / HTTP/1.1\r\nhost: a\r\n{many}\r\n")).await;
        assert!(answer.contains("expected at most 10 header fields"), "{answer}");
    }
}

#[tokio::test]
async fn bounds_the_pace_of_bodies_for_every_service() {
    let limits = Limits::DEFAULT.with_body_idle_timeout(SHORT);
    let address = serving(Server::serve(router()).limits(limits).bind(ANY_PORT).await).await;
    let head = "POST /length HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 9\r\n\r\n";
    // axum refuses a body that fails; the rest never comes.
    let answer = exchange(address, &format!("{head}123")).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    let answer = exchange(address, &format!("{head}123456789")).await;
    assert!(answer.ends_with("\r\n\r\n9"), "{answer}");
}

/// The endpoints of an API decide on the pace of their bodies, under layers too.
#[tokio::test]
async fn keeps_the_pace_of_endpoints_under_layers() {
    let body = post("/body").body::<Raw>().returns::<u64>();
    let slow = post("/slow").body::<Raw>().slow_body().returns::<u64>();
    let service = Api::new("Slow")
        .limits(Limits::DEFAULT.with_body_idle_timeout(SHORT))
        .serve(body.to(|body: Bytes| async move { body.len() as u64 }))
        .serve(slow.to(|body: Bytes| async move { body.len() as u64 }))
        .build()
        .expect("a valid API");
    let address = serving(service.layer(CorsLayer::permissive()).bind(ANY_PORT).await).await;
    for (path, sent_bytes, status) in [("/body", 10, 408), ("/slow", 10, 200), ("/slow", 9, 408)] {
        let stream = TcpStream::connect(address).await.expect("a connection");
        let (mut reader, mut writer) = stream.into_split();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 10\r\n\r\n"
        );
        writer.write_all(head.as_bytes()).await.expect("sent");
        let dripping = tokio::spawn(async move {
            for _ in 0..sent_bytes {
                tokio::time::sleep(SHORT / 5).await;
                if writer.write_all(b"1").await.is_err() {
                    break;
                }
            }
            // Keeps the connection open.
            writer
        });
        let mut answer = String::new();
        timeout(PATIENCE, reader.read_to_string(&mut answer))
            .await
            .expect("in time")
            .expect("text");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
        drop(dripping.await.expect("no panic"));
    }
}

/// A client that sends nothing more does not keep a place: the service waits for it, and the server
/// does not wait for the service.
#[tokio::test]
async fn a_connection_that_waits_for_its_body_makes_room() {
    let limits = Limits::DEFAULT.with_connections(1);
    let address = serving(Server::serve(router()).limits(limits).bind(ANY_PORT).await).await;
    let mut slow = TcpStream::connect(address).await.expect("a connection");
    let head = "POST /length HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n123";
    slow.write_all(head.as_bytes()).await.expect("sent");
    let answer = exchange(address, "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await;
    assert!(answer.ends_with("axum"), "{answer}");
    let closed = timeout(PATIENCE, slow.read(&mut [0; 64])).await.expect("in time");
    assert!(closed.is_err() || closed.is_ok_and(|bytes| bytes == 0));
}

/// A service that fails, and one that is never ready.
#[derive(Clone)]
struct Failing;

impl<B> tower_service::Service<Request<B>> for Failing {
    type Response = http::Response<Full<Bytes>>;
    type Error = io::Error;
    type Future = std::future::Ready<Result<Self::Response, io::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<B>) -> Self::Future {
        std::future::ready(Err(io::Error::other("the secret cause")))
    }
}

#[tokio::test]
async fn answers_500_for_a_service_that_fails() {
    let address = serving(Server::serve(Failing).bind(ANY_PORT).await).await;
    let answer = exchange(address, "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 500") && answer.contains("\"status\":500"), "{answer}");
    assert!(!answer.contains("secret"), "{answer}");
    // In HTTP/1.1, hyper leaves out the content of a response to HEAD; in HTTP/2, it does not.
    let request = Request::head("http://a/").body(Full::default()).expect("a request");
    let mut sender = http2(address).await;
    let response = sender.send_request(request).await.expect("an answer");
    assert_eq!(response.status(), 500);
    let body = response.into_body().collect().await.expect("no content").to_bytes();
    assert_eq!(body, "");
}

#[tokio::test]
async fn answers_500_in_the_format_of_the_client() {
    let layered = api().layer(layer_fn(|_: Service| Failing));
    let mut sender = http2(serving(layered.bind(ANY_PORT).await).await).await;
    for (accept, media_type) in [
        ("application/cbor", "application/problem+cbor"),
        ("application/json", "application/problem+json"),
        ("text/html", "application/problem+json"),
    ] {
        let request = Request::get("http://a/").header("accept", accept).body(Full::default());
        let response = sender.send_request(request.expect("a request")).await.expect("an answer");
        assert_eq!(response.status(), 500);
        assert_eq!(response.headers()["content-type"], media_type, "{accept}");
        assert_eq!(response.headers()["vary"], "accept");
    }
}

#[tokio::test]
async fn waits_until_a_service_is_ready() {
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (counted, max) = (Arc::clone(&running), Arc::clone(&most));
    let slow = get("/slow").returns::<Text>().to(move || {
        let (running, most) = (Arc::clone(&counted), Arc::clone(&max));
        async move {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(10)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            "slow".to_owned()
        }
    });
    let service = Api::new("Slow").serve(slow).build().expect("a valid API");
    let layered = service.layer(ConcurrencyLimitLayer::new(2));
    let address = serving(layered.bind(ANY_PORT).await).await;
    let requests = (0..8).map(|_| {
        tokio::spawn(exchange(
            address,
            "GET /slow HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
        ))
    });
    for request in requests.collect::<Vec<_>>() {
        assert!(request.await.expect("no panic").ends_with("slow"));
    }
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_shutdown_answers_active_requests_under_layers() {
    let (begun, finish) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (started, wait) = (Arc::clone(&begun), Arc::clone(&finish));
    let slow = get("/slow").returns::<Text>().to(move || {
        let (begun, finish) = (Arc::clone(&started), Arc::clone(&wait));
        async move {
            begun.notify_one();
            finish.notified().await;
            "answered".to_owned()
        }
    });
    let service = Api::new("Slow").serve(slow).build().expect("a valid API");
    let server = service.layer(TraceLayer::new_for_http()).bind(ANY_PORT).await.expect("a port");
    let address = server.local_address();
    let (stop, stopped) = oneshot::channel::<()>();
    let run = tokio::spawn(server.run_until(async { drop(stopped.await) }));
    let request = tokio::spawn(exchange(address, "GET /slow HTTP/1.1\r\nhost: a\r\n\r\n"));
    begun.notified().await;
    stop.send(()).expect("the server runs");
    // The connection learns of the shutdown before its response.
    tokio::time::sleep(Duration::from_millis(50)).await;
    finish.notify_one();
    let answer = request.await.expect("no panic");
    assert!(answer.ends_with("answered"), "{answer}");
    assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
    run.await.expect("no panic").expect("every request was answered");
}

/// HTTP/2 streams of a layered service are reset if their client does not read.
#[tokio::test]
async fn resets_a_stream_that_is_not_read() {
    let limits = Limits::DEFAULT.with_body_idle_timeout(SHORT);
    let address = serving(Server::serve(router()).limits(limits).bind(ANY_PORT).await).await;
    let mut sender = http2(address).await;
    let request = Request::get("http://a/long").body(Full::default()).expect("a request");
    let response = sender.send_request(request).await.expect("an answer");
    assert_eq!(response.status(), StatusCode::OK);
    // The window of a stream is smaller than the body.
    tokio::time::sleep(SHORT * 4).await;
    let ended = timeout(PATIENCE, response.into_body().collect()).await.expect("in time");
    assert!(ended.is_err(), "the stream was reset");
}
