//! What serde calls for each type.

use manywire_shape::extension;
use serde::de::{Deserializer as SerdeDeserializer, Visitor};

use super::Deserializer;
use crate::cbor::head::*;
use crate::{Error, Result};

impl<'de> Deserializer<'de> {
    /// An integer of any width: the visitor checks the range.
    #[inline]
    fn integer<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let before = self.reader.clone();
        let initial = self.initial()?;
        if initial >> 5 == UNSIGNED {
            return visitor.visit_u64(self.argument(initial)?);
        }
        if initial >> 5 == NEGATIVE
            && let Ok(argument) = i64::try_from(self.argument(initial)?)
        {
            return visitor.visit_i64(!argument);
        }
        self.other_integer(before, visitor)
    }

    #[inline]
    fn float<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let before = self.reader.clone();
        match self.initial()? {
            F64 => visitor.visit_f64(self.double()?),
            initial @ (F16 | F32) => visitor.visit_f32(self.single(initial)?),
            _ => self.other_float(before, visitor),
        }
    }
}

/// Several methods that read the same.
macro_rules! same {
    ($($method:ident)* => $read:ident) => {
        $(
            #[inline]
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                self.$read(visitor)
            }
        )*
    };
}

impl<'de> SerdeDeserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }

    same! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 => integer
    }
    same! { deserialize_f32 deserialize_f64 => float }
    same! { deserialize_char deserialize_string => deserialize_str }
    same! { deserialize_byte_buf => deserialize_bytes }
    same! { deserialize_any => any }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let before = self.reader.clone();
        match self.initial()? {
            FALSE => visitor.visit_bool(false),
            TRUE => visitor.visit_bool(true),
            _ => self.other(before, visitor),
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let before = self.reader.clone();
        let initial = self.initial()?;
        if initial >> 5 == TEXT {
            return self.text(initial, visitor);
        }
        self.other(before, visitor)
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let before = self.reader.clone();
        let initial = self.initial()?;
        if initial >> 5 == BYTES {
            return self.bytes(initial, visitor);
        }
        self.other(before, visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.reader.peek() {
            Some(NULL | UNDEFINED) => {
                self.reader.skip(1, "null")?;
                visitor.visit_none()
            }
            Some(initial) if initial >> 5 == TAG && self.tagged_null()? => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    #[inline]
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let before = self.reader.clone();
        match self.initial()? {
            NULL => visitor.visit_unit(),
            _ => self.other_unit(before, visitor),
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
        if name == extension::NAME {
            return self.extension(visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let before = self.reader.clone();
        let initial = self.initial()?;
        if initial >> 5 == ARRAY {
            return self.array(initial, visitor);
        }
        self.other_seq(before, visitor)
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
        let before = self.reader.clone();
        let initial = self.initial()?;
        if initial >> 5 == MAP {
            return self.map(initial, false, visitor);
        }
        self.other(before, visitor)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let before = self.reader.clone();
        let initial = self.initial()?;
        if initial >> 5 == MAP {
            return self.map(initial, true, visitor);
        }
        self.other(before, visitor)
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.variant(visitor)
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let before = self.reader.clone();
        let initial = self.initial()?;
        if initial >> 5 == TEXT {
            return self.text(initial, visitor);
        }
        self.other_identifier(before, visitor)
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if !self.skip_whole() {
            self.skip()?;
        }
        visitor.visit_unit()
    }
}
