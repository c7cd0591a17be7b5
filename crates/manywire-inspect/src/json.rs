//! The walker of JSON, RFC 8259.

use std::borrow::Cow;
use std::ops::ControlFlow;

use manywire_shape::Value;

use crate::Role;
use crate::reporter::{ContainerKind, Opening, Reporter, Stop, WalkResult};

/// The token that the grammar allows next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Value,
    /// A value, or the end of an empty array.
    FirstValue,
    Key,
    /// A key, or the end of an empty object.
    FirstKey,
    Colon,
    /// A comma, or the end of the container.
    Comma,
}

/// Walks a JSON value.
pub(crate) fn walk(bytes: &[u8], reporter: &mut Reporter<'_>) -> WalkResult {
    resume(bytes, &mut Next::Value, reporter)
}

/// Resumes a walk between two tokens.
pub(crate) fn resume(bytes: &[u8], next: &mut Next, reporter: &mut Reporter<'_>) -> WalkResult {
    let mut walker = Walker { bytes, at: 0, reporter };
    loop {
        if *next == Next::Comma && walker.reporter.top().is_none() {
            let start = walker.at;
            walker.at = walker.past_white_space(start);
            walker.reporter.separator(start..walker.at, "white space");
            return Ok(());
        }
        *next = walker.step(*next)?;
    }
}

/// Returns the number of bytes that end with a complete token while more bytes may come: up to and
/// including a bracket, or up to a comma. A bracket or comma inside a string only splits the
/// string, which the walk notices.
pub(crate) fn complete_tokens(bytes: &[u8]) -> usize {
    let bracket = |byte: &u8| matches!(byte, b'{' | b'}' | b'[' | b']');
    let bracket = bytes.iter().rposition(bracket).map_or(0, |at| at + 1);
    // White space before a comma is part of the comma's token.
    let comma = |pair: &[u8]| pair[1] == b',' && !pair[0].is_ascii_whitespace();
    let comma = bytes[bracket..].windows(2).rposition(comma).map_or(0, |at| bracket + at + 1);
    bracket.max(comma)
}

/// A search for the end of a line that has one value, by brackets, quotes and white space alone. The
/// value need not be valid.
#[derive(Default)]
pub(crate) struct LineSearch {
    /// The number of bytes that were searched.
    at: usize,
    /// The number of open brackets.
    depth: usize,
    place: LinePlace,
}

/// The place in a line that a search has reached.
#[derive(Clone, Copy, Default)]
enum LinePlace {
    /// White space before the value, perhaps with line feeds.
    #[default]
    Before,
    /// A number or a word outside of brackets.
    Word,
    /// Between the tokens inside brackets.
    Nested,
    /// A string.
    Quoted,
    /// After a backslash in a string.
    Escaped,
    /// White space after the value.
    After,
}

impl LineSearch {
    /// Searches the bytes that follow those of the last call; `bytes` begins with the same bytes as
    /// then, and `last` says that no more follow. Breaks with the length of the line and of what is
    /// before it, or with `None` if the value does not end on its line or is not alone there.
    pub(crate) fn resume(&mut self, bytes: &[u8], last: bool) -> ControlFlow<Option<usize>> {
        for byte in &bytes[self.at..] {
            self.at += 1;
            self.place = match (self.place, *byte) {
                (LinePlace::Before, b' ' | b'\t' | b'\n' | b'\r') => LinePlace::Before,
                (LinePlace::Before | LinePlace::Nested, b'"') => LinePlace::Quoted,
                (LinePlace::Before | LinePlace::Nested, b'{' | b'[') => {
                    self.depth += 1;
                    LinePlace::Nested
                }
                (LinePlace::Nested, b'}' | b']') => {
                    self.depth -= 1;
                    self.between_tokens()
                }
                (LinePlace::Quoted, b'"') => self.between_tokens(),
                (LinePlace::Quoted, b'\\') => LinePlace::Escaped,
                (LinePlace::Word | LinePlace::After, b'\n') => {
                    return ControlFlow::Break(Some(self.at));
                }
                (LinePlace::Word | LinePlace::After, b' ' | b'\t' | b'\r') => LinePlace::After,
                (LinePlace::Quoted | LinePlace::Nested | LinePlace::Escaped, b'\n')
                | (LinePlace::Word, b'"' | b'{' | b'[')
                | (LinePlace::After, _) => return ControlFlow::Break(None),
                (LinePlace::Before | LinePlace::Word, _) => LinePlace::Word,
                (LinePlace::Quoted | LinePlace::Escaped, _) => LinePlace::Quoted,
                (LinePlace::Nested, _) => LinePlace::Nested,
            };
        }
        match self.place {
            _ if !last => ControlFlow::Continue(()),
            LinePlace::Word | LinePlace::After => ControlFlow::Break(Some(self.at)),
            _ => ControlFlow::Break(None),
        }
    }

    /// Returns the place after a string or a closing bracket.
    fn between_tokens(&self) -> LinePlace {
        if self.depth == 0 { LinePlace::After } else { LinePlace::Nested }
    }
}

/// The walk of the bytes.
struct Walker<'b, 't, 's> {
    bytes: &'b [u8],
    at: usize,
    reporter: &'t mut Reporter<'s>,
}

impl Walker<'_, '_, '_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn past_white_space(&self, from: usize) -> usize {
        let white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        from + self.bytes[from..].iter().take_while(|byte| white(byte)).count()
    }

    /// Walks one token with the white space in front of it.
    fn step(&mut self, next: Next) -> WalkResult<Next> {
        let start = self.at;
        self.at = self.past_white_space(start);
        let mark = match next {
            Next::Colon => Some(b':'),
            Next::Comma => Some(b','),
            _ => None,
        };
        if mark.is_some() && self.peek() == mark {
            self.at = self.past_white_space(self.at + 1);
            let name = if next == Next::Colon { "colon" } else { "comma" };
            self.reporter.separator(start..self.at, name);
            let in_map = self.reporter.is_in(ContainerKind::Map);
            return Ok(if next == Next::Comma && in_map { Next::Key } else { Next::Value });
        }
        self.reporter.separator(start..self.at, "white space");
        match next {
            Next::Value => self.value(),
            Next::FirstValue if self.peek() == Some(b']') => Ok(self.close()),
            Next::FirstValue => self.value(),
            Next::FirstKey if self.peek() == Some(b'}') => Ok(self.close()),
            Next::Key | Next::FirstKey => match self.peek() {
                Some(b'"') => self.string().map(|()| Next::Colon),
                _ => Err(self.reporter.fault(self.at, format_args!("a key in quotes"))),
            },
            Next::Colon => Err(self.reporter.fault(self.at, format_args!("a colon after the key"))),
            Next::Comma => {
                let in_map = self.reporter.is_in(ContainerKind::Map);
                let end = if in_map { b'}' } else { b']' };
                if self.peek() == Some(end) {
                    return Ok(self.close());
                }
                let end = char::from(end);
                Err(self.reporter.fault(self.at, format_args!("a comma or {end}")))
            }
        }
    }

    fn close(&mut self) -> Next {
        let start = self.at;
        self.at += 1;
        let map = self.bytes[start] == b'}';
        let name = if map { "end of object" } else { "end of array" };
        self.reporter.close(start..self.at, format_args!("{name}"));
        Next::Comma
    }

    fn value(&mut self) -> WalkResult<Next> {
        let start = self.at;
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                let opening = Opening::with_count(ContainerKind::Map, None);
                self.reporter.open(start..self.at, Role::Head, format_args!("object"), opening)?;
                return Ok(Next::FirstKey);
            }
            Some(b'[') => {
                self.at += 1;
                let opening = Opening::with_count(ContainerKind::Array, None);
                self.reporter.open(start..self.at, Role::Head, format_args!("array"), opening)?;
                return Ok(Next::FirstValue);
            }
            Some(b'"') => self.string()?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        }
        Ok(Next::Comma)
    }

    fn word(&mut self) -> WalkResult {
        let words: [(&str, &str, Value<'_>); 3] = [
            ("null", "null", Value::Null),
            ("true", "boolean", Value::Bool(true)),
            ("false", "boolean", Value::Bool(false)),
        ];
        let rest = &self.bytes[self.at..];
        let Some((word, name, value)) =
            words.into_iter().find(|(word, ..)| rest.starts_with(word.as_bytes()))
        else {
            let is_prefix =
                |(word, ..): &(&str, &str, Value<'_>)| word.as_bytes().starts_with(rest);
            let expected = format_args!("a value");
            return Err(match words.iter().any(is_prefix) {
                true => self.reporter.truncated(self.at, expected),
                false => self.reporter.fault(self.at, expected),
            });
        };
        let start = self.at;
        self.at += word.len();
        self.reporter.scalar(start..self.at, 0, Role::Fixed, format_args!("{name}"), value);
        Ok(())
    }

    fn digits(&self, from: usize) -> usize {
        from + self.bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    /// Walks a number (section 6). Its text is its value.
    fn number(&mut self) -> WalkResult {
        let start = self.at;
        let whole = start + usize::from(self.bytes[start] == b'-');
        let mut end = self.digits(whole);
        if end == whole {
            return Err(self.reporter.fault(whole, format_args!("a digit")));
        }
        if self.bytes[whole] == b'0' && end > whole + 1 {
            return Err(self.reporter.fault(whole, format_args!("a number without leading zeros")));
        }
        let mut integer = true;
        if self.bytes.get(end) == Some(&b'.') {
            end = self.some_digits(end + 1)?;
            integer = false;
        }
        if matches!(self.bytes.get(end), Some(b'e' | b'E')) {
            let signed = matches!(self.bytes.get(end + 1), Some(b'+' | b'-'));
            end = self.some_digits(end + 1 + usize::from(signed))?;
            integer = false;
        }
        self.at = end;
        let text = String::from_utf8_lossy(&self.bytes[start..end]);
        let name = if integer { "integer" } else { "number" };
        let value = Value::Number(&text);
        self.reporter.scalar(start..end, 0, Role::Value, format_args!("{name}"), value);
        Ok(())
    }

    fn some_digits(&mut self, from: usize) -> WalkResult<usize> {
        let end = self.digits(from);
        if end == from {
            return Err(self.reporter.fault(from, format_args!("a digit")));
        }
        Ok(end)
    }
}

impl Walker<'_, '_, '_> {
    fn string(&mut self) -> WalkResult {
        let bytes = self.bytes;
        let start = self.at;
        let scanned = self.scan_string(start + 1);
        let (Ok(end) | Err(StringError { offset: end, .. })) = scanned;
        let raw = &bytes[start + 1..end];
        // The first fault in the string is reported first. Invalid UTF-8 affects only this string;
        // any other fault in the string ends the walk.
        let lone = lone_surrogate(raw).map(|offset| start + 1 + offset);
        let utf8 = std::str::from_utf8(raw);
        let invalid = utf8.err().map(|error| start + 1 + error.valid_up_to());
        // The bytes end in the middle of a character.
        let cut_off = utf8.is_err_and(|error| error.error_len().is_none()) && end == bytes.len();
        if let Some(offset) = invalid.filter(|offset| lone.is_none_or(|lone| *offset < lone)) {
            match cut_off {
                true => self.reporter.truncated(offset, format_args!("UTF-8")),
                false => self.reporter.fault(offset, format_args!("UTF-8")),
            };
        }
        if let Some(offset) = lone {
            let expected = format_args!("surrogates in pairs, high before low");
            // The low surrogate may be in the bytes to come.
            return Err(match end == bytes.len() {
                true => self.reporter.truncated(offset, expected),
                false => self.reporter.fault(offset, expected),
            });
        }
        if let Err(StringError { offset, expected }) = scanned {
            // The invalid UTF-8 at the end has been reported already.
            return Err(match cut_off {
                true => Stop,
                false => self.reporter.fault(offset, format_args!("{expected}")),
            });
        }
        let text = utf8.map_or_else(|_| String::from_utf8_lossy(raw), Cow::Borrowed);
        let text = if raw.contains(&b'\\') { unescaped(&text).into() } else { text };
        self.at = end + 1;
        let length = text.len();
        let name = format_args!("{length}-byte string");
        self.reporter.scalar(start..self.at, 2, Role::Value, name, Value::Str(&text));
        Ok(())
    }

    /// Returns the offset of the closing quote of the string whose content begins at `at`.
    fn scan_string(&self, mut at: usize) -> Result<usize, StringError> {
        loop {
            match self.bytes.get(at) {
                Some(b'"') => return Ok(at),
                Some(b'\\') => at = self.escape(at)?,
                Some(0x00..0x20) => {
                    let expected = "an escape, not a bare control character";
                    return Err(StringError { offset: at, expected });
                }
                Some(_) => at += 1,
                None => return Err(StringError { offset: at, expected: "a closing quote" }),
            }
        }
    }

    /// Returns the end of the escape at `at`. [`lone_surrogate`] checks that surrogates come in
    /// pairs.
    fn escape(&self, at: usize) -> Result<usize, StringError> {
        match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => {
                let digit = |index: &usize| {
                    !self.bytes.get(*index).is_some_and(|byte| byte.is_ascii_hexdigit())
                };
                match (at + 2..at + 6).find(digit) {
                    None => Ok(at + 6),
                    Some(offset) => {
                        Err(StringError { offset, expected: "four hexadecimal digits" })
                    }
                }
            }
            _ => {
                Err(StringError { offset: at + 1, expected: "one of \" \\ / b f n r t u after \\" })
            }
        }
    }
}

/// An error in a string.
struct StringError {
    offset: usize,
    expected: &'static str,
}

/// Returns the offset of the first surrogate escape without its other half (RFC 8259, section 7).
/// Ignores an escape that is cut off by the end of the bytes.
fn lone_surrogate(raw: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(index) = raw[at..].iter().position(|byte| *byte == b'\\') {
        at += index;
        at += match code_unit(raw, at) {
            None => 2.min(raw.len() - at),
            Some(0xd800..0xdc00) if raw.get(at + 6..at + 8) == Some(b"\\u") => {
                match code_unit(raw, at + 6) {
                    Some(0xdc00..0xe000) => 12,
                    Some(_) => return Some(at),
                    None => return None,
                }
            }
            // A high surrogate without a `\u` after it, or a low surrogate without a high one
            // before it.
            Some(0xd800..0xe000) => return Some(at),
            Some(_) => 6,
        };
    }
    None
}

/// Returns the number of the `\uXXXX` at this offset.
fn code_unit(raw: &[u8], at: usize) -> Option<u32> {
    let digits = raw.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Returns the text of a string whose escapes are all well formed.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(index) = rest.find('\\') {
        plain.push_str(&rest[..index]);
        let escape = &rest[index + 1..];
        let (character, length) = match escape.as_bytes().first() {
            Some(b'u') => code_point(escape).unwrap_or(('\u{fffd}', 5)),
            Some(b'b') => ('\u{8}', 1),
            Some(b'f') => ('\u{c}', 1),
            Some(b'n') => ('\n', 1),
            Some(b'r') => ('\r', 1),
            Some(b't') => ('\t', 1),
            Some(&other) => (char::from(other), 1),
            None => break,
        };
        plain.push(character);
        rest = &escape[length..];
    }
    plain.push_str(rest);
    plain
}

/// Returns the character of `u` and four digits, or of a pair of such escapes, and the length of
/// the escapes.
fn code_point(escape: &str) -> Option<(char, usize)> {
    let unit = |from: usize| u32::from_str_radix(escape.get(from..from + 4)?, 16).ok();
    let high = unit(1)?;
    if let Some(character) = char::from_u32(high) {
        return Some((character, 5));
    }
    let low = (high < 0xdc00 && escape.get(5..7) == Some("\\u")).then(|| unit(7)).flatten()?;
    let paired = (0xdc00..0xe000).contains(&low);
    let code = 0x10000 + ((high - 0xd800) << 10) + low.checked_sub(0xdc00)?;
    char::from_u32(code).filter(|_| paired).map(|character| (character, 11))
}
