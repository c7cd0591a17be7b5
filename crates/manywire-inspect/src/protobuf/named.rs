//! Fields that the schema knows, by their names and types.

use std::ops::Range;

use manywire_shape::Value;
use manywire_shape::proto::{Field, Form, Kind as Type, Label};

use super::json_size::Occurrence;
use super::wire::{WIRE_TYPES, field_content, varint, zigzag};
use super::{Level, Walker};
use crate::Role;
use crate::trail::{Kind, Opening, Step, Walked};

impl<'b> Walker<'b, '_, '_> {
    /// A field whose tag has been read.
    pub(super) fn known_field(
        &mut self,
        field: &'b Field,
        tag: Range<usize>,
        wire_type: u64,
        end: usize,
    ) -> Walked {
        let (number, name) = (field.number, field.name.as_str());
        let (count, first) = self.count(field);
        let list = matches!(field.label, Label::Repeated | Label::Packed);
        let packed = list && field.kind.is_packable() && wire_type == 2;
        let key = match field.kind {
            Type::Message(entry) if self.is_entry(entry) => self.entry_key(entry, end),
            _ => None,
        };
        self.count_field(field, Occurrence { count, first, list, packed, key });
        let step = match key {
            Some(key) => Some(Step::Key(key)),
            None if list && !packed => Some(Step::Item(count)),
            None => None,
        };
        if count > 0 && !list && self.trail.compares_keys() {
            let message = format_args!("field {number} stands in its message already");
            self.trail.remark(tag.start, message);
        }
        let wire_name = WIRE_TYPES[wire_type as usize];
        let type_name = format_args!("{wire_name} field {number}");
        self.trail.field_key(tag, type_name, Value::Str(name), step);
        if packed {
            return self.packed(field, count, end);
        }
        let called_for = wire_type_of(field.kind);
        if wire_type != called_for {
            let called_for = WIRE_TYPES[called_for as usize];
            let type_name = type_name_of(field.kind);
            let expected = format_args!("{called_for} for {type_name}, not {wire_name}");
            self.trail.fault(self.at, expected);
            return self.guess(u64::from(number), wire_type, end);
        }
        let role = match self.levels.last().and_then(|level| level.message) {
            Some(message) if number == 1 && self.is_entry(message) => Role::Key,
            _ => Role::Value,
        };
        self.value(field.kind, role, end)
    }

    /// How many items of the field came before, this one from now on among them, and whether it
    /// is there for the first time.
    fn count(&mut self, field: &Field) -> (u64, bool) {
        let Some(level) = self.levels.last_mut() else { return (0, true) };
        let first = !level.counts.contains_key(&field.number);
        let count = level.counts.entry(field.number).or_default();
        *count += 1;
        (*count - 1, first)
    }

    fn is_entry(&self, message: usize) -> bool {
        let schema = self.schema.and_then(|schema| schema.messages.get(message));
        schema.is_some_and(|message| matches!(message.form, Form::Entry { native: true }))
    }

    /// The key of the entry of a map that comes next; what stands behind it may be in front.
    fn entry_key(&self, entry: usize, end: usize) -> Option<Value<'b>> {
        let bytes = self.bytes;
        let field = self.schema?.messages.get(entry)?.fields.first()?;
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
                Some(self.of_varint(kind, number).0)
            }
        }
    }

    fn packed(&mut self, field: &'b Field, count: u64, end: usize) -> Walked {
        let start = self.at;
        let length = self.content(end)?.len();
        let content_end = self.at;
        self.at -= length;
        let type_name = type_name_of(field.kind);
        let name = format_args!("{length} bytes of packed {type_name}");
        let opening = Opening { first: count, ..Opening::until(Kind::Array, content_end) };
        self.trail.open(start..self.at, Role::Length, name, opening)?;
        while self.at < content_end {
            self.value(field.kind, Role::Value, content_end)?;
        }
        let count = self.trail.top().map_or(count, |frame| frame.entry);
        self.trail.close(content_end..content_end, format_args!("end"));
        if let Some(level) = self.levels.last_mut() {
            level.counts.insert(field.number, count);
        }
        Ok(())
    }

    fn value(&mut self, kind: Type, role: Role, end: usize) -> Walked {
        let start = self.at;
        let type_name = type_name_of(kind);
        let name = format_args!("{type_name}");
        let value = match wire_type_of(kind) {
            0 => {
                let number = self.varint(end, type_name)?;
                let (value, unwise) = self.of_varint(kind, number);
                if let Some(unwise) = unwise {
                    self.trail.remark(start, format_args!("{unwise}"));
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
        if matches!(self.trail.top(), Some(frame) if frame.kind == Kind::Array && frame.entry > 0) {
            self.trail.tell_json_separator();
        }
        self.count_scalar(value, role);
        self.trail.scalar(start..self.at, 0, role, name, value);
        Ok(())
    }

    /// A message, text or bytes.
    fn delimited(&mut self, kind: Type, role: Role, end: usize) -> Walked {
        let start = self.at;
        let content = self.content(end)?;
        let (length, after) = (content.len(), self.at);
        let head = after - length - start;
        if let Type::Message(message) = kind {
            self.at = after - length;
            let entry = self.is_entry(message);
            let noun = match self.schema.and_then(|schema| schema.messages.get(message)) {
                _ if entry => "entry",
                Some(message) => message.name.as_str(),
                None => "message",
            };
            let opening = Opening { nameless: entry, ..Opening::until(Kind::Map, after) };
            let name = format_args!("{length}-byte {noun}");
            self.trail.open(start..self.at, Role::Length, name, opening)?;
            self.count_message(message);
            let level = Level::until(after, Some(message));
            self.levels.push(Level { in_entry: entry, ..level });
            return Ok(());
        }
        let value = match (kind, std::str::from_utf8(content)) {
            (Type::Bytes, _) => Value::Bytes(content),
            (_, Ok(text)) => Value::Str(text),
            (_, Err(error)) => {
                // The length says where the next field begins, so this one alone is spoilt.
                self.trail.fault(after - length + error.valid_up_to(), format_args!("UTF-8"));
                Value::Bytes(content)
            }
        };
        let name = match kind {
            Type::Bytes => format_args!("{length} bytes"),
            _ => format_args!("{length}-byte string"),
        };
        self.count_scalar(value, role);
        self.trail.scalar(start..after, head, role, name, value);
        Ok(())
    }

    /// What a varint stands for, and what is unwise about it. Readers take the low 32 bits of one
    /// that should have no more, and any number but 0 for true.
    fn of_varint(&self, kind: Type, number: u64) -> (Value<'b>, Option<&'static str>) {
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
                let named = self.schema.and_then(|schema| {
                    schema.enums.get(index)?.values.iter().find(|value| value.number == signed)
                });
                let value = match named {
                    Some(value) => Value::Str(&value.name),
                    None => Value::I64(i64::from(signed)),
                };
                (value, narrow(fits))
            }
            _ => (Value::from(number), None),
        }
    }
}

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
