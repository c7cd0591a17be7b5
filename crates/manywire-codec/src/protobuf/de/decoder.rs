//! The cursor: the bytes of the message being read, and what is around it.

use std::fmt;

use super::super::plan::Plan;
use super::super::wire::VARINT_BYTES_MAX;
use crate::core::text;
use crate::{Category, Error, Limits, Result};

/// A cursor over the message being read.
pub(super) struct Decoder<'de> {
    pub(super) plan: &'de Plan,
    /// What is left of the message being read.
    pub(super) rest: &'de [u8],
    /// The whole input, from which offsets are counted.
    input: &'de [u8],
    depth: usize,
    depth_max: usize,
    /// Whether each message is looked through before it is read, and indexed where its fields are
    /// not in order. Where not, fields out of order are an error.
    pub(super) checked: bool,
}

impl<'de> Decoder<'de> {
    pub(super) fn new(plan: &'de Plan, input: &'de [u8], limits: Limits, checked: bool) -> Self {
        Decoder { plan, rest: input, input, depth: 0, depth_max: limits.depth, checked }
    }

    /// How many bytes of the input have been read.
    #[cold]
    pub(super) fn offset(&self) -> usize {
        // Everything that is read is a slice of the input.
        (self.rest.as_ptr() as usize).wrapping_sub(self.input.as_ptr() as usize)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn error(&self, category: Category, message: impl fmt::Display) -> Error {
        Error::at(category, self.offset(), message)
    }

    /// Goes one container deeper.
    #[inline]
    pub(super) fn deeper(&mut self) -> Result<()> {
        if self.depth == self.depth_max {
            return Err(Error::depth(self.offset(), self.depth_max));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back out of a container.
    #[inline]
    pub(super) fn back(&mut self) {
        self.depth -= 1;
    }

    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64> {
        match *self.rest {
            [byte, ref rest @ ..] if byte < 0x80 => {
                self.rest = rest;
                Ok(byte.into())
            }
            [low, high, ref rest @ ..] if high < 0x80 => {
                self.rest = rest;
                Ok(u64::from(low & 0x7f) | u64::from(high) << 7)
            }
            _ => self.long_varint(),
        }
    }

    #[inline(never)]
    fn long_varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for (index, &byte) in self.rest.iter().enumerate().take(VARINT_BYTES_MAX) {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                // The tenth byte has room for one bit.
                if index == VARINT_BYTES_MAX - 1 && byte > 1 {
                    break;
                }
                self.rest = &self.rest[index + 1..];
                return Ok(value);
            }
        }
        if self.rest.len() < VARINT_BYTES_MAX {
            return Err(Error::eof(self.offset() + self.rest.len(), "the rest of a varint"));
        }
        Err(self.error(Category::Syntax, "a varint of more than 64 bits"))
    }

    #[inline]
    pub(super) fn fixed<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N]> {
        match self.rest.split_first_chunk() {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(*bytes)
            }
            None => Err(Error::eof(self.offset(), expected)),
        }
    }

    /// A length and that many bytes.
    #[inline]
    pub(super) fn bytes(&mut self) -> Result<&'de [u8]> {
        let len = self.varint()?;
        let split = usize::try_from(len).ok().and_then(|len| self.rest.split_at_checked(len));
        match split {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(bytes)
            }
            None => Err(self.too_short(len)),
        }
    }

    #[cold]
    #[inline(never)]
    fn too_short(&self, len: u64) -> Error {
        let left = self.rest.len();
        self.error(Category::Eof, format_args!("a length of {len} bytes, but {left} are left"))
    }

    #[inline]
    pub(super) fn str(&mut self) -> Result<&'de str> {
        let bytes = self.bytes()?;
        match text::utf8(bytes) {
            Some(text) => Ok(text),
            None => Err(self.not_utf8(bytes)),
        }
    }

    #[cold]
    #[inline(never)]
    fn not_utf8(&mut self, bytes: &'de [u8]) -> Error {
        let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        self.rest = &bytes[valid..];
        self.error(Category::Syntax, "the text is not UTF-8")
    }

    /// The number and wire type of the next field.
    #[inline]
    pub(super) fn tag(&mut self) -> Result<(u32, u8)> {
        let before = self.rest;
        let tag = self.varint()?;
        match u32::try_from(tag) {
            Ok(tag) if tag >= 8 => Ok((tag >> 3, (tag & 7) as u8)),
            _ => {
                self.rest = before;
                Err(self.no_tag(tag))
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn no_tag(&self, tag: u64) -> Error {
        self.error(Category::Syntax, format_args!("{} is no field number", tag >> 3))
    }
}
