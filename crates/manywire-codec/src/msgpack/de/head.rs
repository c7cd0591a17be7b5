//! What stands at the beginning of a value: lengths, and what they must not claim.

use crate::core::reader::Reader;
use crate::core::text::utf8;
use crate::msgpack::marker::*;
use crate::{Category, Error, Result};

use super::Deserializer;

impl<'de> Deserializer<'de> {
    /// The first byte of the next value.
    #[inline]
    pub(super) fn marker(&mut self) -> Result<u8> {
        self.reader.byte("a value")
    }

    #[inline]
    pub(super) fn u8(&mut self) -> Result<u8> {
        self.reader.byte("a number of 1 byte")
    }

    #[inline]
    pub(super) fn u16(&mut self) -> Result<u16> {
        self.reader.array("a number of 2 bytes").map(u16::from_be_bytes)
    }

    #[inline]
    pub(super) fn u32(&mut self) -> Result<u32> {
        self.reader.array("a number of 4 bytes").map(u32::from_be_bytes)
    }

    #[inline]
    pub(super) fn u64(&mut self) -> Result<u64> {
        self.reader.array("a number of 8 bytes").map(u64::from_be_bytes)
    }

    /// The length of the text that a marker begins, if it begins one.
    #[inline]
    pub(super) fn text_length(&mut self, marker: u8) -> Result<Option<usize>> {
        match marker {
            FIXSTR..=FIXSTR_MAX => Ok(Some(usize::from(marker & 0x1f))),
            _ => self.long_length(marker, STR8),
        }
    }

    /// The length of the bytes that a marker begins, if it begins any.
    #[inline]
    pub(super) fn bytes_length(&mut self, marker: u8) -> Result<Option<usize>> {
        self.long_length(marker, BIN8)
    }

    /// A length of 1, 2 or 4 bytes after one of three markers in a row.
    #[inline(never)]
    fn long_length(&mut self, marker: u8, first: u8) -> Result<Option<usize>> {
        Ok(Some(match marker.wrapping_sub(first) {
            0 => usize::from(self.u8()?),
            1 => usize::from(self.u16()?),
            2 => self.u32()? as usize,
            _ => return Ok(None),
        }))
    }

    /// The number of items of the array that a marker begins, if it begins one.
    #[inline]
    pub(super) fn array_length(&mut self, marker: u8) -> Result<Option<usize>> {
        let length = match marker {
            FIXARRAY..=FIXARRAY_MAX => usize::from(marker & 0x0f),
            ARRAY16 => usize::from(self.u16()?),
            ARRAY32 => self.u32()? as usize,
            _ => return Ok(None),
        };
        // Every item has at least one byte, so this also bounds what a collection prepares for.
        if length > self.reader.remaining() {
            return Err(self.claims_too_much(length, "an array claims", "items"));
        }
        Ok(Some(length))
    }

    /// The number of entries of the map that a marker begins, if it begins one.
    #[inline]
    pub(super) fn map_length(&mut self, marker: u8) -> Result<Option<usize>> {
        let length = match marker {
            FIXMAP..=FIXMAP_MAX => usize::from(marker & 0x0f),
            MAP16 => usize::from(self.u16()?),
            MAP32 => self.u32()? as usize,
            _ => return Ok(None),
        };
        if length > self.reader.remaining() / 2 {
            return Err(self.claims_too_much(length, "a map claims", "entries"));
        }
        Ok(Some(length))
    }

    /// The next `length` bytes as text.
    #[inline]
    pub(super) fn text(&mut self, length: usize) -> Result<&'de str> {
        let bytes = self.reader.take(length, "a string")?;
        match utf8(bytes) {
            Some(text) => Ok(text),
            None => Err(self.not_utf8(bytes)),
        }
    }

    #[cold]
    #[inline(never)]
    fn not_utf8(&self, bytes: &[u8]) -> Error {
        let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        let offset = self.reader.offset() - bytes.len() + valid;
        Error::at(Category::Syntax, offset, "a string that is not UTF-8")
    }

    #[cold]
    #[inline(never)]
    fn claims_too_much(&self, length: usize, claims: &str, unit: &str) -> Error {
        let left = self.reader.remaining();
        Error::at(
            Category::Eof,
            self.reader.offset(),
            format_args!("{claims} {length} {unit}, but only {left} bytes are left"),
        )
    }
}

/// A key for an error's path, from where it stands in the bytes.
#[cold]
pub(in crate::msgpack) fn key_text(bytes: &[u8]) -> String {
    let mut key = Deserializer::new(bytes);
    let Ok(marker) = key.marker() else { return "?".to_owned() };
    if let Ok(Some(length)) = key.text_length(marker)
        && let Ok(text) = key.text(length)
    {
        return text.to_owned();
    }
    let mut key = Deserializer { reader: Reader::new(bytes), ..key };
    match key.read::<i128>() {
        Ok(number) => number.to_string(),
        Err(_) => describe(marker).to_owned(),
    }
}
