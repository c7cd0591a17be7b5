//! Protocol Buffers and Avro: fields of any wire type, and data that often fit the fixed type.

use super::DEPTH;
use crate::choices::Choices;

/// A message: numbers of fields that the fixed type has, and some that it has not.
pub(crate) fn protobuf(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    message(choices, out, DEPTH);
}

fn message(choices: &mut Choices<'_>, out: &mut Vec<u8>, depth: usize) {
    for _ in 0..choices.below(6) {
        field(choices, out, depth);
    }
}

/// The wire type that each field of the fixed type has, from number 1 on.
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

/// A varint, now and then longer than it need be.
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

/// Data of Avro have no marks: numbers, lengths and text in a row, which a schema may fit.
pub(crate) fn avro(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    for _ in 0..4 + choices.below(40) {
        match choices.below(6) {
            0..=2 => out.push(choices.byte() & 0x0f),
            3 => {
                let number = choices.number();
                varint(choices, out, number);
            }
            4 => {
                let text = choices.text();
                varint(choices, out, (text.len() as u64) << 1);
                out.extend(text.bytes());
            }
            _ => out.extend(choices.double().to_le_bytes()),
        }
    }
}

/// A datum of the schema in `agree::avro`: every way of blocks, branches that recur.
pub(crate) fn avro_datum(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    for level in 0..4 {
        let number = choices.number();
        varint_long(choices, out, number);
        blocks(choices, out, |choices, out| {
            let number = choices.number() >> 32;
            varint_long(choices, out, number);
        });
        text(choices, out);
        match choices.below(4) {
            0 => out.push(0),
            1 => {
                out.push(2);
                let number = choices.number();
                varint_long(choices, out, number);
            }
            2 => {
                out.push(4);
                text(choices, out);
            }
            _ => {
                out.push(6);
                blocks(choices, out, |choices, out| out.push(choices.byte() & 1));
            }
        }
        blocks(choices, out, |choices, out| {
            text(choices, out);
            let bytes = choices.bytes();
            varint_long(choices, out, (bytes.len() as u64) << 1);
            out.extend(bytes);
        });
        out.push(choices.byte() & 1);
        (0..4).for_each(|_| out.push(choices.byte()));
        out.push(choices.below(3) as u8 * 2);
        out.extend((choices.double() as f32).to_le_bytes());
        out.extend(choices.double().to_le_bytes());
        blocks(choices, out, |_, _| {});
        if level == 3 || !choices.one_in(3) {
            return out.push(0);
        }
        out.push(2);
    }
}

fn text(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let text = choices.text();
    varint_long(choices, out, (text.len() as u64) << 1);
    out.extend(text.bytes());
}

/// A varint, which Avro wants in its shortest form.
fn varint_long(choices: &mut Choices<'_>, out: &mut Vec<u8>, number: u64) {
    let start = out.len();
    varint(choices, out, number);
    if out.len() > start + 1 && out.last() == Some(&0) && !choices.one_in(8) {
        out.truncate(start);
        let mut number = number;
        while number > 0x7f {
            out.push(number as u8 | 0x80);
            number >>= 7;
        }
        out.push(number as u8);
    }
}

/// Items in one block or two, with and without their size in bytes.
fn blocks(
    choices: &mut Choices<'_>,
    out: &mut Vec<u8>,
    mut item: impl FnMut(&mut Choices<'_>, &mut Vec<u8>),
) {
    for _ in 0..choices.below(3) {
        let count = 1 + choices.below(3) as u64;
        let mut content = Vec::new();
        (0..count).for_each(|_| item(choices, &mut content));
        if choices.one_in(3) {
            varint_long(choices, out, (count << 1) - 1);
            varint_long(choices, out, (content.len() as u64) << 1);
        } else {
            varint_long(choices, out, count << 1);
        }
        out.extend(content);
    }
    out.push(0);
}
