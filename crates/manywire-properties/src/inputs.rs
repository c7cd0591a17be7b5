//! Known inputs: the golden vectors and the external suites.

use std::path::{Path, PathBuf};

use manywire_format::{Format, SchemaNeeds};
use serde_json::Value as Json;

/// Bytes, and their validity by a specification or a suite.
#[derive(Clone, Debug)]
pub struct Input {
    /// The source of the input: a format's name for vectors, or a suite's name.
    pub source: &'static str,
    /// The name of the input within its source.
    pub name: String,
    /// The format to read the bytes in, even if they are invalid.
    pub format: Format,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// True if the bytes are valid; `None` if the reader may decide.
    pub valid: Option<bool>,
    /// The schema for the bytes: the text of an `.avsc`, or the name of a message.
    pub schema: Option<String>,
}

/// Returns the formats that need no schema.
pub fn self_describing() -> impl Iterator<Item = Format> {
    Format::ALL.into_iter().filter(|format| format.row().schema == SchemaNeeds::InBand)
}

/// Returns the folder of the external suites from `MANYWIRE_SUITES`, if this variable is set.
pub fn suites_folder() -> Option<PathBuf> {
    std::env::var_os("MANYWIRE_SUITES").map(PathBuf::from)
}

/// Returns every golden vector whose format needs no schema.
///
/// # Panics
/// Panics if the vectors do not match `vectors/README.md`.
pub fn vectors() -> Vec<Input> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors");
    let mut inputs = Vec::new();
    for format in self_describing() {
        for path in files(&root.join(format.name())) {
            for vector in list(&json(&path)["vectors"]) {
                let bytes = match vector["text"].as_str() {
                    Some(text) => text.as_bytes().to_vec(),
                    None => hex(text(vector, "hex")),
                };
                inputs.push(Input {
                    source: format.name(),
                    name: text(vector, "name").to_owned(),
                    format,
                    bytes,
                    valid: Some(vector["error"].is_null()),
                    schema: None,
                });
            }
        }
    }
    inputs
}

/// Returns every case of the external suites in this folder.
///
/// # Panics
/// Panics if a suite is missing or incomplete, because it would test nothing.
pub fn suites(root: &Path) -> Vec<Input> {
    let mut inputs = json_suite(root);
    inputs.extend(msgpack_suite(root));
    inputs.extend(cbor_suite(root, "rfc8949_appendix_a", "RFC 8949, Appendix A", true));
    inputs.extend(cbor_suite(root, "rfc8949_appendix_f_malformed", "RFC 8949, Appendix F", false));
    inputs.extend(bson_suite(root));
    inputs.extend(protobuf_suite(root));
    inputs.extend(avro_suite(root));
    inputs.extend(avro_files(root, "avro/c_tests", "Avro files of the C tests"));
    inputs.extend(avro_files(root, "avro/data", "Avro files of all languages"));
    inputs
}

fn json_suite(root: &Path) -> Vec<Input> {
    let of = |folder: &str, valid: fn(u8) -> Option<bool>| -> Vec<Input> {
        let paths = files(&root.join("json/JSONTestSuite").join(folder));
        let input = |path: &PathBuf| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            Input {
                source: "JSONTestSuite",
                valid: valid(name.as_bytes()[0]),
                name,
                format: Format::Json,
                bytes: std::fs::read(path).expect("a file"),
                schema: None,
            }
        };
        paths.iter().map(input).collect()
    };
    let parsing = of("test_parsing", |first| match first {
        b'y' => Some(true),
        b'n' => Some(false),
        _ => None,
    });
    [parsing, of("test_transform", |_| None)].concat()
}

fn msgpack_suite(root: &Path) -> Vec<Input> {
    let groups = json(&root.join("msgpack/msgpack-test-suite.json"));
    let mut inputs = Vec::new();
    for (group, cases) in groups.as_object().expect("groups") {
        for encoding in list(cases).iter().flat_map(|case| list(&case["msgpack"])) {
            let digits = encoding.as_str().expect("hex");
            inputs.push(Input {
                source: "msgpack-test-suite",
                name: format!("{group}: {digits}"),
                format: Format::MsgPack,
                bytes: hex(digits),
                valid: Some(true),
                schema: None,
            });
        }
    }
    inputs
}

fn cbor_suite(root: &Path, file: &str, source: &'static str, valid: bool) -> Vec<Input> {
    let cases = json(&root.join("cbor").join(file).with_extension("json"));
    let input = |case: &Json| {
        let digits = text(case, "hex");
        Input {
            source,
            name: digits.to_owned(),
            format: Format::Cbor,
            bytes: hex(digits),
            // RFC 8949 made this simple value invalid; older lists have it.
            valid: Some(valid && digits != "f818"),
            schema: None,
        }
    };
    list(&cases["cases"]).iter().map(input).collect()
}

fn bson_suite(root: &Path) -> Vec<Input> {
    let mut inputs = Vec::new();
    for path in files(&root.join("bson/bson-corpus")) {
        let corpus = json(&path);
        for (kind, key, valid) in
            [("valid", "canonical_bson", true), ("decodeErrors", "bson", false)]
        {
            for case in corpus[kind].as_array().into_iter().flatten() {
                inputs.push(Input {
                    source: "BSON corpus",
                    name: format!("{}: {}", text(&corpus, "description"), case["description"]),
                    format: Format::Bson,
                    bytes: hex(text(case, key)),
                    valid: Some(valid),
                    schema: None,
                });
            }
        }
    }
    inputs
}

fn protobuf_suite(root: &Path) -> Vec<Input> {
    let path = root.join("protobuf/conformance/cases_proto3.jsonl");
    let text_of_cases = std::fs::read_to_string(path).expect("the proto3 conformance cases");
    let cases = text_of_cases.lines().map(|line| serde_json::from_str(line).expect("a case"));
    let input = |case: Json| {
        let json_text = case["in_json"].as_str();
        let (format, bytes) = match case["in_protobuf_hex"].as_str() {
            Some(digits) => (Format::Protobuf, hex(digits)),
            None => (Format::Json, json_text.unwrap_or_default().as_bytes().to_vec()),
        };
        Input {
            source: "proto3 conformance",
            name: text(&case, "name").to_owned(),
            format,
            bytes,
            // A reader may reject values that JSON cannot represent.
            valid: match text(&case, "expect") {
                "ok" => Some(true),
                "parse_error" => Some(false),
                _ => None,
            },
            schema: case["message_type"].as_str().map(str::to_owned),
        }
    };
    cases.map(input).collect()
}

fn avro_suite(root: &Path) -> Vec<Input> {
    let answers = json(&root.join("avro/known_answers.json"));
    let cases = ["cases", "multi_block"].map(|key| list(&answers[key]).to_vec()).concat();
    let input = |case: &Json| Input {
        source: "Avro known answers",
        name: format!("{} {}", case["schema"], text(case, "hex")),
        format: Format::Avro,
        bytes: hex(text(case, "hex")),
        valid: Some(true),
        schema: Some(case["schema"].to_string()),
    };
    cases.iter().map(input).collect()
}

/// Returns object container files, which are valid unless their names say otherwise.
fn avro_files(root: &Path, folder: &str, source: &'static str) -> Vec<Input> {
    let entries = std::fs::read_dir(root.join(folder)).expect("a folder of Avro files");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|extension| extension == "avro" || extension == "avro12")
    });
    paths.sort();
    let input = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        Input {
            source,
            valid: Some(!name.contains("bad") && !name.contains("truncated")),
            name,
            format: Format::Avro,
            bytes: std::fs::read(path).expect("a file"),
            schema: None,
        }
    };
    paths.iter().map(input).collect()
}

/// Returns the JSON files of a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths
}

fn json(path: &Path) -> Json {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

fn list(json: &Json) -> &[Json] {
    json.as_array().expect("a list")
}

fn text<'j>(json: &'j Json, key: &str) -> &'j str {
    json[key].as_str().unwrap_or_else(|| panic!("no text {key} in {json}"))
}

/// Decodes hex with spaces, dashes and `(61)*256`, as described in `vectors/README.md`.
fn hex(digits: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = digits.trim_start_matches([' ', '-']);
    while !rest.is_empty() {
        if let Some(repeated) = rest.strip_prefix('(') {
            let (inner, after) = repeated.split_once(")*").expect("a repetition is (hex)*count");
            let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            let times = after[..end].parse().expect("a repetition has a count");
            bytes.extend(hex(inner).repeat(times));
            rest = &after[end..];
        } else {
            bytes.push(u8::from_str_radix(&rest[..2], 16).expect("bytes are two hex digits"));
            rest = &rest[2..];
        }
        rest = rest.trim_start_matches([' ', '-']);
    }
    bytes
}
