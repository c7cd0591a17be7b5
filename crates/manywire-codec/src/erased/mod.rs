//! Reads a type from any format by code that is compiled once, not once for each format.
//!
//! Serde's derived code for a type and its visitors is generic over the deserializer, and a codec's
//! code is generic over the visitors: with six formats, all of this code is compiled six times.
//! Here a format and a value meet through trait objects instead. The type sees one deserializer,
//! `ValueDeserializer`, and a format sees one seed, [`Seed`].
//!
//! ```text
//! T::deserialize → ValueDeserializer ─ dyn ErasedDeserializer → D, a format's own deserializer
//!    T's visitor ← Slot<V> ← dyn ErasedVisitor ─ FormatVisitor ←
//! ```
//!
//! Values and errors are the same as without erasure. Each value and each step costs a call that
//! cannot be inlined, so performance-critical types read straight from their format.

mod format;

use std::fmt;

use serde::de;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Expected, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};

use crate::core::error::{Category, Error, Result, invalid_type};

/// The seed that a format reads. It stores the value where [`read`] finds it.
pub struct Seed<'s, 'de>(&'s mut dyn ErasedSeed<'de>);

/// Reads a value with `seed`. `from` is a function that reads one value of some format with the
/// [`Seed`] it receives.
///
/// ```
/// # fn main() -> manywire_codec::Result<()> {
/// use std::marker::PhantomData;
/// use manywire_codec::{Limits, erased, msgpack};
///
/// let bytes = [0x93, 1, 2, 3];
/// let numbers = erased::read(PhantomData::<Vec<u8>>, |seed| {
///     msgpack::from_slice_seed(seed, &bytes, msgpack::ExtraItems::Skipped, Limits::DEFAULT)
/// })?;
/// assert_eq!(numbers, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Fails if `from` fails, and with [`Category::Syntax`] if `from` returned `Ok` without reading a
/// value.
pub fn read<'de, S: DeserializeSeed<'de>>(
    seed: S,
    from: impl FnOnce(Seed<'_, 'de>) -> Result<()>,
) -> Result<S::Value> {
    let mut slot = slot(seed);
    from(Seed(&mut slot))?;
    slot.into_value().map_err(|_| Error::new(Category::Syntax, "no value was read"))
}

/// The reason why no value was read.
enum Failure {
    /// The value rejected its input, with this message.
    Refused(Box<str>),
    /// The format returned an error. The error stays on the format's side, where its type is known.
    Format,
}

type Outcome<T = ()> = std::result::Result<T, Failure>;

/// A seed for any value.
trait ErasedSeed<'de> {
    fn deserialize_erased(&mut self, source: &mut dyn ErasedDeserializer<'de>) -> Outcome;
}

/// A deserializer of any format.
trait ErasedDeserializer<'de> {
    fn deserialize_hint(&mut self, hint: Hint, to: &mut dyn ErasedVisitor<'de>) -> Outcome;
    fn is_human_readable(&self) -> bool;
}

/// A visitor of any value.
trait ErasedVisitor<'de> {
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn scalar(&mut self, scalar: Scalar<'_, 'de>) -> Outcome;
    fn some(&mut self, source: &mut dyn ErasedDeserializer<'de>) -> Outcome;
    fn newtype(&mut self, source: &mut dyn ErasedDeserializer<'de>) -> Outcome;
    fn items(&mut self, items: &mut dyn ErasedSeqAccess<'de>) -> Outcome;
    fn entries(&mut self, entries: &mut dyn ErasedMapAccess<'de>) -> Outcome;
    fn variant(&mut self, variant: &mut dyn ErasedVariantAccess<'de>) -> Outcome;
}

/// The items of an array in any format.
trait ErasedSeqAccess<'de> {
    /// Returns true if there was another item.
    fn item(&mut self, seed: &mut dyn ErasedSeed<'de>) -> Outcome<bool>;
    fn size_hint(&self) -> Option<usize>;
}

/// The entries of a map in any format.
trait ErasedMapAccess<'de> {
    /// Returns true if there was another entry.
    fn key(&mut self, seed: &mut dyn ErasedSeed<'de>) -> Outcome<bool>;
    fn value(&mut self, seed: &mut dyn ErasedSeed<'de>) -> Outcome;
    fn size_hint(&self) -> Option<usize>;
}

/// A variant in any format: its name, then its content.
trait ErasedVariantAccess<'de> {
    fn name(&mut self, seed: &mut dyn ErasedSeed<'de>) -> Outcome;
    fn unit(&mut self) -> Outcome;
    fn newtype(&mut self, seed: &mut dyn ErasedSeed<'de>) -> Outcome;
    fn tuple(&mut self, len: usize, to: &mut dyn ErasedVisitor<'de>) -> Outcome;
    fn record(
        &mut self,
        fields: &'static [&'static str],
        to: &mut dyn ErasedVisitor<'de>,
    ) -> Outcome;
}

/// Passes the table of hints to a macro: for each, its arguments and serde's method.
macro_rules! each_hint {
    ($table:ident) => {
        $table! {
            Any deserialize_any;
            Bool deserialize_bool;
            I8 deserialize_i8;
            I16 deserialize_i16;
            I32 deserialize_i32;
            I64 deserialize_i64;
            I128 deserialize_i128;
            U8 deserialize_u8;
            U16 deserialize_u16;
            U32 deserialize_u32;
            U64 deserialize_u64;
            U128 deserialize_u128;
            F32 deserialize_f32;
            F64 deserialize_f64;
            Char deserialize_char;
            Str deserialize_str;
            String deserialize_string;
            Bytes deserialize_bytes;
            ByteBuf deserialize_byte_buf;
            Option deserialize_option;
            Unit deserialize_unit;
            UnitStruct(name: &'static str) deserialize_unit_struct;
            NewtypeStruct(name: &'static str) deserialize_newtype_struct;
            Seq deserialize_seq;
            Tuple(len: usize) deserialize_tuple;
            TupleStruct(name: &'static str, len: usize) deserialize_tuple_struct;
            Map deserialize_map;
            Struct(name: &'static str, fields: &'static [&'static str]) deserialize_struct;
            Enum(name: &'static str, variants: &'static [&'static str]) deserialize_enum;
            Identifier deserialize_identifier;
            IgnoredAny deserialize_ignored_any;
        }
    };
}

pub(crate) use each_hint;

macro_rules! hint_type {
    ($($hint:ident $(($($argument:ident: $type:ty),+))? $deserialize:ident;)+) => {
        /// The type that a value asks for: serde's `deserialize_…`.
        #[derive(Clone, Copy)]
        enum Hint {
            $($hint $(($($type),+))?,)+
        }
    };
}

each_hint! { hint_type }

/// A value without nested values: serde's `visit_…` for scalars.
enum Scalar<'s, 'de> {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    I128(i128),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    U128(u128),
    F32(f32),
    F64(f64),
    Char(char),
    Str(&'s str),
    BorrowedStr(&'de str),
    String(String),
    Bytes(&'s [u8]),
    BorrowedBytes(&'de [u8]),
    ByteBuf(Vec<u8>),
    None,
    Unit,
}

impl de::Error for Failure {
    #[cold]
    #[inline(never)]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Failure::Refused(message.to_string().into_boxed_str())
    }

    #[cold]
    #[inline(never)]
    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Failure::Refused(invalid_type(unexpected, expected).into_boxed_str())
    }
}

/// Builds the failure for a value that was requested twice or not at all. Serde's traits allow
/// neither.
#[cold]
fn called_out_of_order() -> Failure {
    Failure::Refused("a value was requested twice or not at all".into())
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::Refused(message) => message,
            Failure::Format => "the format returned an error",
        })
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failure {}

// The value's side: serde's traits over trait objects.
//
// Generic code here is compiled for each visitor and seed of a type, so it is kept small.

/// A seed or a visitor, then the value that it produced.
enum Slot<B, T> {
    Pending(B),
    Value(T),
    Taken,
}

impl<B, T> Slot<B, T> {
    /// Takes the seed or visitor out.
    fn take(&mut self) -> Outcome<B> {
        match std::mem::replace(self, Slot::Taken) {
            Slot::Pending(before) => Ok(before),
            _ => Err(called_out_of_order()),
        }
    }

    fn put(&mut self, result: Outcome<T>) -> Outcome {
        *self = Slot::Value(result?);
        Ok(())
    }

    fn into_value(self) -> Outcome<T> {
        match self {
            Slot::Value(value) => Ok(value),
            _ => Err(called_out_of_order()),
        }
    }
}

/// Creates a slot for the value of a seed.
fn slot<'de, S: DeserializeSeed<'de>>(seed: S) -> Slot<S, S::Value> {
    Slot::Pending(seed)
}

impl<'de, S: DeserializeSeed<'de>> ErasedSeed<'de> for Slot<S, S::Value> {
    fn deserialize_erased(&mut self, source: &mut dyn ErasedDeserializer<'de>) -> Outcome {
        let seed = self.take()?;
        self.put(seed.deserialize(ValueDeserializer(source)))
    }
}

impl<'de, V: Visitor<'de>> ErasedVisitor<'de> for Slot<V, V::Value> {
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slot::Pending(visitor) => visitor.expecting(f),
            _ => f.write_str("a value requested once"),
        }
    }

    fn scalar(&mut self, scalar: Scalar<'_, 'de>) -> Outcome {
        let visitor = self.take()?;
        self.put(match scalar {
            Scalar::Bool(value) => visitor.visit_bool(value),
            Scalar::I8(value) => visitor.visit_i8(value),
            Scalar::I16(value) => visitor.visit_i16(value),
            Scalar::I32(value) => visitor.visit_i32(value),
            Scalar::I64(value) => visitor.visit_i64(value),
            Scalar::I128(value) => visitor.visit_i128(value),
            Scalar::U8(value) => visitor.visit_u8(value),
            Scalar::U16(value) => visitor.visit_u16(value),
            Scalar::U32(value) => visitor.visit_u32(value),
            Scalar::U64(value) => visitor.visit_u64(value),
            Scalar::U128(value) => visitor.visit_u128(value),
            Scalar::F32(value) => visitor.visit_f32(value),
            Scalar::F64(value) => visitor.visit_f64(value),
            Scalar::Char(value) => visitor.visit_char(value),
            Scalar::Str(text) => visitor.visit_str(text),
            Scalar::BorrowedStr(text) => visitor.visit_borrowed_str(text),
            Scalar::String(text) => visitor.visit_string(text),
            Scalar::Bytes(bytes) => visitor.visit_bytes(bytes),
            Scalar::BorrowedBytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            Scalar::ByteBuf(bytes) => visitor.visit_byte_buf(bytes),
            Scalar::None => visitor.visit_none(),
            Scalar::Unit => visitor.visit_unit(),
        })
    }

    fn some(&mut self, source: &mut dyn ErasedDeserializer<'de>) -> Outcome {
        let visitor = self.take()?;
        self.put(visitor.visit_some(ValueDeserializer(source)))
    }

    fn newtype(&mut self, source: &mut dyn ErasedDeserializer<'de>) -> Outcome {
        let visitor = self.take()?;
        self.put(visitor.visit_newtype_struct(ValueDeserializer(source)))
    }

    fn items(&mut self, items: &mut dyn ErasedSeqAccess<'de>) -> Outcome {
        let visitor = self.take()?;
        self.put(visitor.visit_seq(SeqAdapter(items)))
    }

    fn entries(&mut self, entries: &mut dyn ErasedMapAccess<'de>) -> Outcome {
        let visitor = self.take()?;
        self.put(visitor.visit_map(MapAdapter(entries)))
    }

    fn variant(&mut self, variant: &mut dyn ErasedVariantAccess<'de>) -> Outcome {
        let visitor = self.take()?;
        self.put(visitor.visit_enum(EnumAdapter(variant)))
    }
}

/// Runs `run` with a visitor and returns the visitor's value.
fn visit_erased<'de, V: Visitor<'de>>(
    visitor: V,
    run: impl FnOnce(&mut dyn ErasedVisitor<'de>) -> Outcome,
) -> Outcome<V::Value> {
    let mut slot: Slot<V, V::Value> = Slot::Pending(visitor);
    run(&mut slot)?;
    slot.into_value()
}

/// The only deserializer that a type sees.
struct ValueDeserializer<'g, 'de>(&'g mut dyn ErasedDeserializer<'de>);

/// Implements a method of the deserializer for each hint.
macro_rules! methods_by_hint {
    ($($hint:ident $(($($argument:ident: $type:ty),+))? $deserialize:ident;)+) => {$(
        fn $deserialize<V: Visitor<'de>>(
            self,
            $($($argument: $type,)+)?
            visitor: V,
        ) -> Outcome<V::Value> {
            visit_erased(visitor, |to| {
                self.0.deserialize_hint(Hint::$hint $(($($argument),+))?, to)
            })
        }
    )+};
}

impl<'de> Deserializer<'de> for ValueDeserializer<'_, 'de> {
    type Error = Failure;

    each_hint! { methods_by_hint }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

struct SeqAdapter<'g, 'de>(&'g mut dyn ErasedSeqAccess<'de>);

impl<'de> SeqAccess<'de> for SeqAdapter<'_, 'de> {
    type Error = Failure;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<Option<S::Value>> {
        let mut slot = slot(seed);
        self.0.item(&mut slot)?.then(|| slot.into_value()).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

struct MapAdapter<'g, 'de>(&'g mut dyn ErasedMapAccess<'de>);

impl<'de> MapAccess<'de> for MapAdapter<'_, 'de> {
    type Error = Failure;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<Option<S::Value>> {
        let mut slot = slot(seed);
        self.0.key(&mut slot)?.then(|| slot.into_value()).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Outcome<S::Value> {
        let mut slot = slot(seed);
        self.0.value(&mut slot)?;
        slot.into_value()
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

struct EnumAdapter<'g, 'de>(&'g mut dyn ErasedVariantAccess<'de>);

impl<'de> EnumAccess<'de> for EnumAdapter<'_, 'de> {
    type Error = Failure;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Outcome<(S::Value, Self)> {
        let mut slot = slot(seed);
        self.0.name(&mut slot)?;
        Ok((slot.into_value()?, self))
    }
}

impl<'de> VariantAccess<'de> for EnumAdapter<'_, 'de> {
    type Error = Failure;

    fn unit_variant(self) -> Outcome {
        self.0.unit()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Outcome<S::Value> {
        let mut slot = slot(seed);
        self.0.newtype(&mut slot)?;
        slot.into_value()
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Outcome<V::Value> {
        visit_erased(visitor, |to| self.0.tuple(len, to))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Outcome<V::Value> {
        visit_erased(visitor, |to| self.0.record(fields, to))
    }
}
