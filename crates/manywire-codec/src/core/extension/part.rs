//! One part of a triple, as serde gives it.

use std::fmt::Display;

use serde::ser::{Impossible, Serialize, SerializeTuple, Serializer};

use crate::core::error::{Category, Error, Result};

#[cold]
#[inline(never)]
pub(super) fn malformed(message: impl Display) -> Error {
    Error::new(Category::Unsupported, message)
}

/// What a part of a triple may be; whatever a part does not take is malformed.
pub(super) trait Part: Sized {
    type Ok;
    type Tuple: SerializeTuple<Ok = Self::Ok, Error = Error>;

    fn refuse<R>(self) -> Result<R> {
        Err(malformed("malformed extension: expected kind, code and content"))
    }
    fn integer(self, _: i64) -> Result<Self::Ok> {
        self.refuse()
    }
    fn text(self, _: &str) -> Result<Self::Ok> {
        self.refuse()
    }
    fn bytes(self, _: &[u8]) -> Result<Self::Ok> {
        self.refuse()
    }
    fn tuple(self) -> Result<Self::Tuple> {
        self.refuse()
    }
}

/// A serializer for one part.
pub(super) struct Only<P>(pub(super) P);

impl<P: Part> Serializer for Only<P> {
    type Ok = P::Ok;
    type Error = Error;
    type SerializeSeq = Impossible<P::Ok, Error>;
    type SerializeTuple = P::Tuple;
    type SerializeTupleStruct = Impossible<P::Ok, Error>;
    type SerializeTupleVariant = Impossible<P::Ok, Error>;
    type SerializeMap = Impossible<P::Ok, Error>;
    type SerializeStruct = Impossible<P::Ok, Error>;
    type SerializeStructVariant = Impossible<P::Ok, Error>;

    fn serialize_i8(self, value: i8) -> Result<P::Ok> {
        self.0.integer(value.into())
    }
    fn serialize_i16(self, value: i16) -> Result<P::Ok> {
        self.0.integer(value.into())
    }
    fn serialize_i32(self, value: i32) -> Result<P::Ok> {
        self.0.integer(value.into())
    }
    fn serialize_i64(self, value: i64) -> Result<P::Ok> {
        self.0.integer(value)
    }
    fn serialize_u8(self, value: u8) -> Result<P::Ok> {
        self.0.integer(value.into())
    }
    fn serialize_u16(self, value: u16) -> Result<P::Ok> {
        self.0.integer(value.into())
    }
    fn serialize_u32(self, value: u32) -> Result<P::Ok> {
        self.0.integer(value.into())
    }
    fn serialize_u64(self, value: u64) -> Result<P::Ok> {
        self.0.integer(value.cast_signed())
    }
    fn serialize_str(self, value: &str) -> Result<P::Ok> {
        self.0.text(value)
    }
    fn serialize_bytes(self, value: &[u8]) -> Result<P::Ok> {
        self.0.bytes(value)
    }
    fn serialize_tuple(self, _: usize) -> Result<P::Tuple> {
        self.0.tuple()
    }
    fn serialize_bool(self, _: bool) -> Result<P::Ok> {
        self.0.refuse()
    }
    fn serialize_f32(self, _: f32) -> Result<P::Ok> {
        self.0.refuse()
    }
    fn serialize_f64(self, _: f64) -> Result<P::Ok> {
        self.0.refuse()
    }
    fn serialize_char(self, _: char) -> Result<P::Ok> {
        self.0.refuse()
    }
    fn serialize_none(self) -> Result<P::Ok> {
        self.0.refuse()
    }
    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<P::Ok> {
        self.0.refuse()
    }
    fn serialize_unit(self) -> Result<P::Ok> {
        self.0.refuse()
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<P::Ok> {
        self.0.refuse()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<P::Ok> {
        self.0.refuse()
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: &T,
    ) -> Result<P::Ok> {
        self.0.refuse()
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<P::Ok> {
        self.0.refuse()
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        self.0.refuse()
    }
    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct> {
        self.0.refuse()
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        self.0.refuse()
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        self.0.refuse()
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct> {
        self.0.refuse()
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        self.0.refuse()
    }
}
