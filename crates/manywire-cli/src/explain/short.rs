//! Bytes, values and paths for a terminal: short, and nothing in them that it would obey.

use manywire_shape::Value;

/// Bytes that are shown whole.
const BYTES_SHOWN: usize = 8;

/// Characters of a value or a path that are shown.
const TEXT_SHOWN: usize = 48;

/// Bytes in hex, with something between them.
pub(crate) fn hex(bytes: &[u8], between: &str) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(between)
}

/// Bytes in hex; of many the first, and how many there are.
pub(crate) fn cut(bytes: &[u8]) -> String {
    match bytes.get(..BYTES_SHOWN / 2) {
        Some(first) if bytes.len() > BYTES_SHOWN => {
            format!("{} … ({} bytes)", hex(first, " "), bytes.len())
        }
        _ => hex(bytes, " "),
    }
}

/// Text with what a terminal would obey made visible.
pub(crate) fn visible(text: &str) -> String {
    let visible = |c: char| match c {
        _ if c.is_control() => c.escape_debug().collect(),
        _ => String::from(c),
    };
    text.chars().map(visible).collect()
}

/// The beginning of a text, visible.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT_SHOWN) {
        Some((end, _)) => visible(&text[..end]) + "…",
        None => visible(text),
    }
}

/// A value in a few words, or in as many as it takes.
pub(crate) fn value(value: Value<'_>, whole: bool) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(truth) => truth.to_string(),
        Value::I64(number) => number.to_string(),
        Value::U64(number) => number.to_string(),
        Value::Number(text) if whole => visible(text),
        Value::Number(text) => shortened(text),
        Value::F32(number) => format!("{number:?}"),
        Value::F64(number) => format!("{number:?}"),
        Value::Str(text) => match text.char_indices().nth(TEXT_SHOWN) {
            Some((end, _)) if !whole => format!("{:?}…", &text[..end]),
            _ => format!("{text:?}"),
        },
        // All of them stand in the column of the bytes.
        Value::Bytes(bytes) if bytes.len() > BYTES_SHOWN => {
            hex(&bytes[..BYTES_SHOWN / 2], " ") + " …"
        }
        Value::Bytes(bytes) => hex(bytes, " "),
        Value::Timestamp(time) if time.nanoseconds == 0 => format!("{} s", time.seconds),
        Value::Timestamp(time) => format!("{} s and {} ns", time.seconds, time.nanoseconds),
        Value::Array(_) | Value::Map(_) | Value::Ext(_) => String::new(),
    }
}
