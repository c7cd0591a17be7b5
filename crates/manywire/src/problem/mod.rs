//! Problem details (RFC 9457): what every failure is, in the client's format.

use std::fmt;

use http::StatusCode;
use manywire_shape::Shaped;
use serde::{Deserialize, Serialize};

pub use fault::{Fault, InputLocation};
pub(crate) use writer::{
    ProblemFormat, ProblemFormats, ProblemWriter, media_type as problem_media_type,
};

mod fault;
mod writer;

/// What is wrong with a request, or with the server, as a client is told it (RFC 9457).
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

/// The members. Behind a pointer, since every `Result` of a handler has room for a problem and
/// hardly any is one.
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

/// The type of a problem that its status says all about (section 4.2.1).
pub(crate) const ABOUT_BLANK: &str = "about:blank";

fn about_blank() -> String {
    ABOUT_BLANK.to_owned()
}

impl Problem {
    /// A problem of no other type than its status, whose title is that of the status.
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

    /// A failure that is nobody's business but the server's: logged here, status 500 to the client.
    #[cold]
    pub fn internal(cause: impl fmt::Display) -> Self {
        tracing::error!(%cause, "a handler failed");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The same with a type of its own: a URI, absolute or relative to the API.
    #[must_use]
    pub fn with_type(mut self, uri: impl Into<String>) -> Self {
        self.0.kind = uri.into();
        self
    }

    /// The same with another title, which all problems of its type share.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.0.title = title.into();
        self
    }

    /// The same with what happened this time.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// The same with one more thing that is wrong with the request.
    #[must_use]
    pub fn with_error(mut self, fault: Fault) -> Self {
        self.0.errors.push(fault);
        self
    }

    /// The same with the status of the answer that it came in.
    pub(crate) fn sent_with(mut self, status: StatusCode) -> Self {
        self.0.status = status.as_u16();
        self
    }

    pub(crate) fn with_errors(mut self, faults: Vec<Fault>) -> Self {
        self.0.errors = faults;
        self
    }

    /// The same with what would have done instead: media types, codings, methods or paths.
    #[must_use]
    pub fn with_available(
        mut self,
        available: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.0.available = available.into_iter().map(Into::into).collect();
        self
    }

    /// A URI that says what kind of problem this is; `about:blank` where the status says it all.
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// What kind of problem this is, in words.
    pub fn title(&self) -> &str {
        &self.0.title
    }

    /// The status it is sent with; 500 if it came with one that is none.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// What happened this time.
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// What is wrong with the request, all of it.
    pub fn errors(&self) -> &[Fault] {
        &self.0.errors
    }

    /// The media types, codings, methods or paths that would have done instead.
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

/// One way an endpoint can fail: what all problems of that kind share.
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
    /// Problems of no other type than their status, from 400 to 599.
    pub const fn new(status: u16) -> Self {
        ProblemKind { status, uri: ABOUT_BLANK, title: "" }
    }

    /// The same with a type of its own: a URI, absolute or relative to the API.
    #[must_use]
    pub const fn with_type(mut self, uri: &'static str) -> Self {
        self.uri = uri;
        self
    }

    /// The same with another title than that of its status.
    #[must_use]
    pub const fn with_title(mut self, title: &'static str) -> Self {
        self.title = title;
        self
    }

    /// The status they are sent with; 500 if it was given one that is none.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The URI they are known by; `about:blank` where it is the status.
    pub fn uri(&self) -> &'static str {
        self.uri
    }

    /// What kind of problem this is, in words.
    pub fn title(&self) -> &'static str {
        match self.title {
            "" => self.status().canonical_reason().unwrap_or("Unknown"),
            title => title,
        }
    }

    /// A problem of this kind.
    #[cold]
    pub fn problem(&self) -> Problem {
        Problem::new(self.status()).with_type(self.uri).with_title(self.title())
    }

    /// Whether a problem is of this kind: by its type, or by its status where it has none.
    pub fn is_of(&self, problem: &Problem) -> bool {
        problem.kind() == self.uri && (self.uri != ABOUT_BLANK || problem.status() == self.status())
    }
}

/// The ways an endpoint can fail, beside those that every endpoint can.
///
/// Derived for an enum, a variant a way; or [`Problem`], which may be anything:
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
    /// Every kind there is, for the document and for clients; empty where any may come.
    const KINDS: &'static [ProblemKind];

    /// What the client is told.
    fn problem(&self) -> Problem;

    /// The failure that a client was told of; nothing if it is none of these.
    fn from_problem(problem: &Problem) -> Option<Self>;
}

impl Failure for Problem {
    const KINDS: &'static [ProblemKind] = &[];

    fn problem(&self) -> Problem {
        self.clone()
    }

    // No problem is this one in particular: a client is told of it as of any other.
    fn from_problem(_: &Problem) -> Option<Self> {
        None
    }
}
