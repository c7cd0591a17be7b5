//! Converts our values to MongoDB's Extended JSON.

use bson::oid::ObjectId;
use bson::raw::CString;
use bson::{Binary, Bson, DateTime, Decimal128, Regex};
use manywire_shape::{Ext, Space, Value};
use serde_json::json;

/// Returns the value as canonical Extended JSON, version 2.
pub(crate) fn extended_json(value: &Value<'_>) -> serde_json::Value {
    match *value {
        Value::Map(entries) => serde_json::Value::Object(
            entries.iter().map(|(key, value)| (text(key).into(), extended_json(value))).collect(),
        ),
        Value::Array(items) => items.iter().map(extended_json).collect(),
        Value::Ext(&Ext { space: Space::Bson, code: 0x0C, content: Value::Array([name, id]) }) => {
            let id =
                extended_json(&Value::Ext(&Ext { space: Space::Bson, code: 0x07, content: *id }));
            json!({"$dbPointer": {"$ref": text(name), "$id": id}})
        }
        Value::Ext(&Ext {
            space: Space::Bson,
            code: 0x0F,
            content: Value::Array([code, scope]),
        }) => {
            json!({"$code": text(code), "$scope": extended_json(scope)})
        }
        _ => leaf(value).into_canonical_extjson(),
    }
}

fn leaf(value: &Value<'_>) -> Bson {
    match *value {
        Value::Null => Bson::Null,
        Value::Bool(value) => Bson::Boolean(value),
        Value::I64(value) => i32::try_from(value).map_or(Bson::Int64(value), Bson::Int32),
        Value::Long(value) => Bson::Int64(value),
        Value::F64(value) => Bson::Double(value),
        Value::Str(text) => Bson::String(text.into()),
        Value::Bytes(bytes) => binary(0, bytes),
        Value::Timestamp(time) => Bson::DateTime(DateTime::from_millis(
            time.seconds * 1_000 + i64::from(time.nanoseconds / 1_000_000),
        )),
        Value::Ext(&Ext { space: Space::Bson, code, content }) => match (code, content) {
            (0x05, Value::Array([Value::I64(subtype), Value::Bytes(bytes)])) => {
                binary((*subtype).try_into().expect("a subtype"), bytes)
            }
            (0x06, Value::Null) => Bson::Undefined,
            (0x07, Value::Bytes(id)) => {
                Bson::ObjectId(ObjectId::from_bytes(id.try_into().expect("12 bytes")))
            }
            (0x0B, Value::Array([pattern, options])) => {
                let part = |value| CString::try_from(text(value)).expect("no NUL");
                Bson::RegularExpression(Regex { pattern: part(pattern), options: part(options) })
            }
            (0x0D, Value::Str(code)) => Bson::JavaScriptCode(code.into()),
            (0x0E, Value::Str(symbol)) => Bson::Symbol(symbol.into()),
            (0x11, Value::I64(bits)) => timestamp(bits.cast_unsigned()),
            (0x11, Value::U64(bits)) => timestamp(bits),
            (0x13, Value::Bytes(bytes)) => {
                Bson::Decimal128(Decimal128::from_bytes(bytes.try_into().expect("16 bytes")))
            }
            (0x7F, Value::Null) => Bson::MaxKey,
            (0xFF, Value::Null) => Bson::MinKey,
            _ => panic!("not as documented: {code:#04x} with {content:?}"),
        },
        _ => panic!("BSON has no {}", value.kind()),
    }
}

fn binary(subtype: u8, bytes: &[u8]) -> Bson {
    Bson::Binary(Binary { subtype: subtype.into(), bytes: bytes.into() })
}

fn timestamp(bits: u64) -> Bson {
    Bson::Timestamp(bson::Timestamp {
        time: (bits >> 32) as u32,
        increment: (bits & 0xFFFF_FFFF) as u32,
    })
}

fn text<'a>(value: &Value<'a>) -> &'a str {
    match *value {
        Value::Str(text) => text,
        _ => panic!("not text: {value:?}"),
    }
}
