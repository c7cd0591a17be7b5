//! Parses the notation of bytes and values in vectors.

use manywire_shape::{Arena, Ext, Space, Timestamp, Value};

/// Parses hex with spaces and repetition.
pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = hex.trim_start();
    while !rest.is_empty() {
        if let Some(repeated) = rest.strip_prefix('(') {
            let (inner, after) = repeated.split_once(")*").expect("a repetition is (hex)*count");
            let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            let times = after[..digits].parse().expect("a repetition has a count");
            bytes.extend(self::bytes(inner).repeat(times));
            rest = &after[digits..];
        } else {
            bytes.push(u8::from_str_radix(&rest[..2], 16).expect("bytes are two hex digits"));
            rest = &rest[2..];
        }
        rest = rest.trim_start();
    }
    bytes
}

/// Converts JSON notation to the value that it represents.
pub(crate) fn value<'a>(json: Value<'a>, arena: &'a Arena) -> Value<'a> {
    match json {
        Value::Array(items) => {
            Value::Array(arena.alloc_slice_fill_iter(items.iter().map(|item| value(*item, arena))))
        }
        Value::Map([(Value::Str(word), content), more @ ..]) if word.starts_with('$') => {
            special(word, *content, more, arena)
        }
        Value::Map(entries) => Value::Map(arena.alloc_slice_fill_iter(
            entries.iter().map(|(key, content)| (*key, value(*content, arena))),
        )),
        other => other,
    }
}

fn special<'a>(
    word: &str,
    content: Value<'a>,
    more: &'a [(Value<'a>, Value<'a>)],
    arena: &'a Arena,
) -> Value<'a> {
    match (word, content) {
        ("$map", Value::Array(entries)) => {
            Value::Map(arena.alloc_slice_fill_iter(entries.iter().map(|entry| match entry {
                Value::Array([key, content]) => (value(*key, arena), value(*content, arena)),
                other => panic!("an entry is a pair, not {other:?}"),
            })))
        }
        ("$bytes", Value::Str(hex)) => Value::Bytes(arena.alloc_slice_copy(&bytes(hex))),
        ("$f32", content) => Value::F32(float(content) as f32),
        ("$f64", content) => Value::F64(float(content)),
        ("$number", Value::Str(text)) => Value::Number(text),
        ("$timestamp", Value::Array([Value::I64(seconds), Value::I64(nanoseconds)])) => {
            let nanoseconds = u32::try_from(*nanoseconds).expect("nanoseconds of 32 bits");
            Value::Timestamp(Timestamp::new(*seconds, nanoseconds).expect("less than a second"))
        }
        ("$ext", ext) => {
            let space = match ext.get("space") {
                Some(Value::Str("msgpack")) => Space::MessagePack,
                Some(Value::Str("cbor-tag")) => Space::CborTag,
                Some(Value::Str("cbor-simple")) => Space::CborSimple,
                Some(Value::Str("bson")) => Space::Bson,
                other => panic!("no space is called {other:?}"),
            };
            let code = match ext.get("code") {
                Some(Value::I64(code)) => code.cast_unsigned(),
                Some(Value::U64(code)) => code,
                other => panic!("a code is an integer, not {other:?}"),
            };
            let content = value(ext.get("content").expect("an extension has content"), arena);
            Value::Ext(arena.alloc(Ext { space, code, content }))
        }
        ("$repeat", content) => {
            let [(Value::Str("times"), Value::I64(times))] = more else {
                panic!("a repetition has times, not {more:?}")
            };
            let times = usize::try_from(*times).expect("a count");
            match value(content, arena) {
                Value::Str(text) => Value::Str(arena.alloc_str(&text.repeat(times))),
                Value::Bytes(bytes) => Value::Bytes(arena.alloc_slice_copy(&bytes.repeat(times))),
                Value::Array(items) => Value::Array(arena.alloc_slice_copy(&items.repeat(times))),
                Value::Map(entries) => Value::Map(arena.alloc_slice_copy(&entries.repeat(times))),
                other => panic!("{} cannot be repeated", other.kind()),
            }
        }
        (word, content) => panic!("{word} cannot have {content:?}"),
    }
}

fn float(content: Value<'_>) -> f64 {
    match content {
        Value::F64(float) => float,
        Value::I64(integer) => integer as f64,
        Value::Str("NaN") => f64::NAN,
        Value::Str("Infinity") => f64::INFINITY,
        Value::Str("-Infinity") => f64::NEG_INFINITY,
        other => panic!("no float is written {other:?}"),
    }
}
