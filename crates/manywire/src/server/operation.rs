//! [`Operation`]: an endpoint compiled for its formats.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use manywire_codec::{Error, Result};

use super::body::Body;
use super::headers::RequestHeaders;
use super::limits::Limits;
use super::refusal::Refusal;
use super::representations::Representations;
use super::request_body::{AcceptedBodies, BodyKind};
use crate::content::own::AnyFormat;
use crate::content::{Answer, Decoding, Encoding, Media, Representation};
use crate::endpoint::{Outcome, Reply, Route};
use crate::field_numbers::FieldNumbers;
use crate::input::Described;
use crate::problem::{Problem, ProblemFormats};

/// What is known of an endpoint once its API is built, its handler apart.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(super) method: Method,
    pub(super) pattern: String,
    pub(super) status: StatusCode,
    pub(super) answers: Representations,
    /// What bodies it takes; nothing if it takes none.
    pub(super) body: Option<AcceptedBodies>,
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
pub(super) struct ApiContext<'a> {
    pub(super) numbers: &'a FieldNumbers,
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
        api: &ApiContext<'_>,
    ) -> Result<Operation> {
        let body = route.inputs.iter().find_map(|input| match input {
            Described::Body(media) => Some(media),
            _ => None,
        });
        Ok(Operation {
            method: route.head.method.clone(),
            pattern: route.head.pattern.clone(),
            status,
            answers: Representations::new(&route.returns, formats, api.problems, api.numbers)?,
            body: body.map(|media| AcceptedBodies::new(media, formats, api)).transpose()?,
            vary: vary(&route.returns),
        })
    }

    /// Takes and answers with one kind of content, by no method or path in particular.
    ///
    /// # Errors
    /// As [`Operation::new`].
    pub(super) fn for_content(
        name: &str,
        media: &Media,
        formats: &[AnyFormat],
        api: &ApiContext<'_>,
    ) -> Result<Operation> {
        Ok(Operation {
            method: Method::default(),
            pattern: name.to_owned(),
            status: StatusCode::OK,
            answers: Representations::new(media, formats, api.problems, api.numbers)?,
            body: Some(AcceptedBodies::new(media, formats, api)?),
            vary: vary(media),
        })
    }

    /// What a body is by its header fields.
    ///
    /// # Errors
    /// Where it is not taken.
    pub(super) fn kind(
        &self,
        fields: &RequestHeaders<'_>,
    ) -> std::result::Result<BodyKind, Refusal<'_>> {
        match &self.body {
            Some(accepted) => accepted.kind(fields),
            None => Err(Refusal::UnsupportedMediaType { found: None, accepted: &[] }),
        }
    }

    /// How to read a body of this kind.
    pub(super) fn decoding(&self, kind: BodyKind, limits: &Limits) -> Option<Decoding<'_>> {
        Some(self.body.as_ref()?.decoding(kind, limits))
    }

    /// Writes what a handler answers with.
    #[inline]
    pub(crate) fn write<C: Answer>(&self, choice: usize, reply: Reply<C::Value>) -> Outcome {
        let mut encoding = self.encoding(choice);
        let mut headers = reply.headers;
        if let Some(content_type) = C::content_type(&reply.value) {
            let headers = headers.get_or_insert_default();
            headers.entry(header::CONTENT_TYPE).or_insert(content_type);
        }
        match C::answer(reply.value, &mut encoding) {
            Ok(content) => {
                let is = encoding.representation;
                self.answer(choice, content, is, reply.status, headers)
            }
            Err(error) => self.cannot_encode(&error),
        }
    }

    /// How to write an answer.
    #[inline]
    fn encoding(&self, choice: usize) -> Encoding<'_> {
        self.answers.encoding(choice)
    }

    /// An answer that was written.
    #[inline]
    fn answer(
        &self,
        choice: usize,
        content: Body,
        is: Representation,
        status: Option<StatusCode>,
        headers: Option<Box<HeaderMap>>,
    ) -> Outcome {
        let bytes = content.content().map_or(0, Bytes::len);
        let choice = self.answers.record(choice, is, bytes);
        Outcome::Answer { content, choice, status, headers }
    }

    /// An answer that the format has no place for. That is a mistake of the service, and what it
    /// is would say more of its insides than a client should know.
    #[cold]
    #[inline(never)]
    fn cannot_encode(&self, error: &Error) -> Outcome {
        tracing::error!(method = %self.method, pattern = self.pattern, %error, "an answer could not be written");
        Outcome::Problem(Box::new(Problem::new(StatusCode::INTERNAL_SERVER_ERROR)))
    }
}

/// The request fields that an answer of this kind depends on.
fn vary(media: &Media) -> HeaderValue {
    HeaderValue::from_static(match media {
        Media::Text => VARY_TEXT,
        Media::Raw | Media::RawStream => VARY_RAW,
        Media::Formats(_)
        | Media::Items(_)
        | Media::Form(_)
        | Media::Multipart(_)
        | Media::Named(_)
        | Media::OneOf(_)
        | Media::Nothing => VARY_FORMAT,
    })
}
