//! Reads the inputs of a request, on a server, and collects their faults.

use std::any::Any;
use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, request::Parts};
use manywire_codec::Category;

use crate::content::{Decoding, IncomingContent};
use crate::percent::{InvalidPercentEncoding, decode};
use crate::problem::{Fault, InputLocation, Problem};

/// A request while its inputs are read, with the faults found so far.
#[derive(Debug)]
pub struct InputReader<'r> {
    parts: &'r Parts,
    captures: Captures,
    body: IncomingContent,
    decoding: Option<Decoding<'r>>,
    faults: Vec<Fault>,
    status: Option<StatusCode>,
    /// The result of the check of the credentials.
    authenticated: Option<Authenticated>,
}

/// The result of a check of credentials.
pub type Authenticated = Box<dyn Any + Send>;

/// The largest number of captured segments.
pub(crate) const CAPTURES_MAX: usize = 8;

/// The byte ranges of the captured segments in the path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Captures {
    ranges: [(u16, u16); CAPTURES_MAX],
    /// True if the path has no percent-encoding, so that segments need no decoding.
    pub(crate) is_plain: bool,
}

impl Captures {
    /// Stores the range of a capture within its path.
    pub(crate) fn set(&mut self, index: usize, path: &str, capture: &str) {
        let start = capture.as_ptr().addr().saturating_sub(path.as_ptr().addr());
        let end = start.saturating_add(capture.len());
        // A path is part of a URI, which `http` limits to 65,534 bytes.
        if let (Some(range), Ok(start), Ok(end)) =
            (self.ranges.get_mut(index), u16::try_from(start), u16::try_from(end))
        {
            *range = (start, end);
        }
    }

    fn get(self, index: usize, path: &str) -> &str {
        let (start, end) = self.ranges.get(index).copied().unwrap_or_default();
        path.get(usize::from(start)..usize::from(end)).unwrap_or_default()
    }
}

impl<'r> InputReader<'r> {
    #[inline]
    pub(crate) fn new(
        parts: &'r Parts,
        captures: Captures,
        body: IncomingContent,
        decoding: Option<Decoding<'r>>,
    ) -> Self {
        let (faults, status, authenticated) = (Vec::new(), None, None);
        InputReader { parts, captures, body, decoding, faults, status, authenticated }
    }

    /// Adds the result of the check of the credentials.
    #[inline]
    pub(crate) fn with_authenticated(mut self, authenticated: Option<Authenticated>) -> Self {
        self.authenticated = authenticated;
        self
    }

    /// Returns the head of the request: method, URI, header fields, extensions.
    pub fn parts(&self) -> &'r Parts {
        self.parts
    }

    /// Returns the header fields.
    pub fn headers(&self) -> &'r HeaderMap {
        &self.parts.headers
    }

    /// Returns the query as it was sent, without the question mark.
    pub fn query(&self) -> &'r str {
        self.parts.uri.query().unwrap_or_default()
    }

    #[inline]
    pub(super) fn segment(&self, index: usize) -> Result<Cow<'r, str>, InvalidPercentEncoding> {
        let segment = self.captures.get(index, self.parts.uri.path());
        if self.captures.is_plain { Ok(Cow::Borrowed(segment)) } else { decode(segment, false) }
    }

    pub(crate) fn take_body(&mut self) -> Bytes {
        self.take_content().whole()
    }

    pub(super) fn take_content(&mut self) -> IncomingContent {
        std::mem::replace(&mut self.body, IncomingContent::Whole(Bytes::new()))
    }

    pub(crate) fn decoding(&self) -> Decoding<'r> {
        self.decoding.unwrap_or(Decoding::RAW)
    }

    /// Takes the result of the check of the credentials.
    pub(super) fn take_authenticated(&mut self) -> Option<Authenticated> {
        self.authenticated.take()
    }

    /// Refuses a request whose credentials were not checked.
    #[cold]
    pub(super) fn note_unauthenticated<T>(&mut self) -> Option<T> {
        self.status = Some(StatusCode::UNAUTHORIZED);
        None
    }

    /// Adds a fault for a value that does not fit its type: status 422.
    #[cold]
    pub fn note<T>(&mut self, fault: Fault) -> Option<T> {
        self.faults.push(fault);
        self.status.get_or_insert(StatusCode::UNPROCESSABLE_ENTITY);
        None
    }

    /// Adds a fault for invalid syntax: status 400, which takes precedence over 422.
    #[cold]
    pub(super) fn note_syntax<T>(
        &mut self,
        place: InputLocation,
        name: &str,
        detail: &str,
    ) -> Option<T> {
        self.faults.push(Fault::new(place, name, detail));
        self.status = Some(StatusCode::BAD_REQUEST);
        None
    }

    /// Adds the faults of a body: status 400 for invalid bytes, 422 for a value that does not fit
    /// its type.
    #[cold]
    pub(crate) fn note_body<T>(&mut self, category: Category, faults: Vec<Fault>) -> Option<T> {
        self.faults.extend(faults);
        if category == Category::Data {
            self.status.get_or_insert(StatusCode::UNPROCESSABLE_ENTITY);
        } else {
            self.status = Some(StatusCode::BAD_REQUEST);
        }
        None
    }

    /// Returns the problem with all faults.
    #[cold]
    pub(crate) fn problem(self) -> Problem {
        let status = self.status.unwrap_or(StatusCode::BAD_REQUEST);
        Problem::new(status).with_errors(self.faults)
    }
}
