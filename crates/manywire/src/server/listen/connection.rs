//! One connection, from its socket to its end: TLS, the choice of the protocol, and hyper.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use http::{Request, Response, Version};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::task::AbortHandle;

use super::Serve;
use super::connections::{ConnectionState, Place};
use super::head_timeout::ConnectionBody;
use super::protocol_errors::ProtocolProblems;
use super::shutdown::ShutdownWatcher;
use super::stalled_streams::{NextStream, StreamExecutor};
use super::timeouts::{Protocol, TimeoutStream};
use super::tls::Tls;
use crate::activity::Activity;
use crate::body::{BoxError, ProgressCell};
use crate::limits::Limits;
use crate::pace::PaceLimits;
use crate::server::metrics::ConnectionGauge;
use crate::socket::Socket;

/// The parts of a connection that concern one of its requests.
#[derive(Debug)]
pub struct ConnectionContext {
    pub(super) activity: Arc<Activity>,
    /// The observer of the response body, if the connection uses HTTP/2.
    pub(super) progress: Option<Arc<ProgressCell>>,
}

/// The maximum number of streams of one connection that a client may reset before they are
/// processed. This limit bounds the "rapid reset" attack.
const PENDING_RESETS_MAX: usize = 20;

/// An accepted connection with the parts of its server that the connection uses.
pub struct Connection<S> {
    pub(super) service: S,
    pub(super) limits: Limits,
    pub(super) problems: Arc<ProtocolProblems>,
    pub(super) watcher: ShutdownWatcher,
    pub(super) state: ConnectionState,
    /// Guards that are held until the connection ends.
    pub(super) open: (Place, ConnectionGauge),
    pub(super) socket: Socket,
    pub(super) tls: Option<Tls>,
}

impl<S: Serve> Connection<S> {
    /// Serves the connection in a separate task.
    pub(super) fn spawn(self) -> AbortHandle {
        tokio::spawn(self.run()).abort_handle()
    }

    async fn run(self) {
        let Connection { service, limits, problems, watcher, state, open, socket, tls } = self;
        let _open = open;
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
        let next_stream = NextStream::default();
        let activity = Arc::clone(&state.activity);
        let service = ConnectionService { service, next_stream: next_stream.clone(), activity };
        let socket_state = Arc::clone(&state.socket);
        let pace = PaceLimits::of(&limits);
        let mut stream = TimeoutStream::new(socket, pace, state).with_problems(problems);
        let protocol = stream.protocol(limits.header_timeout);
        let Some(protocol) = watcher.until_shutdown(protocol).await else { return };
        let stream = TokioIo::new(stream);
        let ended = match protocol {
            Ok(Protocol::Http1) => {
                let connection = http1_builder(&limits).serve_connection(stream, service);
                watcher.run(connection).await.map_err(BoxError::from)
            }
            Ok(Protocol::Http2) => {
                let timeout = limits.body_idle_timeout;
                let executor = StreamExecutor { socket_state, next_stream, timeout };
                let connection = http2_builder(&limits, executor).serve_connection(stream, service);
                watcher.run(connection).await.map_err(BoxError::from)
            }
            Err(error) => Err(error.into()),
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection closed with an error");
        }
    }
}

impl<S> fmt::Debug for Connection<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connection")
    }
}

/// The service of one connection. On HTTP/2, the progress of each response is observed.
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
    // The default of hyper is 100 header fields as well. By its documentation, setting
    // `max_headers` costs an allocation for each head, so the default is not set.
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
