//! The errors of inputs, with the place of each, and the reasons to stop reading.

use std::fmt;
use std::io;

use manywire_codec::{Error, json};
use manywire_format::Format;

/// An input that could not be read, with the place to look at.
#[derive(Debug)]
pub struct InputError {
    /// The file, or `standard input`.
    pub file: Box<str>,
    /// Which of the values of a stream, counted from 1; 0 where that is not known.
    pub value: u64,
    /// Where in it.
    pub place: Place,
    /// The path to the value that failed, `$` for the whole.
    pub path: Box<str>,
    /// What was wrong and what was expected.
    pub message: String,
}

/// A place in an input.
#[derive(Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text, with the line itself and how far its caret is indented.
    Text {
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in characters.
        column: usize,
        /// The line, or the part of it around the place.
        excerpt: Box<str>,
        /// How many characters of the excerpt stand before the place.
        indent: usize,
    },
    /// A byte, counted from 0.
    Byte(usize),
    /// The input as a whole.
    Whole,
}

/// Why whoever takes the values takes no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The value cannot be taken, for a reason at a path in it.
    Refused {
        /// Where in the value: `$.hotels[3].name`.
        path: String,
        /// Why.
        message: String,
    },
    /// For a reason of its own.
    Stopped,
}

/// How many characters of a long line are shown to each side of the place.
const EXCERPT_REACH: usize = 40;

impl InputError {
    /// A problem with the input as a whole.
    #[cold]
    pub fn whole(file: &str, message: impl fmt::Display) -> Self {
        InputError {
            file: file.into(),
            value: 0,
            place: Place::Whole,
            path: "$".into(),
            message: message.to_string(),
        }
    }

    /// A file that could not be opened or read.
    #[cold]
    pub fn unreadable(file: &str, error: &io::Error) -> Self {
        InputError::whole(file, error)
    }

    /// Bytes that are not what they should be: `source` is all there is of the file, and the error
    /// counts its offset in it.
    #[cold]
    pub fn decode(file: &str, source: &[u8], format: Format, error: &Error) -> Self {
        let place = match error.offset() {
            None => Place::Whole,
            Some(offset) if format.row().text => Place::in_text(source, offset),
            Some(offset) => Place::Byte(offset),
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

impl Place {
    /// The place of a byte in a text.
    #[cold]
    pub fn in_text(source: &[u8], offset: usize) -> Place {
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
        Place::Text {
            line: position.line,
            column: position.column,
            excerpt: excerpt.into(),
            indent: before.len() - skipped,
        }
    }
}

/// Text fit for a terminal: what is no text or would move the cursor is shown as one character.
fn show(bytes: &[u8]) -> Vec<char> {
    String::from_utf8_lossy(bytes).chars().map(|c| if c.is_control() { '·' } else { c }).collect()
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        match &self.place {
            Place::Whole => {}
            Place::Byte(offset) => write!(f, ": byte {offset}")?,
            Place::Text { line, column, .. } => write!(f, ":{line}:{column}")?,
        }
        // The first is most often the only one.
        if self.value > 1 {
            write!(f, ": value {}", self.value)?;
        }
        write!(f, ": {}", self.message)?;
        if *self.path != *"$" {
            write!(f, ", at {}", self.path)?;
        }
        if let Place::Text { excerpt, indent, line, .. } = &self.place {
            let margin = line.to_string().len();
            write!(f, "\n{line} | {excerpt}\n{:margin$} | {:indent$}^", "", "")?;
        }
        Ok(())
    }
}

impl std::error::Error for InputError {}
