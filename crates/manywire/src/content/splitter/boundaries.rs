//! The splitter of user-defined formats that find the ends of their values.

use std::fmt;

use manywire_codec::Error;

use super::{Split, syntax_error};
use crate::content::own::Boundaries;

/// Splits values whose ends the format finds.
pub(in crate::content) struct BoundarySplitter {
    boundaries: fn() -> Box<dyn Boundaries>,
    /// The search for the end of the current value.
    current: Option<Box<dyn Boundaries>>,
    /// The end of the current value, once known.
    end: Option<usize>,
    is_text: bool,
}

impl BoundarySplitter {
    pub(in crate::content) fn new(boundaries: fn() -> Box<dyn Boundaries>, is_text: bool) -> Self {
        BoundarySplitter { boundaries, current: None, end: None, is_text }
    }

    pub(super) fn next(&mut self, bytes: &[u8], has_ended: bool) -> Result<Split, Error> {
        if has_ended && self.is_text && bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Split::End);
        }
        if bytes.is_empty() {
            return Ok(Split::Incomplete);
        }
        if self.end.is_none() {
            let current = self.current.get_or_insert_with(self.boundaries);
            let end = current.end(bytes);
            self.end = end.map_err(|error| error.into_error(None, bytes, self.is_text))?;
        }
        match self.end {
            // A value without bytes would repeat forever.
            Some(0) => Err(syntax_error(0, "expected a value, found none that takes a byte")),
            Some(end) if end <= bytes.len() => {
                (self.current, self.end) = (None, None);
                Ok(Split::Value { range: 0..end, taken: end })
            }
            _ => Ok(Split::Incomplete),
        }
    }
}

impl fmt::Debug for BoundarySplitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundarySplitter").field("end", &self.end).finish_non_exhaustive()
    }
}
