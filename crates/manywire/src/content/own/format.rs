use std::fmt;

use manywire_codec::{Category, Error, Limits};
use serde::Serialize;
use serde::de::DeserializeSeed;

use super::any_format::offer;
use super::{AnyFormat, ErasedFormat};
use crate::content::Type;
use crate::content::framing::write_delimited;
use crate::content::splitter::{Split, Splitter, find_bytes, syntax_error};
use crate::negotiate::Offer;

/// A format of one's own: what it is called, and how values get into it and out of it.
///
/// Listed by reference among the formats of an API, of an endpoint or of a client, it is chosen by
/// `Accept`, read by `Content-Type`, named in 406, 415 and the document, and coded, tagged and
/// limited as any other. Problems are written in it, too.
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
/// Values nested deeper than the limit are refused whatever the format does, and the path to what
/// is wrong within a value is found without its help. What it must see to itself: nothing may
/// follow the value, no claimed length may allocate, and what it passes over it must not recurse
/// into without a limit.
///
/// The parts of a form are read and written in it, too. It has streams
/// ([`Items`](super::Items)) once it says how values stand one after the other:
/// [`OwnFormat::sequence`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no format",
    label = "not a format",
    note = "list a `Format`, or a reference to what implements `OwnFormat`: `&Yaml`"
)]
pub trait OwnFormat: Send + Sync + 'static {
    /// Its name in logs, metrics and what an API says is wrong: `yaml`. It is what tells it from
    /// others.
    fn name(&self) -> &'static str;

    /// The media types it goes by, the one it is sent as first. A type that ends in the subtype of
    /// that, as `application/problem+yaml` does in that of `application/yaml`, is read as well (RFC
    /// 6838, section 4.2.8).
    fn media_types(&self) -> &'static [&'static str];

    /// Whether it is text. Then it is read in every charset, which it gets as UTF-8.
    fn is_text(&self) -> bool {
        false
    }

    /// Whether it can hold values of a type, which is asked when an API is built.
    ///
    /// # Errors
    /// Why it cannot, and what to return instead.
    fn holds(&self, ty: &Type) -> Result<(), FormatError> {
        let _ = ty;
        Ok(())
    }

    /// How its values stand one after the other in a stream; nothing, as long as it does not say:
    /// then it has none.
    fn sequence(&self) -> Option<Sequence> {
        None
    }

    /// Appends a value.
    ///
    /// # Errors
    /// When it has no place for the value.
    fn encode<T: Serialize + ?Sized>(
        &self,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<(), FormatError>;

    /// Reads the one value that the bytes are, by `seed.deserialize(…)`.
    ///
    /// What is wrong with bytes is status 400, and a value that does not fit its type is 422: which
    /// of both it is, is known from where the error comes from, unless it says so itself.
    ///
    /// # Errors
    /// What is wrong, with the place where the format knows it: [`FormatError::at_line`],
    /// [`FormatError::at_byte`].
    fn decode<'de, S: DeserializeSeed<'de>>(
        &self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value, FormatError>;
}

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
    position: Option<ErrorPosition>,
}

#[derive(Clone, Copy, Debug)]
enum ErrorPosition {
    Byte(usize),
    Line { line: usize, column: usize },
}

impl FormatError {
    /// An error in words: what was expected, and what was found.
    #[cold]
    pub fn new(message: impl fmt::Display) -> Self {
        FormatError { message: message.to_string(), category: None, position: None }
    }

    /// The same at a byte, counted from 0.
    #[must_use]
    pub fn at_byte(mut self, offset: usize) -> Self {
        self.position = Some(ErrorPosition::Byte(offset));
        self
    }

    /// The same at a line and a column, counted from 1; columns are characters.
    #[must_use]
    pub fn at_line(mut self, line: usize, column: usize) -> Self {
        self.position = Some(ErrorPosition::Line { line, column });
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
        match self.position {
            None => Ok(()),
            Some(ErrorPosition::Byte(offset)) => write!(f, ", at byte {offset}"),
            Some(ErrorPosition::Line { line, column }) => {
                write!(f, ", at line {line}, column {column}")
            }
        }
    }
}

/// How the values of a format of one's own stand one after the other, so that it has streams
/// ([`Items`](crate::content::Items)): what `OwnFormat::sequence` gives.
///
/// ```
/// use manywire::Sequence;
///
/// // Documents of YAML, each ended by a line of three dots.
/// const YAML: Sequence = Sequence::ended_by(b"\n...\n");
/// // Records whose lengths stand before them, by a name of their own.
/// const RECORDS: Sequence = Sequence::prefixed().named(&["application/x-records"]);
/// # drop((YAML, RECORDS));
/// ```
#[derive(Clone, Copy)]
pub struct Sequence {
    media_types: &'static [&'static str],
    delimiter: Delimiter,
}

/// What tells the end of a value.
#[derive(Clone, Copy)]
enum Delimiter {
    Terminator(&'static [u8]),
    Separator(&'static [u8]),
    LengthPrefix,
    SelfDelimiting(fn() -> Box<dyn Boundaries>),
}

/// Finds where a value ends that others follow with nothing in between. Made anew for each value.
///
/// A closure is one, too: `Sequence::concatenated(|| Box::new(|bytes: &[u8]| …))`.
pub trait Boundaries: Send {
    /// How many of these bytes, which begin with the value, are the value: more than there are
    /// where its length is known before it has come, `None` where only bytes that are still to
    /// come will say. Asked again, it is given the same bytes with more behind them; they may come
    /// one by one, so what was looked at is best remembered.
    ///
    /// # Errors
    /// What can be the beginning of no value.
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

    /// Each value is ended by these bytes, the last one, too; there it is read without them as
    /// well. A value that holds them is not written: the answer breaks off.
    pub const fn ended_by(bytes: &'static [u8]) -> Sequence {
        Sequence::new(Delimiter::Terminator(bytes))
    }

    /// These bytes stand between values. That a value is whole is then known only when the next one
    /// comes: where each is to be read as soon as it was made, have it ended.
    pub const fn separated_by(bytes: &'static [u8]) -> Sequence {
        Sequence::new(Delimiter::Separator(bytes))
    }

    /// Each value stands behind its length in bytes, a varint, as delimited messages of Protocol
    /// Buffers do.
    pub const fn prefixed() -> Sequence {
        Sequence::new(Delimiter::LengthPrefix)
    }

    /// Values stand one behind the other, and say for themselves where they end.
    pub const fn concatenated(boundaries: fn() -> Box<dyn Boundaries>) -> Sequence {
        Sequence::new(Delimiter::SelfDelimiting(boundaries))
    }

    /// The same by media types of its own, the one it is sent as first, instead of those that one
    /// value goes by.
    #[must_use]
    pub const fn named(mut self, media_types: &'static [&'static str]) -> Sequence {
        self.media_types = media_types;
        self
    }

    /// Whether what is to tell values apart is nothing.
    pub(super) fn has_empty_delimiter(&self) -> bool {
        matches!(self.delimiter, Delimiter::Terminator([]) | Delimiter::Separator([]))
    }
}

/// A sequence with the format it is of.
#[derive(Clone, Copy)]
pub(crate) struct OwnFraming {
    own: ErasedFormat,
    sequence: Sequence,
}

impl OwnFraming {
    pub(super) fn new(own: ErasedFormat, sequence: Sequence) -> OwnFraming {
        OwnFraming { own, sequence }
    }

    pub(crate) fn format(self) -> AnyFormat {
        AnyFormat::from(self.own)
    }

    pub(crate) fn is_text(self) -> bool {
        self.own.is_text()
    }

    pub(crate) fn media_types(self) -> &'static [&'static str] {
        match self.sequence.media_types {
            [] => self.own.media_types(),
            named => named,
        }
    }

    pub(crate) fn offer(self) -> Offer {
        offer(self.media_types())
    }

    /// Appends a value with what stands around it.
    pub(crate) fn write(
        self,
        is_first: bool,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        match self.sequence.delimiter {
            Delimiter::Terminator(end) => {
                encode_checked(end, encode, out)?;
                out.extend_from_slice(end);
                Ok(())
            }
            Delimiter::Separator(separator) => {
                if !is_first {
                    out.extend_from_slice(separator);
                }
                encode_checked(separator, encode, out)
            }
            Delimiter::LengthPrefix => write_delimited(encode, out),
            Delimiter::SelfDelimiting(_) => encode(out),
        }
    }

    pub(in crate::content) fn splitter(self) -> Splitter {
        match self.sequence.delimiter {
            Delimiter::Terminator(bytes) | Delimiter::Separator(bytes) => {
                Splitter::with_terminator(bytes, self.is_text())
            }
            Delimiter::LengthPrefix => Splitter::Delimited,
            Delimiter::SelfDelimiting(boundaries) => {
                Splitter::with_boundaries(boundaries, self.is_text())
            }
        }
    }
}

/// Appends a value that whoever looks for its end will find whole.
fn encode_checked(
    end: &[u8],
    encode: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let start = out.len();
    encode(out)?;
    let length = out.len() - start;
    // With its end behind it, lest both together have one earlier.
    out.extend_from_slice(end);
    let found = out.get(start..).and_then(|value| find_bytes(value, end));
    out.truncate(start + length);
    if found == Some(length) {
        return Ok(());
    }
    let end = end.escape_ascii();
    let message = format_args!("the value holds \"{end}\", which ends one in a stream");
    Err(Error::new(Category::Unsupported, message))
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

/// Values one behind the other, whose format says where each ends.
pub(in crate::content) struct BoundarySplitter {
    boundaries: fn() -> Box<dyn Boundaries>,
    /// What looks for the end of the value at hand.
    current: Option<Box<dyn Boundaries>>,
    /// Where that is, once it is known.
    end: Option<usize>,
    is_text: bool,
}

impl BoundarySplitter {
    pub(in crate::content) fn new(boundaries: fn() -> Box<dyn Boundaries>, is_text: bool) -> Self {
        BoundarySplitter { boundaries, current: None, end: None, is_text }
    }

    pub(in crate::content) fn next(
        &mut self,
        bytes: &[u8],
        has_ended: bool,
    ) -> Result<Split, Error> {
        if has_ended && self.is_text && bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Split::End);
        }
        if bytes.is_empty() {
            return Ok(Split::Incomplete);
        }
        if self.end.is_none() {
            let current = self.current.get_or_insert_with(self.boundaries);
            let end = current.end(bytes);
            self.end = end.map_err(|error| error.into_error(None, bytes, self.is_text))?;
        }
        match self.end {
            // A value without bytes would stand there without end.
            Some(0) => Err(syntax_error(0, "expected a value, found none that takes a byte")),
            Some(end) if end <= bytes.len() => {
                (self.current, self.end) = (None, None);
                Ok(Split::Value { range: 0..end, taken: end })
            }
            _ => Ok(Split::Incomplete),
        }
    }
}

impl fmt::Debug for BoundarySplitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundarySplitter").field("end", &self.end).finish_non_exhaustive()
    }
}
