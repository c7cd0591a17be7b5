use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::Value;
use crate::extension::{self, Kind};

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(value),
            // As narrow as it goes: BSON keeps the width it is given, and all its drivers write
            // untyped integers as int32 where they fit. The other formats do not look at it.
            Value::I64(value) => match i32::try_from(value) {
                Ok(narrow) => serializer.serialize_i32(narrow),
                Err(_) => serializer.serialize_i64(value),
            },
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
            Value::Number(text) => extension::serialize(serializer, Kind::Number, 0, text),
            Value::Ext(ext) => {
                extension::serialize(serializer, ext.space.into(), ext.code, &ext.content)
            }
        }
    }
}
