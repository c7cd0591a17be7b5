//! JSON, RFC 8259.

mod string;

use manywire_shape::Value;

use crate::Role;
use crate::trail::{Kind, Opening, Trail, Walked};

/// What may stand next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
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
    walk_on(bytes, &mut Next::Value, trail)
}

/// Goes on with a walk that stands between two tokens.
pub(crate) fn walk_on(bytes: &[u8], next: &mut Next, trail: &mut Trail<'_>) -> Walked {
    let mut walker = Walker { bytes, at: 0, trail };
    loop {
        if *next == Next::Comma && walker.trail.top().is_none() {
            let start = walker.at;
            walker.at = walker.past_white_space(start);
            walker.trail.separator(start..walker.at, "white space");
            return Ok(());
        }
        *next = walker.step(*next)?;
    }
}

/// How many of the bytes can be walked while more may come: up to behind a bracket or before a
/// comma, where no token goes on, unless it is a string; that is seen to be cut in two.
pub(crate) fn certain(bytes: &[u8]) -> usize {
    let bracket = |byte: &u8| matches!(byte, b'{' | b'}' | b'[' | b']');
    let bracket = bytes.iter().rposition(bracket).map_or(0, |at| at + 1);
    // White space before a comma is of one token with it.
    let comma = |pair: &[u8]| pair[1] == b',' && !pair[0].is_ascii_whitespace();
    let comma = bytes[bracket..].windows(2).rposition(comma).map_or(0, |at| bracket + at + 1);
    bracket.max(comma)
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
            let begun = |(word, ..): &(&str, &str, Value<'_>)| word.as_bytes().starts_with(rest);
            let expected = format_args!("a value");
            return Err(match words.iter().any(begun) {
                true => self.trail.cut(self.at, expected),
                false => self.trail.fault(self.at, expected),
            });
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
}
