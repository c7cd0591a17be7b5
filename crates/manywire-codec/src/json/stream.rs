//! Reads several values from one text.

use std::ops::Range;

use manywire_format::Format;
use manywire_shape::{Arena, Value};

use super::read::{ValueReader, text_of, utf8_first};
use super::{error, scan};
use crate::core::error::{Error, Result};

/// Values one after another in one text: NDJSON, concatenated values, or values with white space
/// between them.
///
/// Each value may use its own arena, so that memory stays that of one value.
#[derive(Debug)]
pub struct ValueStream<'r, 'b> {
    reader: &'r mut ValueReader,
    bytes: &'b [u8],
    text: &'b str,
    invalid: Option<usize>,
    at: usize,
}

impl ValueReader {
    /// Reads the values in `bytes`, one with each call of [`ValueStream::next_value`].
    pub fn stream<'r, 'b>(&'r mut self, bytes: &'b [u8]) -> ValueStream<'r, 'b> {
        let (text, invalid) = text_of(bytes);
        ValueStream { reader: self, bytes, text, invalid, at: 0 }
    }
}

impl<'b> ValueStream<'_, 'b> {
    /// Reads the next value and returns it with the range of its bytes, or `None` after the last
    /// one.
    ///
    /// White space must separate two values, unless the first ends with a quote or a bracket, or
    /// the second begins with one (`1[2]`, `"a""b"`, but not `truefalse`).
    ///
    /// # Errors
    /// Same as [`read_value`](super::read_value), with offsets into all the bytes. After an error
    /// the stream is at its end.
    pub fn next_value<'a>(&mut self, arena: &'a Arena) -> Result<Option<(Range<usize>, Value<'a>)>>
    where
        'b: 'a,
    {
        let text = self.text;
        let start = scan::space_end(text.as_bytes(), self.at);
        if start == text.len() && self.invalid.is_none() {
            return Ok(None);
        }
        match self.reader.read_from(text, start, arena).and_then(|(value, end)| {
            // Invalid UTF-8 after a number does not end the number.
            if end < text.len() || self.invalid.is_some() {
                ends_cleanly(text, end)?;
            }
            Ok((value, end))
        }) {
            Ok((value, end)) => {
                self.at = end;
                Ok(Some((start..end, value)))
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    #[cold]
    fn failed(&mut self, error: Error) -> Error {
        let error = utf8_first(error, self.bytes, self.invalid.take());
        self.at = self.text.len();
        error
    }
}

/// Checks that the value before `end` cannot continue after it.
#[inline]
fn ends_cleanly(text: &str, end: usize) -> Result<()> {
    let bytes = text.as_bytes();
    let closed =
        matches!(end.checked_sub(1).and_then(|last| bytes.get(last)), Some(b'"' | b']' | b'}'));
    match bytes.get(end) {
        Some(b' ' | b'\n' | b'\r' | b'\t' | b'"' | b'[' | b'{') => Ok(()),
        _ if closed => Ok(()),
        _ => {
            Err(error::expected(text, end, "white space after the value").with_format(Format::Json))
        }
    }
}
