//! The service under attack, and helpers for handwritten requests.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use manywire::content::Text;
use manywire::{Api, Format, Limits, Service, Shaped, get, post};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{PATIENCE, listening};

/// The short timeout of the server under attack.
pub(crate) const SHORT: Duration = Duration::from_millis(300);

/// The time of silence after which no more output is expected on an open connection.
const QUIET: Duration = Duration::from_millis(500);

#[derive(Serialize, Deserialize, Shaped)]
pub(crate) struct Tree {
    children: Vec<Tree>,
}

pub(crate) fn service(limits: Limits) -> Service {
    let tree = post("/tree").body::<Tree>().returns::<Tree>();
    let large = get("/large").returns::<Text>();
    let name = get("/{name}").path::<String>().returns::<Text>();
    Api::new("Under attack")
        .formats(Format::ALL)
        .limits(limits)
        .serve(tree.to(|tree| async move { tree }))
        .serve(large.to(|| async { "x".repeat(64 << 20) }))
        .serve(name.to(|name| async move { name }))
        .build()
        .expect("a valid API")
}

/// Starts a server with these limits that lives as long as the test.
pub(crate) async fn serving(limits: Limits) -> SocketAddr {
    listening(service(limits)).await
}

/// Starts a server with short timeouts.
pub(crate) async fn impatient() -> SocketAddr {
    let limits = Limits::DEFAULT.with_header_timeout(SHORT).with_body_idle_timeout(SHORT);
    serving(limits).await
}

/// The output of the server.
#[derive(Debug)]
pub(crate) struct ServerOutput {
    pub(crate) text: String,
    /// Indicates whether the server closed the connection.
    pub(crate) closed: bool,
}

impl ServerOutput {
    /// Returns the statuses of the responses, in order.
    pub(crate) fn statuses(&self) -> Vec<&str> {
        self.text.split("HTTP/1.1 ").skip(1).filter_map(|rest| rest.get(..3)).collect()
    }
}

pub(crate) async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("a connection")
}

/// Sends bytes, and reads until the server closes or is silent for a while.
pub(crate) async fn send(address: SocketAddr, bytes: &[u8]) -> ServerOutput {
    let mut stream = connect(address).await;
    // The server may refuse before everything is sent.
    drop(stream.write_all(bytes).await);
    read(&mut stream, QUIET).await
}

/// Reads until the server closes or is silent for this long after its first bytes. A busy machine may need
/// long for those.
pub(crate) async fn read(stream: &mut TcpStream, quiet: Duration) -> ServerOutput {
    let mut all = Vec::new();
    let mut chunk = [0; 16 << 10];
    let connected = Instant::now();
    loop {
        assert!(
            connected.elapsed() < PATIENCE,
            "it does not end: {}",
            String::from_utf8_lossy(&all)
        );
        let limit = if all.is_empty() { PATIENCE } else { quiet };
        let read = tokio::time::timeout(limit, stream.read(&mut chunk)).await;
        let closed = match read {
            Ok(Ok(count)) if count > 0 => {
                all.extend_from_slice(&chunk[..count]);
                continue;
            }
            Ok(_) => true,
            Err(_) => false,
        };
        return ServerOutput { text: String::from_utf8_lossy(&all).into_owned(), closed };
    }
}

/// Waits until the server closes, and returns the time it took.
pub(crate) async fn closes(stream: &mut TcpStream) -> Duration {
    let connected = Instant::now();
    let received = read(stream, PATIENCE).await;
    assert!(received.closed, "still open after {PATIENCE:?}: {}", received.text);
    connected.elapsed()
}

/// Asserts that the server still serves other clients.
pub(crate) async fn serves_others(address: SocketAddr) {
    let received =
        send(address, b"GET /alive HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await;
    assert!(received.text.ends_with("alive"), "{received:?}");
}
