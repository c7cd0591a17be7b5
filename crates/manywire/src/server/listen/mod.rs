//! Listening on TCP and Unix sockets: accepting connections and serving HTTP/1.1 and HTTP/2 on
//! them.

mod head_timer;
mod shutdown;
mod stalled_streams;
mod timeouts;
#[cfg(feature = "tls")]
mod tls;
#[cfg(unix)]
mod unix;

#[cfg(feature = "tls")]
pub use tls::Tls;
#[cfg(unix)]
pub use unix::UnixServer;

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use head_timer::HeadTimer;
use http::{Request, Response, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use shutdown::Shutdown;
use stalled_streams::{NextStream, SocketState, StreamExecutor};
use timeouts::TimeoutStream;
#[cfg(unix)]
use tokio::net::UnixListener;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::sync::Semaphore;

use super::metrics::ConnectionGauge;
use super::service::{Answering, Service};
use crate::body::Body;
use crate::limits::Limits;
use crate::socket::Socket;

/// A service with a bound socket that does not accept connections yet.
#[derive(Debug)]
pub struct Server {
    acceptor: Acceptor,
    local_address: SocketAddr,
}

/// A service with its listener.
#[derive(Debug)]
pub(super) struct Acceptor {
    service: Service,
    listener: Listener,
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
}

/// The pause after a connection cannot be accepted for lack of descriptors or memory: open
/// connections need time to end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The number of streams of one connection that a client may reset before they are processed. It
/// bounds the "rapid reset" attack.
const PENDING_RESETS_MAX: usize = 20;

impl Service {
    /// Binds a TCP socket. With port 0 the system chooses the port.
    ///
    /// # Errors
    /// Returns an error if the address cannot be bound.
    pub async fn bind(self, address: impl ToSocketAddrs) -> io::Result<Server> {
        let listener = TcpListener::bind(address).await?;
        let local_address = listener.local_addr()?;
        Ok(Server { acceptor: Acceptor::new(self, Listener::Tcp(listener)), local_address })
    }
}

impl Server {
    /// Returns the bound address with its actual port.
    pub fn local_address(&self) -> SocketAddr {
        self.local_address
    }

    /// Uses TLS on every connection.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.acceptor.tls = Some(tls);
        self
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// Never fails while it runs: a failing connection ends alone.
    pub async fn run(self) -> io::Result<()> {
        self.run_until(std::future::pending()).await
    }

    /// Serves HTTP/1.1 and HTTP/2 until `signal` completes. Then it accepts no more connections,
    /// and returns when the active requests are answered, within [`Limits::shutdown_timeout`].
    ///
    /// # Errors
    /// Returns [`io::ErrorKind::TimedOut`] if requests are still active by then.
    pub async fn run_until(self, signal: impl Future<Output = ()>) -> io::Result<()> {
        self.acceptor.run_until(signal).await
    }
}

impl Acceptor {
    pub(super) fn new(service: Service, listener: Listener) -> Self {
        Acceptor {
            service,
            listener,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// See [`Server::run_until`].
    pub(super) async fn run_until(self, signal: impl Future<Output = ()>) -> io::Result<()> {
        let Acceptor { service, listener, .. } = self;
        let limits = service.limits();
        let connections = Arc::new(Semaphore::new(limits.connections.min(Semaphore::MAX_PERMITS)));
        let shutdown = Shutdown::new();
        let mut signal = std::pin::pin!(signal);
        loop {
            let permit = tokio::select! {
                permit = Arc::clone(&connections).acquire_owned() => permit,
                () = &mut signal => break,
            };
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut signal => break,
            };
            let socket = match accepted {
                Ok(socket) => socket,
                Err(error) => {
                    if !is_connection_error(&error) {
                        tracing::error!(%error, "cannot accept connections");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                    continue;
                }
            };
            let connected = ConnectionGauge::open(&service.core);
            let next_stream = NextStream::default();
            let service =
                ConnectionService { service: service.clone(), next_stream: next_stream.clone() };
            let watcher = shutdown.watcher();
            #[cfg(feature = "tls")]
            let tls = self.tls.clone();
            tokio::spawn(async move {
                #[cfg(feature = "tls")]
                let socket = match tls {
                    None => socket,
                    Some(tls) => match tls.accept(socket, limits.header_timeout).await {
                        Ok(socket) => socket,
                        Err(error) => {
                            tracing::debug!(%error, "the TLS handshake failed");
                            return;
                        }
                    },
                };
                let (socket_state, timeout) =
                    (Arc::<SocketState>::default(), limits.body_idle_timeout);
                let stream = TimeoutStream::new(
                    socket,
                    limits.header_timeout,
                    timeout,
                    Arc::clone(&socket_state),
                );
                let executor = StreamExecutor { socket_state, next_stream, timeout };
                let builder = connection_builder(&limits, executor);
                let connection = builder.serve_connection(TokioIo::new(stream), service);
                if let Err(error) = watcher.run(connection).await {
                    tracing::debug!(%error, "a connection closed with an error");
                }
                drop((permit, connected));
            });
        }
        drop(listener);
        tokio::time::timeout(limits.shutdown_timeout, shutdown.begin()).await.map_err(|_| {
            let waited = limits.shutdown_timeout;
            io::Error::new(
                io::ErrorKind::TimedOut,
                format!("requests were still active after {waited:?}"),
            )
        })
    }
}

/// The service of one connection. The service refuses a request of HTTP/1.1 without exactly one
/// `Host` (RFC 9112, section 3.2); a framework that mounts the service makes this check itself. The
/// responses of HTTP/2 are observed.
#[derive(Clone, Debug)]
struct ConnectionService {
    service: Service,
    next_stream: NextStream,
}

impl<B: http_body::Body + Send + 'static> hyper::service::Service<Request<B>>
    for ConnectionService
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering<B>;

    #[inline]
    fn call(&self, request: Request<B>) -> Answering<B> {
        let needs_host = request.version() == Version::HTTP_11;
        let progress = (request.version() == Version::HTTP_2).then(|| self.next_stream.begin());
        Answering::new(Arc::clone(&self.service.core), request, needs_host, progress)
    }
}

/// Returns the builder of connections of either protocol, with the limits of the service.
fn connection_builder(limits: &Limits, streams: StreamExecutor) -> Builder<StreamExecutor> {
    let mut builder = Builder::new(streams);
    builder
        .http1()
        .timer(HeadTimer::default())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(limits.header_bytes)
        .half_close(true);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
        .max_concurrent_streams(limits.concurrent_streams)
        .keep_alive_interval(limits.body_idle_timeout)
        .keep_alive_timeout(limits.header_timeout)
        .max_pending_accept_reset_streams(PENDING_RESETS_MAX);
    builder
}

/// Returns whether the error concerns only the connection that was to be accepted.
fn is_connection_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

/// A listening socket.
#[derive(Debug)]
pub(super) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

impl Listener {
    pub(super) async fn accept(&self) -> io::Result<Socket> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // Small responses must not wait for further data.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "cannot set TCP_NODELAY");
                }
                Ok(Socket::Tcp(stream))
            }
            #[cfg(unix)]
            Listener::Unix(listener) => Ok(Socket::Unix(listener.accept().await?.0)),
        }
    }
}
