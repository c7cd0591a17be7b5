//! What serde calls for each type.

use manywire_shape::extension::NAME;
use serde::ser::{self, Serialize};

use super::container::{self, Array, Document};
use super::{Serializer, beyond_int64};
use crate::bson::element;
use crate::core::extension as core_extension;
use crate::{Error, Result};

impl<'o> ser::Serializer for Serializer<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Array<'o>;
    type SerializeTuple = Array<'o>;
    type SerializeTupleStruct = Array<'o>;
    type SerializeTupleVariant = Array<'o>;
    type SerializeMap = Document<'o>;
    type SerializeStruct = Document<'o>;
    type SerializeStructVariant = Document<'o>;

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.fixed(element::BOOLEAN, [u8::from(value)])
    }

    #[inline]
    fn serialize_i8(self, value: i8) -> Result<()> {
        self.serialize_i32(value.into())
    }

    #[inline]
    fn serialize_i16(self, value: i16) -> Result<()> {
        self.serialize_i32(value.into())
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<()> {
        self.fixed(element::INT32, value.to_le_bytes())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        self.fixed(element::INT64, value.to_le_bytes())
    }

    #[inline]
    fn serialize_u8(self, value: u8) -> Result<()> {
        self.serialize_i32(value.into())
    }

    #[inline]
    fn serialize_u16(self, value: u16) -> Result<()> {
        self.serialize_i32(value.into())
    }

    #[inline]
    fn serialize_u32(self, value: u32) -> Result<()> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => Err(beyond_int64(value)),
        }
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => Err(beyond_int64(value)),
        }
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => Err(beyond_int64(value)),
        }
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.serialize_f64(value.into())
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.fixed(element::DOUBLE, value.to_le_bytes())
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(mut self, value: &str) -> Result<()> {
        self.text(element::STRING, value)
    }

    #[inline]
    fn serialize_bytes(mut self, value: &[u8]) -> Result<()> {
        self.binary(element::GENERIC, value)
    }

    #[inline]
    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<()> {
        self.fixed(element::NULL, [])
    }

    #[inline]
    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        if name == NAME { core_extension::write(&mut self, value) } else { value.serialize(self) }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let (start, content) = self.variant(variant)?;
        let out = &mut *content.out;
        value
            .serialize(Serializer { out, blank: content.blank })
            .map_err(|error| error.under_key(variant))?;
        container::close(content.out, start)
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Array<'o>> {
        Ok(self.array())
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Array<'o>> {
        Ok(self.array())
    }

    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Array<'o>> {
        Ok(self.array())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Array<'o>> {
        let (start, content) = self.variant(variant)?;
        Ok(content.array().inside(variant, start))
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Document<'o>> {
        Ok(self.document())
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Document<'o>> {
        Ok(self.document())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Document<'o>> {
        let (start, content) = self.variant(variant)?;
        Ok(content.document().inside(variant, start))
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }
}
