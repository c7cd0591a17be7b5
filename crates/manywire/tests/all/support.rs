//! A server on a free port, and its clients.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use manywire::{Client, Service};
use tokio::net::TcpStream;

/// A timeout longer than anything here takes on the slowest machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Starts a server of this service that lives as long as the test, and returns its address.
pub(crate) async fn listening(service: Service) -> SocketAddr {
    let server = service.bind("127.0.0.1:0").await.expect("a port");
    let address = server.local_address();
    tokio::spawn(server.run());
    address
}

pub(crate) fn client(address: SocketAddr) -> Client {
    Client::new(&format!("http://{address}")).expect("a base")
}

/// Opens a connection of HTTP/2.
pub(crate) async fn http2(address: SocketAddr) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(address).await.expect("a connection");
    let (sender, connection) =
        handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
    tokio::spawn(connection);
    sender
}
