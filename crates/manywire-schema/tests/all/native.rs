//! The types of other languages: what is written of two shapes that have everything, and, for Rust,
//! that it compiles and decodes. `.ci/native` compiles the others.
//!
//! `MANYWIRE_BLESS=1 cargo test -p manywire-schema --test all native` writes the goldens anew.

use manywire_schema::native::{Options, TargetLanguage, write};
use manywire_shape::infer::Inference;
use manywire_shape::{Arena, Shape, ValueSeed};
use serde::de::DeserializeSeed;
use serde_json::Value as Json;

#[rustfmt::skip]
#[path = "../native/golden/kinds.rs"]
#[allow(dead_code, unreachable_pub)]
mod kinds;
#[rustfmt::skip]
#[path = "../native/golden/odd.rs"]
#[allow(dead_code, unreachable_pub)]
mod odd;

const ODD: &str = include_str!("../native/odd.json");
const KINDS: &str = include_str!("../native/kinds.ndjson");

/// The shape of a document, and that of a schema.
fn shapes() -> [(&'static str, Shape); 2] {
    let arena = Arena::new();
    let mut reader = serde_json::Deserializer::from_str(ODD);
    let value = ValueSeed::new(&arena).deserialize(&mut reader).expect("JSON");
    let mut inference = Inference::new();
    inference.add(&value);
    let schema = include_str!("../native/kinds.schema.json");
    let kinds = manywire_schema::read_json_schema("kinds.schema.json", schema).expect("a schema");
    [("odd", inference.shape()), ("kinds", kinds)]
}

#[test]
fn every_language_is_written_as_it_was() {
    let languages = [
        (TargetLanguage::Rust, "rs"),
        (TargetLanguage::Go, "go"),
        (TargetLanguage::TypeScript, "ts"),
        (TargetLanguage::Java, "java"),
        (TargetLanguage::Python, "py"),
    ];
    for (name, shape) in shapes() {
        for (target, extension) in languages {
            let options = Options { shaped: true, ..Options::default() };
            let source = write(&shape, target, &options);
            let path =
                format!("{}/tests/native/golden/{name}.{extension}", env!("CARGO_MANIFEST_DIR"));
            if std::env::var_os("MANYWIRE_BLESS").is_some() {
                std::fs::write(&path, &source.text).expect("a golden");
            }
            let golden = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(golden == source.text, "{path} is not what is written now:\n{}", source.text);
        }
    }
}

#[test]
fn rust_decodes_the_samples_and_writes_them_again() {
    let odd: odd::Root = serde_json::from_str(ODD).expect("what it was written for");
    let again = serde_json::to_value(&odd).expect("JSON");
    let document = serde_json::from_str(ODD).expect("JSON");
    assert_eq!(plain(again), plain(document));
    let mut lines = 0;
    for line in KINDS.lines() {
        let kinds: kinds::Kinds = serde_json::from_str(line).expect("what it was written for");
        let again = serde_json::to_string(&kinds).expect("JSON");
        let again: kinds::Kinds = serde_json::from_str(&again).expect("what was just written");
        assert_eq!(again, kinds);
        lines += 1;
    }
    assert_eq!(lines, 3);
    for (broken, whole) in [("\"small\": 200", "\"small\": 300"), ("\"dark green\"", "\"green\"")] {
        let line = KINDS.lines().next().expect("a line").replace(broken, whole);
        assert!(serde_json::from_str::<kinds::Kinds>(&line).is_err(), "{whole}");
    }
}

/// JSON without null members, which stand for absence where a field may be absent, and with one
/// notation for numbers.
fn plain(value: Json) -> Json {
    match value {
        Json::Object(members) => {
            let members = members.into_iter().filter(|(_, value)| !value.is_null());
            members.map(|(key, value)| (key, plain(value))).collect()
        }
        Json::Array(items) => items.into_iter().map(plain).collect(),
        Json::Number(number) if number.is_f64() => match number.as_f64() {
            Some(float) if float.fract() == 0.0 => Json::from(float as i64),
            _ => Json::Number(number),
        },
        other => other,
    }
}

/// What the written types derive is the shape that they were written from: numbers, layouts,
/// presence, order. Names that Rust has already got a number, and null is no option.
#[test]
fn the_types_have_the_shape_they_were_written_from() {
    let derived = [Shape::of_readable::<odd::Root>(), Shape::of_readable::<kinds::Kinds>()];
    for ((name, shape), derived) in shapes().into_iter().zip(derived) {
        let words = |shape: Shape| {
            let text = shape.to_string().replace("null?", "null");
            ["String", "Option", "Vec", "Box"]
                .into_iter()
                .fold(text, |text, name| text.replace(&format!("{name}2"), name))
        };
        let (written, derived) = (words(shape), words(derived));
        // The variants of sum types have types of their own in Rust, whatever they were.
        let lines = if name == "kinds" { 19 } else { written.lines().count() };
        assert!(derived.lines().count() >= lines, "{derived}");
        for (written, derived) in written.lines().zip(derived.lines()).take(lines) {
            // A field that may be absent is an option, and serde reads null into any option.
            let plain = |line: &str| match line.split_once("?: ") {
                Some(_) => line.trim_end_matches('?').replace("? #", " #"),
                None => line.to_owned(),
            };
            let (written, derived) = (plain(written), plain(derived));
            // The integers of a union come before its floats, and a nameless type that contains
            // itself has a name in Rust.
            if !written.contains("mixed:") && !written.contains("nested?:") {
                assert_eq!(derived, written, "{name}");
            }
        }
    }
}
