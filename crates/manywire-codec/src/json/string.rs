//! Strings: lent where the text stands for itself, decoded into the arena where it does not.

use manywire_shape::Arena;

use super::{fault, scan};
use crate::core::error::{Category, Error, Result};

/// Reads the string whose opening quote is at `at`; returns it with the place after its closing
/// quote. `decoded` is scratch.
#[inline(always)]
pub(super) fn read<'a>(
    text: &'a str,
    at: usize,
    arena: &'a Arena,
    decoded: &mut String,
) -> Result<(&'a str, usize)> {
    let start = at + 1;
    let end = scan::plain_end(text.as_bytes(), start);
    if text.as_bytes().get(end) == Some(&b'"') {
        return Ok((&text[start..end], end + 1));
    }
    decoded.clear();
    let end = decode(text, start, end, decoded)?;
    Ok((arena.alloc_str(decoded), end))
}

/// Decodes a string with escapes, from its first character to past its closing quote. The text
/// from `start` to `plain_end` is known to stand for itself.
#[inline(never)]
fn decode(
    text: &str,
    mut start: usize,
    mut plain_end: usize,
    decoded: &mut String,
) -> Result<usize> {
    let bytes = text.as_bytes();
    loop {
        decoded.push_str(&text[start..plain_end]);
        match bytes.get(plain_end) {
            Some(b'"') => return Ok(plain_end + 1),
            Some(b'\\') => start = escape(text, plain_end, decoded)?,
            _ => return Err(unfinished(text, plain_end)),
        }
        plain_end = scan::plain_end(bytes, start);
    }
}

/// Decodes the escape whose backslash is at `at`; returns its end.
fn escape(text: &str, at: usize, decoded: &mut String) -> Result<usize> {
    let plain = match text.as_bytes().get(at + 1) {
        Some(b'n') => '\n',
        Some(b'u') => return unicode_escape(text, at, decoded),
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{C}',
        _ => {
            return Err(fault::expected(
                text,
                at + 1,
                "one of \" \\ / b f n r t u after the backslash",
            ));
        }
    };
    decoded.push(plain);
    Ok(at + 2)
}

/// Decodes `\uXXXX`, and the second half of a surrogate pair with it (RFC 8259, section 7).
fn unicode_escape(text: &str, at: usize, decoded: &mut String) -> Result<usize> {
    let unit = code_unit(text, at + 2)?;
    if let Some(character) = char::from_u32(unit) {
        decoded.push(character);
        return Ok(at + 6);
    }
    let followed = text.as_bytes().get(at + 6..at + 8) == Some(b"\\u");
    if unit >= 0xDC00 || !followed {
        return Err(lone_surrogate(text, at));
    }
    let second = code_unit(text, at + 8)?;
    if !(0xDC00..0xE000).contains(&second) {
        return Err(lone_surrogate(text, at));
    }
    // Ten bits each, above the first plane: always a character.
    let pair = 0x1_0000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
    decoded.extend(char::from_u32(pair));
    Ok(at + 12)
}

/// The four hexadecimal digits at `at`.
fn code_unit(text: &str, at: usize) -> Result<u32> {
    let mut unit = 0;
    for place in at..at + 4 {
        let digit = text.as_bytes().get(place).and_then(|byte| char::from(*byte).to_digit(16));
        match digit {
            Some(digit) => unit = unit << 4 | digit,
            None => return Err(fault::expected(text, place, "a hexadecimal digit")),
        }
    }
    Ok(unit)
}

#[cold]
#[inline(never)]
fn lone_surrogate(text: &str, at: usize) -> Error {
    let escape = text.get(at..at + 6).unwrap_or_default();
    Error::at(
        Category::Syntax,
        at,
        format_args!("{escape} is half of a surrogate pair; alone it is no character"),
    )
}

#[cold]
#[inline(never)]
fn unfinished(text: &str, at: usize) -> Error {
    match text.as_bytes().get(at) {
        None => Error::eof(at, "the closing quote of a string"),
        Some(control) => Error::at(
            Category::Syntax,
            at,
            format_args!("a string must not hold U+{control:04X} as it is; write it as an escape"),
        ),
    }
}
