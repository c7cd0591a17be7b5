//! The error of all functions: a message, and the place that it is about.

use std::borrow::Cow;
use std::fmt;

use manywire_shape::Value;
use manywire_shape::path::KeyStep;
use manywire_tools::convert;
use manywire_tools::payload::{Halt, InputError, InputPosition};

/// The error for a payload, a value, a schema or an argument that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The message: what is wrong, and what was expected.
    pub message: String,
    /// The path to the part of the value, such as `$.items[3]`, if the error is about one.
    pub path: Option<String>,
    /// The offset in the bytes, if it is known.
    pub offset: Option<usize>,
    /// The line in a text, counted from 1.
    pub line: Option<usize>,
    /// The column in characters, counted from 1.
    pub column: Option<usize>,
}

/// Writes the place and the message.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column, self.offset) {
            (Some(line), Some(column), _) => write!(f, "line {line}, column {column}: ")?,
            (_, _, Some(offset)) => write!(f, "byte {offset}: ")?,
            _ => {}
        }
        f.write_str(&self.message)?;
        match &self.path {
            Some(path) if path != "$" => write!(f, ", at {path}"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// Returns an error about an argument or about a payload as a whole.
    #[cold]
    pub fn new(message: impl fmt::Display) -> Self {
        Error {
            message: parameters(&message.to_string()),
            path: None,
            offset: None,
            line: None,
            column: None,
        }
    }

    /// Returns an error about the part of a value at a path.
    #[cold]
    pub fn at(path: impl Into<String>, message: impl fmt::Display) -> Self {
        Error { path: Some(path.into()), ..Error::new(message) }
    }

    /// Removes the hint that losses can be allowed, for functions that never allow them.
    #[cold]
    pub(crate) fn without_lossy(mut self) -> Self {
        if let Some(at) = self.message.find("; `lossy`") {
            self.message.truncate(at);
        }
        self
    }

    /// Puts the step to an entry in front of the path, while the error leaves the entry.
    #[cold]
    #[must_use]
    pub fn under_key(self, key: &str) -> Self {
        self.under(&KeyStep(key).to_string())
    }

    /// Puts the step to an item in front of the path, while the error leaves the item.
    #[cold]
    #[must_use]
    pub fn under_index(self, index: usize) -> Self {
        self.under(&format!("[{index}]"))
    }

    fn under(mut self, step: &str) -> Self {
        self.path.get_or_insert_with(|| "$".to_owned()).insert_str(1, step);
        self
    }

    /// Converts the error of a codec. `bytes` are the input, or `None` if a value was written.
    #[cold]
    pub(crate) fn of_codec(error: &manywire_codec::Error, bytes: Option<&[u8]>) -> Self {
        let path = Some(error.path_text());
        let found = Error { path, offset: error.offset(), ..Error::new(error.message()) };
        match (bytes, error.offset()) {
            (Some(bytes), Some(offset)) if error.is_in_text() => {
                let position = manywire_codec::json::position(bytes, offset);
                Error { line: Some(position.line), column: Some(position.column), ..found }
            }
            _ => found,
        }
    }
}

/// Returns a key as the step of a path shows it: see [`Error::under_key`].
pub fn key_text(key: &Value<'_>) -> String {
    key.key_text().map_or_else(|| key.kind().to_owned(), Cow::into_owned)
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        let (offset, line, column) = match error.place {
            InputPosition::Text { line, column, .. } => (None, Some(line), Some(column)),
            InputPosition::Byte(offset) => (Some(offset), None, None),
            InputPosition::Whole => (None, None, None),
        };
        let path = Some(error.path.into());
        Error { path, offset, line, column, ..Error::new(error.message) }
    }
}

impl From<convert::Failure> for Error {
    fn from(failure: convert::Failure) -> Self {
        match failure {
            convert::Failure::Input(error) => Error::from(error),
            other => Error::new(other),
        }
    }
}

impl From<Halt> for Error {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Refused { path, message } => Error::at(path, message),
            Halt::Stopped => Error::new("stopped"),
        }
    }
}

/// The options of the command that occur in messages, each with the parameter that replaces it.
const PARAMETERS: [(&str, &str); 4] =
    [("--lossy", "`lossy`"), ("--schema", "`schema`"), ("--from", "`form`"), ("--to", "`to`")];

/// Returns a message with parameters in place of options.
fn parameters(message: &str) -> String {
    if !message.contains("--") {
        return message.to_owned();
    }
    let renamed =
        |message: String, (option, parameter): &(&str, &str)| message.replace(option, parameter);
    PARAMETERS.iter().fold(message.to_owned(), renamed)
}
