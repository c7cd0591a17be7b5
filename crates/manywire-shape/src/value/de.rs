use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{Ext, Timestamp, Value};
use crate::Arena;
use crate::extension::Kind;

/// Reads one [`Value`] out of any self-describing deserializer.
///
/// Text and bytes the deserializer lends are kept as they are; everything else goes into the
/// arena. Items are gathered on stacks that the seed keeps, and copied out once their number is
/// known, so a claimed length never allocates.
pub struct ValueSeed<'a> {
    arena: &'a Arena,
    items: Vec<Value<'a>>,
    entries: Vec<(Value<'a>, Value<'a>)>,
}

impl<'a> ValueSeed<'a> {
    /// A seed that allocates from this arena.
    pub fn new(arena: &'a Arena) -> Self {
        ValueSeed { arena, items: Vec::new(), entries: Vec::new() }
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

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
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

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Value::F64(value))
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
        let items = self.arena.alloc_slice_copy(&self.items[start..]);
        self.items.truncate(start);
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let start = self.entries.len();
        while let Some(key) = map.next_key_seed(&mut *self)? {
            let value = map.next_value_seed(&mut *self)?;
            self.entries.push((key, value));
        }
        let entries = self.arena.alloc_slice_copy(&self.entries[start..]);
        self.entries.truncate(start);
        Ok(Value::Map(entries))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Self::Value, D::Error> {
        inner.deserialize_tuple(3, ExtensionVisitor(self))
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
        let missing = |index| de::Error::invalid_length(index, &"an extension of three parts");
        let number = parts.next_element::<u8>()?.ok_or_else(|| missing(0))?;
        let kind = Kind::from_u8(number).ok_or_else(|| {
            de::Error::custom(format_args!("there is no extension kind {number}"))
        })?;
        let code = parts.next_element::<u64>()?.ok_or_else(|| missing(1))?;
        let content = parts.next_element_seed(&mut *seed)?.ok_or_else(|| missing(2))?;
        match (kind, kind.space(), content) {
            (_, Some(space), content) => {
                Ok(Value::Ext(seed.arena.alloc(Ext { space, code, content })))
            }
            (Kind::Timestamp, _, Value::I64(seconds)) => u32::try_from(code)
                .ok()
                .and_then(|nanoseconds| Timestamp::new(seconds, nanoseconds))
                .map(Value::Timestamp)
                .ok_or_else(|| {
                    de::Error::custom(format_args!("{code} nanoseconds are more than a second"))
                }),
            (Kind::Number, _, Value::Str(text)) => Ok(Value::Number(text)),
            (_, _, content) => {
                Err(de::Error::custom(format_args!("an extension cannot hold {}", content.kind())))
            }
        }
    }
}
