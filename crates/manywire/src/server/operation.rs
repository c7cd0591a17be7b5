use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use manywire_codec::{Error, Result};

use super::body::Body;
use super::representations::Representations;
use super::request::Accepted;
use crate::content::own::AnyFormat;
use crate::content::{Encoding, Media, Representation};
use crate::endpoint::{Outcome, Route};
use crate::input::Described;
use crate::numbers::Numbers;
use crate::problem::{Problem, ProblemFormats};

/// What is known of an endpoint once its API is built, its handler apart.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(super) method: Method,
    pub(super) pattern: String,
    pub(super) status: StatusCode,
    pub(super) answers: Representations,
    /// What bodies it takes; nothing if it takes none.
    pub(super) body: Option<Accepted>,
    /// The request fields that its answer depends on.
    pub(super) vary: HeaderValue,
}

/// What the answer depends on: a header field is named even if this one answer would be the same
/// without it, since a cache must not answer another client with it (RFC 9110, section 12.5.5).
const VARY_FORMAT: &str = "accept, accept-encoding";
const VARY_TEXT: &str = "accept, accept-charset, accept-encoding";
const VARY_RAW: &str = "accept-encoding";

/// What the endpoints of an API have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServedBy<'a> {
    pub(super) numbers: &'a Numbers,
    pub(super) problems: &'a ProblemFormats,
    /// The format that bodies are taken for which do not say.
    pub(super) untyped: Option<AnyFormat>,
}

impl Operation {
    /// Compiles a route for its formats.
    ///
    /// # Errors
    /// A format that cannot hold what the endpoint takes or returns, or that was not compiled in.
    pub(super) fn new(
        route: &Route,
        status: StatusCode,
        formats: &[AnyFormat],
        served: &ServedBy<'_>,
    ) -> Result<Operation> {
        let body = route.inputs.iter().find_map(|input| match input {
            Described::Body(media) => Some(media),
            _ => None,
        });
        Ok(Operation {
            method: route.head.method.clone(),
            pattern: route.head.pattern.clone(),
            status,
            answers: Representations::new(
                &route.returns,
                formats,
                served.problems,
                served.numbers,
            )?,
            body: body.map(|media| Accepted::new(media, formats, served)).transpose()?,
            vary: HeaderValue::from_static(match &route.returns {
                Media::Text => VARY_TEXT,
                Media::Raw => VARY_RAW,
                Media::Formats(_)
                | Media::Items(_)
                | Media::Form(_)
                | Media::Multipart(_)
                | Media::Named(_)
                | Media::OneOf(_)
                | Media::Nothing => VARY_FORMAT,
            }),
        })
    }

    /// How to write an answer.
    #[inline]
    pub(crate) fn encoding(&self, choice: usize) -> Encoding<'_> {
        self.answers.encoding(choice)
    }

    /// An answer that was written.
    #[inline]
    pub(crate) fn answer(
        &self,
        choice: usize,
        content: Body,
        is: Representation,
        status: Option<StatusCode>,
        headers: Option<Box<HeaderMap>>,
    ) -> Outcome {
        let bytes = content.content().map_or(0, Bytes::len);
        let choice = self.answers.note(choice, is, bytes);
        Outcome::Answer { content, choice, status, headers }
    }

    /// An answer that the format has no place for. That is a mistake of the service, and what it
    /// is would say more of its insides than a client should know.
    #[cold]
    #[inline(never)]
    pub(crate) fn cannot_encode(&self, error: &Error) -> Outcome {
        tracing::error!(method = %self.method, pattern = self.pattern, %error, "an answer could not be written");
        Outcome::Problem(Box::new(Problem::new(StatusCode::INTERNAL_SERVER_ERROR)))
    }
}
