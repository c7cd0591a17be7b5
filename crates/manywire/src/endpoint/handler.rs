//! Handlers of endpoints. `Endpoint::to` is implemented once for each number of inputs: the
//! compiler infers the parameters of a closure only if `Fn` itself is the bound, so a method
//! generic over the number would make every user annotate them.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use http::{HeaderMap, StatusCode};

use super::reply::{IntoReply, Reply};
use super::responder::Responder;
use super::{Endpoint, Head};
use crate::body::Body;
use crate::content::{Answer, Media};
use crate::input::{InputDescription, InputReader, Read, ReadInputs};
use crate::problem::{Failure, Problem, ProblemKind};

/// A type-erased handler, which the router stores.
pub(crate) trait Handle: Send + Sync {
    /// Reads the inputs and starts the handler.
    ///
    /// # Errors
    /// Fails with the faults of the inputs. The problem is boxed, since it is rare and large.
    fn start(
        &self,
        reading: InputReader<'_>,
        responder: &Arc<Responder>,
        choice: usize,
    ) -> Result<HandlerFuture, Box<Problem>>;
}

/// A running handler: the one box that a request costs.
pub(crate) type HandlerFuture = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// The result of a request.
pub(crate) enum Outcome {
    /// A response.
    Answer {
        content: Body,
        /// The index of the representation among those of the endpoint.
        choice: usize,
        status: Option<StatusCode>,
        headers: Option<Box<HeaderMap>>,
    },
    /// A failure.
    Problem(Box<Problem>),
}

pub(super) struct Handler<In, Call, Out, Fail> {
    inputs: In,
    call: Call,
    answers: PhantomData<fn() -> (Out, Fail)>,
}

impl<In, Call, Out, Fail, Fut> Handler<In, Call, Out, Fail>
where
    In: ReadInputs,
    Call: Fn(In::Values) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: IntoReply<Out::Value, Fail>,
    Out: Answer,
    Fail: Failure,
{
    pub(super) fn route(endpoint: Endpoint<In, Out, Fail>, call: Call) -> Route {
        let inputs = endpoint.inputs.describe();
        let mut head = endpoint.head;
        Route {
            returns: head.returns.take().unwrap_or_else(Out::media),
            head,
            inputs,
            fails: Fail::KINDS,
            handler: Box::new(Handler::<In, Call, Out, Fail> {
                inputs: endpoint.inputs,
                call,
                answers: PhantomData,
            }),
        }
    }
}

impl<In, Call, Out, Fail, Fut> Handle for Handler<In, Call, Out, Fail>
where
    In: ReadInputs,
    Call: Fn(In::Values) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: IntoReply<Out::Value, Fail>,
    Out: Answer,
    Fail: Failure,
{
    fn start(
        &self,
        mut reading: InputReader<'_>,
        responder: &Arc<Responder>,
        choice: usize,
    ) -> Result<HandlerFuture, Box<Problem>> {
        let Some(values) = self.inputs.read(&mut reading) else {
            return Err(Box::new(reading.problem()));
        };
        let future = (self.call)(values);
        let responder = Arc::clone(responder);
        Ok(Box::pin(
            async move { outcome::<Out, Fail>(&responder, choice, future.await.into_reply()) },
        ))
    }
}

/// Encodes the result of a handler. This function is separate from the handler, so that it is
/// compiled once for each response type and not for each endpoint.
fn outcome<Out: Answer, Fail: Failure>(
    responder: &Responder,
    choice: usize,
    reply: Result<Reply<Out::Value>, Fail>,
) -> Outcome {
    match reply {
        Ok(reply) => responder.write::<Out>(choice, reply),
        Err(failure) => Outcome::Problem(Box::new(failure.problem())),
    }
}

/// An endpoint with its handler, which an [`Api`](crate::Api) serves.
#[must_use = "a route does nothing until an Api serves it"]
pub struct Route {
    pub(crate) head: Head,
    pub(crate) inputs: Vec<InputDescription>,
    pub(crate) returns: Media,
    pub(crate) fails: &'static [ProblemKind],
    pub(crate) handler: Box<dyn Handle>,
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route")
            .field("method", &self.head.method)
            .field("pattern", &self.head.pattern)
            .field("inputs", &self.inputs)
            .finish_non_exhaustive()
    }
}

macro_rules! to {
    ($($input:ident),*) => {
        impl<$($input: Read,)* Out: Answer, Fail: Failure> Endpoint<($($input,)*), Out, Fail> {
            /// Attaches a handler: an async function of the inputs that returns the value, a
            /// [`Reply`](crate::Reply) around it, or a `Result` of either.
            #[allow(non_snake_case, reason = "values are named as their types")]
            pub fn to<Call, Fut>(self, handler: Call) -> Route
            where
                Call: Fn($($input::Value),*) -> Fut + Send + Sync + 'static,
                Fut: Future + Send + 'static,
                Fut::Output: IntoReply<Out::Value, Fail>,
            {
                let call = move |($($input,)*): ($($input::Value,)*)| handler($($input),*);
                Handler::<_, _, Out, Fail>::route(self, call)
            }
        }
    };
}

to!();
to!(A);
to!(A, B);
to!(A, B, C);
to!(A, B, C, D);
to!(A, B, C, D, E);
to!(A, B, C, D, E, F);
to!(A, B, C, D, E, F, G);
to!(A, B, C, D, E, F, G, H);
