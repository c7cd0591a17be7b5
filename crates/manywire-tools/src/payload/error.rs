//! Errors of inputs with their positions, and the reasons of a visitor to stop reading.

use std::borrow::Cow;
use std::fmt;
use std::io;

use manywire_codec::{Error, json};
use manywire_format::Format;

/// The error for an input that could not be read, with its position.
#[derive(Clone, Debug)]
pub struct InputError {
    /// The file, or `standard input`.
    pub file: Box<str>,
    /// The number of the value in the stream, counted from 1, or 0 if it is unknown.
    pub value: u64,
    /// The position in the input.
    pub place: InputPosition,
    /// The path to the invalid part of the value, `$` for the whole value.
    pub path: Box<str>,
    /// The message: the error and what was expected.
    pub message: String,
}

/// A position in an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputPosition {
    /// A position in text, with an excerpt of its line.
    Text {
        /// The number of the line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
        /// The line, or its part around the position.
        excerpt: Box<str>,
        /// The number of characters of the excerpt before the position.
        indent: usize,
    },
    /// A byte, counted from 0.
    Byte(usize),
    /// The input as a whole.
    Whole,
}

/// The reason of a [`Take`](crate::payload::Take) to accept no more values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The value is refused because of its part at a path.
    Refused {
        /// The path in the value: `$.hotels[3].name`.
        path: String,
        /// The reason.
        message: String,
    },
    /// The visitor stops for its own reason.
    Stopped,
}

/// The number of characters of a long line that are shown on each side of the position.
const EXCERPT_REACH: usize = 40;

impl InputError {
    /// Returns an error about the input as a whole.
    #[cold]
    pub fn whole(file: &str, message: impl fmt::Display) -> Self {
        InputError {
            file: file.into(),
            value: 0,
            place: InputPosition::Whole,
            path: "$".into(),
            message: message.to_string(),
        }
    }

    /// Returns the error for a file that could not be opened or read.
    #[cold]
    pub fn unreadable(file: &str, error: &io::Error) -> Self {
        InputError::whole(file, error)
    }

    /// Returns the error for invalid bytes. `source` is the whole content of the file, in which `error`
    /// has its offset.
    #[cold]
    pub fn decode(file: &str, source: &[u8], format: Format, error: &Error) -> Self {
        let place = match error.offset() {
            None => InputPosition::Whole,
            Some(offset) if format.row().text => InputPosition::in_text(source, offset),
            Some(offset) => InputPosition::Byte(offset),
        };
        InputError {
            file: file.into(),
            value: 0,
            place,
            path: error.path_text().into(),
            message: error.message().to_owned(),
        }
    }
}

impl InputPosition {
    /// Returns the position of a byte in a text.
    #[cold]
    pub fn in_text(source: &[u8], offset: usize) -> InputPosition {
        let position = json::position(source, offset);
        let offset = offset.min(source.len());
        let begin = source[..offset]
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |newline| newline + 1);
        let end = source[offset..]
            .iter()
            .position(|&byte| byte == b'\n')
            .map_or(source.len(), |newline| offset + newline);
        let before: Vec<char> = show(&source[begin..offset]);
        let after: Vec<char> = show(&source[offset..end]);
        let skipped = before.len().saturating_sub(EXCERPT_REACH);
        let excerpt: String =
            before[skipped..].iter().chain(after.iter().take(EXCERPT_REACH)).collect();
        InputPosition::Text {
            line: position.line,
            column: position.column,
            excerpt: excerpt.into(),
            indent: before.len() - skipped,
        }
    }
}

/// Decodes text for a terminal. Replaces invalid UTF-8, and control characters that would move the
/// cursor.
fn show(bytes: &[u8]) -> Vec<char> {
    String::from_utf8_lossy(bytes).chars().map(|c| if c.is_control() { '·' } else { c }).collect()
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        match &self.place {
            InputPosition::Whole => {}
            InputPosition::Byte(offset) => write!(f, ": byte {offset}")?,
            InputPosition::Text { line, column, .. } => write!(f, ":{line}:{column}")?,
        }
        // The number of the first value is left out: usually there is only one.
        if self.value > 1 {
            write!(f, ": value {}", self.value)?;
        }
        write!(f, ": {}", self.message)?;
        if *self.path != *"$" {
            write!(f, ", at {}", shortened(&self.path))?;
        }
        if let InputPosition::Text { excerpt, indent, line, .. } = &self.place {
            let margin = line.to_string().len();
            write!(f, "\n{line} | {excerpt}\n{:margin$} | {:indent$}^", "", "")?;
        }
        Ok(())
    }
}

/// The number of characters of a long path that are shown at its beginning and at its end.
const PATH_REACH: usize = 40;

/// Returns a path without its middle if it is long: a value that is nested too deeply has hundreds of
/// steps.
fn shortened(path: &str) -> Cow<'_, str> {
    let count = path.chars().count();
    let left_out = count.saturating_sub(2 * PATH_REACH);
    if left_out <= PATH_REACH {
        return path.into();
    }
    let start: String = path.chars().take(PATH_REACH).collect();
    let end: String = path.chars().skip(count - PATH_REACH).collect();
    format!("{start}…{end} ({left_out} characters of the path left out)").into()
}

impl std::error::Error for InputError {}
