//! Typed values, through serde_json.
//!
//! Text is checked to be UTF-8 at memory speed first, so that serde_json need not check string by
//! string. serde_json keeps the stack safe by a fixed depth and skips unknown values without
//! recursion. A scan of the text enforces different depths. The scan runs for a limit below
//! serde_json's own, after a failed first attempt, and before reading with a seed. serde_json's
//! errors are translated to the errors of our reader: the byte, the path, the expected and the
//! found text.

use manywire_format::Format;
use manywire_shape::Arena;
use manywire_shape::long_integers::{LongIntegers, watch};
use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde::ser::Serialize;

use super::read::{read_value, text_of};
use super::scan;
use crate::core::error::{Category, Error, Result};
use crate::core::limits::Limits;

/// The maximum number of nested containers that serde_json allows.
const SERDE_JSON_DEPTH: usize = 127;

/// Writes a value as minified JSON text.
///
/// # Errors
/// Same as [`encode`].
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(128);
    encode(value, &mut out)?;
    Ok(out)
}

/// Appends a value as minified JSON text.
///
/// serde_json decides how typed values look: NaN and infinities are `null`, bytes are an array of
/// numbers, and integer and boolean keys are written as strings.
///
/// # Errors
/// Fails with [`Category::Unsupported`] for other keys, and for values that the type's own
/// `Serialize` rejects. `out` is then unchanged.
pub fn encode<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    serde_json::to_writer(&mut *out, value).map_err(|error| {
        let error = Error::unsupported(message(&error)).with_format(Format::Json);
        // The text that was written ends at the value.
        let located = match std::str::from_utf8(&out[start..]) {
            Ok(text) => with_location(error, text, text.len()),
            Err(_) => error,
        };
        out.truncate(start);
        located
    })
}

/// Reads a value within [`Limits::DEFAULT`].
///
/// # Errors
/// Same as [`from_slice_with`].
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    from_slice_with(bytes, Limits::DEFAULT)
}

/// Reads a value.
///
/// A field that the type does not know is skipped without recursion. Such a field may nest deeper
/// than the limit if the limit is 127 or more.
///
/// # Errors
/// Fails with [`Category::Syntax`] or [`Category::Eof`] if the bytes are not JSON text, with
/// [`Category::Data`] if the text does not fit the type, and with [`Category::Limit`] if the text
/// nests too deep.
pub fn from_slice_with<'de, T: Deserialize<'de>>(bytes: &'de [u8], limits: Limits) -> Result<T> {
    let text = valid_text(bytes, limits)?;
    if limits.depth < SERDE_JSON_DEPTH
        && let Some(at) = first_too_deep(text, limits.depth)
    {
        return Err(too_deep(text, at, limits));
    }
    match decode(text, false) {
        Ok(value) => Ok(value),
        Err(_) if deep_but_allowed(text, limits) => {
            decode(text, true).map_err(|error| translate_error(&error, text, limits))
        }
        Err(error) => Err(translate_error(&error, text, limits)),
    }
}

/// Reads a value with a seed.
///
/// # Errors
/// Same as [`from_slice_with`]. A seed is used only once, so text that nests deeper than 127 is
/// rejected for any limit.
pub fn from_slice_seed<'de, S: DeserializeSeed<'de>>(
    seed: S,
    bytes: &'de [u8],
    limits: Limits,
) -> Result<S::Value> {
    let text = valid_text(bytes, limits)?;
    let limits = Limits::DEFAULT.with_depth(limits.depth.min(SERDE_JSON_DEPTH));
    if let Some(at) = first_too_deep(text, limits.depth) {
        return Err(too_deep(text, at, limits));
    }
    let read = || {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        seed.deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value))
    };
    // A seed is used only once, so the texts are collected beforehand.
    let result =
        if has_many_digits(text) { long_integers(text).provide(read) } else { watch(read).0 };
    result.map_err(|error| translate_error(&error, text, limits))
}

/// Returns the bytes as text. Fails with the first fault that our own reader finds in bytes that are
/// not UTF-8.
fn valid_text(bytes: &[u8], limits: Limits) -> Result<&str> {
    match text_of(bytes) {
        (text, None) => Ok(text),
        (_, Some(_)) => Err(read_value(bytes, &Arena::new(), limits).err().unwrap_or_else(|| {
            Error::new(Category::Syntax, "invalid UTF-8").with_format(Format::Json)
        })),
    }
}

#[inline]
fn decode<'de, T: Deserialize<'de>>(text: &'de str, unbounded: bool) -> serde_json::Result<T> {
    let (result, seen) = watch(|| decode_once(text, unbounded));
    if seen { decode_long_integers(text, unbounded, result) } else { result }
}

/// Reads the text again if it has integers beyond 64 bits, now with their digits.
#[cold]
#[inline(never)]
fn decode_long_integers<'de, T: Deserialize<'de>>(
    text: &'de str,
    unbounded: bool,
    result: serde_json::Result<T>,
) -> serde_json::Result<T> {
    let integers = long_integers(text);
    if integers.is_empty() { result } else { integers.provide(|| decode_once(text, unbounded)) }
}

/// Returns the numbers of a text that serde_json may round to a double although they are integers.
#[cold]
#[inline(never)]
fn long_integers(text: &str) -> LongIntegers {
    let bytes = text.as_bytes();
    let mut integers = LongIntegers::default();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at + 1) + 1,
            b'-' | b'0'..=b'9' => {
                let in_number =
                    |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let rest = &bytes[at..];
                let end = at + rest.iter().position(|byte| !in_number(byte)).unwrap_or(rest.len());
                integers.add(&text[at..end]);
                at = end;
            }
            _ => at += 1,
        }
    }
    integers
}

/// The minimum number of digits of an integer beyond 64 bits, -9223372036854775809.
const LONG_INTEGER_DIGITS_MIN: usize = 19;

/// Checks whether a text has as many digits in a row as an integer beyond 64 bits. Such a run
/// includes one of the bytes that are looked at.
#[inline]
fn has_many_digits(text: &str) -> bool {
    let bytes = text.as_bytes();
    let looked_at = (0..bytes.len()).skip(LONG_INTEGER_DIGITS_MIN - 1);
    looked_at.step_by(LONG_INTEGER_DIGITS_MIN).any(|at| {
        bytes[at].is_ascii_digit() && {
            let before = bytes[..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            let after = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            before + after >= LONG_INTEGER_DIGITS_MIN
        }
    })
}

#[inline]
fn decode_once<'de, T: Deserialize<'de>>(text: &'de str, unbounded: bool) -> serde_json::Result<T> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    if unbounded {
        deserializer.disable_recursion_limit();
    }
    let value = T::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Checks whether serde_json may have failed at a depth that our limit allows.
#[cold]
#[inline(never)]
fn deep_but_allowed(text: &str, limits: Limits) -> bool {
    limits.depth > SERDE_JSON_DEPTH
        && first_too_deep(text, SERDE_JSON_DEPTH).is_some()
        && first_too_deep(text, limits.depth).is_none()
}

/// Returns the first bracket that opens a container inside `depth` others. In invalid JSON the
/// result is only correct up to the first fault, which is where a reader stops.
fn first_too_deep(text: &str, depth: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open = 0usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'[' | b'{' if open == depth => return Some(at),
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            b'"' => at = string_end(bytes, at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the closing quote of the string whose text starts at `at`.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at = scan::plain_end(bytes, at);
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') | None => return at,
            Some(_) => at += 1,
        }
    }
}

#[cold]
#[inline(never)]
fn translate_error(error: &serde_json::Error, text: &str, limits: Limits) -> Error {
    let end = bytes_read(error, text);
    if let Some(at) = first_too_deep(text, limits.depth)
        && first_too_deep(text, SERDE_JSON_DEPTH.min(limits.depth)).is_some_and(|at| at <= end)
    {
        return too_deep(text, at, limits);
    }
    if !error.is_data()
        && let Some(error) = text_error(text.as_bytes())
    {
        return error;
    }
    // The rest is valid JSON that does not fit the type, such as a number beyond a double.
    with_location(Error::data(end.saturating_sub(1), message(error)), text, end)
}

#[cold]
#[inline(never)]
fn too_deep(text: &str, at: usize, limits: Limits) -> Error {
    match text_error(text.as_bytes().get(..=at).unwrap_or_default()) {
        // Invalid text up to the bracket, or a bracket in the wrong place, is the earlier error.
        Some(error) if error.category() != Category::Eof => error,
        _ => with_location(Error::depth(at, limits.depth), text, at),
    }
}

/// Returns the fault that our own reader finds in bytes that serde_json rejected as invalid JSON.
fn text_error(bytes: &[u8]) -> Option<Error> {
    read_value(bytes, &Arena::new(), Limits::DEFAULT.with_depth(usize::MAX)).err()
}

/// Adds the path of the value that ends at `end`. The path is that of the error with which our
/// reader fails if the text is cut off at `end`.
fn with_location(error: Error, text: &str, end: usize) -> Error {
    let before = text.as_bytes().get(..end).unwrap_or_default();
    match text_error(before) {
        Some(cut_off) => cut_off.replaced_by(error),
        None => error.with_format(Format::Json),
    }
}

/// Returns the number of bytes that serde_json had read. It counts lines from 1 and columns in
/// bytes.
fn bytes_read(error: &serde_json::Error, text: &str) -> usize {
    let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let line_start = line_starts.take(error.line()).last().unwrap_or(0);
    (line_start + error.column()).min(text.len())
}

/// Returns serde_json's message without the location at its end.
fn message(error: &serde_json::Error) -> String {
    let mut message = error.to_string();
    let location = format!(" at line {} column {}", error.line(), error.column());
    if message.ends_with(&location) {
        message.truncate(message.len() - location.len());
    }
    message
}
