//! A service, and handwritten requests whose bytes are visible in the tests.

use std::net::SocketAddr;

use manywire::{Api, Route, Service};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::PATIENCE;

pub(crate) fn service(routes: impl IntoIterator<Item = Route>) -> Service {
    let api = routes.into_iter().fold(Api::new("Bodies"), Api::serve);
    api.build().unwrap_or_else(|error| panic!("{error}"))
}

/// A parsed response.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl TestResponse {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Sends a body with its type, and reads the complete response.
pub(crate) async fn post(
    address: SocketAddr,
    path: &str,
    content_type: &str,
    body: impl AsRef<[u8]>,
) -> TestResponse {
    let body = body.as_ref();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: {content_type}\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(&[head.as_bytes(), body].concat()).await.expect("sent");
    let mut all = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut all)).await;
    read.expect("an answer in time").expect("an answer");
    let end = all.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&all[..end]).into_owned();
    let status = head.get(9..12).and_then(|status| status.parse().ok()).expect("a status");
    TestResponse { status, head, body: all.split_off(end + 4) }
}
