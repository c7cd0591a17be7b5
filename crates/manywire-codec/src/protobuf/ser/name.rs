//! Names: keys of records and names of variants, which must be text.

use serde::ser::{Impossible, Serialize, Serializer};

use super::mismatch::unsuitable;
use crate::{Error, Result};

/// Lends the name that a key serializes to.
pub(super) fn with_name<T, F>(key: &T, take: F) -> Result<()>
where
    T: Serialize + ?Sized,
    F: FnOnce(&str) -> Result<()>,
{
    key.serialize(NameSerializer(take))
}

struct NameSerializer<F>(F);

macro_rules! refuse {
    ($($method:ident($type:ty);)*) => {$(
        fn $method(self, _: $type) -> Result<()> {
            refused()
        }
    )*};
}

#[cold]
#[inline(never)]
fn refused<T>() -> Result<T> {
    Err(unsuitable("expected a name, found another kind of value"))
}

impl<F: FnOnce(&str) -> Result<()>> Serializer for NameSerializer<F> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Impossible<(), Error>;
    type SerializeTuple = Impossible<(), Error>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Impossible<(), Error>;
    type SerializeStruct = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    #[inline]
    fn serialize_str(self, name: &str) -> Result<()> {
        (self.0)(name)
    }
    fn serialize_char(self, name: char) -> Result<()> {
        (self.0)(name.encode_utf8(&mut [0; 4]))
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<()> {
        (self.0)(name)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    refuse! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_i128(i128);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_u128(u128);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_bytes(&[u8]);
        serialize_unit_struct(&'static str);
    }
    fn serialize_none(self) -> Result<()> {
        refused()
    }
    fn serialize_unit(self) -> Result<()> {
        refused()
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<()> {
        refused()
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        refused()
    }
    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple> {
        refused()
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeSeq> {
        refused()
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        refused()
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        refused()
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct> {
        refused()
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        refused()
    }
}
