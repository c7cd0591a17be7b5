use bson::spec::BinarySubtype;
use bson::{Bson, Document};
use manywire_shape::{Arena, Timestamp, Value};

use super::{array, map};
use crate::error::Result;

/// Converts a document of bson.
pub(crate) fn bson<'a>(document: &Document, arena: &'a Arena) -> Result<Value<'a>> {
    let entries = document.iter();
    let entries =
        entries.map(|(key, item)| Ok((Value::Str(arena.alloc_str(key)), value(item, arena)?)));
    map(entries, arena)
}

fn value<'a>(value: &Bson, arena: &'a Arena) -> Result<Value<'a>> {
    Ok(match value {
        Bson::Null => Value::Null,
        Bson::Boolean(truth) => Value::Bool(*truth),
        Bson::Int32(number) => Value::I64(i64::from(*number)),
        Bson::Int64(number) => Value::I64(*number),
        Bson::Double(number) => Value::F64(*number),
        Bson::String(text) => Value::Str(arena.alloc_str(text)),
        Bson::Binary(binary) if binary.subtype == BinarySubtype::Generic => {
            Value::Bytes(arena.alloc_slice_copy(&binary.bytes))
        }
        Bson::DateTime(time) => {
            let ms = time.timestamp_millis();
            let nanoseconds = ms.rem_euclid(1_000) as u32 * 1_000_000;
            Value::Timestamp(Timestamp { seconds: ms.div_euclid(1_000), nanoseconds })
        }
        // The number becomes text, which has room for all 34 digits.
        Bson::Decimal128(number) => {
            let text = number.to_string();
            let kept = text.parse::<f64>().is_ok_and(f64::is_finite);
            if !kept {
                return Err(format!("{text} has no digest").into());
            }
            Value::Number(arena.alloc_str(&text))
        }
        Bson::Array(items) => array(items.iter().map(|item| self::value(item, arena)), arena)?,
        Bson::Document(document) => bson(document, arena)?,
        other => return Err(format!("{:?} has no digest", other.element_type()).into()),
    })
}
