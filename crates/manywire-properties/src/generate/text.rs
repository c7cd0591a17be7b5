//! Text that people write: digits, rows, names, and arguments of `weigh`.

use super::json::json;
use crate::choices::Choices;

/// Appends hex or base64 in any of the accepted spellings.
pub(crate) fn digits(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let bytes = choices.bytes();
    if choices.one_in(3) {
        const BASE64: &[u8] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=";
        (0..choices.below(24)).for_each(|_| out.push(BASE64[choices.below(BASE64.len())]));
        return;
    }
    for byte in bytes {
        out.extend(choices.pick(&["", "", " ", "0x", "0X", "-", ":", ", 0x", "\n"]).bytes());
        out.extend(format!("{byte:02x}").bytes());
    }
}

/// Appends consecutive rows of a table or of JSON.
pub(crate) fn rows(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let mut offset = 0;
    for _ in 0..choices.below(5) {
        let bytes = choices.bytes();
        let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let line = match choices.below(5) {
            0 => format!(
                "{{\"offset\":{offset},\"length\":{},\"bytes\":\"{}\",\"role\":\"{}\"}}",
                bytes.len(),
                pairs.concat(),
                choices.pick(&["value", "head", "fault"])
            ),
            1 => format!("\x1b[36m{offset:>6}  {}  text  $.a\x1b[0m", pairs.join(" ")),
            2 => String::from("offset  bytes  what it is"),
            _ => format!("{offset:>4}  {}  integer 1  $  4", pairs.join(" ")),
        };
        out.extend(line.bytes());
        out.push(b'\n');
        offset += bytes.len();
    }
}

/// Appends names of forms and codings, levels and media types.
pub(crate) fn names(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const WORDS: [&str; 24] = [
        "json",
        "ndjson",
        "msgpack",
        "cbor",
        "avro",
        "protobuf",
        "gzip",
        "zstd",
        "br",
        "deflate",
        ":",
        "6",
        "22",
        "-",
        "/",
        ";",
        "=",
        "charset=utf-8",
        "application/json",
        "text/plain",
        "\"a\\\"b\"",
        " ",
        "+json",
        ".gz",
    ];
    for _ in 0..1 + choices.below(6) {
        out.extend(choices.pick(&WORDS).bytes());
    }
}

/// Appends an argument of `--sweep`, and a document.
pub(crate) fn sweeps(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const STEPS: [&str; 14] = [
        ".a",
        ".a",
        "[\"a\"]",
        "['\\u0061']",
        ".id",
        "[0]",
        "[1]",
        "[+1]",
        "[",
        "]",
        ".",
        ".\u{e9}",
        "[99999999999999999999]",
        "=",
    ];
    out.push(b'$');
    for _ in 0..choices.below(4) {
        out.extend(choices.pick(&STEPS).bytes());
    }
    let lengths =
        ["=1", "=0,3", "= 2 ,7", "=", "=+1", "=1,,2", "=10000001", "=99999999999999999999"];
    out.extend(choices.pick(&lengths).bytes());
    out.push(b'\n');
    match choices.below(3) {
        0 => json(choices, out),
        1 => out.extend(br#"{"a":[[1,2],{"a":[3]}],"id":[]}"#),
        _ => out.extend(br#"{"a":{"a":[1,"x",null],"id":[{}]},"id":[[0]],"a":[true]}"#),
    }
}

/// Appends an argument of `--gate`, and bytes that choose figures.
pub(crate) fn gates(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const FORMATS: [&str; 6] = ["json", "msgpack", "cbor", "protobuf", "bson", "thrift"];
    const METRICS: [&str; 10] = [
        "bytes", "bytes", "allocs", "encode", "decode", "gzip:6", "zstd:3", "gzip", "br:4", "size",
    ];
    const LIMITS: [&str; 14] = [
        "100",
        "0.7",
        "1e2",
        "-0",
        "+3",
        ".5",
        "inf",
        "NaN",
        "json",
        "json*0.8",
        "cbor * 2",
        "baseline",
        "baseline*1.02",
        "json*",
    ];
    let space = |choices: &mut Choices<'_>| choices.pick(&["", "", " "]).to_owned();
    let (format, metric) = (choices.pick(&FORMATS), choices.pick(&METRICS));
    let operator = choices.pick(&["<=", ">=", "<", ">", "==", "=", "<=<"]);
    let (before, behind) = (space(choices), space(choices));
    let limit = choices.pick(&LIMITS);
    out.extend(format!("{format}.{metric}{before}{operator}{behind}{limit}\n").bytes());
    (0..choices.below(200)).for_each(|_| out.push(choices.byte()));
}
