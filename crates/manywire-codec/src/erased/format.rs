//! The side of the format: what it has behind a table of functions.
//!
//! Nothing here knows the type that is read, so it is compiled where the codec is, once.

use std::fmt;

use serde::de;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{
    Ask, Done, Entries, Failure, Give, Hint, Items, Scalar, Seed, Take, Variant, out_of_turn,
};

/// Something of a format, and what it failed with: the value gets to know only that it did.
struct Held<T, E> {
    held: T,
    error: Option<E>,
}

impl<T, E: de::Error> Held<T, E> {
    fn new(held: T) -> Self {
        Held { held, error: None }
    }

    /// Keeps what the format says.
    fn keep<V>(&mut self, result: Result<V, E>) -> Done<V> {
        result.map_err(|error| {
            self.error = Some(error);
            Failure::Format
        })
    }

    /// What came of giving this to a value, in the words of the format.
    fn settle(self, done: Done) -> Result<(), E> {
        match (done, self.error) {
            (Ok(()), _) => Ok(()),
            (Err(Failure::Format), Some(error)) => Err(error),
            (Err(failure), _) => Err(E::custom(failure)),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let mut giver = Held::new(Some(deserializer));
        let done = self.0.ask(&mut giver);
        giver.settle(done)
    }
}

impl<'de, D: Deserializer<'de>> Give<'de> for Held<Option<D>, D::Error> {
    fn give(&mut self, hint: Hint, to: &mut dyn Take<'de>) -> Done {
        let from = self.held.take().ok_or_else(out_of_turn)?;
        let to = Taker(to);
        let result = match hint {
            Hint::Any => from.deserialize_any(to),
            Hint::Bool => from.deserialize_bool(to),
            Hint::I8 => from.deserialize_i8(to),
            Hint::I16 => from.deserialize_i16(to),
            Hint::I32 => from.deserialize_i32(to),
            Hint::I64 => from.deserialize_i64(to),
            Hint::I128 => from.deserialize_i128(to),
            Hint::U8 => from.deserialize_u8(to),
            Hint::U16 => from.deserialize_u16(to),
            Hint::U32 => from.deserialize_u32(to),
            Hint::U64 => from.deserialize_u64(to),
            Hint::U128 => from.deserialize_u128(to),
            Hint::F32 => from.deserialize_f32(to),
            Hint::F64 => from.deserialize_f64(to),
            Hint::Char => from.deserialize_char(to),
            Hint::Str => from.deserialize_str(to),
            Hint::String => from.deserialize_string(to),
            Hint::Bytes => from.deserialize_bytes(to),
            Hint::ByteBuf => from.deserialize_byte_buf(to),
            Hint::Option => from.deserialize_option(to),
            Hint::Unit => from.deserialize_unit(to),
            Hint::UnitStruct(name) => from.deserialize_unit_struct(name, to),
            Hint::NewtypeStruct(name) => from.deserialize_newtype_struct(name, to),
            Hint::Seq => from.deserialize_seq(to),
            Hint::Tuple(len) => from.deserialize_tuple(len, to),
            Hint::TupleStruct(name, len) => from.deserialize_tuple_struct(name, len, to),
            Hint::Map => from.deserialize_map(to),
            Hint::Struct(name, fields) => from.deserialize_struct(name, fields, to),
            Hint::Enum(name, variants) => from.deserialize_enum(name, variants, to),
            Hint::Identifier => from.deserialize_identifier(to),
            Hint::IgnoredAny => from.deserialize_ignored_any(to),
        };
        self.keep(result)
    }

    fn is_human_readable(&self) -> bool {
        self.held.as_ref().is_none_or(Deserializer::is_human_readable)
    }
}

/// The one visitor that a format meets.
struct Taker<'t, 'de>(&'t mut dyn Take<'de>);

impl<'de> Taker<'_, 'de> {
    fn scalar<E: de::Error>(self, scalar: Scalar<'_, 'de>) -> Result<(), E> {
        Held::new(()).settle(self.0.scalar(scalar))
    }
}

/// A method of the visitor for each scalar.
macro_rules! scalars {
    ($($visit:ident: $type:ty => $scalar:ident),* $(,)?) => {$(
        fn $visit<E: de::Error>(self, value: $type) -> Result<(), E> {
            self.scalar(Scalar::$scalar(value))
        }
    )*};
}

impl<'de> Visitor<'de> for Taker<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    scalars! {
        visit_bool: bool => Bool,
        visit_i8: i8 => I8,
        visit_i16: i16 => I16,
        visit_i32: i32 => I32,
        visit_i64: i64 => I64,
        visit_i128: i128 => I128,
        visit_u8: u8 => U8,
        visit_u16: u16 => U16,
        visit_u32: u32 => U32,
        visit_u64: u64 => U64,
        visit_u128: u128 => U128,
        visit_f32: f32 => F32,
        visit_f64: f64 => F64,
        visit_char: char => Char,
        visit_str: &str => Str,
        visit_borrowed_str: &'de str => BorrowedStr,
        visit_string: String => String,
        visit_bytes: &[u8] => Bytes,
        visit_borrowed_bytes: &'de [u8] => BorrowedBytes,
        visit_byte_buf: Vec<u8> => ByteBuf,
    }

    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        self.scalar(Scalar::None)
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.scalar(Scalar::Unit)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let mut giver = Held::new(Some(from));
        let done = self.0.some(&mut giver);
        giver.settle(done)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let mut giver = Held::new(Some(from));
        let done = self.0.newtype(&mut giver);
        giver.settle(done)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        let mut items = Held::new(Of(items));
        let done = self.0.items(&mut items);
        items.settle(done)
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<(), A::Error> {
        let mut entries = Held::new(Of(entries));
        let done = self.0.entries(&mut entries);
        entries.settle(done)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        let mut variant = Held::new(EnumState::<A, A::Variant>::Unnamed(access));
        let done = self.0.variant(&mut variant);
        variant.settle(done)
    }
}

/// What has items or entries; an optional deserializer, which [`Give`] is for, is something else.
struct Of<A>(A);

impl<'de, A: SeqAccess<'de>> Items<'de> for Held<Of<A>, A::Error> {
    fn item(&mut self, seed: &mut dyn Ask<'de>) -> Done<bool> {
        let result = self.held.0.next_element_seed(Seed(seed));
        self.keep(result.map(|item| item.is_some()))
    }

    fn size_hint(&self) -> Option<usize> {
        self.held.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> Entries<'de> for Held<Of<A>, A::Error> {
    fn key(&mut self, seed: &mut dyn Ask<'de>) -> Done<bool> {
        let result = self.held.0.next_key_seed(Seed(seed));
        self.keep(result.map(|key| key.is_some()))
    }

    fn value(&mut self, seed: &mut dyn Ask<'de>) -> Done {
        let result = self.held.0.next_value_seed(Seed(seed));
        self.keep(result)
    }

    fn size_hint(&self) -> Option<usize> {
        self.held.0.size_hint()
    }
}

/// A sum type before its variant is known, then the variant's content.
enum EnumState<A, V> {
    Unnamed(A),
    Named(V),
    Gone,
}

impl<A, V, E> Held<EnumState<A, V>, E> {
    fn content(&mut self) -> Done<V> {
        match std::mem::replace(&mut self.held, EnumState::Gone) {
            EnumState::Named(content) => Ok(content),
            _ => Err(out_of_turn()),
        }
    }
}

impl<'de, A: EnumAccess<'de>> Variant<'de> for Held<EnumState<A, A::Variant>, A::Error> {
    fn name(&mut self, seed: &mut dyn Ask<'de>) -> Done {
        let EnumState::Unnamed(access) = std::mem::replace(&mut self.held, EnumState::Gone) else {
            return Err(out_of_turn());
        };
        let result = access.variant_seed(Seed(seed));
        let ((), content) = self.keep(result)?;
        self.held = EnumState::Named(content);
        Ok(())
    }

    fn unit(&mut self) -> Done {
        let result = self.content()?.unit_variant();
        self.keep(result)
    }

    fn newtype(&mut self, seed: &mut dyn Ask<'de>) -> Done {
        let result = self.content()?.newtype_variant_seed(Seed(seed));
        self.keep(result)
    }

    fn tuple(&mut self, len: usize, to: &mut dyn Take<'de>) -> Done {
        let result = self.content()?.tuple_variant(len, Taker(to));
        self.keep(result)
    }

    fn record(&mut self, fields: &'static [&'static str], to: &mut dyn Take<'de>) -> Done {
        let result = self.content()?.struct_variant(fields, Taker(to));
        self.keep(result)
    }
}
