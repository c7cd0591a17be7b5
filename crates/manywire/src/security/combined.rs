//! Schemes that are made from others: either of two schemes, or an optional one.

use http::request::Parts;

use super::{CredentialsWriter, InvalidCredentials, Scheme, SecurityScheme};
use crate::problem::Fault;

/// Accepts the credentials of one of two schemes. [`Scheme::or`] creates it.
#[derive(Clone, Debug)]
pub struct Or<A, B> {
    first: A,
    second: B,
}

/// The credentials of one of two schemes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Either<A, B> {
    /// The credentials of the first scheme.
    First(A),
    /// The credentials of the second scheme.
    Second(B),
}

impl<A, B> Or<A, B> {
    pub(super) fn new(first: A, second: B) -> Self {
        Or { first, second }
    }
}

impl<A: Scheme, B: Scheme> Scheme for Or<A, B> {
    type Credentials = Either<A::Credentials, B::Credentials>;

    fn schemes(&self) -> Vec<SecurityScheme> {
        self.first.schemes().into_iter().chain(self.second.schemes()).collect()
    }

    fn is_optional(&self) -> bool {
        self.first.is_optional() || self.second.is_optional()
    }

    fn read(&self, head: &Parts) -> Result<Self::Credentials, InvalidCredentials> {
        match self.first.read(head) {
            Ok(credentials) => Ok(Either::First(credentials)),
            Err(InvalidCredentials::Missing) => self.second.read(head).map(Either::Second),
            Err(malformed) => Err(malformed),
        }
    }

    fn write(
        &self,
        credentials: &Self::Credentials,
        request: &mut CredentialsWriter,
    ) -> Result<(), Box<Fault>> {
        match credentials {
            Either::First(credentials) => self.first.write(credentials, request),
            Either::Second(credentials) => self.second.write(credentials, request),
        }
    }
}

/// Accepts requests without credentials, too. [`Scheme::optional`] creates it.
#[derive(Clone, Debug)]
pub struct Optional<S>(S);

impl<S> Optional<S> {
    pub(super) fn new(scheme: S) -> Self {
        Optional(scheme)
    }
}

impl<S: Scheme> Scheme for Optional<S> {
    type Credentials = Option<S::Credentials>;

    fn schemes(&self) -> Vec<SecurityScheme> {
        self.0.schemes()
    }

    fn is_optional(&self) -> bool {
        true
    }

    fn read(&self, head: &Parts) -> Result<Self::Credentials, InvalidCredentials> {
        match self.0.read(head) {
            Ok(credentials) => Ok(Some(credentials)),
            Err(InvalidCredentials::Missing) => Ok(None),
            Err(malformed) => Err(malformed),
        }
    }

    fn write(
        &self,
        credentials: &Self::Credentials,
        request: &mut CredentialsWriter,
    ) -> Result<(), Box<Fault>> {
        credentials.as_ref().map_or(Ok(()), |credentials| self.0.write(credentials, request))
    }
}
