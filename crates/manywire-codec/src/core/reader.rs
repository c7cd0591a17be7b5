use ascii::AsAsciiStr;

use super::error::{Category, Error, Result};

/// A cursor over the input. What it returns is borrowed from the input for as long as the input
/// lives, and no read goes past its end.
#[derive(Clone)]
pub(crate) struct Reader<'de> {
    rest: &'de [u8],
    // Where the last byte of `rest` ends in the whole input.
    len: usize,
}

impl<'de> Reader<'de> {
    #[inline]
    pub(crate) fn new(bytes: &'de [u8]) -> Self {
        Reader { rest: bytes, len: bytes.len() }
    }

    /// A reader over a part of some input that ends `end` bytes into it, so that offsets still
    /// count from the start of the whole.
    #[inline]
    pub(crate) fn over(part: &'de [u8], end: usize) -> Self {
        Reader { rest: part, len: end }
    }

    /// How many bytes have been read.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.len - self.rest.len()
    }

    /// How many bytes are left.
    #[inline]
    pub(crate) fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The bytes not yet read.
    #[inline]
    pub(crate) fn rest(&self) -> &'de [u8] {
        self.rest
    }

    /// Goes on from a later place: `rest` is a tail of the bytes not yet read.
    #[inline]
    pub(crate) fn resume(&mut self, rest: &'de [u8]) {
        debug_assert!(self.rest.ends_with(rest));
        self.rest = rest;
    }

    /// The next byte, left where it is.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// The next byte.
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

    /// The next `N` bytes, for a number of a fixed width.
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

    /// The next `count` bytes, lent.
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

    /// Leaves `count` bytes unread behind.
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
}

// Bytes to text.

/// From this length on the vectorised check wins over the word-by-word one.
const VECTORISED_FROM: usize = 64;

/// The bytes as text, if they are UTF-8.
///
/// Names and most short texts are ASCII, and the test for that inlines to a few words' worth of
/// instructions where `str::from_utf8` is a call that walks byte by byte up to alignment.
#[inline]
pub(crate) fn utf8(bytes: &[u8]) -> Option<&str> {
    if bytes.len() < VECTORISED_FROM
        && let Ok(text) = bytes.slice_ascii(..)
    {
        return Some(text.as_str());
    }
    checked(bytes)
}

#[inline(never)]
fn checked(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}
