//! Conversions from every form to every other: the output reads back as the input, or the
//! conversion is refused.

use std::collections::BTreeMap;
use std::path::Path;

use super::golden::Meaning;
use super::harness::{conversion, form, run};
use manywire_format::{FORMATS, FORMS, FormRow, Format};
use manywire_schema::Options;
use manywire_shape::Arena;
use manywire_shape::fidelity::{Losses, Tolerance, losses_beyond};
use manywire_tools::convert::{Conversion, SchemaLanguage};
use manywire_tools::payload::{LIMITS, Schema};

/// Formats that can represent any value in lossy mode.
const TAKES_ALL: [&str; 4] = ["json", "ndjson", "msgpack", "cbor"];

/// Counts the kept and the refused values for each pair of forms.
#[derive(Default)]
struct Tally(BTreeMap<(String, String), (u32, u32)>);

impl Tally {
    fn count(&mut self, from: &str, to: &str, kept: bool) {
        let entry = self.0.entry((from.to_owned(), to.to_owned())).or_default();
        if kept { entry.0 += 1 } else { entry.1 += 1 }
    }
}

#[test]
fn schemas_are_in_the_language_of_the_format_or_json_schema() {
    for row in FORMATS {
        let own = match row.format {
            Format::Protobuf => "proto",
            Format::Avro => "avsc",
            _ => "json",
        };
        assert_eq!(SchemaLanguage::describing(row.format).extension, own, "{}", row.name);
    }
}

/// Converts a value to every form and back.
fn everywhere(name: &str, from: &str, bytes: &[u8], schema: Option<&Schema>, tally: &mut Tally) {
    for row in FORMS {
        let to = row.name;
        let strict = Conversion { schema: schema.cloned(), ..conversion(bytes, from, to) };
        let there = run(&strict);
        let kept = there.outcome.failure.is_none();
        tally.count(from, to, kept);
        let lossy = run(&Conversion { lossy: true, ..strict });
        if !kept {
            // A conversion to the same format fails only for repeated keys, which readers treat
            // differently, and for fields that the schema does not have.
            let refusals = ["a duplicate key", "the schema has no field"];
            let may_fail = refusals.iter().any(|refusal| there.failure().contains(refusal));
            assert!(from != to || may_fail, "{name}: {}", there.failure());
            assert_eq!(there.outcome.values, 0, "{name}: {from} to {to}");
            if TAKES_ALL.contains(&to) {
                assert!(lossy.outcome.failure.is_none(), "{name} to {to}: {}", lossy.failure());
                assert!(!lossy.outcome.losses.is_empty(), "{name} to {to}: {}", there.failure());
            }
            continue;
        }
        // The sync markers of two Avro files differ.
        if to != "avro" {
            assert_eq!(lossy.bytes, there.bytes, "{name}: nothing to lose, {from} to {to}");
        }
        assert_eq!(lossy.lost(), [""; 0], "{name}: {from} to {to}");

        let schema = there.schema.or_else(|| schema.cloned());
        let back = Conversion { schema: schema.clone(), ..conversion(&there.bytes, to, from) };
        let back = run(&back);
        assert!(
            back.outcome.failure.is_none(),
            "{name}: {from} to {to} and back: {}",
            back.failure()
        );
        let what = format!("{name}: {from} to {to} and back");
        same(&what, from, bytes, &back.bytes, back.schema.as_ref());
        if from == "json" && row.form.needs_schema() {
            by_schema_text(name, bytes, row, &there.bytes, schema.as_ref().expect("a schema"));
        }
    }
}

/// Checks that the text of a schema, which is all that a reader has, gives back the JSON.
fn by_schema_text(name: &str, json: &[u8], row: &FormRow, bytes: &[u8], schema: &Schema) {
    let language = SchemaLanguage::describing(row.form.format);
    let file = format!("schema.{}", language.extension);
    let text = match language.text(schema, row.form.format) {
        Ok(text) => text,
        Err(error) => {
            assert!(error.to_string().contains("limit"), "{name}: {error}");
            return;
        }
    };
    let read = manywire_schema::read_bytes(&file, text.as_bytes(), &Options::default());
    let read = read.unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    let schema = Some(Schema::from(read));
    let back = run(&Conversion { schema, ..conversion(bytes, row.name, "json") });
    assert_eq!(back.failure(), "", "{name}: {} by its schema\n{text}", row.name);
    same(&format!("{name}: {} by its schema\n{text}", row.name), "json", json, &back.bytes, None);
}

/// Checks that two documents of a form hold the same value.
fn same(name: &str, from: &str, before: &[u8], after: &[u8], schema: Option<&Schema>) {
    let arena = Arena::new();
    let format = form(from).format;
    let codec = schema.map(|schema| schema.codec(format).expect("a codec"));
    let read = |bytes| match (&codec, format.row().schema) {
        (Some(codec), by) if by != manywire_format::SchemaNeeds::InBand => {
            codec.decode_with(bytes, &arena, LIMITS)
        }
        _ => manywire_codec::read_value(format, bytes, &arena, LIMITS),
    };
    let mut losses = Losses::default();
    let (before, after) = (read(before).expect(name), read(after).expect(name));
    let tolerance = Tolerance { numbers: true, ..Tolerance::default() };
    losses_beyond(tolerance, &before, &after, &mut losses);
    assert!(losses.is_empty(), "{name}: {:?}", losses.list());
}

#[test]
fn examples_survive_every_format_and_back() {
    let mut tally = Tally::default();
    for example in ["hotels", "people", "record-a", "user"] {
        let path = format!("{}/../../examples/{example}.json", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).expect("an example");
        everywhere(example, "json", &bytes, None, &mut tally);
        for row in FORMS.iter().filter(|row| !row.form.needs_schema()) {
            let there = run(&conversion(&bytes, "json", row.name));
            if there.outcome.failure.is_none() && row.name != "avro" {
                everywhere(example, row.name, &there.bytes, None, &mut tally);
            }
        }
    }
    // Every format accepts some documents.
    for to in FORMS {
        for from in ["json", "msgpack", "cbor", "bson"] {
            let (kept, _) = tally.0[&(from.to_owned(), to.name.to_owned())];
            assert!(kept >= 2, "{from} to {}: {kept}", to.name);
        }
    }
}

/// The size up to which documents of the suites are converted, in bytes.
const DOCUMENT_BYTES_MAX: u64 = 200_000;

#[test]
fn documents_of_suites_survive_every_format_or_are_refused() {
    let Some(root) = std::env::var_os("MANYWIRE_SUITES") else {
        println!("skipped: no suites");
        return;
    };
    let root = Path::new(&root);
    let mut folders = ["payloads", "avro/data", "bson", "json"].map(|it| root.join(it)).to_vec();
    let (mut tally, mut documents) = (Tally::default(), 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let is_small = || path.metadata().is_ok_and(|it| it.len() <= DOCUMENT_BYTES_MAX);
            // No format but JSON has a number near one with an exponent of a hundred digits.
            let is_beyond_all = path.ends_with("i_number_huge_exp.json");
            let is_json = path.extension().is_some_and(|extension| extension == "json");
            if !is_json || is_beyond_all || !is_small() {
                continue;
            }
            let bytes = std::fs::read(&path).expect("a document");
            let name = path.display().to_string();
            let arena = Arena::new();
            if manywire_codec::read_value(Format::Json, &bytes, &arena, LIMITS).is_ok() {
                everywhere(&name, "json", &bytes, None, &mut tally);
                documents += 1;
            }
        }
    }
    println!("{documents} documents: {:?}", tally.0);
    assert!(documents >= 100, "{documents} documents");
}

#[test]
fn golden_values_survive_every_format_or_are_refused() {
    let arena = Arena::new();
    let mut tally = Tally::default();
    for format in ["json", "msgpack", "cbor", "bson"] {
        for file in super::golden::files(format, &arena) {
            for vector in &file.vectors {
                if let Meaning::Value { .. } = vector.meaning {
                    let name = format!("{format}/{}: {}", file.name, vector.name);
                    everywhere(&name, format, &vector.bytes, None, &mut tally);
                }
            }
        }
    }
    for format in ["json", "msgpack", "cbor", "bson"] {
        for to in FORMS {
            let (kept, refused) = tally.0[&(format.to_owned(), to.name.to_owned())];
            assert!(kept >= 5, "{format} to {}: {kept} kept, {refused} refused", to.name);
        }
    }
}

#[test]
fn golden_values_of_a_schema_survive_every_format_or_are_refused() {
    let arena = Arena::new();
    let mut tally = Tally::default();
    for (format, from) in [("protobuf", "protobuf"), ("avro", "avro-datum")] {
        for file in super::golden::files(format, &arena) {
            for vector in &file.vectors {
                let Some(schema) = vector.schema.or(file.schema) else { continue };
                let Ok(document) = manywire_schema::read("schema", schema, None) else { continue };
                let Meaning::Value { .. } = vector.meaning else { continue };
                let name = format!("{format}/{}: {}", file.name, vector.name);
                let schema = Schema::from(document);
                everywhere(&name, from, &vector.bytes, Some(&schema), &mut tally);
            }
        }
        for to in FORMS {
            let (kept, refused) = tally.0[&(from.to_owned(), to.name.to_owned())];
            assert!(kept >= 5, "{from} to {}: {kept} kept, {refused} refused", to.name);
        }
    }
}
