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
use http::{Request, Response, header};
use http_body::Body as _;
use pin_project_lite::pin_project;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tracing::field::Empty;
use tracing::span::Entered;
use tracing::{Level, Span};

use super::core::{Core, EarlyResponse, MatchedRequest, Negotiated};
use super::etags::IfNoneMatch;
use super::metrics::RequestMetrics;
use super::refusal::Refusal;
use super::request_body::{BodyKind, BodyReader};
use crate::body::{Body, ProgressCell};
use crate::content::IncomingContent;
use crate::endpoint::HandlerFuture;
use crate::limits::Limits;

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
        let patterns = self.core.served.iter().map(|served| &*served.operation);
        f.debug_list()
            .entries(
                patterns.map(|operation| format!("{} {}", operation.method, operation.pattern)),
            )
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
    if_none_match: Option<Box<IfNoneMatch>>,
    /// The observer of the response body, if there is one.
    progress: Option<Arc<ProgressCell>>,
    state: State<B>,
}

enum State<B> {
    /// The response is ready without a handler. The poll takes it.
    Done(Option<EarlyResponse>),
    /// The body is being collected.
    Collecting(Pin<Box<CollectingBody<B>>>),
    /// A long body is being decoded on a blocking thread.
    Decoding(JoinHandle<Result<HandlerFuture, EarlyResponse>>, Negotiated),
    /// The handler is running.
    Running(HandlerFuture, Negotiated),
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
        progress: Option<Arc<ProgressCell>>,
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
        let if_none_match = is_conditional.then(|| IfNoneMatch::from_headers(&parts.headers));
        let state = match matched {
            Ok(matched) => match matched.body {
                Some(kind) if kind.is_stream() => {
                    let body = metrics.count_body(body);
                    State::streaming(&core, &matched, kind, &parts, body)
                }
                Some(_) => State::collecting(&core, matched, parts, body),
                None => {
                    State::running(&core, &matched, &parts, IncomingContent::Whole(Bytes::new()))
                }
            },
            Err(early) => State::Done(Some(early)),
        };
        drop(entered);
        Answering { core, metrics, trace, if_none_match, progress, state }
    }
}

impl<B: http_body::Body> State<B> {
    fn collecting(core: &Core, matched: MatchedRequest, parts: Parts, body: B) -> Self {
        match BodyReader::begin(body, &core.limits) {
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

impl<B: http_body::Body> Future for Answering<B> {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let entered = this.trace.as_ref().map(|trace| trace.enter());
        let mut response = loop {
            match &mut this.state {
                State::Running(running, negotiated) => {
                    let outcome = ready!(running.as_mut().poll(context));
                    break this.core.finish(*negotiated, outcome, this.if_none_match.as_deref());
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
        if let Some(progress) = this.progress.take() {
            response.body_mut().observe(progress);
        }
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
