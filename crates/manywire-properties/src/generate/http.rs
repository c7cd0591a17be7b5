//! Requests, their header fields and bodies, and HTTP Archives.

use super::cbor::cbor;
use super::json::json;
use super::msgpack::msgpack;
use crate::choices::Choices;
use crate::text::in_base64;

const TARGETS: [&str; 12] = [
    "/hotels",
    "/hotels?stars=5&city=S%C3%A3o+Paulo&tags=a&tags=b&order=stars",
    "/hotels?limit=-1&rate=1e3&letter=%C3%A9",
    "/hotels/7/-3?rate=0.5",
    "/hotels/7/-3",
    "/text/a%2Fb%20c",
    "/text/%e2%98%83",
    "/text/plain",
    "/text",
    "/raw",
    "/openapi.json",
    "/nowhere",
];

const HEADER_FIELDS: [&str; 20] = [
    "Accept: application/json",
    "Accept: application/cbor;q=0.5, */*;q=0.1",
    "Accept: application/vnd.msgpack",
    "Accept: text/html",
    "Accept: application/x-protobuf, application/bson",
    "Accept-Encoding: gzip, br;q=0.5",
    "Accept-Encoding: identity;q=0, zstd",
    "Accept-Charset: utf-16le, *;q=0.1",
    "Content-Type: application/json",
    "Content-Type: application/cbor",
    "Content-Type: application/vnd.msgpack",
    "Content-Type: application/bson",
    "Content-Type: application/x-protobuf",
    "Content-Type: text/plain; charset=utf-16",
    "Content-Type: text/plain; charset=\"iso-8859-1\"",
    "Content-Encoding: gzip",
    "Cookie: other=1; session=\"42\"; session=7",
    "X-Dry-Run: true",
    "X-Dry-Run: 1",
    "Content-Length: 3",
];

/// Appends a request line, header fields, an empty line and a body.
pub(crate) fn request(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let method = choices.pick(&["GET", "GET", "POST", "POST", "PUT", "HEAD", "OPTIONS", "DELETE"]);
    out.extend(format!("{method} {}", choices.pick(&TARGETS)).bytes());
    if choices.one_in(4) {
        let code = format!("%{:02x}", choices.byte());
        out.extend(choices.pick(&["?", "&tags=", "/", "%zz", &code, "+"]).bytes());
    }
    out.push(b'\n');
    for _ in 0..choices.below(5) {
        out.extend(choices.pick(&HEADER_FIELDS).bytes());
        out.push(b'\n');
    }
    out.push(b'\n');
    match choices.below(5) {
        0 => json(choices, out),
        1 => msgpack(choices, out),
        2 => cbor(choices, out),
        3 => out.extend(b"{\"id\":1,\"stars\":5,\"name\":\"Ritz\",\"tags\":[],\"rate\":null}"),
        _ => out.extend(choices.bytes()),
    }
}

/// Appends a list of words with separators, some of them invalid.
fn members(choices: &mut Choices<'_>, words: &[&str], out: &mut Vec<u8>) {
    for index in 0..choices.below(6) {
        if index > 0 {
            out.extend(choices.pick(&[",", ", ", " , ", ",,", ";"]).bytes());
        }
        out.extend(choices.pick(words).bytes());
        if choices.one_in(2) {
            const WEIGHTS: [&str; 8] =
                [";q=0", ";q=0.5", "; Q=1.000", ";q=0.001", ";q=2", ";q=\"1\"", ";q=", ";q"];
            out.extend(choices.pick(&WEIGHTS).bytes());
        }
    }
}

/// Appends a value of `Accept`.
pub(crate) fn accept(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const RANGES: [&str; 14] = [
        "*/*",
        "application/*",
        "application/json",
        "APPLICATION/JSON",
        "application/msgpack",
        "application/cbor",
        "text/html;charset=utf-8",
        "text/html;charset=\"UTF-8\"",
        "text/html;level=1",
        "application/vnd.example+json",
        "application/*+json",
        "image/*",
        "*",
        "text/",
    ];
    members(choices, &RANGES, out);
}

/// Appends a value of `Accept-Encoding` or `Accept-Charset`.
pub(crate) fn tokens(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const TOKENS: [&str; 12] = [
        "gzip",
        "x-gzip",
        "GZIP",
        "br",
        "zstd",
        "identity",
        "*",
        "utf-8",
        "UTF-16",
        "iso-8859-1",
        "",
        "a b",
    ];
    members(choices, &TOKENS, out);
}

const NAMES: [&str; 10] =
    ["name", "nights", "breakfast", "extras", "rate", "letter", "board", "a%20b", "", "n+m"];

/// Appends `application/x-www-form-urlencoded` data.
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
        out.extend(choices.pick(&NAMES).bytes());
        if !choices.one_in(8) {
            out.push(b'=');
        }
        match choices.below(6) {
            0 => out.extend(format!("%{:02X}", choices.byte()).bytes()),
            1 => out.extend(choices.bytes()),
            _ => out.extend(choices.pick(&VALUES).bytes()),
        }
    }
}

/// Appends a line with a boundary, and `multipart/form-data`.
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
    let boundary = choices.pick(&["b", "b", "----WebKitFormBoundary7MA4", "-", "a=_?"]).to_owned();
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
            out.extend(choices.pick(&[" ", "\t ", "x", "-"]).bytes());
        }
        out.extend(b"\r\n");
        let name = choices.pick(&FIELDS);
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
            out.extend(choices.pick(&HEADS).bytes());
            out.extend(b"\r\n");
        }
        out.extend(b"\r\n");
        match choices.below(7) {
            0 => json(choices, out),
            1 => cbor(choices, out),
            2 => out.extend(b"{\"x\":1.5,\"y\":-3}"),
            3 => out.extend(format!("\r\n--{}", &boundary[..boundary.len() - 1]).bytes()),
            4 => out.extend(choices.bytes()),
            _ => {
                out.extend(choices.pick(&["7", "65535", "-1", "text", "", "\r\n\r", "--"]).bytes())
            }
        }
    }
    let end = choices.pick(&["--\r\n", "--", "", "\r\n", "--an epilogue"]);
    out.extend(format!("\r\n--{boundary}{end}").bytes());
}

/// Appends lines of patterns, an empty line, and lines of paths that may match.
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
        out.extend(choices.pick(segments).bytes());
    }
    out.push(b'\n');
}

/// Appends an archive of a few entries.
pub(crate) fn har(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    if choices.one_in(12) {
        out.extend(b"\xEF\xBB\xBF");
    }
    let entries: Vec<String> = (0..choices.below(4)).map(|_| entry(choices)).collect();
    let entries = entries.join(",");
    out.extend(format!("{{\"log\":{{\"version\":\"1.2\",\"entries\":[{entries}]}}}}").bytes());
}

fn entry(choices: &mut Choices<'_>) -> String {
    let method = choices.pick(&["GET", "POST", "GET", "", "GET /a #1"]);
    let url = choices.pick(&[
        "https://a.example/v1/hotels/7?key=1#x",
        "https://a.example/v1/hotels/8",
        "http://user@b.example:8080",
        "/bare",
        "https://a.example/\\u0007/123e4567-e89b-12d3-a456-426614174000",
        "",
    ]);
    let sent = match choices.one_in(3) {
        true => format!(",\"postData\":{}", content(choices)),
        false => String::new(),
    };
    let status = choices.pick(&["200", "200", "204", "304", "0", "-1", "200.5", "null"]);
    let content = content(choices);
    let mut entry = format!(
        "{{\"request\":{{\"method\":\"{method}\",\"url\":\"{url}\"{sent}}},\
         \"response\":{{\"status\":{status},\"content\":{content}}}}}"
    );
    if choices.one_in(8) {
        let word = choices.pick(&["method", "url", "status", "content", "request", "response"]);
        entry = entry.replace(word, "other");
    }
    entry
}

/// Returns a `content` or a `postData` object.
fn content(choices: &mut Choices<'_>) -> String {
    let kind = choices.pick(&[
        "application/json",
        "application/json; charset=utf-8",
        "application/x-ndjson",
        "application/cbor",
        "application/vnd.msgpack",
        "application/x-protobuf",
        "image/png",
        "",
        "no type",
    ]);
    let (text, encoding) = match choices.below(6) {
        0 => (String::new(), ""),
        1 => ("{\\\"a\\\":1}".to_owned(), ""),
        2 => ("QQ=".to_owned(), ",\"encoding\":\"base64\""),
        3 => ("QR==\\r\\n".to_owned(), ",\"encoding\":\"BASE64\""),
        4 => (in_base64(&choices.bytes()), ",\"encoding\":\"other\""),
        _ => (in_base64(&choices.bytes()), ",\"encoding\":\"base64\""),
    };
    format!("{{\"mimeType\":\"{kind}\",\"text\":\"{text}\"{encoding}}}")
}
