//! [`Operation`]: an endpoint compiled for its formats.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use manywire_codec::{Error, Result};

use super::headers::RequestHeaders;
use super::refusal::Refusal;
use super::representations::Representations;
use super::request_body::{AcceptedBodies, BodyKind};
use crate::body::Body;
use crate::content::own::AnyFormat;
use crate::content::{Answer, Decoding, Encoding, Media, Representation};
use crate::endpoint::{Outcome, Reply, Route};
use crate::field_numbers::FieldNumbers;
use crate::input::InputDescription;
use crate::limits::Limits;
use crate::problem::{Problem, ProblemFormats};

/// An endpoint as it is compiled when its API is built, without its handler.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(super) method: Method,
    pub(super) pattern: String,
    pub(super) status: StatusCode,
    pub(super) answers: Representations,
    /// The bodies that the endpoint accepts, if it takes one.
    pub(super) body: Option<AcceptedBodies>,
    /// The value of `Vary`.
    pub(super) vary: HeaderValue,
}

/// The values of `Vary`. They name every header field that responses depend on, even if one
/// response would be the same without it: a cache must not send it to another client (RFC 9110,
/// section 12.5.5).
const VARY_FORMAT: &str = "accept, accept-encoding";
const VARY_TEXT: &str = "accept, accept-charset, accept-encoding";
const VARY_RAW: &str = "accept-encoding";

/// The context that all endpoints of an API share.
#[derive(Clone, Copy, Debug)]
pub(super) struct ApiContext<'a> {
    pub(super) numbers: &'a FieldNumbers,
    pub(super) problems: &'a ProblemFormats,
    /// The format of bodies without `Content-Type`.
    pub(super) untyped: Option<AnyFormat>,
}

impl Operation {
    /// Compiles a route for its formats.
    ///
    /// # Errors
    /// Returns an error for a format that cannot represent what the endpoint takes or returns, or
    /// that is not compiled in.
    pub(super) fn new(
        route: &Route,
        status: StatusCode,
        formats: &[AnyFormat],
        api: &ApiContext<'_>,
    ) -> Result<Operation> {
        let body = route.inputs.iter().find_map(|input| match input {
            InputDescription::Body(media) => Some(media),
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

    /// Compiles an operation that takes and returns one kind of content, without a method and path.
    ///
    /// # Errors
    /// Returns the errors of [`Operation::new`].
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

    /// Returns the type of a body by its header fields.
    ///
    /// # Errors
    /// Returns a refusal for a body that is not accepted.
    pub(super) fn kind(
        &self,
        fields: &RequestHeaders<'_>,
    ) -> std::result::Result<BodyKind, Refusal<'_>> {
        match &self.body {
            Some(accepted) => accepted.kind(fields),
            None => Err(Refusal::UnsupportedMediaType { found: None, accepted: &[] }),
        }
    }

    /// Returns the context for decoding a body of this type.
    pub(super) fn decoding(&self, kind: BodyKind, limits: &Limits) -> Option<Decoding<'_>> {
        Some(self.body.as_ref()?.decoding(kind, limits))
    }

    /// Writes the reply of a handler.
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

    /// Returns the context for encoding a response.
    #[inline]
    fn encoding(&self, choice: usize) -> Encoding<'_> {
        self.answers.encoding(choice)
    }

    /// Returns the outcome for written content.
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

    /// Returns the outcome for a reply that its format cannot represent. This is a fault of the
    /// service, so the client is sent 500 without the details, and the log has them.
    #[cold]
    #[inline(never)]
    fn cannot_encode(&self, error: &Error) -> Outcome {
        tracing::error!(method = %self.method, pattern = self.pattern, %error, "cannot encode the response");
        Outcome::Problem(Box::new(Problem::new(StatusCode::INTERNAL_SERVER_ERROR)))
    }
}

/// Returns the `Vary` of responses with this kind of content.
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
