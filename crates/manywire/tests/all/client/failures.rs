use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use manywire::content::Text;
use manywire::{CallError, Client, Format, Limits, StatusCode, get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::service::{Counted, HotelError, create, find, hotel, service};
use crate::support::client;

#[tokio::test]
async fn returns_the_endpoints_own_failures_in_every_format() {
    let server = Counted::serve(service(&Format::ALL)).await;
    for format in Format::ALL {
        let client = server.client().formats([format]);
        let error = client.call(&find(), 0).await.expect_err("no hotel 0");
        let expected = HotelError::NotFound("there is no hotel 0".to_owned());
        assert!(matches!(&error, CallError::Failed(failure) if *failure == expected), "{error:?}");
        let error = client.call(&find(), 1).await.expect_err("closed");
        assert!(matches!(error, CallError::Failed(HotelError::Closed)), "{error:?}");
    }
}

#[tokio::test]
async fn returns_other_problems_unchanged() {
    let server = Counted::serve(service(&[Format::Json])).await;
    let wrong = get("/hotels/{id}").path::<String>().returns::<u64>().fails::<HotelError>();
    let error = server.client().call(&wrong, "seven".to_owned()).await.expect_err("no number");
    let CallError::Problem(problem) = error else { panic!("{error:?}") };
    assert_eq!(problem.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(problem.errors()[0].name(), Some("id"));
    let error = server.client().call(&wrong, "7".to_owned()).await.expect_err("a hotel");
    assert!(matches!(error, CallError::Answer(_)), "{error:?}");
    let error = server.client().call(&wrong, String::new()).await.expect_err("an empty segment");
    assert!(matches!(error, CallError::Arguments(_)), "{error:?}");
}

/// Starts a server that sends these responses in turn, and counts its requests.
async fn scripted(answers: [&'static [u8]; 2]) -> (Client, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let request_count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&request_count);
    tokio::spawn(async move {
        for answer in answers {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            let mut head = [0; 4096];
            assert_ne!(stream.read(&mut head).await.expect("a request"), 0);
            counter.fetch_add(1, Ordering::SeqCst);
            stream.write_all(answer).await.expect("the answer is sent");
        }
    });
    (client(address), request_count)
}

const FINE: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1\r\nconnection: close\r\n\r\n7";
const BUSY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 0\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const BROKEN: &[u8] = b"";

#[tokio::test]
async fn retries_only_idempotent_requests() {
    let read = get("/count").returns::<u64>();
    let write = post("/count").returns::<u64>();
    for first in [BROKEN, BUSY] {
        let (client, count) = scripted([first, FINE]).await;
        assert_eq!(client.call(&read, ()).await.expect("the second time"), 7);
        assert_eq!(count.load(Ordering::SeqCst), 2);

        let (client, count) = scripted([first, FINE]).await;
        let error = client.call(&write, ()).await.expect_err("the call is not retried");
        let is_told = matches!(&error, CallError::Connection(_) | CallError::Status { .. });
        assert!(is_told, "{error:?}");
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
    let (client, count) = scripted([BROKEN, FINE]).await;
    client.retries(0).call(&read, ()).await.expect_err("retries are disabled");
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn refuses_responses_in_other_encodings() {
    let number = || get("/").returns::<u64>();
    let text = || get("/").returns::<Text>();
    let answer = |fields: &str| -> &'static [u8] {
        let head = format!("HTTP/1.1 200 OK\r\n{fields}\r\ncontent-length: 1\r\nconnection: close");
        format!("{head}\r\n\r\n7").into_bytes().leak()
    };
    for (fields, expected) in [
        (
            "content-type: application/json\r\ncontent-encoding: gzip, gzip, gzip",
            "expected at most 2 content codings, found 3",
        ),
        (
            "content-type: application/json\r\ncontent-encoding: rot13",
            "unsupported content coding \"rot13\"",
        ),
        ("content-type: application/json; charset=klingon", "unsupported charset \"klingon\""),
        ("content-type: image/png", "expected a format that is compiled in, found image/png"),
    ] {
        let answer = answer(fields);
        let (client, _) = scripted([answer, answer]).await;
        let error = client.call(&number(), ()).await.expect_err(fields);
        let CallError::Answer(error) = error else { panic!("{error:?}") };
        assert_eq!(error.to_string(), expected);
    }
    for (fields, expected) in [
        ("content-type: application/json", "expected text, found application/json"),
        ("content-type: text/plain; charset=klingon", "unsupported charset \"klingon\""),
    ] {
        let answer = answer(fields);
        let (client, _) = scripted([answer, answer]).await;
        let error = client.call(&text(), ()).await.expect_err(fields);
        let CallError::Answer(error) = error else { panic!("{error:?}") };
        assert_eq!(error.to_string(), expected);
    }
    // Text comes back in UTF-8, without a byte order mark.
    let latin = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=iso-8859-1\r\ncontent-length: 1\r\nconnection: close\r\n\r\n\xE9";
    let marked = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\nconnection: close\r\n\r\n\xEF\xBB\xBF\xC3\xA9";
    for answer in [&latin[..], &marked[..]] {
        let (client, _) = scripted([answer, answer]).await;
        assert_eq!(client.call(&text(), ()).await.expect("text"), "é");
    }
}

#[tokio::test]
async fn refuses_oversized_responses() {
    let server = Counted::serve(service(&[Format::Json])).await;
    let small = Limits::DEFAULT.with_body_bytes(50);
    let error = server.client().limits(small).call(&find(), 7).await.expect_err("too large");
    assert!(matches!(error, CallError::TooLarge { limit_bytes: 50 }), "{error:?}");
    // The response is small while coded, and too large when decoded.
    let small = Limits::DEFAULT.with_decoded_bytes(1_000);
    let error = server.client().limits(small).call(&find(), 60).await.expect_err("too large");
    assert!(matches!(error, CallError::Answer(_)), "{error:?}");
    let deep = Limits::DEFAULT.with_depth(3);
    let error =
        server.client().limits(deep).call(&create(), hotel(60)).await.expect_err("too deep");
    assert!(matches!(error, CallError::Answer(_)), "{error:?}");
}

#[tokio::test]
async fn ends_a_call_at_its_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let timeout = Duration::from_millis(200);
    let client = client(address).timeout(timeout);
    let begun = Instant::now();
    let error = client.call(&find(), 7).await.expect_err("nobody answers");
    assert!(matches!(error, CallError::Timeout(_)), "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn reports_the_cause_of_a_failed_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let client = client(address);
    let error = client.call(&find(), 7).await.expect_err("no server listens");
    assert!(error.to_string().to_lowercase().contains("refused"), "{error}");
}

#[test]
fn reports_invalid_base_uris() {
    for (base, why) in [
        ("localhost:8080", "http"),
        ("ftp://localhost", "expected the scheme http or https"),
        #[cfg(not(feature = "client-tls"))]
        ("https://localhost", "https needs the feature client-tls"),
        ("http://localhost/?a=b", "expected no query"),
        ("/v1", "expected http:// and a host"),
        ("http://", "http://"),
    ] {
        let error = Client::new(base).expect_err(base).to_string();
        assert!(error.contains(why) && error.contains("invalid base URI"), "{error}");
    }
}
