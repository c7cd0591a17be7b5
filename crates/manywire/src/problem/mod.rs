//! Problem details (RFC 9457): failures, as data. `problem_writer` encodes them.

use std::collections::BTreeMap;
use std::fmt;

use http::StatusCode;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use manywire_codec::{Error, Limits, json};
use manywire_shape::{Arena, OwnedValue, Shaped, Violation};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::text::{Texts, field_lines, texts};
use crate::types::Type;

pub use fault::{Fault, InputLocation};

mod fault;

/// A failure of a request or of the server, as it is reported to the client (RFC 9457).
///
/// ```
/// use manywire::{Problem, StatusCode};
///
/// let problem = Problem::new(StatusCode::CONFLICT).with_detail("the room was booked meanwhile");
/// assert_eq!(problem.title(), "Conflict");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(transparent)]
pub struct Problem(Box<Details>);

// Boxed in `Problem`, since every `Result` of a handler has room for a problem and few results
// contain one.
/// Problem details (RFC 9457).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Shaped)]
#[serde(rename = "Problem")]
struct Details {
    #[serde(rename = "type", default = "about_blank")]
    kind: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Fault>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    available: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instance: Option<String>,
    /// The members beside the standard ones, with the values that they have in JSON.
    #[serde(flatten)]
    members: BTreeMap<String, OwnedValue>,
    /// The header fields of the response, which are no members.
    #[serde(skip)]
    headers: HeaderMap,
}

/// The type of a problem that has only a status (section 4.2.1).
pub(crate) const ABOUT_BLANK: &str = "about:blank";

fn about_blank() -> String {
    ABOUT_BLANK.to_owned()
}

/// Returns whether a final response can have a status: from 200 to 599 (RFC 9110, section 15).
pub(crate) fn is_final(status: StatusCode) -> bool {
    (200..600).contains(&status.as_u16())
}

/// Returns the status with this number, or 500 if no final response can have it.
fn final_status(number: u16) -> StatusCode {
    let status = StatusCode::from_u16(number).ok().filter(|status| is_final(*status));
    status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

impl Problem {
    /// Creates a problem with a status and its standard title. A status below 200 or above 599, which
    /// a response cannot have, is logged as an error and becomes 500.
    #[cold]
    pub fn new(status: StatusCode) -> Self {
        let mut status = status;
        if !is_final(status) {
            tracing::error!(status = status.as_u16(), "invalid status of a problem");
            status = StatusCode::INTERNAL_SERVER_ERROR;
        }
        Problem(Box::new(Details {
            kind: about_blank(),
            title: status.canonical_reason().unwrap_or("Unknown").to_owned(),
            status: status.as_u16(),
            detail: None,
            instance: None,
            errors: Vec::new(),
            available: Vec::new(),
            members: BTreeMap::new(),
            headers: HeaderMap::new(),
        }))
    }

    /// Creates a problem with status 500, and logs the cause, which the client does not see.
    #[cold]
    pub fn internal(cause: impl fmt::Display) -> Self {
        tracing::error!(%cause, "a handler failed");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Sets the type: a URI, absolute or relative to the API.
    #[must_use]
    pub fn with_type(mut self, uri: impl Into<String>) -> Self {
        self.0.kind = uri.into();
        self
    }

    /// Sets the title, which all problems of a type share.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.0.title = title.into();
        self
    }

    /// Sets the detail: what happened this time.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// Sets the instance: a URI that identifies this occurrence of the problem.
    #[must_use]
    pub fn with_instance(mut self, uri: impl Into<String>) -> Self {
        self.0.instance = Some(uri.into());
        self
    }

    /// Adds a member beside the standard ones (RFC 9457, section 3.2). In every format, its value
    /// is the one that it has in JSON. A value that is null in JSON adds no member. A value that
    /// JSON cannot represent adds none either, nor does a value under the name of a standard
    /// member; both are logged as errors.
    ///
    /// ```
    /// use manywire::{Problem, StatusCode};
    ///
    /// let problem = Problem::new(StatusCode::CONFLICT).with_member("left", &3);
    /// assert_eq!(problem.member("left"), Some(3));
    /// ```
    #[must_use]
    pub fn with_member<T>(mut self, name: &str, value: &T) -> Self
    where
        T: Serialize + ?Sized,
    {
        if STANDARD_MEMBERS.contains(&name) {
            tracing::error!(name, "this member of a problem has a meaning, and was left out");
            return self;
        }
        match to_json_value(value) {
            Ok(OwnedValue::Null) => {}
            Ok(value) => _ = self.0.members.insert(name.to_owned(), value),
            Err(error) => tracing::error!(name, %error, "a member of a problem was left out"),
        }
        self
    }

    /// Returns a member beside the standard ones, or `None` if the member is absent or not a valid
    /// `T`. If `T` is an `Option`, an absent member is `Some(None)`.
    pub fn member<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let value = self.0.members.get(name).unwrap_or(&OwnedValue::Null);
        let mut json = Vec::new();
        json::encode(value, &mut json).ok()?;
        json::from_slice(&json).ok()
    }

    /// Adds a header field whose value is text, such as a number or a list. An absent value adds no
    /// field. An invalid name, or a value that a header field cannot hold, adds none either, and is
    /// logged as an error.
    #[must_use]
    pub fn with_field<T>(mut self, name: &'static str, value: &T) -> Self
    where
        T: Serialize + ?Sized,
    {
        let lines = texts(value).map_err(|error| error.to_string()).and_then(|texts| {
            let lines = texts.into_iter().map(HeaderValue::try_from);
            lines.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())
        });
        let Ok(name) = HeaderName::try_from(name) else {
            tracing::error!(name, "invalid header field name; a field of a problem was left out");
            return self;
        };
        match lines {
            Ok(lines) => lines.into_iter().for_each(|line| _ = self.0.headers.append(&name, line)),
            Err(error) => tracing::error!(%name, error, "a field of a problem was left out"),
        }
        self
    }

    /// Returns a header field of the response, or `None` if the field is absent or not a valid `T`.
    /// If `T` is an `Option`, an absent field is `Some(None)`.
    pub fn field<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let lines = field_lines(&self.0.headers, name).ok()?;
        T::deserialize(Texts::Lines(&lines)).ok()
    }

    /// Creates the problem for a body that violates constraints.
    #[cold]
    pub(crate) fn of_violations(violations: Vec<Violation>) -> Self {
        let faults = violations.into_iter().map(Fault::of_violation).collect();
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY).with_errors(faults)
    }

    /// Adds a fault of the request.
    #[must_use]
    pub fn with_error(mut self, fault: Fault) -> Self {
        self.0.errors.push(fault);
        self
    }

    /// Sets the status to that of the response.
    pub(crate) fn sent_with(mut self, status: StatusCode) -> Self {
        self.0.status = status.as_u16();
        self
    }

    pub(crate) fn with_errors(mut self, faults: Vec<Fault>) -> Self {
        self.0.errors = faults;
        self
    }

    /// Sets the alternatives that are available: media types, codings, methods or paths.
    #[must_use]
    pub fn with_available(
        mut self,
        available: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.0.available = available.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a header field to the response. The server overrides the fields that describe the
    /// content, such as `Content-Type`, `Content-Length` and `Vary`.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.append(name, value);
        self
    }

    /// Returns the header fields of the response that belong to the problem, such as `Retry-After`
    /// and `WWW-Authenticate`. On a client, these are all fields of the response.
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// Sets the header fields to those of the response.
    #[cfg(feature = "client")]
    pub(crate) fn received_with(mut self, headers: HeaderMap) -> Self {
        self.0.headers = headers;
        self
    }

    /// Returns the type, a URI; `about:blank` if the problem has only a status.
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// Returns the title.
    pub fn title(&self) -> &str {
        &self.0.title
    }

    /// Returns the status; 500 if the status is not from 200 to 599, as in a problem that was
    /// deserialized.
    pub fn status(&self) -> StatusCode {
        final_status(self.0.status)
    }

    /// Returns the detail: what happened this time.
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// Returns the instance, a URI that identifies this occurrence of the problem.
    pub fn instance(&self) -> Option<&str> {
        self.0.instance.as_deref()
    }

    /// Returns all faults of the request.
    pub fn errors(&self) -> &[Fault] {
        &self.0.errors
    }

    /// Returns the available alternatives: media types, codings, methods or paths.
    pub fn available(&self) -> &[String] {
        &self.0.available
    }
}

/// The members of every problem, whose names no other member may have.
const STANDARD_MEMBERS: [&str; 7] =
    ["type", "title", "status", "detail", "instance", "errors", "available"];

/// Returns a value in the form that it has in JSON: an IP address, for example, is text in JSON,
/// but not in binary formats.
pub(crate) fn to_json_value<T: Serialize + ?Sized>(value: &T) -> Result<OwnedValue, Error> {
    let json = json::to_vec(value)?;
    let arena = Arena::default();
    Ok(json::read_value(&json, &arena, Limits::DEFAULT)?.into())
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0.status, self.0.title)?;
        if let Some(detail) = &self.0.detail {
            write!(f, ": {detail}")?;
        }
        self.0.errors.iter().try_for_each(|fault| write!(f, "; {fault}"))
    }
}

impl std::error::Error for Problem {}

/// One kind of failure of an endpoint: the members that all its problems share.
///
/// ```
/// use manywire::ProblemKind;
///
/// const TAKEN: ProblemKind = ProblemKind::new(409).with_type("/problems/taken").with_title("Taken");
/// assert!(TAKEN.is_of(&TAKEN.problem().with_detail("by somebody else")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProblemKind {
    status: u16,
    uri: &'static str,
    title: &'static str,
    members: &'static [ProblemMember],
    headers: &'static [&'static str],
}

/// A member that the problems of one kind have beside the standard ones (RFC 9457, section 3.2).
#[derive(Clone, Copy)]
pub struct ProblemMember {
    name: &'static str,
    ty: fn() -> Type,
}

impl ProblemMember {
    /// Describes a member with its type.
    pub const fn new<T: Shaped>(name: &'static str) -> Self {
        ProblemMember { name, ty: Type::of::<T> }
    }

    /// Returns the name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the type of the value.
    pub fn ty(&self) -> Type {
        (self.ty)()
    }
}

impl fmt::Debug for ProblemMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.name, self.ty())
    }
}

impl PartialEq for ProblemMember {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.ty().key() == other.ty().key()
    }
}

impl Eq for ProblemMember {}

impl ProblemKind {
    /// Creates a kind with a status from 400 to 599 and the type `about:blank`.
    pub const fn new(status: u16) -> Self {
        ProblemKind { status, uri: ABOUT_BLANK, title: "", members: &[], headers: &[] }
    }

    /// Sets the type: a URI, absolute or relative to the API.
    #[must_use]
    pub const fn with_type(mut self, uri: &'static str) -> Self {
        self.uri = uri;
        self
    }

    /// Sets a title other than that of the status.
    #[must_use]
    pub const fn with_title(mut self, title: &'static str) -> Self {
        self.title = title;
        self
    }

    /// Names the members that the problems have beside the standard ones, for the document.
    #[must_use]
    pub const fn with_members(mut self, members: &'static [ProblemMember]) -> Self {
        self.members = members;
        self
    }

    /// Names the header fields that the responses have, for the document.
    #[must_use]
    pub const fn with_headers(mut self, headers: &'static [&'static str]) -> Self {
        self.headers = headers;
        self
    }

    /// Returns the members that the problems have beside the standard ones.
    pub fn members(&self) -> &'static [ProblemMember] {
        self.members
    }

    /// Returns the names of the header fields that the responses have.
    pub fn headers(&self) -> &'static [&'static str] {
        self.headers
    }

    /// Returns the status; 500 if the status is not from 200 to 599.
    pub fn status(&self) -> StatusCode {
        final_status(self.status)
    }

    /// Returns the type, a URI; `about:blank` without a type.
    pub fn uri(&self) -> &'static str {
        self.uri
    }

    /// Returns the title.
    pub fn title(&self) -> &'static str {
        match self.title {
            "" => self.status().canonical_reason().unwrap_or("Unknown"),
            title => title,
        }
    }

    /// Creates a problem of this kind.
    #[cold]
    pub fn problem(&self) -> Problem {
        Problem::new(self.status()).with_type(self.uri).with_title(self.title())
    }

    /// Returns whether a problem is of this kind: by its type, or by its status if it has no type.
    pub fn is_of(&self, problem: &Problem) -> bool {
        problem.kind() == self.uri && (self.uri != ABOUT_BLANK || problem.status() == self.status())
    }
}

/// The failures of an endpoint, in addition to those that every endpoint has.
///
/// Derive it for an enum with a variant for each kind, or use [`Problem`], which may be any
/// failure:
///
/// ```
/// use manywire::{Failure, Problem};
///
/// /// How looking for a hotel fails.
/// #[derive(Debug, PartialEq, Failure)]
/// enum HotelError {
///     /// No such hotel
///     #[failure(status = 404, type = "/problems/no-such-hotel")]
///     NotFound(String),
///     /// Closed for the season
///     #[failure(status = 410)]
///     Closed,
/// }
///
/// let problem = HotelError::NotFound("there is no hotel 7".to_owned()).problem();
/// assert_eq!(problem.to_string(), "404 No such hotel: there is no hotel 7");
/// // What a server sends, a client gets back.
/// let failure = HotelError::from_problem(&problem);
/// assert_eq!(failure, Some(HotelError::NotFound("there is no hotel 7".to_owned())));
/// ```
///
/// Fields are members of the problem, or header fields of its response. One variant may hold any
/// other problem, such as that of a body which a handler reads itself:
///
/// ```
/// use manywire::{Failure, Problem};
///
/// #[derive(Debug, Failure)]
/// enum OrderError {
///     /// Out of stock
///     #[failure(status = 409, type = "/problems/out-of-stock")]
///     OutOfStock {
///         left: u32,
///         #[failure(detail)]
///         what: String,
///         #[failure(header = "retry-after")]
///         wait_seconds: u32,
///     },
///     #[failure(other)]
///     Other(Problem),
/// }
///
/// let failure = OrderError::OutOfStock { left: 2, what: "tea".to_owned(), wait_seconds: 60 };
/// let problem = failure.problem();
/// assert_eq!(problem.member("left"), Some(2));
/// assert_eq!(problem.headers()["retry-after"], "60");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which problem it is",
    label = "not a `Failure`",
    note = "derive it: #[derive(Failure)], with #[failure(status = 404)] on each variant",
    note = "or fail with a `Problem`"
)]
pub trait Failure: Sized + Send + 'static {
    /// All kinds of failure, for the document and for clients; empty if any may occur.
    const KINDS: &'static [ProblemKind];

    /// Indicates whether other problems may occur beside these kinds.
    const IS_OPEN: bool = Self::KINDS.is_empty();

    /// Returns the problem for the client.
    fn problem(&self) -> Problem;

    /// Returns the failure for a problem that a client received, or `None` for any other problem.
    fn from_problem(problem: &Problem) -> Option<Self>;
}

impl Failure for Problem {
    const KINDS: &'static [ProblemKind] = &[];

    fn problem(&self) -> Problem {
        self.clone()
    }

    // `Problem` covers every failure, so a client reports it as an ordinary problem.
    fn from_problem(_: &Problem) -> Option<Self> {
        None
    }
}
