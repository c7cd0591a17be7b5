//! Protocol Buffers: fields of any wire type, and messages of the schema of `agree_protobuf_named`.

use manywire_shape::proto::{Field, Kind, Label, Schema};

use crate::agree::protobuf_schema;
use crate::choices::{Choices, DEPTH};

/// Appends a message with field numbers of the fixed type, and some other field numbers.
pub(crate) fn protobuf(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    message(choices, out, DEPTH);
}

fn message(choices: &mut Choices<'_>, out: &mut Vec<u8>, depth: usize) {
    for _ in 0..choices.below(6) {
        field(choices, out, depth);
    }
}

/// The wire types of the fields of the fixed type, from number 1 on.
const WIRE_TYPES: [u64; 25] =
    [0, 0, 0, 0, 5, 1, 5, 1, 2, 2, 0, 2, 2, 2, 2, 2, 2, 2, 2, 0, 2, 2, 0, 2, 2];

pub(super) fn field(choices: &mut Choices<'_>, out: &mut Vec<u8>, depth: usize) {
    let number = 1 + choices.below(WIRE_TYPES.len()) as u64;
    let mut wire_type = WIRE_TYPES[number as usize - 1];
    let mut number = if choices.one_in(12) { choices.number() >> 35 } else { number };
    if choices.one_in(8) {
        wire_type = choices.below(8) as u64;
    }
    if number == 0 && !choices.one_in(8) {
        number = 1;
    }
    varint(choices, out, number << 3 | wire_type);
    match wire_type {
        0 => {
            let number = choices.number();
            varint(choices, out, number);
        }
        1 => out.extend(choices.double().to_le_bytes()),
        2 => {
            let mut content = Vec::new();
            match choices.below(4) {
                0 => content.extend(choices.text().bytes()),
                1 => (0..choices.below(6)).for_each(|_| {
                    let number = choices.number();
                    varint(choices, &mut content, number);
                }),
                2 => content.extend(choices.bytes()),
                _ if depth > 0 => message(choices, &mut content, depth - 1),
                _ => {}
            }
            varint(choices, out, content.len() as u64);
            out.extend(content);
        }
        3 if depth > 0 => {
            message(choices, out, depth - 1);
            varint(choices, out, number << 3 | 4);
        }
        5 => out.extend((choices.double() as f32).to_le_bytes()),
        _ => {}
    }
}

/// Appends a varint, sometimes longer than necessary.
pub(super) fn varint(choices: &mut Choices<'_>, out: &mut Vec<u8>, mut number: u64) {
    let padded = choices.one_in(12);
    loop {
        let more = number > 0x7f;
        out.push(number as u8 & 0x7f | u8::from(more || padded) << 7);
        number >>= 7;
        if !more {
            break;
        }
    }
    if padded {
        out.push(0);
    }
}

pub(crate) fn protobuf_named(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let schema = protobuf_schema();
    named_message(schema, schema.root, choices, out, DEPTH);
}

fn named_message(
    schema: &Schema,
    index: usize,
    choices: &mut Choices<'_>,
    out: &mut Vec<u8>,
    depth: usize,
) {
    let fields = &schema.messages[index].fields;
    for _ in 0..choices.below(6) {
        // Appends a field that the schema does not have, or that has another type in the schema.
        if choices.one_in(20) {
            field(choices, out, depth);
            continue;
        }
        let field = &fields[choices.below(fields.len())];
        let again = 1 + usize::from(choices.one_in(4));
        (0..again).for_each(|_| occurrence(schema, field, choices, out, depth));
    }
}

/// Appends one occurrence of a field: an item of a list, or several packed items.
fn occurrence(
    schema: &Schema,
    field: &Field,
    choices: &mut Choices<'_>,
    out: &mut Vec<u8>,
    depth: usize,
) {
    let tag = |wire: u64| u64::from(field.number) << 3 | wire;
    let list = matches!(field.label, Label::Repeated | Label::Packed);
    // Readers accept both encodings of a list of numbers, whichever is declared.
    if list && field.kind.is_packable() && choices.one_in(2) {
        let mut items = Vec::new();
        (0..choices.below(5)).for_each(|_| scalar(field.kind, choices, &mut items));
        varint(choices, out, tag(2));
        varint(choices, out, items.len() as u64);
        return out.extend(items);
    }
    let mut content = Vec::new();
    match field.kind {
        Kind::Message(index) if depth > 0 => {
            named_message(schema, index, choices, &mut content, depth - 1);
        }
        Kind::Message(_) => {}
        Kind::Bytes => content = choices.bytes(),
        kind if !kind.is_packable() => content.extend(choices.text().bytes()),
        kind => {
            varint(choices, out, tag(wire_type(kind)));
            return scalar(kind, choices, out);
        }
    }
    varint(choices, out, tag(2));
    varint(choices, out, content.len() as u64);
    out.extend(content);
}

fn wire_type(kind: Kind) -> u64 {
    match kind {
        Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => 1,
        Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => 5,
        _ => 0,
    }
}

fn scalar(kind: Kind, choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    match (kind, wire_type(kind)) {
        (Kind::Float, _) => out.extend((choices.double() as f32).to_le_bytes()),
        (_, 1) => out.extend(choices.double().to_le_bytes()),
        (_, 5) => out.extend((choices.word() as u32).to_le_bytes()),
        (Kind::Bool | Kind::Enum(_), _) if !choices.one_in(4) => {
            let number = choices.below(3) as u64;
            varint(choices, out, number);
        }
        _ => {
            let number = choices.number();
            varint(choices, out, number);
        }
    }
}
