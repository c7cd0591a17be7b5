//! From the format that read an extension to the triple.

use manywire_shape::extension::Kind;
use serde::de::value::{StrDeserializer, U8Deserializer, U64Deserializer};
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use crate::core::error::{Error, Result};

/// Gives an extension just read to a visitor: what a decoder does where `deserialize_any`, or a
/// newtype struct called [`manywire_shape::extension::NAME`], meets one.
pub(crate) fn visit<'de, V, C>(visitor: V, kind: Kind, code: u64, content: C) -> Result<V::Value>
where
    V: Visitor<'de>,
    C: Deserializer<'de, Error = Error>,
{
    visitor.visit_newtype_struct(TripleDeserializer(TripleAccess {
        kind,
        code,
        content: Some(content),
        next: 0,
    }))
}

struct TripleDeserializer<C>(TripleAccess<C>);

impl<'de, C: Deserializer<'de, Error = Error>> Deserializer<'de> for TripleDeserializer<C> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(self.0)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct TripleAccess<C> {
    kind: Kind,
    code: u64,
    content: Option<C>,
    next: u8,
}

impl<'de, C: Deserializer<'de, Error = Error>> SeqAccess<'de> for TripleAccess<C> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        self.next += 1;
        match self.next {
            1 => seed.deserialize(U8Deserializer::new(self.kind as u8)).map(Some),
            2 => seed.deserialize(U64Deserializer::new(self.code)).map(Some),
            _ => self.content.take().map(|content| seed.deserialize(content)).transpose(),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(3 - usize::from(self.next.min(3)))
    }
}

/// The content of [`Kind::Timestamp`].
pub(crate) fn seconds<'de>(seconds: i64) -> impl Deserializer<'de, Error = Error> {
    seconds.into_deserializer()
}

/// The content of [`Kind::Number`].
pub(crate) fn number(text: &str) -> StrDeserializer<'_, Error> {
    text.into_deserializer()
}

/// The content of [`Kind::MessagePack`], lent by the input.
pub(crate) fn borrowed_bytes<'de>(bytes: &'de [u8]) -> impl Deserializer<'de, Error = Error> {
    serde::de::value::BorrowedBytesDeserializer::new(bytes)
}
