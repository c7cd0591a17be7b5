//! [`Operation`]: an endpoint compiled for its formats. [`ServedOperation`]: an operation with its
//! handler.

use std::sync::Arc;

use http::{HeaderValue, Method, StatusCode};
use manywire_codec::Result;

use super::conditions::CONDITION_HEADERS;
use super::headers::RequestHeaders;
use super::refusal::Refusal;
use super::request_body::{AcceptedBodies, BodyKind};
use crate::content::own::AnyFormat;
use crate::content::{Decoding, Media};
use crate::endpoint::{Handle, Representations, Responder, Route};
use crate::field_numbers::FieldNumbers;
use crate::input::{Authenticate, InputDescription};
use crate::limits::Limits;
use crate::problem::InputLocation;
use crate::problem_writer::ProblemFormats;

/// An endpoint as it is compiled when its API is built, without its handler.
#[derive(Debug)]
pub(crate) struct Operation {
    /// The part that the handler shares, which outlives a request.
    pub(super) responder: Arc<Responder>,
    pub(super) status: StatusCode,
    /// The bodies that the endpoint accepts, if it takes one.
    pub(super) body: Option<AcceptedBodies>,
    /// The value of `Vary`.
    pub(super) vary: HeaderValue,
    /// Indicates whether the endpoint takes a precondition or a range of requests as an input.
    pub(super) reads_conditions: bool,
}

/// An endpoint of the routing table with its handler.
pub(super) struct ServedOperation {
    pub(super) operation: Operation,
    pub(super) handler: Box<dyn Handle>,
    /// The check of credentials that precedes the handler, if the endpoint has one.
    pub(super) authenticator: Option<Arc<dyn Authenticate>>,
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
        let body = route.inputs.iter().find_map(InputDescription::body);
        let answers = Representations::new(&route.returns, formats, api.problems, api.numbers)?;
        let (method, pattern) = (route.head.method.clone(), route.head.pattern.clone());
        let accepted = |media| AcceptedBodies::new(media, formats, api.numbers, api.untyped);
        let mut body = body.map(accepted).transpose()?;
        if let Some(body) = &mut body {
            body.is_slow = route.head.is_slow;
        }
        Ok(Operation {
            responder: Arc::new(Responder { method, pattern, answers }),
            status,
            body,
            vary: vary(&route.returns),
            reads_conditions: route.inputs.iter().any(is_condition),
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
        let answers = Representations::new(media, formats, api.problems, api.numbers)?;
        let (method, pattern) = (Method::default(), name.to_owned());
        Ok(Operation {
            responder: Arc::new(Responder { method, pattern, answers }),
            status: StatusCode::OK,
            body: Some(AcceptedBodies::new(media, formats, api.numbers, api.untyped)?),
            vary: vary(media),
            reads_conditions: false,
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
}

/// Returns whether an input is a precondition.
fn is_condition(input: &InputDescription) -> bool {
    let InputDescription::Parameter { place: InputLocation::Header, name, .. } = input else {
        return false;
    };
    CONDITION_HEADERS.iter().any(|known| name.eq_ignore_ascii_case(known.as_str()))
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
