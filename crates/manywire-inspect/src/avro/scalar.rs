//! What has no parts: numbers, text, bytes, symbols.

use std::fmt;

use manywire_shape::avro::{Logical, NodeId, Type};
use manywire_shape::{Timestamp, Value};

use super::datum::Walker;
use crate::Role;
use crate::protobuf::{Malformed, varint, zigzag};
use crate::trail::Walked;

impl<'b> Walker<'b, '_, '_> {
    pub(super) fn scalar(&mut self, node: NodeId) -> Walked {
        let schema = self.schema;
        let start = self.at;
        let logical = schema.node(node).logical.as_ref();
        let name = Named { logical };
        match schema.ty(node) {
            Type::Null => {
                self.takes_nothing()?;
                let name = format_args!("null{name}");
                self.trail.scalar(start..start, 0, Role::Fixed, name, Value::Null);
            }
            Type::Boolean => {
                let [truth] = self.fixed::<1>(start)?;
                if truth > 1 {
                    self.trail.fault(start, format_args!("0 or 1, not {truth:02x}"));
                }
                let (range, value) = (start..self.at, Value::Bool(truth != 0));
                self.trail.scalar(range, 0, Role::Fixed, format_args!("boolean{name}"), value);
            }
            Type::Int => {
                let number = self.long("an int")?;
                if i32::try_from(number).is_err() {
                    self.trail.fault(start, format_args!("an int of 32 bits, not {number}"));
                }
                self.report(start, 0, format_args!("int{name}"), Value::I64(number));
            }
            Type::Long => {
                let number = self.long("a long")?;
                let value = moment(logical, number).unwrap_or(Value::I64(number));
                self.report(start, 0, format_args!("long{name}"), value);
            }
            Type::Float => {
                let value = Value::F32(f32::from_le_bytes(self.fixed(start)?));
                self.report(start, 0, format_args!("float{name}"), value);
            }
            Type::Double => {
                let value = Value::F64(f64::from_le_bytes(self.fixed(start)?));
                self.report(start, 0, format_args!("double{name}"), value);
            }
            Type::Bytes => {
                let content = self.delimited("bytes")?;
                let (length, head) = (content.len(), self.at - start - content.len());
                let decimal = decimal(logical, content);
                let value = decimal.as_deref().map_or(Value::Bytes(content), Value::Number);
                self.report(start, head, format_args!("{length} bytes{name}"), value);
            }
            Type::Fixed(fixed) => {
                let content = self.take(start, fixed.size)?;
                if content.is_empty() {
                    self.takes_nothing()?;
                }
                let decimal = decimal(logical, content);
                let value = decimal.as_deref().map_or(Value::Bytes(content), Value::Number);
                let size = fixed.size;
                self.report(start, 0, format_args!("{size} bytes fixed{name}"), value);
            }
            Type::Enum(symbols) => {
                let index = self.long("the index of a symbol")?;
                let known =
                    usize::try_from(index).ok().and_then(|index| symbols.symbols.get(index));
                let Some(symbol) = known else {
                    let last = symbols.symbols.len() - 1;
                    let expected = format_args!("a symbol from 0 to {last}, not {index}");
                    return Err(self.trail.fault(start, expected));
                };
                let name = format_args!("symbol of {}", symbols.name.name);
                self.report(start, 0, name, Value::Str(symbol.key()));
            }
            // The others are containers or unions.
            _ => return self.text(&format!("string{name}"), Role::Value),
        }
        Ok(())
    }

    fn report(&mut self, start: usize, head: usize, name: fmt::Arguments<'_>, value: Value<'_>) {
        self.trail.scalar(start..self.at, head, Role::Value, name, value);
    }

    /// A length and as many bytes of UTF-8.
    pub(super) fn text(&mut self, type_name: &str, role: Role) -> Walked {
        let start = self.at;
        let content = self.delimited("text")?;
        let (length, head) = (content.len(), self.at - start - content.len());
        let value = match std::str::from_utf8(content) {
            Ok(text) => Value::Str(text),
            Err(error) => {
                // The length says where the next value begins, so this one alone is spoilt.
                self.trail.fault(start + head + error.valid_up_to(), format_args!("UTF-8"));
                Value::Bytes(content)
            }
        };
        let name = format_args!("{length}-byte {type_name}");
        self.trail.scalar(start..self.at, head, role, name, value);
        Ok(())
    }

    /// A zig-zag varint.
    pub(super) fn long(&mut self, what: &str) -> Walked<i64> {
        let start = self.at;
        match varint(&self.bytes[start..]) {
            Ok((number, length)) => {
                self.at += length;
                if length > 1 && self.bytes[self.at - 1] == 0 {
                    self.trail.fault(start, format_args!("{what} in its shortest varint"));
                }
                Ok(zigzag(number))
            }
            Err(Malformed::Cut) => {
                let end = self.bytes.len();
                Err(self.trail.cut(end, format_args!("the last byte of {what}")))
            }
            Err(Malformed::Long) => {
                Err(self.trail.fault(start, format_args!("{what} within 64 bits")))
            }
        }
    }

    fn delimited(&mut self, what: &str) -> Walked<&'b [u8]> {
        let start = self.at;
        let length = self.long("a length")?;
        let Ok(length) = usize::try_from(length) else {
            let expected = format_args!("a length of 0 or more, not {length}");
            return Err(self.trail.fault(start, expected));
        };
        let left = self.bytes.len() - self.at;
        if length > left {
            let expected = format_args!("{length} bytes of {what}, of which {left} are here");
            return Err(self.trail.cut(self.at, expected));
        }
        self.take(start, length)
    }

    /// As many bytes; `start` is where the value begins.
    fn take(&mut self, start: usize, length: usize) -> Walked<&'b [u8]> {
        let bytes = self.bytes;
        match bytes[self.at..].get(..length) {
            Some(content) => {
                self.at += length;
                Ok(content)
            }
            None => Err(self.trail.cut(start, format_args!("{length} bytes of the value"))),
        }
    }

    fn fixed<const N: usize>(&mut self, start: usize) -> Walked<[u8; N]> {
        let content = self.take(start, N)?;
        let mut bytes = [0; N];
        bytes.copy_from_slice(content);
        Ok(bytes)
    }
}

/// The logical type behind the name of the type.
struct Named<'l> {
    logical: Option<&'l Logical>,
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.logical.map_or(Ok(()), |logical| write!(f, ", {}", logical.name))
    }
}

/// The point in time that a number stands for (specification, "Timestamps").
fn moment<'v>(logical: Option<&Logical>, number: i64) -> Option<Value<'v>> {
    let each_second: i64 = match logical?.name.as_str() {
        "timestamp-millis" => 1_000,
        "timestamp-micros" => 1_000_000,
        "timestamp-nanos" => 1_000_000_000,
        _ => return None,
    };
    let nanoseconds = number.rem_euclid(each_second) * (1_000_000_000 / each_second);
    let seconds = number.div_euclid(each_second);
    Timestamp::new(seconds, nanoseconds as u32).map(Value::Timestamp)
}

/// The text of a decimal: an integer in two's complement, big-endian, with `scale` of its digits
/// behind the point. Those beyond 128 bits stay bytes.
fn decimal(logical: Option<&Logical>, content: &[u8]) -> Option<String> {
    let logical = logical.filter(|logical| logical.name == "decimal")?;
    let first = content.first().filter(|_| content.len() <= 16)?;
    let sign = if first.cast_signed() < 0 { -1 } else { 0 };
    let number = content.iter().fold(sign, |number: i128, byte| number << 8 | i128::from(*byte));
    let scale = logical.scale.unwrap_or(0) as usize;
    if scale == 0 || scale > 64 {
        return (scale == 0).then(|| number.to_string());
    }
    let digits = format!("{:0>width$}", number.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let minus = if number < 0 { "-" } else { "" };
    Some(format!("{minus}{whole}.{fraction}"))
}
