//! Records written as arrays.

use serde::de::{DeserializeSeed, SeqAccess, Visitor};

use super::Deserializer;
use super::nil::Absent;
use crate::core::limits::PREALLOCATED_ITEMS_MAX;
use crate::msgpack::marker::NIL;
use crate::{Error, Result};

impl<'de> Deserializer<'de> {
    /// Reads a record from an array of `length` items. Items that no field asked for come from a
    /// newer writer and are skipped.
    pub(super) fn record<V: Visitor<'de>>(
        &mut self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.enter()?;
        let mut fields = Positions { de: self, left: length, length, refused: None };
        let value = match visitor.visit_seq(&mut fields) {
            Ok(value) => value,
            Err(error) => return Err(fields.explain(error)),
        };
        let left = fields.left;
        self.leave();
        for _ in 0..left {
            self.skip()?;
        }
        Ok(value)
    }
}

/// The fields of a record, by position.
struct Positions<'d, 'de> {
    de: &'d mut Deserializer<'de>,
    left: usize,
    length: usize,
    // The last item, if it was a nil that the field did not take.
    refused: Option<Error>,
}

impl<'de> Positions<'_, 'de> {
    fn index(&self) -> usize {
        self.length - self.left - 1
    }

    /// The next item is nil, or there is none: the field takes that, or is told that there is no
    /// further item, which is how serde's derive comes to its default.
    #[inline(never)]
    fn absent<T: DeserializeSeed<'de>>(&mut self, seed: T, nil: bool) -> Option<T::Value> {
        self.refused = None;
        match seed.deserialize(Absent) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refused = nil.then_some(error);
                None
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn place(&self, error: Error, start: usize) -> Error {
        self.de.placed(error, start).under_index(self.index())
    }

    /// Where a nil was not taken and there is no default either, serde says that items are
    /// missing; the truth is that one of them is nil.
    #[cold]
    #[inline(never)]
    fn explain(&mut self, error: Error) -> Error {
        match self.refused.take() {
            // The nil is the byte last read.
            Some(nil) => self.place(nil, self.de.reader.remaining() + 1),
            None => error,
        }
    }
}

impl<'de> SeqAccess<'de> for Positions<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.left == 0 {
            return Ok(self.absent(seed, false));
        }
        self.left -= 1;
        if self.de.reader.peek() == Some(NIL) {
            self.de.reader.skip(1, "nil")?;
            return Ok(self.absent(seed, true));
        }
        let start = self.de.reader.remaining();
        match seed.deserialize(&mut *self.de) {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                self.refused = None;
                Err(self.place(error, start))
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        Some(self.left.min(PREALLOCATED_ITEMS_MAX))
    }
}
