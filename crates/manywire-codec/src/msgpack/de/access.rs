//! Arrays and maps, item by item.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::Deserializer;
use super::head::key_text;
use crate::core::limits::PREALLOCATED_ITEMS_MAX;
use crate::{Error, Result};

/// The items of an array.
pub(super) struct Items<'d, 'de> {
    de: &'d mut Deserializer<'de>,
    left: usize,
    length: usize,
}

impl<'d, 'de> Items<'d, 'de> {
    #[inline]
    pub(super) fn new(de: &'d mut Deserializer<'de>, length: usize) -> Self {
        Items { de, left: length, length }
    }

    #[inline]
    pub(super) fn left(&self) -> usize {
        self.left
    }

    #[cold]
    #[inline(never)]
    fn place(&self, error: Error, start: usize) -> Error {
        self.de.placed(error, start).under_index(self.length - self.left - 1)
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let start = self.de.reader.remaining();
        match seed.deserialize(&mut *self.de) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(self.place(error, start)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        Some(self.left.min(PREALLOCATED_ITEMS_MAX))
    }
}

/// The entries of a map.
pub(super) struct Entries<'d, 'de> {
    de: &'d mut Deserializer<'de>,
    left: usize,
    // How many bytes were left where the last key began: its text is only needed for an error.
    key: usize,
}

impl<'d, 'de> Entries<'d, 'de> {
    #[inline]
    pub(super) fn new(de: &'d mut Deserializer<'de>, length: usize) -> Self {
        Entries { de, left: length, key: 0 }
    }

    #[inline]
    pub(super) fn left(&self) -> usize {
        self.left
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

impl Deserializer<'_> {
    /// Places an error under the key that began where this many bytes were left.
    #[cold]
    #[inline(never)]
    pub(super) fn under_key(&self, error: Error, remaining: usize) -> Error {
        let key = &self.input[self.input.len() - remaining..];
        let mut value = Deserializer::new(key);
        let start = match value.skip() {
            Ok(()) => value.remaining(),
            Err(_) => remaining,
        };
        self.placed(error, start).under_key(key_text(key))
    }
}

impl<'de> MapAccess<'de> for &mut Entries<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.key = self.de.reader.remaining();
        match seed.deserialize(&mut *self.de) {
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
        Some(self.left.min(PREALLOCATED_ITEMS_MAX))
    }
}
