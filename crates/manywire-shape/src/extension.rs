//! Passes values through serde that serde's data model does not have. Serde's traits of
//! [`Timestamp`] are here; those of [`Value`](crate::Value) are beside it.
//!
//! Serde's data model has no timestamps, no decimal numbers beyond 64 bits and no format-specific
//! types. They are passed as a newtype struct with the name [`NAME`]. A newtype survives serde's
//! buffering (untagged enums, `flatten`), and a codec recognises it by its name: our serializers
//! convert it to the format's type or refuse it, and our deserializers pass it to
//! `visit_newtype_struct`.
//!
//! The newtype holds the triple `(kind, code, content)`, which only our own code sees: our
//! serializers and deserializers identify themselves by a [`Handshake`]. For any other serializer
//! or deserializer the newtype holds the natural form of the value:
//!
//! | value | written | read |
//! |---|---|---|
//! | a timestamp | text as in RFC 3339 | the same |
//! | a number beyond 64 bits | an integer of 128 bits, or an error | its text |
//! | a format-specific value | an error | its content |
//!
//! Data cannot take part in the handshake, so no input is mistaken for an extension.
//!
//! | kind | code | content |
//! |---|---|---|
//! | [`Kind::MessagePack`] | the type, `i8` in two's complement | bytes |
//! | [`Kind::CborTag`] | the tag | any value |
//! | [`Kind::CborSimple`] | the simple value | unit |
//! | [`Kind::Bson`] | the element type | the content of the element type |
//! | [`Kind::Timestamp`] | nanoseconds | seconds, `i64` |
//! | [`Kind::Number`] | 0, or [`KEEPS_TYPE`] | decimal text |

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use serde::de;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, SeqAccess, Unexpected, Visitor};
use serde::ser::{Error, Serialize, SerializeTuple, Serializer};

use crate::Timestamp;

/// The name of the newtype struct that carries an extension.
pub const NAME: &str = "$manywire::Extension";

/// The code of a number that a format without numbers beyond 64 bits must refuse. Such a format may
/// write a number of another code as bytes, like an integer of 128 bits; the table of formats says
/// so, and reports list it as a loss.
pub const KEEPS_TYPE: u64 = 1;

/// The meaning of an extension triple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// [`Space::MessagePack`](crate::Space::MessagePack).
    MessagePack = 0,
    /// [`Space::CborTag`](crate::Space::CborTag).
    CborTag = 1,
    /// [`Space::CborSimple`](crate::Space::CborSimple).
    CborSimple = 2,
    /// [`Space::Bson`](crate::Space::Bson).
    Bson = 3,
    /// A [`Timestamp`].
    Timestamp = 4,
    /// A number beyond 64 bits, [`Value::Number`](crate::Value::Number).
    Number = 5,
}

impl Kind {
    /// Returns the kind with this number in the triple.
    pub fn from_u8(number: u8) -> Option<Self> {
        Some(match number {
            0 => Kind::MessagePack,
            1 => Kind::CborTag,
            2 => Kind::CborSimple,
            3 => Kind::Bson,
            4 => Kind::Timestamp,
            5 => Kind::Number,
            _ => return None,
        })
    }
}

/// The mark of a serializer or a deserializer of a triple: its `is_human_readable` returns false
/// and true in turn. Every other serializer or deserializer always returns the same answer.
/// Wrappers forward the call, so the mark needs no state outside of the two sides.
#[derive(Debug, Default)]
pub struct Handshake(Cell<bool>);

impl Handshake {
    /// Returns the answer to one call of `is_human_readable`.
    #[inline]
    pub fn answer(&self) -> bool {
        self.0.replace(!self.0.get())
    }
}

#[inline]
fn is_marked(answer: impl Fn() -> bool) -> bool {
    let first = answer();
    answer() != first
}

/// Returns true if a deserializer, which was passed to `visit_newtype_struct`, holds a triple. Read
/// the triple by `deserialize_tuple_struct` with the name [`NAME`] and the length 3.
#[inline]
pub fn holds_triple<'de, D: Deserializer<'de>>(deserializer: &D) -> bool {
    is_marked(|| deserializer.is_human_readable())
}

/// Writes a number beyond 64 bits. The code is 0 or [`KEEPS_TYPE`].
pub(crate) fn serialize_number<S: Serializer>(
    serializer: S,
    text: &str,
    code: u64,
) -> Result<S::Ok, S::Error> {
    let natural = Natural::Number(text);
    let triple = Triple { kind: Kind::Number, code, content: text, natural };
    serializer.serialize_newtype_struct(NAME, &triple)
}

/// Writes a format-specific value.
///
/// # Errors
///
/// Fails in every other format, and if the format does not accept the code or the content.
pub fn serialize<S: Serializer, T: Serialize + ?Sized>(
    serializer: S,
    kind: Kind,
    code: u64,
    content: &T,
) -> Result<S::Ok, S::Error> {
    let triple = Triple { kind, code, content, natural: Natural::None };
    serializer.serialize_newtype_struct(NAME, &triple)
}

/// A type that is read from a format-specific value.
pub trait FromExtension<'de>: Sized {
    /// The name of the type with an article, for messages.
    const EXPECTED: &'static str;

    /// The type of the content.
    type Content: Deserialize<'de>;

    /// Returns whether a value of this kind and code has the type.
    fn is_expected(kind: Kind, code: u64) -> bool;

    /// Returns the value, or the reason that the content is invalid.
    ///
    /// # Errors
    ///
    /// Fails if the content has the type, but not the form that the format demands.
    fn from_content(code: u64, content: Self::Content) -> Result<Self, &'static str>;

    /// Returns the value for plain bytes, if the type includes them.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let _ = bytes;
        None
    }
}

/// Reads a format-specific value.
///
/// # Errors
///
/// Fails for every other value, and for a value that serde has buffered, in untagged and internally
/// tagged enums and in flattened fields: the buffer has the content without its type.
pub fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromExtension<'de>,
{
    deserializer.deserialize_newtype_struct(NAME, NewtypeVisitor(PhantomData))
}

struct NewtypeVisitor<T>(PhantomData<T>);

impl<'de, T: FromExtension<'de>> Visitor<'de> for NewtypeVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<T, E> {
        T::from_bytes(bytes).ok_or_else(|| E::invalid_type(Unexpected::Bytes(bytes), &self))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<T, D::Error> {
        if holds_triple(&inner) {
            return inner.deserialize_tuple_struct(NAME, 3, TripleVisitor(PhantomData));
        }
        Err(de::Error::custom(format_args!(
            "expected {}, found a value without its type; serde keeps no types of formats in untagged and internally tagged enums and in flattened fields",
            T::EXPECTED
        )))
    }
}

struct TripleVisitor<T>(PhantomData<T>);

impl<'de, T: FromExtension<'de>> Visitor<'de> for TripleVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<T, A::Error> {
        let (kind, code) = kind_and_code(&mut parts)?;
        if !T::is_expected(kind, code) {
            return Err(de::Error::custom(format_args!(
                "expected {}, found {}",
                T::EXPECTED,
                describe(kind, code)
            )));
        }
        let content = content(&mut parts, PhantomData::<T::Content>)?;
        T::from_content(code, content).map_err(de::Error::custom)
    }
}

/// Reads the first two parts of a triple.
pub(crate) fn kind_and_code<'de, A: SeqAccess<'de>>(
    parts: &mut A,
) -> Result<(Kind, u64), A::Error> {
    let number = parts.next_element::<u8>()?.ok_or_else(|| missing_part(0))?;
    let unknown = || de::Error::custom(format_args!("unknown extension kind {number}"));
    let kind = Kind::from_u8(number).ok_or_else(unknown)?;
    let code = parts.next_element::<u64>()?.ok_or_else(|| missing_part(1))?;
    Ok((kind, code))
}

/// Reads the third part of a triple.
pub(crate) fn content<'de, A: SeqAccess<'de>, S: DeserializeSeed<'de>>(
    parts: &mut A,
    seed: S,
) -> Result<S::Value, A::Error> {
    parts.next_element_seed(seed)?.ok_or_else(|| missing_part(2))
}

#[cold]
fn missing_part<E: de::Error>(index: usize) -> E {
    E::invalid_length(index, &"an extension: kind, code and content")
}

/// Returns the timestamp of a triple's code and content.
pub(crate) fn timestamp<E: de::Error>(seconds: i64, code: u64) -> Result<Timestamp, E> {
    let time = u32::try_from(code).ok().and_then(|code| Timestamp::new(seconds, code));
    time.ok_or_else(|| E::custom(format_args!("{code} nanoseconds are more than a second")))
}

/// Describes an extension for messages.
fn describe(kind: Kind, code: u64) -> String {
    let code = code.cast_signed();
    match kind {
        Kind::MessagePack => format!("a MessagePack extension of type {code}"),
        Kind::CborTag => format!("a CBOR value with the tag {code}"),
        Kind::CborSimple => format!("the CBOR simple value {code}"),
        Kind::Bson => format!("a BSON value of type {code}"),
        Kind::Timestamp => "a timestamp".to_owned(),
        Kind::Number => "a number beyond 64 bits".to_owned(),
    }
}

struct Triple<'a, T: ?Sized> {
    kind: Kind,
    code: u64,
    content: &'a T,
    natural: Natural<'a>,
}

/// The form of an extension for a serializer that does not take the triple.
#[derive(Clone, Copy)]
enum Natural<'a> {
    Time(Timestamp),
    Number(&'a str),
    /// The value has no form outside of its format.
    None,
}

impl<T: Serialize + ?Sized> Serialize for Triple<'_, T> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !is_marked(|| serializer.is_human_readable()) {
            return serialize_natural(serializer, self.kind, self.code, self.natural);
        }
        let mut parts = serializer.serialize_tuple(3)?;
        parts.serialize_element(&(self.kind as u8))?;
        parts.serialize_element(&self.code)?;
        parts.serialize_element(self.content)?;
        parts.end()
    }
}

#[cold]
fn serialize_natural<S: Serializer>(
    serializer: S,
    kind: Kind,
    code: u64,
    natural: Natural<'_>,
) -> Result<S::Ok, S::Error> {
    match natural {
        Natural::Time(time) => serializer.collect_str(&time),
        Natural::Number(text) => match (text.parse::<i128>(), text.parse::<u128>()) {
            (Ok(integer), _) => serializer.serialize_i128(integer),
            (_, Ok(integer)) => serializer.serialize_u128(integer),
            _ => Err(S::Error::custom(format_args!(
                "this serializer has no numbers beyond 64 bits and 128-bit integers, found {text}; \
                 convert it to a float or to text"
            ))),
        },
        Natural::None => Err(S::Error::custom(format_args!(
            "only its own format can represent {}; replace it by a plain value, as \
             `manywire convert --lossy` does",
            describe(kind, code)
        ))),
    }
}

/// Writes the timestamp type of the format, or text in a format without one.
impl Serialize for Timestamp {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let triple = Triple {
            kind: Kind::Timestamp,
            code: u64::from(self.nanoseconds),
            content: &self.seconds,
            natural: Natural::Time(*self),
        };
        serializer.serialize_newtype_struct(NAME, &triple)
    }
}

/// Reads the timestamp type of the format, or text.
impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, TimestampVisitor)
    }
}

struct TimestampVisitor;

impl<'de> Visitor<'de> for TimestampVisitor {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a timestamp")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        if holds_triple(&inner) {
            return inner.deserialize_tuple_struct(NAME, 3, TimestampTripleVisitor);
        }
        // Deserializers that ignore the names of types call this method for any value. So does
        // serde's buffer, which holds an extension as text.
        inner.deserialize_str(TimestampTextVisitor)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        TimestampTextVisitor.visit_str(text)
    }
}

/// Reads the text of RFC 3339.
struct TimestampTextVisitor;

impl Visitor<'_> for TimestampTextVisitor {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a timestamp as text of RFC 3339, such as 2023-11-14T22:13:20Z")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        text.parse().map_err(E::custom)
    }
}

/// Reads the triple of a timestamp.
struct TimestampTripleVisitor;

impl<'de> Visitor<'de> for TimestampTripleVisitor {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a timestamp")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let (kind, nanoseconds) = kind_and_code(&mut parts)?;
        if kind != Kind::Timestamp {
            return Err(de::Error::custom("expected a timestamp, found another extension"));
        }
        let seconds = content(&mut parts, PhantomData)?;
        timestamp(seconds, nanoseconds)
    }
}
