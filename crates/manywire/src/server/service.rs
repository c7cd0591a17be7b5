//! [`Service`], the built API as a service of tower and hyper, and [`Answering`], the future of one
//! response, with the tracing span of its request.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
#[cfg(feature = "server")]
use http::StatusCode;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, header};
use http_body::Body as _;
use pin_project_lite::pin_project;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tracing::field::Empty;
use tracing::span::Entered;
use tracing::{Level, Span};

use super::conditions::{Conditions, Precondition, Validators};
use super::core::{Core, EarlyResponse, MatchedRequest, Negotiated};
use super::etags::EntityTags;
use super::metrics::RequestMetrics;
use super::operation::Operation;
use super::refusal::Refusal;
use super::request_body::{BodyKind, BodyReader};
use crate::activity::{Activity, Work};
use crate::body::{Body, ProgressCell};
use crate::content::IncomingContent;
use crate::endpoint::HandlerFuture;
use crate::limits::Limits;
#[cfg(feature = "server")]
use crate::problem::Problem;

/// An API that is ready to serve. [`Api::build`](crate::Api::build) creates it.
///
/// It is a [`tower_service::Service`] over any body: it takes tower's layers, mounts inside axum
/// with `nest_service` or `fallback_service`, and can be called in tests without a socket. A clone
/// costs one reference count.
#[derive(Clone)]
pub struct Service {
    pub(super) core: Arc<Core>,
}

impl Service {
    /// Returns the limits of the service.
    pub fn limits(&self) -> Limits {
        self.core.limits
    }

    /// Returns the content and media type of the problem for a request that could not be parsed, in
    /// the format of clients without a preference.
    #[cfg(feature = "server")]
    #[cold]
    pub(super) fn protocol_problem(&self, status: StatusCode) -> (Bytes, HeaderValue) {
        let limits = &self.core.limits;
        let problem = Problem::new(status);
        let problem = match status {
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => problem.with_detail(format!(
                "expected at most {} header fields in at most {} bytes",
                limits.header_fields, limits.header_bytes
            )),
            StatusCode::BAD_REQUEST => problem.with_detail("the request is not valid HTTP"),
            _ => problem,
        };
        let (content, content_type) =
            self.core.problems.write(&problem, self.core.problems.choose(None));
        (content.clone(), content_type)
    }
}

impl<B: http_body::Body + Send + 'static> tower_service::Service<Request<B>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering<B>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    #[inline]
    fn call(&mut self, request: Request<B>) -> Answering<B> {
        Answering::new(Arc::clone(&self.core), request, false, None)
    }
}

#[cfg(feature = "server")]
impl<B: http_body::Body + Send + 'static> hyper::service::Service<Request<B>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering<B>;

    #[inline]
    fn call(&self, request: Request<B>) -> Answering<B> {
        Answering::new(Arc::clone(&self.core), request, false, None)
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let patterns = self.core.served.iter().map(|served| &*served.operation.responder);
        f.debug_list()
            .entries(patterns.map(|endpoint| format!("{} {}", endpoint.method, endpoint.pattern)))
            .finish()
    }
}

/// The future of a response.
///
/// This state machine is written by hand so that it has a name, which [`tower_service::Service`]
/// needs, and is not boxed as a whole. It is moved several times before it is polled, so it is kept
/// small: state that few requests need is boxed.
pub struct Answering<B> {
    core: Arc<Core>,
    metrics: RequestMetrics,
    trace: Option<Box<RequestSpan>>,
    conditions: Option<Box<Conditions>>,
    connection: Option<RequestConnection>,
    /// Notes that the connection waits for the server, while the handler runs.
    work: Option<Work>,
    state: State<B>,
}

/// The connection of a request, if the request comes from the server's own socket.
#[cfg_attr(not(feature = "server"), allow(dead_code, reason = "there are no connections"))]
#[derive(Debug)]
pub(super) struct RequestConnection {
    pub(super) activity: Arc<Activity>,
    /// The observer of the response body, if the request is one of HTTP/2.
    pub(super) progress: Option<Arc<ProgressCell>>,
}

enum State<B> {
    /// The response is ready without a handler. The poll takes it.
    Done(Option<EarlyResponse>),
    /// The handler of GET runs, for the preconditions of another method.
    Checking(Box<Check<B>>),
    /// The body is being collected.
    Collecting(Pin<Box<CollectingBody<B>>>),
    /// A long body is being decoded on a blocking thread.
    Decoding(JoinHandle<Result<HandlerFuture, EarlyResponse>>, Negotiated),
    /// The handler is running.
    Running(HandlerFuture, Negotiated),
}

/// A request that waits for the current representation.
struct Check<B> {
    current: HandlerFuture,
    current_negotiated: Negotiated,
    /// The request, until it is handled.
    request: Option<(MatchedRequest, Parts, B)>,
}

pin_project! {
    struct CollectingBody<B> {
        matched: MatchedRequest,
        parts: Parts,
        #[pin]
        reader: BodyReader<B>,
    }
}

impl<B: http_body::Body + Send + 'static> Answering<B> {
    #[inline]
    pub(super) fn new(
        core: Arc<Core>,
        request: Request<B>,
        needs_host: bool,
        connection: Option<RequestConnection>,
    ) -> Self {
        let (mut parts, body) = request.into_parts();
        let mut metrics = RequestMetrics::start(&core, &parts);
        let trace = RequestSpan::begin(&parts);
        let entered = trace.as_ref().map(|trace| trace.enter());
        let matched = core.route(&mut parts, needs_host);
        metrics.set_endpoint(
            &core,
            &parts,
            matched.as_ref().ok().map(|matched| matched.negotiated.endpoint_index),
        );
        let is_conditional =
            matched.as_ref().is_ok_and(|matched| matched.negotiated.is_conditional);
        let conditions = is_conditional.then(|| Conditions::from_headers(&parts.headers));
        let state = match (matched, &conditions) {
            (Ok(matched), Some(conditions)) if core.is_guarded(&matched, conditions) => {
                State::checking(&core, matched, parts, body, conditions, &metrics)
            }
            (Ok(matched), _) => State::begin(&core, matched, parts, body, &metrics),
            (Err(early), _) => State::Done(Some(early)),
        };
        drop(entered);
        let work = state.work(connection.as_ref());
        Answering { core, metrics, trace, conditions, connection, work, state }
    }
}

impl<B> Answering<B> {
    /// Connects a response with its connection: streams still wait for their source, bodies of
    /// HTTP/2 are observed, and the last response closes a connection of HTTP/1.
    #[inline]
    fn finish_connection(&mut self, response: &mut Response<Body>) {
        let Some(connection) = self.connection.take() else { return };
        let work = self.work.take();
        if response.body().is_stream() {
            response.body_mut().hold(work);
        }
        match connection.progress {
            Some(progress) => response.body_mut().observe(progress),
            None if connection.activity.is_closing() => {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(header::CONNECTION, close);
            }
            None => {}
        }
    }
}

impl<B> State<B> {
    /// Notes that the connection waits for the server, once the handler runs.
    #[inline]
    fn work(&self, connection: Option<&RequestConnection>) -> Option<Work> {
        match self {
            State::Running(..) | State::Decoding(..) => Some(connection?.activity.work()),
            State::Checking(_) => Some(connection?.activity.work()),
            State::Done(_) | State::Collecting(_) => None,
        }
    }
}

impl<B: http_body::Body + Send + 'static> State<B> {
    /// Handles a request whose preconditions hold.
    #[inline]
    fn begin(
        core: &Core,
        matched: MatchedRequest,
        parts: Parts,
        body: B,
        metrics: &RequestMetrics,
    ) -> Self {
        match matched.body {
            Some(kind) if kind.is_stream() => {
                let body = metrics.count_body(body);
                State::streaming(core, &matched, kind, &parts, body)
            }
            Some(kind) => State::collecting(core, matched, kind, parts, body),
            None => State::running(core, &matched, &parts, IncomingContent::Whole(Bytes::new())),
        }
    }

    /// Gets the current representation, with which the preconditions are compared.
    #[cold]
    fn checking(
        core: &Core,
        matched: MatchedRequest,
        parts: Parts,
        body: B,
        conditions: &Conditions,
        metrics: &RequestMetrics,
    ) -> Self {
        match core.start_current(&matched, &parts) {
            Some((current, current_negotiated)) => {
                let request = Some((matched, parts, body));
                State::Checking(Box::new(Check { current, current_negotiated, request }))
            }
            None => match core.refuse_unless(conditions, Validators::default(), &matched) {
                Some(early) => State::Done(Some(early)),
                None => State::begin(core, matched, parts, body, metrics),
            },
        }
    }

    /// Handles a request if its preconditions hold for the response to GET.
    #[cold]
    fn checked(
        core: &Core,
        check: &mut Check<B>,
        current: &Response<Body>,
        conditions: Option<&Conditions>,
        metrics: &RequestMetrics,
    ) -> Self {
        let Some((matched, parts, body)) = check.request.take() else { return State::Done(None) };
        let field = |name| current.headers().get(name);
        let validators = match current.status().is_success() {
            true => Validators {
                exists: true,
                tag: field(header::ETAG),
                last_modified: field(header::LAST_MODIFIED),
            },
            false => Validators::default(),
        };
        let refused =
            conditions.and_then(|conditions| core.refuse_unless(conditions, validators, &matched));
        match refused {
            Some(early) => State::Done(Some(early)),
            None => State::begin(core, matched, parts, body, metrics),
        }
    }

    fn collecting(
        core: &Core,
        matched: MatchedRequest,
        kind: BodyKind,
        parts: Parts,
        body: B,
    ) -> Self {
        match BodyReader::begin(body, kind, &core.limits) {
            Ok(reader) => State::Collecting(Box::pin(CollectingBody { matched, parts, reader })),
            Err(refusal) => {
                State::Done(Some(Box::new(core.refuse_negotiated(refusal, matched.negotiated))))
            }
        }
    }

    /// Decodes a collected body, on a blocking thread if that takes long, and starts the handler.
    #[inline]
    fn decoding(core: &Arc<Core>, matched: MatchedRequest, parts: &mut Parts, body: Bytes) -> Self {
        let is_long = matched.body.is_some_and(|kind| kind.is_long(body.len()));
        if is_long && let Ok(runtime) = Handle::try_current() {
            let none = Request::new(()).into_parts().0;
            let (core, parts) = (Arc::clone(core), std::mem::replace(parts, none));
            let decode = move || core.start(&matched, &parts, IncomingContent::Whole(body));
            return State::Decoding(runtime.spawn_blocking(decode), matched.negotiated);
        }
        State::running(core, &matched, parts, IncomingContent::Whole(body))
    }

    /// Starts the handler with the body as a stream, which the handler reads when it wants to.
    fn streaming<S>(
        core: &Core,
        matched: &MatchedRequest,
        kind: BodyKind,
        parts: &Parts,
        body: S,
    ) -> Self
    where
        S: http_body::Body + Send + 'static,
    {
        let content_type = parts.headers.get(http::header::CONTENT_TYPE);
        match kind.arriving(body, content_type, &core.limits) {
            Ok(arriving) => State::running(core, matched, parts, IncomingContent::Stream(arriving)),
            Err(error) => {
                let refusal = Refusal::InvalidCoding { error };
                State::Done(Some(Box::new(core.refuse_negotiated(refusal, matched.negotiated))))
            }
        }
    }

    #[inline]
    fn running(
        core: &Core,
        matched: &MatchedRequest,
        parts: &Parts,
        body: IncomingContent,
    ) -> Self {
        match core.start(matched, parts, body) {
            Ok(running) => State::Running(running, matched.negotiated),
            Err(early) => State::Done(Some(early)),
        }
    }
}

impl Core {
    /// Returns whether the preconditions of a request are evaluated before its handler runs.
    #[cold]
    fn is_guarded(&self, matched: &MatchedRequest, conditions: &Conditions) -> bool {
        let endpoint = self.served.get(matched.negotiated.endpoint_index);
        let is_change = |operation: &Operation| {
            !operation.reads_conditions
                && ![Method::GET, Method::HEAD, Method::OPTIONS]
                    .contains(&operation.responder.method)
        };
        self.entity_tags != EntityTags::None
            && conditions.guard_a_change()
            && endpoint.is_some_and(|endpoint| is_change(&endpoint.operation))
    }

    /// Returns the refusal of a request that changes something, if its preconditions do not hold.
    #[cold]
    fn refuse_unless(
        &self,
        conditions: &Conditions,
        current: Validators<'_>,
        matched: &MatchedRequest,
    ) -> Option<EarlyResponse> {
        let Precondition::Failed(field) = conditions.evaluate(current, false) else { return None };
        let refusal = Refusal::PreconditionFailed { field, tag: current.tag.cloned() };
        Some(Box::new(self.refuse_negotiated(refusal, matched.negotiated)))
    }
}

impl<B: http_body::Body + Send + 'static> Future for Answering<B> {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let entered = this.trace.as_ref().map(|trace| trace.enter());
        let mut response = loop {
            match &mut this.state {
                State::Running(running, negotiated) => {
                    let outcome = ready!(running.as_mut().poll(context));
                    break this.core.finish(*negotiated, outcome, this.conditions.as_deref());
                }
                State::Checking(check) => {
                    let outcome = ready!(check.current.as_mut().poll(context));
                    let current = this.core.finish(check.current_negotiated, outcome, None);
                    let conditions = this.conditions.as_deref();
                    let next =
                        State::checked(&this.core, check, &current, conditions, &this.metrics);
                    this.state = next;
                    this.work = this.state.work(this.connection.as_ref());
                }
                State::Collecting(collecting) => {
                    let collecting = collecting.as_mut().project();
                    let collected = ready!(collecting.reader.poll(&this.core.limits, context));
                    this.state = match collected {
                        Ok(body) => {
                            this.metrics.add_received(body.len());
                            State::decoding(&this.core, *collecting.matched, collecting.parts, body)
                        }
                        Err(refusal) => {
                            let negotiated = collecting.matched.negotiated;
                            State::Done(Some(Box::new(
                                this.core.refuse_negotiated(refusal, negotiated),
                            )))
                        }
                    };
                    this.work = this.state.work(this.connection.as_ref());
                }
                State::Decoding(task, negotiated) => {
                    let negotiated = *negotiated;
                    this.state = match ready!(Pin::new(task).poll(context)) {
                        Ok(Ok(running)) => State::Running(running, negotiated),
                        Ok(Err(early)) => State::Done(Some(early)),
                        // A panic on the blocking thread continues here, as if the handler had been
                        // called on this thread.
                        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
                        // The runtime is shutting down, so no client is left to respond to.
                        Err(_) => State::Done(None),
                    };
                }
                State::Done(early) => break early.take().map(|early| *early).unwrap_or_default(),
            }
        };
        drop(entered);
        this.finish_connection(&mut response);
        this.metrics.finish(&mut response);
        if let Some(trace) = this.trace.take() {
            trace.end(&response);
        }
        Poll::Ready(Ok(response))
    }
}

impl<B> fmt::Debug for Answering<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answering")
    }
}

/// The tracing span of a request, which contains the log events of its handler. It is created only
/// if a subscriber is interested.
struct RequestSpan {
    span: Span,
    started: Instant,
}

impl RequestSpan {
    #[inline]
    pub(super) fn begin(parts: &Parts) -> Option<Box<RequestSpan>> {
        tracing::enabled!(target: "manywire", Level::INFO).then(|| Self::new(parts))
    }

    #[cold]
    fn new(parts: &Parts) -> Box<RequestSpan> {
        let span = tracing::info_span!(
            target: "manywire",
            "request",
            method = %parts.method,
            path = parts.uri.path(),
            status = Empty,
            format = Empty,
            coding = Empty,
            bytes = Empty,
            elapsed_us = Empty,
        );
        Box::new(RequestSpan { span, started: Instant::now() })
    }

    /// Enters the span until the guard is dropped.
    #[cold]
    fn enter(&self) -> Entered<'_> {
        self.span.enter()
    }

    /// Records the response in the span. Unknown values, such as the size of a stream, are omitted.
    #[cold]
    pub(super) fn end(&self, response: &Response<Body>) {
        let field = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        self.span.record("status", response.status().as_u16());
        if let Some(format) = field(header::CONTENT_TYPE) {
            self.span.record("format", format);
        }
        if let Some(coding) = field(header::CONTENT_ENCODING) {
            self.span.record("coding", coding);
        }
        if let Some(bytes) = response.body().size_hint().exact() {
            self.span.record("bytes", bytes);
        }
        self.span.record("elapsed_us", self.started.elapsed().as_micros() as u64);
        tracing::info!(target: "manywire", parent: &self.span, "answered");
    }
}
