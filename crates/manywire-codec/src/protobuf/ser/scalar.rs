//! Scalars in places that are plainly their own: a look at the kind of the field, and the bytes.

use super::super::plan::{Field, Kind};
use super::super::wire::zigzag;
use super::conversion::Scalar;
use super::writer::Writer;
use crate::Result;

/// The way to [`Writer::scalar`], out of line: the usual way then needs no room on the stack.
macro_rules! elsewhere {
    ($($method:ident($value:ident: $type:ty) $scalar:expr;)*) => {$(
        #[inline(never)]
        fn $method(&mut self, field: &'p Field, $value: $type) -> Result<()> {
            self.scalar(field, $scalar)
        }
    )*};
}

impl<'p> Writer<'p> {
    #[inline]
    pub(super) fn bool(&mut self, field: &'p Field, value: bool) -> Result<()> {
        if field.kind != Kind::Bool {
            return self.bool_elsewhere(field, value);
        }
        if value || !field.omit_zero {
            self.varint(field, value.into());
        }
        Ok(())
    }

    #[inline]
    pub(super) fn signed(&mut self, field: &'p Field, value: i64) -> Result<()> {
        let varint = match field.kind {
            Kind::Int64 => value.cast_unsigned(),
            Kind::Int32 if i32::try_from(value).is_ok() => value.cast_unsigned(),
            Kind::Sint64 => zigzag(value),
            Kind::Sint32 if i32::try_from(value).is_ok() => zigzag(value),
            Kind::Uint64 if value >= 0 => value.cast_unsigned(),
            Kind::Uint32 if u32::try_from(value).is_ok() => value.cast_unsigned(),
            _ => return self.signed_elsewhere(field, value),
        };
        if value != 0 || !field.omit_zero {
            self.varint(field, varint);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn unsigned(&mut self, field: &'p Field, value: u64) -> Result<()> {
        match field.kind {
            Kind::Uint64 => {}
            Kind::Uint32 if u32::try_from(value).is_ok() => {}
            _ => return self.unsigned_elsewhere(field, value),
        }
        if value != 0 || !field.omit_zero {
            self.varint(field, value);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn f32(&mut self, field: &'p Field, value: f32) -> Result<()> {
        if field.kind != Kind::Float {
            return self.f32_elsewhere(field, value);
        }
        // Negative zero is not zero: it is written.
        if value.to_bits() != 0 || !field.omit_zero {
            self.fixed32(field, value.to_le_bytes());
        }
        Ok(())
    }

    #[inline]
    pub(super) fn f64(&mut self, field: &'p Field, value: f64) -> Result<()> {
        if field.kind != Kind::Double {
            return self.f64_elsewhere(field, value);
        }
        if value.to_bits() != 0 || !field.omit_zero {
            self.fixed64(field, value.to_le_bytes());
        }
        Ok(())
    }

    #[inline]
    pub(super) fn str(&mut self, field: &'p Field, text: &str) -> Result<()> {
        if field.kind != Kind::String {
            return self.str_elsewhere(field, text);
        }
        if !text.is_empty() || !field.omit_zero {
            self.bytes(field, text.as_bytes());
        }
        Ok(())
    }

    #[inline]
    pub(super) fn blob(&mut self, field: &'p Field, bytes: &[u8]) -> Result<()> {
        if field.kind != Kind::Bytes {
            return self.blob_elsewhere(field, bytes);
        }
        if !bytes.is_empty() || !field.omit_zero {
            self.bytes(field, bytes);
        }
        Ok(())
    }

    elsewhere! {
        bool_elsewhere(value: bool) Scalar::Bool(value);
        signed_elsewhere(value: i64) Scalar::Int(value.into());
        unsigned_elsewhere(value: u64) Scalar::Int(value.into());
        f32_elsewhere(value: f32) Scalar::F32(value);
        f64_elsewhere(value: f64) Scalar::F64(value);
        str_elsewhere(text: &str) Scalar::Str(text);
        blob_elsewhere(bytes: &[u8]) Scalar::Bytes(bytes);
    }
}
