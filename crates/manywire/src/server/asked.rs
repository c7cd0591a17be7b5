use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use http::{Method, StatusCode};

use super::fields::Fields;
use super::refusal::Refusal;
use super::validators::Known;
use crate::problem::Problem;

/// What a client wants of an answer: what its request says of that, kept while it is handled.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    method: Method,
    /// The fields that an answer may depend on, and no others.
    headers: HeaderMap,
}

/// The fields of a request that an answer may depend on.
const KEPT: [HeaderName; 4] =
    [header::ACCEPT, header::ACCEPT_CHARSET, header::ACCEPT_ENCODING, header::IF_NONE_MATCH];

impl Asked {
    /// What a request asks for.
    pub fn of(parts: &Parts) -> Self {
        let mut headers = HeaderMap::new();
        for name in KEPT {
            for value in parts.headers.get_all(&name) {
                headers.append(name.clone(), value.clone());
            }
        }
        Asked { method: parts.method.clone(), headers }
    }

    /// The method it was asked by.
    pub fn method(&self) -> &Method {
        &self.method
    }

    pub(super) fn is_head(&self) -> bool {
        self.method == Method::HEAD
    }

    pub(super) fn is_get(&self) -> bool {
        self.is_head() || self.method == Method::GET
    }

    pub(super) fn fields(&self) -> Fields<'_> {
        Fields::of(&self.headers)
    }

    /// What the client has already, if it says so.
    pub(super) fn known(&self) -> Option<Box<Known>> {
        self.headers.contains_key(header::IF_NONE_MATCH).then(|| Known::of(&self.headers))
    }
}

/// Why a request is not answered as it wishes: a problem, and the field that says what would do.
#[derive(Clone, Debug)]
pub struct Refused {
    pub(super) problem: Problem,
    pub(super) field: Option<(HeaderName, HeaderValue)>,
}

impl Refused {
    /// What the client is told.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The status it is told by.
    pub fn status(&self) -> StatusCode {
        self.problem.status()
    }

    /// The same told by another status.
    #[must_use]
    pub fn with_status(self, status: StatusCode) -> Self {
        Refused { problem: self.problem.sent_with(status), ..self }
    }
}

impl From<Refusal<'_>> for Refused {
    #[cold]
    fn from(refusal: Refusal<'_>) -> Self {
        let (problem, field) = refusal.problem();
        Refused { problem, field }
    }
}

impl From<Problem> for Refused {
    #[cold]
    fn from(problem: Problem) -> Self {
        Refused { problem, field: None }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.problem.fmt(f)
    }
}

impl std::error::Error for Refused {}
