use std::fmt;

use manywire_codec::{Category, Error, Result};

use super::super::framing::write_delimited;
use super::super::split::{Splitter, position};
use super::{AnyFormat, FormatError, Own, any};
use crate::negotiate::Offer;

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
    between: Between,
}

/// What tells the end of a value.
#[derive(Clone, Copy)]
enum Between {
    Ended(&'static [u8]),
    Separated(&'static [u8]),
    Prefixed,
    Nothing(fn() -> Box<dyn Boundaries>),
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
    fn end(&mut self, bytes: &[u8]) -> std::result::Result<Option<usize>, FormatError>;
}

impl<F> Boundaries for F
where
    F: FnMut(&[u8]) -> std::result::Result<Option<usize>, FormatError> + Send,
{
    fn end(&mut self, bytes: &[u8]) -> std::result::Result<Option<usize>, FormatError> {
        self(bytes)
    }
}

impl Sequence {
    const fn new(between: Between) -> Sequence {
        Sequence { media_types: &[], between }
    }

    /// Each value is ended by these bytes, the last one, too; there it is read without them as
    /// well. A value that holds them is not written: the answer breaks off.
    pub const fn ended_by(bytes: &'static [u8]) -> Sequence {
        Sequence::new(Between::Ended(bytes))
    }

    /// These bytes stand between values. That a value is whole is then known only when the next one
    /// comes: where each is to be read as soon as it was made, have it ended.
    pub const fn separated_by(bytes: &'static [u8]) -> Sequence {
        Sequence::new(Between::Separated(bytes))
    }

    /// Each value stands behind its length in bytes, a varint, as delimited messages of Protocol
    /// Buffers do.
    pub const fn prefixed() -> Sequence {
        Sequence::new(Between::Prefixed)
    }

    /// Values stand one behind the other, and say for themselves where they end.
    pub const fn concatenated(boundaries: fn() -> Box<dyn Boundaries>) -> Sequence {
        Sequence::new(Between::Nothing(boundaries))
    }

    /// The same by media types of its own, the one it is sent as first, instead of those that one
    /// value goes by.
    #[must_use]
    pub const fn named(mut self, media_types: &'static [&'static str]) -> Sequence {
        self.media_types = media_types;
        self
    }

    /// Whether what is to tell values apart is nothing.
    pub(super) fn is_of_nothing(&self) -> bool {
        matches!(self.between, Between::Ended([]) | Between::Separated([]))
    }
}

/// A sequence with the format it is of.
#[derive(Clone, Copy)]
pub(crate) struct Sequenced {
    own: Own,
    sequence: Sequence,
}

impl Sequenced {
    pub(super) fn new(own: Own, sequence: Sequence) -> Sequenced {
        Sequenced { own, sequence }
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
        any::offer(self.media_types())
    }

    /// Appends a value with what stands around it.
    pub(crate) fn write(
        self,
        is_first: bool,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<()>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match self.sequence.between {
            Between::Ended(end) => {
                whole(end, encode, out)?;
                out.extend_from_slice(end);
                Ok(())
            }
            Between::Separated(separator) => {
                if !is_first {
                    out.extend_from_slice(separator);
                }
                whole(separator, encode, out)
            }
            Between::Prefixed => write_delimited(encode, out),
            Between::Nothing(_) => encode(out),
        }
    }

    pub(in crate::content) fn splitter(self) -> Splitter {
        match self.sequence.between {
            Between::Ended(bytes) | Between::Separated(bytes) => {
                Splitter::ended_by(bytes, self.is_text())
            }
            Between::Prefixed => Splitter::Delimited,
            Between::Nothing(boundaries) => Splitter::told_by(boundaries, self.is_text()),
        }
    }
}

/// Appends a value that whoever looks for its end will find whole.
fn whole(
    end: &[u8],
    encode: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let start = out.len();
    encode(out)?;
    let length = out.len() - start;
    // With its end behind it, lest both together have one earlier.
    out.extend_from_slice(end);
    let found = out.get(start..).and_then(|value| position(value, end));
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
        match self.between {
            Between::Ended(bytes) => write!(f, "Sequence::ended_by({})", bytes.escape_ascii()),
            Between::Separated(bytes) => {
                write!(f, "Sequence::separated_by({})", bytes.escape_ascii())
            }
            Between::Prefixed => f.write_str("Sequence::prefixed"),
            Between::Nothing(_) => f.write_str("Sequence::concatenated"),
        }
    }
}
