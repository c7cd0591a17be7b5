//! Bytes, values and paths as text for a terminal: shortened, with control characters escaped.
//!
//! The functions return `impl Display` and write without an intermediate `String`: a table has several
//! of these texts in each row, and may have millions of rows.

use std::fmt::{self, Display, Formatter, Write};

use manywire_shape::Value;

/// The largest number of bytes that are shown completely.
const BYTES_SHOWN: usize = 8;

/// The largest number of characters of a value or a path that are shown.
const TEXT_SHOWN: usize = 48;

/// Formats bytes in hex, separated by `between`.
pub fn hex(bytes: &[u8], between: &'static str) -> impl Display {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or_default();
    fmt::from_fn(move |f| {
        for (index, byte) in bytes.iter().enumerate() {
            if index > 0 {
                f.write_str(between)?;
            }
            f.write_char(digit(byte >> 4))?;
            f.write_char(digit(byte & 0xf))?;
        }
        Ok(())
    })
}

/// Formats bytes in hex. If there are many bytes, only the first are shown, with the total number.
pub fn hex_shortened(bytes: &[u8]) -> impl Display {
    fmt::from_fn(move |f| match bytes.get(..BYTES_SHOWN / 2) {
        Some(first) if bytes.len() > BYTES_SHOWN => {
            write!(f, "{} … ({} bytes)", hex(first, " "), bytes.len())
        }
        _ => hex(bytes, " ").fmt(f),
    })
}

/// Formats text with its control characters escaped.
pub fn visible(text: impl Display) -> impl Display {
    fmt::from_fn(move |f| write!(EscapingWriter(f), "{text}"))
}

/// Forwards text with its control characters escaped.
struct EscapingWriter<'f, 'a>(&'f mut Formatter<'a>);

impl Write for EscapingWriter<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.split_inclusive(char::is_control) {
            match part.char_indices().next_back().filter(|(_, last)| last.is_control()) {
                Some((end, control)) => {
                    write!(self.0, "{}{}", &part[..end], control.escape_debug())
                }
                None => self.0.write_str(part),
            }?;
        }
        Ok(())
    }
}

/// Formats the beginning of a text, with control characters escaped.
pub fn shortened(text: &str) -> impl Display {
    let (start, end) = beginning(text);
    fmt::from_fn(move |f| write!(f, "{}{end}", visible(start)))
}

/// Returns the beginning of a text, and an ellipsis if there is more.
fn beginning(text: &str) -> (&str, &'static str) {
    match text.char_indices().nth(TEXT_SHOWN) {
        Some((end, _)) => (&text[..end], "…"),
        None => (text, ""),
    }
}

/// Formats a scalar value, shortened unless `whole`. Bytes are always shortened.
pub fn value(value: Value<'_>, whole: bool) -> impl Display {
    fmt::from_fn(move |f| match value {
        Value::Null => Ok(()),
        Value::Bool(truth) => truth.fmt(f),
        Value::I64(number) | Value::Long(number) => number.fmt(f),
        Value::U64(number) => number.fmt(f),
        Value::Number(text) if whole => visible(text).fmt(f),
        Value::Number(text) => shortened(text).fmt(f),
        Value::F32(number) => write!(f, "{number:?}"),
        Value::F64(number) => write!(f, "{number:?}"),
        Value::Str(text) if whole => write!(f, "{text:?}"),
        Value::Str(text) => {
            let (start, end) = beginning(text);
            write!(f, "{start:?}{end}")
        }
        // The column of bytes shows all of them.
        Value::Bytes(bytes) if bytes.len() > BYTES_SHOWN => {
            write!(f, "{} …", hex(&bytes[..BYTES_SHOWN / 2], " "))
        }
        Value::Bytes(bytes) => hex(bytes, " ").fmt(f),
        Value::Timestamp(time) if time.nanoseconds == 0 => write!(f, "{} s", time.seconds),
        Value::Timestamp(time) => write!(f, "{} s and {} ns", time.seconds, time.nanoseconds),
        Value::Array(_) | Value::Map(_) | Value::Ext(_) => Ok(()),
    })
}
