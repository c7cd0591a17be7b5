//! The reader: text to [`Value`].

use manywire_format::Format;
use manywire_shape::{Arena, Value};

use super::frames::{Scratch, read};
use super::{fault, scan};
use crate::core::error::{Category, Error, Result};
use crate::core::limits::Limits;

/// Reads one value. White space may stand around it, and nothing else.
///
/// Text without escapes is borrowed from `bytes`; everything else lives in the arena.
///
/// # Errors
/// With offset and path: [`Category::Syntax`] and [`Category::Eof`] where the bytes are no JSON
/// text, [`Category::Limit`] where it is nested deeper than the limit.
pub fn read_value<'a>(bytes: &'a [u8], arena: &'a Arena, limits: Limits) -> Result<Value<'a>> {
    ValueReader::new(limits).read(bytes, arena)
}

/// Reads many values, one after another, with the same working memory.
#[derive(Debug, Default)]
pub struct ValueReader {
    limits: Limits,
    exact: bool,
    scratch: Scratch<'static>,
}

impl ValueReader {
    /// A reader that keeps to these limits.
    pub fn new(limits: Limits) -> Self {
        ValueReader { limits, exact: false, scratch: Scratch::default() }
    }

    /// The same, but a fraction with more digits than any double gives back is a `Number`, the text
    /// itself, instead of the nearest `F64`.
    #[must_use]
    pub fn with_exact_fractions(mut self) -> Self {
        self.exact = true;
        self
    }

    /// The limits the reader keeps to.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// As [`read_value`].
    ///
    /// # Errors
    /// As [`read_value`].
    pub fn read<'a>(&mut self, bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
        let (text, invalid) = text_of(bytes);
        match self.read_text(text, arena) {
            Ok(value) if invalid.is_none() => Ok(value),
            Ok(_) => Err(fault::invalid_utf8(bytes, text.len()).with_format(Format::Json)),
            Err(error) => Err(utf8_first(error, bytes, invalid)),
        }
    }

    fn read_text<'a>(&mut self, text: &'a str, arena: &'a Arena) -> Result<Value<'a>> {
        let (value, end) = self.read_from(text, 0, arena)?;
        let end = scan::space_end(text.as_bytes(), end);
        if end < text.len() {
            return Err(fault::expected(text, end, "nothing more after the value")
                .with_format(Format::Json));
        }
        Ok(value)
    }

    /// Reads the value that starts at `at` or after the white space there; returns its end.
    pub(super) fn read_from<'a>(
        &mut self,
        text: &'a str,
        at: usize,
        arena: &'a Arena,
    ) -> Result<(Value<'a>, usize)> {
        let mut scratch = std::mem::take(&mut self.scratch).recycled();
        let at = scan::space_end(text.as_bytes(), at);
        let result = read(text, at, arena, self.limits, self.exact, &mut scratch);
        self.scratch = scratch.recycled();
        result.map_err(|error| error.with_format(Format::Json))
    }
}

/// The text that the bytes are up to the first that is not UTF-8, and where that stands.
pub(super) fn text_of(bytes: &[u8]) -> (&str, Option<usize>) {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(_) => valid_part(bytes),
    }
}

#[cold]
#[inline(never)]
fn valid_part(bytes: &[u8]) -> (&str, Option<usize>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            (std::str::from_utf8(valid).unwrap_or_default(), Some(valid.len()))
        }
    }
}

/// Where the text stops because the rest is not UTF-8, an early end is not the reason. The place
/// that the reader got to is right, so its path is kept.
#[cold]
#[inline(never)]
pub(super) fn utf8_first(error: Error, bytes: &[u8], invalid: Option<usize>) -> Error {
    match invalid {
        Some(at) if error.category() == Category::Eof => {
            error.replaced_by(fault::invalid_utf8(bytes, at))
        }
        _ => error,
    }
}
