//! The walker of BSON, version 1.1, <https://bsonspec.org/spec.html>.

use std::fmt;

use manywire_shape::{Timestamp, Value};

use crate::Role;
use crate::reporter::{ContainerKind, Opening, Reporter, Stop, WalkResult};

/// The minimum length of a document: its length and the zero byte that ends it.
const DOCUMENT_BYTES_MIN: usize = 5;

/// Walks a BSON document.
pub(crate) fn walk(bytes: &[u8], reporter: &mut Reporter<'_>) -> WalkResult {
    let mut walker = Walker { bytes, at: 0, reporter };
    walker.root()?;
    while let Some(frame) = walker.reporter.top() {
        let end = frame.end;
        walker.element(end)?;
    }
    Ok(())
}

/// The walk of the bytes.
struct Walker<'b, 't, 's> {
    bytes: &'b [u8],
    at: usize,
    reporter: &'t mut Reporter<'s>,
}

impl<'b> Walker<'b, '_, '_> {
    fn root(&mut self) -> WalkResult {
        let length = self.bytes.len();
        let Some(claimed) = self.peek_i32(0, length) else {
            return Err(self
                .reporter
                .fault(length, format_args!("4 bytes of the document's length")));
        };
        let mut end = length;
        match usize::try_from(claimed) {
            Ok(claimed) if claimed > length => {
                let expected =
                    format_args!("{claimed} bytes of document, but only {length} are left");
                let stop = self.reporter.truncated(0, expected);
                if length < DOCUMENT_BYTES_MIN {
                    return Err(stop);
                }
                // The bytes that are there are walked nevertheless.
            }
            Ok(claimed) => end = claimed,
            Err(_) => end = 0,
        }
        self.document(ContainerKind::Map, "document", end, claimed)
    }

    /// Walks the head of the document from here to `end`. `claimed` is the length that the head
    /// states.
    fn document(
        &mut self,
        kind: ContainerKind,
        noun: &str,
        end: usize,
        claimed: i32,
    ) -> WalkResult {
        let start = self.at;
        if end < start + DOCUMENT_BYTES_MIN {
            let expected =
                format_args!("a document of {DOCUMENT_BYTES_MIN} bytes or more, not of {claimed}");
            return Err(self.reporter.fault(start, expected));
        }
        if self.bytes[end - 1] != 0 && end - start == claimed as usize {
            self.reporter.fault(start, format_args!("a {noun} whose last byte is 0"));
        }
        self.at += 4;
        let name = format_args!("{claimed}-byte {noun}");
        let opening = Opening::ending_at(kind, end);
        self.reporter.open(start..self.at, Role::Length, name, opening)
    }

    /// Walks the head of a nested document, which must end by `limit`.
    fn nested_document(&mut self, kind: ContainerKind, noun: &str, limit: usize) -> WalkResult {
        let start = self.at;
        let claimed = self.length(start, limit)?;
        match usize::try_from(claimed) {
            Ok(length) if length > limit - start => self.lacks_room(start, length, limit),
            Ok(length) => self.document(kind, noun, start + length, claimed),
            Err(_) => self.document(kind, noun, start, claimed),
        }
    }

    /// Walks one element of the innermost document, or its end.
    fn element(&mut self, end: usize) -> WalkResult {
        let start = self.at;
        let limit = end - 1;
        let Some(&code) = self.bytes.get(start).filter(|_| start < end) else {
            return Err(self.reporter.fault(
                start,
                format_args!("an element, or the zero byte that ends the document"),
            ));
        };
        if start == limit && code == 0 {
            self.at += 1;
            self.reporter.close(start..self.at, format_args!("end of document"));
            return Ok(());
        }
        let Some(name) = type_name(code) else {
            let expected = format_args!("the type of an element, not {code:02x}");
            return Err(self.reporter.fault(start, expected));
        };
        self.key(name, limit)?;
        self.value(code, name, limit)
    }

    fn key(&mut self, name: &str, limit: usize) -> WalkResult {
        let start = self.at;
        let key = self.cstring(start + 1, limit, start + 1)?;
        self.at += 2 + key.len();
        let head = 2;
        let value = self.reporter.text(key, start + 1);
        if self.reporter.is_in(ContainerKind::Array) {
            // The index must equal the item's position and adds nothing to the value.
            let entry = self.reporter.top().map_or(0, |frame| frame.entry);
            if key != entry.to_string().as_bytes() {
                self.reporter.remark(start, format_args!("the index here is {entry}"));
            }
            let name = format_args!("{name} item");
            self.reporter.head(start..self.at, Role::Head, name, Some(value));
        } else {
            let name = format_args!("{name} key");
            self.reporter.scalar(start..self.at, head, Role::Key, name, value);
        }
        Ok(())
    }

    fn scalar(&mut self, start: usize, head: usize, name: fmt::Arguments<'_>, value: Value<'_>) {
        self.reporter.scalar(start..self.at, head, Role::Value, name, value);
    }

    fn peek_i32(&self, at: usize, limit: usize) -> Option<i32> {
        let bytes = self.bytes.get(at..at.checked_add(4)?).filter(|_| at + 4 <= limit)?;
        Some(i32::from_le_bytes(bytes.try_into().ok()?))
    }

    fn length(&mut self, at: usize, limit: usize) -> WalkResult<i32> {
        match self.peek_i32(at, limit) {
            Some(length) => Ok(length),
            None => Err(self.truncated(limit, limit, format_args!("4 bytes of a length"))),
        }
    }

    #[cold]
    fn lacks_room(&mut self, at: usize, length: usize, limit: usize) -> WalkResult {
        let left = limit.saturating_sub(at);
        let expected = format_args!("room for {length} bytes, but the document has {left} left");
        Err(self.truncated(at, limit, expected))
    }

    /// Reports missing bytes before `limit`: as a truncated input if the input ends there, else as
    /// a fault.
    #[cold]
    fn truncated(&mut self, at: usize, limit: usize, expected: fmt::Arguments<'_>) -> Stop {
        match limit + 1 >= self.bytes.len() {
            true => self.reporter.truncated(at, expected),
            false => self.reporter.fault(at, expected),
        }
    }

    fn fixed<const N: usize>(&mut self, limit: usize) -> WalkResult<[u8; N]> {
        let bytes = self.bytes;
        let found = bytes.get(self.at..limit).and_then(|rest| rest.first_chunk::<N>());
        match found {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.truncated(self.at, limit, format_args!("{N} bytes of the value"))),
        }
    }

    /// Reads a length and as many bytes, the last of which is 0.
    fn string(&mut self, at: usize, limit: usize) -> WalkResult<&'b [u8]> {
        let bytes = self.bytes;
        let claimed = self.length(at, limit)?;
        let length = match usize::try_from(claimed) {
            Ok(length) if length > 0 => length,
            _ => {
                let expected = format_args!("a length that counts the last 0, not {claimed}");
                return Err(self.reporter.fault(at, expected));
            }
        };
        if length > limit - at - 4 {
            return self.lacks_room(at, length, limit).map(|()| &[][..]);
        }
        let (last, text) = match bytes[at + 4..at + 4 + length].split_last() {
            Some((last, text)) => (*last, text),
            None => (0, &[][..]),
        };
        if last != 0 {
            return Err(self.reporter.fault(at, format_args!("a string whose last byte is 0")));
        }
        self.at = at + 4 + length;
        Ok(text)
    }

    /// Reads bytes up to a 0. Without a 0 the fault is at `fault_offset`.
    fn cstring(&mut self, at: usize, limit: usize, fault_offset: usize) -> WalkResult<&'b [u8]> {
        let bytes = self.bytes;
        let rest = bytes.get(at..limit).unwrap_or_default();
        match rest.iter().position(|byte| *byte == 0) {
            Some(length) => Ok(&rest[..length]),
            None => {
                Err(self.truncated(fault_offset, limit, format_args!("text that ends with a 0")))
            }
        }
    }
}

impl Walker<'_, '_, '_> {
    fn value(&mut self, code: u8, name: &'static str, limit: usize) -> WalkResult {
        let start = self.at;
        if let Some(instead) = deprecated(code) {
            self.reporter.remark(start, format_args!("{name} is deprecated: {instead}"));
        }
        match code {
            0x01 => {
                let value = Value::F64(f64::from_le_bytes(self.fixed(limit)?));
                self.scalar(start, 0, format_args!("64-bit float"), value);
            }
            0x02 | 0x0d | 0x0e => {
                let text = self.string(start, limit)?;
                let length = text.len();
                let value = self.reporter.text(text, start + 4);
                match code {
                    0x02 => self.scalar(start, 5, format_args!("{length}-byte string"), value),
                    _ => self.scalar(start, 5, format_args!("{length}-byte {name}"), value),
                }
            }
            0x03 => self.nested_document(ContainerKind::Map, "document", limit)?,
            0x04 => self.nested_document(ContainerKind::Array, "array", limit)?,
            0x05 => self.binary(limit)?,
            0x07 => {
                let bytes: [u8; 12] = self.fixed(limit)?;
                self.scalar(start, 0, format_args!("ObjectId"), Value::Bytes(&bytes));
            }
            0x08 => {
                let [truth] = self.fixed(limit)?;
                if truth > 1 {
                    self.reporter.fault(start, format_args!("0 or 1, not {truth:02x}"));
                }
                let value = Value::Bool(truth != 0);
                let range = start..self.at;
                self.reporter.scalar(range, 0, Role::Fixed, format_args!("boolean"), value);
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
                let pattern = self.reporter.text(pattern, start);
                let options = self.cstring(after, limit, after)?;
                self.at = after + options.len() + 1;
                let options = self.reporter.text(options, after);
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
                let value = self.reporter.text(namespace, start + 4);
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
                    self.reporter.remark(start, format_args!("{number} fits into 4 bytes"));
                }
                self.scalar(start, 0, format_args!("64-bit integer"), Value::I64(number));
            }
            0x13 => {
                let bytes: [u8; 16] = self.fixed(limit)?;
                self.scalar(start, 0, format_args!("{name}"), Value::Bytes(&bytes));
            }
            // Null, undefined, min key and max key have a type and no value.
            _ => {
                let range = start..start;
                self.reporter.scalar(range, 0, Role::Fixed, format_args!("{name}"), Value::Null);
            }
        }
        Ok(())
    }

    fn binary(&mut self, limit: usize) -> WalkResult {
        let bytes = self.bytes;
        let start = self.at;
        let claimed = self.length(start, limit)?;
        let Ok(length) = usize::try_from(claimed) else {
            let expected = format_args!("a length of 0 or more, not {claimed}");
            return Err(self.reporter.fault(start, expected));
        };
        if limit - start < 5 {
            return Err(self.reporter.fault(start + 4, format_args!("the subtype of the bytes")));
        }
        if length > limit - start - 5 {
            return self.lacks_room(start, length, limit);
        }
        let subtype = bytes[start + 4];
        match subtype {
            2 | 3 => self.reporter.remark(start, format_args!("subtype {subtype} is deprecated")),
            10..128 => self.reporter.remark(start, format_args!("subtype {subtype} is reserved")),
            _ => {}
        }
        let mut content = &bytes[start + 5..start + 5 + length];
        // Subtype 2 repeats its length.
        if subtype == 2 {
            let inner = self.peek_i32(start + 5, start + 5 + length);
            let inner = inner.and_then(|inner| usize::try_from(inner).ok());
            if inner.is_none() || inner != length.checked_sub(4) {
                let expected = format_args!("a second length, 4 less than the first");
                self.reporter.fault(start + 5, expected);
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

    /// Walks code and a document of its variables, with a common length in front.
    fn code_with_scope(&mut self, limit: usize) -> WalkResult {
        let start = self.at;
        let claimed = self.length(start, limit)?;
        let whole = match usize::try_from(claimed) {
            Ok(length) if length >= 14 => length,
            _ => {
                let expected = format_args!("a length of 14 or more, not {claimed}");
                return Err(self.reporter.fault(start, expected));
            }
        };
        if whole > limit - start {
            return self.lacks_room(start, whole, limit);
        }
        let end = start + whole;
        self.at += 4;
        let name = format_args!("{whole}-byte code with scope");
        let opening = Opening { end, ..Opening::with_count(ContainerKind::Array, Some(2)) };
        self.reporter.open(start..self.at, Role::Length, name, opening)?;
        let code_start = self.at;
        let code = self.string(code_start, end)?;
        let length = code.len();
        let value = self.reporter.text(code, code_start + 4);
        self.scalar(code_start, 5, format_args!("{length}-byte code"), value);
        if self.ends_before(end) {
            let expected = format_args!("code and scope that are {whole} bytes together");
            return Err(self.reporter.fault(start, expected));
        }
        self.nested_document(ContainerKind::Map, "document", end)
    }

    /// Returns true if there is a valid document here that ends before `end`.
    fn ends_before(&self, end: usize) -> bool {
        let length = self.peek_i32(self.at, end).and_then(|length| usize::try_from(length).ok());
        length
            .filter(|length| *length >= 5)
            .is_some_and(|length| length < end - self.at && self.bytes[self.at + length - 1] == 0)
    }
}

/// Returns the name of an element type.
fn type_name(code: u8) -> Option<&'static str> {
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

/// Returns the replacement of a deprecated type.
fn deprecated(code: u8) -> Option<&'static str> {
    match code {
        0x06 => Some("null says the same"),
        0x0c => Some("a document says the same"),
        0x0e => Some("a string says the same"),
        0x0f => Some("code and its variables are two values"),
        _ => None,
    }
}
