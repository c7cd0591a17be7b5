//! Bytes, values and paths for a terminal: short, and nothing in them that it would obey.
//!
//! All of them are written where they are shown, without a string of their own: a table has several
//! in each of its rows, and may have millions of rows.

use std::fmt::{self, Display, Formatter, Write};

use manywire_shape::Value;

/// Bytes that are shown whole.
const BYTES_SHOWN: usize = 8;

/// Characters of a value or a path that are shown.
const TEXT_SHOWN: usize = 48;

/// Bytes in hex, with something between them.
pub(crate) fn hex(bytes: &[u8], between: &'static str) -> impl Display {
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

/// Bytes in hex; of many the first, and how many there are.
pub(crate) fn cut(bytes: &[u8]) -> impl Display {
    fmt::from_fn(move |f| match bytes.get(..BYTES_SHOWN / 2) {
        Some(first) if bytes.len() > BYTES_SHOWN => {
            write!(f, "{} … ({} bytes)", hex(first, " "), bytes.len())
        }
        _ => hex(bytes, " ").fmt(f),
    })
}

/// Text with what a terminal would obey made visible.
pub(crate) fn visible(text: impl Display) -> impl Display {
    fmt::from_fn(move |f| write!(Escaping(f), "{text}"))
}

/// Writes on what it is given, with control characters escaped.
struct Escaping<'f, 'a>(&'f mut Formatter<'a>);

impl Write for Escaping<'_, '_> {
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

/// The beginning of a text, visible.
pub(crate) fn shortened(text: &str) -> impl Display {
    let (start, end) = begun(text);
    fmt::from_fn(move |f| write!(f, "{}{end}", visible(start)))
}

/// As much of a text as is shown, and what says that there is more.
fn begun(text: &str) -> (&str, &'static str) {
    match text.char_indices().nth(TEXT_SHOWN) {
        Some((end, _)) => (&text[..end], "…"),
        None => (text, ""),
    }
}

/// A value in a few words, or in as many as it takes.
pub(crate) fn value(value: Value<'_>, whole: bool) -> impl Display {
    fmt::from_fn(move |f| match value {
        Value::Null => Ok(()),
        Value::Bool(truth) => truth.fmt(f),
        Value::I64(number) => number.fmt(f),
        Value::U64(number) => number.fmt(f),
        Value::Number(text) if whole => visible(text).fmt(f),
        Value::Number(text) => shortened(text).fmt(f),
        Value::F32(number) => write!(f, "{number:?}"),
        Value::F64(number) => write!(f, "{number:?}"),
        Value::Str(text) if whole => write!(f, "{text:?}"),
        Value::Str(text) => {
            let (start, end) = begun(text);
            write!(f, "{start:?}{end}")
        }
        // All of them stand in the column of the bytes.
        Value::Bytes(bytes) if bytes.len() > BYTES_SHOWN => {
            write!(f, "{} …", hex(&bytes[..BYTES_SHOWN / 2], " "))
        }
        Value::Bytes(bytes) => hex(bytes, " ").fmt(f),
        Value::Timestamp(time) if time.nanoseconds == 0 => write!(f, "{} s", time.seconds),
        Value::Timestamp(time) => write!(f, "{} s and {} ns", time.seconds, time.nanoseconds),
        Value::Array(_) | Value::Map(_) | Value::Ext(_) => Ok(()),
    })
}
