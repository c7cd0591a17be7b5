//! The connections of a client: TCP, and TLS over it if the base is `https`.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tower_service::Service;

use super::tls::{ClientTls, Handshake};
use crate::body::{Body, BoxError};
use crate::socket::Socket;

/// The timeout for opening a TCP connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The time for which an idle connection is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// The pool of connections.
pub(super) type Pool = legacy::Client<Connector, Body>;

/// The configuration of connections, which the client's builder methods set in any order.
#[derive(Clone, Debug, Default)]
pub(super) struct TransportConfig {
    /// Indicates whether only HTTP/2 is used: by prior knowledge over `http`, as the only protocol
    /// offered by ALPN over `https`.
    pub(super) http2: bool,
    /// The TLS configuration, if connections are encrypted.
    pub(super) tls: Option<ClientTls>,
}

impl TransportConfig {
    /// Creates an empty pool.
    pub(super) fn pool(&self) -> Pool {
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        // `Connector` handles the scheme.
        tcp.enforce_http(false);
        let connector =
            Connector { tcp, tls: self.tls.clone().map(|tls| Handshake::new(tls, self.http2)) };
        let mut builder = legacy::Client::builder(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .http2_only(self.http2);
        builder.build(connector)
    }
}

/// A connector for TCP and TLS.
#[derive(Clone, Debug)]
pub(super) struct Connector {
    tcp: HttpConnector,
    tls: Option<Handshake>,
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Socket>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(context).map_err(BoxError::from)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = self.tcp.call(uri.clone());
        let tls = self.tls.clone();
        Box::pin(async move {
            let tcp = connecting.await?.into_inner();
            if let Some(tls) = tls {
                return Ok(TokioIo::new(tls.handshake(tcp, &uri).await?));
            }
            Ok(TokioIo::new(Socket::Tcp(tcp)))
        })
    }
}

impl Connection for Socket {
    fn connected(&self) -> Connected {
        match self {
            Socket::Tcp(stream) => stream.connected(),
            #[cfg(all(feature = "server", unix))]
            Socket::Unix(_) => Connected::new(),
            #[cfg(any(feature = "tls", feature = "client-tls"))]
            Socket::Tls(stream) => {
                let (socket, agreed) = stream.get_ref();
                let connected = socket.connected();
                match agreed.alpn_protocol() {
                    Some(b"h2") => connected.negotiated_h2(),
                    _ => connected,
                }
            }
        }
    }
}
