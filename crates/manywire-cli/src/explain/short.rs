//! Bytes, values and paths for a terminal: short, and nothing in them that it would obey.

use manywire_shape::Value;

/// Bytes that are shown whole.
const BYTES_SHOWN: usize = 8;

/// Characters of a value or a path that are shown.
const TEXT_SHOWN: usize = 48;

/// Bytes in hex, with something between them.
pub(crate) fn hex(bytes: &[u8], between: &str) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or_default();
    let mut text = String::with_capacity(bytes.len() * (2 + between.len()));
    for (index, byte) in bytes.iter().enumerate() {
        text.push_str(if index == 0 { "" } else { between });
        text.extend([digit(byte >> 4), digit(byte & 0xf)]);
    }
    text
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
    let mut visible = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(char::is_control) {
        let (plain, behind) = rest.split_at(at);
        let mut behind = behind.chars();
        visible.push_str(plain);
        visible.extend(behind.next().into_iter().flat_map(char::escape_debug));
        rest = behind.as_str();
    }
    visible + rest
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
