//! The beginning of every item, and what it must not claim.

use super::Deserializer;
use crate::cbor::head::*;
use crate::{Category, Error, Result};

/// How many items follow: as many as said, or all up to a break.
#[derive(Clone, Copy)]
pub(super) enum Length {
    Definite(usize),
    Indefinite,
}

impl<'de> Deserializer<'de> {
    /// The first byte of the next item.
    #[inline]
    pub(super) fn initial(&mut self) -> Result<u8> {
        self.reader.byte("a value")
    }

    /// The argument that goes with a first byte.
    #[inline]
    pub(super) fn argument(&mut self, initial: u8) -> Result<u64> {
        match initial & 0x1f {
            direct @ 0..DIRECT => Ok(u64::from(direct)),
            _ => self.long_argument(initial),
        }
    }

    #[inline(never)]
    fn long_argument(&mut self, initial: u8) -> Result<u64> {
        match initial & 0x1f {
            24 => self.reader.byte("a number of 1 byte").map(u64::from),
            25 => Ok(u16::from_be_bytes(self.reader.array("a number of 2 bytes")?).into()),
            26 => Ok(u32::from_be_bytes(self.reader.array("a number of 4 bytes")?).into()),
            27 => Ok(u64::from_be_bytes(self.reader.array("a number of 8 bytes")?)),
            _ => Err(self.malformed(initial)),
        }
    }

    /// The length that goes with the first byte of an array.
    #[inline]
    pub(super) fn array_length(&mut self, initial: u8) -> Result<Length> {
        if initial == ARRAY_INDEFINITE {
            return Ok(Length::Indefinite);
        }
        let claimed = self.argument(initial)?;
        // Every item has at least one byte, so this also bounds what a collection prepares for.
        match usize::try_from(claimed) {
            Ok(length) if length <= self.reader.remaining() => Ok(Length::Definite(length)),
            _ => Err(self.claims_too_much("an array", claimed, "items")),
        }
    }

    /// The number of entries that goes with the first byte of a map.
    #[inline]
    pub(super) fn map_length(&mut self, initial: u8) -> Result<Length> {
        if initial == MAP_INDEFINITE {
            return Ok(Length::Indefinite);
        }
        let claimed = self.argument(initial)?;
        match usize::try_from(claimed) {
            Ok(length) if length <= self.reader.remaining() / 2 => Ok(Length::Definite(length)),
            _ => Err(self.claims_too_much("a map", claimed, "entries")),
        }
    }

    /// Takes the break that ends a container without a length, if it is next.
    #[inline]
    pub(super) fn at_break(&mut self) -> Result<bool> {
        let ends = self.reader.peek() == Some(BREAK);
        if ends {
            self.reader.skip(1, "a break")?;
        }
        Ok(ends)
    }

    /// A first byte, just read, that no item begins with.
    #[cold]
    #[inline(never)]
    pub(super) fn malformed(&self, initial: u8) -> Error {
        let offset = self.reader.offset() - 1;
        match initial {
            BREAK => Error::at(Category::Syntax, offset, "a break with nothing open to end"),
            _ if initial & 0x1f == INDEFINITE => Error::at(
                Category::Syntax,
                offset,
                format_args!("{} cannot be without a length", describe(initial)),
            ),
            _ => Error::at(
                Category::Syntax,
                offset,
                format_args!("the byte 0x{initial:02x} is reserved and begins no value"),
            ),
        }
    }

    #[cold]
    #[inline(never)]
    fn claims_too_much(&self, what: &str, claimed: u64, unit: &str) -> Error {
        let left = self.reader.remaining();
        Error::at(
            Category::Eof,
            self.reader.offset(),
            format_args!("{what} claims {claimed} {unit}, but only {left} bytes are left"),
        )
    }
}
