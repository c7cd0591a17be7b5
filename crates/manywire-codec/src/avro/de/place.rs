//! What stands at a place of the schema.

use serde::de::Visitor;

use super::blocks::{Access, ArrayAccess, MapEntries, PairEntries, TupleAccess};
use super::record::FieldValues;
use super::{Decoder, Place};
use crate::avro::plan::Op;
use crate::avro::wire::{read_bytes, read_int, read_long};
use crate::core::error::{Category, Error, Result};

impl<'de> Decoder<'de> {
    #[inline]
    pub(super) fn double(&mut self) -> Result<f64> {
        self.reader.array("a double").map(f64::from_le_bytes)
    }

    #[inline]
    pub(super) fn float(&mut self) -> Result<f32> {
        self.reader.array("a float").map(f32::from_le_bytes)
    }
}

impl<'de> Place<'_, 'de> {
    /// Gives the visitor what the schema has here.
    #[inline(never)]
    pub(super) fn any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        loop {
            return match self.op {
                Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_) => {
                    self.op = self.decoder.branch(self.op)?;
                    continue;
                }
                Op::Null => visitor.visit_unit(),
                Op::Boolean => visitor.visit_bool(self.decoder.boolean()?),
                Op::Int => visitor.visit_i32(read_int(&mut self.decoder.reader)?),
                Op::Long => visitor.visit_i64(read_long(&mut self.decoder.reader, "a long")?),
                Op::Float => visitor.visit_f32(self.decoder.float()?),
                Op::Double => visitor.visit_f64(self.decoder.double()?),
                Op::String => visitor.visit_borrowed_str(self.decoder.text()?),
                Op::Bytes => {
                    visitor.visit_borrowed_bytes(read_bytes(&mut self.decoder.reader, "bytes")?)
                }
                Op::Fixed(size) => visitor
                    .visit_borrowed_bytes(self.decoder.reader.take(size as usize, "fixed bytes")?),
                Op::Enum(_) => visitor.visit_borrowed_str(self.symbol()?),
                Op::Array(_) | Op::Empties(_) | Op::Tuple(_) => self.items(visitor),
                Op::Map(_) | Op::Entries(_) | Op::Record(_) => self.entries(visitor),
                Op::Integer => self.integer(visitor),
                Op::Number => self.number(visitor),
                Op::Timestamp => self.timestamp(visitor),
                Op::Extension(slot) => self.extension(slot, visitor),
                Op::Variant(index) => self.tagged(index, visitor),
            };
        }
    }

    /// Reads the index of a symbol.
    #[inline]
    pub(super) fn symbol(&mut self) -> Result<&'de str> {
        let Op::Enum(index) = self.op else { return Err(self.unlike("a symbol")) };
        let symbols = &self.decoder.plan.enums[index as usize].symbols;
        Ok(&symbols[self.decoder.index(symbols.len(), "a symbol")?])
    }

    #[inline]
    pub(super) fn items<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let Place { decoder, op } = self;
        match op {
            Op::Array(slot) | Op::Empties(slot) => {
                let item = decoder.plan.op(slot);
                decoder.enter()?;
                let mut access =
                    ArrayAccess::new(&mut *decoder, item, matches!(op, Op::Empties(_)))?;
                let value = visitor.visit_seq(&mut access)?;
                access.end()?;
                decoder.leave();
                Ok(value)
            }
            Op::Tuple(index) => {
                decoder.enter()?;
                let fields = &decoder.plan.record(index).fields;
                let mut access = TupleAccess::new(&mut *decoder, fields);
                let value = visitor.visit_seq(&mut access)?;
                access.end()?;
                decoder.leave();
                Ok(value)
            }
            op => Place { decoder, op }.any(visitor),
        }
    }

    #[inline]
    pub(super) fn entries<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::Record(index) => self.record(index, visitor),
            _ => self.map(visitor),
        }
    }

    pub(super) fn map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let Place { decoder, op } = self;
        match op {
            Op::Map(slot) => {
                decoder.enter()?;
                let value = decoder.plan.op(slot);
                let mut access = MapEntries::new(&mut *decoder, value);
                let value = visitor.visit_map(&mut access)?;
                access.end()?;
                decoder.leave();
                Ok(value)
            }
            Op::Entries(index) => {
                decoder.enter()?;
                let mut access = PairEntries::new(&mut *decoder, index);
                let value = visitor.visit_map(&mut access)?;
                access.end()?;
                decoder.leave();
                Ok(value)
            }
            op => Place { decoder, op }.any(visitor),
        }
    }

    /// Gives the values of a record to a visitor that knows their names.
    #[inline]
    pub(super) fn values<V: Visitor<'de>>(self, index: u32, visitor: V) -> Result<V::Value> {
        let decoder = self.decoder;
        let record = decoder.plan.record(index);
        decoder.enter()?;
        let mut access = FieldValues::new(&mut *decoder, &record.fields);
        let value = visitor.visit_seq(&mut access)?;
        access.end()?;
        decoder.leave();
        Ok(value)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn unlike(&self, asked: &str) -> Error {
        Error::at(
            Category::Data,
            self.decoder.offset(),
            format_args!(
                "the schema has {} here, but the type asks for {asked}",
                self.op.expected()
            ),
        )
    }

    /// Bytes for a type that takes them one by one.
    #[inline(never)]
    pub(super) fn bytes_as_items<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let reader = &mut self.decoder.reader;
        let bytes = match self.op {
            Op::Fixed(size) => reader.take(size as usize, "fixed bytes")?,
            _ => read_bytes(reader, "bytes")?,
        };
        let mut items = serde::de::value::SeqDeserializer::new(bytes.iter().copied());
        let value = visitor.visit_seq(&mut items)?;
        items.end()?;
        Ok(value)
    }
}
