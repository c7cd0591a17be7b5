//! Values that say themselves what they are.

use serde::de::Visitor;

use super::Deserializer;
use crate::Result;
use crate::cbor::float::f32_of_f16;
use crate::cbor::head::*;

impl<'de> Deserializer<'de> {
    /// Reads whatever comes next. Not inlined: typed values come here only when the bytes are not
    /// what they expect, and a copy in each of them would slow down the way they do take.
    #[inline(never)]
    pub(super) fn any<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let initial = self.initial()?;
        match initial >> 5 {
            UNSIGNED => visitor.visit_u64(self.argument(initial)?),
            NEGATIVE => {
                let argument = self.argument(initial)?;
                match i64::try_from(argument) {
                    Ok(argument) => visitor.visit_i64(!argument),
                    Err(_) => self.below_i64(argument, visitor),
                }
            }
            BYTES => self.bytes(initial, visitor),
            TEXT => self.text(initial, visitor),
            ARRAY => self.array(initial, visitor),
            MAP => self.map(initial, false, visitor),
            TAG => self.tagged(initial, visitor),
            _ => self.simple(initial, visitor),
        }
    }

    #[inline]
    fn simple<V: Visitor<'de>>(&mut self, initial: u8, visitor: V) -> Result<V::Value> {
        match initial {
            FALSE => visitor.visit_bool(false),
            TRUE => visitor.visit_bool(true),
            NULL => visitor.visit_unit(),
            F16 | F32 => visitor.visit_f32(self.single(initial)?),
            F64 => visitor.visit_f64(self.double()?),
            _ => self.simple_value(initial, visitor),
        }
    }

    /// A float of half or single precision, after its first byte.
    #[inline]
    pub(super) fn single(&mut self, initial: u8) -> Result<f32> {
        if initial == F16 {
            let bits = u16::from_be_bytes(self.reader.array("a float of 2 bytes")?);
            return Ok(f32_of_f16(bits));
        }
        let bits = u32::from_be_bytes(self.reader.array("a float of 4 bytes")?);
        Ok(f32::from_bits(bits))
    }

    /// A float of double precision, after its first byte.
    #[inline]
    pub(super) fn double(&mut self) -> Result<f64> {
        Ok(f64::from_bits(u64::from_be_bytes(self.reader.array("a float of 8 bytes")?)))
    }
}
