//! The interface that a user implements: [`OwnFormat`], its errors, and the delimiters of its
//! streams.

use std::fmt;

use manywire_codec::{Category, Error, Limits};
use serde::Serialize;
use serde::de::DeserializeSeed;

use crate::content::Type;

/// A user-defined format: its names, and how values are encoded and decoded.
///
/// Listed by reference among the formats of an API, of an endpoint or of a client, the format is
/// negotiated by `Accept`, recognised by `Content-Type`, named in problems of status 406 and 415
/// and in the OpenAPI document, and compressed, tagged and limited like any other format. Problems
/// are encoded in the format, too.
///
/// ```
/// use manywire::{Api, Format, FormatError, OwnFormat, Shaped, get};
/// use serde::de::DeserializeSeed;
/// use serde::{Deserialize, Serialize};
///
/// struct Yaml;
///
/// impl OwnFormat for Yaml {
///     fn name(&self) -> &'static str {
///         "yaml"
///     }
///
///     fn media_types(&self) -> &'static [&'static str] {
///         &["application/yaml", "text/yaml"]
///     }
///
///     fn is_text(&self) -> bool {
///         true
///     }
///
///     fn encode<T: Serialize + ?Sized>(
///         &self,
///         value: &T,
///         out: &mut Vec<u8>,
///     ) -> Result<(), FormatError> {
///         Ok(serde_yaml_ng::to_writer(out, value)?)
///     }
///
///     fn decode<'de, S: DeserializeSeed<'de>>(
///         &self,
///         seed: S,
///         bytes: &'de [u8],
///         _limits: manywire::content::own::Limits,
///     ) -> Result<S::Value, FormatError> {
///         Ok(seed.deserialize(serde_yaml_ng::Deserializer::from_slice(bytes))?)
///     }
/// }
///
/// # #[derive(Serialize, Deserialize, Shaped)]
/// # struct Hotel { id: u64 }
/// let find = get("/hotels/{id}").path::<u64>().returns::<Hotel>();
/// let api = Api::new("Hotels").formats((Format::Json, &Yaml));
/// let service = api.serve(find.to(|id| async move { Hotel { id } })).build()?;
/// # Ok::<(), manywire::InvalidApi>(())
/// ```
///
/// The library enforces the depth limit for every format, and finds the path to a wrong value
/// without the format's help. The format itself must reject trailing bytes, must not allocate
/// memory for a length that the input merely states, and must not recurse without a limit into data
/// that it skips.
///
/// The parts of a form may use the format, too. The format supports streams
/// ([`Items`](crate::content::Items)) if [`OwnFormat::sequence`] returns their delimiters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a format",
    label = "not a format",
    note = "list a `Format`, or a reference to a type that implements `OwnFormat`: `&Yaml`"
)]
pub trait OwnFormat: Send + Sync + 'static {
    /// Returns the name in logs, metrics and error messages, such as `yaml`. The name identifies
    /// the format.
    fn name(&self) -> &'static str;

    /// Returns the media types. The first one is sent as the `Content-Type`. A media type whose
    /// suffix is the subtype of the first one is decoded as well: a format with `application/yaml`
    /// decodes `application/problem+yaml` (RFC 6838, section 4.2.8).
    fn media_types(&self) -> &'static [&'static str];

    /// Returns whether the format is text. A text format receives bodies in every charset,
    /// converted to UTF-8.
    fn is_text(&self) -> bool {
        false
    }

    /// Checks that the format can represent values of a type, when an API is built.
    ///
    /// # Errors
    /// Fails with the reason and an alternative.
    fn holds(&self, ty: &Type) -> Result<(), FormatError> {
        let _ = ty;
        Ok(())
    }

    /// Returns the delimiters of the values of a stream, or `None` if the format has no streams.
    fn sequence(&self) -> Option<Sequence> {
        None
    }

    /// Appends an encoded value to `out`.
    ///
    /// # Errors
    /// Fails if the format cannot represent the value.
    fn encode<T: Serialize + ?Sized>(
        &self,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<(), FormatError>;

    /// Decodes the single value in the bytes, by `seed.deserialize(…)`.
    ///
    /// Invalid bytes have status 400, and a value that does not fit its type has status 422. An
    /// error that comes from the type means that the value does not fit; any other error means
    /// invalid bytes. A category of the error overrides both.
    ///
    /// # Errors
    /// Fails with the position if the format knows it: [`FormatError::at_line`],
    /// [`FormatError::at_byte`].
    fn decode<'de, S: DeserializeSeed<'de>>(
        &self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value, FormatError>;
}

/// The error of a user-defined format.
///
/// Any error converts by `?`; a position may be added:
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
    position: Option<ErrorPosition>,
}

#[derive(Clone, Copy, Debug)]
enum ErrorPosition {
    Byte(usize),
    Line { line: usize, column: usize },
}

impl FormatError {
    /// Creates an error that says what was expected and what was found.
    #[cold]
    pub fn new(message: impl fmt::Display) -> Self {
        FormatError { message: message.to_string(), category: None, position: None }
    }

    /// Adds the position as a byte offset, counted from 0.
    #[must_use]
    pub fn at_byte(mut self, offset: usize) -> Self {
        self.position = Some(ErrorPosition::Byte(offset));
        self
    }

    /// Adds the position as a line and a column, counted from 1. Columns are characters.
    #[must_use]
    pub fn at_line(mut self, line: usize, column: usize) -> Self {
        self.position = Some(ErrorPosition::Line { line, column });
        self
    }

    /// Sets the category, which otherwise follows from the origin of the error (see
    /// [`OwnFormat::decode`]).
    #[must_use]
    pub fn with_category(mut self, category: Category) -> Self {
        self.category = Some(category);
        self
    }

    /// Converts the error of a value that the format cannot represent.
    #[cold]
    pub(super) fn unsupported(self) -> Error {
        Error::new(self.category.unwrap_or(Category::Unsupported), self)
    }

    /// Converts the error, with its position as a byte offset. An error that was recorded while
    /// decoding takes precedence, unless this error has a category.
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
        let error = match self.position {
            None => error,
            Some(ErrorPosition::Byte(offset)) => error.with_offset(offset),
            Some(ErrorPosition::Line { line, column }) => {
                error.with_offset(offset(bytes, line, column))
            }
        };
        if is_text { error.in_text() } else { error }
    }
}

/// Returns the byte offset of a column of a line, or the end if there is no such position.
fn offset(bytes: &[u8], line: usize, column: usize) -> usize {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let before: usize = lines.by_ref().take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    let rest = lines.next().unwrap_or_default();
    let is_first = |byte: &u8| byte & 0xC0 != 0x80;
    let mut starts = rest.iter().enumerate().filter(|(_, byte)| is_first(byte)).map(|(at, _)| at);
    before + starts.nth(column.saturating_sub(1)).unwrap_or(rest.len())
}

/// Converts any error, with its message.
impl<E: std::error::Error> From<E> for FormatError {
    #[cold]
    fn from(error: E) -> Self {
        FormatError::new(error)
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.position {
            None => Ok(()),
            Some(ErrorPosition::Byte(offset)) => write!(f, ", at byte {offset}"),
            Some(ErrorPosition::Line { line, column }) => {
                write!(f, ", at line {line}, column {column}")
            }
        }
    }
}

/// The delimiters of values in a stream of a user-defined format
/// ([`Items`](crate::content::Items)), as returned by `OwnFormat::sequence`.
///
/// ```
/// use manywire::Sequence;
///
/// // Documents of YAML, each ended by a line of three dots.
/// const YAML: Sequence = Sequence::ended_by(b"\n...\n");
/// // Records with their length in front, under a media type for them alone.
/// const RECORDS: Sequence = Sequence::prefixed().named(&["application/x-records"]);
/// # drop((YAML, RECORDS));
/// ```
#[derive(Clone, Copy)]
pub struct Sequence {
    pub(in crate::content) media_types: &'static [&'static str],
    pub(in crate::content) delimiter: Delimiter,
}

/// The delimiter of values in a stream.
#[derive(Clone, Copy)]
pub(in crate::content) enum Delimiter {
    Terminator(&'static [u8]),
    Separator(&'static [u8]),
    LengthPrefix,
    SelfDelimiting(fn() -> Box<dyn Boundaries>),
}

/// Finds the end of a value that is followed by the next without a delimiter. A new instance is
/// created for each value.
///
/// Closures implement this trait: `Sequence::concatenated(|| Box::new(|bytes: &[u8]| …))`.
pub trait Boundaries: Send {
    /// Returns the length of the value at the beginning of these bytes. The length may exceed the
    /// available bytes; `None` means that the length depends on later bytes. The next call has the
    /// same bytes followed by more, perhaps by one byte at a time, so an implementation should
    /// remember its position.
    ///
    /// # Errors
    /// Fails if no value begins with these bytes.
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>, FormatError>;
}

impl<F> Boundaries for F
where
    F: FnMut(&[u8]) -> Result<Option<usize>, FormatError> + Send,
{
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>, FormatError> {
        self(bytes)
    }
}

impl Sequence {
    const fn new(delimiter: Delimiter) -> Sequence {
        Sequence { media_types: &[], delimiter }
    }

    /// Creates a sequence in which each value ends with these bytes. Decoding accepts a last value
    /// without them. Encoding a value that contains the bytes fails, and the response is aborted.
    pub const fn ended_by(bytes: &'static [u8]) -> Sequence {
        Sequence::new(Delimiter::Terminator(bytes))
    }

    /// Creates a sequence in which these bytes separate values. The end of a value is known only
    /// when the next value begins to arrive. Encoding a value that contains the bytes fails, and
    /// the response is aborted. Use [`Sequence::ended_by`] if each value should be decoded
    /// immediately.
    pub const fn separated_by(bytes: &'static [u8]) -> Sequence {
        Sequence::new(Delimiter::Separator(bytes))
    }

    /// Creates a sequence in which the length of each value in bytes, a varint, precedes the value,
    /// as in delimited Protocol Buffers messages.
    pub const fn prefixed() -> Sequence {
        Sequence::new(Delimiter::LengthPrefix)
    }

    /// Creates a sequence in which values follow each other directly. `boundaries` creates the
    /// finder of the end of a value.
    pub const fn concatenated(boundaries: fn() -> Box<dyn Boundaries>) -> Sequence {
        Sequence::new(Delimiter::SelfDelimiting(boundaries))
    }

    /// Sets the media types of streams. The first one is sent. Without them, a stream has the media
    /// types of a single value.
    #[must_use]
    pub const fn named(mut self, media_types: &'static [&'static str]) -> Sequence {
        self.media_types = media_types;
        self
    }

    /// Returns whether the delimiter is empty.
    pub(super) fn has_empty_delimiter(&self) -> bool {
        matches!(self.delimiter, Delimiter::Terminator([]) | Delimiter::Separator([]))
    }
}

impl fmt::Debug for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.delimiter {
            Delimiter::Terminator(bytes) => {
                write!(f, "Sequence::ended_by({})", bytes.escape_ascii())
            }
            Delimiter::Separator(bytes) => {
                write!(f, "Sequence::separated_by({})", bytes.escape_ascii())
            }
            Delimiter::LengthPrefix => f.write_str("Sequence::prefixed"),
            Delimiter::SelfDelimiting(_) => f.write_str("Sequence::concatenated"),
        }
    }
}
