//! The format's side of type erasure: serde's access types behind trait objects.
//!
//! Nothing here depends on the type that is read, so it is compiled once, in this crate.

use std::fmt;

use serde::de;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{
    ErasedDeserializer, ErasedMapAccess, ErasedSeed, ErasedSeqAccess, ErasedVariantAccess,
    ErasedVisitor, Failure, Hint, Outcome, Scalar, Seed, called_out_of_order, each_hint,
};

/// A value of the format's own types, and the error of the format. The value's side only learns
/// that there was an error.
struct FormatState<T, E> {
    inner: T,
    error: Option<E>,
}

impl<T, E: de::Error> FormatState<T, E> {
    fn new(inner: T) -> Self {
        FormatState { inner, error: None }
    }

    /// Stores the format's error, if any.
    fn store_error<V>(&mut self, result: Result<V, E>) -> Outcome<V> {
        result.map_err(|error| {
            self.error = Some(error);
            Failure::Format
        })
    }

    /// Converts the outcome to the format's own result.
    fn into_result(self, done: Outcome) -> Result<(), E> {
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
        let mut source = FormatState::new(Some(deserializer));
        let done = self.0.deserialize_erased(&mut source);
        source.into_result(done)
    }
}

/// Implements [`ErasedDeserializer::deserialize_hint`] by the method of each hint.
macro_rules! deserialize_by_hint {
    ($($hint:ident $(($($argument:ident: $type:ty),+))? $deserialize:ident;)+) => {
        fn deserialize_hint(&mut self, hint: Hint, to: &mut dyn ErasedVisitor<'de>) -> Outcome {
            let from = self.inner.take().ok_or_else(called_out_of_order)?;
            let to = FormatVisitor(to);
            let result = match hint {
                $(Hint::$hint $(($($argument),+))? => from.$deserialize($($($argument,)+)? to),)+
            };
            self.store_error(result)
        }
    };
}

impl<'de, D: Deserializer<'de>> ErasedDeserializer<'de> for FormatState<Option<D>, D::Error> {
    each_hint! { deserialize_by_hint }

    fn is_human_readable(&self) -> bool {
        self.inner.as_ref().is_none_or(Deserializer::is_human_readable)
    }
}

/// The only visitor that a format sees.
struct FormatVisitor<'t, 'de>(&'t mut dyn ErasedVisitor<'de>);

impl<'de> FormatVisitor<'_, 'de> {
    fn scalar<E: de::Error>(self, scalar: Scalar<'_, 'de>) -> Result<(), E> {
        FormatState::new(()).into_result(self.0.scalar(scalar))
    }
}

/// Implements a method of the visitor for each scalar.
macro_rules! scalars {
    ($($visit:ident: $type:ty => $scalar:ident),* $(,)?) => {$(
        fn $visit<E: de::Error>(self, value: $type) -> Result<(), E> {
            self.scalar(Scalar::$scalar(value))
        }
    )*};
}

impl<'de> Visitor<'de> for FormatVisitor<'_, 'de> {
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
        let mut source = FormatState::new(Some(from));
        let done = self.0.some(&mut source);
        source.into_result(done)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let mut source = FormatState::new(Some(from));
        let done = self.0.newtype(&mut source);
        source.into_result(done)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        let mut items = FormatState::new(Access(items));
        let done = self.0.items(&mut items);
        items.into_result(done)
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<(), A::Error> {
        let mut entries = FormatState::new(Access(entries));
        let done = self.0.entries(&mut entries);
        entries.into_result(done)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        let mut variant = FormatState::new(EnumState::<A, A::Variant>::Unnamed(access));
        let done = self.0.variant(&mut variant);
        variant.into_result(done)
    }
}

/// Access to items or entries. The wrapper distinguishes the access from an `Option` of a
/// deserializer, for which [`ErasedDeserializer`] is implemented.
struct Access<A>(A);

impl<'de, A: SeqAccess<'de>> ErasedSeqAccess<'de> for FormatState<Access<A>, A::Error> {
    fn item(&mut self, seed: &mut dyn ErasedSeed<'de>) -> Outcome<bool> {
        let result = self.inner.0.next_element_seed(Seed(seed));
        self.store_error(result.map(|item| item.is_some()))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> ErasedMapAccess<'de> for FormatState<Access<A>, A::Error> {
    fn key(&mut self, seed: &mut dyn ErasedSeed<'de>) -> Outcome<bool> {
        let result = self.inner.0.next_key_seed(Seed(seed));
        self.store_error(result.map(|key| key.is_some()))
    }

    fn value(&mut self, seed: &mut dyn ErasedSeed<'de>) -> Outcome {
        let result = self.inner.0.next_value_seed(Seed(seed));
        self.store_error(result)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.0.size_hint()
    }
}

/// An enum before its variant is known, then the variant's content.
enum EnumState<A, V> {
    Unnamed(A),
    Named(V),
    Taken,
}

impl<A, V, E> FormatState<EnumState<A, V>, E> {
    fn content(&mut self) -> Outcome<V> {
        match std::mem::replace(&mut self.inner, EnumState::Taken) {
            EnumState::Named(content) => Ok(content),
            _ => Err(called_out_of_order()),
        }
    }
}

impl<'de, A: EnumAccess<'de>> ErasedVariantAccess<'de>
    for FormatState<EnumState<A, A::Variant>, A::Error>
{
    fn name(&mut self, seed: &mut dyn ErasedSeed<'de>) -> Outcome {
        let EnumState::Unnamed(access) = std::mem::replace(&mut self.inner, EnumState::Taken)
        else {
            return Err(called_out_of_order());
        };
        let result = access.variant_seed(Seed(seed));
        let ((), content) = self.store_error(result)?;
        self.inner = EnumState::Named(content);
        Ok(())
    }

    fn unit(&mut self) -> Outcome {
        let result = self.content()?.unit_variant();
        self.store_error(result)
    }

    fn newtype(&mut self, seed: &mut dyn ErasedSeed<'de>) -> Outcome {
        let result = self.content()?.newtype_variant_seed(Seed(seed));
        self.store_error(result)
    }

    fn tuple(&mut self, len: usize, to: &mut dyn ErasedVisitor<'de>) -> Outcome {
        let result = self.content()?.tuple_variant(len, FormatVisitor(to));
        self.store_error(result)
    }

    fn record(
        &mut self,
        fields: &'static [&'static str],
        to: &mut dyn ErasedVisitor<'de>,
    ) -> Outcome {
        let result = self.content()?.struct_variant(fields, FormatVisitor(to));
        self.store_error(result)
    }
}
