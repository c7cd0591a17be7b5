//! Metrics of requests, in which clients cannot create series.

use std::future::Future;
use std::task::{Context, Waker};

use tower::Service as _;

use super::service::{requests, samples, send, service, value};

const WORDS: &[u8] = b"[\"a\",\"b\"]";
const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn counts_requests_by_route_status_format_and_coding() {
    let service = service();
    for id in 0..10 {
        send(&service, "GET", &format!("/items/{id}"), &[], b"").await;
    }
    send(&service, "HEAD", "/items/1", &[], b"").await;
    send(&service, "GET", "/items/1", &[("accept", "application/vnd.msgpack")], b"").await;
    let wrong = send(&service, "GET", "/items/x", &[], b"").await.status;
    assert!(wrong.is_client_error(), "{wrong}");
    send(&service, "GET", "/text", &[], b"").await;
    let samples_after = samples(&service).await;
    for (labels, count) in [
        (["GET", "/items/{id}", "200", "json", "identity"], 9.0),
        (["HEAD", "/items/{id}", "200", "json", "identity"], 1.0),
        (["GET", "/items/{id}", "200", "msgpack", "identity"], 1.0),
        (["GET", "/items/{id}", "404", "json", "identity"], 1.0),
        (["GET", "/items/{id}", wrong.as_str(), "json", "identity"], 1.0),
        (["GET", "/text", "200", "text", "identity"], 1.0),
    ] {
        assert_eq!(requests(&samples_after, labels), count, "{labels:?}");
    }
    let labels = "method=\"GET\",route=\"/items/{id}\"";
    assert_eq!(value(&samples_after, "http_server_request_duration_seconds_count", labels), 13.0);
    let last = format!("{labels},le=\"+Inf\"");
    assert_eq!(value(&samples_after, "http_server_request_duration_seconds_bucket", &last), 13.0);
    let sum = value(&samples_after, "http_server_request_duration_seconds_sum", labels);
    assert!(sum > 0.0 && sum < 10.0, "{sum}");
}

#[tokio::test]
async fn counts_bytes_both_ways_including_streams() {
    let service = service();
    let answer = send(&service, "POST", "/words", &[JSON], WORDS).await;
    assert_eq!(answer.body, WORDS);
    let stream = send(&service, "GET", "/stream", &[], b"").await.body.len();
    let lines = ("content-type", "application/x-ndjson");
    assert_eq!(send(&service, "POST", "/sum", &[lines], b"1\n2\n3\n").await.body, "6");
    let samples_after = samples(&service).await;
    let bytes = |direction: &str, method: &str, route: &str| {
        let labels = format!("method=\"{method}\",route=\"{route}\"");
        value(&samples_after, &format!("http_server_{direction}_body_bytes_total"), &labels)
    };
    assert_eq!(bytes("request", "POST", "/words"), WORDS.len() as f64);
    assert_eq!(bytes("response", "POST", "/words"), WORDS.len() as f64);
    assert_eq!(bytes("response", "GET", "/stream"), stream as f64);
    assert_eq!(bytes("request", "POST", "/sum"), 6.0);
}

#[tokio::test]
async fn counts_failed_negotiation_by_field() {
    let service = service();
    let html = ("accept", "text/html");
    assert_eq!(send(&service, "GET", "/items/1", &[html], b"").await.status, 406);
    let none = ("accept-encoding", "identity;q=0, *;q=0");
    assert_eq!(send(&service, "GET", "/items/1", &[none], b"").await.status, 406);
    let text = ("content-type", "text/plain");
    assert_eq!(send(&service, "POST", "/words", &[text], WORDS).await.status, 415);
    let odd = ("content-type", "application/json;charset=klingon");
    assert_eq!(send(&service, "POST", "/words", &[odd], WORDS).await.status, 415);
    let packed = ("content-encoding", "compress");
    assert_eq!(send(&service, "POST", "/words", &[JSON, packed], WORDS).await.status, 415);
    let samples_after = samples(&service).await;
    let failures = |method: &str, route: &str, field: &str| {
        let labels = format!("method=\"{method}\",route=\"{route}\",field=\"{field}\"");
        value(&samples_after, "http_server_negotiation_failures_total", &labels)
    };
    assert_eq!(failures("GET", "/items/{id}", "accept"), 1.0);
    assert_eq!(failures("GET", "/items/{id}", "accept-encoding"), 1.0);
    assert_eq!(failures("POST", "/words", "content-type"), 2.0);
    assert_eq!(failures("POST", "/words", "content-encoding"), 1.0);
    assert_eq!(requests(&samples_after, ["GET", "/items/{id}", "406", "json", "identity"]), 2.0);
}

#[tokio::test]
async fn clients_cannot_create_series() {
    let service = service();
    send(&service, "GET", "/items/1", &[], b"").await;
    send(&service, "MADE", "/nothing", &[], b"").await;
    send(&service, "MADE", "/items/1", &[], b"").await;
    let before = samples(&service).await.len();
    for index in 0..1_000 {
        send(&service, &format!("MADE{index}"), &format!("/nothing/{index}"), &[], b"").await;
        send(&service, &format!("UP{index}"), "/items/1", &[], b"").await;
        send(&service, "GET", &format!("/items/{}", index + 1), &[], b"").await;
    }
    let samples_after = samples(&service).await;
    // The earlier scrape is counted now, in a separate series.
    assert_eq!(samples_after.len(), before + 1);
    assert_eq!(requests(&samples_after, ["other", "", "404", "json", "identity"]), 1_001.0);
    assert_eq!(requests(&samples_after, ["other", "", "405", "json", "identity"]), 1_001.0);
}

#[tokio::test]
async fn counts_active_and_aborted_requests() {
    let service = service();
    let request = http::Request::get("/never").body(http_body_util::Empty::<bytes::Bytes>::new());
    let mut answering = Box::pin(service.clone().call(request.expect("a request")));
    let mut context = Context::from_waker(Waker::noop());
    assert!(answering.as_mut().poll(&mut context).is_pending());
    // The scrape itself is active, too.
    assert_eq!(value(&samples(&service).await, "http_server_active_requests", ""), 2.0);
    drop(answering);
    let samples_after = samples(&service).await;
    assert_eq!(value(&samples_after, "http_server_active_requests", ""), 1.0);
    assert_eq!(requests(&samples_after, ["GET", "/never", "aborted", "", "identity"]), 1.0);
}
