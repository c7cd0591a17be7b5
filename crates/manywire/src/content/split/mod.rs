//! Where one value ends and the next begins, in bytes that come piece by piece. Nothing is looked
//! at twice, and nothing is held but where the scan stands: a value that comes a byte at a time
//! costs no more than one that comes whole.

mod array;
mod cbor;
mod ended;
mod events;
mod messages;
mod msgpack;
#[cfg(feature = "own-format")]
mod told;

use std::ops::Range;

use manywire_codec::{Category, Error, Result};

use super::Framing;
#[cfg(feature = "own-format")]
use super::own::Boundaries;
#[cfg(feature = "own-format")]
pub(super) use ended::position;

/// What stands at the beginning of the bytes that are there.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// A value, and how many bytes it and what is around it take.
    Value { range: Range<usize>, taken: usize },
    /// A failure told in words, in JSON.
    Failure { problem: Vec<u8> },
    /// The data of an event, gathered from its lines.
    Event { data: Vec<u8>, taken: usize },
    /// Bytes that are part of no value.
    Filler { taken: usize },
    /// Not enough to say.
    More,
    /// The end, in order.
    End,
}

/// The scan for the end of values in one framing.
#[derive(Debug)]
pub(super) enum Splitter {
    Ended(ended::Ended),
    Array(array::Array),
    Events(events::Events),
    Cbor(cbor::Cbor),
    MsgPack(msgpack::MsgPack),
    Delimited,
    #[cfg(feature = "own-format")]
    Told(told::Told),
}

impl Splitter {
    /// Values that these bytes end.
    #[cfg(feature = "own-format")]
    pub(super) fn ended_by(end: &'static [u8], is_text: bool) -> Self {
        Splitter::Ended(ended::Ended::by(end, is_text))
    }

    /// Values whose format says where each ends.
    #[cfg(feature = "own-format")]
    pub(super) fn told_by(boundaries: fn() -> Box<dyn Boundaries>, is_text: bool) -> Self {
        Splitter::Told(told::Told::new(boundaries, is_text))
    }

    /// Values nested deeper than `depth` are refused where that would take memory.
    pub(super) fn new(framing: Framing, depth: usize) -> Self {
        match framing {
            Framing::Lines => Splitter::Ended(ended::Ended::by(b"\n", true)),
            Framing::Array => Splitter::Array(array::Array::default()),
            Framing::Events => Splitter::Events(events::Events::default()),
            Framing::CborSequence => Splitter::Cbor(cbor::Cbor::new(depth)),
            Framing::MsgPack => Splitter::MsgPack(msgpack::MsgPack::default()),
            Framing::Delimited => Splitter::Delimited,
        }
    }

    /// Looks at the bytes that are there. What was taken is to be gone at the next call; else the
    /// bytes are to be the same, with more behind them. At the end of all bytes `has_ended` is
    /// true, and the answer is never [`Found::More`].
    ///
    /// # Errors
    /// Bytes that are not of the framing, and an end within a value.
    pub(super) fn next(&mut self, bytes: &[u8], has_ended: bool) -> Result<Found> {
        let found = match self {
            Splitter::Ended(ended) => Ok(ended.next(bytes, has_ended)),
            Splitter::Array(array) => array.next(bytes, has_ended),
            Splitter::Events(events) => Ok(events.next(bytes)),
            _ if bytes.is_empty() && has_ended => Ok(Found::End),
            Splitter::Cbor(cbor) => cbor.next(bytes),
            Splitter::MsgPack(msgpack) => msgpack.next(bytes),
            Splitter::Delimited => messages::next(bytes),
            #[cfg(feature = "own-format")]
            Splitter::Told(told) => told.next(bytes, has_ended),
        };
        match found? {
            Found::More if has_ended && bytes.is_empty() => Ok(Found::End),
            Found::More if has_ended => Err(cut_off(bytes.len())),
            found => Ok(found),
        }
    }
}

#[cold]
fn cut_off(at: usize) -> Error {
    Error::new(Category::Eof, "the stream ends within a value").with_offset(at)
}

#[cold]
fn wrong(at: usize, message: &str) -> Error {
    Error::new(Category::Syntax, message).with_offset(at)
}

/// A number of `width` bytes, big-endian, if they are there.
fn big_endian(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(width)?)?;
    Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}
