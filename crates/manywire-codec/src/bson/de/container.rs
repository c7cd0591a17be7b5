use manywire_format::Format;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::Deserializer;
use super::key::Key;
use super::scan::syntax;
use crate::core::limits::PREALLOCATED_ITEMS_MAX;
use crate::core::reader::Reader;
use crate::{Category, Error, Result};

/// The entries of a document.
pub(super) struct Entries<'de> {
    deserializer: Deserializer<'de>,
    key: &'de [u8],
    /// Whether they go to the fields of a struct, whose keys are compared and never kept. Known at
    /// run time: two types would have every visitor compiled twice.
    is_record: bool,
}

impl<'de> Entries<'de> {
    #[inline]
    pub(super) fn new(deserializer: Deserializer<'de>, is_record: bool) -> Self {
        Entries { deserializer, key: &[], is_record }
    }

    /// Fails if the target did not want all there is.
    #[inline]
    pub(super) fn finish(&self) -> Result<()> {
        self.deserializer.end_of_container("entries")
    }

    /// Says where an error happened: `left` bytes before the end of the document.
    #[cold]
    #[inline(never)]
    fn place(&self, error: Error, left: usize) -> Error {
        error
            .with_offset(self.deserializer.offset_of(left))
            .with_format(Format::Bson)
            .under_key(String::from_utf8_lossy(self.key))
    }
}

impl<'de> MapAccess<'de> for &mut Entries<'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let left = self.deserializer.reader.remaining();
        let Some(key) = self.deserializer.next_key()? else { return Ok(None) };
        self.key = key;
        match seed.deserialize(Key { text: key, is_field: self.is_record }) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(self.place(error, left - 1)),
        }
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let left = self.deserializer.reader.remaining();
        seed.deserialize(&mut self.deserializer).map_err(|error| self.place(error, left))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.deserializer.elements_left()
    }
}

/// The items of an array.
pub(super) struct Items<'de> {
    deserializer: Deserializer<'de>,
    index: usize,
    /// Whether this is a document that a target asked to see as an array: then its keys must be
    /// those of an array, or it is none.
    numbered: bool,
}

impl<'de> Items<'de> {
    #[inline]
    pub(super) fn new(deserializer: Deserializer<'de>, numbered: bool) -> Self {
        Items { deserializer, index: 0, numbered }
    }

    /// Fails if the target did not want all there is.
    #[inline]
    pub(super) fn finish(&self) -> Result<()> {
        self.deserializer.end_of_container("items")
    }

    #[inline]
    fn next(&mut self) -> Result<bool> {
        if self.numbered { self.next_numbered() } else { self.deserializer.next_index() }
    }

    fn next_numbered(&mut self) -> Result<bool> {
        let left = self.deserializer.reader.remaining();
        let Some(key) = self.deserializer.next_key()? else { return Ok(false) };
        if key == itoa::Buffer::new().format(self.index).as_bytes() {
            return Ok(true);
        }
        let (key, index) = (String::from_utf8_lossy(key), self.index);
        Err(Error::at(
            Category::Data,
            self.deserializer.offset_of(left - 1),
            format_args!("expected an array, found a document: its key {index} is {key:?}"),
        ))
    }

    #[cold]
    #[inline(never)]
    fn place(&self, error: Error, left: usize) -> Error {
        error
            .with_offset(self.deserializer.offset_of(left))
            .with_format(Format::Bson)
            .under_index(self.index)
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !self.next()? {
            return Ok(None);
        }
        let left = self.deserializer.reader.remaining();
        match seed.deserialize(&mut self.deserializer) {
            Ok(item) => {
                self.index += 1;
                Ok(Some(item))
            }
            Err(error) => Err(self.place(error, left)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.deserializer.elements_left()
    }
}

impl Deserializer<'_> {
    /// The offset of the byte that stands `left` bytes before the end of what this reads.
    fn offset_of(&self, left: usize) -> usize {
        self.reader.offset() + self.reader.remaining() - left
    }

    /// Whether the document that stands here has keys, all of them those of an array. A malformed
    /// one has not: reading it says what is wrong with it.
    pub(super) fn is_numbered(&self) -> bool {
        let mut probe = Deserializer { reader: self.reader.clone(), ..*self };
        let Ok(mut elements) = probe.enter() else { return false };
        let mut index = 0_usize;
        while let Ok(Some(key)) = elements.next_key() {
            if key != itoa::Buffer::new().format(index).as_bytes() || elements.skip().is_err() {
                return false;
            }
            index += 1;
        }
        index > 0
    }

    #[inline]
    fn end_of_container(&self, what: &'static str) -> Result<()> {
        match self.reader.remaining() {
            0 => Ok(()),
            _ => Err(self.more_than_expected(what)),
        }
    }

    #[cold]
    #[inline(never)]
    fn more_than_expected(&self, what: &'static str) -> Error {
        let offset = self.reader.offset();
        match self.reader.peek() {
            Some(0) => syntax(offset, "the document ends here, before its length says"),
            _ => Error::at(Category::Data, offset, format_args!("more {what} than were expected")),
        }
    }

    /// How many elements there probably are: BSON does not say, but elements of one container
    /// tend to be of one size, so the first is measured. It is what is there, not what is claimed.
    #[inline(never)]
    fn elements_left(&self) -> Option<usize> {
        let bytes = self.reader.rest();
        let mut probe = Deserializer { reader: Reader::new(bytes), ..*self };
        probe.next_key().ok()??;
        probe.skip().ok()?;
        Some(bytes.len().div_ceil(probe.reader.offset()).min(PREALLOCATED_ITEMS_MAX))
    }
}
