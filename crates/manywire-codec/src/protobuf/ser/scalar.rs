//! Writes scalars: in fields of the same type, and in any other field that can represent them.

use std::fmt;

use super::{OpenLengths, Writer, mismatch, out_of_range, unknown_variant};
use crate::core::float::narrow_to_f32;
use crate::protobuf::plan::{Field, FieldKind, Form, UnionBranches};
use crate::protobuf::wire::zigzag;
use crate::{Error, Result};

// Scalars in any field: through the messages around it, and converted to another type if that is
// lossless.

/// A scalar whose field may have another type.
#[derive(Clone, Copy)]
pub(super) enum Scalar<'a> {
    Null,
    /// The `None` of an option. It differs from null in an option that can only be null.
    None,
    Bool(bool),
    Int(i128),
    Uint128(u128),
    F32(f32),
    F64(f64),
    Str(&'a str),
    Bytes(&'a [u8]),
    Timestamp {
        seconds: i64,
        nanoseconds: u32,
    },
    Number(&'a str),
}

/// The maximum length, in characters, of text and numbers in an error.
const SHOWN_CHARS_MAX: usize = 32;

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Null | Scalar::None => f.write_str("null"),
            Scalar::Bool(value) => write!(f, "{value}"),
            Scalar::Int(value) => write!(f, "the integer {value}"),
            Scalar::Uint128(value) => write!(f, "the integer {value}"),
            // 1e300 has an exponent here, and 300 zeros without the question mark.
            Scalar::F32(value) => write!(f, "the 32-bit float {value:?}"),
            Scalar::F64(value) => write!(f, "the float {value:?}"),
            Scalar::Str(text) => match text.char_indices().nth(SHOWN_CHARS_MAX) {
                None => write!(f, "the string {text:?}"),
                Some((end, _)) => write!(f, "the string {:?}…", &text[..end]),
            },
            Scalar::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Scalar::Timestamp { .. } => f.write_str("a timestamp"),
            Scalar::Number(text) => match text.char_indices().nth(SHOWN_CHARS_MAX) {
                None => write!(f, "the number {text}"),
                Some((end, _)) => write!(f, "the number {}…", &text[..end]),
            },
        }
    }
}

impl<'p> Writer<'p> {
    /// Writes any scalar into any field: through the messages around it, and converted to another
    /// type if that is lossless.
    #[inline(never)]
    pub(super) fn scalar(&mut self, field: &'p Field, scalar: Scalar<'_>) -> Result<()> {
        match (field.kind, scalar) {
            // A field that can only be null is written, since readers that know only the schema
            // would take it for absent.
            (_, Scalar::Null) if field.nullable && !self.is_null(field) => Ok(()),
            (_, Scalar::None) if field.nullable => Ok(()),
            (FieldKind::Bool, Scalar::Bool(value)) => self.bool(field, value),
            (FieldKind::Double, Scalar::F32(value)) => self.f64(field, value.into()),
            (FieldKind::Double, Scalar::F64(value)) => self.f64(field, value),
            (FieldKind::Float, Scalar::F32(value)) => self.f32(field, value),
            (FieldKind::Float, Scalar::F64(value)) if let Some(narrow) = narrow_to_f32(value) => {
                self.f32(field, narrow)
            }
            (FieldKind::Double, Scalar::Int(value)) if value as f64 as i128 == value => {
                self.f64(field, value as f64)
            }
            (FieldKind::Float, Scalar::Int(value)) if value as f32 as i128 == value => {
                self.f32(field, value as f32)
            }
            (FieldKind::BigInt, Scalar::Int(value)) => self.big_integer(field, value, value == 0),
            (FieldKind::BigInt, Scalar::Uint128(value)) => self.big_integer(field, value, false),
            (FieldKind::BigInt, Scalar::Number(text))
                if text.parse::<i128>().is_ok() || text.parse::<u128>().is_ok() =>
            {
                self.bytes(field, text.as_bytes());
                Ok(())
            }
            (FieldKind::Number, Scalar::Number(text)) => {
                self.bytes(field, text.as_bytes());
                Ok(())
            }
            (FieldKind::String, Scalar::Str(text)) => self.str(field, text),
            (FieldKind::Bytes, Scalar::Bytes(bytes)) => self.byte_string(field, bytes),
            (FieldKind::Enum, Scalar::Str(name)) => self.enumerator(field, name, 0),
            (FieldKind::Enum, Scalar::Int(number)) => self.open_enumerator(field, number),
            (FieldKind::Message, _) => self.scalar_in_message(field, scalar),
            (_, Scalar::Int(value)) => self.integer(field, value),
            _ => Err(mismatch(field, self.plan, scalar)),
        }
    }

    /// Writes an integer, in any of the types that can represent it.
    fn integer(&mut self, field: &'p Field, value: i128) -> Result<()> {
        let omit = value == 0 && field.omit_zero;
        match field.kind {
            FieldKind::Int64 | FieldKind::Sint64 => self.signed(field, fit(field, value)?)?,
            FieldKind::Int32 | FieldKind::Sint32 => {
                self.signed(field, fit::<i32>(field, value)?.into())?;
            }
            FieldKind::Uint64 => self.unsigned(field, fit(field, value)?)?,
            FieldKind::Uint32 => self.unsigned(field, fit::<u32>(field, value)?.into())?,
            FieldKind::Fixed64 => {
                let value = fit::<u64>(field, value)?;
                (!omit).then(|| self.fixed64(field, value.to_le_bytes()));
            }
            FieldKind::Sfixed64 => {
                let value = fit::<i64>(field, value)?;
                (!omit).then(|| self.fixed64(field, value.to_le_bytes()));
            }
            FieldKind::Fixed32 => {
                let value = fit::<u32>(field, value)?;
                (!omit).then(|| self.fixed32(field, value.to_le_bytes()));
            }
            FieldKind::Sfixed32 => {
                let value = fit::<i32>(field, value)?;
                (!omit).then(|| self.fixed32(field, value.to_le_bytes()));
            }
            _ => return Err(mismatch(field, self.plan, Scalar::Int(value))),
        }
        Ok(())
    }

    fn big_integer(
        &mut self,
        field: &'p Field,
        value: impl fmt::Display,
        is_zero: bool,
    ) -> Result<()> {
        if !(is_zero && field.omit_zero) {
            self.bytes(field, value.to_string().as_bytes());
        }
        Ok(())
    }

    /// Writes a value of an enum by its name, which is usually at `index`.
    #[inline]
    pub(super) fn enumerator(&mut self, field: &'p Field, name: &str, index: usize) -> Result<()> {
        let each = &self.plan.enums[field.target as usize];
        match each.number_of(name, index) {
            Some(0) if field.omit_zero => Ok(()),
            // Negative numbers take ten bytes, like an int32.
            Some(number) => {
                self.varint(field, i64::from(number).cast_unsigned());
                Ok(())
            }
            None => Err(Error::unsupported(format_args!("{} has no value {name:?}", each.name))),
        }
    }

    fn open_enumerator(&mut self, field: &'p Field, number: i128) -> Result<()> {
        let each = &self.plan.enums[field.target as usize];
        match i32::try_from(number) {
            Ok(0) if field.omit_zero && each.open => Ok(()),
            Ok(number) if each.open => {
                self.varint(field, i64::from(number).cast_unsigned());
                Ok(())
            }
            _ => Err(Error::unsupported(format_args!("{} has no value {number}", each.name))),
        }
    }

    fn scalar_in_message(&mut self, field: &'p Field, scalar: Scalar<'_>) -> Result<()> {
        let message = self.plan.message(field);
        let mut open = OpenLengths::NONE;
        match (&message.form, scalar) {
            (Form::Wrapper, _) => {
                self.open(field, &mut open);
                self.scalar(&message.fields[0], scalar)?;
            }
            (Form::Union(branches), _) => {
                let branch =
                    branch(branches, scalar).ok_or_else(|| mismatch(field, self.plan, scalar))?;
                self.open(field, &mut open);
                self.scalar(&message.fields[usize::from(branch)], scalar)?;
            }
            (Form::Null, Scalar::Null | Scalar::None) => self.open(field, &mut open),
            (Form::Timestamp, Scalar::Timestamp { seconds, nanoseconds }) => {
                self.open(field, &mut open);
                self.scalar(&message.fields[0], Scalar::Int(seconds.into()))?;
                self.scalar(&message.fields[1], Scalar::Int(nanoseconds.into()))?;
            }
            (Form::External, Scalar::Str(name)) => {
                let variant = message
                    .named(name, 0)
                    .map(|index| &message.fields[index])
                    .filter(|variant| self.is_null(variant))
                    .ok_or_else(|| unknown_variant(&message.name, name))?;
                self.open(field, &mut open);
                self.scalar(variant, Scalar::Null)?;
            }
            _ => return Err(mismatch(field, self.plan, scalar)),
        }
        self.close(open);
        Ok(())
    }

    /// Checks whether a field has no content, as for a variant without content.
    #[inline]
    pub(super) fn is_null(&self, field: &Field) -> bool {
        field.kind == FieldKind::Message && self.plan.message(field).form == Form::Null
    }
}

/// Converts an integer to the type of a field.
fn fit<T: TryFrom<i128>>(field: &Field, value: i128) -> Result<T> {
    T::try_from(value).map_err(|_| out_of_range(field, value))
}

/// Returns the branch of a union for a scalar: the branch of the same type, or of a type that
/// represents the scalar without loss.
fn branch(branches: &UnionBranches, scalar: Scalar<'_>) -> Option<u16> {
    match scalar {
        Scalar::Null | Scalar::None => branches.null,
        Scalar::Bool(_) => branches.bool,
        Scalar::Int(value) => {
            let signed = i64::try_from(value).is_ok().then_some(branches.signed).flatten();
            let unsigned = u64::try_from(value).is_ok().then_some(branches.unsigned).flatten();
            signed.or(unsigned).or(branches.big).or(branches.double).or(branches.float)
        }
        Scalar::Uint128(_) => branches.big,
        Scalar::F32(_) => branches.float.or(branches.double),
        Scalar::F64(_) => branches.double.or(branches.float),
        Scalar::Str(_) => branches.text.or(branches.variants),
        Scalar::Bytes(_) => branches.bytes,
        Scalar::Timestamp { .. } => branches.timestamp,
        Scalar::Number(_) => branches.number.or(branches.big),
    }
}

// Scalars in fields of the same type: one check of the field's type, and the bytes.

/// Calls [`Writer::scalar`] out of line, so that the hot path needs no stack space.
macro_rules! out_of_line {
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
        if field.kind != FieldKind::Bool {
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
            FieldKind::Int64 => value.cast_unsigned(),
            FieldKind::Int32 if i32::try_from(value).is_ok() => value.cast_unsigned(),
            FieldKind::Sint64 => zigzag(value),
            FieldKind::Sint32 if i32::try_from(value).is_ok() => zigzag(value),
            FieldKind::Uint64 if value >= 0 => value.cast_unsigned(),
            FieldKind::Uint32 if u32::try_from(value).is_ok() => value.cast_unsigned(),
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
            FieldKind::Uint64 => {}
            FieldKind::Uint32 if u32::try_from(value).is_ok() => {}
            _ => return self.unsigned_elsewhere(field, value),
        }
        if value != 0 || !field.omit_zero {
            self.varint(field, value);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn f32(&mut self, field: &'p Field, value: f32) -> Result<()> {
        if field.kind != FieldKind::Float {
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
        if field.kind != FieldKind::Double {
            return self.f64_elsewhere(field, value);
        }
        if value.to_bits() != 0 || !field.omit_zero {
            self.fixed64(field, value.to_le_bytes());
        }
        Ok(())
    }

    #[inline]
    pub(super) fn str(&mut self, field: &'p Field, text: &str) -> Result<()> {
        if field.kind != FieldKind::String {
            return self.str_elsewhere(field, text);
        }
        if !text.is_empty() || !field.omit_zero {
            self.bytes(field, text.as_bytes());
        }
        Ok(())
    }

    #[inline]
    pub(super) fn byte_string(&mut self, field: &'p Field, bytes: &[u8]) -> Result<()> {
        if field.kind != FieldKind::Bytes {
            return self.blob_elsewhere(field, bytes);
        }
        if !bytes.is_empty() || !field.omit_zero {
            self.bytes(field, bytes);
        }
        Ok(())
    }

    out_of_line! {
        bool_elsewhere(value: bool) Scalar::Bool(value);
        signed_elsewhere(value: i64) Scalar::Int(value.into());
        unsigned_elsewhere(value: u64) Scalar::Int(value.into());
        f32_elsewhere(value: f32) Scalar::F32(value);
        f64_elsewhere(value: f64) Scalar::F64(value);
        str_elsewhere(text: &str) Scalar::Str(text);
        blob_elsewhere(bytes: &[u8]) Scalar::Bytes(bytes);
    }
}
