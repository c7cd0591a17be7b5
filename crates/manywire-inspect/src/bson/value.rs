//! The values of elements.

use manywire_shape::{Timestamp, Value};

use super::Walker;
use crate::Role;
use crate::trail::{Kind, Opening, Walked};

impl Walker<'_, '_, '_> {
    pub(super) fn value(&mut self, code: u8, name: &'static str, limit: usize) -> Walked {
        let start = self.at;
        if let Some(instead) = deprecated(code) {
            self.trail.remark(start, format_args!("{name} is deprecated: {instead}"));
        }
        match code {
            0x01 => {
                let value = Value::F64(f64::from_le_bytes(self.fixed(limit)?));
                self.scalar(start, 0, format_args!("64-bit float"), value);
            }
            0x02 | 0x0d | 0x0e => {
                let text = self.string(start, limit)?;
                let length = text.len();
                let value = self.text(text, start + 4);
                match code {
                    0x02 => self.scalar(start, 5, format_args!("{length}-byte string"), value),
                    _ => self.scalar(start, 5, format_args!("{length}-byte {name}"), value),
                }
            }
            0x03 => self.inner(Kind::Map, "document", limit)?,
            0x04 => self.inner(Kind::Array, "array", limit)?,
            0x05 => self.binary(limit)?,
            0x07 => {
                let bytes: [u8; 12] = self.fixed(limit)?;
                self.scalar(start, 0, format_args!("ObjectId"), Value::Bytes(&bytes));
            }
            0x08 => {
                let [truth] = self.fixed(limit)?;
                if truth > 1 {
                    self.trail.fault(start, format_args!("0 or 1, not {truth:02x}"));
                }
                let value = Value::Bool(truth != 0);
                let range = start..self.at;
                self.trail.scalar(range, 0, Role::Fixed, format_args!("boolean"), value);
            }
            0x09 => {
                let milliseconds = i64::from_le_bytes(self.fixed(limit)?);
                let seconds = milliseconds.div_euclid(1_000);
                let nanoseconds = milliseconds.rem_euclid(1_000) as u32 * 1_000_000;
                let value = Timestamp::new(seconds, nanoseconds);
                let value = value.map_or(Value::I64(milliseconds), Value::Timestamp);
                self.scalar(start, 0, format_args!("time in milliseconds"), value);
            }
            0x0b => {
                let pattern = self.cstring(start, limit, start)?;
                let after = start + pattern.len() + 1;
                let pattern = self.text(pattern, start);
                let options = self.cstring(after, limit, after)?;
                self.at = after + options.len() + 1;
                let options = self.text(options, after);
                if let (Value::Str(pattern), Value::Str(options)) = (pattern, options) {
                    let text = format!("/{pattern}/{options}");
                    self.scalar(start, 2, format_args!("{name}"), Value::Str(&text));
                } else {
                    let bytes = self.bytes;
                    let value = Value::Bytes(&bytes[start..self.at]);
                    self.scalar(start, 2, format_args!("{name}"), value);
                }
            }
            0x0c => {
                let namespace = self.string(start, limit)?;
                let value = self.text(namespace, start + 4);
                let _: [u8; 12] = self.fixed(limit)?;
                self.scalar(start, 5, format_args!("{name}, namespace and ObjectId"), value);
            }
            0x0f => self.code_with_scope(limit)?,
            0x10 => {
                let number = i32::from_le_bytes(self.fixed(limit)?);
                let value = Value::I64(i64::from(number));
                self.scalar(start, 0, format_args!("32-bit integer"), value);
            }
            0x11 => {
                let stamp = u64::from_le_bytes(self.fixed(limit)?);
                let (seconds, increment) = (stamp >> 32, stamp & 0xffff_ffff);
                let name = format_args!("{name}, {increment} in second {seconds}");
                self.scalar(start, 0, name, Value::from(stamp));
            }
            0x12 => {
                let number = i64::from_le_bytes(self.fixed(limit)?);
                if i32::try_from(number).is_ok() {
                    self.trail.remark(start, format_args!("{number} fits into 4 bytes"));
                }
                self.scalar(start, 0, format_args!("64-bit integer"), Value::I64(number));
            }
            0x13 => {
                let bytes: [u8; 16] = self.fixed(limit)?;
                self.scalar(start, 0, format_args!("{name}"), Value::Bytes(&bytes));
            }
            // Null, undefined, min key and max key: the type is all there is.
            _ => {
                let range = start..start;
                self.trail.scalar(range, 0, Role::Fixed, format_args!("{name}"), Value::Null);
            }
        }
        Ok(())
    }

    fn binary(&mut self, limit: usize) -> Walked {
        let bytes = self.bytes;
        let start = self.at;
        let claimed = self.length(start, limit)?;
        let Ok(length) = usize::try_from(claimed) else {
            let expected = format_args!("a length of 0 or more, not {claimed}");
            return Err(self.trail.fault(start, expected));
        };
        if limit - start < 5 {
            return Err(self.trail.fault(start + 4, format_args!("the subtype of the bytes")));
        }
        if length > limit - start - 5 {
            return self.lack(start, length, limit);
        }
        let subtype = bytes[start + 4];
        match subtype {
            2 | 3 => self.trail.remark(start, format_args!("subtype {subtype} is deprecated")),
            10..128 => self.trail.remark(start, format_args!("subtype {subtype} is reserved")),
            _ => {}
        }
        let mut content = &bytes[start + 5..start + 5 + length];
        // Subtype 2 says its length once more.
        if subtype == 2 {
            let inner = self.peek_i32(start + 5, start + 5 + length);
            let inner = inner.and_then(|inner| usize::try_from(inner).ok());
            if inner.is_none() || inner != length.checked_sub(4) {
                let expected = format_args!("the length once more, 4 less than the first time");
                self.trail.fault(start + 5, expected);
            }
            content = content.get(4..).unwrap_or(content);
        }
        self.at = start + 5 + length;
        let head = self.at - start - content.len();
        let length = content.len();
        let name = format_args!("{length}-byte binary of subtype {subtype}");
        self.scalar(start, head, name, Value::Bytes(content));
        Ok(())
    }

    /// Code and a document of its variables, under a length of their own.
    fn code_with_scope(&mut self, limit: usize) -> Walked {
        let start = self.at;
        let claimed = self.length(start, limit)?;
        let whole = match usize::try_from(claimed) {
            Ok(length) if length >= 14 => length,
            _ => {
                let expected = format_args!("a length of 14 or more, not {claimed}");
                return Err(self.trail.fault(start, expected));
            }
        };
        if whole > limit - start {
            return self.lack(start, whole, limit);
        }
        let end = start + whole;
        self.at += 4;
        let name = format_args!("{whole}-byte code with scope");
        let opening = Opening { end, ..Opening::of(Kind::Array, Some(2)) };
        self.trail.open(start..self.at, Role::Length, name, opening)?;
        let code_start = self.at;
        let code = self.string(code_start, end)?;
        let length = code.len();
        let value = self.text(code, code_start + 4);
        self.scalar(code_start, 5, format_args!("{length}-byte code"), value);
        if self.ends_before(end) {
            let expected = format_args!("code and scope that are {whole} bytes together");
            return Err(self.trail.fault(start, expected));
        }
        self.inner(Kind::Map, "document", end)
    }

    /// Whether a document stands here that ends, as it should, but before the end.
    fn ends_before(&self, end: usize) -> bool {
        let length = self.peek_i32(self.at, end).and_then(|length| usize::try_from(length).ok());
        length
            .filter(|length| *length >= 5)
            .is_some_and(|length| length < end - self.at && self.bytes[self.at + length - 1] == 0)
    }
}

/// The types of elements.
pub(super) fn type_name(code: u8) -> Option<&'static str> {
    Some(match code {
        0x01 => "double",
        0x02 => "string",
        0x03 => "document",
        0x04 => "array",
        0x05 => "binary",
        0x06 => "undefined",
        0x07 => "ObjectId",
        0x08 => "boolean",
        0x09 => "time",
        0x0a => "null",
        0x0b => "regular expression",
        0x0c => "DBPointer",
        0x0d => "code",
        0x0e => "symbol",
        0x0f => "code with scope",
        0x10 => "int32",
        0x11 => "timestamp",
        0x12 => "int64",
        0x13 => "decimal128",
        0x7f => "max key",
        0xff => "min key",
        _ => return None,
    })
}

/// What to write instead of a deprecated type.
fn deprecated(code: u8) -> Option<&'static str> {
    match code {
        0x06 => Some("null says the same"),
        0x0c => Some("a document says the same"),
        0x0e => Some("a string says the same"),
        0x0f => Some("code and its variables are two values"),
        _ => None,
    }
}
