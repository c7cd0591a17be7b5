//! Arrays and maps, item by item.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::Deserializer;
use super::head::Length;
use super::identifier::{FieldName, key_text};
use crate::core::limits::PREALLOCATED_ITEMS_MAX;
use crate::{Category, Error, Result};

/// How many items are left: this many stands for all up to a break, and no input is that long.
const UNTIL_BREAK: usize = usize::MAX;

impl Length {
    #[inline]
    fn left(self) -> usize {
        match self {
            Length::Definite(length) => length,
            Length::Indefinite => UNTIL_BREAK,
        }
    }
}

impl<'de> Deserializer<'de> {
    /// An array, after its first byte.
    #[inline]
    pub(super) fn array<V: Visitor<'de>>(&mut self, initial: u8, visitor: V) -> Result<V::Value> {
        let length = self.array_length(initial)?;
        self.enter()?;
        let mut items = Items { de: self, left: length.left(), taken: 0 };
        let value = visitor.visit_seq(&mut items)?;
        let left = items.left;
        self.leave();
        if left > 0 {
            self.ended(left)?;
        }
        Ok(value)
    }

    /// A map, after its first byte; that of a record has names of fields for keys.
    #[inline]
    pub(super) fn map<V: Visitor<'de>>(
        &mut self,
        initial: u8,
        is_record: bool,
        visitor: V,
    ) -> Result<V::Value> {
        let length = self.map_length(initial)?;
        self.enter()?;
        let mut entries = Entries { de: self, left: length.left(), key: 0, is_record };
        let value = visitor.visit_map(&mut entries)?;
        let left = entries.left;
        self.leave();
        if left > 0 {
            self.ended(left)?;
        }
        Ok(value)
    }

    /// A visitor that did not ask until there was nothing left: fine if there was nothing left.
    #[cold]
    #[inline(never)]
    fn ended(&mut self, left: usize) -> Result<()> {
        if left == UNTIL_BREAK && self.at_break()? {
            return Ok(());
        }
        let offset = self.reader.offset();
        Err(match left {
            UNTIL_BREAK => Error::at(Category::Data, offset, "more items than expected"),
            _ => Error::at(Category::Data, offset, format_args!("{left} more than expected")),
        })
    }

    /// Places an error under the key that began where this many bytes were left.
    #[cold]
    #[inline(never)]
    pub(super) fn under_key(&self, error: Error, remaining: usize) -> Error {
        let key = &self.input[self.input.len() - remaining..];
        let mut value = Deserializer::new(key).with_limits(self.limits);
        let start = match value.skip() {
            Ok(()) => value.remaining(),
            Err(_) => remaining,
        };
        self.placed(error, start).under_key(key_text(key))
    }
}

/// The items of an array.
struct Items<'d, 'de> {
    de: &'d mut Deserializer<'de>,
    left: usize,
    taken: usize,
}

impl Items<'_, '_> {
    #[cold]
    #[inline(never)]
    fn place(&self, error: Error, start: usize) -> Error {
        self.de.placed(error, start).under_index(self.taken)
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        if self.left == UNTIL_BREAK {
            if self.de.at_break()? {
                self.left = 0;
                return Ok(None);
            }
        } else {
            self.left -= 1;
        }
        let start = self.de.reader.remaining();
        match seed.deserialize(&mut *self.de) {
            Ok(value) => {
                self.taken += 1;
                Ok(Some(value))
            }
            Err(error) => Err(self.place(error, start)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        (self.left != UNTIL_BREAK).then(|| self.left.min(PREALLOCATED_ITEMS_MAX))
    }
}

/// The entries of a map.
struct Entries<'d, 'de> {
    de: &'d mut Deserializer<'de>,
    left: usize,
    // How many bytes were left where the last key began: its text is only needed for an error.
    key: usize,
    // Known at run time: two types would have every visitor compiled twice.
    is_record: bool,
}

impl Entries<'_, '_> {
    /// Whether there is a further entry, which then has begun.
    #[inline]
    fn begin(&mut self) -> Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        if self.left == UNTIL_BREAK {
            if self.de.at_break()? {
                self.left = 0;
                return Ok(false);
            }
        } else {
            self.left -= 1;
        }
        self.key = self.de.reader.remaining();
        Ok(true)
    }

    #[cold]
    #[inline(never)]
    fn place_key(&self, error: Error) -> Error {
        self.de.placed(error, self.key)
    }

    #[cold]
    #[inline(never)]
    fn place(&self, error: Error) -> Error {
        self.de.under_key(error, self.key)
    }
}

impl<'de> MapAccess<'de> for &mut Entries<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.begin()? {
            return Ok(None);
        }
        let key = match self.is_record {
            true => seed.deserialize(FieldName(self.de)),
            false => seed.deserialize(&mut *self.de),
        };
        match key {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(self.place_key(error)),
        }
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        match seed.deserialize(&mut *self.de) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.place(error)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        (self.left != UNTIL_BREAK).then(|| self.left.min(PREALLOCATED_ITEMS_MAX))
    }
}
