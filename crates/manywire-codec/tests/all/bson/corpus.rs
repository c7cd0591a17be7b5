//! MongoDB's BSON corpus: every valid document is written back byte for byte and equals its
//! Extended JSON, every malformed one is rejected.

use std::path::Path;
use std::{env, fs};

use manywire_codec::{Category, Limits, bson};
use manywire_format::Format;
use manywire_shape::{Arena, Value, ValueSeed};
use serde_json::Value as Json;

use crate::support::bson_reference::extended_json;

/// Documents that are written back in another form, each with the reason.
const NOT_BYTE_FOR_BYTE: &[(&str, &str, &str)] = &[
    ("int64", "-1", NARROWED),
    ("int64", "0", NARROWED),
    ("int64", "1", NARROWED),
    ("multi-type", "All BSON types", NARROWED),
    ("multi-type-deprecated", "All BSON types", NARROWED),
];

/// Written back with another width: a `Value` has no widths, and integers that fit are int32, as in
/// every driver for untyped data.
const NARROWED: &str = "holds an int64 that fits int32";

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
    let mut seed = ValueSeed::new(arena);
    bson::from_slice_seed(&mut seed, bytes, bson::TopLevel::Document, Limits::DEFAULT)
}

/// Returns Extended JSON with int64 as int32 if it fits, and with members in one order.
fn narrowed(mut json: Json) -> Json {
    match &mut json {
        Json::Object(members) => {
            if let (1, Some(Json::String(text))) = (members.len(), members.get("$numberLong"))
                && text.parse::<i32>().is_ok()
            {
                return serde_json::json!({"$numberInt": text});
            }
            // The text of a double depends on its writer.
            if let (1, Some(Json::String(text))) = (members.len(), members.get("$numberDouble"))
                && let Ok(number) = text.parse::<f64>()
            {
                return serde_json::json!({"double": number.to_string()});
            }
            // The milliseconds of a time are always int64.
            if members.contains_key("$date") {
                return json;
            }
            members.values_mut().for_each(|value| *value = narrowed(value.take()));
        }
        Json::Array(items) => items.iter_mut().for_each(|item| *item = narrowed(item.take())),
        _ => {}
    }
    json
}

#[test]
fn round_trips_valid_documents_byte_for_byte() {
    let Some(suites) = suites() else { return };
    let (mut same, mut canonicalised) = (0, 0);
    let mut excepted = Vec::new();
    for suite in &suites {
        for case in suite.of("valid") {
            let description = case["description"].as_str().expect("a description");
            let label = format!("{}: {description}", suite.name);
            let canonical = bytes(case, "canonical_bson").expect("bytes");
            let arena = Arena::new();
            let value = decode(&canonical, &arena).unwrap_or_else(|e| panic!("{label}: {e}"));
            let written = bson::to_vec(&value).unwrap_or_else(|e| panic!("{label}: {e}"));
            assert_eq!(decode(&written, &arena).expect("our own"), value, "{label}");
            match NOT_BYTE_FOR_BYTE.iter().find(|row| (row.0, row.1) == (&suite.name, description))
            {
                Some((_, _, reason)) => {
                    assert_ne!(written, canonical, "{label} does come back as it was");
                    excepted.push(format!("{label}: {reason}"));
                }
                None => {
                    assert_eq!(written, canonical, "{label}");
                    same += 1;
                }
            }
            if let Some(degenerate) = bytes(case, "degenerate_bson") {
                let value = decode(&degenerate, &arena).unwrap_or_else(|e| panic!("{label}: {e}"));
                assert_eq!(bson::to_vec(&value).expect("a value"), canonical, "{label}");
                canonicalised += 1;
            }
            let text = case["canonical_extjson"].as_str().expect("Extended JSON");
            let expected: Json = serde_json::from_str(text).expect("JSON");
            assert_eq!(narrowed(extended_json(&value)), narrowed(expected), "{label}");
        }
    }
    println!(
        "BSON corpus, valid: {same} byte for byte, {} with the same value only, 0 failed; \
         {canonicalised} degenerate ones written canonically; all compared with Extended JSON",
        excepted.len()
    );
    excepted.iter().for_each(|line| println!("  {line}"));
    assert_eq!(excepted.len(), NOT_BYTE_FOR_BYTE.len(), "an exception without a case");
    assert_eq!(same + excepted.len(), 728);
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
