//! A serializer for values of few types: keys of maps, names of variants, the parts of an extension.

use std::fmt::Display;

use manywire_shape::extension::NAME;
use serde::ser::{Impossible, Serialize, SerializeTuple, Serializer};

use super::forward::forward_serialize;
use super::variant::VariantName;

/// The types that a [`PartialSerializer`] accepts: an implementation overrides the method of each.
/// A value of any other type is rejected.
pub(crate) trait Accept: Sized {
    /// The result for an accepted value.
    type Ok;
    type Error: serde::ser::Error;
    /// Takes the items of a tuple; [`Impossible`] if tuples are rejected.
    type Tuple: SerializeTuple<Ok = Self::Ok, Error = Self::Error>;

    /// Returns the error for a value that is not accepted. `found` shows its type or the value
    /// itself.
    fn reject<R>(self, found: &dyn Display) -> Result<R, Self::Error>;

    fn signed(self, value: i64) -> Result<Self::Ok, Self::Error> {
        self.reject(&value)
    }
    fn unsigned(self, value: u64) -> Result<Self::Ok, Self::Error> {
        self.reject(&value)
    }
    /// Takes a string, a character or the name of a unit variant.
    fn text(self, text: &str) -> Result<Self::Ok, Self::Error> {
        self.reject(&format_args!("{text:?}"))
    }
    fn bytes(self, _: &[u8]) -> Result<Self::Ok, Self::Error> {
        self.reject(&"bytes")
    }
    fn some<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Ok, Self::Error> {
        value.serialize(PartialSerializer(self))
    }
    fn tuple(self) -> Result<Self::Tuple, Self::Error> {
        self.reject(&"an array")
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Serializes a value of an accepted type.
pub(crate) struct PartialSerializer<A>(pub(crate) A);

impl<A: Accept> Serializer for PartialSerializer<A> {
    type Ok = A::Ok;
    type Error = A::Error;
    type SerializeSeq = Impossible<A::Ok, A::Error>;
    type SerializeTuple = A::Tuple;
    type SerializeTupleStruct = Impossible<A::Ok, A::Error>;
    type SerializeTupleVariant = Impossible<A::Ok, A::Error>;
    type SerializeMap = Impossible<A::Ok, A::Error>;
    type SerializeStruct = Impossible<A::Ok, A::Error>;
    type SerializeStructVariant = Impossible<A::Ok, A::Error>;

    forward_serialize! {
        serialize_i8 serialize_i16 serialize_i32 => serialize_i64;
        serialize_u8 serialize_u16 serialize_u32 => serialize_u64;
        serialize_char serialize_unit_variant => serialize_str;
        serialize_none serialize_unit_struct => serialize_unit;
        serialize_tuple_struct => serialize_seq;
        serialize_struct => serialize_map;
        serialize_tuple_variant serialize_struct_variant => compound_variant;
    }

    #[inline]
    fn serialize_str(self, text: &str) -> Result<A::Ok, A::Error> {
        self.0.text(text)
    }
    fn serialize_i64(self, value: i64) -> Result<A::Ok, A::Error> {
        self.0.signed(value)
    }
    fn serialize_u64(self, value: u64) -> Result<A::Ok, A::Error> {
        self.0.unsigned(value)
    }
    fn serialize_bytes(self, value: &[u8]) -> Result<A::Ok, A::Error> {
        self.0.bytes(value)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<A::Ok, A::Error> {
        self.0.some(value)
    }
    /// Serializes the content of the newtype. An extension is rejected, although other serializers
    /// may write it as text.
    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<A::Ok, A::Error> {
        if name == NAME { self.0.reject(&"an extension") } else { value.serialize(self) }
    }
    fn serialize_tuple(self, _: usize) -> Result<A::Tuple, A::Error> {
        self.0.tuple()
    }
    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }

    // All other types are rejected.

    fn serialize_bool(self, value: bool) -> Result<A::Ok, A::Error> {
        self.0.reject(&value)
    }
    fn serialize_i128(self, value: i128) -> Result<A::Ok, A::Error> {
        self.0.reject(&value)
    }
    fn serialize_u128(self, value: u128) -> Result<A::Ok, A::Error> {
        self.0.reject(&value)
    }
    fn serialize_f32(self, value: f32) -> Result<A::Ok, A::Error> {
        self.0.reject(&value)
    }
    fn serialize_f64(self, value: f64) -> Result<A::Ok, A::Error> {
        self.0.reject(&value)
    }
    fn serialize_unit(self) -> Result<A::Ok, A::Error> {
        self.0.reject(&"null")
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<A::Ok, A::Error> {
        self.0.reject(&"a map")
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, A::Error> {
        self.0.reject(&"an array")
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, A::Error> {
        self.0.reject(&"a map")
    }
}

impl<A: Accept> PartialSerializer<A> {
    fn compound_variant(
        self,
        _: VariantName,
        _: usize,
    ) -> Result<Impossible<A::Ok, A::Error>, A::Error> {
        self.0.reject(&"a map")
    }
}
