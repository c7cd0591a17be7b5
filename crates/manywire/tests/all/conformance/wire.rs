//! Handwritten HTTP/1.1: the code under test must not test itself.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::rows::{TestRequest, TestResponse};

/// Exchanges one request and response on a connection, which stays open.
pub(crate) async fn exchange(stream: &mut TcpStream, request: &TestRequest) -> TestResponse {
    let mut head = format!("{} {} HTTP/1.1\r\nhost: localhost\r\n", request.method, request.path);
    for (name, value) in &request.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if request.method == "POST" {
        head.push_str(&format!("content-length: {}\r\n", request.body.len()));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await.expect("the head is sent");
    // A server that refuses a body may close the connection before the body is sent.
    drop(stream.write_all(&request.body).await);
    answer(stream, request.method == "HEAD").await
}

/// Reads one response by its Content-Length.
pub(crate) async fn answer(stream: &mut TcpStream, is_head: bool) -> TestResponse {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        assert_ne!(
            stream.read_buf(&mut bytes).await.expect("an answer"),
            0,
            "an incomplete head: {bytes:?}"
        );
    };
    let head = std::str::from_utf8(&bytes[..end]).expect("text");
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status line");
    let status = status.parse::<StatusCode>().expect("a status");
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        let name: HeaderName = name.parse().expect("a name");
        headers.append(name, HeaderValue::from_str(value).expect("a value"));
    }
    assert!(!headers.contains_key("transfer-encoding"), "a response without a length: {head}");
    let length = headers
        .get("content-length")
        .map_or(0, |length| length.to_str().expect("digits").parse::<usize>().expect("a number"));
    let length = if is_head || status == StatusCode::NO_CONTENT { 0 } else { length };
    while bytes.len() < end + length {
        assert_ne!(
            stream.read_buf(&mut bytes).await.expect("a body"),
            0,
            "the connection closed before the end of the body"
        );
    }
    assert_eq!(bytes.len(), end + length, "nothing follows the answer");
    TestResponse { status, headers, body: Bytes::from(bytes.split_off(end)) }
}
