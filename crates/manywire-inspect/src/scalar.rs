//! Scalars: their length as JSON, their text in paths, and their hash.

use std::fmt::{self, Write};
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use manywire_shape::{Timestamp, Value};

/// A writer that counts bytes.
struct Count(usize);

impl Write for Count {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

fn count(text: fmt::Arguments<'_>) -> usize {
    let mut count = Count(0);
    // Counting does not fail.
    let _ = count.write_fmt(text);
    count.0
}

/// Returns the length of a scalar as JSON.
pub(crate) fn json(value: Value<'_>) -> usize {
    match value {
        Value::Null => 4,
        Value::Bool(truth) => 5 - usize::from(truth),
        Value::I64(number) | Value::Long(number) => count(format_args!("{number}")),
        Value::U64(number) => count(format_args!("{number}")),
        Value::Number(text) => text.len(),
        Value::F32(number) if number.is_finite() => count(format_args!("{number:?}")),
        Value::F64(number) if number.is_finite() => count(format_args!("{number:?}")),
        // JSON has no infinities and no NaN; null replaces them.
        Value::F32(_) | Value::F64(_) => 4,
        Value::Str(_) | Value::Bytes(_) => 2 + json_content(value),
        Value::Timestamp(time) => 2 + timestamp(time),
        Value::Array(_) | Value::Map(_) => 2,
        Value::Ext(ext) => json(ext.content),
    }
}

/// Returns the length of text or bytes in JSON, without the quotes.
pub(crate) fn json_content(value: Value<'_>) -> usize {
    match value {
        Value::Str(text) => text.bytes().map(escaped).sum(),
        Value::Bytes(bytes) => bytes.len().div_ceil(3) * 4,
        _ => 0,
    }
}

/// Returns the length of a key as JSON, where every key is text.
pub(crate) fn json_key(key: Value<'_>) -> usize {
    match key {
        Value::Str(_) | Value::Bytes(_) | Value::Timestamp(_) => json(key),
        other => 2 + json(other),
    }
}

/// Returns the length of a byte in a JSON string with the shortest escapes (RFC 8259, section 7).
fn escaped(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | 0x08 | 0x09 | 0x0a | 0x0c | 0x0d => 2,
        0x00..0x20 => 6,
        _ => 1,
    }
}

/// Returns the length of a time in RFC 3339, with as many fractional digits as the time needs.
fn timestamp(time: Timestamp) -> usize {
    let whole = "2013-03-21T20:04:00Z".len();
    match time.nanoseconds {
        0 => whole,
        nanoseconds => {
            let zeros = std::iter::successors(Some(nanoseconds), |rest| Some(rest / 10));
            whole + 1 + 9 - zeros.take_while(|rest| rest % 10 == 0).count()
        }
    }
}

/// Returns the text for a key in a path, for keys that are not text as well.
pub(crate) fn text(key: Value<'_>) -> String {
    match key {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::I64(number) | Value::Long(number) => number.to_string(),
        Value::U64(number) => number.to_string(),
        Value::Number(text) | Value::Str(text) => text.to_owned(),
        Value::F32(number) => format!("{number:?}"),
        Value::F64(number) => format!("{number:?}"),
        Value::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Value::Timestamp(time) => format!("{}.{:09}", time.seconds, time.nanoseconds),
        Value::Array(_) | Value::Map(_) => "container".to_owned(),
        Value::Ext(ext) => format!("{}({})", ext.code, text(ext.content)),
    }
}

/// Returns a keyed hash of a scalar and its kind. The random key prevents crafted collisions.
pub(crate) fn hash(state: &RandomState, key: Value<'_>) -> u64 {
    let mut hasher = state.build_hasher();
    std::mem::discriminant(&key).hash(&mut hasher);
    match key {
        Value::Str(text) => text.hash(&mut hasher),
        Value::Bytes(bytes) => bytes.hash(&mut hasher),
        other => text(other).hash(&mut hasher),
    }
    hasher.finish()
}
