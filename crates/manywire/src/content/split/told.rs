use std::fmt;

use manywire_codec::Result;

use super::{Found, wrong};
use crate::content::own::Boundaries;

/// Values one behind the other, whose format says where each ends.
pub(in crate::content) struct Told {
    boundaries: fn() -> Box<dyn Boundaries>,
    /// What looks for the end of the value at hand.
    current: Option<Box<dyn Boundaries>>,
    /// Where that is, once it is known.
    end: Option<usize>,
    is_text: bool,
}

impl Told {
    pub(super) fn new(boundaries: fn() -> Box<dyn Boundaries>, is_text: bool) -> Self {
        Told { boundaries, current: None, end: None, is_text }
    }

    pub(super) fn next(&mut self, bytes: &[u8], has_ended: bool) -> Result<Found> {
        if has_ended && self.is_text && bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Found::End);
        }
        if bytes.is_empty() {
            return Ok(Found::More);
        }
        if self.end.is_none() {
            let current = self.current.get_or_insert_with(self.boundaries);
            let end = current.end(bytes);
            self.end = end.map_err(|error| error.into_error(None, bytes, self.is_text))?;
        }
        match self.end {
            // A value without bytes would stand there without end.
            Some(0) => Err(wrong(0, "expected a value, found none that takes a byte")),
            Some(end) if end <= bytes.len() => {
                (self.current, self.end) = (None, None);
                Ok(Found::Value { range: 0..end, taken: end })
            }
            _ => Ok(Found::More),
        }
    }
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Told").field("end", &self.end).finish_non_exhaustive()
    }
}
