//! What serde calls for each type.

use manywire_shape::extension;
use serde::ser::{Serialize, Serializer};

use super::Place;
use super::integer::Integer;
use super::items::{Items, VariantItems};
use super::members::{MapMembers, Members, VariantMembers};
use crate::avro::plan::Op;
use crate::core::error::{Error, Result};
use crate::core::extension as triple;

impl Place<'_, '_> {
    #[inline]
    fn integer(self, value: Integer) -> Result<()> {
        self.writer.integer(self.plan, self.op, value)
    }
}

macro_rules! serialize_small {
    ($($method:ident $type:ty)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<()> {
            match self.op {
                Op::Int | Op::Long => {
                    self.writer.long(value.into());
                    Ok(())
                }
                _ => self.integer(Integer::Signed(value.into())),
            }
        }
    )*};
}

impl<'w, 'p> Serializer for Place<'w, 'p> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'w, 'p>;
    type SerializeTuple = Items<'w, 'p>;
    type SerializeTupleStruct = Items<'w, 'p>;
    type SerializeTupleVariant = VariantItems<'w, 'p>;
    type SerializeMap = MapMembers<'w, 'p>;
    type SerializeStruct = Members<'w, 'p>;
    type SerializeStructVariant = VariantMembers<'w, 'p>;

    serialize_small! {
        serialize_i8 i8 serialize_i16 i16 serialize_i32 i32 serialize_u8 u8 serialize_u16 u16
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        match self.op {
            Op::Long => {
                self.writer.long(value);
                Ok(())
            }
            _ => self.integer(Integer::Signed(value.into())),
        }
    }

    #[inline]
    fn serialize_u32(self, value: u32) -> Result<()> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => self.integer(Integer::Signed(value.into())),
        }
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        self.integer(Integer::Signed(value))
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.integer(Integer::from(value))
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        match self.op {
            Op::Boolean => {
                self.writer.byte(value.into());
                Ok(())
            }
            op => self.writer.boolean(self.plan, op, value),
        }
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        match self.op {
            Op::Float => {
                self.writer.bytes.extend_from_slice(&value.to_le_bytes());
                Ok(())
            }
            op => self.writer.single(self.plan, op, value),
        }
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        match self.op {
            Op::Double => {
                self.writer.bytes.extend_from_slice(&value.to_le_bytes());
                Ok(())
            }
            op => self.writer.double(self.plan, op, value),
        }
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        match self.op {
            Op::String => {
                self.writer.sized(value.as_bytes());
                Ok(())
            }
            op => self.writer.text(self.plan, op, value),
        }
    }

    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        match self.op {
            Op::Bytes => {
                self.writer.sized(value);
                Ok(())
            }
            op => self.writer.binary(self.plan, op, value),
        }
    }

    #[inline]
    fn serialize_none(self) -> Result<()> {
        match self.op {
            Op::Maybe(_) => {
                self.writer.byte(0);
                Ok(())
            }
            op => self.writer.null(self.plan, op),
        }
    }

    /// The value chooses the branch itself: an option within an option is the same union.
    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.writer.null(self.plan, self.op)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        _: &'static str,
        number: u32,
        name: &'static str,
    ) -> Result<()> {
        if let Op::Enum(index) = self.op
            && let Some(symbol) = self.plan.enums[index as usize].symbols.get(number as usize)
            && **symbol == *name
        {
            self.writer.index(number);
            return Ok(());
        }
        self.writer.text(self.plan, self.op, name)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        if name == extension::NAME {
            return triple::write(&mut Some(self), value);
        }
        value.serialize(self)
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        number: u32,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        let (place, in_map) = self.into_variant(name, number)?;
        let Place { writer, plan, op } = place;
        value.serialize(Place { writer, plan, op }).map_err(|error| error.under_key(name))?;
        if in_map {
            writer.byte(0);
        }
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq> {
        Items::open(self, len)
    }

    #[inline]
    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple> {
        Items::open(self, Some(len))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleStruct> {
        Items::open(self, Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        number: u32,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        let (place, in_map) = self.into_variant(name, number)?;
        Ok(VariantItems { items: Items::open(place, Some(len))?, name, in_map })
    }

    #[inline]
    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap> {
        Ok(MapMembers { members: Members::open(self, len)?, key: None })
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Self::SerializeStruct> {
        Members::open(self, Some(len))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        number: u32,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStructVariant> {
        let (place, in_map) = self.into_variant(name, number)?;
        Ok(VariantMembers { members: Members::open(place, Some(len))?, name, in_map })
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}
