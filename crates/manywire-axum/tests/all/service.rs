//! The service under test in axum, called directly and over a socket.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::routing::{get, post};
use http::Request;
use http_body_util::BodyExt;
use manywire::Format;
use manywire::content::Text;
use manywire_axum::{Wire, WireAs, WireLayer};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;

use super::formats::Person;
use super::rows::{TestRequest, TestResponse, Transport};
use super::wire;

async fn echo(Wire(person): Wire<Person>) -> Wire<Person> {
    Wire(person)
}

async fn text(Path(segment): Path<String>) -> WireAs<Text> {
    WireAs(segment)
}

pub(crate) fn service() -> Router {
    Router::new()
        .route("/echo", post(echo))
        .route("/r0/{s}", get(text))
        .layer(WireLayer::new(Format::ALL).expect("every format is there"))
}

/// The limit for request bodies over a socket. axum's server resets a connection whose body it has
/// not read, which can discard the response. Requests with larger bodies are called directly.
const SOCKET_BYTES_MAX: usize = 64 << 10;

/// Sends a request.
pub(crate) async fn send(
    transport: Transport,
    service: &Router,
    request: TestRequest,
) -> TestResponse {
    match transport {
        Transport::Socket if request.body.len() < SOCKET_BYTES_MAX => {
            let address = listening(service.clone()).await;
            let mut stream = TcpStream::connect(address).await.expect("a connection");
            wire::exchange(&mut stream, &request).await
        }
        Transport::Call | Transport::Socket => call(service.clone(), request).await,
    }
}

async fn call(service: Router, test: TestRequest) -> TestResponse {
    let mut request = Request::builder().method(test.method).uri(&test.path);
    for (name, value) in &test.headers {
        request = request.header(*name, value);
    }
    let request = request.body(Body::from(test.body)).expect("a request");
    let (parts, body) = service.oneshot(request).await.expect("an answer").into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    TestResponse { status: parts.status, headers: parts.headers, body }
}

/// Starts a server for this request that lives as long as the test, and returns its address.
async fn listening(service: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, service).await });
    address
}
