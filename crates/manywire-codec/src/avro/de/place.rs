//! The deserializer.

use manywire_shape::extension;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{Deserializer, Visitor};

use super::blocks::{Access, ArrayAccess, MapEntries, PairEntries, TupleAccess};
use super::record::FieldValues;
use super::{Decoder, Place};
use crate::avro::plan::Op;
use crate::avro::wire::{read_bytes, read_int, read_long};
use crate::core::error::{Category, Error, Result};

impl<'de> Decoder<'de> {
    #[inline]
    fn double(&mut self) -> Result<f64> {
        self.reader.array("a double").map(f64::from_le_bytes)
    }

    #[inline]
    fn float(&mut self) -> Result<f32> {
        self.reader.array("a float").map(f32::from_le_bytes)
    }
}

impl<'de> Place<'_, 'de> {
    /// Gives the visitor what the schema has here.
    #[inline(never)]
    fn any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
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
    fn symbol(&mut self) -> Result<&'de str> {
        let Op::Enum(index) = self.op else { return Err(self.unlike("a symbol")) };
        let symbols = &self.decoder.plan.enums[index as usize].symbols;
        Ok(&symbols[self.decoder.index(symbols.len(), "a symbol")?])
    }

    #[inline]
    fn items<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
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
    fn entries<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::Record(index) => self.record(index, visitor),
            _ => self.map(visitor),
        }
    }

    fn map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
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
    fn values<V: Visitor<'de>>(self, index: u32, visitor: V) -> Result<V::Value> {
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
    fn unlike(&self, asked: &str) -> Error {
        Error::at(
            Category::Data,
            self.decoder.offset(),
            format_args!(
                "the schema has {} here, but the type asks for {asked}",
                self.op.expected()
            ),
        )
    }
}

macro_rules! deserialize_integer {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self.op {
                Op::Long => visitor.visit_i64(read_long(&mut self.decoder.reader, "a long")?),
                Op::Int => visitor.visit_i32(read_int(&mut self.decoder.reader)?),
                _ => self.any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Place<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.any(visitor)
    }

    deserialize_integer! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.any(visitor)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.any(visitor)
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::Boolean => visitor.visit_bool(self.decoder.boolean()?),
            _ => self.any(visitor),
        }
    }

    #[inline]
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::Float => visitor.visit_f32(self.decoder.float()?),
            _ => self.any(visitor),
        }
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::Double => visitor.visit_f64(self.decoder.double()?),
            _ => self.any(visitor),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::String => visitor.visit_borrowed_str(self.decoder.text()?),
            _ => self.any(visitor),
        }
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.op {
            Op::Bytes | Op::Integer => {
                visitor.visit_borrowed_bytes(read_bytes(&mut self.decoder.reader, "bytes")?)
            }
            _ => self.any(visitor),
        }
    }

    #[inline]
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let op = match self.op {
            Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_) => self.decoder.branch(self.op)?,
            op => op,
        };
        if op == Op::Null {
            return visitor.visit_none();
        }
        self.op = op;
        // An option right inside an option is no container, but may still go on without end.
        if matches!(op, Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_)) {
            self.decoder.enter()?;
            let Place { decoder, op } = self;
            let value = visitor.visit_some(Place { decoder: &mut *decoder, op })?;
            decoder.leave();
            return Ok(value);
        }
        visitor.visit_some(self)
    }

    #[inline]
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.any(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.any(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == extension::NAME {
            return self.any(visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        while let Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_) = self.op {
            self.op = self.decoder.branch(self.op)?;
        }
        match self.op {
            Op::Bytes | Op::Fixed(_) => self.bytes_as_items(visitor),
            _ => self.items(visitor),
        }
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.entries(visitor)
    }

    /// Where a type has just the fields of the schema, in its order and none under an alias, it is
    /// given their values without their names, which saves it a look at each. Derived types take
    /// either, as they must for any format without names.
    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.op {
            Op::Record(index) if self.decoder.plan.record(index).is_positional(fields) => {
                self.values(index, visitor)
            }
            _ => self.entries(visitor),
        }
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        while let Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_) = self.op {
            self.op = self.decoder.branch(self.op)?;
        }
        match self.op {
            Op::Variant(index) => self.variant(index, visitor),
            Op::Enum(_) => visitor.visit_enum(BorrowedStrDeserializer::new(self.symbol()?)),
            Op::String => visitor.visit_enum(BorrowedStrDeserializer::new(self.decoder.text()?)),
            _ => self.map(EnumOfMap(visitor)),
        }
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.decoder.skip(self.op)?;
        visitor.visit_unit()
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

impl<'de> Place<'_, 'de> {
    /// Bytes for a type that takes them one by one.
    #[inline(never)]
    fn bytes_as_items<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
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

/// A map of one entry is a variant where nothing is known of variants.
struct EnumOfMap<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for EnumOfMap<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(
        self,
        map: A,
    ) -> std::result::Result<V::Value, A::Error> {
        self.0.visit_enum(MapAccessDeserializer::new(map))
    }
}
