//! JSON, RFC 8259.

use std::borrow::Cow;
use std::ops::Range;

use manywire_shape::Value;

use crate::Role;
use crate::trail::{Kind, Opening, Trail, Walked};

/// What may stand next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    /// A value, or the end of an array that has none.
    FirstValue,
    Key,
    /// A key, or the end of an object that has none.
    FirstKey,
    Colon,
    /// A comma, or the end of the container.
    Comma,
}

pub(crate) fn walk(bytes: &[u8], trail: &mut Trail<'_>) -> Walked {
    let mut walker = Walker { bytes, at: 0, trail };
    let mut next = Next::Value;
    loop {
        next = walker.step(next)?;
        if next == Next::Comma && walker.trail.top().is_none() {
            let start = walker.at;
            walker.at = walker.past_white_space(start);
            walker.trail.separator(start..walker.at, "white space");
            return Ok(());
        }
    }
}

struct Walker<'b, 't, 's> {
    bytes: &'b [u8],
    at: usize,
    trail: &'t mut Trail<'s>,
}

impl Walker<'_, '_, '_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn past_white_space(&self, from: usize) -> usize {
        let white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        from + self.bytes[from..].iter().take_while(|byte| white(byte)).count()
    }

    /// One token, with the white space in front of it.
    fn step(&mut self, next: Next) -> Walked<Next> {
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
            self.trail.separator(start..self.at, name);
            let in_map = self.trail.top().is_some_and(|frame| frame.kind == Kind::Map);
            return Ok(if next == Next::Comma && in_map { Next::Key } else { Next::Value });
        }
        self.trail.separator(start..self.at, "white space");
        match next {
            Next::Value => self.value(),
            Next::FirstValue if self.peek() == Some(b']') => Ok(self.close()),
            Next::FirstValue => self.value(),
            Next::FirstKey if self.peek() == Some(b'}') => Ok(self.close()),
            Next::Key | Next::FirstKey => match self.peek() {
                Some(b'"') => self.string().map(|()| Next::Colon),
                _ => Err(self.trail.fault(self.at, format_args!("a key in quotes"))),
            },
            Next::Colon => Err(self.trail.fault(self.at, format_args!("a colon behind the key"))),
            Next::Comma => {
                let in_map = self.trail.top().is_some_and(|frame| frame.kind == Kind::Map);
                let end = if in_map { b'}' } else { b']' };
                if self.peek() == Some(end) {
                    return Ok(self.close());
                }
                let end = char::from(end);
                Err(self.trail.fault(self.at, format_args!("a comma or {end}")))
            }
        }
    }

    fn close(&mut self) -> Next {
        let start = self.at;
        self.at += 1;
        let map = self.bytes[start] == b'}';
        let name = if map { "end of object" } else { "end of array" };
        self.trail.close(start..self.at, format_args!("{name}"));
        Next::Comma
    }

    fn value(&mut self) -> Walked<Next> {
        let start = self.at;
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                let opening = Opening::of(Kind::Map, None);
                self.trail.open(start..self.at, Role::Head, format_args!("object"), opening)?;
                return Ok(Next::FirstKey);
            }
            Some(b'[') => {
                self.at += 1;
                let opening = Opening::of(Kind::Array, None);
                self.trail.open(start..self.at, Role::Head, format_args!("array"), opening)?;
                return Ok(Next::FirstValue);
            }
            Some(b'"') => self.string()?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        }
        Ok(Next::Comma)
    }

    fn word(&mut self) -> Walked {
        let words: [(&str, &str, Value<'_>); 3] = [
            ("null", "null", Value::Null),
            ("true", "boolean", Value::Bool(true)),
            ("false", "boolean", Value::Bool(false)),
        ];
        let rest = &self.bytes[self.at..];
        let Some((word, name, value)) =
            words.into_iter().find(|(word, ..)| rest.starts_with(word.as_bytes()))
        else {
            return Err(self.trail.fault(self.at, format_args!("a value")));
        };
        let start = self.at;
        self.at += word.len();
        self.trail.scalar(start..self.at, 0, Role::Fixed, format_args!("{name}"), value);
        Ok(())
    }

    fn digits(&self, from: usize) -> usize {
        from + self.bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    /// Section 6: a number is what its text says, so its text is the value.
    fn number(&mut self) -> Walked {
        let start = self.at;
        let whole = start + usize::from(self.bytes[start] == b'-');
        let mut end = self.digits(whole);
        if end == whole {
            return Err(self.trail.fault(whole, format_args!("a digit")));
        }
        if self.bytes[whole] == b'0' && end > whole + 1 {
            return Err(self.trail.fault(whole, format_args!("a number without leading zeros")));
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
        self.trail.scalar(start..end, 0, Role::Value, format_args!("{name}"), value);
        Ok(())
    }

    fn some_digits(&mut self, from: usize) -> Walked<usize> {
        let end = self.digits(from);
        if end == from {
            return Err(self.trail.fault(from, format_args!("a digit")));
        }
        Ok(end)
    }

    fn string(&mut self) -> Walked {
        let bytes = self.bytes;
        let start = self.at;
        let (content, escapes) = self.scan_string()?;
        let raw = &bytes[content.clone()];
        // What is not UTF-8 spoils this string and nothing behind it.
        let text = match std::str::from_utf8(raw) {
            Ok(text) => Cow::Borrowed(text),
            Err(error) => {
                self.trail.fault(content.start + error.valid_up_to(), format_args!("UTF-8"));
                String::from_utf8_lossy(raw)
            }
        };
        let text = if escapes { self.unescape(&text, content.start)? } else { text };
        self.at = content.end + 1;
        let length = text.len();
        let name = format_args!("{length}-byte string");
        self.trail.scalar(start..self.at, 2, Role::Value, name, Value::Str(&text));
        Ok(())
    }

    /// The content of the string that begins here, and whether it has escapes.
    fn scan_string(&mut self) -> Walked<(Range<usize>, bool)> {
        let start = self.at + 1;
        let mut at = start;
        let mut escapes = false;
        loop {
            match self.bytes.get(at) {
                Some(b'"') => return Ok((start..at, escapes)),
                Some(b'\\') => {
                    escapes = true;
                    at = self.escape(at)?;
                }
                Some(0x00..0x20) => {
                    let expected = format_args!("an escape: control characters cannot stand here");
                    return Err(self.trail.fault(at, expected));
                }
                Some(_) => at += 1,
                None => {
                    let valid = match std::str::from_utf8(&self.bytes[start..]) {
                        Ok(_) => None,
                        Err(error) => Some(start + error.valid_up_to()),
                    };
                    return Err(match valid {
                        Some(offset) => self.trail.fault(offset, format_args!("UTF-8")),
                        None => self.trail.fault(at, format_args!("a closing quote")),
                    });
                }
            }
        }
    }

    /// The end of the escape that begins at `at`. Surrogates are for [`Self::unescape`] to pair.
    fn escape(&mut self, at: usize) -> Walked<usize> {
        match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => {
                let digit = |index: &usize| {
                    !self.bytes.get(*index).is_some_and(|byte| byte.is_ascii_hexdigit())
                };
                match (at + 2..at + 6).find(digit) {
                    None => Ok(at + 6),
                    Some(offset) => {
                        Err(self.trail.fault(offset, format_args!("four hexadecimal digits")))
                    }
                }
            }
            _ => {
                Err(self.trail.fault(at + 1, format_args!("one of \" \\ / b f n r t u behind \\")))
            }
        }
    }

    /// The text that a string with escapes stands for; `start` is where it stands in the input.
    fn unescape(&mut self, text: &str, start: usize) -> Walked<Cow<'static, str>> {
        let mut plain = String::new();
        let mut rest = text;
        while let Some(index) = rest.find('\\') {
            plain.push_str(&rest[..index]);
            let offset = start + text.len() - rest.len() + index;
            let escape = &rest[index + 1..];
            let (character, length) = match escape.as_bytes().first() {
                Some(b'u') => match code_point(escape) {
                    Some(found) => found,
                    None => {
                        let expected = format_args!("surrogates in pairs, high before low");
                        return Err(self.trail.fault(offset, expected));
                    }
                },
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
        Ok(Cow::Owned(plain))
    }
}

/// The character of `u` and four digits, or of a pair of such escapes, and how long it is.
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
