use std::fmt;

use manywire_format::Format;

/// The result of reading or writing a value.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a value could not be read or written, and where.
///
/// Eight bytes, so that a `Result` costs the hot path one register; everything it says is behind
/// the pointer and only made when something went wrong.
pub struct Error(Box<Inner>);

struct Inner {
    category: Category,
    format: Option<Format>,
    offset: Option<usize>,
    // From the inside out: segments are added while the error passes up through the containers.
    path: Vec<Segment>,
    message: String,
    is_in_text: bool,
}

/// What kind of failure an [`Error`] is. Branch on this, never on the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Category {
    /// The bytes end in the middle of a value.
    Eof,
    /// The bytes are not of the format.
    Syntax,
    /// The bytes are of the format, but their value does not fit the type or shape asked for.
    Data,
    /// The input goes beyond one of the [`Limits`](crate::Limits).
    Limit,
    /// The format has no place for the value that was to be written.
    Unsupported,
}

/// One step of the path from the whole value to the place of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// The value under a key.
    Key(String),
    /// The item at an index.
    Index(usize),
}

impl Error {
    /// An error of a category, not yet placed.
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

    /// An error at a byte offset.
    #[cold]
    #[inline(never)]
    pub(crate) fn at(category: Category, offset: usize, message: impl fmt::Display) -> Self {
        Error::new(category, message).with_offset(offset)
    }

    /// Bytes that end `offset` bytes into the input although more was called for.
    #[cold]
    #[inline(never)]
    pub(crate) fn eof(offset: usize, expected: &'static str) -> Self {
        Error::at(Category::Eof, offset, format_args!("the bytes end here, expected {expected}"))
    }

    /// Containers nested deeper than the limit.
    #[cold]
    #[inline(never)]
    pub(crate) fn depth(offset: usize, limit: usize) -> Self {
        Error::at(Category::Limit, offset, format_args!("nested deeper than the limit of {limit}"))
    }

    /// Bytes left over after the value.
    #[cold]
    #[inline(never)]
    pub(crate) fn trailing(offset: usize, count: usize) -> Self {
        let s = if count == 1 { "" } else { "s" };
        Error::at(
            Category::Syntax,
            offset,
            format_args!("{count} byte{s} left over after the value"),
        )
    }

    /// Says at which byte, unless a place nearer to the failure is known already.
    #[cold]
    #[must_use]
    pub fn with_offset(mut self, offset: usize) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Says which format was being read or written, unless that is known already.
    #[cold]
    #[must_use]
    pub fn with_format(mut self, format: Format) -> Self {
        self.0.format.get_or_insert(format);
        self
    }

    /// Says that what was read is text, so that an offset is a line and a column, too: of a format
    /// that is not one of [`Format`].
    #[cold]
    #[must_use]
    pub fn in_text(mut self) -> Self {
        self.0.is_in_text = true;
        self
    }

    /// Adds the container that the error came out of: the value under this key.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub fn under_key(mut self, key: impl fmt::Display) -> Self {
        self.0.path.push(Segment::Key(key.to_string()));
        self
    }

    /// Adds the container that the error came out of: the item at this index.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub fn under_index(mut self, index: usize) -> Self {
        self.0.path.push(Segment::Index(index));
        self
    }

    /// Another error in the place of this one: its category, offset and message, this one's path.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub(crate) fn replaced_by(self, mut other: Error) -> Self {
        other.0.path = self.0.path;
        other.0.format = other.0.format.or(self.0.format);
        other
    }

    /// The same with other steps in its path, from the whole value inwards.
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

    /// What kind of failure this is.
    pub fn category(&self) -> Category {
        self.0.category
    }

    /// The format being read or written, where that is known.
    pub fn format(&self) -> Option<Format> {
        self.0.format
    }

    /// Whether what was read is text.
    pub fn is_in_text(&self) -> bool {
        self.0.is_in_text || self.0.format.is_some_and(|format| format.row().text)
    }

    /// The byte at which reading failed, counted from 0; for text, see the reader of the file for
    /// line and column.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// The steps from the whole value to where it failed.
    pub fn path(&self) -> impl ExactSizeIterator<Item = &Segment> {
        self.0.path.iter().rev()
    }

    /// The path as text: `$.hotels[3].name`, or `$` for the value itself.
    pub fn path_text(&self) -> String {
        let steps = self.path().map(ToString::to_string);
        std::iter::once(String::from("$")).chain(steps).collect()
    }

    /// What went wrong, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

/// The step as it stands in a path: `.name`, `["any text"]`, `[3]`.
impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::Key(key) if is_plain(key) => write!(f, ".{key}"),
            Segment::Key(key) => write!(f, "[{key:?}]"),
        }
    }
}

/// Whether a key can stand in a path without quotes.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '$')
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
}

impl serde::ser::Error for Error {
    #[cold]
    #[inline(never)]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::new(Category::Unsupported, message)
    }
}
