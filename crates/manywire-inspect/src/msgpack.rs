//! The walker of MessagePack, <https://github.com/msgpack/msgpack/blob/master/spec.md>, 2017-08-09.

use manywire_shape::{Timestamp, Value};

use crate::Role;
use crate::reporter::{ContainerKind, Opening, Reporter, WalkResult};

/// Walks a MessagePack value.
pub(crate) fn walk(bytes: &[u8], reporter: &mut Reporter<'_>) -> WalkResult {
    let mut walker = Walker { bytes, at: 0, reporter };
    loop {
        walker.value()?;
        if walker.reporter.top().is_none() {
            return Ok(());
        }
    }
}

/// The walk of the bytes.
struct Walker<'b, 't, 's> {
    bytes: &'b [u8],
    at: usize,
    reporter: &'t mut Reporter<'s>,
}

impl<'b> Walker<'b, '_, '_> {
    fn value(&mut self) -> WalkResult {
        let start = self.at;
        let Some(&first) = self.bytes.get(start) else {
            return Err(self
                .reporter
                .fault(start, format_args!("a value, but the bytes end here")));
        };
        self.at += 1;
        match first {
            0x00..=0x7f => self.integer(start, format_args!("integer"), i128::from(first)),
            0x80..=0x8f => self.container(start, ContainerKind::Map, u64::from(first & 0x0f)),
            0x90..=0x9f => self.container(start, ContainerKind::Array, u64::from(first & 0x0f)),
            0xa0..=0xbf => self.text(start, u64::from(first & 0x1f)),
            0xc0 => self.fixed("nil", Value::Null),
            0xc1 => {
                Err(self.reporter.fault(start, format_args!("a value: no value begins with c1")))
            }
            0xc2 | 0xc3 => self.fixed("boolean", Value::Bool(first == 0xc3)),
            0xc4..=0xc6 => {
                let length = self.unsigned(1 << (first - 0xc4))?;
                self.minimal(start, first > 0xc4 && length < width_above(first - 0xc4));
                let content = self.content(length, "binary")?;
                let head = self.at - content.len() - start;
                let name = format_args!("{length}-byte binary");
                let value = Value::Bytes(content);
                self.reporter.scalar(start..self.at, head, Role::Value, name, value);
                Ok(())
            }
            0xc7..=0xc9 => {
                let length = self.unsigned(1 << (first - 0xc7))?;
                let fixed = matches!(length, 1 | 2 | 4 | 8 | 16);
                let shorter = first > 0xc7 && length < width_above(first - 0xc7);
                self.minimal(start, fixed || shorter);
                self.extension(start, length)
            }
            0xca => {
                let bits = self.unsigned(4)? as u32;
                let value = Value::F32(f32::from_bits(bits));
                self.number(start, format_args!("32-bit float"), value)
            }
            0xcb => {
                let value = Value::F64(f64::from_bits(self.unsigned(8)?));
                self.number(start, format_args!("64-bit float"), value)
            }
            0xcc..=0xcf => {
                let width = 1 << (first - 0xcc);
                let number = i128::from(self.unsigned(width)?);
                let bits = width * 8;
                self.integer(start, format_args!("{bits}-bit unsigned integer"), number)
            }
            0xd0..=0xd3 => {
                let width = 1 << (first - 0xd0);
                let bits = width * 8;
                let raw = self.unsigned(width)?;
                let number = (raw << (64 - bits)).cast_signed() >> (64 - bits);
                self.integer(start, format_args!("{bits}-bit signed integer"), i128::from(number))
            }
            0xd4..=0xd8 => self.extension(start, 1 << (first - 0xd4)),
            0xd9..=0xdb => {
                let length = self.unsigned(1 << (first - 0xd9))?;
                let shorter = if first == 0xd9 { 32 } else { width_above(first - 0xd9) };
                self.minimal(start, length < shorter);
                self.text(start, length)
            }
            0xdc..=0xdf => {
                let (kind, wide) = match first {
                    0xdc | 0xdd => (ContainerKind::Array, first - 0xdc),
                    _ => (ContainerKind::Map, first - 0xde),
                };
                let count = self.unsigned(2 << wide)?;
                self.minimal(start, count < if wide == 0 { 16 } else { 1 << 16 });
                self.container(start, kind, count)
            }
            0xe0..=0xff => {
                self.integer(start, format_args!("integer"), i128::from(first.cast_signed()))
            }
        }
    }

    /// Reads a big-endian number of `width` bytes, at most 8.
    fn unsigned(&mut self, width: usize) -> WalkResult<u64> {
        match self.bytes.get(self.at..self.at + width) {
            Some(bytes) => {
                self.at += width;
                Ok(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
            }
            None => {
                let s = if width == 1 { "" } else { "s" };
                let expected = format_args!("{width} more byte{s} of the value");
                Err(self.reporter.truncated(self.at, expected))
            }
        }
    }

    fn content(&mut self, length: u64, what: &str) -> WalkResult<&'b [u8]> {
        let bytes = self.bytes;
        let rest = &bytes[self.at..];
        match usize::try_from(length).ok().and_then(|length| rest.get(..length)) {
            Some(content) => {
                self.at += content.len();
                Ok(content)
            }
            None => {
                let left = rest.len();
                let expected = format_args!("{length} bytes of {what}, but only {left} are left");
                Err(self.reporter.truncated(self.at, expected))
            }
        }
    }

    fn minimal(&mut self, start: usize, longer: bool) {
        if longer {
            self.reporter.remark(start, format_args!("a shorter head would do"));
        }
    }

    fn fixed(&mut self, name: &str, value: Value<'_>) -> WalkResult {
        let range = self.at - 1..self.at;
        self.reporter.scalar(range, 0, Role::Fixed, format_args!("{name}"), value);
        Ok(())
    }

    fn number(
        &mut self,
        start: usize,
        name: std::fmt::Arguments<'_>,
        value: Value<'_>,
    ) -> WalkResult {
        let head = usize::from(self.at - start > 1);
        self.reporter.scalar(start..self.at, head, Role::Value, name, value);
        Ok(())
    }

    fn integer(&mut self, start: usize, name: std::fmt::Arguments<'_>, number: i128) -> WalkResult {
        let value = match i64::try_from(number) {
            Ok(number) => Value::I64(number),
            Err(_) => Value::U64(number as u64),
        };
        let shortest = shortest(number);
        if self.at - start > shortest {
            let s = if shortest == 1 { "" } else { "s" };
            self.reporter.remark(start, format_args!("{number} fits into {shortest} byte{s}"));
        }
        self.number(start, name, value)
    }

    fn container(&mut self, start: usize, kind: ContainerKind, count: u64) -> WalkResult {
        let range = start..self.at;
        let opening = Opening::with_count(kind, Some(count));
        let (noun, bytes_each) = if kind == ContainerKind::Map { ("map", 2) } else { ("array", 1) };
        let name = format_args!("{count}-element {noun}");
        self.reporter.open(range, Role::Head, name, opening)?;
        self.reporter.check_count(self.at, count, bytes_each);
        Ok(())
    }

    fn text(&mut self, start: usize, length: u64) -> WalkResult {
        let head = self.at - start;
        let content = self.content(length, "text")?;
        let name = format_args!("{length}-byte string");
        let value = self.reporter.text(content, start + head);
        self.reporter.scalar(start..self.at, head, Role::Value, name, value);
        Ok(())
    }

    fn extension(&mut self, start: usize, length: u64) -> WalkResult {
        let code = (self.unsigned(1)? as u8).cast_signed();
        let head = self.at - start;
        let content = self.content(length, "the extension")?;
        if code == -1 {
            if let Some((time, bits)) = timestamp(content) {
                let name = format_args!("{bits}-bit timestamp");
                let value = Value::Timestamp(time);
                self.reporter.scalar(start..self.at, head, Role::Value, name, value);
                return Ok(());
            }
            let expected = format_args!("a timestamp of 4, 8 or 12 bytes, below a full second");
            self.reporter.fault(start, expected);
        }
        if code < -1 {
            self.reporter.remark(start, format_args!("types below 0 are reserved"));
        }
        let name = format_args!("{length}-byte extension {code}");
        self.reporter.scalar(start..self.at, head, Role::Value, name, Value::Bytes(content));
        Ok(())
    }
}

/// Returns the first length that the next narrower head cannot represent. Heads are numbered from
/// 0.
fn width_above(head: u8) -> u64 {
    if head == 1 { 1 << 8 } else { 1 << 16 }
}

fn shortest(number: i128) -> usize {
    match number {
        -32..=0x7f => 1,
        -0x80..=0xff => 2,
        -0x8000..=0xffff => 3,
        -0x8000_0000..=0xffff_ffff => 5,
        _ => 9,
    }
}

/// Decodes the timestamp extension: seconds in 32 bits, in 34 bits after 30 bits of nanoseconds, or
/// in 64 bits.
fn timestamp(content: &[u8]) -> Option<(Timestamp, usize)> {
    let (seconds, nanoseconds) = match content.len() {
        4 => (i64::from(u32::from_be_bytes(content.try_into().ok()?)), 0),
        8 => {
            let both = u64::from_be_bytes(content.try_into().ok()?);
            ((both & 0x3_ffff_ffff).cast_signed(), (both >> 34) as u32)
        }
        12 => {
            let (nanoseconds, seconds) = content.split_at(4);
            let nanoseconds = u32::from_be_bytes(nanoseconds.try_into().ok()?);
            (i64::from_be_bytes(seconds.try_into().ok()?), nanoseconds)
        }
        _ => return None,
    };
    Timestamp::new(seconds, nanoseconds).map(|time| (time, content.len() * 8))
}
