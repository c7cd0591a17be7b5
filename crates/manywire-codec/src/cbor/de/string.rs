//! Text and byte strings, whole and in chunks.

use serde::de::Visitor;

use super::Deserializer;
use crate::cbor::head::*;
use crate::core::text::utf8;
use crate::{Category, Error, Result};

impl<'de> Deserializer<'de> {
    /// The bytes of a text or byte string that has a length, lent.
    #[inline]
    pub(super) fn definite(&mut self, initial: u8) -> Result<&'de [u8]> {
        let claimed = self.argument(initial)?;
        // What does not fit an address does not fit the input either.
        self.reader.take(usize::try_from(claimed).unwrap_or(usize::MAX), "a string")
    }

    /// A text string, after its first byte.
    #[inline]
    pub(super) fn text<V: Visitor<'de>>(&mut self, initial: u8, visitor: V) -> Result<V::Value> {
        if initial == TEXT << 5 | INDEFINITE {
            return self.text_in_chunks(visitor);
        }
        let bytes = self.definite(initial)?;
        match utf8(bytes) {
            Some(text) => visitor.visit_borrowed_str(text),
            None => Err(self.not_utf8(bytes)),
        }
    }

    /// A byte string, after its first byte.
    #[inline]
    pub(super) fn bytes<V: Visitor<'de>>(&mut self, initial: u8, visitor: V) -> Result<V::Value> {
        if initial == BYTES << 5 | INDEFINITE {
            return visitor.visit_byte_buf(self.bytes_in_chunks()?);
        }
        visitor.visit_borrowed_bytes(self.definite(initial)?)
    }

    #[inline(never)]
    fn text_in_chunks<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let mut text = String::new();
        while let Some(chunk) = self.chunk(TEXT)? {
            // A character may not be split between chunks (RFC 8949, section 3.2.3).
            text.push_str(utf8(chunk).ok_or_else(|| self.not_utf8(chunk))?);
        }
        visitor.visit_string(text)
    }

    /// A byte string without a length, put together.
    #[inline(never)]
    pub(super) fn bytes_in_chunks(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk(BYTES)? {
            bytes.extend_from_slice(chunk);
        }
        Ok(bytes)
    }

    /// The next chunk of a string without a length; none at its break.
    pub(super) fn chunk(&mut self, major: u8) -> Result<Option<&'de [u8]>> {
        let initial = self.reader.byte("a chunk or a break")?;
        if initial == BREAK {
            return Ok(None);
        }
        if initial >> 5 != major || initial & 0x1f == INDEFINITE {
            return Err(self.not_a_chunk(major, initial));
        }
        self.definite(initial).map(Some)
    }

    #[cold]
    #[inline(never)]
    fn not_a_chunk(&self, major: u8, initial: u8) -> Error {
        let whole = describe(major << 5);
        let found = match initial & 0x1f {
            INDEFINITE => "one without a length",
            _ => describe(initial),
        };
        Error::at(
            Category::Syntax,
            self.reader.offset() - 1,
            format_args!("a chunk of {whole} is {whole} with a length, found {found}"),
        )
    }

    /// Bytes, just read, that are no text.
    #[cold]
    #[inline(never)]
    fn not_utf8(&self, bytes: &[u8]) -> Error {
        let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        let offset = self.reader.offset() - bytes.len() + valid;
        Error::at(Category::Syntax, offset, "a string that is not UTF-8")
    }
}
