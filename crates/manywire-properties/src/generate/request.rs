//! Requests, and the fields in which a client says what it wants.

use crate::choices::Choices;

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

const FIELDS: [&str; 20] = [
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

/// A request line, fields, an empty line and a body.
pub(crate) fn request(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let method = choices.of(&["GET", "GET", "POST", "POST", "PUT", "HEAD", "OPTIONS", "DELETE"]);
    out.extend(format!("{method} {}", choices.of(&TARGETS)).bytes());
    if choices.one_in(4) {
        let code = format!("%{:02x}", choices.byte());
        out.extend(choices.of(&["?", "&tags=", "/", "%zz", &code, "+"]).bytes());
    }
    out.push(b'\n');
    for _ in 0..choices.below(5) {
        out.extend(choices.of(&FIELDS).bytes());
        out.push(b'\n');
    }
    out.push(b'\n');
    match choices.below(5) {
        0 => super::json(choices, out),
        1 => super::msgpack(choices, out),
        2 => super::cbor(choices, out),
        3 => out.extend(b"{\"id\":1,\"stars\":5,\"name\":\"Ritz\",\"tags\":[],\"rate\":null}"),
        _ => out.extend(choices.bytes()),
    }
}

/// Words in a row, with what may stand between them.
fn members(choices: &mut Choices<'_>, words: &[&str], out: &mut Vec<u8>) {
    for index in 0..choices.below(6) {
        if index > 0 {
            out.extend(choices.of(&[",", ", ", " , ", ",,", ";"]).bytes());
        }
        out.extend(choices.of(words).bytes());
        if choices.one_in(2) {
            const WEIGHTS: [&str; 8] =
                [";q=0", ";q=0.5", "; Q=1.000", ";q=0.001", ";q=2", ";q=\"1\"", ";q=", ";q"];
            out.extend(choices.of(&WEIGHTS).bytes());
        }
    }
}

/// `Accept`.
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

/// `Accept-Encoding` and `Accept-Charset`.
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
