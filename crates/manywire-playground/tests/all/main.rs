//! Views of payloads, as the page shows them.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use manywire_format::FORMATS;
use manywire_playground::{
    FormatView, InvalidRequest, PAYLOAD_BYTES_MAX, SPANS_MAX, View, ViewRequest,
};
use manywire_schema::TARGET_LANGUAGES;

/// A document with text, lists, records, optional fields and a null.
const DOCUMENT: &str = r#"{"id":7,"name":"Ritz","tags":["a","b"],"rooms":[{"rate":1.5},{"rate":2.5,"beds":2}],"none":null}"#;

fn text(text: &str) -> ViewRequest {
    ViewRequest { text: Some(text.to_owned()), ..ViewRequest::default() }
}

fn view(request: &ViewRequest) -> View {
    View::of(request).expect("a payload")
}

fn format<'v>(view: &'v View, name: &str) -> &'v FormatView {
    view.formats.iter().find(|format| format.format == name).expect("a format")
}

/// Checks that spans, totals and indexes of a view belong together.
fn check(view: &View, name: &str) {
    for format in &view.formats {
        let what = format!("{name} as {}", format.form);
        if format.refused.is_some() {
            assert_eq!((format.length, format.span_count), (0, 0), "{what}");
            continue;
        }
        let spans = &format.spans;
        let rows = spans.starts.len();
        for length in [
            spans.lengths.len(),
            spans.roles.len(),
            spans.paths.len(),
            spans.types.len(),
            spans.depths.len(),
            spans.values.len(),
        ] {
            assert_eq!(length, rows, "{what}");
        }
        let mut end = 0;
        for (start, length) in spans.starts.iter().zip(&spans.lengths) {
            assert_eq!(*start, end, "{what}: spans follow each other");
            end = start + length;
        }
        let bytes = STANDARD.decode(&format.bytes).expect("base64");
        // Spans of the blocks of a compressed container are not shown, but those of its bytes are.
        assert_eq!(bytes.len() as u64, end, "{what}");
        if !format.truncated {
            assert_eq!(end, format.length, "{what}: every byte has a span");
        }
        let parts = format.keys + format.structure + format.values + format.unread;
        assert_eq!(parts, format.length, "{what}");
        assert!(spans.paths.iter().all(|&path| (path as usize) < view.paths.len()), "{what}");
        assert!(spans.types.iter().all(|&ty| (ty as usize) < view.types.len()), "{what}");
        assert!(spans.roles.iter().all(|&role| (role as usize) < view.roles.len()), "{what}");
        assert!(format.findings.iter().all(|it| (it.path as usize) < view.paths.len()), "{what}");
    }
}

/// Returns the request to view the bytes of a format, as the page sends them after an edit.
fn edited(view: &View, format: &FormatView) -> ViewRequest {
    let schema = format.schema.as_ref().map(|name| {
        let schema = view.schemas.iter().find(|schema| schema.name == *name).expect("a schema");
        schema.text.clone().expect("its text")
    });
    ViewRequest {
        bytes: Some(format.bytes.clone()),
        form: Some(format.form.clone()),
        schema,
        ..ViewRequest::default()
    }
}

#[test]
fn a_document_in_every_format() {
    let view = view(&text(DOCUMENT));
    check(&view, "document");
    assert_eq!(view.failure, None);
    assert_eq!((view.input.read_as.as_str(), view.input.values), ("text", 1));
    let lengths: Vec<(&str, u64)> =
        view.formats.iter().map(|format| (format.form.as_str(), format.length)).collect();
    let expected = [
        ("json", DOCUMENT.len() as u64),
        ("msgpack", 74),
        ("msgpack-array", 36),
        ("cbor", 74),
        ("protobuf", 40),
        ("avro-datum", 33),
        ("bson", 129),
    ];
    assert_eq!(lengths[..expected.len()], expected);
    assert_eq!(lengths.len(), FORMATS.len());
    assert!(view.schemas.iter().all(|schema| schema.refused.is_none() && schema.text.is_some()));
    let names = view.schemas.iter().map(|schema| schema.name.as_str());
    assert!(names.eq(TARGET_LANGUAGES.iter().map(|row| row.name)));
    let java = view.schemas.iter().find(|schema| schema.name == "java").expect("the types of Java");
    let text = java.text.as_deref().unwrap_or_default();
    assert!(java.file == "Payload.java" && text.contains("public final class Payload "), "{text}");
    let haskell = view.schemas.iter().find(|schema| schema.name == "haskell");
    let haskell = haskell.expect("the types of Haskell");
    let text = haskell.text.as_deref().unwrap_or_default();
    assert!(haskell.file == "Payload.hs" && text.contains("module Payload where\n"), "{text}");
    assert_eq!(view.json.expect("JSON").text, DOCUMENT);
}

#[test]
fn json_by_a_proto_is_proto_json() {
    let json = r#"{"room_count":"300","data":"YQ==","note":null}"#;
    let proto = "syntax = \"proto3\"; message A { int64 room_count = 1; bytes data = 2;
                 optional string note = 3; }";
    let view = view(&ViewRequest { schema: Some(proto.to_owned()), ..text(json) });
    check(&view, "ProtoJSON");
    assert_eq!(format(&view, "json").length, json.len() as u64);
    let protobuf = format(&view, "protobuf");
    assert_eq!((&protobuf.refused, &protobuf.losses), (&None, &Vec::new()));
    let bytes = STANDARD.decode(&protobuf.bytes).expect("base64");
    assert_eq!(bytes, b"\x08\xac\x02\x12\x01a");
}

#[test]
fn one_value_has_one_path_in_every_format() {
    let view = view(&text(DOCUMENT));
    let path = view.paths.iter().position(|path| path == "$.rooms[1].rate").expect("the path");
    for format in &view.formats {
        let values = format.spans.paths.iter().zip(&format.spans.values);
        let mut found = values.filter(|(index, _)| **index as usize == path);
        let shown = found.any(|(_, value)| value.as_deref() == Some("2.5"));
        assert!(shown, "{}", format.form);
    }
}

#[test]
fn edited_bytes_give_the_same_document_again() {
    let first = view(&text(DOCUMENT));
    for format in &first.formats {
        let again = view(&edited(&first, format));
        check(&again, &format.form);
        assert_eq!(again.failure, None, "{}", format.form);
        let json = self::format(&again, "json");
        assert!(json.losses.is_empty(), "{}", format.form);
        let text = STANDARD.decode(&json.bytes).expect("base64");
        let found: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        let expected: serde_json::Value = serde_json::from_str(DOCUMENT).expect("JSON");
        assert_eq!(found, expected, "{}", format.form);
    }
}

#[test]
fn a_document_in_json_ends_without_a_line_feed() {
    let msgpack = STANDARD.encode(b"\x81\xa5hello\xa5world");
    let view = view(&ViewRequest { bytes: Some(msgpack), ..ViewRequest::default() });
    assert_eq!(format(&view, "json").length, r#"{"hello":"world"}"#.len() as u64);
}

#[test]
fn text_is_json_or_hex_or_base64() {
    let cases = [
        (r#"{"a": 1}"#, "text", "json"),
        ("82a2696407a1610c", "hex", "msgpack"),
        ("82 a2 69 64 07 a1 61 0c\n", "hex", "msgpack"),
        ("gqJpZAehYcM=", "base64", "msgpack"),
        ("{\"a\":1}\n{\"a\":2}\n", "text", "ndjson"),
        ("{\"a\":1}\n{\n\"a\":2}\n", "text", "json-concat"),
        ("1234", "text", "json"),
        ("", "text", "json"),
        ("not a payload", "text", "json"),
    ];
    for (typed, read_as, form) in cases {
        let view = view(&text(typed));
        assert_eq!(
            (view.input.read_as.as_str(), view.input.form.as_str()),
            (read_as, form),
            "{typed}"
        );
    }
}

/// The first line is a value, and a later value has several lines.
#[test]
fn text_that_begins_with_lines_is_read_to_its_end() {
    let view = view(&text("[1]\n[2,\n3]\n"));
    assert_eq!(view.failure, None);
    check(&view, "concatenated values");
    assert_eq!(view.formats.len(), FORMATS.len());
}

#[test]
fn a_fault_is_shown_with_what_was_read_before_it() {
    let view = view(&text("{\"id\": 7,\n \"name\": nul}"));
    check(&view, "fault");
    let failure = view.failure.expect("a fault");
    assert_eq!((failure.line, failure.column, failure.offset), (Some(2), Some(10), Some(19)));
    assert_eq!(failure.path, "$.name");
    assert_eq!(view.formats.len(), 1);
    assert!(view.paths.iter().any(|path| path == "$.id"));
    assert!(view.json.is_none() && view.schemas.is_empty());
}

#[test]
fn losses_and_refusals_are_named() {
    let lossy = view(&text("[1,2]"));
    let bson = format(&lossy, "bson");
    assert!(bson.losses[0].lost.contains("an array at the top"), "{:?}", bson.losses);
    let refused = view(&text("42"));
    let bson = format(&refused, "bson").refused.as_ref().expect("BSON has no integer at the top");
    assert_eq!(bson.path, "$");
}

#[test]
fn long_payloads_are_cut_and_say_so() {
    let items: Vec<String> = (0..SPANS_MAX).map(|item| item.to_string()).collect();
    let view = view(&text(&format!("[{}]", items.join(","))));
    check(&view, "long");
    for format in &view.formats {
        assert!(format.truncated, "{}", format.form);
        assert_eq!(format.spans.starts.len(), SPANS_MAX, "{}", format.form);
        assert!(format.span_count > SPANS_MAX as u64, "{}", format.form);
        assert!(format.gzip.is_some_and(|bytes| bytes > 1_000), "{}", format.form);
    }
}

#[test]
fn requests_without_a_payload_are_refused() {
    let both = ViewRequest { bytes: Some(String::new()), ..text("1") };
    assert_eq!(View::of(&both), Err(InvalidRequest::NoPayload));
    assert_eq!(View::of(&ViewRequest::default()), Err(InvalidRequest::NoPayload));
    let invalid = ViewRequest { bytes: Some("!".to_owned()), ..ViewRequest::default() };
    assert!(matches!(View::of(&invalid), Err(InvalidRequest::Base64(_))));
    let unknown = ViewRequest { form: Some("xml".to_owned()), ..text("1") };
    assert!(matches!(View::of(&unknown), Err(InvalidRequest::Form(_))));
    let schema = ViewRequest { schema: Some("message {".to_owned()), ..text("1") };
    let Err(InvalidRequest::Schema(message)) = View::of(&schema) else { panic!("a schema") };
    assert!(message.contains("1:9"), "{message}");
    let long = "1".repeat(PAYLOAD_BYTES_MAX + 1);
    assert_eq!(View::of(&text(&long)), Err(InvalidRequest::TooLong(long.len())));
}

#[test]
fn broken_bytes_have_a_view() {
    let first = view(&text(DOCUMENT));
    for format in &first.formats {
        let request = edited(&first, format);
        let bytes = STANDARD.decode(&format.bytes).expect("base64");
        for index in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[index] ^= 0xff;
            let changed = STANDARD.encode(&broken);
            check(&view(&ViewRequest { bytes: Some(changed), ..request.clone() }), &format.form);
            let cut = STANDARD.encode(&bytes[..index]);
            check(&view(&ViewRequest { bytes: Some(cut), ..request.clone() }), &format.form);
        }
    }
    check(&view(&text(&"[".repeat(100_000))), "deep");
    check(&view(&text("{\"</script><script>\":\"<img src=x onerror=alert(1)>\"}")), "markup");
}

#[test]
fn foreign_documents_have_views() {
    let Some(suites) = std::env::var_os("MANYWIRE_SUITES") else {
        eprintln!("skipped: no suites: MANYWIRE_SUITES is not set");
        return;
    };
    let folder = Path::new(&suites).join("payloads/wild");
    let mut documents = 0;
    for entry in std::fs::read_dir(folder).expect("a folder of documents") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let content = std::fs::read_to_string(&path).expect("a document");
            let name = path.display().to_string();
            let view = view(&text(&content));
            assert_eq!(view.failure, None, "{name}");
            check(&view, &name);
            documents += 1;
        }
    }
    assert!(documents > 10, "found {documents} documents");
}
