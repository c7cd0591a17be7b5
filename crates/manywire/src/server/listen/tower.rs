//! Serving a [`TowerService`] on a connection: the checks of heads, the limits on bodies and the
//! notes about the connection that an API applies to its own requests are applied here around the
//! service, for bodies of any type.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode, Version, header};
use http_body::{Body as _, Frame, SizeHint};
use pin_project_lite::pin_project;
use tokio::task::AbortHandle;

use super::connection::{Connection, ConnectionContext};
use super::head_timeout::ConnectionBody;
use super::{Serve, Server};
use crate::activity::{Activity, Work};
use crate::body::{Body, BoxError, ProgressCell, observed_chunk_bytes};
use crate::limits::Limits;
use crate::negotiate::CodingOffers;
use crate::pace::{Pace, PaceLimits};
use crate::problem::Problem;
use crate::problem_writer::{ProblemFormat, ProblemWriter};
use crate::server::core::{Core, EarlyResponse, TrailingSlash, check_head};
use crate::server::etags::EntityTags;
use crate::server::headers::RequestHeaders;
use crate::server::router::Router;
use crate::server::service::Service;
use crate::server::tower::TowerService;

impl Server {
    /// Serves any service of tower, such as a router of axum, with the limits, TLS and shutdown of
    /// this server.
    ///
    /// ```
    /// use manywire::{Limits, Server};
    ///
    /// # async fn example() -> std::io::Result<()> {
    /// let app = axum::Router::new().route("/", axum::routing::get(|| async { "hello" }));
    /// let service = Server::serve(app).limits(Limits::DEFAULT.with_connections(1_000));
    /// service.bind("127.0.0.1:8080").await?.run().await
    /// # }
    /// ```
    pub fn serve<S>(service: S) -> TowerService<S> {
        TowerService { service, api: without_endpoints(), limits: Limits::DEFAULT }
    }
}

/// Returns an API without endpoints, which supplies the problems for a server of another service.
pub(super) fn without_endpoints() -> Service {
    let core = Core {
        router: Router::default(),
        served: Vec::new(),
        paths: Vec::new(),
        problems: ProblemWriter::json(),
        codings: Vec::new(),
        coding_offers: CodingOffers::new([]),
        coded_bytes_min: 0,
        limits: Limits::DEFAULT,
        trailing_slash: TrailingSlash::Distinct,
        entity_tags: EntityTags::None,
        metrics: None,
    };
    Service { core: Arc::new(core) }
}

impl<S> TowerService<S>
where
    TowerService<S>: Serve,
{
    /// Binds a TCP socket. With port 0 the system chooses the port.
    ///
    /// # Errors
    /// Returns an error if the address cannot be bound.
    pub async fn bind(self, address: impl tokio::net::ToSocketAddrs) -> io::Result<Server<Self>> {
        Server::bind_service(self, address).await
    }

    /// Binds a Unix socket, as [`Service::bind_unix`](crate::Service::bind_unix) does.
    ///
    /// # Errors
    /// Returns an error if the path cannot be bound.
    #[cfg(unix)]
    pub async fn bind_unix(
        self,
        path: impl AsRef<std::path::Path>,
    ) -> io::Result<super::UnixServer<Self>> {
        super::UnixServer::bind_service(self, path.as_ref())
    }
}

impl<S, B> Serve for TowerService<S>
where
    S: tower_service::Service<Request<RequestBody>, Response = Response<B>>,
    S: Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: http_body::Body + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Body = ResponseBody<B>;
    type Answering = TowerAnswering<S, B>;

    fn api(&self) -> &Service {
        &self.api
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn answer(
        &self,
        (parts, body): (Parts, ConnectionBody),
        connection: ConnectionContext,
    ) -> TowerAnswering<S, B> {
        let is_head = parts.method == Method::HEAD;
        let work = SharedWork::begin(Arc::clone(&connection.activity));
        let state = match admit(&self.api, &self.limits, &parts) {
            Err(refused) => AnsweringState::Refused { refused: Some(*refused) },
            Ok(format) => {
                let body = RequestBody::new(body, self.body_pace(), work.clone());
                let request = Some(Request::from_parts(parts, body));
                AnsweringState::Waiting { service: self.service.clone(), request, format }
            }
        };
        TowerAnswering { state, api: self.api.clone(), is_head, connection, work }
    }

    fn spawn(connection: Connection<Self>) -> AbortHandle {
        connection.spawn()
    }
}

/// Returns the format of problems for the client of a request.
///
/// # Errors
/// Returns the response to a request whose head breaks the rules for all requests.
fn admit(api: &Service, limits: &Limits, parts: &Parts) -> Result<ProblemFormat, EarlyResponse> {
    let fields = RequestHeaders::read(&parts.headers);
    let needs_host = parts.version == Version::HTTP_11;
    match check_head(&fields, parts, needs_host, limits) {
        Ok(()) => Ok(api.core.problems.choose(fields.accept.as_deref())),
        Err(refusal) => Err(api.core.refuse(refusal, parts)),
    }
}

impl<S> TowerService<S> {
    /// Returns the limits on the pace of a request body. The total time is not limited, because the
    /// body may be a stream that never ends.
    fn body_pace(&self) -> PaceLimits {
        let limits = PaceLimits::of(&self.limits);
        match self.api.core.served.is_empty() {
            true => limits,
            // The endpoints limit the pace of their bodies, and some permit every rate. So this
            // limit is for layers that read bodies. The limit permits longer pauses, so that an
            // endpoint refuses a slow body first.
            false => PaceLimits { pause: limits.pause * 2, bytes_per_second: 0, total: None },
        }
    }
}

pin_project! {
    /// The future of a response.
    pub struct TowerAnswering<S, B>
    where
        S: tower_service::Service<Request<RequestBody>, Response = Response<B>>,
    {
        #[pin]
        state: AnsweringState<S, S::Future>,
        api: Service,
        is_head: bool,
        connection: ConnectionContext,
        work: SharedWork,
    }
}

pin_project! {
    #[project = StateProjection]
    enum AnsweringState<S, F> {
        /// The request is refused without the service.
        Refused { refused: Option<Response<Body>> },
        /// The service is not ready yet, for example because of a limit on concurrent requests.
        Waiting { service: S, request: Option<Request<RequestBody>>, format: ProblemFormat },
        /// The service answers.
        Running {
            #[pin]
            response: F,
            format: ProblemFormat,
        },
    }
}

impl<S, B> Future for TowerAnswering<S, B>
where
    S: tower_service::Service<Request<RequestBody>, Response = Response<B>>,
    S::Error: Into<BoxError>,
    B: http_body::Body,
    B::Error: Into<BoxError>,
{
    type Output = Result<Response<ResponseBody<B>>, std::convert::Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let answered = loop {
            match this.state.as_mut().project() {
                StateProjection::Refused { refused } => {
                    let refused = refused.take().unwrap_or_default();
                    break refused.map(BodySource::own);
                }
                StateProjection::Waiting { service, request, format } => {
                    let format = *format;
                    let ready = ready!(service.poll_ready(context));
                    let response = match (ready, request.take()) {
                        (Ok(()), Some(request)) => service.call(request),
                        (Err(error), _) => break failed(this.api, format, *this.is_head, error),
                        // The future is not polled again after its end.
                        (Ok(()), None) => return Poll::Pending,
                    };
                    this.state.set(AnsweringState::Running { response, format });
                }
                StateProjection::Running { response, format } => {
                    match ready!(response.poll(context)) {
                        Ok(response) => break response.map(BodySource::service),
                        Err(error) => break failed(this.api, *format, *this.is_head, error),
                    }
                }
            }
        };
        let ConnectionContext { activity, progress } = this.connection;
        let is_http1 = progress.is_none();
        let mut response = answered.map(|source| {
            // A body without content has nothing that a client could leave unread.
            let progress = progress.take().filter(|_| !source.is_end_stream());
            ResponseBody { source, rest: Bytes::new(), progress, work: this.work.clone() }
        });
        // A body whose size is known is probably complete, so the connection now waits only for its
        // client.
        if response.body().size_hint().exact().is_some() {
            this.work.end();
        }
        if is_http1 {
            if may_look_malformed(&response) {
                activity.set_bare_errors();
            }
            if activity.is_closing() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(header::CONNECTION, close);
            }
        }
        Poll::Ready(Ok(response))
    }
}

/// Returns whether the response may look like hyper's response to a malformed request: a client
/// error with no content and no header fields but those that hyper writes.
fn may_look_malformed<B: http_body::Body>(response: &Response<B>) -> bool {
    const WRITTEN_BY_HYPER: [header::HeaderName; 3] =
        [header::CONNECTION, header::CONTENT_LENGTH, header::DATE];
    response.status().is_client_error()
        && response.body().size_hint().exact() == Some(0)
        && response.headers().keys().all(|name| WRITTEN_BY_HYPER.contains(name))
}

/// Returns the response to a request whose service failed, and logs the error, which the client does
/// not see.
#[cold]
fn failed<B>(
    api: &Service,
    format: ProblemFormat,
    is_head: bool,
    error: impl Into<BoxError>,
) -> Response<BodySource<B>> {
    let error = error.into();
    tracing::error!(%error, "a service or layer failed");
    let problem = Problem::new(StatusCode::INTERNAL_SERVER_ERROR);
    api.core.problem(&problem, None, format, is_head).map(BodySource::own)
}

/// The mark that a connection waits for the server, while a service works on a request and does not
/// wait for its body.
#[derive(Clone)]
struct SharedWork {
    activity: Arc<Activity>,
    work: Arc<Mutex<Option<Work>>>,
}

impl SharedWork {
    fn begin(activity: Arc<Activity>) -> Self {
        let work = Arc::new(Mutex::new(Some(activity.work())));
        SharedWork { activity, work }
    }

    /// Notes that the request waits for the server again.
    fn resume(&self) {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        work.get_or_insert_with(|| self.activity.work());
    }

    /// Notes that the request waits for its client.
    fn end(&self) {
        *self.work.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

pin_project! {
    /// The body of a request to a [`TowerService`]. Reading fails if the body arrives more slowly
    /// than the limits of the server permit.
    pub struct RequestBody {
        #[pin]
        incoming: ConnectionBody,
        limits: PaceLimits,
        pace: Option<Box<Pace>>,
        work: SharedWork,
        // Indicates whether the last poll waited for the client.
        is_waiting: bool,
    }
}

impl RequestBody {
    fn new(incoming: ConnectionBody, limits: PaceLimits, work: SharedWork) -> Self {
        RequestBody { incoming, limits, pace: None, work, is_waiting: false }
    }
}

impl http_body::Body for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.project();
        match this.incoming.poll_frame(context) {
            Poll::Ready(frame) => {
                if std::mem::take(this.is_waiting) {
                    this.work.resume();
                }
                if let (Some(pace), Some(Ok(frame))) = (this.pace, &frame) {
                    pace.add(frame.data_ref().map_or(0, Bytes::len));
                }
                Poll::Ready(frame.map(|frame| frame.map_err(BoxError::from)))
            }
            Poll::Pending => {
                if !std::mem::replace(this.is_waiting, true) {
                    this.work.end();
                }
                let pace = this.pace.get_or_insert_with(|| Pace::new(*this.limits));
                let too_slow = ready!(pace.poll_too_slow(context));
                let error = io::Error::new(io::ErrorKind::TimedOut, format!("the body {too_slow}"));
                Poll::Ready(Some(Err(error.into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RequestBody")
    }
}

pin_project! {
    /// The body of a response of a [`TowerService`]. On HTTP/2 it is given in chunks of one frame,
    /// and its progress is observed.
    pub struct ResponseBody<B> {
        #[pin]
        source: BodySource<B>,
        // The part of the last chunk that was not given yet.
        rest: Bytes,
        progress: Option<Arc<ProgressCell>>,
        // Held while the source is not ready.
        work: SharedWork,
    }

    impl<B> PinnedDrop for ResponseBody<B> {
        fn drop(this: Pin<&mut Self>) {
            this.project().work.end();
        }
    }
}

pin_project! {
    /// The source of a body: a service, or the server itself.
    #[project = SourceProjection]
    enum BodySource<B> {
        Service {
            #[pin]
            body: B,
        },
        Own {
            #[pin]
            body: Body,
        },
    }
}

impl<B> BodySource<B> {
    fn service(body: B) -> Self {
        BodySource::Service { body }
    }

    fn own(body: Body) -> Self {
        BodySource::Own { body }
    }
}

impl<B> BodySource<B>
where
    B: http_body::Body,
    B::Error: Into<BoxError>,
{
    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self.project() {
            SourceProjection::Service { body } => body.poll_frame(context).map(|frame| {
                Some(frame?.map(|frame| frame.map_data(all_bytes)).map_err(Into::into))
            }),
            SourceProjection::Own { body } => {
                body.poll_frame(context).map(|frame| Some(frame?.map_err(Into::into)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            BodySource::Service { body } => body.is_end_stream(),
            BodySource::Own { body } => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            BodySource::Service { body } => body.size_hint(),
            BodySource::Own { body } => body.size_hint(),
        }
    }
}

fn all_bytes(mut data: impl Buf) -> Bytes {
    data.copy_to_bytes(data.remaining())
}

impl<B> http_body::Body for ResponseBody<B>
where
    B: http_body::Body,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.project();
        let Some(progress) = this.progress else {
            let frame = this.source.poll_frame(context);
            if let Poll::Ready(Some(Ok(frame))) = &frame
                && let Some(chunk) = frame.data_ref()
            {
                this.work.activity.note_content(chunk);
            }
            return frame;
        };
        let frame = match this.rest.is_empty() {
            true => this.source.poll_frame(context),
            false => Poll::Ready(Some(Ok(Frame::data(std::mem::take(this.rest))))),
        };
        progress.report(&frame);
        frame.map(|frame| {
            Some(frame?.map(|frame| {
                frame.map_data(|mut chunk| {
                    *this.rest = chunk.split_off(observed_chunk_bytes(chunk.len()));
                    chunk
                })
            }))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.source.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.source.size_hint();
        let rest_bytes = self.rest.len() as u64;
        if rest_bytes > 0 {
            let upper = hint.upper();
            hint.set_lower(hint.lower() + rest_bytes);
            if let Some(upper) = upper {
                hint.set_upper(upper + rest_bytes);
            }
        }
        hint
    }
}

impl<B> fmt::Debug for ResponseBody<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResponseBody")
    }
}
