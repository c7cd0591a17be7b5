//! Dynamic values: values whose type is known only at run time.

use std::borrow::Cow;
use std::fmt;

use serde::de;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::arena::move_to_arena;
use crate::extension::Kind;
use crate::{Arena, Timestamp, extension, long_integers};

/// A dynamic value: the union of the data models of all formats.
///
/// A value is a handle of 24 bytes. Text, bytes, items and entries are borrowed from the input or
/// from an [`Arena`]. So a value is `Copy`, a whole document takes a handful of
/// allocations, and dropping it costs nothing.
///
/// Integers that fit an `i64` are `I64`, independent of their width on the wire; [`Value::from`]
/// ensures this. The one exception is [`Value::Long`]. The entries of a map keep the order of the
/// input, keys may be any value, and duplicates are kept.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer within `i64`.
    I64(i64),
    /// An integer above `i64::MAX`.
    U64(u64),
    /// An integer that fits 32 bits but had 64 bits in BSON, which distinguishes the two widths. It
    /// equals the [`Value::I64`] of the same number, and every other format treats both alike.
    Long(i64),
    /// A decimal integer or fraction that no 64-bit type holds exactly, as text in JSON's grammar.
    Number(&'a str),
    /// A 32-bit float.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
    /// Text.
    Str(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
    /// Items in order.
    Array(&'a [Value<'a>]),
    /// Entries in order, keys of any kind.
    Map(&'a [(Value<'a>, Value<'a>)]),
    /// A point in time.
    Timestamp(Timestamp),
    /// A value that only one format has.
    Ext(&'a Ext<'a>),
}

/// A format-specific value: an extension type, a tag, or a special type.
#[derive(Clone, Copy, Debug)]
pub struct Ext<'a> {
    /// The format that the value belongs to.
    pub space: Space,
    /// The code within that format: a MessagePack type (an `i8` in two's complement, so `-5` is
    /// `-5i8 as u64`), a CBOR tag or simple value, or a BSON element type.
    pub code: u64,
    /// The content: bytes for MessagePack, any value for a CBOR tag, null for a CBOR simple value,
    /// and for BSON the content of the element type.
    pub content: Value<'a>,
}

/// The namespaces of format-specific values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Extension types of MessagePack.
    MessagePack,
    /// Tags of CBOR (RFC 8949, section 3.4).
    CborTag,
    /// Simple values of CBOR other than false, true, null and floats (section 3.3).
    CborSimple,
    /// Element types of BSON that no other variant of [`Value`] covers.
    Bson,
}

// The conversions between `Kind` and `Space` are here because this module uses `extension`, which does
// not use this one.

impl From<Space> for Kind {
    fn from(space: Space) -> Self {
        match space {
            Space::MessagePack => Kind::MessagePack,
            Space::CborTag => Kind::CborTag,
            Space::CborSimple => Kind::CborSimple,
            Space::Bson => Kind::Bson,
        }
    }
}

impl Kind {
    /// Returns the format that the extension belongs to, if it is format-specific.
    pub fn space(self) -> Option<Space> {
        Some(match self {
            Kind::MessagePack => Space::MessagePack,
            Kind::CborTag => Space::CborTag,
            Kind::CborSimple => Space::CborSimple,
            Kind::Bson => Space::Bson,
            Kind::Timestamp | Kind::Number => return None,
        })
    }
}

impl From<u64> for Value<'_> {
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or(Value::U64(number), Value::I64)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::I64(number)
    }
}

impl<'a> Value<'a> {
    /// Returns the value of a map's entry with this text as its key. If the key occurs more than
    /// once, the last entry counts, as in JSON readers.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        let Value::Map(entries) = self else { return None };
        entries
            .iter()
            .rev()
            .find(|(name, _)| matches!(name, Value::Str(text) if *text == key))
            .map(|entry| entry.1)
    }

    /// Returns the integer if it fits an `i64`, whatever its width was.
    #[inline]
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Value::I64(number) | Value::Long(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the integer or boolean that the text of a key stands for, in formats such as JSON whose
    /// keys are text: `true`, `false`, or digits without a plus sign and leading zeros, as Protocol
    /// Buffers write keys in JSON. Returns `None` for any other text.
    pub fn from_key_text(text: &'a str) -> Option<Value<'a>> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        match digits.as_bytes() {
            b"0" if text == "0" => Some(Value::I64(0)),
            [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {
                let signed = text.parse().map(Value::I64);
                let number = signed.or_else(|_| text.parse().map(Value::U64));
                Some(number.unwrap_or(Value::Number(text)))
            }
            b"true" if text == digits => Some(Value::Bool(true)),
            b"false" if text == digits => Some(Value::Bool(false)),
            _ => None,
        }
    }

    /// Returns the text of a key that is text, an integer of 64 bits or a boolean, in formats such as
    /// JSON whose keys are text. Returns `None` for any other key. [`Value::from_key_text`] is the
    /// reverse.
    ///
    /// ```
    /// use manywire_shape::Value;
    ///
    /// assert_eq!(Value::I64(-7).key_text().as_deref(), Some("-7"));
    /// assert_eq!(Value::Bool(true).key_text().as_deref(), Some("true"));
    /// assert_eq!(Value::F64(0.5).key_text(), None);
    /// ```
    pub fn key_text(&self) -> Option<Cow<'a, str>> {
        Some(match *self {
            Value::Str(text) => Cow::Borrowed(text),
            Value::I64(number) | Value::Long(number) => Cow::Owned(number.to_string()),
            Value::U64(number) => Cow::Owned(number.to_string()),
            Value::Bool(truth) => Cow::Owned(truth.to_string()),
            _ => return None,
        })
    }

    /// Returns the name of the value's kind, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::I64(_) | Value::U64(_) | Value::Long(_) => "an integer",
            Value::Number(text) if text.contains(['.', 'e', 'E']) => {
                "a number that no double represents exactly"
            }
            Value::Number(_) => "an integer beyond 64 bits",
            Value::F32(_) | Value::F64(_) => "a float",
            Value::Str(_) => "a string",
            Value::Bytes(_) => "bytes",
            Value::Array(_) => "an array",
            Value::Map(_) => "a map",
            Value::Timestamp(_) => "a timestamp",
            Value::Ext(_) => "an extension",
        }
    }
}

/// Compares by identity, not arithmetic: floats are compared by their bits, so a NaN equals itself,
/// `0.0` differs from `-0.0`, and `1` differs from `1.0`. The width of an integer does not matter.
/// The order of entries matters.
impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::I64(left) | Value::Long(left), Value::I64(right) | Value::Long(right)) => {
                left == right
            }
            (Value::U64(left), Value::U64(right)) => left == right,
            (Value::Number(left), Value::Number(right)) => left == right,
            (Value::F32(left), Value::F32(right)) => left.to_bits() == right.to_bits(),
            (Value::F64(left), Value::F64(right)) => left.to_bits() == right.to_bits(),
            (Value::Str(left), Value::Str(right)) => left == right,
            (Value::Bytes(left), Value::Bytes(right)) => left == right,
            (Value::Array(left), Value::Array(right)) => left == right,
            (Value::Map(left), Value::Map(right)) => left == right,
            (Value::Timestamp(left), Value::Timestamp(right)) => left == right,
            (Value::Ext(left), Value::Ext(right)) => left == right,
            _ => false,
        }
    }
}

impl Eq for Value<'_> {}

impl PartialEq for Ext<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.space == other.space && self.code == other.code && self.content == other.content
    }
}

impl Eq for Ext<'_> {}

impl Value<'_> {
    /// Returns the same value with everything that it borrows copied into an arena. Recurses to the
    /// depth of the value, which its reader has bounded.
    pub fn copied<'a>(&self, arena: &'a Arena) -> Value<'a> {
        match *self {
            Value::Null => Value::Null,
            Value::Bool(truth) => Value::Bool(truth),
            Value::I64(number) => Value::I64(number),
            Value::Long(number) => Value::Long(number),
            Value::U64(number) => Value::U64(number),
            Value::F32(number) => Value::F32(number),
            Value::F64(number) => Value::F64(number),
            Value::Timestamp(time) => Value::Timestamp(time),
            Value::Number(text) => Value::Number(arena.alloc_str(text)),
            Value::Str(text) => Value::Str(arena.alloc_str(text)),
            Value::Bytes(bytes) => Value::Bytes(arena.alloc_slice_copy(bytes)),
            Value::Array(items) => {
                let items = items.iter().map(|item| item.copied(arena));
                Value::Array(arena.alloc_slice_fill_iter(items))
            }
            Value::Map(entries) => {
                let entries =
                    entries.iter().map(|(key, value)| (key.copied(arena), value.copied(arena)));
                Value::Map(arena.alloc_slice_fill_iter(entries))
            }
            Value::Ext(ext) => {
                let content = ext.content.copied(arena);
                Value::Ext(arena.alloc(Ext { space: ext.space, code: ext.code, content }))
            }
        }
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(value),
            // Serialized as `i32` if it fits: BSON keeps the width, and all its drivers write
            // untyped integers that fit as int32, except for those that they read as int64. The
            // other formats ignore the width.
            Value::I64(value) => match i32::try_from(value) {
                Ok(narrow) => serializer.serialize_i32(narrow),
                Err(_) => serializer.serialize_i64(value),
            },
            Value::Long(value) => serialize_long(serializer, value),
            Value::U64(value) => serializer.serialize_u64(value),
            Value::F32(value) => serializer.serialize_f32(value),
            Value::F64(value) => serializer.serialize_f64(value),
            Value::Str(value) => serializer.serialize_str(value),
            Value::Bytes(value) => serializer.serialize_bytes(value),
            Value::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(item)?;
                }
                seq.end()
            }
            Value::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
            Value::Timestamp(timestamp) => timestamp.serialize(serializer),
            Value::Number(text) => extension::serialize_number(serializer, text, 0),
            Value::Ext(ext) => {
                extension::serialize(serializer, ext.space.into(), ext.code, &ext.content)
            }
        }
    }
}

/// Writes an integer that was 64 bits wide. Out of line, so that this rare variant does not change
/// the code of other integers.
#[cold]
#[inline(never)]
fn serialize_long<S: Serializer>(serializer: S, value: i64) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(value)
}

/// Reads one [`Value`] from any self-describing deserializer.
///
/// Text and bytes that the deserializer lends stay borrowed; everything else is copied into the
/// arena. Items are collected on stacks in the seed and copied to the arena once their number is
/// known, so no memory is reserved by a length that the input states.
pub struct ValueSeed<'a> {
    arena: &'a Arena,
    keeps_widths: bool,
    items: Vec<Value<'a>>,
    entries: Vec<(Value<'a>, Value<'a>)>,
}

impl<'a> ValueSeed<'a> {
    /// Returns a seed that allocates from this arena.
    pub fn new(arena: &'a Arena) -> Self {
        ValueSeed { arena, keeps_widths: false, items: Vec::new(), entries: Vec::new() }
    }

    /// Returns the value for a double that may represent an integer beyond 64 bits.
    #[cold]
    #[inline(never)]
    fn large<E: de::Error>(&self, double: f64) -> Result<Value<'a>, E> {
        Ok(match long_integers::text_of(double)? {
            Some(text) => Value::Number(self.arena.alloc_str(&text)),
            None => Value::F64(double),
        })
    }

    /// Reads an `i64` that fits 32 bits as [`Value::Long`], for BSON. The other deserializers have
    /// one width for all integers.
    #[must_use]
    pub fn with_widths(mut self) -> Self {
        self.keeps_widths = true;
        self
    }
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for &mut ValueSeed<'a> {
    type Value = Value<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for &mut ValueSeed<'a> {
    type Value = Value<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i32<E>(self, value: i32) -> Result<Self::Value, E> {
        Ok(Value::I64(value.into()))
    }

    #[inline]
    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        if self.keeps_widths && i32::try_from(value).is_ok() {
            return Ok(Value::Long(value));
        }
        Ok(Value::I64(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Self::Value, E> {
        Ok(match (i64::try_from(value), u64::try_from(value)) {
            (Ok(small), _) => Value::I64(small),
            (_, Ok(small)) => Value::U64(small),
            _ => Value::Number(self.arena.alloc_str(&value.to_string())),
        })
    }

    fn visit_u128<E>(self, value: u128) -> Result<Self::Value, E> {
        Ok(match u64::try_from(value) {
            Ok(small) => Value::from(small),
            Err(_) => Value::Number(self.arena.alloc_str(&value.to_string())),
        })
    }

    fn visit_f32<E>(self, value: f32) -> Result<Self::Value, E> {
        Ok(Value::F32(value))
    }

    #[inline]
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        if long_integers::may_be(value) { self.large(value) } else { Ok(Value::F64(value)) }
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Value::Str(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::Str(self.arena.alloc_str(text)))
    }

    fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(Value::Bytes(bytes))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Value::Bytes(self.arena.alloc_slice_copy(bytes)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let start = self.items.len();
        while let Some(item) = seq.next_element_seed(&mut *self)? {
            self.items.push(item);
        }
        Ok(Value::Array(move_to_arena(&mut self.items, start, self.arena)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let start = self.entries.len();
        while let Some(key) = map.next_key_seed(&mut *self)? {
            let value = map.next_value_seed(&mut *self)?;
            self.entries.push((key, value));
        }
        Ok(Value::Map(move_to_arena(&mut self.entries, start, self.arena)))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        if extension::holds_triple(&inner) {
            return inner.deserialize_tuple_struct(extension::NAME, 3, ExtensionVisitor(self));
        }
        // A newtype of another deserializer.
        inner.deserialize_any(self)
    }
}

/// Reads the triple of [`crate::extension`].
struct ExtensionVisitor<'s, 'a>(&'s mut ValueSeed<'a>);

impl<'de: 'a, 'a> Visitor<'de> for ExtensionVisitor<'_, 'a> {
    type Value = Value<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an extension: kind, code and content")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let seed = self.0;
        let (kind, code) = extension::kind_and_code(&mut parts)?;
        let content = extension::content(&mut parts, &mut *seed)?;
        match (kind, kind.space(), content) {
            (_, Some(space), content) => {
                Ok(Value::Ext(seed.arena.alloc(Ext { space, code, content })))
            }
            (Kind::Timestamp, _, Value::I64(seconds) | Value::Long(seconds)) => {
                extension::timestamp(seconds, code).map(Value::Timestamp)
            }
            (Kind::Number, _, Value::Str(text)) => Ok(Value::Number(text)),
            (_, _, content) => {
                Err(de::Error::custom(format_args!("an extension cannot hold {}", content.kind())))
            }
        }
    }
}
