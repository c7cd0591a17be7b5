//! Typed values, through serde_json.
//!
//! Text is checked to be UTF-8 at the speed of memory first, so that serde_json need not check
//! string by string. serde_json keeps the stack safe by itself at a fixed depth and skips unknown
//! values without recursion; another depth is found by a scan, which costs nothing unless a limit
//! below its own is asked for or the first attempt fails. What serde_json says of an error is
//! made to say what our reader says: the byte, the path, what was expected and what was found.

use manywire_format::Format;
use manywire_shape::Arena;
use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde::ser::Serialize;

use super::read::{read_value, text_of};
use super::scan;
use crate::core::error::{Category, Error, Result};
use crate::core::limits::Limits;

/// How many containers serde_json lets stand inside each other.
const SERDE_JSON_DEPTH: usize = 127;

/// Writes a value as minified JSON text.
///
/// # Errors
/// As [`encode`].
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(128);
    encode(value, &mut out)?;
    Ok(out)
}

/// Appends a value as minified JSON text.
///
/// serde_json decides what typed values look like: a float that is no number is `null`, bytes are
/// an array of numbers, and keys that are integers or booleans are written as strings.
///
/// # Errors
/// [`Category::Unsupported`] for keys that are neither of these, and for what the type's own
/// `Serialize` refuses. `out` is then as it was.
pub fn encode<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    serde_json::to_writer(&mut *out, value).map_err(|error| {
        out.truncate(start);
        Error::new(Category::Unsupported, message(&error)).with_format(Format::Json)
    })
}

/// Reads a value, within the limits a server has by default.
///
/// # Errors
/// As [`from_slice_with`].
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T> {
    from_slice_with(bytes, Limits::DEFAULT)
}

/// Reads a value.
///
/// A field that the type does not know is skipped without recursion, and may be nested deeper
/// than the limit where the limit is 127 or more.
///
/// # Errors
/// [`Category::Syntax`] and [`Category::Eof`] where the bytes are no JSON text,
/// [`Category::Data`] where the text does not fit the type, [`Category::Limit`] where it is
/// nested too deep.
pub fn from_slice_with<'de, T: Deserialize<'de>>(bytes: &'de [u8], limits: Limits) -> Result<T> {
    let (text, invalid) = text_of(bytes);
    if invalid.is_some() {
        let error = read_value(bytes, &Arena::new(), limits).err();
        return Err(error.unwrap_or_else(|| not_located("invalid UTF-8")));
    }
    if limits.depth < SERDE_JSON_DEPTH
        && let Some(at) = first_beyond(text, limits.depth)
    {
        return Err(too_deep(text, at, limits));
    }
    match decode(text, false) {
        Ok(value) => Ok(value),
        Err(error) if deep_but_allowed(text, limits) => {
            drop(error);
            decode(text, true).map_err(|error| translated(&error, text, limits))
        }
        Err(error) => Err(translated(&error, text, limits)),
    }
}

/// Reads a value by a seed.
///
/// # Errors
/// As [`from_slice_with`]. A seed is used once, so what nests deeper than 127 is refused whatever
/// the limit.
pub fn from_slice_seed<'de, S: DeserializeSeed<'de>>(
    seed: S,
    bytes: &'de [u8],
    limits: Limits,
) -> Result<S::Value> {
    let (text, invalid) = text_of(bytes);
    if invalid.is_some() {
        let error = read_value(bytes, &Arena::new(), limits).err();
        return Err(error.unwrap_or_else(|| not_located("invalid UTF-8")));
    }
    let limits = Limits::DEFAULT.with_depth(limits.depth.min(SERDE_JSON_DEPTH));
    if let Some(at) = first_beyond(text, limits.depth) {
        return Err(too_deep(text, at, limits));
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    seed.deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value))
        .map_err(|error| translated(&error, text, limits))
}

#[inline]
fn decode<'de, T: Deserialize<'de>>(text: &'de str, unbounded: bool) -> serde_json::Result<T> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    if unbounded {
        deserializer.disable_recursion_limit();
    }
    let value = T::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Whether serde_json may have failed for a depth that our limit allows.
#[cold]
#[inline(never)]
fn deep_but_allowed(text: &str, limits: Limits) -> bool {
    limits.depth > SERDE_JSON_DEPTH
        && first_beyond(text, SERDE_JSON_DEPTH).is_some()
        && first_beyond(text, limits.depth).is_none()
}

/// The first bracket that opens a container inside `depth` others. In text that is no JSON the
/// answer is only right up to what is wrong with it, which is where a reader stops.
fn first_beyond(text: &str, depth: usize) -> Option<usize> {
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

/// The closing quote of the string whose text starts at `at`.
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
fn translated(error: &serde_json::Error, text: &str, limits: Limits) -> Error {
    let end = bytes_read(error, text);
    if let Some(at) = first_beyond(text, limits.depth)
        && first_beyond(text, SERDE_JSON_DEPTH.min(limits.depth)).is_some_and(|at| at <= end)
    {
        return too_deep(text, at, limits);
    }
    if !error.is_data()
        && let Some(error) = text_error(text.as_bytes())
    {
        return error;
    }
    // What is left fits JSON, but not the type: a number beyond a double is such a thing too.
    located(Error::at(Category::Data, end.saturating_sub(1), message(error)), text, end)
}

#[cold]
#[inline(never)]
fn too_deep(text: &str, at: usize, limits: Limits) -> Error {
    match text_error(text.as_bytes().get(..=at).unwrap_or_default()) {
        // What is wrong with the text before it came first, as does a bracket where none may stand.
        Some(error) if error.category() != Category::Eof => error,
        _ => located(Error::depth(at, limits.depth), text, at),
    }
}

/// What our own reader finds wrong with bytes that serde_json refused as no JSON text.
fn text_error(bytes: &[u8]) -> Option<Error> {
    read_value(bytes, &Arena::new(), Limits::DEFAULT.with_depth(usize::MAX)).err()
}

/// Adds the path of what ends at `end`: reading only that far fails there for want of more.
fn located(error: Error, text: &str, end: usize) -> Error {
    let before = text.as_bytes().get(..end).unwrap_or_default();
    match text_error(before) {
        Some(cut_off) => cut_off.replaced_by(error),
        None => error.with_format(Format::Json),
    }
}

fn not_located(message: &str) -> Error {
    Error::new(Category::Syntax, message).with_format(Format::Json)
}

/// How many bytes serde_json had read; it counts lines from 1 and columns in bytes.
fn bytes_read(error: &serde_json::Error, text: &str) -> usize {
    let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let line_start = line_starts.take(error.line()).last().unwrap_or(0);
    (line_start + error.column()).min(text.len())
}

/// What serde_json says, without the place at its end.
fn message(error: &serde_json::Error) -> String {
    let mut message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    if message.ends_with(&place) {
        message.truncate(message.len() - place.len());
    }
    message
}
