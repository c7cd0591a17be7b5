//! The context of an endpoint: the credentials that it requires and the state that its handler
//! receives, beside its inputs.

use std::future::Future;

use super::{Endpoint, Scope};
use crate::input::{Secured, State};
use crate::problem::Failure;
use crate::security::{Scheme, SecurityRequirement};

/// The context of an endpoint: `()`, [`Secured`], [`State`], or `(Secured<…>, State<…>)`.
pub trait Context: Clone {
    /// Returns the credentials that requests must carry.
    #[doc(hidden)]
    fn requirement(&self) -> Option<SecurityRequirement>;
}

impl Context for () {
    fn requirement(&self) -> Option<SecurityRequirement> {
        None
    }
}

impl<S: Scheme, U: Send + 'static> Context for Secured<S, U> {
    fn requirement(&self) -> Option<SecurityRequirement> {
        Some(self.requirement())
    }
}

impl<T: Clone> Context for State<T> {
    fn requirement(&self) -> Option<SecurityRequirement> {
        None
    }
}

impl<S: Scheme, U: Send + 'static, T: Clone> Context for (Secured<S, U>, State<T>) {
    fn requirement(&self) -> Option<SecurityRequirement> {
        Some(self.0.requirement())
    }
}

/// Declares the methods of endpoints and scopes that change the context.
macro_rules! contexts {
    ($what:literal, $of:ident, [$($before:ident),*]) => {
        impl<$($before),*> $of<$($before,)*> {
            #[doc = concat!("Gives a state to the handlers of this ", $what, ", which receive it ",
                "after their inputs. It is cloned for each request: use an `Arc`, or a type of ",
                "`Arc`s.")]
            pub fn with<T: Clone + Send + Sync + 'static>(
                self,
                state: T,
            ) -> $of<$($before,)* State<T>> {
                self.map_context(|()| State(state))
            }

            #[doc = concat!("Requires credentials for this ", $what, " and checks them before the ",
                "body of a request is read. The handler receives what `check` returns as its first ",
                "parameter. See [`security`](crate::security).")]
            pub fn secured<S, U, E, Fut>(
                self,
                scheme: S,
                check: impl Fn(S::Credentials) -> Fut + Send + Sync + 'static,
            ) -> $of<$($before,)* Secured<S, U>>
            where
                S: Scheme,
                Fut: Future<Output = Result<U, E>> + Send + 'static,
                U: Send + 'static,
                E: Failure,
            {
                self.requires(scheme).authorize(check)
            }

            #[doc = concat!("Requires credentials for this ", $what, ", which the handler receives ",
                "as its first parameter, unless [`authorize`](Self::authorize) checks them before. ",
                "Clients and servers can share such endpoints.")]
            pub fn requires<S: Scheme>(self, scheme: S) -> $of<$($before,)* Secured<S>> {
                self.map_context(|()| Secured::new(scheme))
            }
        }

        impl<$($before,)* T> $of<$($before,)* State<T>>
        where
            T: Clone + Send + Sync + 'static,
        {
            #[doc = concat!("Requires credentials for this ", $what, " and checks them, with the ",
                "state, before the body of a request is read. The handler receives what `check` ",
                "returns as its first parameter. See [`security`](crate::security).")]
            pub fn secured<S, U, E, Fut>(
                self,
                scheme: S,
                check: impl Fn(S::Credentials, T) -> Fut + Send + Sync + 'static,
            ) -> $of<$($before,)* (Secured<S, U>, State<T>)>
            where
                S: Scheme,
                Fut: Future<Output = Result<U, E>> + Send + 'static,
                U: Send + 'static,
                E: Failure,
            {
                self.requires(scheme).authorize(check)
            }

            #[doc = concat!("Requires credentials for this ", $what, ", which the handler receives ",
                "as its first parameter, unless [`authorize`](Self::authorize) checks them before.")]
            pub fn requires<S: Scheme>(
                self,
                scheme: S,
            ) -> $of<$($before,)* (Secured<S>, State<T>)> {
                self.map_context(|state| (Secured::new(scheme), state))
            }
        }

        impl<$($before,)* S: Scheme, U: Send + 'static> $of<$($before,)* Secured<S, U>> {
            #[doc = concat!("Gives a state to the handlers of this ", $what, ", which receive it ",
                "after their inputs. It is cloned for each request: use an `Arc`, or a type of ",
                "`Arc`s.")]
            pub fn with<T: Clone + Send + Sync + 'static>(
                self,
                state: T,
            ) -> $of<$($before,)* (Secured<S, U>, State<T>)> {
                self.map_context(|secured| (secured, State(state)))
            }

            #[doc = concat!("Adds a check of the credentials, or of the result of the previous check: ",
                "for example, whether a user has a role. A failure that is about permission has ",
                "status 403.")]
            pub fn authorize<V, E, Fut>(
                self,
                check: impl Fn(U) -> Fut + Send + Sync + 'static,
            ) -> $of<$($before,)* Secured<S, V>>
            where
                Fut: Future<Output = Result<V, E>> + Send + 'static,
                V: Send + 'static,
                E: Failure,
            {
                self.map_context(|secured| secured.with_check(check))
            }
        }

        impl<$($before,)* S, U, T> $of<$($before,)* (Secured<S, U>, State<T>)>
        where
            S: Scheme,
            U: Send + 'static,
            T: Clone + Send + Sync + 'static,
        {
            #[doc = concat!("Adds a check of the credentials, or of the result of the previous check, ",
                "with the state: for example, whether a user has a role. A failure that is about ",
                "permission has status 403.")]
            pub fn authorize<V, E, Fut>(
                self,
                check: impl Fn(U, T) -> Fut + Send + Sync + 'static,
            ) -> $of<$($before,)* (Secured<S, V>, State<T>)>
            where
                Fut: Future<Output = Result<V, E>> + Send + 'static,
                V: Send + 'static,
                E: Failure,
            {
                self.map_context(|(secured, state)| {
                    let State(given) = state.clone();
                    (secured.with_check(move |user| check(user, given.clone())), state)
                })
            }
        }
    };
}

contexts!("endpoint", Endpoint, [In, Out, Fail]);
contexts!("scope", Scope, [In]);
