//! The walker of one Avro datum, driven by its schema.

use std::fmt;

use manywire_shape::avro::{Logical, NodeId, Record, Role as RecordRole, Schema, Type};
use manywire_shape::{Timestamp, Value};

use crate::protobuf::{VarintError, varint, zigzag};
use crate::reporter::{ContainerKind, Opening, Reporter, WalkResult};
use crate::{Options, Role};

/// A budget for zero-length spans, one per input. A few bytes can state 2^60 nulls, and a schema
/// alone can nest as many records.
pub(crate) struct ZeroSizeBudget {
    left: usize,
    /// The number of zero-length spans for each byte.
    ratio: usize,
}

impl ZeroSizeBudget {
    /// Returns the budget of an input before its bytes are counted.
    pub(crate) fn new(options: Options<'_>) -> Self {
        ZeroSizeBudget { left: options.zero_size_max, ratio: options.zero_size_ratio }
    }

    /// Adds the allowance for more bytes.
    pub(crate) fn allow(&mut self, bytes: usize) {
        self.left = self.left.saturating_add(bytes.saturating_mul(self.ratio));
    }
}

/// Walks the datum that begins at `start`.
pub(crate) fn datum(
    bytes: &[u8],
    start: usize,
    schema: &Schema,
    zero_size: &mut ZeroSizeBudget,
    reporter: &mut Reporter<'_>,
) -> WalkResult {
    let mut walker = Walker { bytes, at: start, schema, levels: Vec::new(), zero_size, reporter };
    walker.value(schema.root())?;
    while walker.reporter.depth() > 0 {
        // Complete containers have closed themselves.
        walker.levels.truncate(walker.reporter.depth());
        walker.step()?;
    }
    Ok(())
}

/// An open container.
enum Level<'b> {
    Record { record: &'b Record, next: usize },
    Blocks { items: NodeId, left: u64, end: Option<usize> },
}

/// The walk of a datum.
struct Walker<'b, 't, 's> {
    bytes: &'b [u8],
    at: usize,
    schema: &'b Schema,
    levels: Vec<Level<'b>>,
    zero_size: &'t mut ZeroSizeBudget,
    reporter: &'t mut Reporter<'s>,
}

impl<'b> Walker<'b, '_, '_> {
    /// Walks the next field, item or entry of the innermost container, or its end.
    fn step(&mut self) -> WalkResult {
        match self.levels.last_mut() {
            None => Ok(()),
            Some(Level::Record { record, next }) => {
                let field = &record.fields[*next];
                *next += 1;
                if self.reporter.is_in(ContainerKind::Map) {
                    self.reporter.implicit_key(field.key());
                }
                self.value(field.node)
            }
            Some(Level::Blocks { items, left, end }) => {
                let (items, end) = (*items, *end);
                if *left == 0 {
                    return self.end_of_block(end);
                }
                *left -= 1;
                if self.reporter.is_in(ContainerKind::Map) {
                    self.text("string", Role::Key)?;
                }
                self.value(items)
            }
        }
    }

    fn value(&mut self, node: NodeId) -> WalkResult {
        let schema = self.schema;
        let mut node = node;
        // A transparent record is represented by its only field.
        while let Type::Record(Record { role: RecordRole::Transparent, fields, .. }) =
            schema.ty(node)
        {
            let Some(field) = fields.first() else { break };
            self.count_zero_size()?;
            node = field.node;
        }
        match schema.ty(node) {
            Type::Union(branches) => self.branch(branches),
            Type::Record(record) => self.record(record),
            Type::Array(items) => self.blocks(ContainerKind::Array, *items),
            Type::Map(values) => self.blocks(ContainerKind::Map, *values),
            _ => self.scalar(node),
        }
    }

    fn record(&mut self, record: &'b Record) -> WalkResult {
        self.count_zero_size()?;
        let here = self.at;
        let kind = match record.role {
            RecordRole::Tuple => ContainerKind::Array,
            _ => ContainerKind::Map,
        };
        let opening = Opening::with_count(kind, Some(record.fields.len() as u64));
        let name = format_args!("record {}", record.name.name);
        self.reporter.open(here..here, Role::Head, name, opening)?;
        self.levels.push(Level::Record { record, next: 0 });
        Ok(())
    }

    /// Counts a zero-length span.
    fn count_zero_size(&mut self) -> WalkResult {
        match self.zero_size.left.checked_sub(1) {
            Some(left) => {
                self.zero_size.left = left;
                Ok(())
            }
            None => {
                let expected = format_args!("fewer zero-length values for so few bytes");
                Err(self.reporter.fault(self.at, expected))
            }
        }
    }

    fn branch(&mut self, branches: &'b [NodeId]) -> WalkResult {
        let start = self.at;
        let index = self.long("the branch of a union")?;
        let known = usize::try_from(index).ok().and_then(|index| branches.get(index));
        let Some(&branch) = known else {
            let last = branches.len() - 1;
            let expected = format_args!("a branch from 0 to {last}, not {index}");
            return Err(self.reporter.fault(start, expected));
        };
        let range = start..self.at;
        if *self.schema.ty(branch) == Type::Null {
            let name = format_args!("branch {index}, null");
            self.reporter.scalar(range, 0, Role::Fixed, name, manywire_shape::Value::Null);
            return Ok(());
        }
        let name = format_args!("branch {index}");
        self.reporter.head(range, Role::Head, name, None);
        // A union cannot contain a union, so the recursion ends here.
        self.value(branch)
    }

    /// Walks an array or a map: blocks of items, up to a block of zero items.
    fn blocks(&mut self, kind: ContainerKind, items: NodeId) -> WalkResult {
        let start = self.at;
        let (left, end) = self.block(kind)?;
        let noun = noun(kind);
        let range = start..self.at;
        if left == 0 {
            let name = format_args!("0-element {noun}");
            return self.reporter.open(
                range,
                Role::Length,
                name,
                Opening::with_count(kind, Some(0)),
            );
        }
        let name = format_args!("{noun}, block of {left}");
        self.reporter.open(range, Role::Length, name, Opening::with_count(kind, None))?;
        self.levels.push(Level::Blocks { items, left, end });
        self.check_count(start, kind, items, left);
        Ok(())
    }

    fn end_of_block(&mut self, end: Option<usize>) -> WalkResult {
        if let Some(end) = end.filter(|end| *end != self.at) {
            // The items take precedence; the size serves readers that skip the block.
            self.reporter.fault(self.at, format_args!("the block to end at byte {end}"));
        }
        let kind = self.reporter.top().map_or(ContainerKind::Array, |frame| frame.kind);
        let start = self.at;
        let (count, end_of_next) = self.block(kind)?;
        let range = start..self.at;
        if count == 0 {
            self.reporter.close(range, format_args!("end of {}", noun(kind)));
            return Ok(());
        }
        self.reporter.block(range, format_args!("block of {count} more"));
        let mut of = None;
        if let Some(Level::Blocks { items, left, end }) = self.levels.last_mut() {
            (*left, *end) = (count, end_of_next);
            of = Some(*items);
        }
        if let Some(items) = of {
            self.check_count(start, kind, items, count);
        }
        Ok(())
    }

    /// Reads the number of items of a block, and its end if the block has a size. A negative count
    /// is followed by the size in bytes.
    fn block(&mut self, kind: ContainerKind) -> WalkResult<(u64, Option<usize>)> {
        let count = self.long(if kind == ContainerKind::Map { "entries" } else { "items" })?;
        if count >= 0 {
            return Ok((count.unsigned_abs(), None));
        }
        let start = self.at;
        let size = self.long("the size of a block")?;
        let left = self.bytes.len() - self.at;
        match usize::try_from(size) {
            Ok(size) if size <= left => Ok((count.unsigned_abs(), Some(self.at + size))),
            Ok(_) => {
                let expected = format_args!("{size} bytes of a block, but only {left} are left");
                Err(self.reporter.truncated(start, expected))
            }
            Err(_) => {
                let expected = format_args!("a size of 0 or more, not {size}");
                Err(self.reporter.fault(start, expected))
            }
        }
    }

    /// Reports a count of items that the remaining bytes cannot hold.
    fn check_count(&mut self, start: usize, kind: ContainerKind, items: NodeId, count: u64) {
        let left = self.bytes.len() - self.at;
        if count > left as u64 && (kind == ContainerKind::Map || takes_bytes(self.schema, items)) {
            // The bytes that are there are walked nevertheless.
            let expected =
                format_args!("{count} elements, more than the {left} bytes left can hold");
            self.reporter.truncated(start, expected);
        }
    }
}

fn noun(kind: ContainerKind) -> &'static str {
    if kind == ContainerKind::Map { "map" } else { "array" }
}

/// Returns true if every value of a type takes at least one byte.
fn takes_bytes(schema: &Schema, node: NodeId) -> bool {
    let mut seen = std::collections::HashSet::new();
    let mut nodes = vec![node];
    while let Some(node) = nodes.pop() {
        match schema.ty(node) {
            Type::Null => {}
            Type::Fixed(fixed) if fixed.size == 0 => {}
            Type::Record(record) if seen.insert(node) => {
                nodes.extend(record.fields.iter().map(|field| field.node));
            }
            Type::Record(_) => {}
            _ => return true,
        }
    }
    false
}

impl<'b> Walker<'b, '_, '_> {
    fn scalar(&mut self, node: NodeId) -> WalkResult {
        let schema = self.schema;
        let start = self.at;
        let logical = schema.node(node).logical.as_ref();
        let name = LogicalName { logical };
        match schema.ty(node) {
            Type::Null => {
                self.count_zero_size()?;
                let name = format_args!("null{name}");
                self.reporter.scalar(start..start, 0, Role::Fixed, name, Value::Null);
            }
            Type::Boolean => {
                let [truth] = self.fixed::<1>(start)?;
                if truth > 1 {
                    self.reporter.fault(start, format_args!("0 or 1, not {truth:02x}"));
                }
                let (range, value) = (start..self.at, Value::Bool(truth != 0));
                self.reporter.scalar(range, 0, Role::Fixed, format_args!("boolean{name}"), value);
            }
            Type::Int => {
                let number = self.long("an int")?;
                if i32::try_from(number).is_err() {
                    self.reporter.fault(start, format_args!("an int of 32 bits, not {number}"));
                }
                self.report(start, 0, format_args!("int{name}"), Value::I64(number));
            }
            Type::Long => {
                let number = self.long("a long")?;
                let value = timestamp(logical, number).unwrap_or(Value::I64(number));
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
                    self.count_zero_size()?;
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
                    return Err(self.reporter.fault(start, expected));
                };
                let name = format_args!("symbol of {}", symbols.name.name);
                self.report(start, 0, name, Value::Str(symbol.key()));
            }
            // All other types are containers or unions.
            _ => return self.text(&format!("string{name}"), Role::Value),
        }
        Ok(())
    }

    fn report(&mut self, start: usize, head: usize, name: fmt::Arguments<'_>, value: Value<'_>) {
        self.reporter.scalar(start..self.at, head, Role::Value, name, value);
    }

    /// Walks a length and as many bytes of UTF-8.
    fn text(&mut self, type_name: &str, role: Role) -> WalkResult {
        let start = self.at;
        let content = self.delimited("text")?;
        let (length, head) = (content.len(), self.at - start - content.len());
        let value = self.reporter.text(content, start + head);
        let name = format_args!("{length}-byte {type_name}");
        self.reporter.scalar(start..self.at, head, role, name, value);
        Ok(())
    }

    /// Reads a zigzag varint.
    fn long(&mut self, what: &str) -> WalkResult<i64> {
        let start = self.at;
        match varint(&self.bytes[start..]) {
            Ok((number, length)) => {
                self.at += length;
                if length > 1 && self.bytes[self.at - 1] == 0 {
                    self.reporter.fault(start, format_args!("{what} in its shortest varint"));
                }
                Ok(zigzag(number))
            }
            Err(VarintError::Truncated) => {
                let end = self.bytes.len();
                Err(self.reporter.truncated(end, format_args!("the last byte of {what}")))
            }
            Err(VarintError::TooLong) => {
                Err(self.reporter.fault(start, format_args!("{what} within 64 bits")))
            }
        }
    }

    fn delimited(&mut self, what: &str) -> WalkResult<&'b [u8]> {
        let start = self.at;
        let length = self.long("a length")?;
        let Ok(length) = usize::try_from(length) else {
            let expected = format_args!("a length of 0 or more, not {length}");
            return Err(self.reporter.fault(start, expected));
        };
        let left = self.bytes.len() - self.at;
        if length > left {
            let expected = format_args!("{length} bytes of {what}, but only {left} are left");
            return Err(self.reporter.truncated(self.at, expected));
        }
        self.take(start, length)
    }

    /// Takes `length` bytes of the value that begins at `start`.
    fn take(&mut self, start: usize, length: usize) -> WalkResult<&'b [u8]> {
        let bytes = self.bytes;
        match bytes[self.at..].get(..length) {
            Some(content) => {
                self.at += length;
                Ok(content)
            }
            None => {
                Err(self.reporter.truncated(start, format_args!("{length} bytes of the value")))
            }
        }
    }

    fn fixed<const N: usize>(&mut self, start: usize) -> WalkResult<[u8; N]> {
        let content = self.take(start, N)?;
        let mut bytes = [0; N];
        bytes.copy_from_slice(content);
        Ok(bytes)
    }
}

/// The logical type, to follow the name of the type.
struct LogicalName<'l> {
    logical: Option<&'l Logical>,
}

impl fmt::Display for LogicalName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.logical.map_or(Ok(()), |logical| write!(f, ", {}", logical.name))
    }
}

/// Returns the point in time that a number represents (specification, "Timestamps").
fn timestamp<'v>(logical: Option<&Logical>, number: i64) -> Option<Value<'v>> {
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

/// Returns the text of a decimal: a big-endian two's complement integer with `scale` digits after
/// the point. Returns `None` for more than 128 bits, which stay bytes.
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
