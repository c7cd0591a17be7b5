//! Scalars in any place: through the messages around it, and into another type where that loses
//! nothing.

use std::fmt;

use super::super::plan::{Branches, Field, Form, Kind};
use super::mismatch::{mismatch, out_of_range, unknown_variant, unsuitable};
use super::writer::{Open, Writer};
use crate::Result;
use crate::core::float::narrowed;

/// A scalar on its way to a place that is not plainly its own.
#[derive(Clone, Copy)]
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    Int(i128),
    Uint128(u128),
    F32(f32),
    F64(f64),
    Str(&'a str),
    Bytes(&'a [u8]),
    Timestamp { seconds: i64, nanoseconds: u32 },
    Number(&'a str),
}

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Null => f.write_str("null"),
            Scalar::Bool(value) => write!(f, "{value}"),
            Scalar::Int(value) => write!(f, "the integer {value}"),
            Scalar::Uint128(value) => write!(f, "the integer {value}"),
            Scalar::F32(value) => write!(f, "the 32-bit float {value}"),
            Scalar::F64(value) => write!(f, "the float {value}"),
            Scalar::Str(text) => match text.char_indices().nth(32) {
                None => write!(f, "the string {text:?}"),
                Some((end, _)) => write!(f, "the string {:?}…", &text[..end]),
            },
            Scalar::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Scalar::Timestamp { .. } => f.write_str("a timestamp"),
            Scalar::Number(text) => write!(f, "the number {text}"),
        }
    }
}

impl<'p> Writer<'p> {
    /// Any scalar in any place: through the messages around it, and into another type where that
    /// loses nothing.
    #[inline(never)]
    pub(super) fn scalar(&mut self, field: &'p Field, scalar: Scalar<'_>) -> Result<()> {
        match (field.kind, scalar) {
            (_, Scalar::Null) if field.nullable => Ok(()),
            (Kind::Bool, Scalar::Bool(value)) => self.bool(field, value),
            (Kind::Double, Scalar::F32(value)) => self.f64(field, value.into()),
            (Kind::Double, Scalar::F64(value)) => self.f64(field, value),
            (Kind::Float, Scalar::F32(value)) => self.f32(field, value),
            (Kind::Float, Scalar::F64(value)) if let Some(narrow) = narrowed(value) => {
                self.f32(field, narrow)
            }
            (Kind::Double, Scalar::Int(value)) if value as f64 as i128 == value => {
                self.f64(field, value as f64)
            }
            (Kind::Float, Scalar::Int(value)) if value as f32 as i128 == value => {
                self.f32(field, value as f32)
            }
            (Kind::BigInt, Scalar::Int(value)) => self.big(field, value, value == 0),
            (Kind::BigInt, Scalar::Uint128(value)) => self.big(field, value, false),
            (Kind::BigInt, Scalar::Number(text))
                if text.parse::<i128>().is_ok() || text.parse::<u128>().is_ok() =>
            {
                self.bytes(field, text.as_bytes());
                Ok(())
            }
            (Kind::Number, Scalar::Number(text)) => {
                self.bytes(field, text.as_bytes());
                Ok(())
            }
            (Kind::String, Scalar::Str(text)) => self.str(field, text),
            (Kind::Bytes, Scalar::Bytes(bytes)) => self.blob(field, bytes),
            (Kind::Enum, Scalar::Str(name)) => self.enumerator(field, name, 0),
            (Kind::Enum, Scalar::Int(number)) => self.open_enumerator(field, number),
            (Kind::Message, _) => self.scalar_in_message(field, scalar),
            (_, Scalar::Int(value)) => self.integer(field, value),
            _ => Err(mismatch(field, self.plan, scalar)),
        }
    }

    /// An integer, in any of the layouts that hold it.
    fn integer(&mut self, field: &'p Field, value: i128) -> Result<()> {
        let does_not_fit = || out_of_range(field, value);
        let (signed, unsigned) = (i64::try_from(value), u64::try_from(value));
        let (signed32, unsigned32) = (i32::try_from(value), u32::try_from(value));
        let omit = value == 0 && field.omit_zero;
        match field.kind {
            Kind::Int64 => {
                let value = signed.map_err(|_| does_not_fit())?;
                return self.signed(field, value);
            }
            Kind::Int32 => {
                let value = signed32.map_err(|_| does_not_fit())?;
                return self.signed(field, value.into());
            }
            Kind::Uint64 => {
                let value = unsigned.map_err(|_| does_not_fit())?;
                return self.unsigned(field, value);
            }
            Kind::Uint32 => {
                let value = unsigned32.map_err(|_| does_not_fit())?;
                return self.unsigned(field, value.into());
            }
            Kind::Sint64 => {
                let value = signed.map_err(|_| does_not_fit())?;
                return self.signed(field, value);
            }
            Kind::Sint32 => {
                let value = signed32.map_err(|_| does_not_fit())?;
                return self.signed(field, value.into());
            }
            Kind::Fixed64 => {
                let value = unsigned.map_err(|_| does_not_fit())?;
                (!omit).then(|| self.fixed64(field, value.to_le_bytes()));
            }
            Kind::Sfixed64 => {
                let value = signed.map_err(|_| does_not_fit())?;
                (!omit).then(|| self.fixed64(field, value.to_le_bytes()));
            }
            Kind::Fixed32 => {
                let value = unsigned32.map_err(|_| does_not_fit())?;
                (!omit).then(|| self.fixed32(field, value.to_le_bytes()));
            }
            Kind::Sfixed32 => {
                let value = signed32.map_err(|_| does_not_fit())?;
                (!omit).then(|| self.fixed32(field, value.to_le_bytes()));
            }
            _ => return Err(mismatch(field, self.plan, Scalar::Int(value))),
        }
        Ok(())
    }

    fn big(&mut self, field: &'p Field, value: impl fmt::Display, is_zero: bool) -> Result<()> {
        if !(is_zero && field.omit_zero) {
            self.bytes(field, value.to_string().as_bytes());
        }
        Ok(())
    }

    /// A value of an enum by its name, which is most often at this index.
    #[inline]
    pub(super) fn enumerator(&mut self, field: &'p Field, name: &str, index: usize) -> Result<()> {
        let each = &self.plan.enums[field.target as usize];
        match each.number_of(name, index) {
            Some(0) if field.omit_zero => Ok(()),
            // Negative numbers take ten bytes, as an int32 does.
            Some(number) => {
                self.varint(field, i64::from(number).cast_unsigned());
                Ok(())
            }
            None => Err(unsuitable(format_args!("{} has no value {name:?}", each.name))),
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
            _ => Err(unsuitable(format_args!("{} has no value {number}", each.name))),
        }
    }

    fn scalar_in_message(&mut self, field: &'p Field, scalar: Scalar<'_>) -> Result<()> {
        let message = self.plan.message(field);
        let mut open = Open::NONE;
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
            (Form::Null, Scalar::Null) => self.open(field, &mut open),
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

    /// Whether a field holds nothing: a variant that carries nothing.
    #[inline]
    pub(super) fn is_null(&self, field: &Field) -> bool {
        field.kind == Kind::Message && self.plan.message(field).form == Form::Null
    }
}

/// The branch of a union that takes a scalar: its own kind's, or one that loses nothing.
fn branch(branches: &Branches, scalar: Scalar<'_>) -> Option<u16> {
    match scalar {
        Scalar::Null => branches.null,
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
