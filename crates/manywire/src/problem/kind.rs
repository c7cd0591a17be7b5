use http::StatusCode;

use super::{ABOUT_BLANK, Problem};

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
