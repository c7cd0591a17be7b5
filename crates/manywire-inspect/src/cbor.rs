//! The walker of CBOR, RFC 8949.

use std::fmt;

use manywire_shape::Value;

use crate::Role;
use crate::reporter::{ContainerKind, Opening, Reporter, WalkResult};

/// Walks a CBOR item.
pub(crate) fn walk(bytes: &[u8], reporter: &mut Reporter<'_>) -> WalkResult {
    resume(bytes, &mut false, reporter)
}

/// Resumes a walk before an item, or between a tag and its item.
pub(crate) fn resume(bytes: &[u8], tagged: &mut bool, reporter: &mut Reporter<'_>) -> WalkResult {
    let mut walker = Walker { bytes, at: 0, tagged: *tagged, reporter };
    loop {
        walker.item()?;
        *tagged = walker.tagged;
        if !walker.tagged && walker.reporter.top().is_none() {
            return Ok(());
        }
    }
}

/// The walk of the bytes.
struct Walker<'b, 't, 's> {
    bytes: &'b [u8],
    at: usize,
    /// True if the next item has a tag in front of it.
    tagged: bool,
    reporter: &'t mut Reporter<'s>,
}

/// The argument of a head (section 3).
enum Argument {
    Value(u64),
    Indefinite,
}

impl<'b> Walker<'b, '_, '_> {
    fn item(&mut self) -> WalkResult {
        let start = self.at;
        let Some(&first) = self.bytes.get(start) else {
            return Err(self
                .reporter
                .fault(start, format_args!("an item, but the bytes end here")));
        };
        if first == 0xff {
            return self.end(start);
        }
        self.chunk_allowed(start, first)?;
        let tagged = std::mem::take(&mut self.tagged);
        let major = first >> 5;
        let argument = self.argument(start, first)?;
        match (major, argument) {
            (0, Argument::Value(number)) => {
                let name = format_args!("integer");
                self.scalar(start, 0, name, Value::from(number));
            }
            (1, Argument::Value(number)) => {
                let number = -1 - i128::from(number);
                let text;
                let value = match i64::try_from(number) {
                    Ok(number) => Value::I64(number),
                    Err(_) => {
                        text = number.to_string();
                        Value::Number(&text)
                    }
                };
                self.scalar(start, 0, format_args!("integer"), value);
            }
            (2 | 3, Argument::Value(length)) => self.string(start, major, length)?,
            (2 | 3, Argument::Indefinite) => {
                let (kind, name) = match major {
                    2 => (ContainerKind::ByteChunks, "byte string in chunks"),
                    _ => (ContainerKind::TextChunks, "string in chunks"),
                };
                let range = start..self.at;
                let opening = Opening { mark: INDEFINITE, ..Opening::with_count(kind, None) };
                self.reporter.open(range, Role::Head, format_args!("{name}"), opening)?;
            }
            (4 | 5, argument) => self.container(start, major, argument)?,
            (6, Argument::Value(tag)) => {
                let name = format_args!("tag {tag}{}", TagName(tag));
                self.reporter.head(start..self.at, Role::Head, name, None);
                self.tagged = true;
            }
            (7, Argument::Value(argument)) => self.simple(start, first, argument)?,
            _ => {
                self.tagged = tagged;
                let expected = format_args!("a head with a definite length, not {first:02x}");
                return Err(self.reporter.fault(start, expected));
            }
        }
        Ok(())
    }

    fn scalar(&mut self, start: usize, head: usize, name: fmt::Arguments<'_>, value: Value<'_>) {
        // The first byte of a head with an argument gives kind and length.
        let head = head.max(usize::from(self.at - start > 1));
        self.reporter.scalar(start..self.at, head, Role::Value, name, value);
    }

    /// Walks a break, which ends an indefinite-length container between items or entries (section
    /// 3.2.1).
    fn end(&mut self, start: usize) -> WalkResult {
        // Containers with a count close themselves, so an open container that can end here has the
        // mark.
        let ends = self.reporter.top().is_some_and(|frame| {
            frame.mark == INDEFINITE && (frame.kind != ContainerKind::Map || frame.at_key)
        });
        if !ends || self.tagged {
            return Err(self.reporter.fault(start, format_args!("an item, not a break")));
        }
        self.at += 1;
        self.reporter.close(start..self.at, format_args!("break"));
        Ok(())
    }

    /// Checks that chunks are definite-length strings of the same kind (section 3.2.3).
    fn chunk_allowed(&mut self, start: usize, first: u8) -> WalkResult {
        let (major, name) = match self.reporter.top().map(|frame| frame.kind) {
            Some(ContainerKind::TextChunks) => (3, "text"),
            Some(ContainerKind::ByteChunks) => (2, "bytes"),
            _ => return Ok(()),
        };
        if first >> 5 == major && first & 0x1f != 31 {
            return Ok(());
        }
        let expected = format_args!("a chunk of {name} of definite length, or a break");
        Err(self.reporter.fault(start, expected))
    }

    fn argument(&mut self, start: usize, first: u8) -> WalkResult<Argument> {
        self.at = start + 1;
        let (major, information) = (first >> 5, first & 0x1f);
        let width = match information {
            0..24 => return Ok(Argument::Value(u64::from(information))),
            24..28 => 1_usize << (information - 24),
            28..31 => {
                let expected = format_args!("a head: {first:02x} is reserved");
                return Err(self.reporter.fault(start, expected));
            }
            _ => return Ok(Argument::Indefinite),
        };
        let Some(bytes) = self.bytes.get(self.at..self.at + width) else {
            let s = if width == 1 { "" } else { "s" };
            let expected = format_args!("{width} more byte{s} of the head");
            return Err(self.reporter.truncated(self.at, expected));
        };
        self.at += width;
        let number = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let least = if width == 1 { 24 } else { 1_u64 << (width * 4) };
        if major != 7 && number < least {
            self.reporter.remark(start, format_args!("a shorter head would do for {number}"));
        }
        Ok(Argument::Value(number))
    }

    fn string(&mut self, start: usize, major: u8, length: u64) -> WalkResult {
        let bytes = self.bytes;
        let head = self.at - start;
        let rest = &bytes[self.at..];
        let Some(content) = usize::try_from(length).ok().and_then(|length| rest.get(..length))
        else {
            let left = rest.len();
            let expected = format_args!("{length} bytes of the string, but only {left} are left");
            return Err(self.reporter.truncated(self.at, expected));
        };
        self.at += content.len();
        let chunk = self.reporter.top().is_some_and(|frame| frame.kind.is_chunks());
        let noun = match (chunk, major) {
            (true, _) => "chunk",
            (false, 2) => "byte string",
            _ => "string",
        };
        let value = match major {
            3 => self.reporter.text(content, start + head),
            _ => Value::Bytes(content),
        };
        self.scalar(start, head, format_args!("{length}-byte {noun}"), value);
        Ok(())
    }

    fn container(&mut self, start: usize, major: u8, argument: Argument) -> WalkResult {
        let (kind, noun, items_each) = match major {
            4 => (ContainerKind::Array, "array", 1),
            _ => (ContainerKind::Map, "map", 2),
        };
        let range = start..self.at;
        let Argument::Value(count) = argument else {
            let opening = Opening { mark: INDEFINITE, ..Opening::with_count(kind, None) };
            let name = format_args!("{noun} up to a break");
            return self.reporter.open(range, Role::Head, name, opening);
        };
        let opening = Opening::with_count(kind, Some(count));
        self.reporter.open(range, Role::Head, format_args!("{count}-element {noun}"), opening)?;
        self.reporter.check_count(self.at, count, items_each);
        Ok(())
    }

    /// Remarks on a float that a shorter one could represent (section 4.1).
    fn shorter_float(&mut self, start: usize, value: f64, single: bool) {
        if fits_half(value) {
            self.reporter.remark(start, format_args!("a 16-bit float would do for {value:?}"));
        } else if !single && fits_single(value) {
            self.reporter.remark(start, format_args!("a 32-bit float would do for {value:?}"));
        }
    }

    /// Walks simple values and floats (section 3.3).
    fn simple(&mut self, start: usize, first: u8, argument: u64) -> WalkResult {
        let (name, value) = match first & 0x1f {
            20 | 21 => ("boolean", Value::Bool(argument == 21)),
            22 => ("null", Value::Null),
            23 => ("undefined", Value::Null),
            24 if argument < 32 => {
                let expected = format_args!("a simple value from 32 on in two bytes");
                return Err(self.reporter.fault(start, expected));
            }
            25 => {
                let value = Value::F32(half(argument as u16));
                self.scalar(start, 1, format_args!("16-bit float"), value);
                return Ok(());
            }
            26 => {
                let single = f32::from_bits(argument as u32);
                self.shorter_float(start, f64::from(single), true);
                let value = Value::F32(single);
                self.scalar(start, 1, format_args!("32-bit float"), value);
                return Ok(());
            }
            27 => {
                let double = f64::from_bits(argument);
                self.shorter_float(start, double, false);
                let value = Value::F64(double);
                self.scalar(start, 1, format_args!("64-bit float"), value);
                return Ok(());
            }
            _ => {
                self.scalar(start, 0, format_args!("simple value"), Value::from(argument));
                return Ok(());
            }
        };
        self.reporter.scalar(start..self.at, 0, Role::Fixed, format_args!("{name}"), value);
        Ok(())
    }
}

/// The mark of indefinite-length containers.
const INDEFINITE: u64 = 1;

/// Decodes a half-precision float (Appendix D): 5 bits of exponent, 10 of fraction. Keeps the
/// payload of a NaN.
pub(crate) fn half(bits: u16) -> f32 {
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f32::from(bits & 0x3ff);
    let magnitude = match exponent {
        0 => fraction * 2_f32.powi(-24),
        31 => f32::from_bits(0x7f80_0000 | u32::from(bits & 0x3ff) << 13),
        _ => (fraction + 1024.0) * 2_f32.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// Returns true if 32 bits can represent the value.
pub(crate) fn fits_single(value: f64) -> bool {
    // The payload of a NaN has 23 bits in 32, and 52 bits in 64.
    f64::from(value as f32) == value || (value.is_nan() && value.to_bits().trailing_zeros() >= 29)
}

/// Returns true if 16 bits can represent the value: 11 significant bits, exponents from -24 to 15.
pub(crate) fn fits_half(value: f64) -> bool {
    if value.is_nan() {
        // The payload of a NaN has 10 bits in 16, and 52 bits in 64.
        return value.to_bits().trailing_zeros() >= 42;
    }
    let magnitude = value.abs();
    // The distance between adjacent half-precision floats.
    let exponent = magnitude.log2().floor().clamp(-14.0, 15.0) as i32;
    let step = 2_f64.powi(exponent - 10);
    !value.is_finite() || (magnitude <= 65_504.0 && (magnitude / step).fract() == 0.0)
}

/// The name of a tag from RFC 8949 or RFC 9581, to follow its number.
struct TagName(u64);

impl fmt::Display for TagName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            0 => ", date and time as text",
            1 => ", seconds since 1970",
            2 => ", bignum",
            3 => ", negative bignum",
            4 => ", decimal fraction",
            5 => ", bigfloat",
            21..=23 => ", to be converted for JSON",
            24 => ", encoded CBOR",
            32 => ", URI",
            33 => ", base64url",
            34 => ", base64",
            36 => ", MIME message",
            1001 => ", extended time",
            55799 => ", this is CBOR",
            _ => "",
        })
    }
}
