//! A cursor over input bytes, the check for UTF-8, and bytes as the items of a sequence.

use ascii::AsAsciiStr;
use serde::de::Visitor;
use serde::de::value::SeqDeserializer;

use super::error::{Category, Error, Result};

/// A cursor over the input. It returns slices borrowed from the input and never reads past the end.
#[derive(Clone)]
pub(crate) struct Reader<'de> {
    rest: &'de [u8],
    // The offset in the whole input at which `rest` ends.
    len: usize,
}

impl<'de> Reader<'de> {
    #[inline]
    pub(crate) fn new(bytes: &'de [u8]) -> Self {
        Reader { rest: bytes, len: bytes.len() }
    }

    /// Creates a reader over a part of the input that ends at offset `end`, so that offsets still
    /// count from the start of the whole input.
    #[inline]
    pub(crate) fn over(part: &'de [u8], end: usize) -> Self {
        Reader { rest: part, len: end }
    }

    /// Returns the number of bytes read.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.len - self.rest.len()
    }

    /// Returns the number of bytes left.
    #[inline]
    pub(crate) fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Returns the offset at which `remaining` bytes were left.
    #[inline]
    pub(crate) fn offset_at(&self, remaining: usize) -> usize {
        self.len - remaining
    }

    /// Returns the bytes not yet read.
    #[inline]
    pub(crate) fn rest(&self) -> &'de [u8] {
        self.rest
    }

    /// Continues at `rest`, a tail of the bytes not yet read.
    #[inline]
    pub(crate) fn resume(&mut self, rest: &'de [u8]) {
        debug_assert!(self.rest.ends_with(rest));
        self.rest = rest;
    }

    /// Returns the next byte without reading it.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Reads one byte.
    #[inline]
    pub(crate) fn byte(&mut self, expected: &'static str) -> Result<u8> {
        match self.rest.split_first() {
            Some((&byte, rest)) => {
                self.rest = rest;
                Ok(byte)
            }
            None => Err(Error::eof(self.offset(), expected)),
        }
    }

    /// Reads `N` bytes, for a number of fixed width.
    #[inline]
    pub(crate) fn array<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N]> {
        match self.rest.split_first_chunk::<N>() {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(*bytes)
            }
            None => Err(Error::eof(self.offset(), expected)),
        }
    }

    /// Reads `count` bytes.
    #[inline]
    pub(crate) fn take(&mut self, count: usize, expected: &'static str) -> Result<&'de [u8]> {
        match self.rest.split_at_checked(count) {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(bytes)
            }
            None => Err(self.too_short(count, expected)),
        }
    }

    /// Skips `count` bytes.
    #[inline]
    pub(crate) fn skip(&mut self, count: usize, expected: &'static str) -> Result<()> {
        self.take(count, expected).map(drop)
    }

    /// Fails unless everything was read.
    #[inline]
    pub(crate) fn finish(&self) -> Result<()> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Error::trailing(self.offset(), self.rest.len()))
        }
    }

    #[cold]
    #[inline(never)]
    fn too_short(&self, count: usize, expected: &'static str) -> Error {
        Error::at(
            Category::Eof,
            self.offset(),
            format_args!("{expected} claims {count} bytes, but only {} are left", self.rest.len()),
        )
    }

    /// Returns the error for a container that claims more items than the bytes left can hold.
    #[cold]
    #[inline(never)]
    pub(crate) fn claims_too_much(&self, container: &str, count: u64, items: &str) -> Error {
        let left = self.rest.len();
        Error::at(
            Category::Eof,
            self.offset(),
            format_args!("{container} claims {count} {items}, but only {left} bytes are left"),
        )
    }

    /// Returns the error for a string, just read, that is not UTF-8, at its first invalid byte.
    #[cold]
    #[inline(never)]
    pub(crate) fn not_utf8(&self, string: &[u8]) -> Error {
        let offset = self.offset() - string.len() + valid_up_to(string);
        Error::syntax(offset, "a string that is not UTF-8")
    }
}

/// Implements methods that read a number of fixed width, by a method such as `from_le_bytes`. An
/// error at the end of the input names the number by the text.
macro_rules! read_numbers {
    ($from_bytes:ident: $($method:ident -> $number:ident $expected:literal;)+) => {$(
        #[inline]
        fn $method(&mut self) -> $crate::Result<$number> {
            self.reader.array($expected).map($number::$from_bytes)
        }
    )+};
}

pub(crate) use read_numbers;

// UTF-8.

/// The minimum length, in bytes, at which the vectorised check is faster than the word-by-word one.
const VECTORISED_FROM: usize = 64;

/// Returns the bytes as text if they are UTF-8.
///
/// Names and most short texts are ASCII. The check for ASCII inlines to a few instructions for each
/// word, while `str::from_utf8` is a call that goes byte by byte up to alignment.
#[inline]
pub(crate) fn utf8(bytes: &[u8]) -> Option<&str> {
    if bytes.len() < VECTORISED_FROM
        && let Ok(text) = bytes.slice_ascii(..)
    {
        return Some(text.as_str());
    }
    utf8_long(bytes)
}

#[inline(never)]
fn utf8_long(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

/// Returns the number of bytes before the first one that is not UTF-8.
#[cold]
pub(crate) fn valid_up_to(bytes: &[u8]) -> usize {
    std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
}

/// Passes bytes one by one to a type that takes a sequence, such as `Vec<u8>`. The bytes end at this
/// offset.
pub(crate) fn visit_bytes_as_items<'de, V: Visitor<'de>>(
    visitor: V,
    bytes: &[u8],
    offset: usize,
) -> Result<V::Value> {
    let mut items = bytes.iter().copied();
    let value = visitor.visit_seq(SeqDeserializer::<_, Error>::new(&mut items))?;
    match items.len() {
        0 => Ok(value),
        left => Err(Error::unread_items(offset, bytes.len() - left, Some(bytes.len()))),
    }
}
