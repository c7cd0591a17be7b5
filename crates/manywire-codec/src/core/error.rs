//! The error of every codec: a public category, an offset, the path to the failing value, and a
//! message.

use std::fmt;

use manywire_format::Format;
use manywire_shape::path::KeyStep;
use serde::Serialize;
use serde::de::{Expected, Unexpected};

/// The result of reading or writing a value.
pub type Result<T> = std::result::Result<T, Error>;

/// The error for a value that could not be read or written, with its location.
///
/// An `Error` is eight bytes, so that a `Result` costs the hot path one register. Its content is
/// behind a pointer and is only allocated on failure.
pub struct Error(Box<Inner>);

struct Inner {
    category: Category,
    format: Option<Format>,
    offset: Option<usize>,
    // Innermost first: segments are added while the error passes up through the containers.
    path: Vec<Segment>,
    message: String,
    is_in_text: bool,
}

/// The category of an [`Error`]. Branch on the category, never on the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Category {
    /// The input ends in the middle of a value.
    Eof,
    /// The bytes are invalid in the format.
    Syntax,
    /// The bytes are valid in the format, but the value does not fit the requested type or shape.
    Data,
    /// The input exceeds one of the [`Limits`](crate::Limits).
    Limit,
    /// The format cannot represent the value to be written.
    Unsupported,
}

/// One step of the path from the whole value to an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// The value under a key.
    Key(String),
    /// The item at an index.
    Index(usize),
}

impl Error {
    /// Creates an error without a location.
    #[cold]
    #[inline(never)]
    pub fn new(category: Category, message: impl fmt::Display) -> Self {
        Error(Box::new(Inner {
            category,
            format: None,
            offset: None,
            path: Vec::new(),
            message: message.to_string(),
            is_in_text: false,
        }))
    }

    /// Creates an error at a byte offset.
    #[cold]
    #[inline(never)]
    pub(crate) fn at(category: Category, offset: usize, message: impl fmt::Display) -> Self {
        Error::new(category, message).with_offset(offset)
    }

    /// Creates the error for a value that the format cannot represent.
    #[cold]
    #[inline(never)]
    pub(crate) fn unsupported(message: impl fmt::Display) -> Self {
        Error::new(Category::Unsupported, message)
    }

    /// Creates the error for bytes that are invalid in the format.
    #[cold]
    #[inline(never)]
    pub(crate) fn syntax(offset: usize, message: impl fmt::Display) -> Self {
        Error::at(Category::Syntax, offset, message)
    }

    /// Creates the error for a value that does not fit the requested type or the schema.
    #[cold]
    #[inline(never)]
    pub(crate) fn data(offset: usize, message: impl fmt::Display) -> Self {
        Error::at(Category::Data, offset, message)
    }

    /// Creates the error for input that ends at `offset` although `expected` must follow.
    #[cold]
    #[inline(never)]
    pub(crate) fn eof(offset: usize, expected: &'static str) -> Self {
        Error::at(Category::Eof, offset, format_args!("the bytes end here, expected {expected}"))
    }

    /// Creates the error for containers nested deeper than the limit.
    #[cold]
    #[inline(never)]
    pub(crate) fn depth(offset: usize, limit: usize) -> Self {
        Error::at(Category::Limit, offset, format_args!("nested deeper than the limit of {limit}"))
    }

    /// Creates the error for `count` bytes left over after the value.
    #[cold]
    #[inline(never)]
    pub(crate) fn trailing(offset: usize, count: usize) -> Self {
        let s = if count == 1 { "" } else { "s" };
        Error::syntax(offset, format_args!("{count} byte{s} left over after the value"))
    }

    /// Creates the error for an array of which the target reads `taken` items. The number of items is
    /// `None` if it is only known at the end of the array.
    #[cold]
    #[inline(never)]
    pub(crate) fn unread_items(offset: usize, taken: usize, length: Option<usize>) -> Self {
        Error::data(offset, item_count(taken, length))
    }

    /// Creates the error for a map that has more entries than the target reads.
    #[cold]
    #[inline(never)]
    pub(crate) fn unread_entries(offset: usize) -> Self {
        Error::data(offset, "the map has more entries than expected")
    }

    /// Sets the byte offset, unless a more precise one is already set.
    #[cold]
    #[must_use]
    pub fn with_offset(mut self, offset: usize) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Sets the format, unless it is already set.
    #[cold]
    #[must_use]
    pub fn with_format(mut self, format: Format) -> Self {
        self.0.format.get_or_insert(format);
        self
    }

    /// Marks the input as text, so that the offset can be shown as a line and a column. Only
    /// formats that are not in [`Format`] need the mark.
    #[cold]
    #[must_use]
    pub fn in_text(mut self) -> Self {
        self.0.is_in_text = true;
        self
    }

    /// Adds the enclosing map to the path: the error is in the value under `key`.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub fn under_key(mut self, key: impl fmt::Display) -> Self {
        self.0.path.push(Segment::Key(key.to_string()));
        self
    }

    /// Adds the enclosing array to the path: the error is in the item at `index`.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub fn under_index(mut self, index: usize) -> Self {
        self.0.path.push(Segment::Index(index));
        self
    }

    /// Replaces the category, offset and message by those of `other`, and keeps the path.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub(crate) fn replaced_by(self, mut other: Error) -> Self {
        other.0.path = self.0.path;
        other.0.format = other.0.format.or(self.0.format);
        other
    }

    /// Maps each step of the path, from the whole value inwards.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub(crate) fn with_segments(mut self, mut step: impl FnMut(Segment) -> Segment) -> Self {
        let path = std::mem::take(&mut self.0.path);
        let mut inwards: Vec<Segment> = path.into_iter().rev().map(&mut step).collect();
        inwards.reverse();
        self.0.path = inwards;
        self
    }

    /// Returns the category of the failure.
    pub fn category(&self) -> Category {
        self.0.category
    }

    /// Returns the format that was read or written, if known.
    pub fn format(&self) -> Option<Format> {
        self.0.format
    }

    /// Returns true if the input was text.
    pub fn is_in_text(&self) -> bool {
        self.0.is_in_text || self.0.format.is_some_and(|format| format.row().text)
    }

    /// Returns the byte offset of the failure, counted from 0, or `None` if it is unknown. For
    /// text, [`json::position`](crate::json::position) converts the offset to a line and a column.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// Returns the steps from the whole value to the failure.
    pub fn path(&self) -> impl ExactSizeIterator<Item = &Segment> {
        self.0.path.iter().rev()
    }

    /// Returns the path as text: `$.hotels[3].name`, or `$` for the whole value.
    pub fn path_text(&self) -> String {
        let steps = self.path().map(ToString::to_string);
        std::iter::once(String::from("$")).chain(steps).collect()
    }

    /// Returns the message without the location.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

/// Writes the step as it appears in a path: `.name`, `["any text"]`, `[3]`.
impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::Key(key) => KeyStep(key).fmt(f),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if !self.0.path.is_empty() {
            write!(f, ", at {}", self.path_text())?;
        }
        match self.0.offset {
            Some(offset) => write!(f, " (byte {offset})"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("category", &self.0.category)
            .field("format", &self.0.format)
            .field("offset", &self.0.offset)
            .field("path", &self.path_text())
            .field("message", &self.0.message)
            .finish()
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    #[cold]
    #[inline(never)]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::new(Category::Data, message)
    }

    #[cold]
    #[inline(never)]
    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Error::new(Category::Data, invalid_type(unexpected, expected))
    }
}

/// Returns the message for a value of a type that a visitor does not take.
///
/// A value outside serde's data model is passed as a newtype, which many visitors refuse, such as
/// the visitor of `serde_json::Value`. The message names such values, because "newtype struct",
/// serde's own words, would not describe the value.
pub(crate) fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> String {
    let found: &dyn fmt::Display = match unexpected {
        Unexpected::NewtypeStruct => {
            &"a time, a number beyond 64 bits or a value that only this format has (`OwnedValue` \
              reads all of them)"
        }
        _ => &unexpected,
    };
    format!("invalid type: {found}, expected {expected}")
}

/// Returns the text of the key of an entry, for a path: a key that is not text appears as its JSON.
/// Returns `None` for a key without JSON.
#[cold]
#[inline(never)]
pub(crate) fn entry_key<K: Serialize + ?Sized>(key: &K) -> Option<String> {
    let json = serde_json::to_string(key).ok()?;
    // Text has quotes and escapes in JSON.
    if json.starts_with('"') { serde_json::from_str(&json).ok() } else { Some(json) }
}

/// Returns the message for an array of `found` items where `expected` are read or written. `found`
/// is `None` if there are more and their number is unknown.
#[cold]
pub(crate) fn item_count(expected: usize, found: Option<usize>) -> String {
    let s = if expected == 1 { "" } else { "s" };
    match found {
        Some(found) => format!("expected {expected} item{s}, found {found}"),
        None => format!("expected {expected} item{s}, found more"),
    }
}

impl serde::ser::Error for Error {
    #[cold]
    #[inline(never)]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::unsupported(message)
    }
}
