//! The framings of user-defined formats.

use manywire_codec::{Category, Error};

use super::write_delimited;
use crate::content::own::{AnyFormat, Delimiter, ErasedFormat, Sequence, offer};
use crate::content::splitter::{BoundarySplitter, Splitter, TerminatorSplitter, find_bytes};
use crate::negotiate::Offer;

/// A sequence together with its format.
#[derive(Clone, Copy)]
pub(crate) struct OwnFraming {
    own: ErasedFormat,
    sequence: Sequence,
}

impl OwnFraming {
    /// Returns the framing of a format, if the format has streams.
    pub(in crate::content) fn of(own: ErasedFormat) -> Option<OwnFraming> {
        own.sequence().map(|sequence| OwnFraming { own, sequence })
    }

    pub(super) fn format(self) -> AnyFormat {
        AnyFormat::from(self.own)
    }

    pub(super) fn is_text(self) -> bool {
        self.own.is_text()
    }

    pub(super) fn media_types(self) -> &'static [&'static str] {
        match self.sequence.media_types {
            [] => self.own.media_types(),
            named => named,
        }
    }

    pub(super) fn offer(self) -> Offer {
        offer(self.media_types())
    }

    /// Appends a value with its delimiters.
    pub(super) fn write(
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

    pub(super) fn splitter(self) -> Splitter {
        match self.sequence.delimiter {
            Delimiter::Terminator(bytes) | Delimiter::Separator(bytes) => {
                Splitter::Terminator(TerminatorSplitter::new(bytes, self.is_text()))
            }
            Delimiter::LengthPrefix => Splitter::Delimited,
            Delimiter::SelfDelimiting(boundaries) => {
                Splitter::Boundaries(BoundarySplitter::new(boundaries, self.is_text()))
            }
        }
    }
}

/// Appends a value, and checks that it does not contain the delimiter.
fn encode_checked(
    end: &[u8],
    encode: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let start = out.len();
    encode(out)?;
    let length = out.len() - start;
    // The delimiter is included in the search, since the end of the value and the beginning of the
    // delimiter may together form an earlier delimiter.
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
