//! Reads and writes extensions through serde, as the triple that [`manywire_shape::extension`]
//! describes: kind, code, content.

use std::fmt::Display;

use manywire_shape::Timestamp;
use manywire_shape::extension::{Handshake, Kind, NAME};
use serde::de::value::{StrDeserializer, U8Deserializer, U64Deserializer};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde::ser::{Impossible, Serialize, SerializeTuple, Serializer};

use super::error::{Category, Error, Result};

// One part of a triple, as serde passes it.

#[cold]
#[inline(never)]
fn malformed(message: impl Display) -> Error {
    Error::new(Category::Unsupported, message)
}

/// The types that a part of a triple accepts. Any other type makes the triple malformed.
trait TriplePart: Sized {
    type Ok;
    type Tuple: SerializeTuple<Ok = Self::Ok, Error = Error>;

    fn reject<R>(self) -> Result<R> {
        Err(malformed("malformed extension: expected kind, code and content"))
    }
    fn integer(self, _: i64) -> Result<Self::Ok> {
        self.reject()
    }
    fn text(self, _: &str) -> Result<Self::Ok> {
        self.reject()
    }
    fn bytes(self, _: &[u8]) -> Result<Self::Ok> {
        self.reject()
    }
    fn tuple(self) -> Result<Self::Tuple> {
        self.reject()
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

/// A serializer for one part.
struct PartSerializer<P>(P);

impl<P: TriplePart> Serializer for PartSerializer<P> {
    type Ok = P::Ok;
    type Error = Error;
    type SerializeSeq = Impossible<P::Ok, Error>;
    type SerializeTuple = P::Tuple;
    type SerializeTupleStruct = Impossible<P::Ok, Error>;
    type SerializeTupleVariant = Impossible<P::Ok, Error>;
    type SerializeMap = Impossible<P::Ok, Error>;
    type SerializeStruct = Impossible<P::Ok, Error>;
    type SerializeStructVariant = Impossible<P::Ok, Error>;

    fn serialize_i8(self, value: i8) -> Result<P::Ok> {
        self.0.integer(value.into())
    }
    fn serialize_i16(self, value: i16) -> Result<P::Ok> {
        self.0.integer(value.into())
    }
    fn serialize_i32(self, value: i32) -> Result<P::Ok> {
        self.0.integer(value.into())
    }
    fn serialize_i64(self, value: i64) -> Result<P::Ok> {
        self.0.integer(value)
    }
    fn serialize_u8(self, value: u8) -> Result<P::Ok> {
        self.0.integer(value.into())
    }
    fn serialize_u16(self, value: u16) -> Result<P::Ok> {
        self.0.integer(value.into())
    }
    fn serialize_u32(self, value: u32) -> Result<P::Ok> {
        self.0.integer(value.into())
    }
    fn serialize_u64(self, value: u64) -> Result<P::Ok> {
        self.0.integer(value.cast_signed())
    }
    fn serialize_str(self, value: &str) -> Result<P::Ok> {
        self.0.text(value)
    }
    fn serialize_bytes(self, value: &[u8]) -> Result<P::Ok> {
        self.0.bytes(value)
    }
    fn serialize_tuple(self, _: usize) -> Result<P::Tuple> {
        self.0.tuple()
    }
    fn serialize_bool(self, _: bool) -> Result<P::Ok> {
        self.0.reject()
    }
    fn serialize_f32(self, _: f32) -> Result<P::Ok> {
        self.0.reject()
    }
    fn serialize_f64(self, _: f64) -> Result<P::Ok> {
        self.0.reject()
    }
    fn serialize_char(self, _: char) -> Result<P::Ok> {
        self.0.reject()
    }
    fn serialize_none(self) -> Result<P::Ok> {
        self.0.reject()
    }
    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<P::Ok> {
        self.0.reject()
    }
    fn serialize_unit(self) -> Result<P::Ok> {
        self.0.reject()
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<P::Ok> {
        self.0.reject()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<P::Ok> {
        self.0.reject()
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: &T,
    ) -> Result<P::Ok> {
        self.0.reject()
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<P::Ok> {
        self.0.reject()
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        self.0.reject()
    }
    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct> {
        self.0.reject()
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        self.0.reject()
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        self.0.reject()
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct> {
        self.0.reject()
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        self.0.reject()
    }
    #[inline]
    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

// Writing: from the triple to the format.

/// A format that writes extensions, or rejects those that it cannot represent.
pub(crate) trait WriteExtension {
    /// Writes one whole extension. `content` is not yet serialized: the format serializes the
    /// content of a tag itself, and reads the content of a known kind by [`with_bytes`],
    /// [`with_str`] or [`i64_of`].
    fn write_extension<T: Serialize + ?Sized>(
        &mut self,
        kind: Kind,
        code: u64,
        content: &T,
    ) -> Result<()>;
}

/// Writes `triple`, the content of the newtype, by passing its parts to the format.
pub(crate) fn write<W: WriteExtension, T: Serialize + ?Sized>(
    writer: &mut W,
    triple: &T,
) -> Result<()> {
    let handshake = Handshake::default();
    triple.serialize(PartSerializer(TripleParts { writer, kind: None, code: None, handshake }))
}

/// Passes the bytes that a part serializes to.
pub(crate) fn with_bytes<T: Serialize + ?Sized>(
    part: &T,
    take: impl FnOnce(&[u8]) -> Result<()>,
) -> Result<()> {
    part.serialize(PartSerializer(BytesPart(take)))
}

/// Passes the text that a part serializes to.
pub(crate) fn with_str<T: Serialize + ?Sized>(
    part: &T,
    take: impl FnOnce(&str) -> Result<()>,
) -> Result<()> {
    part.serialize(PartSerializer(StrPart(take)))
}

/// Returns the signed integer that a part serializes to.
pub(crate) fn i64_of<T: Serialize + ?Sized>(part: &T) -> Result<i64> {
    part.serialize(PartSerializer(IntegerPart))
}

/// Returns the kind of a triple from its number.
fn kind_of(number: u64) -> Result<Kind> {
    u8::try_from(number)
        .ok()
        .and_then(Kind::from_u8)
        .ok_or_else(|| malformed(format_args!("there is no extension kind {number}")))
}

/// Codes are `u64`: this part keeps all 64 bits in an `i64`.
struct IntegerPart;

impl TriplePart for IntegerPart {
    type Ok = i64;
    type Tuple = Impossible<i64, Error>;

    fn integer(self, value: i64) -> Result<i64> {
        Ok(value)
    }
}

struct BytesPart<F>(F);

impl<F: FnOnce(&[u8]) -> Result<()>> TriplePart for BytesPart<F> {
    type Ok = ();
    type Tuple = Impossible<(), Error>;

    fn bytes(self, value: &[u8]) -> Result<()> {
        (self.0)(value)
    }
}

struct StrPart<F>(F);

impl<F: FnOnce(&str) -> Result<()>> TriplePart for StrPart<F> {
    type Ok = ();
    type Tuple = Impossible<(), Error>;

    fn text(self, value: &str) -> Result<()> {
        (self.0)(value)
    }
}

struct TripleParts<'w, W> {
    writer: &'w mut W,
    kind: Option<Kind>,
    code: Option<u64>,
    handshake: Handshake,
}

impl<W: WriteExtension> TriplePart for TripleParts<'_, W> {
    type Ok = ();
    type Tuple = Self;

    fn tuple(self) -> Result<Self> {
        Ok(self)
    }

    /// Writes a timestamp in its natural form, which it has after serde's buffering of variants.
    #[cold]
    fn text(self, text: &str) -> Result<()> {
        let time: Timestamp = text.parse().map_err(malformed)?;
        self.writer.write_extension(Kind::Timestamp, time.nanoseconds.into(), &time.seconds)
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.handshake.answer()
    }
}

impl<W: WriteExtension> SerializeTuple for TripleParts<'_, W> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, part: &T) -> Result<()> {
        match (self.kind, self.code) {
            (None, _) => self.kind = Some(kind_of(i64_of(part)?.cast_unsigned())?),
            (_, None) => self.code = Some(i64_of(part)?.cast_unsigned()),
            (Some(kind), Some(code)) => self.writer.write_extension(kind, code, part)?,
        }
        Ok(())
    }

    fn end(self) -> Result<()> {
        Ok(())
    }
}

// Reading: from the format to the triple.

/// Passes an extension to a visitor. Decoders call it where `deserialize_any`, or a newtype struct
/// named [`manywire_shape::extension::NAME`], meets an extension.
pub(crate) fn visit<'de, V, C>(visitor: V, kind: Kind, code: u64, content: C) -> Result<V::Value>
where
    V: Visitor<'de>,
    C: Deserializer<'de, Error = Error>,
{
    let triple = TripleAccess { kind, code, content: Some(content), next: 0 };
    visitor.visit_newtype_struct(TripleDeserializer { triple, handshake: Handshake::default() })
}

/// An extension: its triple for a visitor that knows of it, its natural form for any other.
struct TripleDeserializer<C> {
    triple: TripleAccess<C>,
    handshake: Handshake,
}

impl<'de, C: Deserializer<'de, Error = Error>> Deserializer<'de> for TripleDeserializer<C> {
    type Error = Error;

    #[cold]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let TripleAccess { kind, code, content, .. } = self.triple;
        let content = content.ok_or_else(|| malformed("an extension has one content"))?;
        if kind != Kind::Timestamp {
            return content.deserialize_any(visitor);
        }
        let seconds = i64::deserialize(content)?;
        let time = u32::try_from(code).ok().and_then(|code| Timestamp::new(seconds, code));
        let time = time
            .ok_or_else(|| malformed(format_args!("{code} nanoseconds are more than a second")))?;
        visitor.visit_string(time.to_string())
    }

    #[inline]
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value> {
        if name == NAME { visitor.visit_seq(self.triple) } else { self.deserialize_any(visitor) }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.triple.content {
            Some(content) => content.deserialize_ignored_any(visitor),
            None => visitor.visit_unit(),
        }
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.handshake.answer()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple map struct enum identifier
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

/// The content of [`Kind::MessagePack`], borrowed from the input.
pub(crate) fn borrowed_bytes<'de>(bytes: &'de [u8]) -> impl Deserializer<'de, Error = Error> {
    serde::de::value::BorrowedBytesDeserializer::new(bytes)
}
