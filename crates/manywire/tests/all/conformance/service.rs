//! The service under test, called directly and over a socket.

use std::convert::Infallible;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use manywire::content::Text;
use manywire::{Api, Format, Service, get, post};
use tokio::net::TcpStream;
use tower_service::Service as _;

use super::formats::Person;
use super::rows::{TestRequest, TestResponse, Transport};
use super::wire;
use crate::support::listening;

pub(crate) fn service() -> Service {
    let echo = post("/echo").body::<Person>().returns::<Person>();
    let text = get("/r0/{s}").path::<String>().returns::<Text>();
    Api::new("Conformance")
        .formats(Format::ALL)
        .serve(echo.to(|person| async move { person }))
        .serve(text.to(|segment| async move { segment }))
        .build()
        .expect("a valid API")
}

/// Sends a request.
pub(crate) async fn send(
    transport: Transport,
    service: &Service,
    request: TestRequest,
) -> TestResponse {
    match transport {
        Transport::Call => call(service.clone(), request).await,
        Transport::Socket => {
            let address = listening(service.clone()).await;
            let mut stream = TcpStream::connect(address).await.expect("a connection");
            wire::exchange(&mut stream, &request).await
        }
    }
}

async fn call(mut service: Service, test: TestRequest) -> TestResponse {
    let mut request = Request::builder().method(test.method).uri(&test.path);
    for (name, value) in &test.headers {
        request = request.header(*name, value);
    }
    let body: Full<Bytes> = Full::new(test.body.into());
    let request = request.body(body).expect("a request");
    let response: Result<_, Infallible> = service.call(request).await;
    let (parts, body) = response.expect("an answer").into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    TestResponse { status: parts.status, headers: parts.headers, body }
}
