//! Reading a type whatever the format, so that its code is compiled once and not once for each.
//!
//! What serde derives is generic over the deserializer, and so are the visitors of a type and all
//! that a codec does for each of them: with six formats, six times. Here a format and a value meet
//! through tables of functions instead. The type knows one deserializer, `Source`, and a format
//! reads one seed, [`Seed`], whatever it is for:
//!
//! ```text
//! T::deserialize → Source ─ dyn Give → Giver<D> → D, a format's own deserializer
//!    T's visitor ← Slot<V> ← dyn Take ─ Taker   ←
//! ```
//!
//! Values and errors are the same as without. Each value and each step costs a call that cannot be
//! inlined, so what is to be fast reads straight from its format.

mod format;

use std::fmt;

use serde::de;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use crate::core::error::{Category, Error, Result};

/// What a format reads in the place of the value: it is put where [`read`] finds it.
pub struct Seed<'s, 'de>(&'s mut dyn Ask<'de>);

/// Reads a value by a seed, through `from`: a reader of one format that is given the one [`Seed`]
/// that all are given.
///
/// ```
/// # fn main() -> manywire_codec::Result<()> {
/// use std::marker::PhantomData;
/// use manywire_codec::{Limits, erased, msgpack};
///
/// let bytes = [0x93, 1, 2, 3];
/// let numbers = erased::read(PhantomData::<Vec<u8>>, |seed| {
///     msgpack::from_slice_seed(seed, &bytes, Limits::DEFAULT)
/// })?;
/// assert_eq!(numbers, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of `from`, and [`Category::Syntax`] where it read no value and says nothing of it.
pub fn read<'de, S: DeserializeSeed<'de>>(
    seed: S,
    from: impl FnOnce(Seed<'_, 'de>) -> Result<()>,
) -> Result<S::Value> {
    let mut slot = slot(seed);
    from(Seed(&mut slot))?;
    slot.into_value().map_err(|_| Error::new(Category::Syntax, "no value was read"))
}

/// Why nothing was read.
enum Failure {
    /// The value refused what it was given, in these words.
    Refused(Box<str>),
    /// The format failed. What it says waits on its side, where its type is known.
    Format,
}

type Done<T = ()> = std::result::Result<T, Failure>;

/// A seed of whatever value.
trait Ask<'de> {
    fn ask(&mut self, source: &mut dyn Give<'de>) -> Done;
}

/// A deserializer of whatever format.
trait Give<'de> {
    fn give(&mut self, hint: Hint, to: &mut dyn Take<'de>) -> Done;
    fn is_human_readable(&self) -> bool;
}

/// A visitor of whatever value.
trait Take<'de> {
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn scalar(&mut self, scalar: Scalar<'_, 'de>) -> Done;
    fn some(&mut self, source: &mut dyn Give<'de>) -> Done;
    fn newtype(&mut self, source: &mut dyn Give<'de>) -> Done;
    fn items(&mut self, items: &mut dyn Items<'de>) -> Done;
    fn entries(&mut self, entries: &mut dyn Entries<'de>) -> Done;
    fn variant(&mut self, variant: &mut dyn Variant<'de>) -> Done;
}

/// The items of an array of whatever format.
trait Items<'de> {
    /// Whether there was one more.
    fn item(&mut self, seed: &mut dyn Ask<'de>) -> Done<bool>;
    fn size_hint(&self) -> Option<usize>;
}

/// The entries of a map of whatever format.
trait Entries<'de> {
    /// Whether there was one more.
    fn key(&mut self, seed: &mut dyn Ask<'de>) -> Done<bool>;
    fn value(&mut self, seed: &mut dyn Ask<'de>) -> Done;
    fn size_hint(&self) -> Option<usize>;
}

/// A variant of whatever format: its name, then its content as one of the others.
trait Variant<'de> {
    fn name(&mut self, seed: &mut dyn Ask<'de>) -> Done;
    fn unit(&mut self) -> Done;
    fn newtype(&mut self, seed: &mut dyn Ask<'de>) -> Done;
    fn tuple(&mut self, len: usize, to: &mut dyn Take<'de>) -> Done;
    fn record(&mut self, fields: &'static [&'static str], to: &mut dyn Take<'de>) -> Done;
}

/// What a value says it is: serde's `deserialize_…`.
#[derive(Clone, Copy)]
enum Hint {
    Any,
    Bool,
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    U128,
    F32,
    F64,
    Char,
    Str,
    String,
    Bytes,
    ByteBuf,
    Option,
    Unit,
    UnitStruct(&'static str),
    NewtypeStruct(&'static str),
    Seq,
    Tuple(usize),
    TupleStruct(&'static str, usize),
    Map,
    Struct(&'static str, &'static [&'static str]),
    Enum(&'static str, &'static [&'static str]),
    Identifier,
    IgnoredAny,
}

/// What holds no other value: serde's `visit_…` of those.
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
}

/// Something was asked for a second time, or not at all: serde's traits allow neither.
#[cold]
fn out_of_turn() -> Failure {
    Failure::Refused("a value was read out of turn".into())
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::Refused(message) => message,
            Failure::Format => "the format failed",
        })
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failure {}

// The side of the value: serde's traits over tables of functions.
//
// What is generic here is compiled for each visitor and seed of a type, so there is little of it.

/// A seed or a visitor, then the value it became.
enum Slot<B, T> {
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

    fn into_value(self) -> Done<T> {
        match self {
            Slot::Value(value) => Ok(value),
            _ => Err(out_of_turn()),
        }
    }
}

/// The place of the value of a seed.
fn slot<'de, S: DeserializeSeed<'de>>(seed: S) -> Slot<S, S::Value> {
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
        self.put(visitor.visit_enum(ErasedEnumAccess(variant)))
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

struct ErasedEnumAccess<'g, 'de>(&'g mut dyn Variant<'de>);

impl<'de> EnumAccess<'de> for ErasedEnumAccess<'_, 'de> {
    type Error = Failure;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Done<(S::Value, Self)> {
        let mut slot = slot(seed);
        self.0.name(&mut slot)?;
        Ok((slot.into_value()?, self))
    }
}

impl<'de> VariantAccess<'de> for ErasedEnumAccess<'_, 'de> {
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
