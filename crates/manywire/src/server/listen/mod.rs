//! Listening on TCP and Unix sockets: accepting connections and serving HTTP/1.1 and HTTP/2 on
//! them.

mod connection;
mod connections;
mod head_timeout;
mod protocol_errors;
mod shutdown;
mod signals;
mod stalled_streams;
mod timeouts;
#[cfg_attr(not(feature = "tls"), path = "tls_disabled.rs")]
mod tls;
mod tower;
#[cfg(unix)]
mod unix;

#[cfg(feature = "tls")]
pub use tls::Tls;
pub use tower::RequestBody;
#[cfg(unix)]
pub use unix::UnixServer;

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use connection::{Connection, ConnectionContext};
use connections::{ConnectionState, Connections, LOOK_INTERVAL, Peer};
use head_timeout::ConnectionBody;
use http::request::Parts;
use http::{Response, Version};
use protocol_errors::ProtocolProblems;
use shutdown::Shutdown;
use signals::Signals;
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::metrics::ConnectionGauge;
use super::service::{Answering, RequestConnection, Service};
use crate::body::{Body, BoxError};
use crate::limits::Limits;
use crate::socket::Socket;

/// A service that a [`Server`] can serve: a [`Service`], or a [`TowerService`](crate::TowerService),
/// which is an API under layers or any other service of tower. No other type implements this trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be served",
    note = "a `TowerService<S>` needs an `S` that is `Clone + Send` and a service of tower for \
            `http::Request<manywire::RequestBody>`, whose responses have an `http_body::Body`, and \
            whose error is a `std::error::Error`"
)]
pub trait Serve: Clone + Send + 'static {
    /// The body of a response.
    #[doc(hidden)]
    type Body: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static;
    /// The future of a response.
    #[doc(hidden)]
    type Answering: Future<Output = Result<Response<Self::Body>, Infallible>> + Send + 'static;

    /// Returns the API whose problems and metrics the server uses.
    #[doc(hidden)]
    fn api(&self) -> &Service;

    /// Returns the limits of the server.
    #[doc(hidden)]
    fn limits(&self) -> Limits;

    /// Answers a request of a connection, given as its head and its body.
    #[doc(hidden)]
    fn answer(
        &self,
        request: (Parts, ConnectionBody),
        connection: ConnectionContext,
    ) -> Self::Answering;

    /// Serves a connection in a separate task.
    ///
    /// Each implementation calls [`Connection::spawn`]. There is no default implementation, because
    /// the code for a [`Service`] would then be generated in each crate of a service, and not once
    /// in this crate: all of hyper for connections, which takes longer to compile than a service.
    #[doc(hidden)]
    fn spawn(connection: Connection<Self>) -> AbortHandle;
}

impl Serve for Service {
    type Body = Body;
    type Answering = Answering<ConnectionBody>;

    fn api(&self) -> &Service {
        self
    }

    fn limits(&self) -> Limits {
        self.limits()
    }

    #[inline]
    fn answer(
        &self,
        request: (Parts, ConnectionBody),
        connection: ConnectionContext,
    ) -> Answering<ConnectionBody> {
        let ConnectionContext { activity, progress } = connection;
        // A framework that mounts the service checks the host itself.
        let needs_host = request.0.version == Version::HTTP_11;
        let connection = Some(RequestConnection { activity, progress });
        Answering::new(Arc::clone(&self.core), request, needs_host, connection)
    }

    fn spawn(connection: Connection<Self>) -> AbortHandle {
        connection.spawn()
    }
}

/// A service with a bound socket that does not accept connections yet.
#[derive(Debug)]
pub struct Server<S = Service> {
    acceptor: Acceptor<S>,
    local_address: SocketAddr,
}

/// A service with its listener.
#[derive(Debug)]
pub(super) struct Acceptor<S> {
    service: S,
    listener: Listener,
    tls: Option<tls::Tls>,
}

/// The pause after a connection cannot be accepted for lack of descriptors or memory: open
/// connections need time to end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The maximum number of connections that are taken from the queue of a listener when it closes.
/// The queue of tokio's listeners has 1,024 places.
const QUEUED_MAX: usize = 4_096;

impl Service {
    /// Binds a TCP socket. With port 0 the system chooses the port.
    ///
    /// # Errors
    /// Returns an error if the address cannot be bound.
    pub async fn bind(self, address: impl ToSocketAddrs) -> io::Result<Server> {
        Server::bind_service(self, address).await
    }
}

impl<S: Serve> Server<S> {
    async fn bind_service(service: S, address: impl ToSocketAddrs) -> io::Result<Server<S>> {
        let listener = TcpListener::bind(address).await?;
        let local_address = listener.local_addr()?;
        Ok(Server { acceptor: Acceptor::new(service, Listener::Tcp(listener)), local_address })
    }

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

    /// Serves as [`Server::run_until`] does until the process gets SIGTERM or Ctrl-C (SIGINT); on
    /// Windows, Ctrl-C or the shutdown of the system. A second signal ends the wait for active
    /// requests. From the first call on, these signals no longer end the process by themselves.
    ///
    /// # Errors
    /// Returns the errors of [`Server::run_until`], an error if the signals cannot be received, and
    /// [`io::ErrorKind::Interrupted`] after a second signal.
    pub async fn run(self) -> io::Result<()> {
        self.acceptor.run().await
    }

    /// Serves HTTP/1.1 and HTTP/2 until `signal` completes. Then the server still accepts
    /// connections and reads requests for [`Limits::shutdown_grace`], and the responses of HTTP/1.1
    /// close their connections. The server answers all requests that clients sent before the end of
    /// this period, and returns within [`Limits::shutdown_timeout`] after it.
    ///
    /// # Errors
    /// Returns [`io::ErrorKind::TimedOut`] if requests are still active by then.
    pub async fn run_until(self, signal: impl Future<Output = ()>) -> io::Result<()> {
        self.acceptor.run_until(signal).await
    }
}

impl<S: Serve> Acceptor<S> {
    pub(super) fn new(service: S, listener: Listener) -> Self {
        Acceptor { service, listener, tls: None }
    }

    /// See [`Server::run`].
    pub(super) async fn run(self) -> io::Result<()> {
        let mut signals = Signals::listen()?;
        let (begin, begun) = oneshot::channel::<()>();
        let mut serving = pin!(self.run_until(async { drop(begun.await) }));
        tokio::select! {
            ended = &mut serving => return ended,
            () = signals.next() => drop(begin),
        }
        tokio::select! {
            ended = &mut serving => ended,
            () = signals.next() => Err(io::Error::new(
                io::ErrorKind::Interrupted,
                "a second signal ended the server before all responses were sent",
            )),
        }
    }

    /// See [`Server::run_until`].
    pub(super) async fn run_until(self, signal: impl Future<Output = ()>) -> io::Result<()> {
        let Acceptor { service, listener, tls } = self;
        let limits = service.limits();
        let problems = Arc::new(ProtocolProblems { api: service.api().clone(), limits });
        let mut serving = Serving {
            service,
            limits,
            problems,
            connections: Connections::new(&limits),
            shutdown: Shutdown::new(limits.shutdown_grace),
            waiting: None,
            tls,
        };
        tokio::select! {
            () = signal => {}
            never = serving.accept_all(&listener) => match never {},
        }
        // During the grace period, the last responses tell the clients of the shutdown, and the
        // server still reads the requests that clients sent before.
        serving.shutdown.begin();
        tokio::select! {
            () = sleep(limits.shutdown_grace) => {}
            never = serving.accept_all(&listener) => match never {},
        }
        serving.accept_queued(listener);
        let ended = serving.shutdown.ended();
        tokio::time::timeout(limits.shutdown_timeout, ended).await.map_err(|_| {
            let waited = limits.shutdown_timeout;
            io::Error::new(
                io::ErrorKind::TimedOut,
                format!("shutdown timed out: requests were still active after {waited:?}"),
            )
        })
    }
}

/// A server while it runs.
struct Serving<S> {
    service: S,
    limits: Limits,
    problems: Arc<ProtocolProblems>,
    connections: Connections,
    shutdown: Shutdown,
    /// The accepted connection that waits for room.
    waiting: Option<(Socket, Option<Peer>)>,
    tls: Option<tls::Tls>,
}

impl<S: Serve> Serving<S> {
    /// Accepts and serves connections until the future is dropped. A connection that waits for room
    /// at that time stays in `waiting`.
    async fn accept_all(&mut self, listener: &Listener) -> Infallible {
        let mut looks = interval(LOOK_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if let Some((_, peer)) = &self.waiting {
                let has_room = self.connections.make_room(*peer).await;
                match self.waiting.take() {
                    Some((socket, peer)) if has_room => self.serve(socket, peer),
                    _ => tracing::debug!("refused a connection: its peer has too many"),
                }
            }
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = looks.tick(), if self.connections.are_many() => {
                    self.connections.look();
                    continue;
                }
            };
            match accepted {
                Ok(accepted) => self.waiting = Some(accepted),
                Err(error) if is_connection_error(&error) => {}
                Err(error) => {
                    tracing::error!(%error, "cannot accept connections");
                    sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Serves the connections that are still in the queue of the listener, and closes the listener.
    fn accept_queued(&mut self, listener: Listener) {
        let queued = listener.into_queued();
        for (socket, peer) in self.waiting.take().into_iter().chain(queued) {
            self.serve(socket, peer);
        }
    }

    /// Serves a connection in a separate task.
    fn serve(&mut self, socket: Socket, peer: Option<Peer>) {
        let state = ConnectionState::default();
        let connection = Connection {
            service: self.service.clone(),
            limits: self.limits,
            problems: Arc::clone(&self.problems),
            watcher: self.shutdown.watcher(Arc::clone(&state.activity)),
            state: state.clone(),
            open: (
                self.connections.place(),
                ConnectionGauge::open(&self.service.api().core.metrics),
            ),
            socket,
            tls: self.tls.clone(),
        };
        self.connections.add(peer, state, S::spawn(connection));
    }
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
    /// Accepts the next connection.
    async fn accept(&self) -> io::Result<(Socket, Option<Peer>)> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                Ok((tcp_socket(stream), Some(Peer::of(address.ip()))))
            }
            #[cfg(unix)]
            Listener::Unix(listener) => Ok((Socket::Unix(listener.accept().await?.0), None)),
        }
    }

    /// Closes the listener, and returns the connections that were in its queue. The system is
    /// called directly, because the runtime may not know of all these connections yet.
    fn into_queued(self) -> Vec<(Socket, Option<Peer>)> {
        let queued = match self {
            Listener::Tcp(listener) => listener.into_std().and_then(|listener| {
                take_queued(|| {
                    let (stream, address) = listener.accept()?;
                    stream.set_nonblocking(true)?;
                    let socket = tcp_socket(TcpStream::from_std(stream)?);
                    Ok((socket, Some(Peer::of(address.ip()))))
                })
            }),
            #[cfg(unix)]
            Listener::Unix(listener) => listener.into_std().and_then(|listener| {
                take_queued(|| {
                    let (stream, _) = listener.accept()?;
                    stream.set_nonblocking(true)?;
                    Ok((Socket::Unix(UnixStream::from_std(stream)?), None))
                })
            }),
        };
        queued.unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot accept the connections in the queue at the shutdown");
            Vec::new()
        })
    }
}

/// Calls `accept` until the queue is empty, at most [`QUEUED_MAX`] times, so that clients that keep
/// connecting cannot prolong the shutdown.
fn take_queued<T>(mut accept: impl FnMut() -> io::Result<T>) -> io::Result<Vec<T>> {
    let mut queued = Vec::new();
    for _ in 0..QUEUED_MAX {
        match accept() {
            Ok(socket) => queued.push(socket),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) if is_connection_error(&error) => {}
            // The connections so far are served.
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection at the shutdown");
                break;
            }
        }
    }
    Ok(queued)
}

fn tcp_socket(stream: TcpStream) -> Socket {
    // Small responses must not wait for further data.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    Socket::Tcp(stream)
}
