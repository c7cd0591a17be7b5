//! Arrays and tuples, as one type: see [`members`](super::members).

use serde::de::{DeserializeSeed, SeqAccess};

use super::{Decoder, Place};
use crate::avro::plan::{Field, Op};
use crate::avro::wire::Blocks;
use crate::core::error::{Category, Error, Result};
use crate::core::limits::PREALLOCATED_ITEMS_MAX;

/// The items of an array, or the fields of a tuple.
pub(super) struct Items<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    /// What is left of them: a tuple is one block.
    blocks: Blocks,
    /// What each is, of an array.
    item: Op,
    /// What each is, of a tuple.
    fields: &'de [Field],
    empty: bool,
    index: usize,
}

impl<'d, 'de> Items<'d, 'de> {
    /// The items of what stands here, of nothing if that has none.
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'de>, op: Op) -> Result<Self> {
        let (item, fields): (Op, &[Field]) = match op {
            Op::Array(slot) | Op::Empties(slot) => (decoder.plan.op(slot), &[]),
            Op::Tuple(index) => (Op::Null, &decoder.plan.record(index).fields),
            _ => (Op::Null, &[]),
        };
        let empty = matches!(op, Op::Empties(_));
        let blocks = Blocks::START;
        let mut items = Items { decoder, blocks, item, fields, empty, index: 0 };
        match op {
            // The first block is opened ahead, so that a collection can make room for it.
            Op::Array(_) | Op::Empties(_) => items.open()?,
            _ => items.blocks = Blocks::one(fields.len()),
        }
        Ok(items)
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
fn left_over(offset: usize, count: usize) -> Error {
    Error::at(
        Category::Data,
        offset,
        format_args!("there are more than the {count} items that the type takes"),
    )
}

impl<'de> SeqAccess<'de> for &mut Items<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !self.advance()? {
            return Ok(None);
        }
        let op = self.fields.get(self.index).map_or(self.item, |field| field.op);
        self.index += 1;
        let start = self.decoder.offset();
        match seed.deserialize(Place { decoder: self.decoder, op }) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.with_offset(start).under_index(self.index - 1)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        Some(self.blocks.remaining().min(PREALLOCATED_ITEMS_MAX as u64) as usize)
    }
}
