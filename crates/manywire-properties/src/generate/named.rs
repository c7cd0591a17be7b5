//! Messages of the schema that `agree_protobuf_named` has: fields in any order, twice, in pieces.

use manywire_shape::proto::{Field, Kind, Label, Schema};

use super::DEPTH;
use super::protobuf::{field as any_field, varint};
use crate::agree::protobuf_schema;
use crate::choices::Choices;

pub(crate) fn protobuf_named(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let schema = protobuf_schema();
    message(schema, schema.root, choices, out, DEPTH);
}

fn message(
    schema: &Schema,
    index: usize,
    choices: &mut Choices<'_>,
    out: &mut Vec<u8>,
    depth: usize,
) {
    let fields = &schema.messages[index].fields;
    for _ in 0..choices.below(6) {
        // What the schema does not have, or has otherwise.
        if choices.one_in(20) {
            any_field(choices, out, depth);
            continue;
        }
        let field = &fields[choices.below(fields.len())];
        let again = 1 + usize::from(choices.one_in(4));
        (0..again).for_each(|_| one(schema, field, choices, out, depth));
    }
}

/// One occurrence of a field: of a list an item, or several items packed.
fn one(schema: &Schema, field: &Field, choices: &mut Choices<'_>, out: &mut Vec<u8>, depth: usize) {
    let tag = |wire: u64| u64::from(field.number) << 3 | wire;
    let list = matches!(field.label, Label::Repeated | Label::Packed);
    // Readers take either form of a list of numbers, whichever was declared.
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
            message(schema, index, choices, &mut content, depth - 1);
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
