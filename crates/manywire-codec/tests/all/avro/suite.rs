//! Apache's own test data: known answers, container files, canonical forms and fingerprints. The
//! tests find them through `MANYWIRE_SUITES`; without it they report that they were skipped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use manywire_codec::Limits;
use manywire_codec::avro::Plan;
use manywire_shape::{Arena, Value, ValueSeed};
use serde_json::Value as Json;

use crate::support::read_avro;

fn suite() -> Option<PathBuf> {
    match std::env::var_os("MANYWIRE_SUITES") {
        Some(folder) => Some(Path::new(&folder).join("avro")),
        None => {
            println!("skipped: no suites");
            None
        }
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[test]
fn reads_and_writes_known_answers() {
    let Some(folder) = suite() else { return };
    let text = std::fs::read_to_string(folder.join("known_answers.json")).unwrap();
    let suite: Json = serde_json::from_str(&text).unwrap();
    let mut passed = 0;
    for (list, written) in [("cases", true), ("multi_block", false)] {
        for case in suite[list].as_array().unwrap() {
            let plan = Plan::new(&read_avro(&case["schema"].to_string()).unwrap()).unwrap();
            let bytes = hex(case["hex"].as_str().unwrap());
            let read: Json = plan.decode(&bytes).unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(read, case["value"], "{case}");
            let mut out = Vec::new();
            plan.encode(&case["value"], &mut out).unwrap();
            assert_eq!(out == bytes, written, "{case}");
            passed += 1;
        }
    }
    println!("known answers: {passed} passed, 0 failed, 0 skipped");
    assert_eq!(passed, 25);
}

/// An Avro file: its header and its decompressed blocks.
struct Container {
    plan: Plan,
    blocks: Vec<(u64, Vec<u8>)>,
}

const HEADER: &str = r#"{"type": "record", "name": "Header", "fields": [
    {"name": "magic", "type": {"type": "fixed", "name": "Magic", "size": 4}},
    {"name": "meta", "type": {"type": "map", "values": "bytes"}},
    {"name": "sync", "type": {"type": "fixed", "name": "Sync", "size": 16}}]}"#;

/// Reads a datum of unknown length from the front, by trying one more byte at a time.
fn front<'a>(plan: &'a Plan, bytes: &'a [u8], arena: &'a Arena) -> Option<(Value<'a>, usize)> {
    (0..=bytes.len()).find_map(|end| {
        let mut seed = ValueSeed::new(arena);
        let value = plan.decode_seed(&mut seed, &bytes[..end], Limits::DEFAULT).ok()?;
        Some((value, end))
    })
}

impl Container {
    fn read(bytes: &[u8]) -> Result<Container, String> {
        let header = Plan::new(&read_avro(HEADER).unwrap()).unwrap();
        let long = Plan::new(&read_avro("\"long\"").unwrap()).unwrap();
        let arena = Arena::new();
        let (value, mut at) = front(&header, bytes, &arena).ok_or("no header")?;
        let meta: BTreeMap<&str, &[u8]> = match value.get("meta") {
            Some(Value::Map(entries)) => entries
                .iter()
                .filter_map(|entry| match entry {
                    (Value::Str(key), Value::Bytes(value)) => Some((*key, *value)),
                    _ => None,
                })
                .collect(),
            _ => return Err("no metadata".to_owned()),
        };
        let schema = meta.get("avro.schema").ok_or("no schema")?;
        let schema = std::str::from_utf8(schema).map_err(|error| error.to_string())?;
        let schema = read_avro(schema).map_err(|error| error.to_string())?;
        let codec = meta.get("avro.codec").copied().unwrap_or(b"null");
        let mut blocks = Vec::new();
        while at < bytes.len() {
            let mut number = || -> Result<u64, String> {
                let (value, len) = front(&long, &bytes[at..], &arena).ok_or("no number")?;
                at += len;
                match value {
                    Value::I64(number) => u64::try_from(number).map_err(|e| e.to_string()),
                    other => Err(format!("{other:?} is no count")),
                }
            };
            let (count, size) = (number()?, number()? as usize);
            let block = bytes.get(at..at + size).ok_or("a block is cut short")?;
            at += size + 16;
            let Some(Value::Bytes(marker)) = value.get("sync") else {
                return Err("no sync".into());
            };
            if bytes.get(at - 16..at) != Some(marker) {
                return Err("a block does not end with the marker".to_owned());
            }
            blocks.push((
                count,
                match codec {
                    b"null" => block.to_vec(),
                    b"deflate" => miniz_oxide::inflate::decompress_to_vec(block)
                        .map_err(|error| error.to_string())?,
                    other => return Err(format!("codec {}", String::from_utf8_lossy(other))),
                },
            ));
        }
        Ok(Container { plan: Plan::new(&schema).map_err(|e| e.to_string())?, blocks })
    }

    /// Reads every datum and writes it again. A block holds its items one after the other, as an
    /// array's block does, so a plan of the array reads the whole block.
    fn round_trip(&self, arena: &Arena) -> Result<u64, String> {
        let mut total = 0;
        for (count, block) in &self.blocks {
            let mut rest = &block[..];
            for _ in 0..*count {
                let (value, len) = front(&self.plan, rest, arena).ok_or("no datum")?;
                let mut again = Vec::new();
                self.plan.encode(&value, &mut again).map_err(|error| error.to_string())?;
                let mut seed = ValueSeed::new(arena);
                let back = self.plan.decode_seed(&mut seed, &again, Limits::DEFAULT);
                if back.map_err(|error| error.to_string())? != value {
                    return Err(format!("{value:?} came back as something else"));
                }
                rest = &rest[len..];
                total += 1;
            }
            if !rest.is_empty() {
                return Err(format!("{} bytes left over in a block", rest.len()));
            }
        }
        Ok(total)
    }
}

#[test]
fn round_trips_container_files() {
    let Some(folder) = suite() else { return };
    // The names that are invalid, and those out of scope with the reason.
    let refused =
        ["c_tests/avro-1237-bad-union-discriminant.avro", "c_tests/avro-1238-truncated.avro"];
    let skipped = [
        ("data/weather-snappy.avro", "compressed with snappy"),
        ("data/weather-zstd.avro", "compressed with zstandard"),
        ("data/test.avro12", "of a container before version 1, whose header has no map"),
    ];
    let files = [
        ("c_tests/avro-1237-good.avro", 2),
        ("c_tests/avro-1238-good.avro", 2),
        ("c_tests/avro-1279-codec.avro", 3),
        ("c_tests/avro-1279-no-codec.avro", 3),
        ("data/person-10.avro", 10),
        ("data/schemas/simple/data.avro", 3),
        ("data/schemas/withUnion/data.avro", 3),
        ("data/syncInMeta.avro", 6001),
        ("data/weather-deflate.avro", 5),
        ("data/weather-sorted.avro", 5),
        ("data/weather.avro", 5),
    ];
    let mut failures = Vec::new();
    let mut passed = 0;
    for (name, expected) in files {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let arena = Arena::new();
        match Container::read(&bytes).and_then(|file| file.round_trip(&arena)) {
            Ok(count) if count == expected => passed += 1,
            other => failures.push(format!("{name}: {other:?}")),
        }
    }
    for name in refused {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let arena = Arena::new();
        match Container::read(&bytes).and_then(|file| file.round_trip(&arena)) {
            Ok(count) => failures.push(format!("{name} was read, {count}")),
            Err(_) => passed += 1,
        }
    }
    for (name, reason) in skipped {
        println!("skipped: {name}, {reason}");
    }
    println!("containers: {passed} passed, {} failed, {} skipped", failures.len(), skipped.len());
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Checks the blocks of `schema-tests.txt`: a schema, its canonical form, and optionally its
/// fingerprint.
#[test]
fn writes_canonical_forms_and_fingerprints() {
    let Some(folder) = suite() else { return };
    let text = std::fs::read_to_string(folder.join("data/schema-tests.txt")).unwrap();
    let (mut input, mut passed, mut failures) = (String::new(), 0, Vec::new());
    let mut lines = text.lines();
    let mut schema = None;
    let mut skipped = 0;
    while let Some(line) = lines.next() {
        let Some(line) = line.strip_prefix("<<") else { continue };
        let (keyword, value) = match line.split_once(' ') {
            Some((keyword, value)) => (keyword, value.trim().to_owned()),
            // A text of several lines ends with its keyword.
            None => (line, lines.by_ref().take_while(|&next| next != line).collect()),
        };
        match keyword {
            "INPUT" => {
                schema = Some(read_avro(&value));
                input = value;
            }
            "canonical" | "fingerprint" => {
                if value == "[]" || input.replace(' ', "") == "[]" {
                    println!("skipped: {keyword} of a union without branches, which has no value");
                    skipped += 1;
                    continue;
                }
                let Some(Ok(schema)) = &schema else {
                    failures.push(format!("{input}: {schema:?}"));
                    continue;
                };
                let ours = match keyword {
                    "canonical" => schema.canonical(),
                    _ => schema.fingerprint().cast_signed().to_string(),
                };
                if ours == value {
                    passed += 1;
                } else {
                    failures.push(format!("{input}: {ours}, expected {value}"));
                }
            }
            other => failures.push(format!("what is {other}?")),
        }
    }
    println!("canonical forms: {passed} passed, {} failed, {skipped} skipped", failures.len());
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(passed > 40);
}
