//! MessagePack, in every width.

use crate::choices::{Choices, DEPTH, count};

pub(crate) fn msgpack(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    value(choices, out, DEPTH);
}

/// Appends a number of 1, 2, 4 or 8 bytes.
fn wide(out: &mut Vec<u8>, number: u64, width: usize) {
    out.extend_from_slice(&number.to_be_bytes()[8 - width..]);
}

/// Appends a head with a length: `short` with the length in its low bits, or one of the heads from
/// `first` on, which have lengths of 8, 16 and 32 bits. Arrays and maps have no head with 8 bits.
fn head(choices: &mut Choices<'_>, out: &mut Vec<u8>, length: usize, short: Option<u8>, first: u8) {
    let widths: &[(u8, usize)] = match first {
        0xdc | 0xde => &[(0, 2), (1, 4)],
        _ => &[(0, 1), (1, 2), (2, 4)],
    };
    match short {
        Some(short) if !choices.one_in(4) => out.push(short | length as u8),
        _ => {
            let fits = |&&(_, width): &&(u8, usize)| length >> (width * 8) == 0;
            let fitting: Vec<_> = widths.iter().filter(fits).collect();
            let (step, width) = *fitting[choices.below(fitting.len())];
            out.push(first + step);
            wide(out, length as u64, width);
        }
    }
}

fn value(choices: &mut Choices<'_>, out: &mut Vec<u8>, depth: usize) {
    match choices.below(14) {
        0 => out.push(0xc0),
        1 => out.push(0xc2 | choices.byte() & 1),
        2 | 3 => {
            let width = choices.below(4);
            let number = choices.number();
            match choices.below(3) {
                0 => out.push(choices.byte() & 0x7f | choices.byte() & 0x80),
                1 => {
                    out.push(0xcc + width as u8);
                    wide(out, number, 1 << width);
                }
                _ => {
                    out.push(0xd0 + width as u8);
                    wide(out, number, 1 << width);
                }
            }
        }
        4 => {
            out.push(0xca);
            out.extend((choices.double() as f32).to_be_bytes());
        }
        5 => {
            out.push(0xcb);
            out.extend(choices.double().to_be_bytes());
        }
        6 | 7 => text(choices, out),
        8 => {
            let bytes = choices.bytes();
            head(choices, out, bytes.len(), None, 0xc4);
            out.extend(bytes);
        }
        9 => extension(choices, out),
        10 | 11 => {
            let items = count(choices, depth);
            head(choices, out, items, (items < 16).then_some(0x90), 0xdc);
            (0..items).for_each(|_| value(choices, out, depth - 1));
        }
        _ => {
            let entries = count(choices, depth);
            head(choices, out, entries, (entries < 16).then_some(0x80), 0xde);
            for _ in 0..entries {
                if choices.one_in(6) {
                    value(choices, out, depth - 1)
                } else {
                    text(choices, out)
                }
                value(choices, out, depth - 1);
            }
        }
    }
}

fn text(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let text = choices.text();
    head(choices, out, text.len(), (text.len() < 32).then_some(0xa0), 0xd9);
    out.extend(text.bytes());
}

/// Appends an extension of any type; a timestamp has one of its three forms, or an invalid one.
fn extension(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let is_time = choices.one_in(2);
    let length = if is_time { [4, 8, 12][choices.below(3)] } else { choices.below(20) };
    let fixed = [1, 2, 4, 8, 16].iter().position(|fixed| *fixed == length);
    match fixed {
        Some(step) if !choices.one_in(3) => out.push(0xd4 + step as u8),
        _ => head(choices, out, length, None, 0xc7),
    }
    out.push(if is_time { 0xff } else { choices.byte() });
    match (is_time, length) {
        (true, 8 | 12) => {
            let nanoseconds = choices.word() % 1_100_000_000;
            if length == 8 {
                out.extend((nanoseconds << 34 | choices.number() >> 30).to_be_bytes());
            } else {
                wide(out, nanoseconds, 4);
                out.extend(choices.number().to_be_bytes());
            }
        }
        _ => (0..length).for_each(|_| out.push(choices.byte())),
    }
}
