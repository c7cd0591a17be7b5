//! Typed values through serde_json, within our limits and with our errors.

use std::collections::BTreeMap;

use manywire_codec::{Category, Limits, json};
use manywire_format::Format;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Hotel {
    name: String,
    stars: Option<u8>,
    rooms: Vec<Room>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Room {
    rate: f64,
    kind: Kind,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Single,
    Suite { beds: u8 },
}

#[test]
fn writes_like_serde_json_and_reads_back() {
    let hotel = Hotel {
        name: "Zur \"Post\"\n".into(),
        stars: None,
        rooms: vec![
            Room { rate: 80.0, kind: Kind::Single },
            Room { rate: 0.1 + 0.2, kind: Kind::Suite { beds: 3 } },
        ],
    };
    let bytes = json::to_vec(&hotel).expect("a hotel");
    assert_eq!(bytes, serde_json::to_vec(&hotel).expect("a hotel"));
    assert_eq!(json::from_slice::<Hotel>(&bytes).expect("a hotel"), hotel);

    let mut out = b"before".to_vec();
    json::encode(&hotel, &mut out).expect("a hotel");
    assert_eq!(out, [b"before", bytes.as_slice()].concat());
}

#[test]
fn borrows_text_from_the_input() {
    let bytes = br#"{"name":"Post"}"#;
    let read: BTreeMap<&str, &str> = json::from_slice(bytes).expect("a map");
    assert!(bytes.as_ptr_range().contains(&read["name"].as_ptr()));
}

#[test]
fn failed_writes_leave_the_output_unchanged() {
    let mut out = b"before".to_vec();
    let keys = BTreeMap::from([(vec![1u8], 1)]);
    let error = json::encode(&[keys], &mut out).expect_err("a key that is an array");
    assert_eq!(error.to_string(), "key must be a string, at $[0]");
    assert_eq!((error.category(), error.format()), (Category::Unsupported, Some(Format::Json)));
    assert_eq!(out, b"before");
}

#[test]
fn errors_have_offset_path_and_reason() {
    use Category::{Data, Eof, Syntax};
    let table: &[(&[u8], Category, &str)] = &[
        (
            br#"{"name":"a","stars":"x","rooms":[]}"#,
            Data,
            "invalid type: string \"x\", expected u8, at $.stars (byte 22)",
        ),
        (
            br#"{"name":"a","stars":300,"rooms":[]}"#,
            Data,
            "invalid value: integer `300`, expected u8, at $.stars (byte 22)",
        ),
        (
            b"{\"name\":\"\xC3\xA9\",\n\"rooms\":[\n{\"rate\":1,\"kind\":\"Single\"},\n{\"rate\":1,\"kind\":\"Twin\"}]}",
            Data,
            "unknown variant `Twin`, expected `Single` or `Suite`, at $.rooms[1].kind (byte 74)",
        ),
        (br#"{"name":"a","rooms":[{"rate":1}]}"#, Data, "missing field `kind`, at $.rooms[0] (byte 30)"),
        (br#"{}"#, Data, "missing field `name` (byte 1)"),
        (
            br#"{"name":"a","rooms":[{"rate":1e400,"kind":"Single"}]}"#,
            Data,
            "number out of range, at $.rooms[0].rate (byte 33)",
        ),
        (br#"{"name":"a" "rooms":[]}"#, Syntax, "expected ',' or '}' after the value, found '\"', at $.name (byte 12)"),
        (br#"{"name":"a","rooms":[],}"#, Syntax, "expected a key in quotes, found '}' (byte 23)"),
        (br#"{"name":"a","rooms":[]} x"#, Syntax, "expected nothing more after the value, found 'x' (byte 24)"),
        (b"{\"name\":\"a\xFF\"}", Syntax, "expected UTF-8, found the byte 0xFF, at $.name (byte 10)"),
        (b"{\"skipped\":[\"\xFF\"]}", Syntax, "expected UTF-8, found the byte 0xFF, at $.skipped[0] (byte 13)"),
        (br#"{"name":"\ud800","rooms":[]}"#, Syntax, r"\ud800 is half of a surrogate pair; alone it is not a character, at $.name (byte 9)"),
        (br#"{"name":"a","rooms":[{"rate":1"#, Eof, "the bytes end here, expected ',' or '}' after the value, at $.rooms[0].rate (byte 30)"),
        (b"", Eof, "the bytes end here, expected a value (byte 0)"),
    ];
    for (bytes, category, message) in table {
        let error = json::from_slice::<Hotel>(bytes).expect_err(message);
        assert_eq!(error.to_string(), *message);
        assert_eq!(error.category(), *category, "{message}");
        assert_eq!(error.format(), Some(Format::Json), "{message}");
    }
}

#[derive(Debug, PartialEq, Deserialize)]
struct Nested(Vec<Nested>);

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn enforces_the_depth_limit_exactly() {
    for limit in [1, 4, 126, 127, 128, 129, 500] {
        let limits = Limits::default().with_depth(limit);
        json::from_slice_with::<Nested>(nested(limit).as_bytes(), limits)
            .expect("within the limit");
        let text = nested(limit + 1);
        let error =
            json::from_slice_with::<Nested>(text.as_bytes(), limits).expect_err("beyond it");
        assert_eq!(error.category(), Category::Limit, "{error}");
        assert_eq!(error.offset(), Some(limit));
        assert_eq!(error.path().len(), limit);
    }
    // Brackets inside a string do not count.
    let limits = Limits::default().with_depth(1);
    let read: Vec<String> = json::from_slice_with(br#"["[[[\"[[["]"#, limits).expect("a string");
    assert_eq!(read, ["[[[\"[[["]);
}

#[test]
fn rejects_a_hundred_thousand_brackets() {
    let text = "[".repeat(100_000);
    for limit in [4, 128, 1_000] {
        let limits = Limits::default().with_depth(limit);
        let error = json::from_slice_with::<Nested>(text.as_bytes(), limits).expect_err("too deep");
        assert_eq!((error.category(), error.offset()), (Category::Limit, Some(limit)));
    }
}

#[test]
fn skips_unknown_fields_of_any_depth() {
    let text = format!(r#"{{"unknown":{},"rate":1,"kind":"Single"}}"#, nested(100_000));
    let room: Room = json::from_slice(text.as_bytes()).expect("a room");
    assert_eq!(room, Room { rate: 1.0, kind: Kind::Single });
}
