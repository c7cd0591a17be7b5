//! BSON: every element type, with correct lengths.

use crate::choices::{Choices, DEPTH, count};

pub(crate) fn bson(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    document(choices, out, DEPTH, false);
}

fn document(choices: &mut Choices<'_>, out: &mut Vec<u8>, depth: usize, array: bool) {
    let start = out.len();
    out.extend([0; 4]);
    for index in 0..count(choices, depth) {
        let kind = out.len();
        out.push(0);
        let key = match array {
            true if !choices.one_in(8) => index.to_string(),
            _ => choices.text(),
        };
        cstring(out, &key);
        out[kind] = value(choices, out, depth - 1);
    }
    out.push(0);
    let length = (out.len() - start) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

fn cstring(out: &mut Vec<u8>, text: &str) {
    out.extend(text.bytes().filter(|byte| *byte != 0));
    out.push(0);
}

fn string(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let text = choices.text();
    out.extend((text.len() as u32 + 1).to_le_bytes());
    out.extend(text.bytes());
    out.push(0);
}

/// Writes a value and returns its type.
fn value(choices: &mut Choices<'_>, out: &mut Vec<u8>, depth: usize) -> u8 {
    let fixed = |choices: &mut Choices<'_>, out: &mut Vec<u8>, length: usize| {
        (0..length).for_each(|_| out.push(choices.byte()));
    };
    let kind = choices.pick(&[
        &0x01_u8, &0x02, &0x03, &0x04, &0x05, &0x06, &0x07, &0x08, &0x09, &0x0a, &0x0b, &0x0c,
        &0x0d, &0x0e, &0x0f, &0x10, &0x11, &0x12, &0x13, &0x7f, &0xff, &0x03, &0x04, &0x02, &0x10,
    ]);
    match kind {
        0x01 => out.extend(choices.double().to_le_bytes()),
        0x02 | 0x0d | 0x0e => string(choices, out),
        0x03 | 0x04 => document(choices, out, depth, *kind == 0x04),
        0x05 => {
            let bytes = choices.bytes();
            let old = choices.one_in(4);
            let length = bytes.len() as u32;
            out.extend((length + if old { 4 } else { 0 }).to_le_bytes());
            out.push(if old { 2 } else { choices.below(10) as u8 });
            if old {
                out.extend(length.to_le_bytes());
            }
            out.extend(bytes);
        }
        0x07 => fixed(choices, out, 12),
        0x08 => out.push(choices.byte() & 1),
        0x09 | 0x11 | 0x12 => out.extend(choices.number().to_le_bytes()),
        0x0b => {
            cstring(out, &choices.text());
            cstring(out, choices.pick(&["", "i", "im", "ilmsux", "xi", "smi"]));
        }
        0x0c => {
            string(choices, out);
            fixed(choices, out, 12);
        }
        0x0f => {
            let start = out.len();
            out.extend([0; 4]);
            string(choices, out);
            document(choices, out, depth, false);
            let length = (out.len() - start) as u32;
            out[start..start + 4].copy_from_slice(&length.to_le_bytes());
        }
        0x10 => out.extend((choices.number() as u32).to_le_bytes()),
        0x13 => fixed(choices, out, 16),
        // Undefined, null, min key, max key.
        _ => {}
    }
    *kind
}
