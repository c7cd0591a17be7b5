//! What happens on a connection: limits, patience, abuse, both protocols, and the end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use manywire::content::Text;
use manywire::{Api, Format, Limits, Service, Shaped, get, post};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

/// Longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Serialize, Deserialize, Shaped)]
struct Tree {
    children: Vec<Tree>,
}

fn service(limits: Limits) -> Service {
    let tree = post("/tree").body::<Tree>().returns::<Tree>();
    let name = get("/{name}").path::<String>().returns::<Text>();
    Api::new("Connections")
        .formats([
            Format::Json,
            Format::MsgPack,
            Format::Cbor,
            Format::Protobuf,
            Format::Avro,
            Format::Bson,
        ])
        .limits(limits)
        .serve(tree.to(|tree| async move { tree }))
        .serve(name.to(|name| async move { name }))
        .build()
        .expect("a valid API")
}

async fn listening(service: Service) -> SocketAddr {
    let server = service.bind("127.0.0.1:0").await.expect("a port");
    let address = server.local_address();
    tokio::spawn(server.run());
    address
}

/// Sends bytes and reads until the server closes, or has been quiet for a while.
async fn send(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    // The server may refuse before all is sent.
    drop(stream.write_all(bytes).await);
    read(&mut stream, Duration::from_millis(500)).await
}

async fn read(stream: &mut TcpStream, quiet: Duration) -> String {
    let mut all = Vec::new();
    let mut chunk = [0; 4_096];
    loop {
        match tokio::time::timeout(quiet, stream.read(&mut chunk)).await {
            Ok(Ok(count)) if count > 0 => all.extend_from_slice(&chunk[..count]),
            _ => return String::from_utf8_lossy(&all).into_owned(),
        }
    }
}

fn statuses(text: &str) -> Vec<&str> {
    text.split("HTTP/1.1 ").skip(1).filter_map(|rest| rest.get(..3)).collect()
}

#[tokio::test]
async fn a_head_that_does_not_end_is_given_up() {
    let limits = Limits::DEFAULT.with_header_timeout(Duration::from_millis(200));
    let address = listening(service(limits)).await;
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(b"GET /x HTTP/1.1\r\nhost:").await.expect("sent");
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
    ended.expect("the server closes").expect("in order");
}

#[tokio::test]
async fn a_body_that_pauses_is_408() {
    let limits = Limits::DEFAULT.with_body_idle_timeout(Duration::from_millis(200));
    let address = listening(service(limits)).await;
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let head = "POST /tree HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.expect("sent");
    let text = read(&mut stream, PATIENCE).await;
    assert_eq!(statuses(&text), ["408"], "{text}");
    assert!(text.contains("connection: close"), "{text}");
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused_before_it_is_sent() {
    let address = listening(service(Limits::DEFAULT.with_body_bytes(100))).await;
    let head = "POST /tree HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n\
                expect: 100-continue\r\ncontent-length: 101\r\n\r\n";
    let text = send(address, head.as_bytes()).await;
    assert_eq!(statuses(&text), ["413"], "no 100 Continue: {text}");
    // Nor does a body get in that does not say how long it is.
    let chunk = format!("65\r\n{}\r\n0\r\n\r\n", " ".repeat(0x65));
    let head = "POST /tree HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n\
                transfer-encoding: chunked\r\n\r\n";
    let text = send(address, format!("{head}{chunk}").as_bytes()).await;
    assert_eq!(statuses(&text), ["413"], "{text}");
}

#[tokio::test]
async fn huge_heads_are_431() {
    let address = listening(service(Limits::DEFAULT)).await;
    let request = format!("GET /x HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "y".repeat(20 << 10));
    assert_eq!(statuses(&send(address, request.as_bytes()).await), ["431"]);
}

#[tokio::test]
async fn ambiguous_lengths_end_the_connection() {
    let address = listening(service(Limits::DEFAULT)).await;
    let smuggled = "GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n";
    for fields in [
        "content-length: 5\r\ncontent-length: 6\r\n",
        "content-length: 5, 6\r\n",
        "content-length: +5\r\n",
        "content-length: 0x5\r\n",
        "transfer-encoding: identity, chunked, identity\r\n",
        "transfer-encoding: xchunked\r\n",
        "transfer-encoding : chunked\r\n",
        "content-length: 5\r\n transfer-encoding: chunked\r\n",
    ] {
        let request = format!(
            "POST /tree HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n{fields}\r\n0\r\n\r\n{smuggled}"
        );
        let text = send(address, request.as_bytes()).await;
        assert!(!text.contains("smuggled"), "{fields}: {text}");
        assert!(statuses(&text).iter().all(|status| status.starts_with('4')), "{fields}: {text}");
    }
    // With both, the length is what the chunks say (RFC 9112, section 6.3), and the connection ends.
    let request = format!(
        "POST /tree HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\
         transfer-encoding: chunked\r\n\r\nf\r\n{{\"children\":[]}}\r\n0\r\n\r\n{smuggled}"
    );
    let text = send(address, request.as_bytes()).await;
    assert!(
        statuses(&text).first().is_some_and(|status| ["200", "400"].contains(status)),
        "{text}"
    );
}

#[tokio::test]
async fn requests_in_a_row_are_answered_in_order() {
    let address = listening(service(Limits::DEFAULT)).await;
    let requests: String =
        (0..20).map(|number| format!("GET /n{number} HTTP/1.1\r\nhost: a\r\n\r\n")).collect();
    let text = send(address, requests.as_bytes()).await;
    let bodies: Vec<&str> = text.split("\r\n\r\n").skip(1).collect();
    for (number, body) in bodies.iter().enumerate() {
        assert!(body.starts_with(&format!("n{number}")), "{number}: {body}");
    }
    assert_eq!(bodies.len(), 20);
}

#[tokio::test]
async fn a_client_that_has_said_all_is_still_answered() {
    let address = listening(service(Limits::DEFAULT)).await;
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(b"GET /half HTTP/1.1\r\nhost: a\r\n\r\n").await.expect("sent");
    stream.shutdown().await.expect("closed on this side");
    assert!(read(&mut stream, PATIENCE).await.ends_with("half"));
}

/// How deep the bodies of the next test are.
const DEEP: usize = 100_000;

/// A body of containers inside each other, by a format's own heads.
fn deep(format: Format) -> Vec<u8> {
    match format {
        Format::Json => b"{\"children\":[".repeat(DEEP),
        Format::MsgPack => b"\x81\xA8children\x91".repeat(DEEP),
        Format::Cbor => b"\xA1\x68children\x81".repeat(DEEP),
        Format::Protobuf => {
            // Each message is as long as all that it holds, so they are written from the inside.
            let mut lengths = vec![0usize];
            for _ in 0..DEEP {
                let inner = lengths.last().copied().expect("one");
                lengths.push(1 + varint(inner).len() + inner);
            }
            let outwards = lengths.iter().rev().skip(1);
            outwards.flat_map(|length| [vec![0x0A], varint(*length)].concat()).collect()
        }
        Format::Avro => {
            let schema =
                manywire_shape::avro::Schema::from_shape(&manywire_shape::Shape::of::<Tree>());
            let fingerprint = schema.expect("a schema").fingerprint().to_le_bytes();
            // An array of one item, as often as that.
            [&[0xC3, 0x01][..], &fingerprint, &[0x02].repeat(DEEP)].concat()
        }
        Format::Bson => {
            // Lengths that go to the end: a reader that trusts its parent goes down with them.
            let level = b"\x03children\0";
            let mut body = Vec::new();
            for number in 0..DEEP {
                let left = (DEEP - number) * (4 + level.len());
                body.extend_from_slice(&u32::try_from(left).expect("small").to_le_bytes());
                body.extend_from_slice(level);
            }
            body
        }
        Format::MsgPackArray => Vec::new(),
    }
}

fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7F {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

#[tokio::test]
async fn bodies_as_deep_as_they_like_are_refused() {
    let address = listening(service(Limits::DEFAULT)).await;
    let formats =
        [Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf, Format::Avro, Format::Bson];
    for format in formats {
        let body = deep(format);
        let head = format!(
            "POST /tree HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: {}\r\ncontent-length: {}\r\n\r\n",
            format.row().media_type,
            body.len()
        );
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream.write_all(&[head.as_bytes(), &body].concat()).await.expect("sent");
        let text = read(&mut stream, PATIENCE).await;
        assert_eq!(statuses(&text), ["400"], "{format}: {text}");
    }
}

#[tokio::test]
async fn both_protocols_are_spoken_on_one_port() {
    let address = listening(service(Limits::DEFAULT)).await;
    assert_eq!(statuses(&send(address, b"GET /one HTTP/1.1\r\nhost: a\r\n\r\n").await), ["200"]);
    let stream = TcpStream::connect(address).await.expect("a connection");
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .expect("HTTP/2");
    tokio::spawn(connection);
    for method in ["GET", "HEAD"] {
        let request = Request::builder().method(method).uri("http://a/two");
        let request = request.body(Full::<Bytes>::default()).expect("a request");
        let response = sender.send_request(request).await.expect("an answer");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-length"], "3");
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        assert_eq!(body, if method == "GET" { "two" } else { "" });
    }
}

/// Clients that keep asking while the server is told to stop.
const CLIENTS: usize = 16;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_accepted_request_is_lost_when_the_server_stops() {
    let begun = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&begun);
    let slow = get("/slow").returns::<Text>().to(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            "done".to_owned()
        }
    });
    let service = Api::new("Slow").serve(slow).build().expect("a valid API");
    let server = service.bind("127.0.0.1:0").await.expect("a port");
    let address = server.local_address();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.run_until(async { drop(stopped.await) }));

    let clients: Vec<_> = (0..CLIENTS).map(|_| tokio::spawn(ask_until_closed(address))).collect();
    while begun.load(Ordering::SeqCst) < 4 * CLIENTS {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    stop.send(()).expect("the server listens for it");
    let ended = tokio::time::timeout(PATIENCE, serving).await.expect("it stops");
    ended.expect("no panic").expect("all requests were answered in time");
    let mut answered = 0;
    for client in clients {
        answered += client.await.expect("no panic");
    }
    assert_eq!(answered, begun.load(Ordering::SeqCst), "each request begun was answered in full");
    assert!(TcpStream::connect(address).await.is_err(), "nothing listens any more");
}

/// How many whole answers there were until the server closed the connection.
async fn ask_until_closed(address: SocketAddr) -> usize {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let mut answered = 0;
    let mut answer = Vec::new();
    while stream.write_all(b"GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await.is_ok() {
        answer.clear();
        while !answer.ends_with(b"\r\n\r\ndone") {
            match stream.read_buf(&mut answer).await {
                Ok(count) if count > 0 => {}
                _ => {
                    assert!(answer.is_empty(), "an answer broke off");
                    return answered;
                }
            }
        }
        answered += 1;
    }
    answered
}
