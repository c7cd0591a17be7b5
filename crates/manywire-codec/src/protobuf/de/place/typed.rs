//! What serde calls for each type, and what is there.

use manywire_shape::extension::{self as shape_extension, Kind as Extension};
use serde::de::value::{BorrowedStrDeserializer, I32Deserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};

use super::super::variant;
use super::FieldDeserializer;
use super::scalar::Integer;
use crate::core::extension;
use crate::protobuf::plan::{Form, Kind};
use crate::protobuf::wire::ABSENT;
use crate::{Category, Error, Result};

macro_rules! integers {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.deserialize_integer(visitor)
        }
    )*};
}

macro_rules! natural {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.deserialize_any(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for FieldDeserializer<'_, 'de> {
    type Error = Error;

    #[inline(never)]
    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        if self.is_null() {
            return visitor.visit_unit();
        }
        match self.field.kind {
            Kind::Bool => visitor.visit_bool(self.varint()? != 0),
            Kind::Float => visitor.visit_f32(f32::from_le_bytes(self.fixed32()?)),
            Kind::Double => visitor.visit_f64(f64::from_le_bytes(self.fixed64()?)),
            Kind::String => visitor.visit_borrowed_str(self.str()?),
            Kind::Bytes => visitor.visit_borrowed_bytes(self.bytes()?),
            Kind::BigInt => self.deserialize_big(visitor),
            Kind::Number => {
                let text = self.str()?;
                extension::visit(visitor, Extension::Number, 0, BorrowedStrDeserializer::new(text))
            }
            Kind::Enum => match self.enumerator()? {
                Ok(name) => visitor.visit_borrowed_str(name),
                Err(number) => visitor.visit_i64(number.into()),
            },
            Kind::Repeated | Kind::Packed => self.items(visitor),
            Kind::Map => self.entries(visitor),
            Kind::Message => {
                let message = self.decoder.plan.message(self.field);
                match message.form {
                    Form::Record { .. } => self.record(message, visitor),
                    Form::Tuple | Form::Entry => self.tuple(message, visitor),
                    Form::Wrapper | Form::Union(_) => {
                        self.within(message, |inner| inner.deserialize_any(visitor))
                    }
                    Form::External | Form::Internal { .. } | Form::Adjacent { .. } => {
                        variant::any(self, message, visitor)
                    }
                    Form::Null => {
                        self.null()?;
                        visitor.visit_unit()
                    }
                    Form::Timestamp => self.timestamp(message, visitor),
                }
            }
            _ => match self.integer()? {
                Some(Integer::Signed(value)) => visitor.visit_i64(value),
                Some(Integer::Unsigned(value)) => visitor.visit_u64(value),
                None => Err(self.decoder.error(Category::Data, "a field of no kind")),
            },
        }
    }

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    natural! {
        deserialize_i128 deserialize_u128 deserialize_char deserialize_identifier
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.field.kind {
            Kind::Bool => visitor.visit_bool(self.varint()? != 0),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_f32<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.field.kind {
            Kind::Float => visitor.visit_f32(f32::from_le_bytes(self.fixed32()?)),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.field.kind {
            Kind::Double => visitor.visit_f64(f64::from_le_bytes(self.fixed64()?)),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.field.kind {
            Kind::String => visitor.visit_borrowed_str(self.str()?),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.field.kind {
            Kind::Bytes => visitor.visit_borrowed_bytes(self.bytes()?),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_null() {
            return visitor.visit_none();
        }
        if self.field.nullable || !self.may_wrap_null() {
            return visitor.visit_some(self);
        }
        let message = self.decoder.plan.message(self.field);
        if message.form == Form::Null {
            self.null()?;
            return visitor.visit_none();
        }
        self.within(message, |inner| inner.deserialize_option(visitor))
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == shape_extension::NAME {
            return self.deserialize_any(visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.field.kind {
            Kind::Repeated | Kind::Packed if !self.is_null() => self.items(visitor),
            _ => self.deserialize_any(visitor),
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

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    /// Where a type has just the fields of the schema, in its order and none under an alias, it is
    /// given their values without their names. Derived types take either; a type that does not is
    /// given the names at the second attempt.
    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.message() {
            Some(message) if matches!(message.form, Form::Record { .. }) && !self.is_null() => {
                if !self.decoder.checked && message.is_positional(names) {
                    return self.values(message, visitor);
                }
                self.record(message, visitor)
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if self.is_null() {
            return self.deserialize_any(visitor);
        }
        match self.field.kind {
            Kind::Enum => match self.enumerator()? {
                Ok(name) => visitor.visit_enum(BorrowedStrDeserializer::new(name)),
                Err(number) => {
                    let number: I32Deserializer<Error> = number.into_deserializer();
                    number.deserialize_enum(name, variants, visitor)
                }
            },
            Kind::String => visitor.visit_enum(BorrowedStrDeserializer::new(self.str()?)),
            Kind::Message => {
                let message = self.decoder.plan.message(self.field);
                match message.form {
                    Form::External => variant::external(self, message, visitor),
                    Form::Wrapper | Form::Union(_) => self
                        .within(message, |inner| inner.deserialize_enum(name, variants, visitor)),
                    _ => self.deserialize_any(visitor),
                }
            }
            Kind::Map => variant::only_entry(self, visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    /// Consumes what stands here, all pieces of it: the fields after it must be found.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let FieldDeserializer { decoder, field, wire, .. } = self;
        if wire != ABSENT {
            match field.kind {
                Kind::Repeated | Kind::Packed | Kind::Map => {
                    let mut wire = wire;
                    loop {
                        decoder.skip(field.number, wire)?;
                        let before = decoder.rest;
                        if before.is_empty() {
                            break;
                        }
                        let (number, next) = decoder.tag()?;
                        if number != field.number {
                            decoder.rest = before;
                            break;
                        }
                        wire = next;
                    }
                }
                _ if field.number == 0 => decoder.rest = &decoder.rest[decoder.rest.len()..],
                _ => decoder.skip(field.number, wire)?,
            }
        }
        visitor.visit_unit()
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}
