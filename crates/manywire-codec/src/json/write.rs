//! Writes a [`Value`] to text, minified or indented, without recursion.

use manywire_format::Format;
use manywire_shape::Value;

use super::{number, scan};
use crate::core::error::{Error, Result};

/// Appends a value as minified JSON text: integers and strings as serde_json writes them, floats as
/// the shortest decimal that reads back the same, always with a fraction or an exponent.
///
/// # Errors
/// Fails with [`Category::Unsupported`](crate::Category) and the path to a value that JSON cannot
/// represent: bytes, NaN and infinities, a `Number` whose text is not a number in JSON, timestamps,
/// extensions, and keys that are not text. `out` is then unchanged.
pub fn write_value(value: &Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    write_document::<false>(value, out)
}

/// Appends a value as indented text: two spaces for each level, one item or entry a line, a space
/// after each colon, empty containers on one line, no newline at the end.
///
/// # Errors
/// Same as [`write_value`].
pub fn write_pretty(value: &Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    write_document::<true>(value, out)
}

fn write_document<const PRETTY: bool>(value: &Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    write::<PRETTY>(value, out).map_err(|error| {
        out.truncate(start);
        error.with_format(Format::Json)
    })
}

/// An open container, and the number of its items or entries that have begun.
#[derive(Clone, Copy)]
enum OpenContainer<'v, 'a> {
    Nothing,
    Array(&'v [Value<'a>], usize),
    Object(&'v [(Value<'a>, Value<'a>)], usize),
}

fn write<'v, 'a, const PRETTY: bool>(mut value: &'v Value<'a>, out: &mut Vec<u8>) -> Result<()> {
    let mut outer: Vec<OpenContainer<'v, 'a>> = Vec::new();
    let mut open = OpenContainer::Nothing;
    loop {
        match *value {
            Value::Array(items) if !items.is_empty() => {
                out.push(b'[');
                outer.push(open);
                open = OpenContainer::Array(items, 0);
            }
            Value::Map(entries) if !entries.is_empty() => {
                out.push(b'{');
                outer.push(open);
                open = OpenContainer::Object(entries, 0);
            }
            _ => scalar(value, out).map_err(|error| with_path(error, open, &outer))?,
        }
        // Finds the next value to write, and closes the containers that end before it.
        value = loop {
            match &mut open {
                OpenContainer::Nothing => return Ok(()),
                OpenContainer::Array(items, begun) => {
                    if let Some(item) = items.get(*begun) {
                        if *begun > 0 {
                            out.push(b',');
                        }
                        *begun += 1;
                        if PRETTY {
                            new_line(outer.len(), out);
                        }
                        break item;
                    }
                    if PRETTY {
                        new_line(outer.len() - 1, out);
                    }
                    out.push(b']');
                }
                OpenContainer::Object(entries, begun) => {
                    if let Some((name, value)) = entries.get(*begun) {
                        if *begun > 0 {
                            out.push(b',');
                        }
                        *begun += 1;
                        if PRETTY {
                            new_line(outer.len(), out);
                        }
                        let Value::Str(name) = name else {
                            let at = outer.last().copied().unwrap_or(OpenContainer::Nothing);
                            let outer = outer.get(..outer.len() - 1).unwrap_or_default();
                            return Err(with_path(key_not_text(name), at, outer));
                        };
                        string(name, out);
                        out.push(b':');
                        if PRETTY {
                            out.push(b' ');
                        }
                        break value;
                    }
                    if PRETTY {
                        new_line(outer.len() - 1, out);
                    }
                    out.push(b'}');
                }
            }
            open = outer.pop().unwrap_or(OpenContainer::Nothing);
        };
    }
}

/// Begins a line at nesting level `depth`.
fn new_line(depth: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    for _ in 0..depth {
        out.extend_from_slice(b"  ");
    }
}

#[inline]
fn scalar(value: &Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    match *value {
        Value::Str(text) => string(text, out),
        Value::I64(number) | Value::Long(number) => {
            out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        }
        Value::U64(number) => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
        Value::F64(number) if number.is_finite() => {
            out.extend_from_slice(zmij::Buffer::new().format_finite(number).as_bytes());
        }
        Value::F32(number) if number.is_finite() => {
            out.extend_from_slice(zmij::Buffer::new().format_finite(number).as_bytes());
        }
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Array([]) => out.extend_from_slice(b"[]"),
        Value::Map([]) => out.extend_from_slice(b"{}"),
        Value::Number(text) if number::is_number(text) => out.extend_from_slice(text.as_bytes()),
        _ => return Err(unsupported(value)),
    }
    Ok(())
}

/// Writes a string in quotes, with only the escapes that RFC 8259 requires.
#[inline]
fn string(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    out.push(b'"');
    if scan::is_short_and_plain(bytes) {
        out.extend_from_slice(bytes);
        out.push(b'"');
        return;
    }
    let mut start = 0;
    loop {
        let end = scan::plain_end(bytes, start);
        out.extend_from_slice(&bytes[start..end]);
        let Some(&special) = bytes.get(end) else { break };
        escape(special, out);
        start = end + 1;
    }
    out.push(b'"');
}

fn escape(special: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match special {
        b'"' | b'\\' => special,
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        0x08 => b'b',
        0x0C => b'f',
        _ => {
            let digits = [special >> 4, special & 0xF].map(|digit| HEX[usize::from(digit)]);
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&digits);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cold]
#[inline(never)]
fn unsupported(value: &Value<'_>) -> Error {
    let what = match value {
        Value::F32(_) | Value::F64(_) => "NaN or infinity",
        Value::Number(text) => {
            return Error::unsupported(format_args!("{text:?} is not a number in JSON's grammar"));
        }
        Value::Bytes(_) => "bytes",
        Value::Timestamp(_) => "timestamps",
        _ => "extensions of other formats",
    };
    Error::unsupported(format_args!("JSON cannot represent {what}"))
}

#[cold]
#[inline(never)]
fn key_not_text(key: &Value<'_>) -> Error {
    let kind = key.kind();
    Error::unsupported(format_args!("a key in JSON is a string, found {kind}"))
}

/// Adds to `error` the path of the value that was begun last: its step in `open`, then the step in
/// each container of `outer`, innermost first.
#[cold]
#[inline(never)]
fn with_path(
    mut error: Error,
    open: OpenContainer<'_, '_>,
    outer: &[OpenContainer<'_, '_>],
) -> Error {
    for open in std::iter::once(&open).chain(outer.iter().rev()) {
        match open {
            OpenContainer::Nothing => {}
            OpenContainer::Array(_, begun) => error = error.under_index(begun.saturating_sub(1)),
            OpenContainer::Object(entries, begun) => match entries.get(begun.saturating_sub(1)) {
                Some((Value::Str(key), _)) => error = error.under_key(key),
                Some((key, _)) => error = error.under_key(format_args!("{key:?}")),
                None => {}
            },
        }
    }
    error
}
