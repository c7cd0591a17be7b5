//! The examples of RFC 8949: Appendix A is read as specified, Appendix F is rejected.

use std::path::Path;

use manywire_codec::cbor::{self, Options, Serializer};
use manywire_codec::{Category, Limits, Result};
use manywire_format::Format;
use manywire_shape::{Arena, Space, Value, ValueSeed};
use serde::de::IgnoredAny;

/// Returns the cases of a file of the suites, or `None` without suites.
fn cases(name: &str) -> Option<Vec<serde_json::Value>> {
    let Some(suites) = std::env::var_os("MANYWIRE_SUITES") else {
        println!("skipped: no suites");
        return None;
    };
    let text = std::fs::read(Path::new(&suites).join("cbor").join(name)).expect("the suite");
    let mut file: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    match file["cases"].take() {
        serde_json::Value::Array(cases) => Some(cases),
        other => panic!("no cases: {other}"),
    }
}

fn text<'c>(case: &'c serde_json::Value, member: &str) -> &'c str {
    case[member].as_str().expect("text")
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
    (0..hex.len()).step_by(2).map(digits).collect()
}

fn read<'a>(bytes: &'a [u8], arena: &'a Arena) -> Result<Value<'a>> {
    cbor::from_slice_seed(&mut ValueSeed::new(arena), bytes, Limits::DEFAULT)
}

/// Formats a value in diagnostic notation (RFC 8949, section 8) without the marks for indefinite
/// lengths.
fn diagnostic(value: Value<'_>) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::I64(value) | Value::Long(value) => value.to_string(),
        Value::U64(value) => value.to_string(),
        Value::Number(text) => text.into(),
        Value::F32(value) if value.is_nan() => "NaN".into(),
        Value::F32(value) => format!("{:?}", f64::from(value)).replace("inf", "Infinity"),
        Value::F64(value) => format!("{value:?}").replace("inf", "Infinity"),
        Value::Str(text) => format!("{text:?}"),
        Value::Bytes(bytes) => {
            format!("h'{}'", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
        Value::Array(items) => {
            format!("[{}]", list(items.iter().copied().map(diagnostic).collect()))
        }
        Value::Map(entries) => {
            let entry = |&(key, value)| format!("{}: {}", diagnostic(key), diagnostic(value));
            format!("{{{}}}", list(entries.iter().map(entry).collect()))
        }
        Value::Timestamp(time) if time.nanoseconds == 0 => format!("1({})", time.seconds),
        Value::Timestamp(time) => {
            format!("1001({{1: {}, -9: {}}})", time.seconds, time.nanoseconds)
        }
        Value::Ext(ext) => match (ext.space, ext.code) {
            (Space::CborTag, code) => format!("{code}({})", diagnostic(ext.content)),
            (Space::CborSimple, 23) => "undefined".into(),
            (Space::CborSimple, code) => format!("simple({code})"),
            other => panic!("not of CBOR: {other:?}"),
        },
    }
}

/// Normalises the suite's notation: floats as Rust writes them, characters instead of escapes,
/// strings in one piece, no marks.
fn normalized(text: &str) -> String {
    match text {
        "(_ h'0102', h'030405')" => return "h'0102030405'".into(),
        "(_ \"strea\", \"ming\")" => return "\"streaming\"".into(),
        _ if text.starts_with('"') => {
            return format!("{:?}", serde_json::from_str::<String>(text).expect("a JSON string"));
        }
        _ => {}
    }
    match text.parse::<f64>() {
        Ok(float) if text.contains(['.', 'N', 'I']) => {
            format!("{float:?}").replace("inf", "Infinity")
        }
        _ => text.replace("_ ", ""),
    }
}

/// The examples of Appendix A that are longer than necessary.
const NOT_SHORTEST: [&str; 6] = [
    "fa7f800000",
    "fa7fc00000",
    "faff800000",
    "fb7ff0000000000000",
    "fb7ff8000000000000",
    "fbfff0000000000000",
];

#[test]
fn reads_appendix_a() {
    let Some(cases) = cases("rfc8949_appendix_a.json") else { return };
    let mut written = 0;
    for case in &cases {
        let (hex, expected) = (text(case, "hex"), text(case, "diagnostic"));
        let (bytes, arena) = (bytes(hex), Arena::new());
        let value = read(&bytes, &arena).unwrap_or_else(|error| panic!("{hex}: {error}"));
        assert_eq!(diagnostic(value), normalized(expected), "{hex}");
        cbor::from_slice::<IgnoredAny>(&bytes).unwrap_or_else(|error| panic!("{hex}: {error}"));

        let mut out = Vec::new();
        let options = Options::default().with_shortest_floats(true);
        Serializer::new(&mut out).with_options(options).write(&value).expect(hex);
        let same = out == bytes;
        let shortest = !expected.contains('_') && !NOT_SHORTEST.contains(&hex);
        assert_eq!(same, shortest, "{hex}: wrote {out:02x?}");
        written += usize::from(same);
        // A value of any width is read back the same from our own encoding.
        let again = cbor::to_vec(&value).expect(hex);
        assert_eq!(read(&again, &Arena::new()).expect(hex), value, "{hex}");
    }
    println!(
        "RFC 8949 Appendix A: {} passed, 0 failed, 0 skipped; {written} written byte for byte",
        cases.len()
    );
    assert_eq!(cases.len(), 81);
}

/// Malformed in two ways: too few bytes for the claimed entries, and a break among them. We report
/// the first.
const TOO_SHORT_AT_ONCE: [&str; 2] = ["a1ff", "a20000ff"];

#[test]
fn rejects_appendix_f() {
    let Some(cases) = cases("rfc8949_appendix_f_malformed.json") else { return };
    for case in &cases {
        let (hex, kind) = (text(case, "hex"), text(case, "kind"));
        let bytes = bytes(hex);
        let expected = match kind {
            "too little data" => Category::Eof,
            _ if TOO_SHORT_AT_ONCE.contains(&hex) => Category::Eof,
            _ => Category::Syntax,
        };
        let arena = Arena::new();
        let read = read(&bytes, &arena).map(drop).expect_err(hex);
        let skipped = cbor::from_slice::<IgnoredAny>(&bytes).map(drop).expect_err(hex);
        for error in [&read, &skipped] {
            assert_eq!(error.category(), expected, "{hex}, {kind}: {error}");
            assert_eq!(error.format(), Some(Format::Cbor), "{hex}");
            assert!(error.offset().is_some_and(|offset| offset <= bytes.len()), "{hex}: {error}");
        }
        assert_eq!(read.offset(), skipped.offset(), "{hex}: {read} / {skipped}");
    }
    println!("RFC 8949 Appendix F: {} refused, 0 accepted, 0 skipped", cases.len());
    assert_eq!(cases.len(), 94);
}
