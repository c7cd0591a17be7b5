//! A service mounted in axum, and under layers of tower-http.

use std::convert::Infallible;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::routing::get as axum_get;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use manywire::{Api, Format, Service, Shaped, TrailingSlash, delete, get, post};
use serde::{Deserialize, Serialize};
use tower::{ServiceBuilder, ServiceExt};
use tower_http::cors::CorsLayer;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;

#[derive(Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u64,
}

fn service() -> Service {
    let find = get("/hotels/{id}").path::<u64>().returns::<Hotel>();
    let create = post("/hotels").body::<Hotel>().status(201).returns::<Hotel>();
    Api::new("Mounted")
        .formats([Format::Json, Format::Cbor])
        .serve(find.to(|id| async move { Hotel { id } }))
        .serve(create.to(|hotel| async move { hotel }))
        .build()
        .expect("a valid API")
}

async fn content<B: http_body::Body>(response: Response<B>) -> (StatusCode, Bytes)
where
    B::Error: std::fmt::Debug,
{
    let status = response.status();
    (status, response.into_body().collect().await.expect("a body").to_bytes())
}

async fn send(app: &Router, method: &str, path: &str, accept: &str) -> (StatusCode, Bytes) {
    let request = Request::builder().method(method).uri(path).header("accept", accept);
    let request = request.body(Body::empty()).expect("a request");
    content(app.clone().oneshot(request).await.expect("infallible")).await
}

#[tokio::test]
async fn mounts_in_axum() {
    let app = Router::new()
        .route("/own", axum_get(|| async { "axum's own" }))
        .nest_service("/api", service());
    assert_eq!(send(&app, "GET", "/own", "*/*").await.1, "axum's own");
    assert_eq!(send(&app, "GET", "/api/hotels/7", "*/*").await.1, r#"{"id":7}"#);
    let cbor = send(&app, "GET", "/api/hotels/7", "application/cbor").await;
    assert_eq!(cbor.1, [0xA1, 0x62, b'i', b'd', 7][..]);
    for (method, path, accept, status) in [
        ("GET", "/api/hotels/x", "*/*", 422),
        ("GET", "/api/hotels/7", "text/html", 406),
        ("PUT", "/api/hotels", "*/*", 405),
        ("GET", "/api/nothing", "*/*", 404),
        ("POST", "/api/hotels", "*/*", 415),
    ] {
        let (found, body) = send(&app, method, path, accept).await;
        assert_eq!(found, status, "{method} {path}");
        assert!(body.starts_with(b"{\"type\":"), "{method} {path}: {body:?}");
    }
}

/// axum adds `Content-Length` to each response whose body has a known size.
#[tokio::test]
async fn a_response_with_204_has_no_length() {
    let cancel = delete("/hotels/{id}").path::<u64>();
    let service = Api::new("Mounted").serve(cancel.to(|_| async {})).build();
    let app: Router = Router::new().nest_service("/api", service.expect("a valid API"));
    for method in [Method::DELETE, Method::OPTIONS] {
        let request = Request::builder().method(&method).uri("/api/hotels/7");
        let request = request.body(Body::empty()).expect("a request");
        let response = app.clone().oneshot(request).await.expect("infallible");
        assert_eq!(response.status(), 204, "{method}");
        assert!(!response.headers().contains_key("content-length"), "{method}");
    }
}

#[tokio::test]
async fn a_redirect_keeps_the_prefix() {
    let find = get("/hotels/{id}").path::<u64>().returns::<Hotel>();
    let api = Api::new("Mounted").trailing_slash(TrailingSlash::Redirect);
    let service = api.serve(find.to(|id| async move { Hotel { id } })).build();
    let app: Router = Router::new().nest_service("/api", service.expect("a valid API"));
    let request = Request::get("/api/hotels/7/").body(Body::empty()).expect("a request");
    let response = app.oneshot(request).await.expect("infallible");
    assert_eq!(response.status(), 308);
    // Relative to /api/hotels/7/.
    assert_eq!(response.headers()["location"], "../7");
}

#[tokio::test]
async fn serves_as_the_fallback_of_axum() {
    let app = Router::new()
        .route("/own", axum_get(|| async { "axum's own" }))
        .fallback_service(service());
    assert_eq!(send(&app, "GET", "/own", "*/*").await.1, "axum's own");
    assert_eq!(send(&app, "GET", "/hotels/7", "*/*").await.1, r#"{"id":7}"#);
    assert_eq!(send(&app, "GET", "/other", "*/*").await.0, 404);
}

#[tokio::test]
async fn accepts_tower_layers() {
    let name = HeaderName::from_static("x-served-by");
    let stack = ServiceBuilder::new()
        .layer(CorsLayer::permissive())
        .layer(SetResponseHeaderLayer::overriding(name, HeaderValue::from_static("manywire")))
        .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, Duration::from_secs(20)))
        .layer(RequestBodyLimitLayer::new(20))
        .service(service());
    let post = |body: &'static str| {
        let request = Request::builder().method(Method::POST).uri("/hotels");
        let request =
            request.header("content-type", "application/json").header("origin", "http://a");
        request.body(Body::from_stream(Pieces(body.as_bytes().chunks(7)))).expect("a request")
    };
    let response: Result<_, Infallible> = stack.clone().oneshot(post(r#"{"id":8}"#)).await;
    let response = response.expect("infallible");
    assert_eq!(response.headers()["x-served-by"], "manywire");
    assert_eq!(response.headers()["access-control-allow-origin"], "*");
    assert_eq!(content(response).await, (StatusCode::CREATED, Bytes::from_static(b"{\"id\":8}")));
    // A body that a layer aborts is reported like a lost connection.
    let long = stack.oneshot(post(r#"{"id":8,"and":"so on and on and on"}"#)).await;
    assert_eq!(content(long.expect("infallible")).await.0, StatusCode::BAD_REQUEST);
}

/// A body without a size hint.
struct Pieces(std::slice::Chunks<'static, u8>);

impl futures_core::Stream for Pieces {
    type Item = Result<&'static [u8], Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(self.0.next().map(Ok))
    }
}
