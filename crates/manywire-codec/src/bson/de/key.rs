use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, Deserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use crate::{Error, Result};

/// A key, known to be UTF-8. To the fields of a struct it is given as bytes, which the derive
/// compares just the same, without having it checked again; a type that keeps its keys, as maps
/// and `flatten` do, is given text.
pub(super) struct Key<'de> {
    pub(super) text: &'de [u8],
    pub(super) is_field: bool,
}

impl<'de> Key<'de> {
    #[inline]
    fn text(&self) -> Result<&'de str> {
        std::str::from_utf8(self.text).map_err(de::Error::custom)
    }
}

/// Keys are text; a type that asks for a number is given the number that the text spells.
macro_rules! numbers {
    ($($method:ident $visit:ident $expected:literal)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                let text = self.text()?;
                match text.parse() {
                    Ok(number) => visitor.$visit(number),
                    Err(_) => Err(de::Error::invalid_value(Unexpected::Str(text), &$expected)),
                }
            }
        )*
    };
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_borrowed_str(self.text()?)
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_field { visitor.visit_bytes(self.text) } else { self.deserialize_any(visitor) }
    }

    numbers! {
        deserialize_i8 visit_i8 "an i8 in decimal"
        deserialize_i16 visit_i16 "an i16 in decimal"
        deserialize_i32 visit_i32 "an i32 in decimal"
        deserialize_i64 visit_i64 "an i64 in decimal"
        deserialize_i128 visit_i128 "an i128 in decimal"
        deserialize_u8 visit_u8 "a u8 in decimal"
        deserialize_u16 visit_u16 "a u16 in decimal"
        deserialize_u32 visit_u32 "a u32 in decimal"
        deserialize_u64 visit_u64 "a u64 in decimal"
        deserialize_u128 visit_u128 "a u128 in decimal"
        deserialize_bool visit_bool "true or false"
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.text()?))
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        ignored_any
    }
}
