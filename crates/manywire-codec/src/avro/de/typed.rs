//! What serde calls for each type.

use manywire_shape::extension;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{Deserializer, MapAccess, Visitor};

use super::Place;
use crate::avro::plan::Op;
use crate::avro::wire::{read_bytes, read_int, read_long};
use crate::core::error::{Error, Result};

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

/// A map of one entry is a variant where nothing is known of variants.
struct EnumOfMap<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for EnumOfMap<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<V::Value, A::Error> {
        self.0.visit_enum(MapAccessDeserializer::new(map))
    }
}
