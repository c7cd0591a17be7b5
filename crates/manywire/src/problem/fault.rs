//! [`Fault`]: one wrong input of a request, with its location.

use std::fmt;

use manywire_codec::{Error, json};
use manywire_shape::{Shaped, Violation};
use serde::{Deserialize, Serialize};

/// The location of an input in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Shaped)]
#[serde(rename = "Place", rename_all = "lowercase")]
pub enum InputLocation {
    /// A segment of the path.
    Path,
    /// A parameter of the query.
    Query,
    /// A header field.
    Header,
    /// A cookie.
    Cookie,
    /// The body.
    Body,
}

impl InputLocation {
    /// Returns the name, as OpenAPI has it: `path`, `query`, `header`, `cookie`; or `body`.
    pub fn name(self) -> &'static str {
        match self {
            InputLocation::Path => "path",
            InputLocation::Query => "query",
            InputLocation::Header => "header",
            InputLocation::Cookie => "cookie",
            InputLocation::Body => "body",
        }
    }
}

impl fmt::Display for InputLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One fault of a request: an input that the endpoint does not accept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Shaped)]
pub struct Fault {
    #[serde(rename = "in")]
    place: InputLocation,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    column: Option<u64>,
    detail: String,
}

impl Fault {
    /// Creates a fault of the named input.
    #[cold]
    pub fn new(place: InputLocation, name: impl Into<String>, detail: impl Into<String>) -> Self {
        Fault::of_check(place, Some(&name.into()), None, detail.into())
    }

    /// Creates a fault of an input whose value was read, or of a part of it.
    #[cold]
    pub(crate) fn of_check(
        place: InputLocation,
        name: Option<&str>,
        path: Option<String>,
        detail: String,
    ) -> Self {
        let name = name.map(str::to_owned);
        Fault { place, name, path, offset: None, line: None, column: None, detail }
    }

    /// Creates a fault of the body from the error of its decoder: path and byte offset, and line
    /// and column in text.
    #[cold]
    pub(crate) fn of_body(error: &Error, bytes: &[u8]) -> Self {
        let offset = error.offset();
        let position =
            offset.filter(|_| error.is_in_text()).map(|offset| json::position(bytes, offset));
        let number = |number: usize| number as u64;
        Fault {
            place: InputLocation::Body,
            name: None,
            path: Some(error.path_text()),
            offset: offset.map(number),
            line: position.map(|position| number(position.line)),
            column: position.map(|position| number(position.column)),
            detail: error.message().to_owned(),
        }
    }

    /// Creates a fault of one value of a stream, or of the bytes between values: its index, and its
    /// byte offset in the whole stream. `line` is the line of the value, if each value has one.
    #[cold]
    pub(crate) fn of_item(
        error: Error,
        bytes: &[u8],
        index: usize,
        start: u64,
        line: Option<u64>,
    ) -> Self {
        // An error between values has no index.
        let error = if bytes.is_empty() { error } else { error.under_index(index) };
        let mut fault = Fault::of_body(&error, bytes);
        fault.offset = Some(start + fault.offset.unwrap_or_default());
        fault.line = line.filter(|_| fault.line.is_some());
        fault.column = fault.column.filter(|_| line.is_some());
        fault
    }

    /// Creates a fault of the body for a constraint that its value violates.
    #[cold]
    pub(crate) fn of_violation(violation: Violation) -> Self {
        let Violation { path, detail } = violation;
        Fault::of_check(InputLocation::Body, None, Some(path), detail)
    }

    /// Appends a path below the current one, such as `.rooms[0]`.
    #[cfg(feature = "multipart")]
    #[cold]
    pub(crate) fn below(mut self, place: &str) -> Self {
        self.path.get_or_insert_default().push_str(place);
        self
    }

    /// Returns the location of the input.
    pub fn location(&self) -> InputLocation {
        self.place
    }

    /// Returns the name of a parameter, header field or cookie.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the path within a body: `$.rooms[0].rate`.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// Returns the byte offset in the body, counted from 0.
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// Returns the message: what is wrong, and what was expected.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.place)?;
        if let Some(name) = &self.name {
            write!(f, " {name}")?;
        }
        if let Some(path) = &self.path {
            write!(f, " {path}")?;
        }
        write!(f, ": {}", self.detail)
    }
}

impl std::error::Error for Fault {}
