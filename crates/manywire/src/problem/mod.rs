//! Problem details (RFC 9457): failures, as data. `problem_writer` encodes them.

use std::fmt;

use http::StatusCode;
use manywire_shape::Shaped;
use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
#[serde(transparent)]
pub struct Problem(Box<Details>);

// Boxed in `Problem`, since every `Result` of a handler has room for a problem and few results are
// one.
/// Problem details (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
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
}

/// The type of a problem that has only a status (section 4.2.1).
pub(crate) const ABOUT_BLANK: &str = "about:blank";

fn about_blank() -> String {
    ABOUT_BLANK.to_owned()
}

impl Problem {
    /// Creates a problem with a status and its standard title.
    #[cold]
    pub fn new(status: StatusCode) -> Self {
        Problem(Box::new(Details {
            kind: about_blank(),
            title: status.canonical_reason().unwrap_or("Unknown").to_owned(),
            status: status.as_u16(),
            detail: None,
            errors: Vec::new(),
            available: Vec::new(),
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

    /// Returns the type, a URI; `about:blank` if the problem has only a status.
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// Returns the title.
    pub fn title(&self) -> &str {
        &self.0.title
    }

    /// Returns the status; 500 if the status is invalid.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Returns the detail: what happened this time.
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
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
}

impl ProblemKind {
    /// Creates a kind with a status from 400 to 599 and the type `about:blank`.
    pub const fn new(status: u16) -> Self {
        ProblemKind { status, uri: ABOUT_BLANK, title: "" }
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

    /// Returns the status; 500 if the status is invalid.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which problem it is",
    label = "not a `Failure`",
    note = "derive it: #[derive(Failure)], with #[failure(status = 404)] on each variant",
    note = "or fail with a `Problem`"
)]
pub trait Failure: Sized + Send + 'static {
    /// All kinds of failure, for the document and for clients; empty if any may occur.
    const KINDS: &'static [ProblemKind];

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
