//! JSON: white space, escapes and numbers of every kind.

use crate::choices::{Choices, DEPTH, count};

pub(crate) fn json(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    value(choices, out, DEPTH);
}

fn space(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    if choices.one_in(6) {
        out.extend(choices.pick(&[" ", "\n", "\t", "\r\n", "    "]).bytes());
    }
}

fn value(choices: &mut Choices<'_>, out: &mut Vec<u8>, depth: usize) {
    space(choices, out);
    match choices.below(10) {
        0 => out.extend(choices.pick(&["null", "true", "false"]).bytes()),
        1..=3 => number(choices, out),
        4 | 5 => string(choices, out),
        6 | 7 => {
            out.push(b'[');
            for index in 0..count(choices, depth) {
                if index > 0 {
                    out.push(b',');
                }
                value(choices, out, depth - 1);
            }
            out.push(b']');
        }
        _ => {
            out.push(b'{');
            for index in 0..count(choices, depth) {
                if index > 0 {
                    out.push(b',');
                }
                space(choices, out);
                string(choices, out);
                space(choices, out);
                out.push(b':');
                value(choices, out, depth - 1);
            }
            out.push(b'}');
        }
    }
    space(choices, out);
}

fn number(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let digits = |choices: &mut Choices<'_>, most: usize| -> String {
        let count = 1 + choices.below(most);
        (0..count).map(|_| char::from(b'0' + choices.below(10) as u8)).collect()
    };
    let mut text = match choices.below(4) {
        0 => format!("{}", choices.number().cast_signed()),
        1 => format!("{}", choices.number()),
        2 => digits(choices, 30),
        _ => choices
            .pick(&["0", "-0", "9223372036854775808", "-9223372036854775809", "1"])
            .to_owned(),
    };
    if choices.one_in(3) {
        text = format!("{text}.{}", digits(choices, 25));
    }
    if choices.one_in(4) {
        let mark = choices.pick(&["e", "E", "e+", "e-", "E-"]);
        text = format!("{text}{mark}{}", digits(choices, 4));
    }
    out.extend(text.bytes());
}

fn string(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const ESCAPES: [&str; 12] = [
        "\\\"",
        "\\\\",
        "\\/",
        "\\b",
        "\\f",
        "\\n",
        "\\r",
        "\\t",
        "\\u0000",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\uD800",
    ];
    out.push(b'"');
    for c in choices.text().chars() {
        match c {
            '"' | '\\' | '\0'..='\x1f' => out.extend(format!("\\u{:04x}", c as u32).bytes()),
            c => out.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
        if choices.one_in(8) {
            // The last escape is an unpaired surrogate, so it is rare.
            let known = if choices.one_in(10) { 12 } else { 11 };
            out.extend(ESCAPES[choices.below(known)].bytes());
        }
    }
    out.push(b'"');
}
