//! The external suites.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use manywire_format::Format;

use super::{Input, Known, bytes, files, json};

/// Returns the folder of the suites. Prints a note and returns `None` without them.
fn root() -> Option<PathBuf> {
    let root = std::env::var_os("MANYWIRE_SUITES").map(PathBuf::from);
    if root.is_none() {
        println!("skipped: no suites");
    }
    root
}

/// Returns every case of every suite that is a single value.
pub(crate) fn suites() -> Vec<Input> {
    let Some(root) = root() else { return Vec::new() };
    [json_tests(&root), msgpack(&root), cbor(&root), bson(&root), protobuf(&root), avro(&root)]
        .concat_all()
}

/// Returns the container files of the Avro suites, complete and truncated.
pub(crate) fn avro_files() -> Vec<(PathBuf, Vec<u8>)> {
    let Some(root) = root() else { return Vec::new() };
    let folders =
        ["avro/data", "avro/c_tests", "avro/data/schemas/simple", "avro/data/schemas/withUnion"];
    let paths = folders.iter().flat_map(|folder| files(&root.join(folder)));
    let avro = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "avro" || extension == "avro12")
    };
    paths.filter(avro).map(|path| (path.clone(), std::fs::read(path).expect("a file"))).collect()
}

trait ConcatAll {
    fn concat_all(self) -> Vec<Input>;
}

impl<const N: usize> ConcatAll for [Vec<Input>; N] {
    fn concat_all(self) -> Vec<Input> {
        assert!(self.iter().all(|inputs| !inputs.is_empty()), "every suite has cases");
        self.into_iter().flatten().collect()
    }
}

fn input(label: String, format: Format, bytes: Vec<u8>, valid: Option<bool>) -> Input {
    Input { label, format, bytes, valid, error: None, schema: None }
}

fn json_tests(root: &Path) -> Vec<Input> {
    let case = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let valid = match name.as_bytes()[0] {
            b'y' => Some(true),
            b'n' => Some(false),
            _ => None,
        };
        input(name, Format::Json, std::fs::read(&path).expect("a file"), valid)
    };
    files(&root.join("json/JSONTestSuite/test_parsing")).into_iter().map(case).collect()
}

fn msgpack(root: &Path) -> Vec<Input> {
    let mut inputs = Vec::new();
    let groups = json(&root.join("msgpack/msgpack-test-suite.json"));
    for (name, cases) in groups.as_object().expect("groups") {
        for case in cases.as_array().expect("cases") {
            for hex in case["msgpack"].as_array().expect("encodings") {
                let hex = hex.as_str().expect("hex");
                let label = format!("{name}: {hex}");
                inputs.push(input(label, Format::MsgPack, bytes(hex), Some(true)));
            }
        }
    }
    inputs
}

fn cbor(root: &Path) -> Vec<Input> {
    let mut inputs = Vec::new();
    for (name, valid) in [("rfc8949_appendix_a", true), ("rfc8949_appendix_f_malformed", false)] {
        let cases = json(&root.join(format!("cbor/{name}.json")));
        for case in cases["cases"].as_array().expect("cases") {
            let hex = case["hex"].as_str().expect("hex");
            // RFC 8949 made this simple value invalid, but its examples still have it.
            let valid = valid && hex != "f818";
            let label = format!("{name}: {hex}");
            inputs.push(input(label, Format::Cbor, bytes(hex), Some(valid)));
        }
    }
    inputs
}

fn bson(root: &Path) -> Vec<Input> {
    let mut inputs = Vec::new();
    for path in files(&root.join("bson/bson-corpus")) {
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let corpus = json(&path);
        for (kind, member, valid) in
            [("valid", "canonical_bson", true), ("decodeErrors", "bson", false)]
        {
            for case in corpus[kind].as_array().into_iter().flatten() {
                let hex = case[member].as_str().expect("hex");
                let label = format!("{path:?}: {}", case["description"]);
                inputs.push(input(label, Format::Bson, bytes(hex), Some(valid)));
            }
        }
    }
    inputs
}

/// Returns the conformance cases with binary input. Their validity depends on the types, so they
/// use the schema of the suite.
fn protobuf(root: &Path) -> Vec<Input> {
    let folder = root.join("protobuf/conformance");
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
    let schema = Known::read(&text("test_messages_proto3.proto"), Some("TestAllTypesProto3"));
    let schema = Rc::new(schema);
    let mut inputs = Vec::new();
    for line in text("cases_proto3.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let Some(hex) = case["in_protobuf_hex"].as_str() else { continue };
        let label = case["name"].as_str().expect("a name").to_owned();
        let valid = Some(case["expect"] != "parse_error");
        let input = input(label, Format::Protobuf, bytes(hex), valid);
        inputs.push(Input { schema: Some(schema.clone()), ..input });
    }
    inputs
}

fn avro(root: &Path) -> Vec<Input> {
    let mut inputs = Vec::new();
    let answers = json(&root.join("avro/known_answers.json"));
    for case in answers["cases"].as_array().expect("cases") {
        let hex = case["hex"].as_str().expect("hex");
        let schema = Known::Avro(super::read_avro(&case["schema"].to_string()).expect("a schema"));
        let label = format!("avro known answer: {} {hex}", case["schema"]);
        let input = input(label, Format::Avro, bytes(hex), Some(true));
        inputs.push(Input { schema: Some(Rc::new(schema)), ..input });
    }
    for case in answers["multi_block"].as_array().into_iter().flatten() {
        let hex = case["hex"].as_str().expect("hex");
        let schema = Known::Avro(super::read_avro(&case["schema"].to_string()).expect("a schema"));
        let label = format!("avro blocks: {hex}");
        let input = input(label, Format::Avro, bytes(hex), Some(true));
        inputs.push(Input { schema: Some(Rc::new(schema)), ..input });
    }
    let folder = root.join("avro/data/messageV1");
    let schema = std::fs::read_to_string(folder.join("test_schema.avsc")).expect("a schema");
    let message = std::fs::read(folder.join("test_message.bin")).expect("a message");
    let input = input("avro single object".to_owned(), Format::Avro, message, Some(true));
    inputs.push(Input { schema: Some(Rc::new(Known::read(&schema, None))), ..input });
    inputs
}

/// Returns the examples of RFC 8949: hex and diagnostic notation.
pub(crate) fn appendix_a() -> Vec<(String, String)> {
    let Some(root) = root() else { return Vec::new() };
    let examples = json(&root.join("cbor/rfc8949_appendix_a.json"));
    let cases = examples["cases"].as_array().expect("cases");
    let text = |case: &serde_json::Value, member: &str| case[member].as_str().map(str::to_owned);
    let both = |case| Some((text(case, "hex")?, text(case, "diagnostic")?));
    cases.iter().filter_map(both).collect()
}
