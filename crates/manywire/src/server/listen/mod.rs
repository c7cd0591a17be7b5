//! Listening on TCP and Unix sockets: accepting connections and serving HTTP/1.1 and HTTP/2 on
//! them.

mod connections;
mod head_timeout;
mod protocol_errors;
mod shutdown;
mod signals;
mod stalled_streams;
mod timeouts;
#[cfg(feature = "tls")]
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
use connections::{ConnectionState, Connections, LOOK_INTERVAL, Peer};
use head_timeout::ConnectionBody;
use http::request::Parts;
use http::{Request, Response, Version};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioIo, TokioTimer};
use protocol_errors::ProtocolProblems;
use shutdown::Shutdown;
use signals::Signals;
use stalled_streams::{NextStream, StreamExecutor};
use timeouts::{Protocol, TimeoutStream};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::oneshot;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::metrics::ConnectionGauge;
use super::service::{Answering, RequestConnection, Service};
use crate::activity::Activity;
use crate::body::{Body, ProgressCell};
use crate::limits::Limits;
use crate::pace::PaceLimits;
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
}

/// An error of a service or of a body.
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The parts of a connection that concern one of its requests.
#[derive(Debug)]
pub struct ConnectionContext {
    activity: Arc<Activity>,
    /// The observer of the response body, if the request is one of HTTP/2.
    progress: Option<Arc<ProgressCell>>,
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
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
}

/// The pause after a connection cannot be accepted for lack of descriptors or memory: open
/// connections need time to end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The number of connections that are taken from the queue of a listener when it closes. The queue
/// of tokio's listeners has 1,024 places.
const QUEUED_MAX: usize = 4_096;

/// The number of streams of one connection that a client may reset before they are processed. It
/// bounds the "rapid reset" attack.
const PENDING_RESETS_MAX: usize = 20;

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

    /// Serves HTTP/1.1 and HTTP/2 until `signal` completes. Then it still accepts connections and
    /// reads requests for [`Limits::shutdown_grace`], in which the responses of HTTP/1.1 close their
    /// connections. It answers all requests that were written before, and returns within
    /// [`Limits::shutdown_timeout`] after that.
    ///
    /// # Errors
    /// Returns [`io::ErrorKind::TimedOut`] if requests are still active by then.
    pub async fn run_until(self, signal: impl Future<Output = ()>) -> io::Result<()> {
        self.acceptor.run_until(signal).await
    }
}

impl<S: Serve> Acceptor<S> {
    pub(super) fn new(service: S, listener: Listener) -> Self {
        Acceptor {
            service,
            listener,
            #[cfg(feature = "tls")]
            tls: None,
        }
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
                "a second signal ended the server before all requests were answered",
            )),
        }
    }

    /// See [`Server::run_until`].
    pub(super) async fn run_until(self, signal: impl Future<Output = ()>) -> io::Result<()> {
        let Acceptor { service, listener, .. } = self;
        let limits = service.limits();
        let problems = Arc::new(ProtocolProblems { api: service.api().clone(), limits });
        let mut serving = Serving {
            service,
            limits,
            problems,
            connections: Connections::new(&limits),
            shutdown: Shutdown::new(limits.shutdown_grace),
            waiting: None,
            #[cfg(feature = "tls")]
            tls: self.tls,
        };
        tokio::select! {
            () = signal => {}
            never = serving.accept_all(&listener) => match never {},
        }
        // The clients learn of the shutdown by the last responses, and the server still takes what
        // they sent before it began.
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
                format!("requests were still active after {waited:?}"),
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
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
}

impl<S: Serve> Serving<S> {
    /// Accepts and serves connections until the future is dropped. A connection that waits for room
    /// then is still in `waiting`.
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

    /// Serves a connection in a task of its own.
    fn serve(&mut self, socket: Socket, peer: Option<Peer>) {
        let limits = self.limits;
        let connected = ConnectionGauge::open(&self.service.api().core);
        let next_stream = NextStream::default();
        let state = ConnectionState::default();
        let service = ConnectionService {
            service: self.service.clone(),
            next_stream: next_stream.clone(),
            activity: Arc::clone(&state.activity),
        };
        let problems = Arc::clone(&self.problems);
        let watcher = self.shutdown.watcher(Arc::clone(&state.activity));
        let place = self.connections.place();
        let added = state.clone();
        #[cfg(feature = "tls")]
        let tls = self.tls.clone();
        let task = tokio::spawn(async move {
            let _open = (place, connected);
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
            let pace = PaceLimits::of(&limits);
            let socket_state = Arc::clone(&state.socket);
            let mut stream = TimeoutStream::new(socket, pace, state).with_problems(problems);
            let protocol = stream.protocol(limits.header_timeout);
            let protocol = match watcher.until_shutdown(protocol).await {
                Some(Ok(protocol)) => protocol,
                Some(Err(error)) => {
                    tracing::debug!(%error, "a connection closed with an error");
                    return;
                }
                None => return,
            };
            let stream = TokioIo::new(stream);
            let ended = match protocol {
                Protocol::Http1 => {
                    watcher.run(http1_builder(&limits).serve_connection(stream, service)).await
                }
                Protocol::Http2 => {
                    let timeout = limits.body_idle_timeout;
                    let executor = StreamExecutor { socket_state, next_stream, timeout };
                    let builder = http2_builder(&limits, executor);
                    watcher.run(builder.serve_connection(stream, service)).await
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection closed with an error");
            }
        });
        self.connections.add(peer, added, task.abort_handle());
    }
}

/// The service of one connection. The responses of HTTP/2 are observed.
#[derive(Clone, Debug)]
struct ConnectionService<S> {
    service: S,
    next_stream: NextStream,
    activity: Arc<Activity>,
}

impl<S: Serve> hyper::service::Service<Request<Incoming>> for ConnectionService<S> {
    type Response = Response<S::Body>;
    type Error = Infallible;
    type Future = S::Answering;

    #[inline]
    fn call(&self, request: Request<Incoming>) -> S::Answering {
        let (parts, incoming) = request.into_parts();
        let activity = Arc::clone(&self.activity);
        let (body, progress) = match parts.version {
            Version::HTTP_2 => (ConnectionBody::http2(incoming), Some(self.next_stream.begin())),
            _ => {
                activity.add_request();
                (ConnectionBody::http1(incoming, &activity), None)
            }
        };
        self.service.answer((parts, body), ConnectionContext { activity, progress })
    }
}

/// Returns the builder of HTTP/1 connections, with the limits of the service.
fn http1_builder(limits: &Limits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        // `TimeoutStream` has a limit that costs less.
        .header_read_timeout(None)
        .max_buf_size(limits.header_bytes)
        .half_close(true);
    // hyper parses up to its default without an allocation, and only as long as none is set.
    if limits.header_fields != Limits::DEFAULT.header_fields {
        builder.max_headers(limits.header_fields);
    }
    builder
}

/// Returns the builder of HTTP/2 connections, with the limits of the service.
fn http2_builder(limits: &Limits, streams: StreamExecutor) -> http2::Builder<StreamExecutor> {
    let mut builder = http2::Builder::new(streams);
    builder
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

    /// Closes the listener, and returns the connections that were in its queue. The system is asked
    /// directly: the runtime may not have heard of all of them.
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

/// Calls `accept` until the queue is empty. Clients that keep connecting do not keep it going.
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
