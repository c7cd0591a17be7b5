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
use crate::input::{Authenticated, Authentication};
use crate::limits::Limits;
use crate::problem::Problem;

/// An API that is ready to serve. [`Api::build`](crate::Api::build) creates it.
///
/// The API is a [`tower_service::Service`] over any body: it takes tower's layers, mounts inside
/// axum with `nest_service` or `fallback_service`, and can be called in tests without a socket. A
/// clone costs one reference count.
#[derive(Clone)]
pub struct Service {
    pub(super) core: Arc<Core>,
}

impl Service {
    /// Returns the limits of the service.
    pub fn limits(&self) -> Limits {
        self.core.limits
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
        Answering::new(Arc::clone(&self.core), request.into_parts(), false, None)
    }
}

#[cfg(feature = "server")]
impl<B: http_body::Body + Send + 'static> hyper::service::Service<Request<B>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering<B>;

    #[inline]
    fn call(&self, request: Request<B>) -> Answering<B> {
        Answering::new(Arc::clone(&self.core), request.into_parts(), false, None)
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
    /// Marks the connection as waiting for the server while the handler is prepared or runs.
    work: Option<Work>,
    state: State<B>,
}

/// The connection of a request, if the request comes from the server's own socket.
#[cfg_attr(not(feature = "server"), allow(dead_code, reason = "there are no connections"))]
#[derive(Debug)]
pub(super) struct RequestConnection {
    pub(super) activity: Arc<Activity>,
    /// The observer of the response body, if the connection uses HTTP/2.
    pub(super) progress: Option<Arc<ProgressCell>>,
}

enum State<B> {
    /// The response is ready without a handler. The poll takes it.
    Done(Option<EarlyResponse>),
    /// The credentials are being checked.
    Authenticating(Box<CredentialsCheck<B>>),
    /// The handler of GET runs, for the preconditions of another method.
    Checking(Box<Check<B>>),
    /// The body is being collected.
    Collecting(Pin<Box<PendingRequest<BodyReader<B>>>>),
    /// A long body is being decoded on a blocking thread.
    Decoding(JoinHandle<Result<HandlerFuture, EarlyResponse>>, Negotiated),
    /// The handler is running.
    Running(HandlerFuture, Negotiated),
}

pin_project! {
    /// A request whose credentials or preconditions may have to be checked, or whose body has to be
    /// collected, before its handler starts.
    struct PendingRequest<B> {
        matched: MatchedRequest,
        parts: Parts,
        #[pin]
        body: B,
        authenticated: Option<Authenticated>,
    }
}

/// A request that waits for the check of its credentials.
struct CredentialsCheck<B> {
    checking: Authentication,
    /// The request, until it is handled.
    request: Option<PendingRequest<B>>,
}

/// A request that waits for the current representation.
struct Check<B> {
    current: CurrentRepresentation,
    current_matched: MatchedRequest,
    /// The request, until it is handled.
    request: Option<PendingRequest<B>>,
}

/// The step in which the current representation is being fetched.
enum CurrentRepresentation {
    /// The handler of GET requires credentials, which are being checked.
    Authenticating(Authentication),
    /// The handler of GET is running.
    Running(HandlerFuture),
}

impl<B: http_body::Body + Send + 'static> Answering<B> {
    #[inline]
    pub(super) fn new(
        core: Arc<Core>,
        (mut parts, body): (Parts, B),
        needs_host: bool,
        connection: Option<RequestConnection>,
    ) -> Self {
        let mut metrics = RequestMetrics::start(&core.metrics, &parts);
        let trace = RequestSpan::begin(&parts);
        let entered = trace.as_ref().map(|trace| trace.enter());
        let matched = core.route(&mut parts, needs_host);
        metrics.set_endpoint(
            &core.router,
            &parts,
            matched.as_ref().ok().map(|matched| matched.negotiated.endpoint_index),
        );
        let is_conditional =
            matched.as_ref().is_ok_and(|matched| matched.negotiated.is_conditional);
        let conditions = is_conditional.then(|| Conditions::from_headers(&parts.headers));
        let state = match matched {
            Ok(matched) => {
                let request = PendingRequest { matched, parts, body, authenticated: None };
                match matched.is_secured {
                    true => State::authenticating(&core, request),
                    false => State::guarded(&core, request, conditions.as_deref(), &metrics),
                }
            }
            Err(early) => State::Done(Some(early)),
        };
        drop(entered);
        let work = state.work(connection.as_ref());
        Answering { core, metrics, trace, conditions, connection, work, state }
    }
}

impl<B> Answering<B> {
    /// Ties a response to its connection: a stream marks the connection as waiting for the server
    /// until the stream ends, the body of an HTTP/2 response is observed, and during shutdown an
    /// HTTP/1 response closes the connection.
    #[inline]
    fn finish_connection(&mut self, response: &mut Response<Body>) {
        let Some(connection) = self.connection.take() else { return };
        let work = self.work.take();
        match response.body().content() {
            Some(content) => connection.activity.note_content(content),
            None if response.body().is_stream() => response.body_mut().hold(work),
            None => {}
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
    /// Marks the connection as waiting for the server, unless the response is ready or the body is
    /// being collected from the client.
    #[inline]
    fn work(&self, connection: Option<&RequestConnection>) -> Option<Work> {
        match self {
            State::Running(..) | State::Decoding(..) => Some(connection?.activity.work()),
            State::Authenticating(_) | State::Checking(_) => Some(connection?.activity.work()),
            State::Done(_) | State::Collecting(_) => None,
        }
    }
}

impl<B: http_body::Body + Send + 'static> State<B> {
    /// Starts the check of the credentials of a request.
    #[cold]
    fn authenticating(core: &Core, mut request: PendingRequest<B>) -> Self {
        match core.authenticate(request.matched.negotiated, &mut request.parts) {
            Ok(checking) => {
                let request = Some(request);
                State::Authenticating(Box::new(CredentialsCheck { checking, request }))
            }
            Err(early) => State::Done(Some(early)),
        }
    }

    /// Handles a request whose credentials were checked.
    #[cold]
    fn authenticated(
        core: &Core,
        check: &mut CredentialsCheck<B>,
        checked: Result<Authenticated, Box<Problem>>,
        conditions: Option<&Conditions>,
        metrics: &RequestMetrics,
    ) -> Self {
        let Some(request) = check.request.take() else { return State::Done(None) };
        match checked {
            Ok(value) => {
                let request = PendingRequest { authenticated: Some(value), ..request };
                State::guarded(core, request, conditions, metrics)
            }
            Err(problem) => {
                let Negotiated { problem: format, is_head, .. } = request.matched.negotiated;
                State::Done(Some(Box::new(core.problem(&problem, None, format, is_head))))
            }
        }
    }

    /// Handles a request, after its preconditions are compared.
    #[inline]
    fn guarded(
        core: &Core,
        request: PendingRequest<B>,
        conditions: Option<&Conditions>,
        metrics: &RequestMetrics,
    ) -> Self {
        match conditions {
            Some(conditions) if core.is_guarded(&request.matched, conditions) => {
                State::checking(core, request, conditions, metrics)
            }
            _ => State::begin(core, request, metrics),
        }
    }

    /// Handles a request whose preconditions hold.
    #[inline]
    fn begin(core: &Core, request: PendingRequest<B>, metrics: &RequestMetrics) -> Self {
        let PendingRequest { matched, parts, body, authenticated } = request;
        match matched.body {
            Some(kind) if kind.is_stream() => {
                let body = metrics.count_body(body);
                State::streaming(core, &matched, kind, &parts, body, authenticated)
            }
            Some(kind) => match BodyReader::begin(body, kind, &core.limits) {
                Ok(body) => {
                    let request = PendingRequest { matched, parts, body, authenticated };
                    State::Collecting(Box::pin(request))
                }
                Err(refusal) => {
                    State::Done(Some(core.refuse_negotiated(refusal, matched.negotiated)))
                }
            },
            None => {
                let body = IncomingContent::Whole(Bytes::new());
                State::running(core, &matched, &parts, body, authenticated)
            }
        }
    }

    /// Gets the current representation, with which the preconditions are compared.
    #[cold]
    fn checking(
        core: &Core,
        mut request: PendingRequest<B>,
        conditions: &Conditions,
        metrics: &RequestMetrics,
    ) -> Self {
        let current_matched = core.match_current(&request.matched, &request.parts);
        let current = current_matched
            .and_then(|matched| CurrentRepresentation::get(core, &matched, &mut request.parts));
        match (current, current_matched) {
            (Some(current), Some(current_matched)) => {
                let request = Some(request);
                State::Checking(Box::new(Check { current, current_matched, request }))
            }
            _ => match core.refuse_unless(conditions, Validators::default(), &request.matched) {
                Some(early) => State::Done(Some(early)),
                None => State::begin(core, request, metrics),
            },
        }
    }

    /// Handles a request if its preconditions hold for the response to GET.
    #[cold]
    fn checked(
        core: &Core,
        check: &mut Check<B>,
        current: Option<&Response<Body>>,
        conditions: Option<&Conditions>,
        metrics: &RequestMetrics,
    ) -> Self {
        let Some(request) = check.request.take() else { return State::Done(None) };
        let current = current.filter(|current| current.status().is_success());
        let field = |name| current.and_then(|current| current.headers().get(name));
        let validators = Validators {
            exists: current.is_some(),
            tag: field(header::ETAG),
            last_modified: field(header::LAST_MODIFIED),
        };
        let refused = conditions
            .and_then(|conditions| core.refuse_unless(conditions, validators, &request.matched));
        match refused {
            Some(early) => State::Done(Some(early)),
            None => State::begin(core, request, metrics),
        }
    }

    /// Decodes a collected body, on a blocking thread if that takes long, and starts the handler.
    #[inline]
    fn decoding(
        core: &Arc<Core>,
        matched: MatchedRequest,
        parts: &mut Parts,
        body: Bytes,
        authenticated: Option<Authenticated>,
    ) -> Self {
        let is_long = matched.body.is_some_and(|kind| kind.is_long(body.len()));
        if is_long && let Ok(runtime) = Handle::try_current() {
            let none = Request::new(()).into_parts().0;
            let (core, parts) = (Arc::clone(core), std::mem::replace(parts, none));
            let decode =
                move || core.start(&matched, &parts, IncomingContent::Whole(body), authenticated);
            return State::Decoding(runtime.spawn_blocking(decode), matched.negotiated);
        }
        State::running(core, &matched, parts, IncomingContent::Whole(body), authenticated)
    }

    /// Starts the handler with the body as a stream, which the handler reads at its own pace.
    fn streaming<S>(
        core: &Core,
        matched: &MatchedRequest,
        kind: BodyKind,
        parts: &Parts,
        body: S,
        authenticated: Option<Authenticated>,
    ) -> Self
    where
        S: http_body::Body + Send + 'static,
    {
        let content_type = parts.headers.get(http::header::CONTENT_TYPE);
        match kind.arriving(body, content_type, &core.limits) {
            Ok(arriving) => {
                let body = IncomingContent::Stream(arriving);
                State::running(core, matched, parts, body, authenticated)
            }
            Err(error) => {
                let refusal = Refusal::InvalidCoding { error };
                State::Done(Some(core.refuse_negotiated(refusal, matched.negotiated)))
            }
        }
    }

    #[inline]
    fn running(
        core: &Core,
        matched: &MatchedRequest,
        parts: &Parts,
        body: IncomingContent,
        authenticated: Option<Authenticated>,
    ) -> Self {
        match core.start(matched, parts, body, authenticated) {
            Ok(running) => State::Running(running, matched.negotiated),
            Err(early) => State::Done(Some(early)),
        }
    }
}

impl CurrentRepresentation {
    /// Starts the handler of GET, or the check of the credentials that the handler requires.
    /// Returns `None` if neither can start, for example without credentials.
    #[cold]
    fn get(core: &Core, matched: &MatchedRequest, parts: &mut Parts) -> Option<Self> {
        if matched.is_secured {
            let checking = core.authenticate(matched.negotiated, parts).ok()?;
            return Some(CurrentRepresentation::Authenticating(checking));
        }
        let none = IncomingContent::Whole(Bytes::new());
        core.start(matched, parts, none, None).ok().map(CurrentRepresentation::Running)
    }
}

impl<B> Check<B> {
    /// Polls the response to GET. Returns `None` if its credentials are rejected or its handler
    /// cannot start.
    #[cold]
    fn poll_current(
        &mut self,
        core: &Core,
        context: &mut Context<'_>,
    ) -> Poll<Option<Response<Body>>> {
        loop {
            match &mut self.current {
                CurrentRepresentation::Running(running) => {
                    let outcome = ready!(running.as_mut().poll(context));
                    let negotiated = self.current_matched.negotiated;
                    return Poll::Ready(Some(core.finish(negotiated, outcome, None)));
                }
                CurrentRepresentation::Authenticating(checking) => {
                    let checked = ready!(checking.as_mut().poll(context));
                    let (Ok(checked), Some(request)) = (checked, &self.request) else {
                        return Poll::Ready(None);
                    };
                    let none = IncomingContent::Whole(Bytes::new());
                    let (matched, parts) = (&self.current_matched, &request.parts);
                    match core.start(matched, parts, none, Some(checked)) {
                        Ok(running) => self.current = CurrentRepresentation::Running(running),
                        Err(_) => return Poll::Ready(None),
                    }
                }
            }
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
        Some(self.refuse_negotiated(refusal, matched.negotiated))
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
                State::Authenticating(check) => {
                    let checked = ready!(check.checking.as_mut().poll(context));
                    let conditions = this.conditions.as_deref();
                    let next =
                        State::authenticated(&this.core, check, checked, conditions, &this.metrics);
                    this.state = next;
                    this.work = this.state.work(this.connection.as_ref());
                }
                State::Checking(check) => {
                    let current = ready!(check.poll_current(&this.core, context));
                    let (conditions, current) = (this.conditions.as_deref(), current.as_ref());
                    let next =
                        State::checked(&this.core, check, current, conditions, &this.metrics);
                    this.state = next;
                    this.work = this.state.work(this.connection.as_ref());
                }
                State::Collecting(request) => {
                    let request = request.as_mut().project();
                    let collected = ready!(request.body.poll(&this.core.limits, context));
                    this.state = match collected {
                        Ok(body) => {
                            this.metrics.add_received(body.len());
                            let authenticated = request.authenticated.take();
                            let (matched, parts) = (*request.matched, request.parts);
                            State::decoding(&this.core, matched, parts, body, authenticated)
                        }
                        Err(refusal) => {
                            let negotiated = request.matched.negotiated;
                            State::Done(Some(this.core.refuse_negotiated(refusal, negotiated)))
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
                        // The runtime of the blocking threads is shutting down. Another runtime may
                        // still poll this response.
                        Err(_) => State::Done(Some(
                            this.core.refuse_negotiated(Refusal::ShuttingDown, negotiated),
                        )),
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

/// The tracing span of a request, which contains the log events of its handler. The span is created
/// only if a subscriber is interested.
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
        tracing::info!(target: "manywire", parent: &self.span, "responded");
    }
}
