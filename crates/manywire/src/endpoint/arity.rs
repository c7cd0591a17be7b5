//! `Endpoint::to`, once for each number of inputs: a closure's parameters are known to the compiler
//! only where `Fn` itself is the bound, so a method that is generic over the number would leave
//! every user to annotate them.

use std::future::Future;

use super::handler::Handler;
use super::reply::IntoReply;
use super::{Endpoint, Route};
use crate::content::Answer;
use crate::input::Read;
use crate::problem::Failure;

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
