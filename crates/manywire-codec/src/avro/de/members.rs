//! All that a visitor of maps may be given, as one type: with a type for each, every visitor would
//! be compiled once for each, although most of them meet only one.

use std::slice;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, MapAccess, Visitor};

use super::{Decoder, Place};
use crate::avro::plan::{Field, Op, Plan, Variant};
use crate::avro::wire::Blocks;
use crate::core::error::{Category, Error, Result};
use crate::core::limits::PREALLOCATED_ITEMS_MAX;

/// The entries of something, one after the other.
pub(super) struct Members<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    of: Of<'de>,
    /// The entry that comes first, although it is not in the bytes: the tag, and the variant.
    tag: Option<(&'de str, &'de str)>,
    /// The key that was read last, where it is text.
    key: &'de str,
    value: Value<'de>,
}

/// What has entries.
pub(super) enum Of<'de> {
    /// A record: its fields, and then the entries of its rest, if it has one.
    Record { fields: slice::Iter<'de, Field>, rest: Option<Op> },
    /// A map.
    Map { blocks: Blocks, value: Op },
    /// A map with keys of any kind.
    Pairs { blocks: Blocks, key: Op, value: Op, empty: bool, index: usize },
    /// One entry.
    Entry { key: &'de str, value: Op },
    /// None.
    Nothing,
}

/// What a key is read from.
enum Key<'de> {
    /// A name of the schema.
    Name(&'de str),
    /// Text of the datum.
    Text(&'de str),
    Place(Op),
}

/// What the value behind the last key is read from.
#[derive(Clone, Copy)]
enum Value<'de> {
    Name(&'de str),
    Place(Op),
    /// No key was asked for.
    None,
}

impl<'de> Of<'de> {
    /// What stands at a place, if that has entries.
    #[inline]
    pub(super) fn at(plan: &'de Plan, op: Op) -> Option<Self> {
        match op {
            Op::Record(index) => {
                let record = plan.record(index);
                let rest = record.rest.map(|rest| plan.op(rest));
                Some(Of::Record { fields: record.fields.iter(), rest })
            }
            Op::Map(slot) => Some(Of::map(plan.op(slot))),
            Op::Entries(index) => {
                let record = plan.record(index);
                let (key, value) = (record.fields[0].op, record.fields[1].op);
                let (blocks, empty) = (Blocks::START, record.empty);
                Some(Of::Pairs { blocks, key, value, empty, index: 0 })
            }
            _ => None,
        }
    }

    fn map(value: Op) -> Self {
        Of::Map { blocks: Blocks::START, value }
    }
}

impl<'d, 'de> Members<'d, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'de>, of: Of<'de>) -> Self {
        Members { decoder, of, tag: None, key: "", value: Value::None }
    }

    /// The same with the variant that they belong to before them.
    pub(super) fn tagged(mut self, tag: &'de str, variant: &'de Variant) -> Self {
        self.tag = Some((tag, &variant.name));
        self
    }

    /// Gives them to a visitor, which need not take them all.
    #[inline]
    pub(super) fn give<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let value = visitor.visit_map(&mut self)?;
        self.end()?;
        Ok(value)
    }

    /// Moves on to the next entry.
    #[inline]
    fn advance(&mut self) -> Result<Option<Key<'de>>> {
        if let Some((tag, variant)) = self.tag.take() {
            self.value = Value::Name(variant);
            return Ok(Some(Key::Name(tag)));
        }
        if let Of::Record { fields, rest } = &mut self.of {
            for field in fields {
                let op = match field.optional {
                    true => match self.decoder.branch(field.op)? {
                        Op::Null => continue,
                        op => op,
                    },
                    false => field.op,
                };
                self.key = &field.name;
                self.value = Value::Place(op);
                return Ok(Some(Key::Name(self.key)));
            }
            let Some(value) = *rest else { return Ok(None) };
            self.of = Of::map(value);
        }
        self.next_entry()
    }

    /// The same where it is none of a record.
    fn next_entry(&mut self) -> Result<Option<Key<'de>>> {
        match &mut self.of {
            Of::Map { blocks, value } => {
                if !advance(blocks, self.decoder, false)? {
                    return Ok(None);
                }
                self.key = self.decoder.text()?;
                self.value = Value::Place(*value);
                Ok(Some(Key::Text(self.key)))
            }
            Of::Pairs { blocks, key, value, empty, index } => {
                if !advance(blocks, self.decoder, *empty)? {
                    return Ok(None);
                }
                *index += 1;
                self.value = Value::Place(*value);
                Ok(Some(Key::Place(*key)))
            }
            Of::Entry { key, value } => {
                self.key = *key;
                self.value = Value::Place(*value);
                self.of = Of::Nothing;
                Ok(Some(Key::Name(self.key)))
            }
            Of::Record { .. } | Of::Nothing => Ok(None),
        }
    }

    /// Passes over what the visitor left.
    #[inline]
    fn end(&mut self) -> Result<()> {
        if let Of::Record { fields, rest } = &mut self.of {
            for field in fields {
                self.decoder.skip(field.op)?;
            }
            let Some(value) = *rest else { return Ok(()) };
            self.of = Of::map(value);
        }
        match &mut self.of {
            Of::Map { blocks, value } => {
                while advance(blocks, self.decoder, false)? {
                    self.decoder.text()?;
                    self.decoder.skip(*value)?;
                }
            }
            Of::Pairs { blocks, key, value, empty, .. } => {
                while advance(blocks, self.decoder, *empty)? {
                    self.decoder.skip(*key)?;
                    self.decoder.skip(*value)?;
                }
            }
            Of::Entry { value, .. } => self.decoder.skip(*value)?,
            Of::Record { .. } | Of::Nothing => {}
        }
        Ok(())
    }

    /// Says in which entry an error happened.
    #[cold]
    #[inline(never)]
    fn placed(&self, error: Error, start: usize) -> Error {
        let error = error.with_offset(start);
        match self.of {
            Of::Pairs { index, .. } => error.under_index(index.saturating_sub(1)),
            _ => error.under_key(self.key),
        }
    }
}

/// Moves on to the next entry of a block, or of the next block.
#[inline]
fn advance(blocks: &mut Blocks, decoder: &mut Decoder<'_>, empty: bool) -> Result<bool> {
    if blocks.remaining() == 0 && !blocks.is_done() {
        let Decoder { reader, empty_items_left, .. } = decoder;
        blocks.open(reader, empty.then_some(empty_items_left))?;
    }
    Ok(blocks.take())
}

impl<'de> MapAccess<'de> for &mut Members<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let start = self.decoder.offset();
        let key = match self.advance()? {
            None => return Ok(None),
            Some(Key::Name(name)) => {
                return seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some);
            }
            Some(Key::Text(text)) => seed.deserialize(BorrowedStrDeserializer::new(text)),
            Some(Key::Place(op)) => seed.deserialize(Place { decoder: self.decoder, op }),
        };
        match key {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(self.placed(error, start)),
        }
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let start = self.decoder.offset();
        let op = match self.value {
            Value::Place(op) => op,
            Value::Name(name) => return seed.deserialize(BorrowedStrDeserializer::new(name)),
            Value::None => return Err(out_of_turn()),
        };
        match seed.deserialize(Place { decoder: self.decoder, op }) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.placed(error, start)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        match &self.of {
            Of::Record { fields, rest: None } => Some(fields.len()),
            Of::Map { blocks, .. } | Of::Pairs { blocks, .. } => {
                Some(blocks.remaining().min(PREALLOCATED_ITEMS_MAX as u64) as usize)
            }
            _ => None,
        }
    }
}

/// A value asked for before its key.
#[cold]
#[inline(never)]
fn out_of_turn() -> Error {
    Error::new(Category::Data, "a value was asked for where there is none")
}
