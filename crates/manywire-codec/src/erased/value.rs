//! The side of the value: serde's traits over tables of functions.
//!
//! What is generic here is compiled for each visitor and seed of a type, so there is little of it.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{Ask, Done, Entries, Failure, Give, Hint, Items, Scalar, Take, Variant, out_of_turn};

/// A seed or a visitor, then the value it became.
pub(super) enum Slot<B, T> {
    Before(B),
    Value(T),
    Gone,
}

impl<B, T> Slot<B, T> {
    /// Takes out what becomes the value.
    fn take(&mut self) -> Done<B> {
        match std::mem::replace(self, Slot::Gone) {
            Slot::Before(before) => Ok(before),
            _ => Err(out_of_turn()),
        }
    }

    fn put(&mut self, result: Done<T>) -> Done {
        *self = Slot::Value(result?);
        Ok(())
    }

    pub(super) fn into_value(self) -> Done<T> {
        match self {
            Slot::Value(value) => Ok(value),
            _ => Err(out_of_turn()),
        }
    }
}

/// The place of the value of a seed.
pub(super) fn slot<'de, S: DeserializeSeed<'de>>(seed: S) -> Slot<S, S::Value> {
    Slot::Before(seed)
}

impl<'de, S: DeserializeSeed<'de>> Ask<'de> for Slot<S, S::Value> {
    fn ask(&mut self, source: &mut dyn Give<'de>) -> Done {
        let seed = self.take()?;
        self.put(seed.deserialize(Source(source)))
    }
}

impl<'de, V: Visitor<'de>> Take<'de> for Slot<V, V::Value> {
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slot::Before(visitor) => visitor.expecting(f),
            _ => f.write_str("a value in its turn"),
        }
    }

    fn scalar(&mut self, scalar: Scalar<'_, 'de>) -> Done {
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

    fn some(&mut self, source: &mut dyn Give<'de>) -> Done {
        let visitor = self.take()?;
        self.put(visitor.visit_some(Source(source)))
    }

    fn newtype(&mut self, source: &mut dyn Give<'de>) -> Done {
        let visitor = self.take()?;
        self.put(visitor.visit_newtype_struct(Source(source)))
    }

    fn items(&mut self, items: &mut dyn Items<'de>) -> Done {
        let visitor = self.take()?;
        self.put(visitor.visit_seq(Each(items)))
    }

    fn entries(&mut self, entries: &mut dyn Entries<'de>) -> Done {
        let visitor = self.take()?;
        self.put(visitor.visit_map(Pairs(entries)))
    }

    fn variant(&mut self, variant: &mut dyn Variant<'de>) -> Done {
        let visitor = self.take()?;
        self.put(visitor.visit_enum(Sum(variant)))
    }
}

/// Gives what a function puts into a visitor.
fn visited<'de, V: Visitor<'de>>(
    visitor: V,
    give: impl FnOnce(&mut dyn Take<'de>) -> Done,
) -> Done<V::Value> {
    let mut slot: Slot<V, V::Value> = Slot::Before(visitor);
    give(&mut slot)?;
    slot.into_value()
}

/// The one deserializer that a type meets.
struct Source<'g, 'de>(&'g mut dyn Give<'de>);

/// A method of the deserializer for each hint.
macro_rules! hints {
    ($($deserialize:ident($($argument:ident: $type:ty),*) => $hint:expr),* $(,)?) => {$(
        fn $deserialize<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Done<V::Value> {
            visited(visitor, |to| self.0.give($hint, to))
        }
    )*};
}

impl<'de> Deserializer<'de> for Source<'_, 'de> {
    type Error = Failure;

    hints! {
        deserialize_any() => Hint::Any,
        deserialize_bool() => Hint::Bool,
        deserialize_i8() => Hint::I8,
        deserialize_i16() => Hint::I16,
        deserialize_i32() => Hint::I32,
        deserialize_i64() => Hint::I64,
        deserialize_i128() => Hint::I128,
        deserialize_u8() => Hint::U8,
        deserialize_u16() => Hint::U16,
        deserialize_u32() => Hint::U32,
        deserialize_u64() => Hint::U64,
        deserialize_u128() => Hint::U128,
        deserialize_f32() => Hint::F32,
        deserialize_f64() => Hint::F64,
        deserialize_char() => Hint::Char,
        deserialize_str() => Hint::Str,
        deserialize_string() => Hint::String,
        deserialize_bytes() => Hint::Bytes,
        deserialize_byte_buf() => Hint::ByteBuf,
        deserialize_option() => Hint::Option,
        deserialize_unit() => Hint::Unit,
        deserialize_unit_struct(name: &'static str) => Hint::UnitStruct(name),
        deserialize_newtype_struct(name: &'static str) => Hint::NewtypeStruct(name),
        deserialize_seq() => Hint::Seq,
        deserialize_tuple(len: usize) => Hint::Tuple(len),
        deserialize_tuple_struct(name: &'static str, len: usize) => Hint::TupleStruct(name, len),
        deserialize_map() => Hint::Map,
        deserialize_struct(name: &'static str, fields: &'static [&'static str]) =>
            Hint::Struct(name, fields),
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) =>
            Hint::Enum(name, variants),
        deserialize_identifier() => Hint::Identifier,
        deserialize_ignored_any() => Hint::IgnoredAny,
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

struct Each<'g, 'de>(&'g mut dyn Items<'de>);

impl<'de> SeqAccess<'de> for Each<'_, 'de> {
    type Error = Failure;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Done<Option<S::Value>> {
        let mut slot = slot(seed);
        self.0.item(&mut slot)?.then(|| slot.into_value()).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

struct Pairs<'g, 'de>(&'g mut dyn Entries<'de>);

impl<'de> MapAccess<'de> for Pairs<'_, 'de> {
    type Error = Failure;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Done<Option<S::Value>> {
        let mut slot = slot(seed);
        self.0.key(&mut slot)?.then(|| slot.into_value()).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Done<S::Value> {
        let mut slot = slot(seed);
        self.0.value(&mut slot)?;
        slot.into_value()
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

struct Sum<'g, 'de>(&'g mut dyn Variant<'de>);

impl<'de> EnumAccess<'de> for Sum<'_, 'de> {
    type Error = Failure;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Done<(S::Value, Self)> {
        let mut slot = slot(seed);
        self.0.name(&mut slot)?;
        Ok((slot.into_value()?, self))
    }
}

impl<'de> VariantAccess<'de> for Sum<'_, 'de> {
    type Error = Failure;

    fn unit_variant(self) -> Done {
        self.0.unit()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Done<S::Value> {
        let mut slot = slot(seed);
        self.0.newtype(&mut slot)?;
        slot.into_value()
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Done<V::Value> {
        visited(visitor, |to| self.0.tuple(len, to))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Done<V::Value> {
        visited(visitor, |to| self.0.record(fields, to))
    }
}
