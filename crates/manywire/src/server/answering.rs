use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};
use pin_project_lite::pin_project;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::body::Body;
use super::core::{Agreed, Begun, Core, Early};
use super::intake::Intake;
use super::measured::Measuring;
use super::refusal::Refusal;
use super::request::BodyKind;
use super::trace::Trace;
use super::validators::Known;
use crate::content::Received;
use crate::endpoint::Running;

/// A request being answered.
///
/// A state machine by hand, so that it has a name, as a [`tower_service::Service`] needs, and is
/// not boxed as a whole. It is moved several times before it is polled, so it is kept small: what
/// only some requests need is behind a pointer.
pub struct Answering<B> {
    core: Arc<Core>,
    measuring: Measuring,
    trace: Option<Box<Trace>>,
    known: Option<Box<Known>>,
    state: State<B>,
}

enum State<B> {
    /// Answered without a handler; taken when it is polled.
    Done(Option<Early>),
    /// Taking in the body.
    Collecting(Pin<Box<Collecting<B>>>),
    /// A long body is decoded on a thread where it holds nobody up.
    Decoding(JoinHandle<Result<Running, Early>>, Agreed),
    /// The handler is at work.
    Running(Running, Agreed),
}

pin_project! {
    struct Collecting<B> {
        begun: Begun,
        parts: Parts,
        #[pin]
        intake: Intake<B>,
    }
}

impl<B: http_body::Body + Send + 'static> Answering<B> {
    #[inline]
    pub(super) fn new(core: Arc<Core>, request: Request<B>, needs_host: bool) -> Self {
        let (mut parts, body) = request.into_parts();
        let mut measuring = Measuring::begin(&core, &parts);
        let trace = Trace::begin(&parts);
        let entered = trace.as_ref().map(|trace| trace.enter());
        let begun = core.begin(&mut parts, needs_host);
        measuring.found(&core, &parts, begun.as_ref().ok().map(|begun| begun.agreed.target));
        let is_conditional = begun.as_ref().is_ok_and(|begun| begun.agreed.is_conditional);
        let known = is_conditional.then(|| Known::of(&parts.headers));
        let state = match begun {
            Ok(begun) => match begun.body {
                Some(kind) if kind.is_stream() => {
                    let body = measuring.receiving(body);
                    State::streaming(&core, &begun, kind, &parts, body)
                }
                Some(_) => State::collecting(&core, begun, parts, body),
                None => State::running(&core, &begun, &parts, Received::Whole(Bytes::new())),
            },
            Err(early) => State::Done(Some(early)),
        };
        drop(entered);
        Answering { core, measuring, trace, known, state }
    }
}

impl<B: http_body::Body> State<B> {
    fn collecting(core: &Core, begun: Begun, parts: Parts, body: B) -> Self {
        match Intake::begin(body, &core.limits) {
            Ok(intake) => State::Collecting(Box::pin(Collecting { begun, parts, intake })),
            Err(refusal) => State::Done(Some(Box::new(core.refuse_agreed(refusal, begun.agreed)))),
        }
    }

    /// The body is there, and is read: here, or where it holds nobody up if that takes long.
    #[inline]
    fn decoding(core: &Arc<Core>, begun: Begun, parts: &mut Parts, body: Bytes) -> Self {
        let is_long = begun.body.is_some_and(|kind| kind.is_long(body.len()));
        if is_long && let Ok(runtime) = Handle::try_current() {
            let none = Request::new(()).into_parts().0;
            let (core, parts) = (Arc::clone(core), std::mem::replace(parts, none));
            let decode = move || core.start(&begun, &parts, Received::Whole(body));
            return State::Decoding(runtime.spawn_blocking(decode), begun.agreed);
        }
        State::running(core, &begun, parts, Received::Whole(body))
    }

    /// The handler is given the body, and takes of it what it wants when it wants it.
    fn streaming<S>(core: &Core, begun: &Begun, kind: BodyKind, parts: &Parts, body: S) -> Self
    where
        S: http_body::Body + Send + 'static,
    {
        let content_type = parts.headers.get(http::header::CONTENT_TYPE);
        match kind.arriving(body, content_type, &core.limits) {
            Ok(arriving) => State::running(core, begun, parts, Received::Arriving(arriving)),
            Err(error) => {
                let refusal = Refusal::NotOfCoding { error };
                State::Done(Some(Box::new(core.refuse_agreed(refusal, begun.agreed))))
            }
        }
    }

    #[inline]
    fn running(core: &Core, begun: &Begun, parts: &Parts, body: Received) -> Self {
        match core.start(begun, parts, body) {
            Ok(running) => State::Running(running, begun.agreed),
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
                State::Running(running, agreed) => {
                    let outcome = ready!(running.as_mut().poll(context));
                    break this.core.finish(*agreed, outcome, this.known.as_deref());
                }
                State::Collecting(collecting) => {
                    let collecting = collecting.as_mut().project();
                    let collected = ready!(collecting.intake.poll(&this.core.limits, context));
                    this.state = match collected {
                        Ok(body) => {
                            this.measuring.received(body.len());
                            State::decoding(&this.core, *collecting.begun, collecting.parts, body)
                        }
                        Err(refusal) => {
                            let agreed = collecting.begun.agreed;
                            State::Done(Some(Box::new(this.core.refuse_agreed(refusal, agreed))))
                        }
                    };
                }
                State::Decoding(task, agreed) => {
                    let agreed = *agreed;
                    this.state = match ready!(Pin::new(task).poll(context)) {
                        Ok(Ok(running)) => State::Running(running, agreed),
                        Ok(Err(early)) => State::Done(Some(early)),
                        // What panics there is the handler's, as if it had been called here.
                        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
                        // The runtime is shutting down, and nobody is there to answer any more.
                        Err(_) => State::Done(None),
                    };
                }
                State::Done(early) => break early.take().map(|early| *early).unwrap_or_default(),
            }
        };
        drop(entered);
        this.measuring.end(&mut response);
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
