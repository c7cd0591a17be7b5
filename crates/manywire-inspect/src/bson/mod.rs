//! BSON, <https://bsonspec.org/spec.html>, version 1.1.

mod value;

use std::fmt;

use manywire_shape::Value;

use crate::Role;
use crate::trail::{Kind, Opening, Stop, Trail, Walked};

use value::type_name;

pub(crate) fn walk(bytes: &[u8], trail: &mut Trail<'_>) -> Walked {
    let mut walker = Walker { bytes, at: 0, trail };
    walker.root()?;
    while let Some(frame) = walker.trail.top() {
        let end = frame.end;
        walker.element(end)?;
    }
    Ok(())
}

struct Walker<'b, 't, 's> {
    bytes: &'b [u8],
    at: usize,
    trail: &'t mut Trail<'s>,
}

impl<'b> Walker<'b, '_, '_> {
    fn root(&mut self) -> Walked {
        let length = self.bytes.len();
        let Some(claimed) = self.peek_i32(0, length) else {
            return Err(self.trail.fault(length, format_args!("4 bytes of the document's length")));
        };
        let mut end = length;
        match usize::try_from(claimed) {
            Ok(claimed) if claimed > length => {
                // What is there can be read all the same.
                let expected =
                    format_args!("{claimed} bytes of document, of which {length} are here");
                self.trail.cut(0, expected);
            }
            Ok(claimed) => end = claimed,
            Err(_) => end = 0,
        }
        self.document(Kind::Map, "document", end, claimed)
    }

    /// A document from here to `end`; its length is `claimed`.
    fn document(&mut self, kind: Kind, noun: &str, end: usize, claimed: i32) -> Walked {
        let start = self.at;
        if claimed < 5 || end < start + 5 {
            let expected = format_args!("a document of 5 bytes or more, not of {claimed}");
            return Err(self.trail.fault(start, expected));
        }
        if self.bytes[end - 1] != 0 && end - start == claimed as usize {
            self.trail.fault(start, format_args!("a {noun} whose last byte is 0"));
        }
        self.at += 4;
        let name = format_args!("{claimed}-byte {noun}");
        let opening = Opening::until(kind, end);
        self.trail.open(start..self.at, Role::Length, name, opening)
    }

    /// A document inside another, which leaves room for it up to `limit`.
    fn inner(&mut self, kind: Kind, noun: &str, limit: usize) -> Walked {
        let start = self.at;
        let claimed = self.length(start, limit)?;
        match usize::try_from(claimed) {
            Ok(length) if length > limit - start => self.lack(start, length, limit),
            Ok(length) => self.document(kind, noun, start + length, claimed),
            Err(_) => self.document(kind, noun, start, claimed),
        }
    }

    /// One element of the innermost document, or the end of it.
    fn element(&mut self, end: usize) -> Walked {
        let start = self.at;
        let limit = end - 1;
        let Some(&code) = self.bytes.get(start).filter(|_| start < end) else {
            return Err(self
                .trail
                .fault(start, format_args!("an element or the 0 that ends them")));
        };
        if start == limit && code == 0 {
            self.at += 1;
            self.trail.close(start..self.at, format_args!("end of document"));
            return Ok(());
        }
        let Some(name) = type_name(code) else {
            let expected = format_args!("the type of an element, which {code:02x} is not");
            return Err(self.trail.fault(start, expected));
        };
        self.key(name, limit)?;
        self.value(code, name, limit)
    }

    fn key(&mut self, name: &str, limit: usize) -> Walked {
        let start = self.at;
        let key = self.cstring(start + 1, limit, start + 1)?;
        self.at += 2 + key.len();
        let array = self.trail.top().is_some_and(|frame| frame.kind == Kind::Array);
        let head = 2;
        let value = self.text(key, start + 1);
        if array {
            // The index says nothing that its place does not say.
            let entry = self.trail.top().map_or(0, |frame| frame.entry);
            if key != entry.to_string().as_bytes() {
                self.trail.remark(start, format_args!("the index here is {entry}"));
            }
            let name = format_args!("{name} item");
            self.trail.head(start..self.at, Role::Head, name, Some(value));
        } else {
            let name = format_args!("{name} key");
            self.trail.scalar(start..self.at, head, Role::Key, name, value);
        }
        Ok(())
    }

    fn scalar(&mut self, start: usize, head: usize, name: fmt::Arguments<'_>, value: Value<'_>) {
        self.trail.scalar(start..self.at, head, Role::Value, name, value);
    }

    fn peek_i32(&self, at: usize, limit: usize) -> Option<i32> {
        let bytes = self.bytes.get(at..at.checked_add(4)?).filter(|_| at + 4 <= limit)?;
        Some(i32::from_le_bytes(bytes.try_into().ok()?))
    }

    fn length(&mut self, at: usize, limit: usize) -> Walked<i32> {
        match self.peek_i32(at, limit) {
            Some(length) => Ok(length),
            None => Err(self.short(limit, limit, format_args!("4 bytes of a length"))),
        }
    }

    #[cold]
    fn lack(&mut self, at: usize, length: usize, limit: usize) -> Walked {
        let left = limit.saturating_sub(at);
        let expected = format_args!("room for {length} bytes, but the document has {left} left");
        Err(self.short(at, limit, expected))
    }

    /// There are too few bytes up to `limit`: more would help where the input ends with them.
    #[cold]
    fn short(&mut self, at: usize, limit: usize, expected: fmt::Arguments<'_>) -> Stop {
        match limit + 1 >= self.bytes.len() {
            true => self.trail.cut(at, expected),
            false => self.trail.fault(at, expected),
        }
    }

    fn fixed<const N: usize>(&mut self, limit: usize) -> Walked<[u8; N]> {
        let bytes = self.bytes;
        let found = bytes.get(self.at..limit).and_then(|rest| rest.first_chunk::<N>());
        match found {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.short(self.at, limit, format_args!("{N} bytes of the value"))),
        }
    }

    /// A length, that many bytes, the last of which is 0.
    fn string(&mut self, at: usize, limit: usize) -> Walked<&'b [u8]> {
        let bytes = self.bytes;
        let claimed = self.length(at, limit)?;
        let length = match usize::try_from(claimed) {
            Ok(length) if length > 0 => length,
            _ => {
                let expected = format_args!("a length that counts the last 0, not {claimed}");
                return Err(self.trail.fault(at, expected));
            }
        };
        if length > limit - at - 4 {
            return self.lack(at, length, limit).map(|()| &[][..]);
        }
        let (last, text) = match bytes[at + 4..at + 4 + length].split_last() {
            Some((last, text)) => (*last, text),
            None => (0, &[][..]),
        };
        if last != 0 {
            return Err(self.trail.fault(at, format_args!("a string whose last byte is 0")));
        }
        self.at = at + 4 + length;
        Ok(text)
    }

    /// Bytes up to a 0; without one, `blamed` is at fault.
    fn cstring(&mut self, at: usize, limit: usize, blamed: usize) -> Walked<&'b [u8]> {
        let bytes = self.bytes;
        let rest = bytes.get(at..limit).unwrap_or_default();
        match rest.iter().position(|byte| *byte == 0) {
            Some(length) => Ok(&rest[..length]),
            None => Err(self.short(blamed, limit, format_args!("text that a 0 ends"))),
        }
    }

    /// Text that should be UTF-8. Its end is known, so what follows is not spoilt.
    fn text(&mut self, bytes: &'b [u8], at: usize) -> Value<'b> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Value::Str(text),
            Err(error) => {
                self.trail.fault(at + error.valid_up_to(), format_args!("UTF-8"));
                Value::Bytes(bytes)
            }
        }
    }
}
