//! The walker of Protocol Buffers, <https://protobuf.dev/programming-guides/encoding/>.
//!
//! Field numbers and wire types are in the bytes; names and types are in the schema. Without a
//! schema, and for unknown numbers, the content of a length-delimited field decides whether the
//! field counts as a message, as text or as bytes.
//!
//! The length as JSON is counted by field rather than in order, because a field may occur again
//! anywhere in its message: the name of a field counts once, and each item where it occurs.

mod wire;

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use manywire_shape::Value;
use manywire_shape::proto::{Absent, Field, Form, Kind as Type, Label, Message, Schema};

use crate::reporter::{ContainerKind, Opening, PathStep, Reporter, Stop, WalkResult};
use crate::{Role, scalar};

use wire::{
    FIELD_NUMBER_MAX, RESERVED_NUMBERS, WIRE_TYPES, field_content, is_message, is_printable,
};
pub(crate) use wire::{VarintError, varint, zigzag};

/// Walks a message, the root of `schema` if there is one.
pub(crate) fn walk<'b>(
    bytes: &'b [u8],
    schema: Option<&'b Schema>,
    reporter: &mut Reporter<'_>,
) -> WalkResult {
    let end = bytes.len();
    let levels = vec![Level::ending_at(end, schema.map(|schema| schema.root))];
    let mut walker = Walker { bytes, at: 0, schema, levels, reporter, dropped: false };
    walker.reporter.count_json_in_walker();
    match schema {
        Some(schema) => walker.count_message(schema.root),
        // Without a schema the names are unknown.
        None => walker.reporter.forget_json(),
    }
    walker.reporter.open_root(Opening::ending_at(ContainerKind::Map, end));
    while let Some(&Level { end, group, .. }) = walker.levels.last() {
        if walker.at < end {
            walker.field(end, group)?;
        } else if group != 0 {
            let expected = format_args!("the end of group {group}");
            return Err(walker.reporter.fault(walker.at, expected));
        } else {
            walker.check_required(end);
            let level = walker.levels.pop();
            if level.is_some_and(|level| level.in_entry && !level.counts.contains_key(&2)) {
                // The default of the missing value depends on its type.
                walker.reporter.forget_json();
            }
            walker.reporter.close(end..end, format_args!("end of message"));
        }
    }
    Ok(())
}

/// The walk of the bytes.
struct Walker<'b, 't, 's> {
    bytes: &'b [u8],
    at: usize,
    schema: Option<&'b Schema>,
    levels: Vec<Level>,
    reporter: &'t mut Reporter<'s>,
    /// True if the last value was an unknown number of a closed enum, which makes its field unknown.
    dropped: bool,
}

/// An open message.
struct Level {
    /// The end of the message.
    end: usize,
    /// The number of the group, or 0 for a message that is not a group.
    group: u64,
    /// The index of the message in the schema, if it is known.
    message: Option<usize>,
    /// The position in the schema after the last field. Most writers keep the order.
    next: usize,
    /// The number of items of each field so far.
    counts: HashMap<u32, u64>,
    /// True for an entry of a map.
    in_entry: bool,
    /// The number of the field that the message is in, unless the field is a list.
    field: Option<u32>,
    /// For each field by its number: the required fields that every part of its message lacks so
    /// far.
    incomplete: Vec<(u32, Vec<u32>)>,
}

impl Level {
    fn ending_at(end: usize, message: Option<usize>) -> Self {
        Level {
            end,
            group: 0,
            message,
            next: 0,
            counts: HashMap::new(),
            in_entry: false,
            field: None,
            incomplete: Vec::new(),
        }
    }
}

impl<'b> Walker<'b, '_, '_> {
    /// Walks a field of the message that ends at `end`; `group` is the number of the group that the
    /// message is, or 0.
    fn field(&mut self, end: usize, group: u64) -> WalkResult {
        let start = self.at;
        let tag = self.varint(end, "a tag")?;
        let (number, wire_type) = (tag >> 3, tag & 7);
        if number == 0 || number > FIELD_NUMBER_MAX {
            let expected = format_args!("a field number from 1 to 536870911, not {number}");
            return Err(self.reporter.fault(start, expected));
        }
        if wire_type == 4 {
            if number != group {
                let expected = format_args!("no end of group {number} here");
                return Err(self.reporter.fault(self.at, expected));
            }
            self.check_required(start);
            self.levels.pop();
            self.reporter.close(start..self.at, format_args!("end of group"));
            return Ok(());
        }
        let Some(name) = WIRE_TYPES.get(wire_type as usize) else {
            let expected = format_args!("a wire type from 0 to 5, not {wire_type}");
            return Err(self.reporter.fault(self.at, expected));
        };
        if RESERVED_NUMBERS.contains(&number) {
            let message = format_args!("numbers from 19000 to 19999 are reserved");
            self.reporter.remark(start, message);
        }
        let range = start..self.at;
        match self.find_field(number) {
            Some(field) => self.known_field(field, range, wire_type, end),
            None => {
                let known = self.levels.last().is_some_and(|level| level.message.is_some());
                self.reporter.forget_json();
                if known {
                    self.reporter.unknown_key(range, format_args!("unknown {name} field"), number);
                } else {
                    let number = Value::from(number);
                    self.reporter.field_key(range, format_args!("{name} field"), number, None);
                }
                self.unknown_content(number, wire_type, end)
            }
        }
    }

    /// Returns the field of the innermost message that has this number.
    fn find_field(&mut self, number: u64) -> Option<&'b Field> {
        let schema = self.schema?;
        let level = self.levels.last_mut()?;
        let fields = &schema.messages[level.message?].fields;
        let (before, behind) = fields.split_at(level.next.min(fields.len()));
        let place =
            |fields: &[Field]| fields.iter().position(|field| u64::from(field.number) == number);
        let index = match place(behind) {
            Some(index) => before.len() + index,
            None => place(before)?,
        };
        // A repeated field may occur again.
        let again = matches!(fields[index].label, Label::Repeated);
        level.next = index + usize::from(!again);
        Some(&fields[index])
    }

    fn varint(&mut self, end: usize, what: &str) -> WalkResult<u64> {
        let start = self.at;
        match varint(&self.bytes[start..end]) {
            Ok((number, length)) => {
                if length > 1 && self.bytes[start + length - 1] == 0 {
                    self.reporter.remark(start, format_args!("a shorter varint would do"));
                }
                self.at += length;
                Ok(number)
            }
            Err(VarintError::Truncated) => {
                Err(self.reporter.fault(end, format_args!("the last byte of {what}")))
            }
            Err(VarintError::TooLong) => {
                Err(self.reporter.fault(start, format_args!("{what} within 64 bits")))
            }
        }
    }

    fn fixed<const N: usize>(&mut self, end: usize) -> WalkResult<[u8; N]> {
        match self.bytes[self.at..end].first_chunk::<N>() {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.truncated(end, format_args!("{N} bytes of the value"))),
        }
    }

    /// Reads a length and as many bytes.
    fn content(&mut self, end: usize) -> WalkResult<&'b [u8]> {
        let bytes = self.bytes;
        let length = self.varint(end, "a length")?;
        let rest = &bytes[self.at..end];
        match usize::try_from(length).ok().and_then(|length| rest.get(..length)) {
            Some(content) => {
                self.at += content.len();
                Ok(content)
            }
            None => {
                let left = rest.len();
                Err(self.truncated(end, format_args!("{length} bytes, but only {left} are left")))
            }
        }
    }

    /// Reports missing bytes before `end`: as a truncated input if the input ends there, else as a
    /// fault.
    #[cold]
    fn truncated(&mut self, end: usize, expected: fmt::Arguments<'_>) -> Stop {
        match end == self.bytes.len() {
            true => self.reporter.truncated(self.at, expected),
            false => self.reporter.fault(self.at, expected),
        }
    }
}

impl Walker<'_, '_, '_> {
    /// Walks the content of an unknown field by its wire type.
    fn unknown_content(&mut self, number: u64, wire_type: u64, end: usize) -> WalkResult {
        match wire_type {
            0 => self.untyped_varint(end),
            1 => {
                let bits = self.fixed::<8>(end)?;
                self.untyped_fixed(8, f64::from_le_bytes(bits), u64::from_le_bytes(bits));
                Ok(())
            }
            2 => self.untyped_delimited(end),
            3 => {
                let here = self.at;
                let opening = Opening::ending_at(ContainerKind::Map, end);
                let name = format_args!("group");
                self.reporter.open(here..here, Role::Head, name, opening)?;
                self.levels.push(Level { group: number, ..Level::ending_at(end, None) });
                Ok(())
            }
            _ => {
                let bits = self.fixed::<4>(end)?;
                let float = f64::from(f32::from_le_bytes(bits));
                self.untyped_fixed(4, float, u64::from(u32::from_le_bytes(bits)));
                Ok(())
            }
        }
    }

    fn untyped_varint(&mut self, end: usize) -> WalkResult {
        let start = self.at;
        let number = self.varint(end, "a number")?;
        let (range, value) = (start..self.at, Value::from(number));
        // Negative numbers of the plain types take all ten bytes.
        if number > i64::MAX as u64 {
            let signed = number.cast_signed();
            let name = format_args!("varint, signed {signed}");
            self.reporter.scalar(range, 0, Role::Value, name, value);
        } else {
            let zigzag = zigzag(number);
            let name = format_args!("varint, zigzag {zigzag}");
            self.reporter.scalar(range, 0, Role::Value, name, value);
        }
        Ok(())
    }

    /// Reports a float if its magnitude is plausible, otherwise an integer.
    fn untyped_fixed(&mut self, width: usize, float: f64, integer: u64) {
        let range = self.at - width..self.at;
        let bits = width * 8;
        let likely = float == 0.0 || (1e-9..1e15).contains(&float.abs());
        let name = format_args!("{bits}-bit number, as integer {integer}");
        if likely {
            self.reporter.scalar(range, 0, Role::Value, name, Value::F64(float));
        } else {
            let name = format_args!("{bits}-bit number");
            self.reporter.scalar(range, 0, Role::Value, name, Value::from(integer));
        }
    }

    fn untyped_delimited(&mut self, end: usize) -> WalkResult {
        let start = self.at;
        let content = self.content(end)?;
        let (length, after) = (content.len(), self.at);
        let head = after - length - start;
        let text = std::str::from_utf8(content).ok().filter(|text| is_printable(text));
        if is_message(content) && text.is_none_or(|text| text.starts_with(char::is_control)) {
            self.at = after - length;
            let opening = Opening::ending_at(ContainerKind::Map, after);
            let name = format_args!("{length}-byte message");
            self.reporter.open(start..self.at, Role::Length, name, opening)?;
            self.levels.push(Level::ending_at(after, None));
            return Ok(());
        }
        match text {
            Some(text) => {
                let name = format_args!("{length}-byte string");
                self.reporter.scalar(start..after, head, Role::Value, name, Value::Str(text));
            }
            None => {
                let name = format_args!("{length} bytes");
                self.reporter.scalar(start..after, head, Role::Value, name, Value::Bytes(content));
            }
        }
        Ok(())
    }
}

impl<'b> Walker<'b, '_, '_> {
    /// Walks a field of the schema after its tag.
    fn known_field(
        &mut self,
        field: &'b Field,
        tag: Range<usize>,
        wire_type: u64,
        end: usize,
    ) -> WalkResult {
        let (number, name) = (field.number, field.name.as_str());
        let (count, first) = self.next_occurrence(field);
        let list = matches!(field.label, Label::Repeated | Label::Packed);
        let packed = list && field.kind.is_packable() && wire_type == 2;
        let key = match field.kind {
            Type::Message(entry) if self.is_entry(entry) => self.entry_key(entry, end),
            _ => None,
        };
        self.count_field(field, Occurrence { count, first, list, packed, key });
        let step = match key {
            Some(key) => Some(PathStep::Key(key)),
            None if list && !packed => Some(PathStep::Item(count)),
            None => None,
        };
        if count > 0 && !list && self.reporter.compares_keys() {
            let message = format_args!("field {number} is repeated in its message");
            self.reporter.remark(tag.start, message);
        }
        let wire_name = WIRE_TYPES[wire_type as usize];
        let type_name = format_args!("{wire_name} field {number}");
        self.reporter.field_key(tag, type_name, Value::Str(name), step);
        if packed {
            return self.packed(field, count, end);
        }
        let called_for = if field.delimited { 3 } else { wire_type_of(field.kind) };
        if wire_type != called_for {
            let called_for = WIRE_TYPES[called_for as usize];
            let type_name = type_name_of(field.kind);
            let expected = format_args!("{called_for} for {type_name}, not {wire_name}");
            self.reporter.fault(self.at, expected);
            return self.unknown_content(u64::from(number), wire_type, end);
        }
        let role = match self.levels.last().and_then(|level| level.message) {
            Some(message) if number == 1 && self.is_entry(message) => Role::Key,
            _ => Role::Value,
        };
        let depth = self.levels.len();
        self.dropped = false;
        match field.kind {
            Type::Message(message) if field.delimited => self.group(number, message, end)?,
            kind => self.value(kind, role, end)?,
        }
        if !list
            && self.levels.len() > depth
            && let Some(level) = self.levels.last_mut()
        {
            level.field = Some(number);
        }
        if self.dropped
            && count == 0
            && let Some(level) = self.levels.last_mut()
        {
            level.counts.remove(&number);
        }
        Ok(())
    }

    /// Opens a group, the content of a delimited field.
    fn group(&mut self, number: u32, message: usize, end: usize) -> WalkResult {
        let here = self.at;
        let noun = self.message(message).map_or("message", |message| &message.name);
        let opening = Opening::ending_at(ContainerKind::Map, end);
        self.reporter.open(here..here, Role::Head, format_args!("group {noun}"), opening)?;
        self.count_message(message);
        let level = Level::ending_at(end, Some(message));
        self.levels.push(Level { group: u64::from(number), ..level });
        Ok(())
    }

    /// Reports the required fields that the innermost message, which ends here, does not have. A
    /// field that is not a list may come in several parts, so the enclosing message reports the
    /// fields that all parts lack.
    fn check_required(&mut self, end: usize) {
        let Some((level, around)) = self.levels.split_last_mut() else { return };
        let messages = self.schema.map_or(&[][..], |schema| &schema.messages);
        let Some(message) = level.message.and_then(|message| messages.get(message)) else { return };
        for (number, missing) in level.incomplete.drain(..) {
            let Some(field) = message.fields.iter().find(|field| field.number == number) else {
                continue;
            };
            let Type::Message(inner) = field.kind else { continue };
            let inner = messages.get(inner).map_or(&[][..], |inner| &inner.fields);
            for lacking in inner.iter().filter(|field| missing.contains(&field.number)) {
                let expected = format_args!("the required field {}.{}", field.name, lacking.name);
                self.reporter.fault(end, expected);
            }
        }
        let required = || message.fields.iter().filter(|field| field.absent == Absent::Invalid);
        if required().next().is_none() {
            return;
        }
        let missing = required().filter(|field| !level.counts.contains_key(&field.number));
        match (level.field, around.last_mut()) {
            (Some(number), Some(around)) => {
                let missing: Vec<u32> = missing.map(|field| field.number).collect();
                match around.incomplete.iter_mut().find(|part| part.0 == number) {
                    Some(part) => part.1.retain(|field| missing.contains(field)),
                    None => around.incomplete.push((number, missing)),
                }
            }
            _ => {
                for field in missing {
                    self.reporter.fault(end, format_args!("the required field {}", field.name));
                }
            }
        }
    }

    /// Counts an item of the field. Returns the number of items before it, and true for the first
    /// occurrence of the field.
    fn next_occurrence(&mut self, field: &Field) -> (u64, bool) {
        let Some(level) = self.levels.last_mut() else { return (0, true) };
        let first = !level.counts.contains_key(&field.number);
        let count = level.counts.entry(field.number).or_default();
        *count += 1;
        (*count - 1, first)
    }

    /// Returns the message of the schema with this index.
    fn message(&self, index: usize) -> Option<&'b Message> {
        self.schema?.messages.get(index)
    }

    fn is_entry(&self, message: usize) -> bool {
        let message = self.message(message);
        message.is_some_and(|message| matches!(message.form, Form::Entry { native: true }))
    }

    /// Reads ahead for the key of the next map entry, because the value may come before the key.
    fn entry_key(&self, entry: usize, end: usize) -> Option<Value<'b>> {
        let bytes = self.bytes;
        let field = self.message(entry)?.fields.first()?;
        let (length, head) = varint(&bytes[self.at..end]).ok()?;
        let start = self.at + head;
        let message = bytes[start..end].get(..usize::try_from(length).ok()?)?;
        let Some(content) = field_content(message, u64::from(field.number)) else {
            return Some(if field.kind == Type::String { Value::Str("") } else { Value::I64(0) });
        };
        match field.kind {
            Type::String => {
                let (_, head) = varint(content).ok()?;
                std::str::from_utf8(content.get(head..)?).ok().map(Value::Str)
            }
            Type::Fixed32 | Type::Sfixed32 | Type::Fixed64 | Type::Sfixed64 => {
                let number = content.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte));
                Some(Value::from(number))
            }
            kind => {
                let (number, _) = varint(content).ok()?;
                Some(self.varint_value(kind, number).0)
            }
        }
    }

    fn packed(&mut self, field: &'b Field, count: u64, end: usize) -> WalkResult {
        let start = self.at;
        let length = self.content(end)?.len();
        let content_end = self.at;
        self.at -= length;
        let type_name = type_name_of(field.kind);
        let name = format_args!("{length} bytes of packed {type_name}");
        let opening =
            Opening { first: count, ..Opening::ending_at(ContainerKind::Array, content_end) };
        self.reporter.open(start..self.at, Role::Length, name, opening)?;
        while self.at < content_end {
            self.value(field.kind, Role::Value, content_end)?;
        }
        let count = self.reporter.top().map_or(count, |frame| frame.entry);
        self.reporter.close(content_end..content_end, format_args!("end"));
        if let Some(level) = self.levels.last_mut() {
            level.counts.insert(field.number, count);
        }
        Ok(())
    }

    fn value(&mut self, kind: Type, role: Role, end: usize) -> WalkResult {
        let start = self.at;
        let type_name = type_name_of(kind);
        let name = format_args!("{type_name}");
        let value = match wire_type_of(kind) {
            0 => {
                let number = self.varint(end, type_name)?;
                let (value, unwise) = self.varint_value(kind, number);
                if let Some(unwise) = unwise {
                    self.reporter.remark(start, format_args!("{unwise}"));
                }
                if unwise == Some(NOT_IN_CLOSED_ENUM) {
                    self.reporter.forget_json();
                    self.dropped = true;
                }
                value
            }
            1 => {
                let bits = self.fixed::<8>(end)?;
                match kind {
                    Type::Double => Value::F64(f64::from_le_bytes(bits)),
                    Type::Sfixed64 => Value::I64(i64::from_le_bytes(bits)),
                    _ => Value::from(u64::from_le_bytes(bits)),
                }
            }
            5 => {
                let bits = self.fixed::<4>(end)?;
                match kind {
                    Type::Float => Value::F32(f32::from_le_bytes(bits)),
                    Type::Sfixed32 => Value::I64(i64::from(i32::from_le_bytes(bits))),
                    _ => Value::I64(i64::from(u32::from_le_bytes(bits))),
                }
            }
            _ => return self.delimited(kind, role, end),
        };
        if matches!(self.reporter.top(), Some(frame) if frame.kind == ContainerKind::Array && frame.entry > 0)
        {
            self.reporter.add_walker_json_separator();
        }
        self.count_scalar(value, role);
        self.reporter.scalar(start..self.at, 0, role, name, value);
        Ok(())
    }

    /// Walks a message, text or bytes.
    fn delimited(&mut self, kind: Type, role: Role, end: usize) -> WalkResult {
        let start = self.at;
        let content = self.content(end)?;
        let (length, after) = (content.len(), self.at);
        let head = after - length - start;
        if let Type::Message(message) = kind {
            self.at = after - length;
            let entry = self.is_entry(message);
            let noun = match self.message(message) {
                _ if entry => "entry",
                Some(message) => message.name.as_str(),
                None => "message",
            };
            let opening =
                Opening { nameless: entry, ..Opening::ending_at(ContainerKind::Map, after) };
            let name = format_args!("{length}-byte {noun}");
            self.reporter.open(start..self.at, Role::Length, name, opening)?;
            self.count_message(message);
            let level = Level::ending_at(after, Some(message));
            self.levels.push(Level { in_entry: entry, ..level });
            return Ok(());
        }
        let value = match kind {
            Type::Bytes => Value::Bytes(content),
            _ => self.reporter.text(content, after - length),
        };
        let name = match kind {
            Type::Bytes => format_args!("{length} bytes"),
            _ => format_args!("{length}-byte string"),
        };
        self.count_scalar(value, role);
        self.reporter.scalar(start..after, head, role, name, value);
        Ok(())
    }

    /// Returns the value of a varint and a remark about it. Readers keep the low 32 bits for 32-bit
    /// types, and any number but 0 is true.
    fn varint_value(&self, kind: Type, number: u64) -> (Value<'b>, Option<&'static str>) {
        let wide = "readers drop all but the low 32 bits";
        let low = number as u32;
        let signed = low.cast_signed();
        let narrow = |fits: bool| (!fits).then_some(wide);
        match kind {
            Type::Bool => (Value::Bool(number != 0), (number > 1).then_some("true is 1, not more")),
            Type::Int32 => {
                let fits = i64::from(signed) == number.cast_signed();
                (Value::I64(i64::from(signed)), narrow(fits))
            }
            Type::Uint32 => (Value::I64(i64::from(low)), narrow(u64::from(low) == number)),
            Type::Sint32 => {
                let value = zigzag(u64::from(low));
                (Value::I64(value), narrow(u64::from(low) == number))
            }
            Type::Int64 => (Value::I64(number.cast_signed()), None),
            Type::Sint64 => (Value::I64(zigzag(number)), None),
            Type::Enum(index) => {
                let fits = i64::from(signed) == number.cast_signed();
                let each = self.schema.and_then(|schema| schema.enums.get(index));
                let named =
                    each.and_then(|each| each.values.iter().find(|value| value.number == signed));
                match named {
                    Some(named) => (Value::Str(&named.name), narrow(fits)),
                    None => {
                        let closed = each.is_some_and(|each| each.closed);
                        let remark = if closed { Some(NOT_IN_CLOSED_ENUM) } else { narrow(fits) };
                        (Value::I64(i64::from(signed)), remark)
                    }
                }
            }
            _ => (Value::from(number), None),
        }
    }
}

/// The remark about a number that proto2 does not allow in an enum.
const NOT_IN_CLOSED_ENUM: &str = "the enum is closed: readers take this for an unknown field";

fn wire_type_of(kind: Type) -> u64 {
    match kind {
        Type::Fixed64 | Type::Sfixed64 | Type::Double => 1,
        Type::Fixed32 | Type::Sfixed32 | Type::Float => 5,
        Type::String | Type::Bytes | Type::BigInt | Type::Number | Type::Message(_) => 2,
        _ => 0,
    }
}

fn type_name_of(kind: Type) -> &'static str {
    match kind {
        Type::Bool => "bool",
        Type::Int32 => "int32",
        Type::Int64 => "int64",
        Type::Uint32 => "uint32",
        Type::Uint64 => "uint64",
        Type::Sint32 => "sint32",
        Type::Sint64 => "sint64",
        Type::Fixed32 => "fixed32",
        Type::Fixed64 => "fixed64",
        Type::Sfixed32 => "sfixed32",
        Type::Sfixed64 => "sfixed64",
        Type::Float => "float",
        Type::Double => "double",
        Type::String | Type::BigInt | Type::Number => "string",
        Type::Bytes => "bytes",
        Type::Enum(_) => "enum",
        Type::Message(_) => "message",
    }
}

/// An occurrence of a field in its message.
#[derive(Clone, Copy)]
struct Occurrence<'k> {
    /// Number of items before this one.
    count: u64,
    /// True for the first occurrence, even if it has no items.
    first: bool,
    /// True for a repeated field.
    list: bool,
    /// True for a packed field, which counts its items itself.
    packed: bool,
    /// The key, for an entry of a map.
    key: Option<Value<'k>>,
}

impl Walker<'_, '_, '_> {
    /// Counts the JSON in front of a field's value: commas, and the name at the first occurrence.
    fn count_field(&mut self, field: &Field, occurrence: Occurrence<'_>) {
        let Occurrence { count, first, list, packed, key } = occurrence;
        let Some(level) = self.levels.last() else { return };
        if level.in_entry {
            // The lookahead at the entry has counted the key.
            return;
        }
        if first {
            if level.counts.len() > 1 {
                self.reporter.add_walker_json_separator();
            }
            self.reporter.add_walker_json(scalar::json_key(Value::Str(&field.name)));
            self.reporter.add_walker_json_separator();
            self.reporter.add_walker_json(if list { 2 } else { 0 });
        } else if !list {
            // The last occurrence wins, or messages merge, so the length is unknown.
            self.reporter.forget_json();
        }
        if list && !packed && count > 0 {
            self.reporter.add_walker_json_separator();
        }
        if let Some(key) = key {
            self.reporter.add_walker_json(scalar::json_key(key));
            self.reporter.add_walker_json_separator();
        }
    }

    /// Counts the braces of a message. A message with a special JSON form makes the length unknown.
    fn count_message(&mut self, message: usize) {
        match self.message(message).map(|message| &message.form) {
            Some(Form::Record { .. }) => self.reporter.add_walker_json(2),
            Some(Form::Entry { native: true }) => {}
            _ => self.reporter.forget_json(),
        }
    }

    /// Counts a scalar, except for the key of an entry, which has been counted.
    fn count_scalar(&mut self, value: Value<'_>, role: Role) {
        if role != Role::Key {
            self.reporter.add_walker_json(scalar::json(value));
        }
    }
}
