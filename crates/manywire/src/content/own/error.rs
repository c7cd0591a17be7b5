use std::fmt;

use manywire_codec::{Category, Error};

/// Why a format of one's own could not read or write a value.
///
/// Any error becomes one by `?`; the place, where it is known, is said beside it:
///
/// ```
/// use manywire::FormatError;
///
/// let error = FormatError::new("expected a colon").at_line(3, 14);
/// assert_eq!(error.to_string(), "expected a colon, at line 3, column 14");
/// ```
#[derive(Debug)]
pub struct FormatError {
    message: String,
    category: Option<Category>,
    place: Option<Place>,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Byte(usize),
    Line { line: usize, column: usize },
}

impl FormatError {
    /// An error in words: what was expected, and what was found.
    #[cold]
    pub fn new(message: impl fmt::Display) -> Self {
        FormatError { message: message.to_string(), category: None, place: None }
    }

    /// The same at a byte, counted from 0.
    #[must_use]
    pub fn at_byte(mut self, offset: usize) -> Self {
        self.place = Some(Place::Byte(offset));
        self
    }

    /// The same at a line and a column, counted from 1; columns are characters.
    #[must_use]
    pub fn at_line(mut self, line: usize, column: usize) -> Self {
        self.place = Some(Place::Line { line, column });
        self
    }

    /// The same of a category, where what the error comes from does not say it: bytes that are not
    /// of the format, although a type was found not to fit, or the other way round.
    #[must_use]
    pub fn with_category(mut self, category: Category) -> Self {
        self.category = Some(category);
        self
    }

    /// A value that the format has no place for.
    #[cold]
    pub(super) fn unsupported(self) -> Error {
        Error::new(self.category.unwrap_or(Category::Unsupported), self)
    }

    /// The error with its place as a byte of what was read. What was noted on the way says what is
    /// wrong, unless the format says of which kind it is.
    #[cold]
    pub(in crate::content) fn into_error(
        self,
        noted: Option<(Category, String)>,
        bytes: &[u8],
        is_text: bool,
    ) -> Error {
        let error = match (self.category, noted) {
            (Some(category), _) => Error::new(category, self.message),
            (None, Some((category, message))) => Error::new(category, message),
            (None, None) => Error::new(Category::Syntax, self.message),
        };
        let error = match self.place {
            None => error,
            Some(Place::Byte(offset)) => error.with_offset(offset),
            Some(Place::Line { line, column }) => error.with_offset(offset(bytes, line, column)),
        };
        if is_text { error.in_text() } else { error }
    }
}

/// The byte at which a column of a line begins; the end, where there is no such.
fn offset(bytes: &[u8], line: usize, column: usize) -> usize {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let before: usize = lines.by_ref().take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    let rest = lines.next().unwrap_or_default();
    let is_first = |byte: &u8| byte & 0xC0 != 0x80;
    let mut starts = rest.iter().enumerate().filter(|(_, byte)| is_first(byte)).map(|(at, _)| at);
    before + starts.nth(column.saturating_sub(1)).unwrap_or(rest.len())
}

/// Any error, in its own words.
impl<E: std::error::Error> From<E> for FormatError {
    #[cold]
    fn from(error: E) -> Self {
        FormatError::new(error)
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.place {
            None => Ok(()),
            Some(Place::Byte(offset)) => write!(f, ", at byte {offset}"),
            Some(Place::Line { line, column }) => write!(f, ", at line {line}, column {column}"),
        }
    }
}
