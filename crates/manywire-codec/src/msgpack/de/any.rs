//! Values that say themselves what they are.

use manywire_shape::extension::Kind;
use serde::de::Visitor;

use super::Deserializer;
use super::access::{Entries, Items};
use crate::core::extension::{self as core_extension, borrowed_bytes, seconds};
use crate::msgpack::extension::{self, TIMESTAMP};
use crate::msgpack::marker::*;
use crate::{Category, Error, Result};

impl<'de> Deserializer<'de> {
    /// Reads whatever the marker begins. Not inlined: typed values come here only when the bytes
    /// are not what they expect, and a copy in each of them would slow down the way they do take.
    #[inline(never)]
    pub(super) fn any<V: Visitor<'de>>(&mut self, marker: u8, visitor: V) -> Result<V::Value> {
        match marker {
            0..=FIXINT_MAX => visitor.visit_u8(marker),
            FIXMAP..=FIXMAP_MAX | MAP16 | MAP32 => self.nested_map(marker, visitor),
            FIXARRAY..=FIXARRAY_MAX | ARRAY16 | ARRAY32 => self.nested_array(marker, visitor),
            FIXSTR..=FIXSTR_MAX => {
                visitor.visit_borrowed_str(self.text(usize::from(marker & 0x1f))?)
            }
            STR8 => {
                let length = usize::from(self.u8()?);
                visitor.visit_borrowed_str(self.text(length)?)
            }
            STR16 => {
                let length = usize::from(self.u16()?);
                visitor.visit_borrowed_str(self.text(length)?)
            }
            STR32 => {
                let length = self.u32()? as usize;
                visitor.visit_borrowed_str(self.text(length)?)
            }
            NIL => visitor.visit_unit(),
            FALSE => visitor.visit_bool(false),
            TRUE => visitor.visit_bool(true),
            BIN8..=BIN32 => match self.bytes_length(marker)? {
                Some(length) => visitor.visit_borrowed_bytes(self.reader.take(length, "bytes")?),
                None => Err(self.never_used()),
            },
            F32 => visitor.visit_f32(f32::from_bits(self.u32()?)),
            F64 => visitor.visit_f64(f64::from_bits(self.u64()?)),
            U8 => visitor.visit_u8(self.u8()?),
            U16 => visitor.visit_u16(self.u16()?),
            U32 => visitor.visit_u32(self.u32()?),
            U64 => visitor.visit_u64(self.u64()?),
            I8 => visitor.visit_i8(self.u8()?.cast_signed()),
            I16 => visitor.visit_i16(self.u16()?.cast_signed()),
            I32 => visitor.visit_i32(self.u32()?.cast_signed()),
            I64 => visitor.visit_i64(self.u64()?.cast_signed()),
            NEGATIVE_FIXINT.. => visitor.visit_i8(marker.cast_signed()),
            EXT8..=EXT32 | FIXEXT1..=FIXEXT16 => self.extension(marker, visitor),
            NEVER_USED => Err(self.never_used()),
        }
    }

    // Out of line, so that reading a scalar does not set up what a container needs.
    #[inline(never)]
    fn nested_array<V: Visitor<'de>>(&mut self, marker: u8, visitor: V) -> Result<V::Value> {
        self.array(marker, visitor)
    }

    #[inline(never)]
    fn nested_map<V: Visitor<'de>>(&mut self, marker: u8, visitor: V) -> Result<V::Value> {
        self.map(marker, visitor)
    }

    /// Reads an array if the marker begins one, otherwise whatever it begins.
    #[inline]
    pub(super) fn array<V: Visitor<'de>>(&mut self, marker: u8, visitor: V) -> Result<V::Value> {
        let Some(length) = self.array_length(marker)? else { return self.any(marker, visitor) };
        self.enter()?;
        let mut items = Items::new(self, length);
        let value = visitor.visit_seq(&mut items)?;
        let left = items.left();
        self.leave();
        if left > 0 {
            return Err(self.surplus(length, left));
        }
        Ok(value)
    }

    /// Reads a map if the marker begins one, otherwise whatever it begins.
    #[inline]
    pub(super) fn map<V: Visitor<'de>>(&mut self, marker: u8, visitor: V) -> Result<V::Value> {
        let Some(length) = self.map_length(marker)? else { return self.any(marker, visitor) };
        self.enter()?;
        let mut entries = Entries::new(self, length);
        let value = visitor.visit_map(&mut entries)?;
        let left = entries.left();
        self.leave();
        if left > 0 {
            return Err(self.surplus(length, left));
        }
        Ok(value)
    }

    /// A visitor that was satisfied with fewer items than there are.
    #[cold]
    #[inline(never)]
    fn surplus(&self, length: usize, left: usize) -> Error {
        let taken = length - left;
        Error::at(
            Category::Data,
            self.reader.offset(),
            format_args!("expected {taken} items, found {length}"),
        )
    }

    #[cold]
    #[inline(never)]
    fn extension<V: Visitor<'de>>(&mut self, marker: u8, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset() - 1;
        let length = match marker {
            EXT8 => usize::from(self.u8()?),
            EXT16 => usize::from(self.u16()?),
            EXT32 => self.u32()? as usize,
            _ => 1 << (marker - FIXEXT1),
        };
        let code = self.reader.byte("the type of an extension")?.cast_signed();
        let content = self.reader.take(length, "an extension")?;
        if code != TIMESTAMP {
            let code = i64::from(code).cast_unsigned();
            return core_extension::visit(
                visitor,
                Kind::MessagePack,
                code,
                borrowed_bytes(content),
            );
        }
        let Some((whole, nanoseconds)) = extension::timestamp(content) else {
            return Err(Error::at(
                Category::Syntax,
                start,
                "a timestamp in none of its three forms",
            ));
        };
        core_extension::visit(visitor, Kind::Timestamp, nanoseconds.into(), seconds(whole))
    }
}
