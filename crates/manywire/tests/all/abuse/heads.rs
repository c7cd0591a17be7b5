//! Request heads that are too large, too slow or never arrive.

use std::time::{Duration, Instant};

use bytes::Bytes;
use manywire::content::{Raw, RawStream, Text};
use manywire::{Api, Limits, get, post};
use tokio::io::AsyncWriteExt;

use super::server::{SHORT, closes, connect, impatient, read, send, serves_others, serving};
use crate::support::{PATIENCE, listening};

#[tokio::test]
async fn refuses_oversized_heads() {
    let address = serving(Limits::DEFAULT).await;
    let one = format!("GET /x HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "y".repeat(20 << 10));
    let many = format!("GET /x HTTP/1.1\r\nhost: a\r\n{}\r\n", "x: y\r\n".repeat(1_000));
    let more = format!("GET /x HTTP/1.1\r\nhost: a\r\n{}\r\n", "x: y\r\n".repeat(100_000));
    let line = format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "y".repeat(100 << 10));
    let endless = "y".repeat(1 << 20);
    for (head, statuses) in [
        (&one, &["431"][..]),
        (&many, &["431"]),
        (&more, &["431"]),
        (&line, &["414", "431"]),
        (&endless, &["400", "414", "431"]),
    ] {
        let received = send(address, head.as_bytes()).await;
        let found = received.statuses();
        assert!(found.len() <= 1 && found.iter().all(|it| statuses.contains(it)), "{received:?}");
        assert!(received.closed, "{received:?}");
    }
    serves_others(address).await;
}

/// hyper refuses these heads itself, before the service is called.
#[tokio::test]
async fn sends_problems_for_heads_that_cannot_be_parsed() {
    let address = serving(Limits::DEFAULT.with_header_fields(20)).await;
    let many = format!("GET /x HTTP/1.1\r\nhost: a\r\n{}\r\n", "x: y\r\n".repeat(20));
    let fields = "expected at most 20 header fields in at most 16384 bytes";
    for (head, status, detail) in [
        ("G(T /x HTTP/1.1\r\nhost: a\r\n\r\n", "400", "the request is not valid HTTP"),
        (&many, "431", fields),
    ] {
        let received = send(address, head.as_bytes()).await;
        assert_eq!(received.statuses(), [status], "{received:?}");
        let (head, body) = received.text.split_once("\r\n\r\n").expect("a head and a body");
        assert!(head.contains("content-type: application/problem+json"), "{received:?}");
        assert!(head.contains(&format!("content-length: {}", body.len())), "{received:?}");
        let problem: serde_json::Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(problem["status"].to_string(), status);
        assert_eq!(problem["detail"], detail);
        assert!(received.closed, "{received:?}");
    }
    let few = format!("GET /x HTTP/1.1\r\nhost: a\r\n{}\r\n", "x: y\r\n".repeat(19));
    assert_eq!(send(address, few.as_bytes()).await.statuses(), ["200"]);
}

#[tokio::test]
async fn closes_a_connection_with_an_unfinished_head() {
    let address = impatient().await;
    for connected in
        ["", "P", "PRI * HTTP/2.0\r\n", "G", "GET /x HTTP/1.1\r\n", "GET /x HTTP/1.1\r\nhost:"]
    {
        let mut stream = connect(address).await;
        stream.write_all(connected.as_bytes()).await.expect("sent");
        let took = closes(&mut stream).await;
        assert!(took >= SHORT / 2 && took < PATIENCE / 2, "{connected:?}: {took:?}");
    }
}

#[tokio::test]
async fn closes_a_connection_with_a_dripping_head() {
    let address = impatient().await;
    let mut stream = connect(address).await;
    stream.write_all(b"GET /x HTTP/1.1\r\nhost: a\r\nx: ").await.expect("sent");
    // Each byte arrives in time, but the whole head does not.
    let mut sent = 0;
    while sent < 200 && stream.write_all(b"y").await.is_ok() {
        sent += 1;
        tokio::time::sleep(SHORT / 10).await;
    }
    assert!(sent < 100, "{sent} bytes in {:?}", SHORT / 10 * sent);
}

#[tokio::test]
async fn closes_an_idle_connection() {
    let address = impatient().await;
    let mut stream = connect(address).await;
    stream.write_all(b"GET /first HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    let received = read(&mut stream, PATIENCE).await;
    assert!(received.closed && received.text.ends_with("first"), "{received:?}");
}

/// The head timeout restarts with each request, although the underlying timer is registered only
/// once.
#[tokio::test]
async fn keeps_an_active_connection_beyond_the_head_timeout() {
    const TIME: Duration = Duration::from_secs(1);
    let address = serving(Limits::DEFAULT.with_header_timeout(TIME)).await;
    let mut stream = connect(address).await;
    let connected = Instant::now();
    while connected.elapsed() < TIME * 5 / 2 {
        stream.write_all(b"GET /again HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
        let received = read(&mut stream, TIME / 20).await;
        assert!(
            !received.closed && received.text.ends_with("again"),
            "{:?}: {received:?}",
            connected.elapsed()
        );
    }
    let silent = closes(&mut stream).await;
    assert!(silent > TIME * 3 / 4, "closed after {silent:?}");
}

/// The limit applies while a connection waits for a head. It does not apply to a handler, to a body
/// that a client sends slowly, or to a body that a task still reads after the response.
#[tokio::test]
async fn applies_the_head_timeout_to_heads_alone() {
    const TIME: Duration = Duration::from_millis(600);
    let work = get("/work").returns::<Text>();
    let whole = post("/whole").body::<Raw>().returns::<Text>();
    let kept = post("/kept").body::<RawStream>().returns::<Text>();
    let address = listening(
        Api::new("Slow")
            .limits(Limits::DEFAULT.with_header_timeout(TIME))
            .serve(work.to(|| async {
                tokio::time::sleep(TIME * 2).await;
                "worked".to_owned()
            }))
            .serve(whole.to(|body: Bytes| async move { format!("read {}", body.len()) }))
            .serve(kept.to(|mut body| async move {
                tokio::spawn(async move { while let Some(Ok(_)) = body.next().await {} });
                "kept".to_owned()
            }))
            .build()
            .expect("a valid API"),
    )
    .await;
    let with_body = "content-type: application/octet-stream\r\ncontent-length: 3\r\n\r\n";
    for (request, body, expected) in [
        ("GET /work HTTP/1.1\r\nhost: a\r\n\r\n".to_owned(), &b""[..], "worked"),
        (format!("POST /whole HTTP/1.1\r\nhost: a\r\n{with_body}"), b"abc", "read 3"),
        (format!("POST /kept HTTP/1.1\r\nhost: a\r\n{with_body}"), b"abc", "kept"),
    ] {
        let mut stream = connect(address).await;
        // The limit counts again for the head after each of two requests.
        for _ in 0..2 {
            stream.write_all(request.as_bytes()).await.expect("sent");
            for byte in body {
                tokio::time::sleep(TIME * 2 / 3).await;
                stream.write_all(&[*byte]).await.expect("sent");
            }
            let received = read(&mut stream, TIME / 6).await;
            assert!(!received.closed && received.text.ends_with(expected), "{received:?}");
        }
        let silent = closes(&mut stream).await;
        assert!(silent > TIME / 2, "closed after {silent:?}");
    }
}

#[tokio::test]
async fn accepts_connections_after_silent_ones_time_out() {
    let limits = Limits::DEFAULT.with_header_timeout(SHORT).with_connections(20);
    let address = serving(limits).await;
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(connect(address).await);
    }
    // All connections are in use. They are free again when their timeouts end.
    let request = async {
        let mut stream = connect(address).await;
        let request = b"GET /late HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.expect("sent");
        read(&mut stream, PATIENCE).await
    };
    let received = tokio::time::timeout(PATIENCE, request).await.expect("an answer");
    assert!(received.text.ends_with("late"), "{received:?}");
    drop(silent);
}
