//! [`Secured`]: the credentials of a request, checked before its body is read. [`State`]: a value
//! that a service gives to its handlers.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use http::StatusCode;
use http::header::WWW_AUTHENTICATE;
use http::request::Parts;

use super::{Authenticated, Input, InputDescription, InputReader, Read};
use crate::problem::{Failure, Problem, ProblemKind};
use crate::security::{InvalidCredentials, Scheme, SecurityRequirement, SecurityScheme};

/// The credentials that an endpoint requires, and the checks of the credentials. The handler
/// receives the result of the last check, a `U`, or without a check the credentials.
pub struct Secured<S: Scheme, U = <S as Scheme>::Credentials> {
    scheme: S,
    check: Arc<Check<S::Credentials, U>>,
    /// The kinds of problems that the checks declare.
    fails: Vec<ProblemKind>,
    /// Indicates whether a check may also fail with any other problem.
    fails_with_any: bool,
}

type Check<C, U> = dyn Fn(C) -> CheckFuture<U> + Send + Sync;
type CheckFuture<U> = Pin<Box<dyn Future<Output = Result<U, Box<Problem>>> + Send>>;

impl<S: Scheme> Secured<S> {
    /// Requires the credentials of a scheme without checking them.
    pub(crate) fn new(scheme: S) -> Self {
        let check = Arc::new(|credentials| -> CheckFuture<S::Credentials> {
            Box::pin(std::future::ready(Ok(credentials)))
        });
        Secured { scheme, check, fails: Vec::new(), fails_with_any: false }
    }
}

impl<S: Scheme, U: Send + 'static> Secured<S, U> {
    /// Adds a check, which receives the result of the checks so far.
    pub(crate) fn with_check<V, E, Fut>(
        self,
        check: impl Fn(U) -> Fut + Send + Sync + 'static,
    ) -> Secured<S, V>
    where
        Fut: Future<Output = Result<V, E>> + Send + 'static,
        E: Failure,
    {
        let (before, check) = (self.check, Arc::new(check));
        let check = Arc::new(move |credentials| -> CheckFuture<V> {
            let (before, check) = (before(credentials), Arc::clone(&check));
            Box::pin(async move {
                let checked = check(before.await?).await;
                checked.map_err(|failure| Box::new(failure.problem()))
            })
        });
        let mut fails = self.fails;
        fails.extend(E::KINDS.iter().filter(|kind| !fails.contains(kind)).collect::<Vec<_>>());
        let fails_with_any = self.fails_with_any || E::IS_OPEN;
        Secured { scheme: self.scheme, check, fails, fails_with_any }
    }

    /// Returns the description of the credentials that a request must carry.
    pub(crate) fn requirement(&self) -> SecurityRequirement {
        SecurityRequirement {
            schemes: self.scheme.schemes(),
            is_optional: self.scheme.is_optional(),
            fails: self.fails.clone(),
            fails_with_any: self.fails_with_any,
        }
    }
}

impl<S: Scheme, U> Clone for Secured<S, U> {
    fn clone(&self) -> Self {
        Secured {
            scheme: self.scheme.clone(),
            check: Arc::clone(&self.check),
            fails: self.fails.clone(),
            fails_with_any: self.fails_with_any,
        }
    }
}

impl<S: Scheme, U> fmt::Debug for Secured<S, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Secured").field(&self.scheme).finish()
    }
}

impl<S: Scheme, U: Send + 'static> Input for Secured<S, U> {
    type Value = U;

    fn describe(&self, description: &mut Vec<InputDescription>) {
        description.push(InputDescription::Credentials(self.requirement()));
    }
}

impl<S: Scheme, U: Send + 'static> Read for Secured<S, U> {
    fn read(&self, reading: &mut InputReader<'_>) -> Option<U> {
        let checked = reading.take_authenticated().and_then(|value| value.downcast().ok());
        // A request gets here only after `authenticate`.
        checked.map(|value| *value).or_else(|| reading.note_unauthenticated())
    }

    fn authenticator(&self) -> Option<Arc<dyn Authenticate>> {
        Some(Arc::new(self.clone()))
    }
}

/// Checks the credentials of requests. The type of the result is erased.
pub trait Authenticate: Send + Sync {
    /// Reads the credentials of a request and starts their check.
    ///
    /// # Errors
    /// Fails if the request has no credentials, or malformed ones.
    fn authenticate(&self, head: &Parts) -> Result<Authentication, Box<Problem>>;

    /// Returns the schemes in which a request may carry the credentials.
    fn schemes(&self) -> Vec<SecurityScheme>;
}

/// A running check of credentials.
pub type Authentication = Pin<Box<dyn Future<Output = Result<Authenticated, Box<Problem>>> + Send>>;

impl<S: Scheme, U: Send + 'static> Authenticate for Secured<S, U> {
    fn authenticate(&self, head: &Parts) -> Result<Authentication, Box<Problem>> {
        let credentials = match self.scheme.read(head) {
            Ok(credentials) => credentials,
            Err(invalid) => return Err(Box::new(refusal(&self.scheme.schemes(), invalid))),
        };
        let checking = (self.check)(credentials);
        let scheme = self.scheme.clone();
        Ok(Box::pin(async move {
            match checking.await {
                Ok(checked) => Ok(Box::new(checked) as Authenticated),
                Err(problem) => Err(Box::new(with_challenges(*problem, &scheme.schemes(), true))),
            }
        }))
    }

    fn schemes(&self) -> Vec<SecurityScheme> {
        self.scheme.schemes()
    }
}

/// Returns the problem for a request without valid credentials.
#[cold]
fn refusal(schemes: &[SecurityScheme], invalid: InvalidCredentials) -> Problem {
    let problem = Problem::new(StatusCode::UNAUTHORIZED);
    match invalid {
        InvalidCredentials::Missing => {
            let places: Vec<String> = schemes.iter().map(SecurityScheme::place).collect();
            let problem = problem.with_detail(format!("expected {}", places.join(" or ")));
            with_challenges(problem, schemes, false)
        }
        InvalidCredentials::Malformed(expected) => {
            with_challenges(problem.with_detail(expected), schemes, true)
        }
    }
}

/// Adds the challenges to a problem of status 401 (RFC 9110, section 11.6.1), unless the problem
/// already has challenges.
#[cold]
fn with_challenges(problem: Problem, schemes: &[SecurityScheme], is_invalid: bool) -> Problem {
    let is_challenged = problem.headers().contains_key(WWW_AUTHENTICATE);
    if problem.status() != StatusCode::UNAUTHORIZED || is_challenged {
        return problem;
    }
    let challenges = schemes.iter().filter_map(|scheme| scheme.challenge(is_invalid));
    challenges.fold(problem, |problem, challenge| problem.with_header(WWW_AUTHENTICATE, challenge))
}

/// A value that a service gives to its handlers: a database, a configuration. The value is cloned
/// for each request, so it is usually an `Arc`.
#[derive(Clone)]
pub struct State<T>(pub(crate) T);

impl<T> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("State")
    }
}

impl<T: Clone + Send + Sync + 'static> Input for State<T> {
    type Value = T;

    fn describe(&self, _description: &mut Vec<InputDescription>) {}
}

impl<T: Clone + Send + Sync + 'static> Read for State<T> {
    #[inline]
    fn read(&self, _reading: &mut InputReader<'_>) -> Option<T> {
        Some(self.0.clone())
    }
}
