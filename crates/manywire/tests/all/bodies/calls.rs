//! Streams of a client, sent and read value by value.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use manywire::content::{Items, Text};
use manywire::{
    Api, CallError, Client, Endpoint, Format, HeaderValue, Limits, Problem, Reply, Shaped,
    StatusCode, get, header, post as endpoint,
};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::{client, listening};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Hotel {
    id: u32,
    name: String,
}

fn hotel(id: u32) -> Hotel {
    Hotel { id, name: format!("Hôtel\n{id}") }
}

const FORMATS: [Format; 4] = [Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf];

fn echo() -> Endpoint<(manywire::input::Body<Items<Hotel>>,), Items<Hotel>> {
    endpoint("/echo").body::<Items<Hotel>>().returns::<Items<Hotel>>()
}

async fn all<T: Send + 'static>(mut items: Items<T>) -> (Vec<T>, Option<Problem>) {
    let mut values = Vec::new();
    while let Some(item) = items.next().await {
        match item {
            Ok(value) => values.push(value),
            Err(problem) => {
                assert!(items.next().await.is_none(), "a failure ends the stream");
                return (values, Some(problem));
            }
        }
    }
    (values, None)
}

#[tokio::test]
async fn round_trips_a_stream_in_every_format() {
    let api = Api::new("Streams").formats(FORMATS);
    let api = api.serve(echo().to(|hotels| async move { hotels }));
    let address = listening(api.build().expect("a valid API")).await;
    for format in FORMATS {
        for client in [client(address), client(address).http2()] {
            let client = client.formats([format]);
            for count in [0, 1, 40, 3_000] {
                let sent = Items::from_values((0..count).map(hotel));
                let response = client.call(&echo(), sent).await.expect("an answer");
                let (values, failure) = all(response).await;
                assert_eq!(failure, None, "{format}");
                assert!(values.into_iter().eq((0..count).map(hotel)), "{format}: {count}");
            }
        }
    }
    let error = client(address).formats([Format::Avro]).call(&echo(), Items::from_values([])).await;
    let error = error.expect_err("Avro has no streams here");
    assert!(matches!(error, CallError::Body(_)), "{error}");
}

/// Starts a server that sends these bytes on each connection, and then closes it or waits.
async fn scripted(answer: String, closes: bool) -> (Client, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let request_count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&request_count);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            counter.fetch_add(1, Ordering::SeqCst);
            let mut head = [0; 4_096];
            drop(stream.read(&mut head).await);
            drop(stream.write_all(answer.as_bytes()).await);
            if !closes {
                tokio::time::sleep(Duration::from_secs(30)).await;
            }
        }
    });
    (client(address), request_count)
}

fn numbers() -> Endpoint<(), Items<u32>> {
    get("/numbers").returns::<Items<u32>>()
}

#[tokio::test]
async fn reports_a_truncated_response_as_an_error() {
    let chunked = |content_type: &str, body: &str| {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\n");
        format!("{head}transfer-encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n", body.len())
    };
    let sized = |content_type: &str, body: &str| {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\n");
        format!("{head}content-length: {}\r\n\r\n{body}", body.len() + 1)
    };
    let whole = |content_type: &str, body: &str| chunked(content_type, body) + "0\r\n\r\n";
    for answer in [
        chunked("application/x-ndjson", "1\n2\n"),
        sized("application/x-ndjson", "1\n2\n"),
        chunked("application/json", "[1,2]"),
        whole("application/json", "[1,2 "),
        whole("text/event-stream", "data: 1\n\ndata: 2\n\ndata: 3\n"),
        whole("application/cbor-seq", "\u{1}\u{2}\u{62}"),
        whole("application/x-ndjson", "1\n2\n\"three\"\n"),
    ] {
        let (client, _) = scripted(answer.clone(), true).await;
        let client = client.formats([Format::Json, Format::Cbor]);
        let (values, failure) = all(client.call(&numbers(), ()).await.expect("a head")).await;
        assert_eq!(values, [1, 2], "{answer}");
        let failure = failure.unwrap_or_else(|| panic!("taken for complete: {answer}"));
        assert_eq!(failure.status(), StatusCode::BAD_GATEWAY, "{answer}");
    }
    // The client receives the error message of the server.
    let told = "data: 1\n\n: a comment\nevent: error\ndata: {\"title\":\"Gone\",\ndata: \"status\":503}\n\n";
    let (client, _) = scripted(whole("text/event-stream", told), true).await;
    let (values, failure) = all(client.call(&numbers(), ()).await.expect("a head")).await;
    assert_eq!(values, [1]);
    let failure = failure.expect("an error event");
    assert_eq!((failure.status().as_u16(), failure.title()), (503, "Gone"));
    // A complete response ends without an error.
    let (client, _) =
        scripted(whole("text/event-stream", "data:1\r\n\r\nid: 7\r\ndata: 2\r\n\r\n"), true).await;
    assert_eq!(all(client.call(&numbers(), ()).await.expect("a head")).await, (vec![1, 2], None));
}

#[tokio::test]
async fn limits_the_size_of_values_and_the_pause_of_responses() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ncontent-length: 9999\r\n\r\n";
    let (client, _) = scripted(format!("{head}1\n"), false).await;
    let limits = Limits::DEFAULT.with_body_idle_timeout(Duration::from_millis(200));
    let (values, failure) =
        all(client.limits(limits).call(&numbers(), ()).await.expect("a head")).await;
    assert_eq!(values, [1]);
    assert_eq!(failure.expect("it pauses").status(), StatusCode::GATEWAY_TIMEOUT);

    let (client, _) = scripted(format!("{head}1\n{}", "2".repeat(5_000)), false).await;
    let limits = Limits::DEFAULT.with_body_bytes(100);
    let (values, failure) =
        all(client.limits(limits).call(&numbers(), ()).await.expect("a head")).await;
    assert_eq!(values, [1]);
    assert!(failure.expect("too large").to_string().contains("item 1 exceeds the limit"));
}

#[tokio::test]
async fn does_not_resend_a_stream() {
    let put = Endpoint::new(manywire::Method::PUT, "/numbers").body::<Items<u32>>();
    for answer in ["", "HTTP/1.1 503 Busy\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n"] {
        let (client, request_count) = scripted(answer.to_owned(), true).await;
        let sent = Items::from_values([1, 2, 3]);
        // The server counts a request before it sends what ends the call.
        client.call(&put, sent).await.expect_err("the call is not retried");
        assert_eq!(request_count.load(Ordering::SeqCst), 1, "{answer:?}");
    }
    // A failure while sending aborts the request.
    let api = Api::new("Sum").serve(endpoint("/sum").body::<Items<u32>>().returns::<u32>().to(
        |mut numbers| async move {
            let mut sum = 0;
            while let Some(number) = numbers.next().await {
                sum += number?;
            }
            Ok::<_, Problem>(sum)
        },
    ));
    let address = listening(api.build().expect("a valid API")).await;
    let sum = endpoint("/sum").body::<Items<u32>>().returns::<u32>();
    let client = client(address);
    assert_eq!(client.call(&sum, Items::from_values(0..100)).await.expect("a sum"), 4_950);
    let failing = (0..100).map(|number| match number {
        99 => Err(Problem::new(StatusCode::BAD_GATEWAY)),
        number => Ok(number),
    });
    let failing = Items::fallible(Iterated(failing.collect::<Vec<_>>().into_iter()));
    client.call(&sum, failing).await.expect_err("half of the numbers have no sum");
}

struct Iterated<T>(std::vec::IntoIter<T>);

impl<T> Unpin for Iterated<T> {}

impl<T> futures_core::Stream for Iterated<T> {
    type Item = T;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<T>> {
        std::task::Poll::Ready(self.0.next())
    }
}

#[tokio::test]
async fn writes_and_reads_typed_header_lists() {
    let join = get("/join")
        .header::<Vec<String>>("x-tags")
        .header::<Option<Vec<u16>>>("x-numbers")
        .header::<Option<String>>("x-note")
        .returns::<Text>()
        .sends("x-count");
    let served = join.clone().to(|tags, numbers: Option<Vec<u16>>, note| async move {
        let count = tags.len() + numbers.as_ref().map_or(0, Vec::len);
        let text = format!("{tags:?} {numbers:?} {note:?}");
        let count = HeaderValue::from_str(&format!("{count}, 7")).expect("a value");
        Reply::new(text).with_header(header::HeaderName::from_static("x-count"), count)
    });
    let address = listening(Api::new("Fields").serve(served).build().expect("a valid API")).await;
    let fetch = async |lines: &str| {
        let path = format!("/join HTTP/1.1\r\n{lines}connection: close\r\nhost: a\r\nx-rest:");
        let mut stream = tokio::net::TcpStream::connect(address).await.expect("a connection");
        stream.write_all(format!("GET {path}\r\n\r\n").as_bytes()).await.expect("sent");
        let mut all = String::new();
        stream.read_to_string(&mut all).await.expect("an answer");
        all.split_once("\r\n\r\n").expect("a head").1.to_owned()
    };
    let lines = "X-Tags: a, \"b, c\" ,,d\r\nx-tags:e\r\nX-Numbers: 1,2\r\nx-note: f, g\r\n";
    assert_eq!(fetch(lines).await, r#"["a", "b, c", "d", "e"] Some([1, 2]) Some("f, g")"#);
    assert_eq!(fetch("").await, "[] None None");
    assert!(fetch("x-numbers: 1, x\r\n").await.contains("expected an integer from 0 to 65535"));
    assert!(fetch("x-note: a\r\nx-note: b\r\n").await.contains("expected one value"));

    let tags = ["a b", "c, d", "\"", "\\", ""].map(str::to_owned).to_vec();
    let arguments = (tags, Some(vec![1, 2]), Some("f, g".to_owned()));
    let fetched = client(address).fetch(&join, arguments).await.expect("an answer");
    let expected = r#"["a b", "c, d", "\"", "\\", ""] Some([1, 2]) Some("f, g")"#;
    assert_eq!((fetched.status(), fetched.value().as_str()), (StatusCode::OK, expected));
    assert_eq!(fetched.header::<Vec<u32>>("x-count").expect("typed"), [7, 7]);
    assert_eq!(fetched.header::<Option<String>>("x-none").expect("typed"), None);
    let fault = fetched.header::<u32>("x-count").expect_err("no number");
    assert_eq!(fault.name(), Some("x-count"));
}
