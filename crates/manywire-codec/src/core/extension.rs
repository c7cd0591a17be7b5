//! Reads and writes extensions through serde, as the triple that [`manywire_shape::extension`]
//! describes: kind, code, content.

use std::fmt::Display;

use manywire_shape::Timestamp;
use manywire_shape::extension::{Handshake, Kind, NAME};
use serde::de::value::{StrDeserializer, U8Deserializer, U64Deserializer};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde::ser::{Impossible, Serialize, SerializeTuple};

use super::error::{Error, Result};
use super::partial::{Accept, PartialSerializer};

#[cold]
#[inline(never)]
fn no_part<T>() -> Result<T> {
    Err(Error::unsupported("malformed extension: expected kind, code and content"))
}

// Writing: from the triple to the format.

/// A serializer that writes extensions, or rejects those that its format cannot represent.
pub(crate) trait WriteExtension: Sized {
    /// Writes one whole extension. `content` is not yet serialized: the format serializes the
    /// content of a tag itself, and reads the content of a known kind by [`with_bytes`],
    /// [`with_str`] or [`i64_of`].
    fn extension<T: Serialize + ?Sized>(self, kind: Kind, code: u64, content: &T) -> Result<()>;

    /// Writes `triple`, the content of the newtype, by passing its parts to [`Self::extension`].
    fn triple<T: Serialize + ?Sized>(self, triple: &T) -> Result<()> {
        triple.serialize(PartialSerializer(TripleParts {
            writer: Some(self),
            kind: None,
            code: None,
            handshake: Handshake::default(),
        }))
    }
}

/// Calls `take` with the bytes that `part` serializes to. Fails if `part` is not bytes.
pub(crate) fn with_bytes<T: Serialize + ?Sized>(
    part: &T,
    take: impl FnOnce(&[u8]) -> Result<()>,
) -> Result<()> {
    part.serialize(PartialSerializer(BytesPart(take)))
}

/// Calls `take` with the text that `part` serializes to. Fails if `part` is not text.
pub(crate) fn with_str<T: Serialize + ?Sized>(
    part: &T,
    take: impl FnOnce(&str) -> Result<()>,
) -> Result<()> {
    part.serialize(PartialSerializer(StrPart(take)))
}

/// Returns the integer that `part` serializes to; a `u64` keeps its bits. The function is not
/// inlined, to stay out of the loop over the items of an Avro array, which may be bytes.
#[inline(never)]
pub(crate) fn i64_of<T: Serialize + ?Sized>(part: &T) -> Result<i64> {
    part.serialize(PartialSerializer(IntegerPart))
}

/// Returns the extension kind with this number.
fn kind_of(number: u64) -> Result<Kind> {
    u8::try_from(number)
        .ok()
        .and_then(Kind::from_u8)
        .ok_or_else(|| Error::unsupported(format_args!("unknown extension kind {number}")))
}

/// A part that is an integer. Codes are `u64`, whose 64 bits are kept in an `i64`.
struct IntegerPart;

impl Accept for IntegerPart {
    type Ok = i64;
    type Error = Error;
    type Tuple = Impossible<i64, Error>;

    fn reject<R>(self, _: &dyn Display) -> Result<R> {
        no_part()
    }
    fn signed(self, value: i64) -> Result<i64> {
        Ok(value)
    }
    fn unsigned(self, value: u64) -> Result<i64> {
        Ok(value.cast_signed())
    }
}

struct BytesPart<F>(F);

impl<F: FnOnce(&[u8]) -> Result<()>> Accept for BytesPart<F> {
    type Ok = ();
    type Error = Error;
    type Tuple = Impossible<(), Error>;

    fn reject<R>(self, _: &dyn Display) -> Result<R> {
        no_part()
    }
    fn bytes(self, value: &[u8]) -> Result<()> {
        (self.0)(value)
    }
}

struct StrPart<F>(F);

impl<F: FnOnce(&str) -> Result<()>> Accept for StrPart<F> {
    type Ok = ();
    type Error = Error;
    type Tuple = Impossible<(), Error>;

    fn reject<R>(self, _: &dyn Display) -> Result<R> {
        no_part()
    }
    fn text(self, value: &str) -> Result<()> {
        (self.0)(value)
    }
}

struct TripleParts<W> {
    /// The serializer, until it has written the extension.
    writer: Option<W>,
    kind: Option<Kind>,
    code: Option<u64>,
    handshake: Handshake,
}

impl<W: WriteExtension> TripleParts<W> {
    fn write<T: Serialize + ?Sized>(&mut self, kind: Kind, code: u64, content: &T) -> Result<()> {
        match self.writer.take() {
            Some(writer) => writer.extension(kind, code, content),
            None => no_part(),
        }
    }
}

impl<W: WriteExtension> Accept for TripleParts<W> {
    type Ok = ();
    type Error = Error;
    type Tuple = Self;

    fn reject<R>(self, _: &dyn Display) -> Result<R> {
        no_part()
    }
    fn tuple(self) -> Result<Self> {
        Ok(self)
    }

    /// Writes a timestamp from its text: serde buffers the content of some variants, and a
    /// timestamp is text in the buffer.
    #[cold]
    fn text(mut self, text: &str) -> Result<()> {
        let time: Timestamp = text.parse().map_err(Error::unsupported)?;
        self.write(Kind::Timestamp, time.nanoseconds.into(), &time.seconds)
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.handshake.answer()
    }
}

impl<W: WriteExtension> SerializeTuple for TripleParts<W> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, part: &T) -> Result<()> {
        match (self.kind, self.code) {
            (None, _) => self.kind = Some(kind_of(i64_of(part)?.cast_unsigned())?),
            (_, None) => self.code = Some(i64_of(part)?.cast_unsigned()),
            (Some(kind), Some(code)) => self.write(kind, code, part)?,
        }
        Ok(())
    }

    fn end(self) -> Result<()> {
        Ok(())
    }
}

// Reading: from the format to the triple.

/// Passes an extension to a visitor. Decoders call this function when `deserialize_any`, or
/// `deserialize_newtype_struct` with the name [`manywire_shape::extension::NAME`], finds an
/// extension.
pub(crate) fn visit<'de, V, C>(visitor: V, kind: Kind, code: u64, content: C) -> Result<V::Value>
where
    V: Visitor<'de>,
    C: Deserializer<'de, Error = Error>,
{
    let triple = TripleAccess { kind, code, content: Some(content), next: 0 };
    visitor.visit_newtype_struct(TripleDeserializer { triple, handshake: Handshake::default() })
}

/// Deserializes an extension: as its triple if the visitor requests the tuple struct [`NAME`],
/// otherwise in its natural form, such as the text of a time.
struct TripleDeserializer<C> {
    triple: TripleAccess<C>,
    handshake: Handshake,
}

impl<'de, C: Deserializer<'de, Error = Error>> Deserializer<'de> for TripleDeserializer<C> {
    type Error = Error;

    #[cold]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let TripleAccess { kind, code, content, .. } = self.triple;
        let content = content.ok_or_else(|| Error::unsupported("an extension has one content"))?;
        if kind != Kind::Timestamp {
            return content.deserialize_any(visitor);
        }
        let seconds = i64::deserialize(content)?;
        let time = u32::try_from(code).ok().and_then(|code| Timestamp::new(seconds, code));
        let time = time.ok_or_else(|| {
            Error::unsupported(format_args!("{code} nanoseconds are more than a second"))
        })?;
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
