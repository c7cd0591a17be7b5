//! Forms of texts and of parts, as browsers send them and as they do not.

use crate::choices::Choices;

const NAMES: [&str; 10] =
    ["name", "nights", "breakfast", "extras", "rate", "letter", "board", "a%20b", "", "n+m"];

/// `application/x-www-form-urlencoded`.
pub(crate) fn form_text(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const VALUES: [&str; 16] = [
        "",
        "1",
        "-1",
        "255",
        "256",
        "true",
        "on",
        "half",
        "full",
        "S%C3%A3o+Paulo",
        "%e2%98%83",
        "1e3",
        "inf",
        "%",
        "%zz",
        "=",
    ];
    if choices.one_in(2) {
        out.extend(b"name=Ada&nights=3");
    }
    for _ in 0..choices.below(6) {
        out.push(b'&');
        out.extend(choices.of(&NAMES).bytes());
        if !choices.one_in(8) {
            out.push(b'=');
        }
        match choices.below(6) {
            0 => out.extend(format!("%{:02X}", choices.byte()).bytes()),
            1 => out.extend(choices.bytes()),
            _ => out.extend(choices.of(&VALUES).bytes()),
        }
    }
}

/// A boundary on a line, and `multipart/form-data`.
pub(crate) fn multipart(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const FIELDS: [&str; 6] = ["title", "numbers", "numbers", "place", "files", "other"];
    const HEADS: [&str; 12] = [
        "Content-Type: text/plain",
        "Content-Type: text/plain; charset=utf-16",
        "Content-Type: application/json",
        "Content-Type: application/cbor",
        "Content-Type: application/x-protobuf",
        "Content-Type: image/png",
        "Content-Type: text/html",
        "content-type:text/plain",
        "Content-Transfer-Encoding: 8bit",
        "X-Other: \u{e9}",
        "no field at all",
        "",
    ];
    let boundary = choices.of(&["b", "b", "----WebKitFormBoundary7MA4", "-", "a=_?"]).to_owned();
    out.extend(boundary.bytes());
    out.push(b'\n');
    if choices.one_in(10) {
        out.extend(b"a preamble\r\n");
    }
    for index in 0..choices.below(5) {
        if index > 0 {
            out.extend(b"\r\n");
        }
        out.extend(format!("--{boundary}").bytes());
        if choices.one_in(10) {
            out.extend(choices.of(&[" ", "\t ", "x", "-"]).bytes());
        }
        out.extend(b"\r\n");
        let name = choices.of(&FIELDS);
        let mut head = format!("Content-Disposition: form-data; name=\"{name}\"");
        match choices.below(8) {
            0 | 1 => head.push_str("; filename=\"a b.txt\""),
            2 => head.push_str("; filename=\"\\\"%22\u{e9}\""),
            3 => head = head.replace('"', ""),
            4 => head = head.to_ascii_uppercase(),
            _ => {}
        }
        out.extend(head.bytes());
        out.extend(b"\r\n");
        for _ in 0..choices.below(2) {
            out.extend(choices.of(&HEADS).bytes());
            out.extend(b"\r\n");
        }
        out.extend(b"\r\n");
        match choices.below(7) {
            0 => super::json(choices, out),
            1 => super::cbor(choices, out),
            2 => out.extend(b"{\"x\":1.5,\"y\":-3}"),
            3 => out.extend(format!("\r\n--{}", &boundary[..boundary.len() - 1]).bytes()),
            4 => out.extend(choices.bytes()),
            _ => out.extend(choices.of(&["7", "65535", "-1", "text", "", "\r\n\r", "--"]).bytes()),
        }
    }
    let end = choices.of(&["--\r\n", "--", "", "\r\n", "--an epilogue"]);
    out.extend(format!("\r\n--{boundary}{end}").bytes());
}

/// Patterns on lines, and paths that may lead to them.
pub(crate) fn patterns(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const SEGMENTS: [&str; 20] = [
        "a",
        "b",
        "ab",
        "{x}",
        "{y}",
        "{x}.json",
        "v{x}",
        "v{x}.json",
        "{*rest}",
        "",
        "a%2Fb",
        "a:b",
        "\u{e9}",
        "%C3%a9",
        "a b",
        "%61",
        "{}",
        "{{x}}",
        "{*x}b",
        "}",
    ];
    const PARTS: [&str; 20] = [
        "a", "b", "ab", "v1", "v1.json", ".json", "v.json", "x.json", "", "a%2fb", "a%2Fb", "a:b",
        "a%3Ab", "%C3%A9", "%61", "a%20b", "%", "%7Bx%7D", "{x}", "~",
    ];
    for _ in 0..1 + choices.below(4) {
        path(choices, &SEGMENTS, out);
    }
    out.push(b'\n');
    for _ in 0..1 + choices.below(5) {
        path(choices, &PARTS, out);
    }
}

fn path(choices: &mut Choices<'_>, segments: &[&str], out: &mut Vec<u8>) {
    for _ in 0..1 + choices.below(3) {
        out.push(b'/');
        out.extend(choices.of(segments).bytes());
    }
    out.push(b'\n');
}
