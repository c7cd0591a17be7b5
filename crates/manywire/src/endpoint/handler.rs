//! Handlers of endpoints. `Endpoint::to` is implemented once for each number of inputs: the
//! compiler infers the parameters of a closure only if `Fn` itself is the bound, so a method
//! generic over the number would make every user annotate them.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use super::reply::{IntoReply, Reply};
use super::responder::{Outcome, Responder};
use super::{Endpoint, Head};
use crate::content::{Answer, Media};
use crate::input::{Authenticate, InputDescription, InputReader, Read, ReadInputs, Secured, State};
use crate::problem::{Failure, Problem, ProblemKind};
use crate::security::Scheme;

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

/// A running handler. This box is the only one that every request needs.
pub(crate) type HandlerFuture = Pin<Box<dyn Future<Output = Outcome> + Send>>;

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
    pub(super) fn route(mut head: Head, inputs: In, call: Call) -> Route {
        Route {
            returns: head.returns.take().unwrap_or_else(Out::media),
            head,
            inputs: inputs.describe(),
            authenticator: inputs.authenticator(),
            fails: Failures { kinds: Fail::KINDS, is_open: Fail::IS_OPEN },
            handler: Box::new(Handler::<In, Call, Out, Fail> {
                inputs,
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
    pub(crate) fails: Failures,
    /// The check of credentials that precedes the handler, if the endpoint has one.
    pub(crate) authenticator: Option<Arc<dyn Authenticate>>,
    pub(crate) handler: Box<dyn Handle>,
}

/// The failures that an endpoint names.
pub(crate) struct Failures {
    pub(crate) kinds: &'static [ProblemKind],
    /// Indicates whether other problems may occur beside these kinds.
    pub(crate) is_open: bool,
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

/// Declares `to` for endpoints with these inputs and this context.
macro_rules! to {
    (
        [$($input:ident),*] $(secured $scheme:ident $user:ident)? $(with $state:ident)?,
        $context:ty, $pattern:pat => [$($first:ident)?] [$($last:ident)?]
    ) => {
        impl<$($input: Read,)* Out: Answer, Fail: Failure, $($scheme: Scheme, $user,)? $($state,)?>
            Endpoint<($($input,)*), Out, Fail, $context>
        where
            $($user: Send + 'static,)?
            $($state: Clone + Send + Sync + 'static,)?
        {
            /// Attaches a handler: an async function of the inputs that returns the value, a
            /// [`Reply`](crate::Reply) around it, or a `Result` of either. The result of the checks
            /// of the credentials comes before the inputs, and the state after them.
            #[allow(non_snake_case, reason = "values are named as their types")]
            pub fn to<Call, Fut>(self, handler: Call) -> Route
            where
                Call: Fn($($user,)? $($input::Value,)* $($state)?) -> Fut + Send + Sync + 'static,
                Fut: Future + Send + 'static,
                Fut::Output: IntoReply<Out::Value, Fail>,
            {
                let (($($input,)*), $pattern) = (self.inputs, self.context);
                let inputs = ($($first,)? $($input,)* $($last,)?);
                let call = move |($($first,)? $($input,)* $($last,)?): (
                    $($user,)? $($input::Value,)* $($state,)?
                )| handler($($first,)? $($input,)* $($last)?);
                Handler::<_, _, Out, Fail>::route(self.head, inputs, call)
            }
        }
    };
}

macro_rules! to_in_each_context {
    ($($input:ident),*) => {
        to!([$($input),*], (), () => [] []);
        to!([$($input),*] with T, State<T>, last => [] [last]);
        to!([$($input),*] secured S U, Secured<S, U>, first => [first] []);
        to!([$($input),*] secured S U with T, (Secured<S, U>, State<T>), (first, last) => [first] [last]);
    };
}

to_in_each_context!();
to_in_each_context!(A);
to_in_each_context!(A, B);
to_in_each_context!(A, B, C);
to_in_each_context!(A, B, C, D);
to_in_each_context!(A, B, C, D, E);
to_in_each_context!(A, B, C, D, E, F);
to_in_each_context!(A, B, C, D, E, F, G);
to_in_each_context!(A, B, C, D, E, F, G, H);
to_in_each_context!(A, B, C, D, E, F, G, H, I);
to_in_each_context!(A, B, C, D, E, F, G, H, I, J);
to_in_each_context!(A, B, C, D, E, F, G, H, I, J, K);
to_in_each_context!(A, B, C, D, E, F, G, H, I, J, K, L);
