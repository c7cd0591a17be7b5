//! Reading a value by the schema it was written by.

mod blocks;
mod place;
mod record;
mod scalar;
mod skip;
mod typed;
mod variant;

use manywire_format::Format;
use serde::de::{Deserialize, DeserializeSeed};
use std::marker::PhantomData;

use super::plan::{Op, Plan};
use super::wire::{EMPTY_ITEMS_MAX, read_text};
use crate::core::error::{Category, Error, Result};
use crate::core::limits::Limits;
use crate::core::reader::Reader;

impl Plan {
    /// Reads a value, with [`Limits::DEFAULT`].
    ///
    /// Text and bytes may be borrowed from the input, names from the plan.
    ///
    /// # Errors
    ///
    /// Bytes that are no datum of the schema or not only one, with the offset and the path, and
    /// data that the type does not take.
    pub fn decode<'de, T: Deserialize<'de>>(&'de self, bytes: &'de [u8]) -> Result<T> {
        self.decode_seed(PhantomData, bytes, Limits::DEFAULT)
    }

    /// Reads a value by a seed, such as [`ValueSeed`](manywire_shape::ValueSeed).
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode), and data that goes beyond the limits.
    pub fn decode_seed<'de, S: DeserializeSeed<'de>>(
        &'de self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        let mut decoder = Decoder::within(self, bytes, limits);
        seed.deserialize(Place { decoder: &mut decoder, op: self.root })
            .and_then(|value| decoder.reader.finish().map(|()| value))
            .map_err(|error| error.with_offset(decoder.offset()).with_format(Format::Avro))
    }

    /// Reads the value that stands first in these bytes, and says how many of them it took: datums
    /// behind each other have nothing between them.
    ///
    /// # Errors
    ///
    /// Those of [`decode_seed`](Self::decode_seed), but for bytes left over.
    pub fn decode_first<'de, S: DeserializeSeed<'de>>(
        &'de self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<(S::Value, usize)> {
        let mut decoder = Decoder::within(self, bytes, limits);
        let value = seed
            .deserialize(Place { decoder: &mut decoder, op: self.root })
            .map_err(|error| error.with_offset(decoder.offset()).with_format(Format::Avro))?;
        Ok((value, decoder.offset()))
    }
}

/// The input and what is left of the limits.
pub(super) struct Decoder<'de> {
    reader: Reader<'de>,
    plan: &'de Plan,
    depth_left: usize,
    depth_max: usize,
    empty_items_left: u64,
}

impl<'de> Decoder<'de> {
    /// A decoder of what our own encoder wrote.
    pub(super) fn over(plan: &'de Plan, bytes: &'de [u8]) -> Self {
        Decoder {
            reader: Reader::new(bytes),
            plan,
            depth_left: usize::MAX,
            depth_max: usize::MAX,
            empty_items_left: EMPTY_ITEMS_MAX,
        }
    }

    /// A decoder of bytes from outside.
    fn within(plan: &'de Plan, bytes: &'de [u8], limits: Limits) -> Self {
        let (depth_left, depth_max) = (limits.depth, limits.depth);
        Decoder { depth_left, depth_max, ..Decoder::over(plan, bytes) }
    }

    /// How many bytes have been read.
    #[inline]
    pub(super) fn offset(&self) -> usize {
        self.reader.offset()
    }

    #[inline]
    pub(super) fn text(&mut self) -> Result<&'de str> {
        read_text(&mut self.reader)
    }

    /// Goes into a container.
    #[inline]
    fn enter(&mut self) -> Result<()> {
        match self.depth_left.checked_sub(1) {
            Some(left) => {
                self.depth_left = left;
                Ok(())
            }
            None => Err(Error::depth(self.offset(), self.depth_max)),
        }
    }

    #[inline]
    fn leave(&mut self) {
        self.depth_left += 1;
    }

    /// Reads the index of one of so many.
    #[inline]
    fn index(&mut self, count: usize, of: &'static str) -> Result<usize> {
        let start = self.offset();
        let index = super::wire::read_long(&mut self.reader, of)?;
        match usize::try_from(index) {
            Ok(index) if index < count => Ok(index),
            _ => Err(no_such_index(start, of, index, count)),
        }
    }

    /// Reads whether an option holds something.
    #[inline]
    fn is_some(&mut self, op: Op) -> Result<bool> {
        let index = self.index(2, "a branch")?;
        Ok((index == 1) == matches!(op, Op::Maybe(_)))
    }
}

#[cold]
#[inline(never)]
fn no_such_index(offset: usize, of: &str, index: i64, count: usize) -> Error {
    Error::at(
        Category::Syntax,
        offset,
        format_args!("the index of {of} is {index}, but the schema has {count}"),
    )
}

/// A place in the schema, at which one value is to be read.
struct Place<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    op: Op,
}
