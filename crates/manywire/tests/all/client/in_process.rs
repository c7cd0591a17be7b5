//! Calls of a service in the same process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::routing::get as axum_get;
use manywire::content::{Framing, Items, Raw, Text};
use manywire::security::{Secret, bearer};
use manywire::{
    Api, CallError, Client, Endpoint, Format, Method, Problem, Reply, Shaped, StatusCode, get, post,
};
use serde::{Deserialize, Serialize};
use tower_http::cors::CorsLayer;

use super::service::{HotelError, find, hotel, service, sum};

#[tokio::test]
async fn calls_a_service_in_every_format() {
    let client = Client::of(service(&Format::ALL));
    for format in Format::ALL {
        let client = client.clone().formats([format]);
        assert_eq!(client.call(&find(), 7).await.expect("a hotel"), hotel(7), "{format}");
        match client.call(&find(), 0).await {
            Err(CallError::Failed(HotelError::NotFound(_))) => {}
            other => panic!("{format}: {other:?}"),
        }
        if Framing::of(format).next().is_some() {
            let total = client.call(&sum(), Items::from_values(0..1_000)).await.expect("a sum");
            assert_eq!(total, "499500", "{format}");
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Line {
    text: String,
}

#[tokio::test]
async fn streams_and_codes_as_over_a_connection() {
    let double = post("/double").body::<Items<u32>>().returns::<Items<u32>>();
    let lines = get("/lines").returns::<Vec<Line>>();
    let host = get("/host").header::<String>("host").returns::<Text>();
    let service = Api::new("Streams")
        .formats([Format::Json, Format::Cbor])
        .serve(double.clone().to(|mut items: Items<u32>| async move {
            let mut doubled = Vec::new();
            while let Some(item) = items.next().await {
                doubled.push(item? * 2);
            }
            Ok::<_, Problem>(Items::from_values(doubled))
        }))
        .serve(lines.clone().to(|| async { vec![Line { text: "x".repeat(9) }; 1_000] }))
        .serve(host.to(|host| async move { host }))
        .build()
        .expect("a valid API");
    let client = Client::of(service.layer(CorsLayer::permissive()));
    let mut doubled = client.call(&double, Items::from_values(0..1_000)).await.expect("a stream");
    let mut count = 0;
    while let Some(item) = doubled.next().await {
        assert_eq!(item.expect("a number"), count * 2);
        count += 1;
    }
    assert_eq!(count, 1_000);
    let fetched = client.fetch(&lines, ()).await.expect("lines");
    assert_eq!(fetched.headers()["content-encoding"], "zstd");
    assert_eq!(fetched.headers()["access-control-allow-origin"], "*");
    assert_eq!(fetched.value().len(), 1_000);
    // A response to HEAD names the coding of content that it does not have.
    let head = client.fetch(&Endpoint::new(Method::HEAD, "/lines"), ()).await.expect("a head");
    assert_eq!(head.headers()["content-encoding"], "zstd");
    let host = get("/host").returns::<Text>();
    assert_eq!(client.call(&host, ()).await.expect("a host"), "localhost");
}

#[tokio::test]
async fn learns_formats_retries_and_authenticates() {
    let echo = post("/echo").body::<Line>().returns::<Line>();
    let attempts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&attempts);
    let busy = get("/busy").returns::<Text>().to(move || {
        let first = counted.fetch_add(1, Ordering::Relaxed) == 0;
        async move {
            let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE);
            if first { Err(problem.with_field("retry-after", &0)) } else { Ok("free".to_owned()) }
        }
    });
    let secret = get("/secret").secured(bearer(), |token: Secret| async move {
        if token.matches("t") { Ok(()) } else { Err(Problem::new(StatusCode::UNAUTHORIZED)) }
    });
    let secret = secret.returns::<Raw>();
    let service = Api::new("Echo")
        .formats([Format::Cbor])
        .serve(echo.clone().to(|line| async move { Reply::new(line) }))
        .serve(busy)
        .serve(secret.clone().to(|()| async { bytes::Bytes::from_static(b"raw") }))
        .build()
        .expect("a valid API");
    let client = Client::of(service).formats([Format::Json, Format::Cbor]);
    let line = Line { text: "a".to_owned() };
    assert_eq!(client.call(&echo, line.clone()).await.expect("a line"), line);
    assert_eq!(client.learned(), Some(Format::Cbor.into()));
    assert_eq!(client.call(&get("/busy").returns::<Text>(), ()).await.expect("text"), "free");
    let authenticated = client.credentials(&bearer(), Secret::new("t")).expect("credentials");
    assert_eq!(authenticated.call(&secret, ()).await.expect("bytes"), "raw");
}

#[tokio::test]
async fn follows_links_of_its_server_only() {
    let client = Client::of(service(&[Format::Json]));
    for link in ["/hotels/7", "//localhost/hotels/7", "http://localhost/hotels/7"] {
        let fetched = client.follow(&find(), link).await.expect(link);
        assert_eq!(*fetched.value(), hotel(7), "{link}");
    }
    for link in ["hotels/7", "//elsewhere/hotels/7", "http://elsewhere/hotels/7"] {
        let error = client.follow(&find(), link).await.expect_err(link);
        assert!(matches!(error, CallError::Arguments(_)), "{link}: {error}");
    }
}

/// A coding of nothing: a layer may add the field to every response.
#[tokio::test]
async fn a_status_without_content_needs_none_in_its_coding() {
    for status in [StatusCode::NO_CONTENT, StatusCode::RESET_CONTENT] {
        let respond = move || async move { (status, [("content-encoding", "gzip")]) };
        let client = Client::of(Router::new().route("/reset", axum_get(respond)));
        let fetched = client.fetch(&get("/reset"), ()).await.expect("no content");
        assert_eq!(fetched.status(), status);
    }
}

#[tokio::test]
async fn calls_a_router_of_axum() {
    let client = Client::of(Router::new().route("/hello", axum_get(|| async { "hello" })));
    let hello = get("/hello").returns::<Text>();
    assert_eq!(client.call(&hello, ()).await.expect("text"), "hello");
}
