//! `Endpoint::to`, once for each number of inputs: a closure's parameters are known to the compiler
//! only where `Fn` itself is the bound, so a method that is generic over the number would leave
//! every user to annotate them.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use http::{HeaderMap, StatusCode};

use super::reply::{IntoReply, Reply};
use super::{Endpoint, Head};
use crate::body::Body;
use crate::content::{Answer, Media};
use crate::input::{InputDescription, InputReader, Read, ReadInputs};
use crate::problem::{Failure, Problem, ProblemKind};
use crate::server::Operation;

/// A handler whose types are forgotten: what an index can hold.
pub(crate) trait Handle: Send + Sync {
    /// Reads the inputs and starts the handler.
    ///
    /// # Errors
    /// What is wrong with the inputs; boxed, since it is rare and large.
    fn start(
        &self,
        reading: InputReader<'_>,
        operation: &Arc<Operation>,
        choice: usize,
    ) -> Result<HandlerFuture, Box<Problem>>;
}

/// A handler at work: the one box that a request costs.
pub(crate) type HandlerFuture = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// What came of a request.
pub(crate) enum Outcome {
    /// An answer.
    Answer {
        content: Body,
        /// Which of the endpoint's representations it is.
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
        operation: &Arc<Operation>,
        choice: usize,
    ) -> Result<HandlerFuture, Box<Problem>> {
        let Some(values) = self.inputs.read(&mut reading) else {
            return Err(Box::new(reading.problem()));
        };
        let future = (self.call)(values);
        let operation = Arc::clone(operation);
        Ok(Box::pin(
            async move { outcome::<Out, Fail>(&operation, choice, future.await.into_reply()) },
        ))
    }
}

/// Writes what a handler gave back. Apart from the handler, so that it is compiled once for each
/// type that is answered with, and not for each endpoint.
fn outcome<Out: Answer, Fail: Failure>(
    operation: &Operation,
    choice: usize,
    reply: Result<Reply<Out::Value>, Fail>,
) -> Outcome {
    match reply {
        Ok(reply) => operation.write::<Out>(choice, reply),
        Err(failure) => Outcome::Problem(Box::new(failure.problem())),
    }
}

/// An endpoint with its handler: what an [`Api`](crate::Api) serves.
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
            /// Ties the endpoint to what answers it: an async function of its inputs that returns
            /// the value, a [`Reply`](crate::Reply) around it, or a `Result` of either.
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
