//! Reads scalars in the types of their fields.

use serde::de::{Deserializer, Visitor};

use super::FieldDeserializer;
use crate::protobuf::plan::FieldKind;
use crate::protobuf::wire::{ABSENT, unzigzag};
use crate::{Category, Result};

/// An integer in the type of its field.
pub(super) enum Integer {
    Signed(i64),
    Unsigned(u64),
}

impl<'de> FieldDeserializer<'_, 'de> {
    /// Checks whether a scalar is present. If it is absent, it has its default.
    #[inline]
    fn is_present(&self) -> Result<bool> {
        if self.wire == self.field.wire {
            return Ok(true);
        }
        self.is_absent()
    }

    #[cold]
    #[inline(never)]
    fn is_absent(&self) -> Result<bool> {
        match self.wire {
            ABSENT if self.is_null() => {
                Err(self.decoder.error(Category::Data, "expected a value, found null"))
            }
            ABSENT => Ok(false),
            wire => Err(self.decoder.unexpected_wire(self.field, wire)),
        }
    }

    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64> {
        if self.is_present()? { self.decoder.varint() } else { Ok(0) }
    }

    #[inline]
    pub(super) fn fixed32(&mut self) -> Result<[u8; 4]> {
        if self.is_present()? { self.decoder.fixed("four bytes") } else { Ok([0; 4]) }
    }

    #[inline]
    pub(super) fn fixed64(&mut self) -> Result<[u8; 8]> {
        if self.is_present()? { self.decoder.fixed("eight bytes") } else { Ok([0; 8]) }
    }

    #[inline]
    pub(super) fn str(&mut self) -> Result<&'de str> {
        if self.is_present()? { self.decoder.str() } else { Ok("") }
    }

    #[inline]
    pub(super) fn bytes(&mut self) -> Result<&'de [u8]> {
        if self.is_present()? { self.decoder.bytes() } else { Ok(&[]) }
    }

    /// Reads an integer, if the field holds one. A varint too long for a 32-bit field loses its
    /// upper bits, as the encoding's specification requires.
    #[inline]
    pub(super) fn integer(&mut self) -> Result<Option<Integer>> {
        Ok(Some(match self.field.kind {
            FieldKind::Int64 => Integer::Signed(self.varint()?.cast_signed()),
            FieldKind::Int32 => Integer::Signed((self.varint()? as u32).cast_signed().into()),
            FieldKind::Uint64 => Integer::Unsigned(self.varint()?),
            FieldKind::Uint32 => Integer::Unsigned((self.varint()? as u32).into()),
            FieldKind::Sint64 => Integer::Signed(unzigzag(self.varint()?)),
            FieldKind::Sint32 => Integer::Signed(unzigzag((self.varint()? as u32).into())),
            FieldKind::Fixed32 => Integer::Unsigned(u32::from_le_bytes(self.fixed32()?).into()),
            FieldKind::Fixed64 => Integer::Unsigned(u64::from_le_bytes(self.fixed64()?)),
            FieldKind::Sfixed32 => Integer::Signed(i32::from_le_bytes(self.fixed32()?).into()),
            FieldKind::Sfixed64 => Integer::Signed(i64::from_le_bytes(self.fixed64()?)),
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
                let message = format_args!("{text:?} is not an integer of 128 bits");
                Err(self.decoder.error(Category::Data, message))
            }
        }
    }

    /// Reads the name of an enum's value, or its number if it has no name and the enum is open.
    pub(super) fn enumerator(&mut self) -> Result<std::result::Result<&'de str, i32>> {
        let each = &self.decoder.plan.enums[self.field.target as usize];
        let number = match self.is_present()? {
            true => (self.decoder.varint()? as u32).cast_signed(),
            false => each.default_number(),
        };
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
