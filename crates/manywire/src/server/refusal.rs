//! [`Refusal`]: every reason for which a request is answered without its handler.

use http::header::{self, HeaderName};
use http::{HeaderValue, StatusCode};
use manywire_codec::{Category, Error};

use crate::charset::Charset;
use crate::codings;
use crate::pace::TooSlow;
use crate::problem::{Fault, Problem};

/// The reason for which a request is refused before its handler runs.
#[derive(Debug)]
pub(super) enum Refusal<'a> {
    /// No endpoint has this path. `available` lists the paths that exist, if the API lists them.
    NotFound { available: &'a [String] },
    /// The request has no `Host` field, or several. A proxy may have chosen another one of them, so
    /// the connection closes.
    InvalidHost,
    /// The body has a transfer coding other than `chunked`.
    UnsupportedTransferCodings { found: String },
    /// `Transfer-Encoding` lists `chunked` several times, or has empty members.
    InvalidTransferCodings { found: String },
    /// The request has more header fields than the limit.
    TooManyHeaderFields { limit: usize },
    /// The path has endpoints, but none for this method.
    MethodNotAllowed { allow: &'a HeaderValue },
    /// The client accepts none of the media types.
    NotAcceptable { available: Vec<String> },
    /// The client accepts none of the codings, nor content without one.
    CodingNotAcceptable { available: Vec<String> },
    /// The body has a media type that is not accepted, or no `Content-Type`.
    UnsupportedMediaType { found: Option<String>, accepted: &'a [String] },
    /// The charset of the body is not supported.
    UnsupportedCharset { found: String },
    /// A content coding of the body is not supported.
    UnsupportedCoding { found: String },
    /// The body has more content codings than the server removes.
    TooManyCodings { found: String, codings_max: usize },
    /// The current representation is not one that the request permits. `tag` is its entity tag.
    PreconditionFailed { field: HeaderName, tag: Option<HeaderValue> },
    /// The range begins after the end of the content.
    RangeNotSatisfiable { bytes: u64 },
    /// The body is a stream in a charset other than UTF-8.
    UnsupportedStreamCharset { found: String },
    /// The body is not valid in its charset.
    InvalidCharset { charset: Charset, at: usize },
    /// The body is invalid in its content coding, or exceeds the limit when it is decoded.
    InvalidCoding { error: Error },
    /// The body exceeds the size limit.
    TooLarge { limit: usize },
    /// The body arrived too slowly.
    Timeout { too_slow: TooSlow },
    /// The connection ended before the body did.
    Disconnected,
    /// The runtime that decodes bodies is shutting down.
    ShuttingDown,
}

/// A problem with a response header field.
type ProblemAndHeader = (Problem, Option<(HeaderName, HeaderValue)>);

impl Refusal<'_> {
    /// Returns the problem that the client is sent.
    #[cold]
    pub(super) fn problem(self) -> ProblemAndHeader {
        match self {
            Refusal::NotFound { available: [] } => (Problem::new(StatusCode::NOT_FOUND), None),
            Refusal::NotFound { available } => {
                let detail = format!("there are {}", available.join(", "));
                let problem = Problem::new(StatusCode::NOT_FOUND).with_detail(detail);
                (problem.with_available(available.to_vec()), None)
            }
            Refusal::InvalidHost => closing(bad_request("expected one Host field".to_owned())),
            Refusal::UnsupportedTransferCodings { found } => {
                let detail = format!("expected the transfer coding chunked, found {found}");
                closing((Problem::new(StatusCode::NOT_IMPLEMENTED).with_detail(detail), None))
            }
            Refusal::InvalidTransferCodings { found } => closing(bad_request(format!(
                "expected the transfer coding chunked once, found {found:?}"
            ))),
            Refusal::TooManyHeaderFields { limit } => {
                let problem = Problem::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
                (problem.with_detail(format!("expected at most {limit} header fields")), None)
            }
            Refusal::MethodNotAllowed { allow } => {
                let methods = allow.to_str().unwrap_or_default().split(", ");
                let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED).with_available(methods);
                (problem, Some((header::ALLOW, allow.clone())))
            }
            Refusal::NotAcceptable { available } => {
                let detail = format!("Accept allows none of {}", available.join(", "));
                let problem = Problem::new(StatusCode::NOT_ACCEPTABLE);
                (problem.with_detail(detail).with_available(available), None)
            }
            Refusal::CodingNotAcceptable { available } => {
                let detail = format!("Accept-Encoding allows none of {}", available.join(", "));
                let problem = Problem::new(StatusCode::NOT_ACCEPTABLE);
                let problem = problem.with_detail(detail).with_available(available);
                (problem, field(header::VARY, "accept-encoding"))
            }
            Refusal::UnsupportedMediaType { found, accepted } => {
                let found = found.map_or("a body without Content-Type".to_owned(), |text| {
                    format!("a body of {text}")
                });
                let list = accepted.join(", ");
                let detail = format!("expected a body of {list}, found {found}");
                let problem = Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE)
                    .with_detail(detail)
                    .with_available(accepted.to_vec());
                (problem, field(header::ACCEPT, &list))
            }
            Refusal::UnsupportedCharset { found } => {
                let detail = format!(
                    "expected text in UTF-8, UTF-16, UTF-32, ISO-8859-1 or windows-1252, found {found}"
                );
                (Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE).with_detail(detail), None)
            }
            Refusal::UnsupportedCoding { found } => {
                let names: Vec<String> =
                    codings::supported().map(|coding| coding.to_string()).collect();
                let list = if names.is_empty() { "identity".to_owned() } else { names.join(", ") };
                let detail = format!("expected one of the content codings {list}, found {found}");
                let problem = Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE)
                    .with_detail(detail)
                    .with_available(names);
                (problem, field(header::ACCEPT_ENCODING, &list))
            }
            Refusal::TooManyCodings { found, codings_max } => {
                let detail =
                    format!("expected at most {codings_max} content codings, found {found}");
                (Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE).with_detail(detail), None)
            }
            Refusal::PreconditionFailed { field, tag } => {
                let detail = match field {
                    header::IF_MATCH => "If-Match has no strong entity tag of the current content",
                    header::IF_NONE_MATCH => "If-None-Match has the entity tag of the content",
                    _ => "the content was modified after If-Unmodified-Since",
                };
                let problem = Problem::new(StatusCode::PRECONDITION_FAILED);
                (problem.with_detail(detail), tag.map(|tag| (header::ETAG, tag)))
            }
            Refusal::RangeNotSatisfiable { bytes } => {
                let detail = format!("expected a range within {bytes} bytes");
                let problem = Problem::new(StatusCode::RANGE_NOT_SATISFIABLE).with_detail(detail);
                (problem, self::field(header::CONTENT_RANGE, &format!("bytes */{bytes}")))
            }
            Refusal::UnsupportedStreamCharset { found } => {
                let detail = format!("expected a stream in UTF-8, found {found}");
                (Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE).with_detail(detail), None)
            }
            Refusal::InvalidCharset { charset, at } => {
                bad_request(format!("invalid {charset} at byte {at} of the body"))
            }
            Refusal::InvalidCoding { error } if error.category() == Category::Limit => {
                let problem = Problem::new(StatusCode::PAYLOAD_TOO_LARGE);
                (problem.with_detail(error.message()), None)
            }
            Refusal::InvalidCoding { error } => {
                let fault = Fault::of_body(&error, &[]);
                (Problem::new(StatusCode::BAD_REQUEST).with_errors(vec![fault]), None)
            }
            Refusal::TooLarge { limit } => {
                let detail = format!("the body exceeds the limit of {limit} bytes");
                (Problem::new(StatusCode::PAYLOAD_TOO_LARGE).with_detail(detail), None)
            }
            Refusal::Timeout { too_slow } => {
                let problem = Problem::new(StatusCode::REQUEST_TIMEOUT);
                closing((problem.with_detail(format!("the body {too_slow}")), None))
            }
            Refusal::Disconnected => {
                bad_request("the connection closed before the end of the body".to_owned())
            }
            Refusal::ShuttingDown => (Problem::new(StatusCode::SERVICE_UNAVAILABLE), None),
        }
    }
}

fn bad_request(detail: String) -> ProblemAndHeader {
    (Problem::new(StatusCode::BAD_REQUEST).with_detail(detail), None)
}

/// Closes the connection after the response, because the end of the request is unknown.
fn closing((problem, _): ProblemAndHeader) -> ProblemAndHeader {
    (problem, Some((header::CONNECTION, HeaderValue::from_static("close"))))
}

fn field(name: HeaderName, value: &str) -> Option<(HeaderName, HeaderValue)> {
    Some((name, HeaderValue::from_str(value).ok()?))
}
