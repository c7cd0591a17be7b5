//! The external suites through codec and walker, and their table in `docs/conformance.md`.
//!
//! `MANYWIRE_WRITE=1 cargo test -p manywire-properties --test all conformance` writes the table. It
//! fails without the suites, because the table would be incomplete.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use manywire_codec::avro::container::MAGIC;
use manywire_codec::{Limits, avro, protobuf, read_value};
use manywire_format::{Form, Format};
use manywire_inspect::{Options, Schema, walk};
use manywire_properties::inputs::{self, Input};
use manywire_shape::{Arena, ValueSeed};
use manywire_tools::payload::{Halt, Input as Payload, InputError, Item, Source, Take};
use sha2::{Digest, Sha256};

/// The counts of one suite.
#[derive(Default)]
struct Tally {
    accepted: usize,
    refused: usize,
    either: usize,
    prefixes: usize,
    walked: usize,
    out_of_scope: BTreeMap<&'static str, usize>,
}

/// The suites in the order of the table, with the files that they consist of.
const SUITES: [(&str, &str); 9] = [
    ("JSONTestSuite", "json/JSONTestSuite"),
    ("RFC 8949, Appendix A", "cbor/rfc8949_appendix_a.json"),
    ("RFC 8949, Appendix F", "cbor/rfc8949_appendix_f_malformed.json"),
    ("msgpack-test-suite", "msgpack/msgpack-test-suite.json"),
    ("BSON corpus", "bson/bson-corpus"),
    ("proto3 conformance", "protobuf/conformance"),
    ("Avro known answers", "avro/known_answers.json"),
    ("Avro files of the C tests", "avro/c_tests"),
    ("Avro files of all languages", "avro/data"),
];

/// The reader of a case: the codec with the schema of the case, and the schema for the walker.
enum Reader {
    /// JSON, MessagePack, CBOR, BSON.
    SelfDescribing,
    /// An Avro file with its own schema.
    File,
    Protobuf(manywire_shape::proto::Schema, Box<protobuf::Plan>),
    Avro(manywire_shape::avro::Schema, Box<avro::Plan>),
}

/// The parsed schemas by their text or the name of their message.
struct Readers {
    proto: String,
    known: BTreeMap<String, Reader>,
}

#[test]
fn conformance_table_is_current() {
    let write = std::env::var_os("MANYWIRE_WRITE").is_some();
    let Some(root) = inputs::suites_folder() else {
        assert!(!write, "docs/conformance.md cannot be written without MANYWIRE_SUITES");
        println!("skipped: no suites");
        return;
    };
    let table = table(&root);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conformance.md");
    if write {
        std::fs::write(&path, &table).expect("docs/conformance.md is written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, table, "docs/conformance.md is out of date: run with MANYWIRE_WRITE=1");
}

fn table(root: &Path) -> String {
    let cases = inputs::suites(root);
    let mut readers = Readers::new(root);
    let mut text = String::from(INTRODUCTION);
    let mut notes = String::new();
    let mut sums = String::new();
    for (name, content) in SUITES {
        let mut tally = Tally::default();
        let of_suite: Vec<&Input> = cases.iter().filter(|input| input.source == name).collect();
        assert!(!of_suite.is_empty(), "no cases of {name}");
        of_suite.iter().for_each(|input| judge(input, &mut readers, &mut tally));
        let scope: usize = tally.out_of_scope.values().sum();
        writeln!(
            text,
            "| {name} | {} | {} | {} | {} | {} | {} | {scope} |",
            of_suite.len(),
            tally.accepted,
            tally.refused,
            tally.either,
            tally.prefixes,
            tally.walked,
        )
        .expect("text");
        for (reason, count) in &tally.out_of_scope {
            writeln!(notes, "- {name}, {count} cases: {reason}").expect("text");
        }
        let (files, sum) = checksum(&root.join(content));
        writeln!(sums, "| {name} | `{content}` | {files} | `{sum}` |").expect("text");
    }
    format!("{text}\n## Cases out of scope\n\n{notes}\n{VERSIONS}{sums}")
}

const INTRODUCTION: &str = "\
# Conformance

Written by `MANYWIRE_WRITE=1 cargo test -p manywire-properties --test all conformance`; a test fails if the table is out of date.

Each case goes through the codec and through the walker of its format, which share no code.
*Accepted* and *refused* are cases where the codec did as the suite says; any other result fails the test.
The values of accepted cases are checked in `crates/manywire-codec/tests/all/*/suite.rs` and `bson/corpus.rs`.
Avro files are read block by block with their own schema, and walked with it.
*Either* are cases that the suite leaves to the reader. *Prefixes* are strict prefixes of valid cases, all of which were refused.
*Walked* are cases where the walker found a fault exactly if the suite expects one.

| suite | cases | accepted | refused | either | prefixes | walked | out of scope |
|---|---|---|---|---|---|---|---|
";

const VERSIONS: &str = "\
## Versions

The suites have no version numbers, so the checksums identify the texts.
The checksum of a file is its SHA-256. The checksum of a folder is that of the lines `SHA-256  name` of its files, sorted by path, as `sha256sum` prints them.

| suite | files | number | SHA-256 |
|---|---|---|---|
";

/// Runs a case through codec and walker.
fn judge(input: &Input, readers: &mut Readers, tally: &mut Tally) {
    let label = format!("{}: {}", input.source, input.name);
    if input.source == "proto3 conformance" && input.format == Format::Json {
        let reason = "the input is protobuf's JSON mapping, which no codec reads";
        *tally.out_of_scope.entry(reason).or_default() += 1;
        return;
    }
    let reader = readers.of(input);
    if let (Reader::File, Err(error)) = (reader, file(input))
        && error.message.contains("compressed with")
    {
        let reason = "the blocks are compressed with an optional codec that is not supported";
        *tally.out_of_scope.entry(reason).or_default() += 1;
        return;
    }
    if matches!(reader, Reader::File) && !input.bytes.starts_with(&MAGIC) {
        let reason = "the file is in a format before version 1, which has no specification";
        *tally.out_of_scope.entry(reason).or_default() += 1;
        return;
    }
    let read = reader.reads(input);
    let faults = reader.faults(input);
    match input.valid {
        Some(valid) => assert_eq!(read, valid, "{label}: is the result of the codec"),
        None => tally.either += 1,
    }
    match input.valid {
        Some(true) => tally.accepted += 1,
        Some(false) => tally.refused += 1,
        None => {}
    }
    // A prefix of a number can be a number, and a prefix of a message a message.
    let whole = matches!(input.format, Format::MsgPack | Format::Cbor | Format::Bson);
    if whole && input.valid == Some(true) {
        for length in 0..input.bytes.len() {
            let prefix = Input { bytes: input.bytes[..length].to_vec(), ..input.clone() };
            assert!(!reader.reads(&prefix), "{label}: its first {length} bytes are read");
            assert!(reader.faults(&prefix) > 0, "{label}: its first {length} bytes are walked");
            tally.prefixes += 1;
        }
    }
    // Codec and walker must agree where the suite leaves the result open. The walker also accepts
    // messages whose values JSON cannot represent, such as times out of range.
    match input.valid {
        Some(valid) => assert_eq!(faults == 0, valid, "{label}: is the result of the walker"),
        None if input.format == Format::Protobuf => assert_eq!(faults, 0, "{label}"),
        None => assert_eq!(faults == 0, read, "{label}: codec and walker disagree"),
    }
    tally.walked += 1;
}

impl Readers {
    fn new(root: &Path) -> Self {
        let proto = root.join("protobuf/conformance/test_messages_proto3.proto");
        let proto = std::fs::read_to_string(proto).expect("the messages of the conformance cases");
        Readers { proto, known: BTreeMap::new() }
    }

    fn of(&mut self, input: &Input) -> &Reader {
        let Some(name) = &input.schema else {
            let is_file = input.format == Format::Avro;
            return if is_file { &Reader::File } else { &Reader::SelfDescribing };
        };
        if !self.known.contains_key(name) {
            let reader = match input.format {
                Format::Protobuf => {
                    let read = manywire_schema::read_proto("conformance", &self.proto, Some(name));
                    let schema = read.unwrap_or_else(|error| panic!("{error}")).0;
                    let plan = protobuf::Plan::new(&schema).expect("a plan");
                    Reader::Protobuf(schema, Box::new(plan))
                }
                _ => {
                    let read = manywire_schema::read_avro("known answer", name);
                    let schema = read.unwrap_or_else(|error| panic!("{error}")).0;
                    let plan = avro::Plan::new(&schema).expect("a plan");
                    Reader::Avro(schema, Box::new(plan))
                }
            };
            self.known.insert(name.clone(), reader);
        }
        &self.known[name]
    }
}

impl Reader {
    /// Returns true if the codec reads the bytes, every value of a file.
    fn reads(&self, input: &Input) -> bool {
        let arena = Arena::new();
        let mut seed = ValueSeed::new(&arena);
        match self {
            Reader::Protobuf(_, plan) => {
                plan.decode_seed(&mut seed, &input.bytes, Limits::DEFAULT).is_ok()
            }
            Reader::Avro(_, plan) => {
                plan.decode_seed(&mut seed, &input.bytes, Limits::DEFAULT).is_ok()
            }
            Reader::File => file(input).is_ok(),
            // The limit on depth is that of the walker, so that the result does not depend on
            // limits.
            Reader::SelfDescribing => {
                let limits = Limits::DEFAULT.with_depth(Options::DEFAULT.depth_max);
                read_value(input.format, &input.bytes, &arena, limits).is_ok()
            }
        }
    }

    /// Returns the number of faults that the walker finds.
    fn faults(&self, input: &Input) -> usize {
        let schema = match self {
            Reader::SelfDescribing | Reader::File => None,
            Reader::Protobuf(schema, _) => Some(Schema::Protobuf(schema)),
            Reader::Avro(schema, _) => Some(Schema::Avro(schema)),
        };
        let read_avro = |text: &str| match manywire_schema::read_avro("header", text) {
            Ok((schema, _)) => Ok(schema),
            Err(error) => Err(error.to_string()),
        };
        let options = Options { schema, read_avro: Some(read_avro), ..Options::DEFAULT };
        walk(input.format, &input.bytes, options, &mut |_| {}).faults
    }
}

/// Reads every value of an Avro file.
fn file(input: &Input) -> Result<(), InputError> {
    struct Count(u64);
    impl Take for Count {
        fn value(&mut self, _: Item<'_>) -> Result<(), Halt> {
            self.0 += 1;
            Ok(())
        }

        fn pause(&mut self) -> Result<(), Halt> {
            Ok(())
        }
    }
    let source = Source::of_bytes(&input.name, input.bytes.as_slice());
    let mut count = Count(0);
    Payload::open(&source, Form::of(Format::Avro), None)?.each(&mut count)?;
    assert!(count.0 > 0, "{}: no values", input.name);
    Ok(())
}

/// Returns the number of files and their checksum.
fn checksum(path: &Path) -> (usize, String) {
    let hex = |bytes: &[u8]| -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    if path.is_file() {
        return (1, hex(&std::fs::read(path).expect("a file")));
    }
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let line = |file: &PathBuf| {
        let name = file.strip_prefix(path).expect("below the folder").display();
        format!("{}  {name}\n", hex(&std::fs::read(file).expect("a file")))
    };
    let lines: String = files.iter().map(line).collect();
    (files.len(), hex(lines.as_bytes()))
}
