//! Dynamic values that own their data.

use std::fmt;
use std::marker::PhantomData;

use serde::de;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::extension::Kind;
use crate::{
    Arena, Ext, Node, NodeId, ShapeBuilder, Shaped, Space, Timestamp, Value, extension,
    long_integers,
};

/// A dynamic value that owns its data: the type of a field that holds a value of any kind.
///
/// The type is to all formats what `serde_json::Value`, `rmpv::Value` and `bson::Bson` are to
/// theirs. Each value keeps its type in every format that has the type, and is refused with its
/// path elsewhere. [`Value`] is the borrowed counterpart, for whole documents: a document takes a
/// handful of allocations, where `OwnedValue` takes one for each text and list.
///
/// ```
/// use manywire_shape::{OwnedValue, Timestamp};
///
/// let time = Timestamp { seconds: 1_700_000_000, nanoseconds: 0 };
/// let value = OwnedValue::from([("at", OwnedValue::from(time)), ("id", OwnedValue::from(7))]);
/// assert_eq!(value.get("id"), Some(&OwnedValue::I64(7)));
/// ```
///
/// Integers keep their width, because BSON and Avro distinguish 32 and 64 bits. Equality and the
/// other formats ignore the width.
///
/// JSON is the exception: serde_json writes the times and keys of a typed value as text, bytes as
/// an array, and NaN and infinities as null, and reads text, an array and null back. An
/// integer beyond 64 bits is a [`OwnedValue::Number`] with its digits; such an integer is refused
/// with its path if the same text has another number, written differently, with the same nearest
/// double. A fraction is a float, rounded to the nearest double as by every reader of floats:
/// `0.10000000000000001` is 0.1. Read a [`Value`] where the digits of fractions matter.
#[derive(Clone, Debug, Default)]
pub enum OwnedValue {
    /// Null.
    #[default]
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer of 32 bits.
    I32(i32),
    /// An integer of 64 bits.
    I64(i64),
    /// An integer above `i64::MAX`.
    U64(u64),
    /// A decimal integer or fraction that no 64-bit type holds exactly, as text in JSON's grammar.
    Number(String),
    /// A 32-bit float.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
    /// Text.
    Str(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Items in order.
    Array(Vec<OwnedValue>),
    /// Entries in order, keys of any kind. Duplicates are kept.
    Map(Vec<(OwnedValue, OwnedValue)>),
    /// A point in time.
    Timestamp(Timestamp),
    /// A value that only one format has.
    Ext(Box<OwnedExt>),
}

/// A format-specific value, as [`Ext`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedExt {
    /// The format that the value belongs to.
    pub space: Space,
    /// The code within that format.
    pub code: u64,
    /// The content.
    pub content: OwnedValue,
}

impl OwnedValue {
    /// Returns the value of a map's entry with this text as its key. If the key occurs more than
    /// once, the last entry counts, as in JSON readers.
    pub fn get(&self, key: &str) -> Option<&OwnedValue> {
        let OwnedValue::Map(entries) = self else { return None };
        let is_key = |name: &OwnedValue| matches!(name, OwnedValue::Str(text) if text == key);
        entries.iter().rev().find(|(name, _)| is_key(name)).map(|entry| &entry.1)
    }

    /// Returns the value as a [`Value`]. Lists and maps are allocated in `arena`; text and bytes
    /// are borrowed from `self`.
    pub fn borrowed<'a>(&'a self, arena: &'a Arena) -> Value<'a> {
        match self {
            OwnedValue::Null => Value::Null,
            OwnedValue::Bool(truth) => Value::Bool(*truth),
            OwnedValue::I32(number) => Value::I64((*number).into()),
            // A small integer of a `Value` has 32 bits unless it is `Value::Long`.
            OwnedValue::I64(number) => match i32::try_from(*number) {
                Ok(_) => Value::Long(*number),
                Err(_) => Value::I64(*number),
            },
            OwnedValue::U64(number) => Value::from(*number),
            OwnedValue::Number(text) => Value::Number(text),
            OwnedValue::F32(number) => Value::F32(*number),
            OwnedValue::F64(number) => Value::F64(*number),
            OwnedValue::Str(text) => Value::Str(text),
            OwnedValue::Bytes(bytes) => Value::Bytes(bytes),
            OwnedValue::Array(items) => {
                let items = items.iter().map(|item| item.borrowed(arena));
                Value::Array(arena.alloc_slice_fill_iter(items))
            }
            OwnedValue::Map(entries) => {
                let entries =
                    entries.iter().map(|(key, value)| (key.borrowed(arena), value.borrowed(arena)));
                Value::Map(arena.alloc_slice_fill_iter(entries))
            }
            OwnedValue::Timestamp(time) => Value::Timestamp(*time),
            OwnedValue::Ext(ext) => {
                let content = ext.content.borrowed(arena);
                Value::Ext(arena.alloc(Ext { space: ext.space, code: ext.code, content }))
            }
        }
    }
}

/// Compares as [`Value`] does: by identity, not arithmetic, and without the width of integers.
impl PartialEq for OwnedValue {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (OwnedValue::Null, OwnedValue::Null) => true,
            (OwnedValue::Bool(left), OwnedValue::Bool(right)) => left == right,
            (OwnedValue::I32(left), OwnedValue::I32(right)) => left == right,
            (OwnedValue::I64(left), OwnedValue::I64(right)) => left == right,
            (OwnedValue::I32(narrow), OwnedValue::I64(wide))
            | (OwnedValue::I64(wide), OwnedValue::I32(narrow)) => *wide == i64::from(*narrow),
            (OwnedValue::U64(left), OwnedValue::U64(right)) => left == right,
            (OwnedValue::Number(left), OwnedValue::Number(right)) => left == right,
            (OwnedValue::F32(left), OwnedValue::F32(right)) => left.to_bits() == right.to_bits(),
            (OwnedValue::F64(left), OwnedValue::F64(right)) => left.to_bits() == right.to_bits(),
            (OwnedValue::Str(left), OwnedValue::Str(right)) => left == right,
            (OwnedValue::Bytes(left), OwnedValue::Bytes(right)) => left == right,
            (OwnedValue::Array(left), OwnedValue::Array(right)) => left == right,
            (OwnedValue::Map(left), OwnedValue::Map(right)) => left == right,
            (OwnedValue::Timestamp(left), OwnedValue::Timestamp(right)) => left == right,
            (OwnedValue::Ext(left), OwnedValue::Ext(right)) => left == right,
            _ => false,
        }
    }
}

impl Eq for OwnedValue {}

/// Copies everything that the value borrows. An integer has 32 bits if it fits, unless it is a
/// [`Value::Long`].
impl From<Value<'_>> for OwnedValue {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Null => OwnedValue::Null,
            Value::Bool(truth) => OwnedValue::Bool(truth),
            Value::I64(number) => {
                i32::try_from(number).map_or(OwnedValue::I64(number), OwnedValue::I32)
            }
            Value::Long(number) => OwnedValue::I64(number),
            Value::U64(number) => OwnedValue::U64(number),
            Value::Number(text) => OwnedValue::Number(text.to_owned()),
            Value::F32(number) => OwnedValue::F32(number),
            Value::F64(number) => OwnedValue::F64(number),
            Value::Str(text) => OwnedValue::Str(text.to_owned()),
            Value::Bytes(bytes) => OwnedValue::Bytes(bytes.to_owned()),
            Value::Array(items) => {
                OwnedValue::Array(items.iter().map(|&item| item.into()).collect())
            }
            Value::Map(entries) => {
                let entries = entries.iter().map(|&(key, value)| (key.into(), value.into()));
                OwnedValue::Map(entries.collect())
            }
            Value::Timestamp(time) => OwnedValue::Timestamp(time),
            Value::Ext(&Ext { space, code, content }) => {
                OwnedValue::Ext(Box::new(OwnedExt { space, code, content: content.into() }))
            }
        }
    }
}

macro_rules! from {
    ($($ty:ty => $make:expr;)*) => {$(
        impl From<$ty> for OwnedValue {
            fn from(value: $ty) -> Self {
                $make(value)
            }
        }
    )*};
}

from! {
    bool => OwnedValue::Bool;
    i32 => OwnedValue::I32;
    i64 => OwnedValue::I64;
    u64 => |number| i64::try_from(number).map_or(OwnedValue::U64(number), OwnedValue::I64);
    f32 => OwnedValue::F32;
    f64 => OwnedValue::F64;
    String => OwnedValue::Str;
    Timestamp => OwnedValue::Timestamp;
    Vec<OwnedValue> => OwnedValue::Array;
}

impl From<&str> for OwnedValue {
    fn from(text: &str) -> Self {
        OwnedValue::Str(text.to_owned())
    }
}

/// Makes a map with these texts as keys.
impl<const N: usize> From<[(&str, OwnedValue); N]> for OwnedValue {
    fn from(entries: [(&str, OwnedValue); N]) -> Self {
        OwnedValue::Map(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

impl Shaped for OwnedValue {
    fn node(builder: &mut ShapeBuilder) -> NodeId {
        builder.add(Node::Any)
    }
}

impl Serialize for OwnedValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            OwnedValue::Null => serializer.serialize_unit(),
            OwnedValue::Bool(truth) => serializer.serialize_bool(*truth),
            OwnedValue::I32(number) => serializer.serialize_i32(*number),
            OwnedValue::I64(number) => serializer.serialize_i64(*number),
            OwnedValue::U64(number) => serializer.serialize_u64(*number),
            OwnedValue::Number(text) => {
                extension::serialize_number(serializer, text, extension::KEEPS_TYPE)
            }
            OwnedValue::F32(number) => serializer.serialize_f32(*number),
            OwnedValue::F64(number) => serializer.serialize_f64(*number),
            OwnedValue::Str(text) => serializer.serialize_str(text),
            OwnedValue::Bytes(bytes) => serializer.serialize_bytes(bytes),
            OwnedValue::Timestamp(time) => time.serialize(serializer),
            OwnedValue::Array(items) => serializer.collect_seq(items),
            OwnedValue::Map(entries) => {
                serializer.collect_map(entries.iter().map(|(key, value)| (key, value)))
            }
            OwnedValue::Ext(ext) => {
                extension::serialize(serializer, ext.space.into(), ext.code, &ext.content)
            }
        }
    }
}

/// Reads a value from any self-describing deserializer, which limits the depth.
impl<'de> Deserialize<'de> for OwnedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OwnedVisitor)
    }
}

struct OwnedVisitor;

impl<'de> Visitor<'de> for OwnedVisitor {
    type Value = OwnedValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<OwnedValue, E> {
        Ok(OwnedValue::Null)
    }

    fn visit_none<E>(self) -> Result<OwnedValue, E> {
        Ok(OwnedValue::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<OwnedValue, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<OwnedValue, E> {
        Ok(OwnedValue::Bool(value))
    }

    fn visit_i32<E>(self, value: i32) -> Result<OwnedValue, E> {
        Ok(OwnedValue::I32(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<OwnedValue, E> {
        Ok(OwnedValue::I64(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<OwnedValue, E> {
        Ok(value.into())
    }

    fn visit_i128<E>(self, value: i128) -> Result<OwnedValue, E> {
        Ok(match (i64::try_from(value), u64::try_from(value)) {
            (Ok(small), _) => small.into(),
            (_, Ok(small)) => small.into(),
            _ => OwnedValue::Number(value.to_string()),
        })
    }

    fn visit_u128<E>(self, value: u128) -> Result<OwnedValue, E> {
        let large = |_| OwnedValue::Number(value.to_string());
        Ok(u64::try_from(value).map_or_else(large, OwnedValue::from))
    }

    fn visit_f32<E>(self, value: f32) -> Result<OwnedValue, E> {
        Ok(OwnedValue::F32(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<OwnedValue, E> {
        if !long_integers::may_be(value) {
            return Ok(OwnedValue::F64(value));
        }
        let text = long_integers::text_of(value)?;
        Ok(text.map_or(OwnedValue::F64(value), |text| OwnedValue::Number(text.into())))
    }

    fn visit_str<E>(self, text: &str) -> Result<OwnedValue, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<OwnedValue, E> {
        Ok(OwnedValue::Str(text))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<OwnedValue, E> {
        Ok(OwnedValue::Bytes(bytes.to_owned()))
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<OwnedValue, E> {
        Ok(OwnedValue::Bytes(bytes))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<OwnedValue, A::Error> {
        // No capacity is reserved, because the input may state any length.
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(OwnedValue::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OwnedValue, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(OwnedValue::Map(entries))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<OwnedValue, D::Error> {
        if extension::holds_triple(&inner) {
            return inner.deserialize_tuple_struct(extension::NAME, 3, ExtensionVisitor);
        }
        // A newtype of another deserializer.
        inner.deserialize_any(self)
    }
}

/// Reads the triple of [`crate::extension`].
struct ExtensionVisitor;

impl<'de> Visitor<'de> for ExtensionVisitor {
    type Value = OwnedValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an extension: kind, code and content")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<OwnedValue, A::Error> {
        let (kind, code) = extension::kind_and_code(&mut parts)?;
        let content = extension::content(&mut parts, PhantomData)?;
        match (kind, kind.space(), content) {
            (_, Some(space), content) => {
                Ok(OwnedValue::Ext(Box::new(OwnedExt { space, code, content })))
            }
            (Kind::Timestamp, _, OwnedValue::I64(seconds)) => {
                extension::timestamp(seconds, code).map(OwnedValue::Timestamp)
            }
            (Kind::Number, _, OwnedValue::Str(text)) => Ok(OwnedValue::Number(text)),
            _ => Err(de::Error::custom("an extension with a content of another type")),
        }
    }
}
