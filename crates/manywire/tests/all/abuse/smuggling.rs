//! Requests that two servers in a row could split at different places (RFC 9112, section 11.2).

use manywire::Limits;

use super::server::{send, serves_others, serving};

/// A second request, which must never be found inside the first.
const SMUGGLED: &str = "GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n";

const HEAD: &str = "POST /tree HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n";

#[tokio::test]
async fn closes_the_connection_after_ambiguous_lengths() {
    let address = serving(Limits::DEFAULT).await;
    for fields in [
        "content-length: 5\r\ncontent-length: 6\r\n",
        "content-length: 5, 6\r\n",
        "content-length: +5\r\n",
        "content-length: -5\r\n",
        "content-length: 0x5\r\n",
        "content-length: 5 5\r\n",
        "content-length:\r\n",
        "content-length: 99999999999999999999999\r\n",
        "content-length : 5\r\n",
        "content-length\t: 5\r\n",
        "transfer-encoding: identity, chunked, identity\r\n",
        "transfer-encoding: xchunked\r\n",
        "transfer-encoding: chunked, gzip\r\n",
        "transfer-encoding : chunked\r\n",
        "transfer-encoding:\x0bchunked\r\n",
        "content-length: 5\r\n transfer-encoding: chunked\r\n",
        "x: y\r\n\tcontent-length: 5\r\n",
        "x\0: y\r\ncontent-length: 5\r\n",
        "x: y\0\r\ncontent-length: 5\r\n",
        "x: y\rcontent-length: 5\r\n",
        "(x): y\r\ncontent-length: 5\r\n",
        ": y\r\ncontent-length: 5\r\n",
    ] {
        let request = format!("{HEAD}{fields}\r\n0\r\n\r\n{SMUGGLED}");
        let received = send(address, request.as_bytes()).await;
        assert!(!received.text.contains("smuggled"), "{fields:?}: {received:?}");
        let statuses = received.statuses();
        assert!(statuses.iter().all(|status| status.starts_with('4')), "{fields:?}: {received:?}");
        assert!(received.closed, "{fields:?}: {received:?}");
    }
    serves_others(address).await;
}

#[tokio::test]
async fn prefers_chunked_encoding_over_content_length() {
    let address = serving(Limits::DEFAULT).await;
    // RFC 9112, section 6.3, gives chunked encoding precedence, and section 6.1 requires closing
    // the connection after the response: the following bytes may be meant as another request or as
    // the rest of this one.
    for lengths in [
        "content-length: 3\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 3\r\n",
        "content-length: 400\r\ntransfer-encoding: chunked\r\n",
    ] {
        let body = "f\r\n{\"children\":[]}\r\n0\r\n\r\n";
        let request = format!("{HEAD}{lengths}\r\n{body}{SMUGGLED}");
        let received = send(address, request.as_bytes()).await;
        assert_eq!(received.statuses(), ["200"], "{lengths:?}: {received:?}");
        assert!(
            received.closed && !received.text.contains("smuggled"),
            "{lengths:?}: {received:?}"
        );
    }
}

#[tokio::test]
async fn closes_the_connection_after_invalid_chunks() {
    let address = serving(Limits::DEFAULT).await;
    let head = format!("{HEAD}transfer-encoding: chunked\r\n\r\n");
    let endless = format!("f;{}", "x".repeat(64 << 10));
    let trailer = format!("f\r\n{{\"children\":[]}}\r\n0\r\n{}", "x: y\r\n".repeat(10_000));
    for chunks in [
        "ffffffffffffffff1\r\n",
        "10000000000000000\r\n",
        "-1\r\n",
        "+f\r\n{\"children\":[]}\r\n0\r\n\r\n",
        "0xf\r\n{\"children\":[]}\r\n0\r\n\r\n",
        "g\r\n",
        "\r\n{\"children\":[]}\r\n0\r\n\r\n",
        "e\r\n{\"children\":[]}\r\n0\r\n\r\n",
        "f\r\n{\"children\":[]}0\r\n\r\n",
        "f\r\n{\"children\":[]}\r\nf",
        &endless,
        &trailer,
    ] {
        let received = send(address, format!("{head}{chunks}{SMUGGLED}").as_bytes()).await;
        assert!(!received.text.contains("smuggled"), "{:.40?}: {received:?}", chunks);
        let statuses = received.statuses();
        assert!(
            statuses.iter().all(|status| status.starts_with('4')),
            "{:.40?}: {received:?}",
            chunks
        );
        // The server waits for bytes that may still become a chunk.
        assert!(received.closed || chunks.ends_with('f'), "{:.40?}: {received:?}", chunks);
    }
    serves_others(address).await;
}

#[tokio::test]
async fn ignores_trailers() {
    let address = serving(Limits::DEFAULT).await;
    let trailers = "content-length: 100\r\nhost: b\r\ntransfer-encoding: chunked\r\n";
    let body = format!("f\r\n{{\"children\":[]}}\r\n0\r\n{trailers}\r\n");
    let request = format!("{HEAD}transfer-encoding: chunked\r\n\r\n{body}{SMUGGLED}");
    let received = send(address, request.as_bytes()).await;
    assert_eq!(received.statuses(), ["200", "200"], "{received:?}");
    assert!(received.text.ends_with("smuggled"), "the next request is separate: {received:?}");
}

/// hyper decodes every list of codings whose last is `chunked`, and would leave the others in the
/// body.
#[tokio::test]
async fn refuses_transfer_codings_other_than_chunked_before_the_body() {
    let address = serving(Limits::DEFAULT).await;
    let chunked = "transfer-encoding: chunked\r\n";
    for (fields, status) in [
        ("transfer-encoding: gzip, chunked\r\n".to_owned(), "501"),
        ("transfer-encoding: x, chunked\r\n".to_owned(), "501"),
        ("transfer-encoding: identity, chunked\r\n".to_owned(), "501"),
        ("transfer-encoding: chunked;x=y, chunked\r\n".to_owned(), "501"),
        (format!("transfer-encoding: gzip\r\n{chunked}"), "501"),
        ("transfer-encoding: chunked, chunked\r\n".to_owned(), "400"),
        (format!("{chunked}{chunked}"), "400"),
        ("transfer-encoding: , chunked\r\n".to_owned(), "400"),
        (format!("content-length: 5\r\n{chunked}{chunked}"), "400"),
    ] {
        // On an endpoint with a body, on one without, and on a path without an endpoint.
        for target in ["POST /tree", "GET /name", "POST /no/where"] {
            let head = format!(
                "{target} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n\
                 expect: 100-continue\r\n{fields}\r\n"
            );
            // Without the body: a server that read it would wait.
            let received = send(address, head.as_bytes()).await;
            assert_eq!(received.statuses(), [status], "{target} {fields:?}: {received:?}");
            assert!(received.closed, "{target} {fields:?}: {received:?}");
            assert!(received.text.contains("connection: close"), "{received:?}");
            let body = format!("f\r\n{{\"children\":[]}}\r\n0\r\n\r\n{SMUGGLED}");
            let received = send(address, format!("{head}{body}").as_bytes()).await;
            assert_eq!(received.statuses(), [status], "{target} {fields:?}: {received:?}");
            assert!(received.closed, "{target} {fields:?}: {received:?}");
        }
    }
    for known in ["chunked", "Chunked", " CHUNKED "] {
        let request =
            format!("{HEAD}transfer-encoding:{known}\r\n\r\nf\r\n{{\"children\":[]}}\r\n0\r\n\r\n");
        let received = send(address, request.as_bytes()).await;
        assert_eq!(received.statuses(), ["200"], "{known:?}: {received:?}");
    }
}

#[tokio::test]
async fn requires_exactly_one_host() {
    let address = serving(Limits::DEFAULT).await;
    for (head, status) in [
        ("GET /x HTTP/1.1\r\n\r\n", "400"),
        ("GET /x HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", "400"),
        ("GET /x HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n", "400"),
        ("GET /x HTTP/1.1\r\nhost: a\r\n\r\n", "200"),
        ("GET http://b/x HTTP/1.1\r\nhost: a\r\n\r\n", "200"),
    ] {
        let request = format!("{head}{SMUGGLED}");
        let received = send(address, request.as_bytes()).await;
        let statuses = received.statuses();
        assert_eq!(statuses.first(), Some(&status), "{head:?}: {received:?}");
        // Only a valid request lets the connection stay open.
        assert_eq!(received.closed, status == "400", "{head:?}: {received:?}");
        assert_eq!(received.text.contains("smuggled"), status == "200", "{head:?}: {received:?}");
    }
}

#[tokio::test]
async fn treats_bare_line_feeds_consistently() {
    let address = serving(Limits::DEFAULT).await;
    // RFC 9112, section 2.2, permits a bare line feed as a line ending; a server must then accept
    // it everywhere.
    let request = "GET /one HTTP/1.1\nhost: a\n\nGET /two HTTP/1.1\r\nhost: a\r\n\r\n";
    let received = send(address, request.as_bytes()).await;
    let statuses = received.statuses();
    assert!(statuses == ["200", "200"] || statuses == ["400"], "{received:?}");
}

#[tokio::test]
async fn responds_400_to_malformed_requests() {
    let address = serving(Limits::DEFAULT).await;
    for request in [
        "\0\0\0\0\r\n\r\n",
        "GET\r\n\r\n",
        "GET /x\r\n\r\n",
        "GET  /x HTTP/1.1\r\nhost: a\r\n\r\n",
        "GET /x y HTTP/1.1\r\nhost: a\r\n\r\n",
        "GET /x HTTP/9.9\r\nhost: a\r\n\r\n",
        "G(T /x HTTP/1.1\r\nhost: a\r\n\r\n",
        "\x16\x03\x01\x02\0\x01\0\x01\u{fffd}\r\n\r\n",
    ] {
        let received = send(address, request.as_bytes()).await;
        let statuses = received.statuses();
        assert!(received.closed, "{request:?}: {received:?}");
        assert!(statuses.iter().all(|status| status.starts_with('4')), "{request:?}: {received:?}");
    }
    serves_others(address).await;
}
