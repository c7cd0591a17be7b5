//! Avro: data that often match the fixed type, and data of the schema of `agree_avro`.

use super::protobuf::varint;
use crate::choices::Choices;

/// Appends numbers, lengths and text. A schema may match them, because Avro data contain no types.
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

/// Appends a datum of the schema in `agree::avro`, with every kind of block and recursive branches.
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

/// Appends a varint, mostly in the shortest form that Avro requires.
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

/// Appends items in up to two blocks, with and without their size in bytes.
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
