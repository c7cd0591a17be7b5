//! What serde calls for each type.

use std::fmt::Display;

use manywire_shape::extension;
use serde::ser::{Serialize, Serializer as SerdeSerializer};

use super::compound::{Entries, Items};
use super::{Serializer, text};
use crate::cbor::head::*;
use crate::core::extension as core_extension;
use crate::{Error, Result};

impl<'s, 'o> SerdeSerializer for &'s mut Serializer<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'s, 'o>;
    type SerializeTuple = Items<'s, 'o>;
    type SerializeTupleStruct = Items<'s, 'o>;
    type SerializeTupleVariant = Items<'s, 'o>;
    type SerializeMap = Entries<'s, 'o>;
    type SerializeStruct = Entries<'s, 'o>;
    type SerializeStructVariant = Entries<'s, 'o>;

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.out.push(if value { TRUE } else { FALSE });
        Ok(())
    }

    #[inline]
    fn serialize_i8(self, value: i8) -> Result<()> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_i16(self, value: i16) -> Result<()> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<()> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        // In two's complement -1 - n is the complement of n.
        if value < 0 {
            self.head(NEGATIVE, (!value).cast_unsigned());
        } else {
            self.head(UNSIGNED, value.cast_unsigned());
        }
        Ok(())
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        let negative = value < 0;
        self.integer(negative, if negative { !value } else { value }.cast_unsigned());
        Ok(())
    }

    #[inline]
    fn serialize_u8(self, value: u8) -> Result<()> {
        self.serialize_u64(value.into())
    }

    #[inline]
    fn serialize_u16(self, value: u16) -> Result<()> {
        self.serialize_u64(value.into())
    }

    #[inline]
    fn serialize_u32(self, value: u32) -> Result<()> {
        self.serialize_u64(value.into())
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        self.head(UNSIGNED, value);
        Ok(())
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.integer(false, value);
        Ok(())
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.single(value);
        Ok(())
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.double(value);
        Ok(())
    }

    #[inline]
    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        self.string(TEXT, value.as_bytes());
        Ok(())
    }

    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.string(BYTES, value);
        Ok(())
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
        self.out.push(NULL);
        Ok(())
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
        self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        if name == extension::NAME {
            return core_extension::write(self, value);
        }
        value.serialize(self)
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.variant(variant);
        match value.serialize(self) {
            Ok(()) => Ok(()),
            Err(error) => Err(error.under_key(variant)),
        }
    }

    #[inline]
    fn serialize_seq(self, length: Option<usize>) -> Result<Items<'s, 'o>> {
        Ok(Items::begin(self, length))
    }

    #[inline]
    fn serialize_tuple(self, length: usize) -> Result<Items<'s, 'o>> {
        Ok(Items::begin(self, Some(length)))
    }

    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Items<'s, 'o>> {
        Ok(Items::begin(self, Some(length)))
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Items<'s, 'o>> {
        self.variant(variant);
        Ok(Items::begin(self, Some(length)).of_variant(variant))
    }

    #[inline]
    fn serialize_map(self, length: Option<usize>) -> Result<Entries<'s, 'o>> {
        Ok(Entries::begin(self, length))
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Entries<'s, 'o>> {
        Ok(Entries::begin(self, Some(length)))
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Entries<'s, 'o>> {
        self.variant(variant);
        Ok(Entries::begin(self, Some(length)).of_variant(variant))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        text::collect(self.out, value)
    }
}

impl Serializer<'_> {
    /// The one key of the map that a variant with content is.
    #[inline]
    fn variant(&mut self, name: &'static str) {
        self.head(MAP, 1);
        self.string(TEXT, name.as_bytes());
    }
}
