//! The error for a schema that cannot be read.

use std::fmt;

/// The error for a schema that cannot be read: the file, the position in it, and what was expected
/// there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The name of the file, as the caller passed it.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The message: what was expected and what was found.
    pub message: String,
}

impl Error {
    /// Returns an error at a byte offset of the text. An offset past the end means the end.
    #[cold]
    pub(crate) fn at(file: &str, text: &str, offset: usize, message: impl fmt::Display) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        Error { file: file.to_owned(), line, column, message: message.to_string() }
    }
}

/// Writes `file:line:column: message`, as compilers do.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}
