//! CBOR: every width, every indefinite length, and the tags that codecs interpret.

use crate::choices::{Choices, DEPTH, count};

pub(crate) fn cbor(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    value(choices, out, DEPTH);
}

/// Appends a head with its argument, in the shortest form or a longer one.
fn head(choices: &mut Choices<'_>, out: &mut Vec<u8>, major: u8, argument: u64) {
    let shortest = match argument {
        0..24 => 0,
        24..0x100 => 1,
        0x100..0x1_0000 => 2,
        0x1_0000..0x1_0000_0000 => 3,
        _ => 4,
    };
    let form = if choices.one_in(5) { shortest + choices.below(5 - shortest) } else { shortest };
    if form == 0 {
        out.push(major << 5 | argument as u8);
    } else {
        let width = 1 << (form - 1);
        out.push(major << 5 | (23 + form as u8));
        out.extend_from_slice(&argument.to_be_bytes()[8 - width..]);
    }
}

fn value(choices: &mut Choices<'_>, out: &mut Vec<u8>, depth: usize) {
    match choices.below(16) {
        0 | 1 => integer(choices, out),
        2 | 3 => string(choices, out, 3),
        4 => string(choices, out, 2),
        5 | 6 => {
            let items = count(choices, depth);
            let open = open(choices, out, 4, items);
            (0..items).for_each(|_| value(choices, out, depth - 1));
            close(out, open);
        }
        7..=9 => {
            let entries = count(choices, depth);
            let open = open(choices, out, 5, entries);
            for _ in 0..entries {
                if choices.one_in(5) {
                    value(choices, out, depth - 1);
                } else {
                    string(choices, out, 3);
                }
                value(choices, out, depth - 1);
            }
            close(out, open);
        }
        10 if depth > 0 => {
            let tag = [0, 1, 2, 3, 4, 24, 55_799, 1_001][choices.below(8)];
            let tag = if choices.one_in(4) { choices.number() } else { tag };
            head(choices, out, 6, tag);
            value(choices, out, depth - 1);
        }
        11 if depth > 0 => tagged(choices, out),
        12 => out.push(0xf4 + choices.below(4) as u8),
        13 => match choices.below(3) {
            0 => {
                out.push(0xf9);
                out.extend([choices.byte(), choices.byte()]);
            }
            1 => {
                out.push(0xfa);
                out.extend((choices.double() as f32).to_be_bytes());
            }
            _ => {
                out.push(0xfb);
                out.extend(choices.double().to_be_bytes());
            }
        },
        14 => match choices.one_in(2) {
            true => out.push(0xe0 | choices.below(24) as u8),
            false => out.extend([0xf8, choices.byte() | 0x20]),
        },
        _ => out.push(choices.byte() & 0x17),
    }
}

fn integer(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let (major, argument) = (choices.byte() & 1, choices.number());
    head(choices, out, major, argument);
}

fn string(choices: &mut Choices<'_>, out: &mut Vec<u8>, major: u8) {
    let chunk = |choices: &mut Choices<'_>, out: &mut Vec<u8>| {
        let content = if major == 3 { choices.text().into_bytes() } else { choices.bytes() };
        head(choices, out, major, content.len() as u64);
        out.extend(content);
    };
    if choices.one_in(6) {
        out.push(major << 5 | 31);
        (0..choices.below(4)).for_each(|_| chunk(choices, out));
        out.push(0xff);
    } else {
        chunk(choices, out);
    }
}

/// Starts a container. Returns true if it needs a break.
fn open(choices: &mut Choices<'_>, out: &mut Vec<u8>, major: u8, count: usize) -> bool {
    let indefinite = choices.one_in(4);
    if indefinite {
        out.push(major << 5 | 31);
    } else {
        head(choices, out, major, count as u64);
    }
    indefinite
}

fn close(out: &mut Vec<u8>, open: bool) {
    if open {
        out.push(0xff);
    }
}

/// Appends a tag with matching content: seconds, a bignum, a decimal fraction or an extended time.
fn tagged(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    match choices.below(4) {
        0 => {
            head(choices, out, 6, 1);
            integer(choices, out);
        }
        1 => bignum(choices, out),
        2 => {
            head(choices, out, 6, 4);
            let indefinite = open(choices, out, 4, 2);
            match choices.one_in(3) {
                true => integer(choices, out),
                false => out.push(choices.byte() & 0x37),
            }
            if choices.one_in(3) {
                bignum(choices, out)
            } else {
                integer(choices, out)
            }
            close(out, indefinite);
        }
        _ => {
            head(choices, out, 6, 1_001);
            let entries = 1 + choices.below(2);
            head(choices, out, 5, entries as u64);
            for entry in 0..entries {
                let key = if entry == 0 { 0x01 } else { [0x22, 0x25, 0x28][choices.below(3)] };
                out.push(key);
                integer(choices, out);
            }
        }
    }
}

fn bignum(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let tag = 2 + u64::from(choices.byte() & 1);
    head(choices, out, 6, tag);
    string(choices, out, 2);
}
