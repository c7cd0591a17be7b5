//! The reader: text to [`Value`].

use manywire_format::Format;
use manywire_shape::{Arena, Value};

use super::{error, number, scan};
use crate::core::error::{Category, Error, Result};
use crate::core::limits::Limits;

/// Reads one value. White space may stand around it, and nothing else.
///
/// Text without escapes is borrowed from `bytes`; everything else lives in the arena.
///
/// # Errors
/// With offset and path: [`Category::Syntax`] and [`Category::Eof`] where the bytes are no JSON
/// text, [`Category::Limit`] where it is nested deeper than the limit.
pub fn read_value<'a>(bytes: &'a [u8], arena: &'a Arena, limits: Limits) -> Result<Value<'a>> {
    ValueReader::new(limits).read(bytes, arena)
}

/// Reads many values, one after another, with the same working memory.
#[derive(Debug, Default)]
pub struct ValueReader {
    limits: Limits,
    exact: bool,
    scratch: Scratch<'static>,
}

impl ValueReader {
    /// A reader that keeps to these limits.
    pub fn new(limits: Limits) -> Self {
        ValueReader { limits, exact: false, scratch: Scratch::default() }
    }

    /// The same, but a fraction with more digits than any double gives back is a `Number`, the text
    /// itself, instead of the nearest `F64`.
    #[must_use]
    pub fn with_exact_fractions(mut self) -> Self {
        self.exact = true;
        self
    }

    /// The limits the reader keeps to.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// As [`read_value`].
    ///
    /// # Errors
    /// As [`read_value`].
    pub fn read<'a>(&mut self, bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
        let (text, invalid) = text_of(bytes);
        match self.read_text(text, arena) {
            Ok(value) if invalid.is_none() => Ok(value),
            Ok(_) => Err(error::invalid_utf8(bytes, text.len()).with_format(Format::Json)),
            Err(error) => Err(utf8_first(error, bytes, invalid)),
        }
    }

    fn read_text<'a>(&mut self, text: &'a str, arena: &'a Arena) -> Result<Value<'a>> {
        let (value, end) = self.read_from(text, 0, arena)?;
        let end = scan::space_end(text.as_bytes(), end);
        if end < text.len() {
            return Err(error::expected(text, end, "nothing more after the value")
                .with_format(Format::Json));
        }
        Ok(value)
    }

    /// Reads the value that starts at `at` or after the white space there; returns its end.
    pub(super) fn read_from<'a>(
        &mut self,
        text: &'a str,
        at: usize,
        arena: &'a Arena,
    ) -> Result<(Value<'a>, usize)> {
        let mut scratch = std::mem::take(&mut self.scratch).recycled();
        let at = scan::space_end(text.as_bytes(), at);
        let result = read_nested(text, at, arena, self.limits, self.exact, &mut scratch);
        self.scratch = scratch.recycled();
        result.map_err(|error| error.with_format(Format::Json))
    }
}

/// The text that the bytes are up to the first that is not UTF-8, and where that stands.
pub(super) fn text_of(bytes: &[u8]) -> (&str, Option<usize>) {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(_) => valid_part(bytes),
    }
}

#[cold]
#[inline(never)]
fn valid_part(bytes: &[u8]) -> (&str, Option<usize>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            (std::str::from_utf8(valid).unwrap_or_default(), Some(valid.len()))
        }
    }
}

/// Where the text stops because the rest is not UTF-8, an early end is not the reason. The place
/// that the reader got to is right, so its path is kept.
#[cold]
#[inline(never)]
pub(super) fn utf8_first(error: Error, bytes: &[u8], invalid: Option<usize>) -> Error {
    match invalid {
        Some(at) if error.category() == Category::Eof => {
            error.replaced_by(error::invalid_utf8(bytes, at))
        }
        _ => error,
    }
}

// Text to [`Value`], without recursion.
//
// What is open is kept on a stack of frames. Items and entries of everything open share two more
// stacks, and are copied into the arena when their container closes and their number is known.

/// What a reader works on, empty between reads.
#[derive(Debug, Default)]
pub(super) struct Scratch<'a> {
    frames: Vec<Frame<'a>>,
    items: Vec<Value<'a>>,
    entries: Vec<(Value<'a>, Value<'a>)>,
    decoded: String,
}

impl<'a> Scratch<'a> {
    /// The same memory for values of another lifetime. The standard library collects an iterator
    /// over a vector into that vector where the layouts agree, so nothing is allocated or moved.
    pub(super) fn recycled<'b>(mut self) -> Scratch<'b> {
        self.frames.clear();
        self.items.clear();
        self.entries.clear();
        Scratch {
            frames: self.frames.into_iter().map(|_| Frame::ROOT).collect(),
            items: self.items.into_iter().map(|_| Value::Null).collect(),
            entries: self.entries.into_iter().map(|_| (Value::Null, Value::Null)).collect(),
            decoded: self.decoded,
        }
    }
}

/// What the value being read stands in.
#[derive(Clone, Copy, Debug)]
struct Frame<'a> {
    inside: Inside,
    /// Where its items or entries start on their stack.
    start: usize,
    /// In an object, the key read last.
    key: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Nothing,
    Array,
    Object,
}

impl Frame<'_> {
    const ROOT: Self = Frame { inside: Inside::Nothing, start: 0, key: "" };
}

/// What was being read when it failed, as far as the path is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A key, or the end of an object: the path is that of the object.
    Key,
    /// A value.
    Value,
    /// What follows a value: the path is that of the value.
    After,
}

pub(super) fn read_nested<'a>(
    text: &'a str,
    mut at: usize,
    arena: &'a Arena,
    limits: Limits,
    exact: bool,
    scratch: &mut Scratch<'a>,
) -> Result<(Value<'a>, usize)> {
    let bytes = text.as_bytes();
    let Scratch { frames, items, entries, decoded } = scratch;
    let mut frame = Frame::ROOT;

    // Leaves the loop with the step that failed: only there is a path made.
    let (error, step) = 'failed: {
        macro_rules! attempt {
            ($step:ident, $result:expr) => {
                match $result {
                    Ok(read) => read,
                    Err(error) => break 'failed (error, Step::$step),
                }
            };
        }
        'value: loop {
            if frame.inside == Inside::Object {
                if bytes.get(at) != Some(&b'"') {
                    break 'failed (error::expected(text, at, "a key in quotes"), Step::Key);
                }
                (frame.key, at) = attempt!(Key, read_string(text, at, arena, decoded));
                at = scan::space_end(bytes, at);
                if bytes.get(at) != Some(&b':') {
                    break 'failed (error::expected(text, at, "':' after the key"), Step::Value);
                }
                at = scan::space_end(bytes, at + 1);
            }
            let mut value = match bytes.get(at) {
                Some(b'"') => {
                    let (read, end) = attempt!(Value, read_string(text, at, arena, decoded));
                    at = end;
                    Value::Str(read)
                }
                Some(b'-' | b'0'..=b'9') => {
                    let (read, end) = attempt!(Value, number::read(text, at, exact));
                    at = end;
                    read
                }
                Some(&open @ (b'{' | b'[')) => {
                    frames.push(frame);
                    if frames.len() > limits.depth {
                        // The frame just pushed is still the current one for the path.
                        frames.pop();
                        break 'failed (Error::depth(at, limits.depth), Step::Value);
                    }
                    at = scan::space_end(bytes, at + 1);
                    if open == b'{' {
                        frame = Frame { inside: Inside::Object, start: entries.len(), key: "" };
                        if bytes.get(at) != Some(&b'}') {
                            continue 'value;
                        }
                    } else {
                        frame = Frame { inside: Inside::Array, start: items.len(), key: "" };
                        if bytes.get(at) != Some(&b']') {
                            continue 'value;
                        }
                    }
                    at += 1;
                    let empty = if open == b'{' { Value::Map(&[]) } else { Value::Array(&[]) };
                    frame = frames.pop().unwrap_or(Frame::ROOT);
                    empty
                }
                Some(b't') if bytes[at..].starts_with(b"true") => {
                    at += 4;
                    Value::Bool(true)
                }
                Some(b'f') if bytes[at..].starts_with(b"false") => {
                    at += 5;
                    Value::Bool(false)
                }
                Some(b'n') if bytes[at..].starts_with(b"null") => {
                    at += 4;
                    Value::Null
                }
                _ => break 'failed (error::expected_value(text, at), Step::Value),
            };

            // Puts the value in its place, and closes what it was the last of.
            loop {
                match frame.inside {
                    Inside::Nothing => return Ok((value, at)),
                    Inside::Array => {
                        items.push(value);
                        at = scan::space_end(bytes, at);
                        match bytes.get(at) {
                            Some(b',') => {
                                at = scan::space_end(bytes, at + 1);
                                continue 'value;
                            }
                            Some(b']') => {
                                value = Value::Array(arena.alloc_slice_copy(&items[frame.start..]));
                                items.truncate(frame.start);
                            }
                            _ => {
                                let what = "',' or ']' after the item";
                                break 'failed (error::expected(text, at, what), Step::After);
                            }
                        }
                    }
                    Inside::Object => {
                        entries.push((Value::Str(frame.key), value));
                        at = scan::space_end(bytes, at);
                        match bytes.get(at) {
                            Some(b',') => {
                                at = scan::space_end(bytes, at + 1);
                                continue 'value;
                            }
                            Some(b'}') => {
                                value = Value::Map(arena.alloc_slice_copy(&entries[frame.start..]));
                                entries.truncate(frame.start);
                            }
                            _ => {
                                let what = "',' or '}' after the value";
                                break 'failed (error::expected(text, at, what), Step::After);
                            }
                        }
                    }
                }
                at += 1;
                frame = frames.pop().unwrap_or(Frame::ROOT);
            }
        }
    };
    Err(placed(error, step, frame, frames, items.len()))
}

/// Adds the path, from the frame inside to the frame outside.
#[cold]
#[inline(never)]
fn placed(
    mut error: Error,
    step: Step,
    frame: Frame<'_>,
    frames: &[Frame<'_>],
    mut items_end: usize,
) -> Error {
    for (depth, frame) in std::iter::once(&frame).chain(frames.iter().rev()).enumerate() {
        match frame.inside {
            Inside::Nothing => {}
            Inside::Array => {
                let read = items_end - frame.start;
                let index = if depth == 0 && step == Step::After { read - 1 } else { read };
                error = error.under_index(index);
                items_end = frame.start;
            }
            Inside::Object if depth == 0 && step == Step::Key => {}
            Inside::Object => error = error.under_key(frame.key),
        }
    }
    error
}

// Strings: lent where the text stands for itself, decoded into the arena where it does not.

/// Reads the string whose opening quote is at `at`; returns it with the place after its closing
/// quote. `decoded` is scratch.
#[inline(always)]
pub(super) fn read_string<'a>(
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
            return Err(error::expected(
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
            None => return Err(error::expected(text, place, "a hexadecimal digit")),
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

/// A place in a text, as people count: from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line; lines end with U+000A.
    pub line: usize,
    /// The character within the line.
    pub column: usize,
}

/// The line and column of a byte offset, such as [`Error::offset`](crate::Error::offset) gives.
///
/// Columns are counted in characters, not bytes. An offset past the end is taken for the end; in
/// bytes that are not UTF-8, whatever could begin a character counts as one.
pub fn position(bytes: &[u8], offset: usize) -> Position {
    let before = bytes.get(..offset).unwrap_or(bytes);
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let line = 1 + before[..line_start].iter().filter(|&&byte| byte == b'\n').count();
    let characters = before[line_start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
    Position { line, column: 1 + characters }
}
