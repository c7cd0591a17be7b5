//! Reads text to a [`Value`]: the reader, strings, and the line and column of an offset.
//!
//! `number` reads numbers, `scan` finds the ends of plain text and white space, and `error` builds
//! the messages.

use manywire_format::Format;
use manywire_shape::{Arena, Value, move_to_arena};

use super::{error, number, scan};
use crate::core::error::{Category, Error, Result};
use crate::core::limits::Limits;

/// Reads one value, with optional white space around it.
///
/// Text without escapes is borrowed from `bytes`; everything else is in the arena.
///
/// # Errors
/// Fails with [`Category::Syntax`] or [`Category::Eof`] if the bytes are not JSON text, and with
/// [`Category::Limit`] if they nest deeper than the limit. The error has the offset and the path.
pub fn read_value<'a>(bytes: &'a [u8], arena: &'a Arena, limits: Limits) -> Result<Value<'a>> {
    ValueReader::new(limits).read(bytes, arena)
}

/// Reads many values, one after another, and reuses its working memory.
#[derive(Debug, Default)]
pub struct ValueReader {
    limits: Limits,
    exact: bool,
    scratch: Scratch<'static>,
}

impl ValueReader {
    /// Creates a reader with these limits.
    pub fn new(limits: Limits) -> Self {
        ValueReader { limits, exact: false, scratch: Scratch::default() }
    }

    /// Reads a fraction that is not [exact](manywire_shape::fidelity::is_exact_double) as a double
    /// as a `Number`, the text itself, instead of the nearest `F64`.
    #[must_use]
    pub fn with_exact_fractions(mut self) -> Self {
        self.exact = true;
        self
    }

    /// Returns the reader's limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Reads one value; see [`read_value`].
    ///
    /// # Errors
    /// Fails as [`read_value`] does.
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

    /// Reads the value that starts at `at` or after the white space there, and returns its end.
    pub(super) fn read_from<'a>(
        &mut self,
        text: &'a str,
        at: usize,
        arena: &'a Arena,
    ) -> Result<(Value<'a>, usize)> {
        let mut scratch = std::mem::take(&mut self.scratch).reuse();
        let at = scan::space_end(text.as_bytes(), at);
        let result = read_nested(text, at, arena, self.limits, self.exact, &mut scratch);
        self.scratch = scratch.reuse();
        result.map_err(|error| error.with_format(Format::Json))
    }
}

/// Returns the text up to the first byte that is not UTF-8, and the position of that byte.
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

/// Replaces the error for an early end if the text ends only because the bytes from `invalid` on
/// are not UTF-8. The path of `error` is already right and is kept.
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
// Open containers are on a stack of frames. The items and entries of all open containers share two
// more stacks. They move to the arena when their container closes and their number is known.

/// The working memory of a reader, empty between reads.
#[derive(Debug, Default)]
pub(super) struct Scratch<'a> {
    frames: Vec<Frame<'a>>,
    items: Vec<Value<'a>>,
    entries: Vec<(Value<'a>, Value<'a>)>,
    decoded: String,
}

impl<'a> Scratch<'a> {
    /// Returns the same memory for values of another lifetime. The standard library collects an
    /// iterator over a vector into the same vector if the layouts agree, so nothing is allocated or
    /// moved.
    pub(super) fn reuse<'b>(mut self) -> Scratch<'b> {
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

/// The container of the value being read.
#[derive(Clone, Copy, Debug)]
struct Frame<'a> {
    container: ContainerKind,
    /// The index on the stack where its items or entries start.
    start: usize,
    /// The key that was read last, if the container is an object.
    key: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ContainerKind {
    Nothing,
    Array,
    Object,
}

impl Frame<'_> {
    const ROOT: Self = Frame { container: ContainerKind::Nothing, start: 0, key: "" };
}

/// The step that failed, which decides the path of the error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Reading a key or the end of an object. The path is that of the object.
    Key,
    /// Reading a value.
    Value,
    /// Reading the text after a value. The path is that of the value.
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

    // A failure leaves the loop with its step, so that the path is only built here.
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
            if frame.container == ContainerKind::Object {
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
                        frame = Frame {
                            container: ContainerKind::Object,
                            start: entries.len(),
                            key: "",
                        };
                        if bytes.get(at) != Some(&b'}') {
                            continue 'value;
                        }
                    } else {
                        frame =
                            Frame { container: ContainerKind::Array, start: items.len(), key: "" };
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

            // Stores the value, and closes each container that it completes.
            loop {
                match frame.container {
                    ContainerKind::Nothing => return Ok((value, at)),
                    ContainerKind::Array => {
                        items.push(value);
                        at = scan::space_end(bytes, at);
                        match bytes.get(at) {
                            Some(b',') => {
                                at = scan::space_end(bytes, at + 1);
                                continue 'value;
                            }
                            Some(b']') => {
                                value = Value::Array(move_to_arena(items, frame.start, arena));
                            }
                            _ => {
                                let what = "',' or ']' after the item";
                                break 'failed (error::expected(text, at, what), Step::After);
                            }
                        }
                    }
                    ContainerKind::Object => {
                        entries.push((Value::Str(frame.key), value));
                        at = scan::space_end(bytes, at);
                        match bytes.get(at) {
                            Some(b',') => {
                                at = scan::space_end(bytes, at + 1);
                                continue 'value;
                            }
                            Some(b'}') => {
                                value = Value::Map(move_to_arena(entries, frame.start, arena));
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
    Err(with_path(error, step, frame, frames, items.len()))
}

/// Adds the path, from the innermost frame outwards.
#[cold]
#[inline(never)]
fn with_path(
    mut error: Error,
    step: Step,
    frame: Frame<'_>,
    frames: &[Frame<'_>],
    mut items_end: usize,
) -> Error {
    for (depth, frame) in std::iter::once(&frame).chain(frames.iter().rev()).enumerate() {
        match frame.container {
            ContainerKind::Nothing => {}
            ContainerKind::Array => {
                let read = items_end - frame.start;
                let index = if depth == 0 && step == Step::After { read - 1 } else { read };
                error = error.under_index(index);
                items_end = frame.start;
            }
            ContainerKind::Object if depth == 0 && step == Step::Key => {}
            ContainerKind::Object => error = error.under_key(frame.key),
        }
    }
    error
}

// Strings: borrowed if they have no escapes, otherwise decoded into the arena.

/// Reads the string whose opening quote is at `at`, and returns it with the position after its
/// closing quote. `decoded` is scratch memory.
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

/// Decodes a string with escapes, whose first character is at `start`, and returns the position
/// after its closing quote. The text from `start` to `plain_end` has no escapes.
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

/// Decodes the escape whose backslash is at `at`, and returns its end.
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

/// Decodes `\uXXXX`, including the second half of a surrogate pair (RFC 8259, section 7).
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

/// Reads the four hexadecimal digits at `at`.
fn code_unit(text: &str, at: usize) -> Result<u32> {
    let mut unit = 0;
    for index in at..at + 4 {
        let digit = text.as_bytes().get(index).and_then(|byte| char::from(*byte).to_digit(16));
        match digit {
            Some(digit) => unit = unit << 4 | digit,
            None => return Err(error::expected(text, index, "a hexadecimal digit")),
        }
    }
    Ok(unit)
}

#[cold]
#[inline(never)]
fn lone_surrogate(text: &str, at: usize) -> Error {
    let escape = text.get(at..at + 6).unwrap_or_default();
    Error::syntax(
        at,
        format_args!("{escape} is half of a surrogate pair; alone it is not a character"),
    )
}

#[cold]
#[inline(never)]
fn unfinished(text: &str, at: usize) -> Error {
    match text.as_bytes().get(at) {
        None => Error::eof(at, "the closing quote of a string"),
        Some(control) => Error::syntax(
            at,
            format_args!(
                "a string must not contain U+{control:04X} unescaped; write it as an escape"
            ),
        ),
    }
}

/// A line and column in a text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line; lines end with U+000A.
    pub line: usize,
    /// The character within the line.
    pub column: usize,
}

/// Returns the line and column of a byte offset, such as [`Error::offset`](crate::Error::offset)
/// returns.
///
/// Columns count characters, not bytes. An offset past the end counts as the end. In bytes that are
/// not UTF-8, each byte that could begin a character counts as a character.
pub fn position(bytes: &[u8], offset: usize) -> Position {
    let before = bytes.get(..offset).unwrap_or(bytes);
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let line = 1 + before[..line_start].iter().filter(|&&byte| byte == b'\n').count();
    let characters = before[line_start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
    Position { line, column: 1 + characters }
}
