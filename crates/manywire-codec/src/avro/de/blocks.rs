//! Arrays and maps.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::{Decoder, Place};
use crate::avro::plan::{Field, Op, Record};
use crate::avro::wire::Blocks;
use crate::core::error::{Category, Error, Result};
use crate::core::limits::PREALLOCATED_ITEMS_MAX;

/// Entries given to a visitor, which need not take them all.
pub(super) trait Access<'de>: MapAccess<'de, Error = Error> {
    /// Passes over what the visitor left, or refuses to where it may not leave anything.
    fn end(&mut self) -> Result<()>;
}

/// The items of an array.
pub(super) struct ArrayAccess<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    blocks: Blocks,
    item: Op,
    empty: bool,
    index: usize,
}

impl<'d, 'de> ArrayAccess<'d, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'de>, item: Op, empty: bool) -> Result<Self> {
        let mut access = ArrayAccess { decoder, blocks: Blocks::START, item, empty, index: 0 };
        // The first block is opened ahead, so that a collection can make room for it.
        access.open()?;
        Ok(access)
    }

    #[inline]
    fn open(&mut self) -> Result<()> {
        let Decoder { reader, empty_items_left, .. } = &mut *self.decoder;
        self.blocks.open(reader, self.empty.then_some(empty_items_left))
    }

    /// Makes sure that the visitor took all there is.
    #[inline]
    pub(super) fn end(&mut self) -> Result<()> {
        if self.advance()? {
            return Err(left_over(self.decoder.offset(), self.index));
        }
        Ok(())
    }

    #[inline]
    fn advance(&mut self) -> Result<bool> {
        if self.blocks.remaining() == 0 && !self.blocks.is_done() {
            self.open()?;
        }
        Ok(self.blocks.take())
    }
}

#[cold]
#[inline(never)]
pub(super) fn left_over(offset: usize, count: usize) -> Error {
    Error::at(
        Category::Data,
        offset,
        format_args!("there are more than the {count} items that the type takes"),
    )
}

impl<'de> SeqAccess<'de> for ArrayAccess<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        self.index += 1;
        let start = self.decoder.offset();
        match seed.deserialize(Place { decoder: self.decoder, op: self.item }) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.with_offset(start).under_index(self.index - 1)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        Some(self.blocks.remaining().min(PREALLOCATED_ITEMS_MAX as u64) as usize)
    }
}

/// The items of a tuple.
pub(super) struct TupleAccess<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    fields: &'de [Field],
    next: usize,
}

impl<'d, 'de> TupleAccess<'d, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'de>, fields: &'de [Field]) -> Self {
        TupleAccess { decoder, fields, next: 0 }
    }

    #[inline]
    pub(super) fn end(&mut self) -> Result<()> {
        if self.next < self.fields.len() {
            return Err(left_over(self.decoder.offset(), self.next));
        }
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for TupleAccess<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(field) = self.fields.get(self.next) else { return Ok(None) };
        self.next += 1;
        let start = self.decoder.offset();
        match seed.deserialize(Place { decoder: self.decoder, op: field.op }) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.with_offset(start).under_index(self.next - 1)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.len() - self.next)
    }
}

/// The entries of an Avro map.
pub(super) struct MapEntries<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    blocks: Blocks,
    value: Op,
    key: &'de str,
}

impl<'d, 'de> MapEntries<'d, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'de>, value: Op) -> Self {
        MapEntries { decoder, blocks: Blocks::START, value, key: "" }
    }

    #[inline]
    fn advance(&mut self) -> Result<bool> {
        if self.blocks.remaining() == 0 && !self.blocks.is_done() {
            self.blocks.open(&mut self.decoder.reader, None)?;
        }
        Ok(self.blocks.take())
    }
}

impl<'de> Access<'de> for MapEntries<'_, 'de> {
    fn end(&mut self) -> Result<()> {
        while self.advance()? {
            self.decoder.text()?;
            self.decoder.skip(self.value)?;
        }
        Ok(())
    }
}

impl<'de> MapAccess<'de> for MapEntries<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        let start = self.decoder.offset();
        self.key = self.decoder.text()?;
        seed.deserialize(BorrowedStrDeserializer::new(self.key))
            .map(Some)
            .map_err(|error: Error| error.with_offset(start).under_key(self.key))
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let start = self.decoder.offset();
        seed.deserialize(Place { decoder: self.decoder, op: self.value })
            .map_err(|error| error.with_offset(start).under_key(self.key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.blocks.remaining().min(PREALLOCATED_ITEMS_MAX as u64) as usize)
    }
}

/// The entries of a map with keys of any kind.
pub(super) struct PairEntries<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    blocks: Blocks,
    key: Op,
    value: Op,
    empty: bool,
    index: usize,
}

impl<'d, 'de> PairEntries<'d, 'de> {
    pub(super) fn new(decoder: &'d mut Decoder<'de>, record: u32) -> Self {
        let Record { fields, empty, .. } = decoder.plan.record(record);
        let (key, value, empty) = (fields[0].op, fields[1].op, *empty);
        PairEntries { decoder, blocks: Blocks::START, key, value, empty, index: 0 }
    }

    fn advance(&mut self) -> Result<bool> {
        if self.blocks.remaining() == 0 && !self.blocks.is_done() {
            let Decoder { reader, empty_items_left, .. } = &mut *self.decoder;
            self.blocks.open(reader, self.empty.then_some(empty_items_left))?;
        }
        Ok(self.blocks.take())
    }
}

impl<'de> Access<'de> for PairEntries<'_, 'de> {
    fn end(&mut self) -> Result<()> {
        while self.advance()? {
            self.decoder.skip(self.key)?;
            self.decoder.skip(self.value)?;
        }
        Ok(())
    }
}

impl<'de> MapAccess<'de> for PairEntries<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        self.index += 1;
        let start = self.decoder.offset();
        seed.deserialize(Place { decoder: self.decoder, op: self.key })
            .map(Some)
            .map_err(|error| error.with_offset(start).under_index(self.index - 1))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let start = self.decoder.offset();
        seed.deserialize(Place { decoder: self.decoder, op: self.value })
            .map_err(|error| error.with_offset(start).under_index(self.index - 1))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.blocks.remaining().min(PREALLOCATED_ITEMS_MAX as u64) as usize)
    }
}
