//! What is counted, and that clients cannot make it more.

use std::future::Future;
use std::task::{Context, Waker};

use tower::Service as _;

use super::service::{ask, requests, samples, service, value};

const WORDS: &[u8] = b"[\"a\",\"b\"]";
const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn requests_are_counted_by_route_status_format_and_coding() {
    let service = service();
    for id in 0..10 {
        ask(&service, "GET", &format!("/items/{id}"), &[], b"").await;
    }
    ask(&service, "HEAD", "/items/1", &[], b"").await;
    ask(&service, "GET", "/items/1", &[("accept", "application/vnd.msgpack")], b"").await;
    let wrong = ask(&service, "GET", "/items/x", &[], b"").await.status;
    assert!(wrong.is_client_error(), "{wrong}");
    ask(&service, "GET", "/text", &[], b"").await;
    let found = samples(&service).await;
    for (labels, count) in [
        (["GET", "/items/{id}", "200", "json", "identity"], 9.0),
        (["HEAD", "/items/{id}", "200", "json", "identity"], 1.0),
        (["GET", "/items/{id}", "200", "msgpack", "identity"], 1.0),
        (["GET", "/items/{id}", "404", "json", "identity"], 1.0),
        (["GET", "/items/{id}", wrong.as_str(), "json", "identity"], 1.0),
        (["GET", "/text", "200", "text", "identity"], 1.0),
    ] {
        assert_eq!(requests(&found, labels), count, "{labels:?}");
    }
    let labels = "method=\"GET\",route=\"/items/{id}\"";
    assert_eq!(value(&found, "http_server_request_duration_seconds_count", labels), 13.0);
    let last = format!("{labels},le=\"+Inf\"");
    assert_eq!(value(&found, "http_server_request_duration_seconds_bucket", &last), 13.0);
    let sum = value(&found, "http_server_request_duration_seconds_sum", labels);
    assert!(sum > 0.0 && sum < 10.0, "{sum}");
}

#[tokio::test]
async fn bytes_are_counted_both_ways_and_of_streams_too() {
    let service = service();
    let answer = ask(&service, "POST", "/words", &[JSON], WORDS).await;
    assert_eq!(answer.body, WORDS);
    let stream = ask(&service, "GET", "/stream", &[], b"").await.body.len();
    let lines = ("content-type", "application/x-ndjson");
    assert_eq!(ask(&service, "POST", "/sum", &[lines], b"1\n2\n3\n").await.body, "6");
    let found = samples(&service).await;
    let bytes = |direction: &str, method: &str, route: &str| {
        let labels = format!("method=\"{method}\",route=\"{route}\"");
        value(&found, &format!("http_server_{direction}_body_bytes_total"), &labels)
    };
    assert_eq!(bytes("request", "POST", "/words"), WORDS.len() as f64);
    assert_eq!(bytes("response", "POST", "/words"), WORDS.len() as f64);
    assert_eq!(bytes("response", "GET", "/stream"), stream as f64);
    assert_eq!(bytes("request", "POST", "/sum"), 6.0);
}

#[tokio::test]
async fn a_failed_negotiation_names_the_field() {
    let service = service();
    let html = ("accept", "text/html");
    assert_eq!(ask(&service, "GET", "/items/1", &[html], b"").await.status, 406);
    let none = ("accept-encoding", "identity;q=0, *;q=0");
    assert_eq!(ask(&service, "GET", "/items/1", &[none], b"").await.status, 406);
    let text = ("content-type", "text/plain");
    assert_eq!(ask(&service, "POST", "/words", &[text], WORDS).await.status, 415);
    let odd = ("content-type", "application/json;charset=klingon");
    assert_eq!(ask(&service, "POST", "/words", &[odd], WORDS).await.status, 415);
    let packed = ("content-encoding", "compress");
    assert_eq!(ask(&service, "POST", "/words", &[JSON, packed], WORDS).await.status, 415);
    let found = samples(&service).await;
    let failures = |method: &str, route: &str, field: &str| {
        let labels = format!("method=\"{method}\",route=\"{route}\",field=\"{field}\"");
        value(&found, "http_server_negotiation_failures_total", &labels)
    };
    assert_eq!(failures("GET", "/items/{id}", "accept"), 1.0);
    assert_eq!(failures("GET", "/items/{id}", "accept-encoding"), 1.0);
    assert_eq!(failures("POST", "/words", "content-type"), 2.0);
    assert_eq!(failures("POST", "/words", "content-encoding"), 1.0);
    assert_eq!(requests(&found, ["GET", "/items/{id}", "406", "json", "identity"]), 2.0);
}

#[tokio::test]
async fn nothing_that_clients_make_up_makes_a_series() {
    let service = service();
    ask(&service, "GET", "/items/1", &[], b"").await;
    ask(&service, "MADE", "/nothing", &[], b"").await;
    ask(&service, "MADE", "/items/1", &[], b"").await;
    let before = samples(&service).await.len();
    for index in 0..1_000 {
        ask(&service, &format!("MADE{index}"), &format!("/nothing/{index}"), &[], b"").await;
        ask(&service, &format!("UP{index}"), "/items/1", &[], b"").await;
        ask(&service, "GET", &format!("/items/{}", index + 1), &[], b"").await;
    }
    let found = samples(&service).await;
    // The scrape before is answered by now, and has a series of its own.
    assert_eq!(found.len(), before + 1);
    assert_eq!(requests(&found, ["other", "", "404", "json", "identity"]), 1_001.0);
    assert_eq!(requests(&found, ["other", "", "405", "json", "identity"]), 1_001.0);
}

#[tokio::test]
async fn what_is_at_work_and_what_was_given_up_is_counted() {
    let service = service();
    let request = http::Request::get("/never").body(http_body_util::Empty::<bytes::Bytes>::new());
    let mut answering = Box::pin(service.clone().call(request.expect("a request")));
    let mut context = Context::from_waker(Waker::noop());
    assert!(answering.as_mut().poll(&mut context).is_pending());
    // The scrape itself is at work, too.
    assert_eq!(value(&samples(&service).await, "http_server_active_requests", ""), 2.0);
    drop(answering);
    let found = samples(&service).await;
    assert_eq!(value(&found, "http_server_active_requests", ""), 1.0);
    assert_eq!(requests(&found, ["GET", "/never", "aborted", "", "identity"]), 1.0);
}
