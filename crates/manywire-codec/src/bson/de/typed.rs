//! What serde calls for each type.

use manywire_shape::extension::NAME;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, SeqDeserializer};
use serde::de::{self, Visitor};

use super::Deserializer;
use super::container::Entries;
use crate::bson::element;
use crate::{Error, Result};

macro_rules! integers {
    ($($method:ident)*) => {
        $(
            #[inline]
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                self.visit_integer(visitor)
            }
        )*
    };
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.visit_any(visitor)
    }

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::BOOLEAN => visitor.visit_bool(self.boolean()?),
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_f64(visitor)
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::DOUBLE => visitor.visit_f64(self.double()?),
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::STRING | element::CODE | element::SYMBOL => {
                visitor.visit_borrowed_str(self.text()?)
            }
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::BINARY => visitor.visit_borrowed_bytes(self.binary()?.1),
            element::OBJECT_ID => visitor.visit_borrowed_bytes(self.object_id()?),
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::NULL | element::UNDEFINED => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    #[inline]
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::NULL | element::UNDEFINED => visitor.visit_unit(),
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        // Whoever asks for an extension takes the ones there are; of anything else the visitor
        // says that it is none.
        if name == NAME { self.visit_any(visitor) } else { visitor.visit_newtype_struct(self) }
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::ARRAY => self.visit_array(visitor),
            element::DOCUMENT if self.at_top() => self.visit_array(visitor),
            // Bytes are read where a sequence is asked for: `Vec<u8>` does not ask for bytes.
            element::BINARY => {
                visitor.visit_seq(SeqDeserializer::new(self.binary()?.1.iter().copied()))
            }
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    #[inline]
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
        match self.kind {
            element::DOCUMENT => self.visit_document(false, visitor),
            element::ARRAY if self.at_top() => self.visit_document(false, visitor),
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.kind {
            element::DOCUMENT => self.visit_document(true, visitor),
            element::ARRAY if self.at_top() => self.visit_document(true, visitor),
            _ => self.visit_other(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.kind {
            element::STRING => visitor.visit_enum(BorrowedStrDeserializer::new(self.text()?)),
            element::DOCUMENT => {
                let mut entries = Entries::new(self.enter()?, false);
                let value = visitor.visit_enum(MapAccessDeserializer::new(&mut entries))?;
                entries.finish()?;
                Ok(value)
            }
            _ => self.visit_other(visitor),
        }
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }
}
