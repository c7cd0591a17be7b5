//! From a field of a schema to its row in the tables: what stands in it, and the bytes before it.

use std::sync::atomic::AtomicUsize;

use manywire_shape::proto::{self, Absent, FIELD_NUMBER_MAX, Label, Schema};

use super::super::wire;
use super::compile::invalid;
use super::{Field, Kind};
use crate::Result;

/// The place of the whole value.
pub(super) fn whole(root: usize) -> Field {
    Field {
        kind: Kind::Message,
        wire: wire::LEN,
        tag: [0; 5],
        tag_len: 0,
        tag_word: 0,
        omit_zero: false,
        nullable: false,
        required: true,
        absent: Absent::Zero,
        number: 0,
        target: root as u32,
        oneof: None,
        name: "".into(),
        static_name: AtomicUsize::new(0),
        item: None,
    }
}

pub(super) fn compile_field(schema: &Schema, field: &proto::Field) -> Result<Field> {
    if field.number == 0 || field.number > FIELD_NUMBER_MAX {
        return Err(invalid(format_args!("{} cannot be a field number", field.number)));
    }
    let (kind, target) = match field.kind {
        proto::Kind::Bool => (Kind::Bool, 0),
        proto::Kind::Int32 => (Kind::Int32, 0),
        proto::Kind::Int64 => (Kind::Int64, 0),
        proto::Kind::Uint32 => (Kind::Uint32, 0),
        proto::Kind::Uint64 => (Kind::Uint64, 0),
        proto::Kind::Sint32 => (Kind::Sint32, 0),
        proto::Kind::Sint64 => (Kind::Sint64, 0),
        proto::Kind::Fixed32 => (Kind::Fixed32, 0),
        proto::Kind::Fixed64 => (Kind::Fixed64, 0),
        proto::Kind::Sfixed32 => (Kind::Sfixed32, 0),
        proto::Kind::Sfixed64 => (Kind::Sfixed64, 0),
        proto::Kind::Float => (Kind::Float, 0),
        proto::Kind::Double => (Kind::Double, 0),
        proto::Kind::String => (Kind::String, 0),
        proto::Kind::Bytes => (Kind::Bytes, 0),
        proto::Kind::BigInt => (Kind::BigInt, 0),
        proto::Kind::Number => (Kind::Number, 0),
        proto::Kind::Enum(index) if index < schema.enums.len() => (Kind::Enum, index),
        proto::Kind::Message(index) if index < schema.messages.len() => (Kind::Message, index),
        proto::Kind::Enum(_) | proto::Kind::Message(_) => {
            return Err(invalid("there is no such message or enum"));
        }
    };
    let is_entry =
        kind == Kind::Message && matches!(schema.messages[target].form, proto::Form::Entry { .. });
    let one = |label: Label| {
        let mut made = Field {
            kind,
            wire: wire_type(kind),
            tag: [0; 5],
            tag_len: 0,
            tag_word: 0,
            omit_zero: label == Label::Singular,
            nullable: field.nullable,
            required: field.required,
            absent: field.absent,
            number: field.number,
            target: target as u32,
            oneof: field.oneof.map(|oneof| oneof as u16),
            name: field.name.as_str().into(),
            static_name: AtomicUsize::new(0),
            item: None,
        };
        if label != Label::Packed {
            set_tag(&mut made, wire_type(kind));
        }
        made
    };
    let mut made = one(field.label);
    if matches!(field.label, Label::Repeated | Label::Packed) {
        let mut item = one(field.label);
        item.nullable = false;
        item.absent = Absent::Zero;
        made.item = Some(Box::new(item));
        made.kind = match field.label {
            _ if is_entry => Kind::Map,
            Label::Packed => Kind::Packed,
            _ => Kind::Repeated,
        };
        if made.kind == Kind::Packed {
            if !field.kind.is_packable() {
                return Err(invalid("only numbers can be packed"));
            }
            made.wire = wire::LEN;
            set_tag(&mut made, wire::LEN);
        }
    } else if is_entry {
        return Err(invalid("an entry stands in a map"));
    }
    Ok(made)
}

fn set_tag(field: &mut Field, wire: u8) {
    field.tag = [0; 5];
    let key = u64::from(field.number) << 3 | u64::from(wire);
    field.tag_len = wire::put_varint(&mut field.tag, key) as u8;
    let mut word = [0; 8];
    word[..5].copy_from_slice(&field.tag);
    field.tag_word = u64::from_le_bytes(word);
}

fn wire_type(kind: Kind) -> u8 {
    match kind {
        Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => wire::I32,
        Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => wire::I64,
        Kind::String | Kind::Bytes | Kind::BigInt | Kind::Number | Kind::Message => wire::LEN,
        _ => wire::VARINT,
    }
}
