//! Protocol Buffers without a schema, <https://protobuf.dev/programming-guides/encoding/>.
//!
//! Numbers and wire types are in the bytes, names and types are not. A field with a length is
//! taken for a message, for text or for bytes by what its content reads as.

use manywire_shape::Value;

use crate::Role;
use crate::trail::{Kind, Opening, Trail, Walked};

pub(crate) fn walk(bytes: &[u8], trail: &mut Trail<'_>) -> Walked {
    let mut walker = Walker { bytes, at: 0, trail };
    walker.trail.enter(Opening::until(Kind::Map, bytes.len()));
    while let Some(frame) = walker.trail.top() {
        let (end, group) = (frame.end, frame.mark);
        if walker.at < end {
            walker.field(end, group)?;
        } else if group != 0 {
            let expected = format_args!("the end of group {group}");
            return Err(walker.trail.fault(walker.at, expected));
        } else {
            walker.trail.close(end..end, format_args!("end of message"));
        }
    }
    Ok(())
}

struct Walker<'b, 't, 's> {
    bytes: &'b [u8],
    at: usize,
    trail: &'t mut Trail<'s>,
}

impl<'b> Walker<'b, '_, '_> {
    /// A field of the message that ends at `end`; `group` is the number of the group it is in.
    fn field(&mut self, end: usize, group: u64) -> Walked {
        let start = self.at;
        let tag = self.varint(end, "a tag")?;
        let (number, wire_type) = (tag >> 3, tag & 7);
        if number == 0 || number > FIELD_NUMBER_MAX {
            let expected = format_args!("a field number from 1 to 536870911, not {number}");
            return Err(self.trail.fault(start, expected));
        }
        if wire_type == 4 {
            if number != group {
                let expected = format_args!("no end of group {number} here");
                return Err(self.trail.fault(self.at, expected));
            }
            self.trail.close(start..self.at, format_args!("end of group"));
            return Ok(());
        }
        let Some(name) = WIRE_TYPES.get(wire_type as usize) else {
            let expected = format_args!("a wire type from 0 to 5, not {wire_type}");
            return Err(self.trail.fault(self.at, expected));
        };
        let range = start..self.at;
        let key = Value::from(number);
        self.trail.scalar(range, 0, Role::Key, format_args!("{name} field"), key);
        match wire_type {
            0 => self.number(end),
            1 => {
                let bits = self.fixed::<8>(end)?;
                let float = f64::from_le_bytes(bits);
                let integer = u64::from_le_bytes(bits);
                self.fixed_number(8, float, integer);
                Ok(())
            }
            2 => self.content(end),
            3 => {
                let here = self.at;
                let opening = Opening { mark: number, ..Opening::until(Kind::Map, end) };
                self.trail.open(here..here, Role::Head, format_args!("group"), opening)
            }
            _ => {
                let bits = self.fixed::<4>(end)?;
                let float = f64::from(f32::from_le_bytes(bits));
                let integer = u64::from(u32::from_le_bytes(bits));
                self.fixed_number(4, float, integer);
                Ok(())
            }
        }
    }

    fn varint(&mut self, end: usize, what: &str) -> Walked<u64> {
        let start = self.at;
        match varint(&self.bytes[start..end]) {
            Ok((number, length)) => {
                if length > 1 && self.bytes[start + length - 1] == 0 {
                    self.trail.remark(start, format_args!("a shorter varint would do"));
                }
                self.at += length;
                Ok(number)
            }
            Err(Malformed::Cut) => {
                Err(self.trail.fault(end, format_args!("the last byte of {what}")))
            }
            Err(Malformed::Long) => {
                Err(self.trail.fault(start, format_args!("{what} within 64 bits")))
            }
        }
    }

    fn number(&mut self, end: usize) -> Walked {
        let start = self.at;
        let number = self.varint(end, "a number")?;
        let range = start..self.at;
        let zigzag = (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
        let value = Value::from(number);
        // Negative numbers of the plain types take all ten bytes.
        if number > i64::MAX as u64 {
            let signed = number.cast_signed();
            let name = format_args!("varint, signed {signed}");
            self.trail.scalar(range, 0, Role::Value, name, value);
        } else {
            let name = format_args!("varint, zigzag {zigzag}");
            self.trail.scalar(range, 0, Role::Value, name, value);
        }
        Ok(())
    }

    fn fixed<const N: usize>(&mut self, end: usize) -> Walked<[u8; N]> {
        match self.bytes[self.at..end].first_chunk::<N>() {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.trail.fault(self.at, format_args!("{N} bytes of the value"))),
        }
    }

    /// A float, unless it would be one that nobody writes; then an integer.
    fn fixed_number(&mut self, width: usize, float: f64, integer: u64) {
        let range = self.at - width..self.at;
        let bits = width * 8;
        let likely = float == 0.0 || (1e-9..1e15).contains(&float.abs());
        let name = format_args!("{bits}-bit number, as integer {integer}");
        if likely {
            self.trail.scalar(range, 0, Role::Value, name, Value::F64(float));
        } else {
            let name = format_args!("{bits}-bit number");
            self.trail.scalar(range, 0, Role::Value, name, Value::from(integer));
        }
    }

    fn content(&mut self, end: usize) -> Walked {
        let bytes = self.bytes;
        let start = self.at;
        let length = self.varint(end, "a length")?;
        let head = self.at - start;
        let rest = &bytes[self.at..end];
        let Some(content) = usize::try_from(length).ok().and_then(|length| rest.get(..length))
        else {
            let left = rest.len();
            let expected = format_args!("{length} bytes, of which {left} are here");
            return Err(self.trail.fault(self.at, expected));
        };
        let text = std::str::from_utf8(content).ok().filter(|text| is_printable(text));
        if is_message(content) && text.is_none_or(|text| text.starts_with(char::is_control)) {
            let opening = Opening::until(Kind::Map, self.at + content.len());
            let name = format_args!("{length}-byte message");
            return self.trail.open(start..self.at, Role::Length, name, opening);
        }
        self.at += content.len();
        let range = start..self.at;
        match text {
            Some(text) => {
                let name = format_args!("{length}-byte string");
                self.trail.scalar(range, head, Role::Value, name, Value::Str(text));
            }
            None => {
                let name = format_args!("{length} bytes");
                self.trail.scalar(range, head, Role::Value, name, Value::Bytes(content));
            }
        }
        Ok(())
    }
}

const FIELD_NUMBER_MAX: u64 = (1 << 29) - 1;

/// Wire types by their number; 4 ends what 3 begins.
const WIRE_TYPES: [&str; 6] = ["varint", "64-bit", "length", "group", "end", "32-bit"];

enum Malformed {
    Cut,
    Long,
}

fn varint(bytes: &[u8]) -> Result<(u64, usize), Malformed> {
    let mut number = 0;
    for (index, &byte) in bytes.iter().enumerate() {
        if index == 9 && byte > 1 {
            return Err(Malformed::Long);
        }
        number |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Ok((number, index + 1));
        }
    }
    Err(Malformed::Cut)
}

/// Text without control characters but those that lines are made with.
fn is_printable(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r'))
}

/// Whether bytes read as the fields of a message, at least one. What is inside of fields is not
/// looked at, so that each level of nesting is scanned once.
fn is_message(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        match past_field(rest) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    !bytes.is_empty()
}

fn past_field(bytes: &[u8]) -> Option<&[u8]> {
    let (tag, length) = varint(bytes).ok()?;
    let rest = &bytes[length..];
    if !(1..=FIELD_NUMBER_MAX).contains(&(tag >> 3)) {
        return None;
    }
    let length = match tag & 7 {
        0 => varint(rest).ok()?.1,
        1 => 8,
        2 => {
            let (content, length) = varint(rest).ok()?;
            length.checked_add(usize::try_from(content).ok()?)?
        }
        5 => 4,
        _ => return None,
    };
    rest.get(length..)
}
