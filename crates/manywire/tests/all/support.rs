//! A server on a free port and its clients, and requests to a service without a socket.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::request::Builder;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use manywire::{Client, Service};
use serde_json::Value;
use tokio::net::TcpStream;
use tower_service::Service as _;

/// A timeout longer than anything here takes on the slowest machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Starts a server of this service that lives as long as the test, and returns its address.
pub(crate) async fn listening(service: Service) -> SocketAddr {
    let server = service.bind("127.0.0.1:0").await.expect("a port");
    let address = server.local_address();
    tokio::spawn(server.run());
    address
}

pub(crate) fn client(address: SocketAddr) -> Client {
    Client::new(&format!("http://{address}")).expect("a base")
}

/// Opens a connection of HTTP/2.
pub(crate) async fn http2(address: SocketAddr) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(address).await.expect("a connection");
    let (sender, connection) =
        handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
    tokio::spawn(connection);
    sender
}

/// A response of a service, with its whole body.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl TestResponse {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("text"))
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }
}

/// Begins a request with these header fields.
pub(crate) fn request(method: &str, path: &str, fields: &[(&str, &str)]) -> Builder {
    let request = Request::builder().method(method).uri(path);
    fields.iter().fold(request, |request, (name, value)| request.header(*name, *value))
}

/// Sends a request with this body, without a socket.
pub(crate) async fn send(
    service: &Service,
    request: Builder,
    body: impl Into<Bytes>,
) -> TestResponse {
    call(service, request.body(Full::new(body.into())).expect("a request")).await
}

/// Sends a request without a socket.
pub(crate) async fn call<B>(service: &Service, request: Request<B>) -> TestResponse
where
    B: http_body::Body + Send + 'static,
{
    let response = service.clone().call(request).await.expect("infallible");
    let (parts, body) = response.into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    TestResponse { status: parts.status, headers: parts.headers, body }
}
