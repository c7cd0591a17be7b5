use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http::request::Parts;
use http::{Request, Response};
use http_body::Body as _;
use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep_until};

use super::body::Body;
use super::collect::Collected;
use super::core::{Agreed, Begun, Core};
use super::refusal::Refusal;
use super::trace::Trace;
use crate::endpoint::Running;

pin_project! {
    /// A request being answered.
    ///
    /// A state machine by hand, so that it has a name, as a [`tower_service::Service`] needs, and
    /// is not boxed: only the handler is.
    pub struct Answering<B> {
        core: Arc<Core>,
        trace: Option<Box<Trace>>,
        #[pin]
        state: State<B>,
    }
}

pin_project! {
    #[project = StateProjection]
    enum State<B> {
        // Answered without a handler; taken when it is polled.
        Done { response: Option<Response<Body>> },
        // Taking in the body.
        Collecting {
            begun: Begun,
            parts: Parts,
            collected: Collected,
            #[pin]
            body: B,
            #[pin]
            idle: Option<Sleep>,
        },
        // The handler is at work.
        Running { running: Running, agreed: Agreed },
    }
}

impl<B: http_body::Body> Answering<B> {
    #[inline]
    pub(super) fn new(core: Arc<Core>, request: Request<B>) -> Self {
        let (mut parts, body) = request.into_parts();
        let trace = Trace::begin(&parts);
        let state = match core.begin(&mut parts) {
            Ok(begun) if begun.body.is_some() => State::collecting(&core, begun, parts, body),
            Ok(begun) => State::running(&core, &begun, &parts, bytes::Bytes::new()),
            Err(response) => State::Done { response: Some(*response) },
        };
        Answering { core, trace, state }
    }
}

impl<B: http_body::Body> State<B> {
    fn collecting(core: &Core, begun: Begun, parts: Parts, body: B) -> Self {
        // What is too large by its own account is not even begun with, nor is "100 Continue" sent.
        if body.size_hint().lower() > core.limits.body_bytes as u64 {
            let limit = core.limits.body_bytes;
            let response = core.refuse_agreed(Refusal::TooLarge { limit }, begun.agreed);
            return State::Done { response: Some(response) };
        }
        State::Collecting { begun, parts, collected: Collected::default(), body, idle: None }
    }

    #[inline]
    fn running(core: &Core, begun: &Begun, parts: &Parts, body: bytes::Bytes) -> Self {
        match core.start(begun, parts, body) {
            Ok(running) => State::Running { running, agreed: begun.agreed },
            Err(response) => State::Done { response: Some(*response) },
        }
    }
}

impl<B: http_body::Body> Future for Answering<B> {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let next = match this.state.as_mut().project() {
                StateProjection::Done { response } => {
                    let response = response.take().unwrap_or_default();
                    if let Some(trace) = this.trace.take() {
                        trace.end(&response);
                    }
                    return Poll::Ready(Ok(response));
                }
                StateProjection::Running { running, agreed } => {
                    let outcome = ready!(running.as_mut().poll(context));
                    State::Done { response: Some(this.core.finish(*agreed, outcome)) }
                }
                StateProjection::Collecting { begun, parts, collected, body, idle } => {
                    match ready!(poll_body(body, collected, idle, this.core, context)) {
                        Ok(()) => State::running(this.core, begun, parts, collected.take()),
                        Err(refusal) => {
                            let response = this.core.refuse_agreed(refusal, begun.agreed);
                            State::Done { response: Some(response) }
                        }
                    }
                }
            };
            this.state.set(next);
        }
    }
}

/// Takes in what there is of a body, within the limits of size and patience.
fn poll_body<B: http_body::Body>(
    mut body: Pin<&mut B>,
    collected: &mut Collected,
    mut idle: Pin<&mut Option<Sleep>>,
    core: &Core,
    context: &mut Context<'_>,
) -> Poll<Result<(), Refusal<'static>>> {
    let limit = core.limits.body_bytes;
    loop {
        match body.as_mut().poll_frame(context) {
            Poll::Ready(None) => return Poll::Ready(Ok(())),
            Poll::Ready(Some(Err(_))) => return Poll::Ready(Err(Refusal::BrokenOff)),
            Poll::Ready(Some(Ok(frame))) => {
                // Trailers are of no use to anybody here.
                if let Ok(data) = frame.into_data()
                    && !collected.add(data, limit)
                {
                    return Poll::Ready(Err(Refusal::TooLarge { limit }));
                }
                if body.is_end_stream() {
                    return Poll::Ready(Ok(()));
                }
                if let Some(idle) = idle.as_mut().as_pin_mut() {
                    idle.reset(Instant::now() + core.limits.body_idle_timeout);
                }
            }
            Poll::Pending => {
                // A timer costs as much as reading a small header, so it is only made once there
                // is something to wait for.
                if idle.is_none() {
                    idle.set(Some(sleep_until(Instant::now() + core.limits.body_idle_timeout)));
                }
                if let Some(idle) = idle.as_mut().as_pin_mut() {
                    ready!(idle.poll(context));
                    return Poll::Ready(Err(Refusal::Timeout));
                }
                return Poll::Pending;
            }
        }
    }
}

impl<B> fmt::Debug for Answering<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answering")
    }
}
