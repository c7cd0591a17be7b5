//! MongoDB's BSON corpus: every valid document is written back byte for byte and equals its
//! Extended JSON, every malformed one is rejected.

use std::path::Path;
use std::{env, fs};

use manywire_codec::{Category, Codec, Limits, bson, read_value, write_value};
use manywire_format::Format;
use manywire_shape::fidelity::losses;
use manywire_shape::infer::Inference;
use manywire_shape::{Arena, Value};
use serde_json::Value as Json;

use crate::support::bson_reference::extended_json;

struct Suite {
    name: String,
    cases: Json,
}

impl Suite {
    fn of(&self, kind: &str) -> &[Json] {
        self.cases[kind].as_array().map_or(&[], Vec::as_slice)
    }
}

fn suites() -> Option<Vec<Suite>> {
    let Some(root) = env::var_os("MANYWIRE_SUITES") else {
        println!("skipped: no suites");
        return None;
    };
    let folder = Path::new(&root).join("bson/bson-corpus");
    let mut suites: Vec<Suite> = fs::read_dir(folder)
        .expect("the corpus")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let cases = serde_json::from_slice(&fs::read(&path).expect("a file")).expect("JSON");
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            Suite { name, cases }
        })
        .collect();
    suites.sort_by(|left, right| left.name.cmp(&right.name));
    Some(suites)
}

fn bytes(case: &Json, key: &str) -> Option<Vec<u8>> {
    let hex = case.get(key)?.as_str().expect("hexadecimal");
    let digits = hex.as_bytes().chunks(2);
    Some(
        digits
            .map(|pair| {
                u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16).expect("digits")
            })
            .collect(),
    )
}

fn decode<'a>(bytes: &'a [u8], arena: &'a Arena) -> manywire_codec::Result<Value<'a>> {
    read_value(Format::Bson, bytes, arena, Limits::DEFAULT)
}

/// Returns Extended JSON with members in one order and doubles in one spelling.
fn normalised(mut json: Json) -> Json {
    match &mut json {
        Json::Object(members) => {
            // The text of a double depends on its writer.
            if let (1, Some(Json::String(text))) = (members.len(), members.get("$numberDouble"))
                && let Ok(number) = text.parse::<f64>()
            {
                return serde_json::json!({"double": number.to_string()});
            }
            members.values_mut().for_each(|value| *value = normalised(value.take()));
        }
        Json::Array(items) => items.iter_mut().for_each(|item| *item = normalised(item.take())),
        _ => {}
    }
    json
}

#[test]
fn round_trips_valid_documents_byte_for_byte() {
    let Some(suites) = suites() else { return };
    let (mut same, mut canonicalised) = (0, 0);
    for suite in &suites {
        for case in suite.of("valid") {
            let description = case["description"].as_str().expect("a description");
            let label = format!("{}: {description}", suite.name);
            let canonical = bytes(case, "canonical_bson").expect("bytes");
            let arena = Arena::new();
            let value = decode(&canonical, &arena).unwrap_or_else(|e| panic!("{label}: {e}"));
            let written = bson::to_vec(&value).unwrap_or_else(|e| panic!("{label}: {e}"));
            assert_eq!(decode(&written, &arena).expect("our own"), value, "{label}");
            assert_eq!(written, canonical, "{label}");
            same += 1;
            if let Some(degenerate) = bytes(case, "degenerate_bson") {
                let value = decode(&degenerate, &arena).unwrap_or_else(|e| panic!("{label}: {e}"));
                assert_eq!(bson::to_vec(&value).expect("a value"), canonical, "{label}");
                canonicalised += 1;
            }
            let text = case["canonical_extjson"].as_str().expect("Extended JSON");
            let expected: Json = serde_json::from_str(text).expect("JSON");
            assert_eq!(normalised(extended_json(&value)), normalised(expected), "{label}");
        }
    }
    println!(
        "BSON corpus, valid: {same} byte for byte, 0 failed; {canonicalised} degenerate ones \
         written canonically; all compared with Extended JSON"
    );
    assert_eq!(same, 728);
    assert_eq!(canonicalised, 4);
}

#[test]
fn rejects_malformed_documents_at_the_fault() {
    let Some(suites) = suites() else { return };
    let mut refused = 0;
    for suite in &suites {
        for case in suite.of("decodeErrors") {
            let label = format!("{}: {}", suite.name, case["description"]);
            let malformed = bytes(case, "bson").expect("bytes");
            let arena = Arena::new();
            let error = decode(&malformed, &arena).err().unwrap_or_else(|| panic!("{label}"));
            assert!(
                matches!(error.category(), Category::Syntax | Category::Eof),
                "{label}: {error}"
            );
            assert_eq!(error.format(), Some(Format::Bson), "{label}");
            assert!(error.offset().is_some_and(|at| at <= malformed.len()), "{label}: {error}");
            refused += 1;
        }
    }
    println!("BSON corpus, decode errors: {refused} refused, 0 failed, 0 skipped");
    assert_eq!(refused, 75);
}

/// An int64 that fits 32 bits stays one in BSON. Everywhere else it is the same integer.
#[test]
fn dynamic_integers_keep_their_width() {
    let document = b"\x1e\0\0\0\x10a\0\x01\0\0\0\x12b\0\x01\0\0\0\0\0\0\0\x10c\0\x02\0\0\0\0";
    let arena = Arena::new();
    let value = decode(document, &arena).expect("a document");
    assert_eq!(bson::to_vec(&value).expect("BSON"), document);
    let copy = Arena::new();
    assert_eq!(bson::to_vec(&value.copied(&copy)).expect("BSON"), document);

    let one = value.get("b").expect("an integer");
    assert!(matches!(one, Value::Long(1)), "{one:?}");
    assert_eq!(one, Value::I64(1));
    assert_eq!(one.as_i64(), Some(1));
    assert_eq!(value.get("a"), Some(one));
    for format in [Format::Json, Format::MsgPack, Format::Cbor] {
        let (mut long, mut plain) = (Vec::new(), Vec::new());
        write_value(format, &one, &mut long).expect("an integer");
        write_value(format, &Value::I64(1), &mut plain).expect("an integer");
        assert_eq!(long, plain, "{format}");
    }
    let shape = |value: &Value<'_>| {
        let mut inference = Inference::new();
        inference.add(value);
        inference.shape()
    };
    let shape_of_long = shape(&one);
    assert_eq!(shape_of_long.to_string(), shape(&Value::I64(1)).to_string());
    for format in [Format::MsgPackArray, Format::Protobuf, Format::Avro] {
        let codec = Codec::new(format, &shape_of_long).expect("an integer");
        let (mut long, mut plain) = (Vec::new(), Vec::new());
        codec.encode(&one, &mut long).expect("an integer");
        codec.encode(&Value::I64(1), &mut plain).expect("an integer");
        assert_eq!(long, plain, "{format}");
    }
    assert!(losses(&Value::Long(0), &Value::I64(0)).is_empty());
}
