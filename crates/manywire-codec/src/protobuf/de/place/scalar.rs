//! Scalars as their fields have them.

use serde::de::{Deserializer, Visitor};

use super::FieldDeserializer;
use crate::protobuf::plan::Kind;
use crate::protobuf::wire::unzigzag;
use crate::{Category, Result};

/// An integer as its field has it.
pub(super) enum Integer {
    Signed(i64),
    Unsigned(u64),
}

impl<'de> FieldDeserializer<'_, 'de> {
    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64> {
        if self.is_there()? { self.decoder.varint() } else { Ok(0) }
    }

    #[inline]
    pub(super) fn fixed32(&mut self) -> Result<[u8; 4]> {
        if self.is_there()? { self.decoder.fixed("four bytes") } else { Ok([0; 4]) }
    }

    #[inline]
    pub(super) fn fixed64(&mut self) -> Result<[u8; 8]> {
        if self.is_there()? { self.decoder.fixed("eight bytes") } else { Ok([0; 8]) }
    }

    #[inline]
    pub(super) fn str(&mut self) -> Result<&'de str> {
        if self.is_there()? { self.decoder.str() } else { Ok("") }
    }

    #[inline]
    pub(super) fn bytes(&mut self) -> Result<&'de [u8]> {
        if self.is_there()? { self.decoder.bytes() } else { Ok(&[]) }
    }

    /// An integer, if the field holds one. Of a varint that is too long for a 32-bit field the
    /// upper bits are dropped, as the encoding's specification asks.
    #[inline]
    pub(super) fn integer(&mut self) -> Result<Option<Integer>> {
        Ok(Some(match self.field.kind {
            Kind::Int64 => Integer::Signed(self.varint()?.cast_signed()),
            Kind::Int32 => Integer::Signed((self.varint()? as u32).cast_signed().into()),
            Kind::Uint64 => Integer::Unsigned(self.varint()?),
            Kind::Uint32 => Integer::Unsigned((self.varint()? as u32).into()),
            Kind::Sint64 => Integer::Signed(unzigzag(self.varint()?)),
            Kind::Sint32 => Integer::Signed(unzigzag((self.varint()? as u32).into())),
            Kind::Fixed32 => Integer::Unsigned(u32::from_le_bytes(self.fixed32()?).into()),
            Kind::Fixed64 => Integer::Unsigned(u64::from_le_bytes(self.fixed64()?)),
            Kind::Sfixed32 => Integer::Signed(i32::from_le_bytes(self.fixed32()?).into()),
            Kind::Sfixed64 => Integer::Signed(i64::from_le_bytes(self.fixed64()?)),
            _ => return Ok(None),
        }))
    }

    #[inline]
    pub(super) fn deserialize_integer<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.integer()? {
            Some(Integer::Signed(value)) => visitor.visit_i64(value),
            Some(Integer::Unsigned(value)) => visitor.visit_u64(value),
            None => self.deserialize_any(visitor),
        }
    }

    pub(super) fn deserialize_big<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let text = match self.str()? {
            "" => "0",
            text => text,
        };
        if let Ok(value) = text.parse::<i64>() {
            return visitor.visit_i64(value);
        }
        if let Ok(value) = text.parse::<u64>() {
            return visitor.visit_u64(value);
        }
        if let Ok(value) = text.parse::<i128>() {
            return visitor.visit_i128(value);
        }
        match text.parse::<u128>() {
            Ok(value) => visitor.visit_u128(value),
            Err(_) => {
                let message = format_args!("{text:?} is no integer of 128 bits");
                Err(self.decoder.error(Category::Data, message))
            }
        }
    }

    /// The name of an enum's value, or the number where it has none.
    pub(super) fn enumerator(&mut self) -> Result<std::result::Result<&'de str, i32>> {
        let number = (self.varint()? as u32).cast_signed();
        let each = &self.decoder.plan.enums[self.field.target as usize];
        match each.name_of(number) {
            Some(name) => Ok(Ok(name)),
            None if each.open => Ok(Err(number)),
            None => {
                let message = format_args!("{} has no value {number}", each.name);
                Err(self.decoder.error(Category::Data, message))
            }
        }
    }
}
