//! Inputs to walk: the golden vectors and the external suites.

use std::path::{Path, PathBuf};

use manywire_format::Format;
use serde_json::Value as Json;

/// Bytes, and whether they are a value of their format.
pub(crate) struct Input {
    pub(crate) label: String,
    pub(crate) format: Format,
    pub(crate) bytes: Vec<u8>,
    /// `None` where it is up to the reader.
    pub(crate) valid: Option<bool>,
    /// The category and the offset of the error, where the vector says so.
    pub(crate) error: Option<(String, Option<usize>)>,
}

fn json(path: &Path) -> Json {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// Bytes from hex with spaces, dashes and `(61)*256`, as `vectors/README.md` describes it.
pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = hex.trim_start_matches([' ', '-']);
    while !rest.is_empty() {
        if let Some(repeated) = rest.strip_prefix('(') {
            let (inner, after) = repeated.split_once(")*").expect("a repetition is (hex)*count");
            let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            let times = after[..digits].parse().expect("a repetition has a count");
            bytes.extend(self::bytes(inner).repeat(times));
            rest = &after[digits..];
        } else {
            bytes.push(u8::from_str_radix(&rest[..2], 16).expect("bytes are two hex digits"));
            rest = &rest[2..];
        }
        rest = rest.trim_start_matches([' ', '-']);
    }
    bytes
}

/// The formats whose vectors need no schema.
pub(crate) const FORMATS: [Format; 4] = [Format::Json, Format::MsgPack, Format::Cbor, Format::Bson];

/// The golden vectors of a format.
pub(crate) fn vectors(format: Format) -> Vec<Input> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(format.name());
    let mut inputs = Vec::new();
    for path in files(&folder) {
        for vector in json(&path)["vectors"].as_array().expect("vectors") {
            let text = |key: &str| vector[key].as_str();
            let bytes = match (text("hex"), text("text")) {
                (Some(hex), _) => bytes(hex),
                (None, Some(text)) => text.as_bytes().to_vec(),
                (None, None) => panic!("{path:?}: a vector without bytes"),
            };
            let offset = vector["offset"].as_u64().map(|offset| offset as usize);
            inputs.push(Input {
                label: format!("{format} vector: {}", text("name").expect("a name")),
                format,
                bytes,
                valid: Some(text("error").is_none()),
                error: text("error").map(|category| (category.to_owned(), offset)),
            });
        }
    }
    inputs
}

/// The folder of a suite; `None`, and a word about it, without suites.
fn suite(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("MANYWIRE_SUITES");
    if root.is_none() {
        println!("skipped: no suites");
    }
    root.map(|root| Path::new(&root).join(name))
}

/// The external suites of the formats that need no schema.
pub(crate) fn suites() -> Vec<Input> {
    let Some(root) = suite("") else { return Vec::new() };
    let mut inputs = Vec::new();
    let mut add = |label: String, format, bytes, valid| {
        inputs.push(Input { label, format, bytes, valid, error: None });
    };
    for path in files(&root.join("json/JSONTestSuite/test_parsing")) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let valid = match name.as_bytes()[0] {
            b'y' => Some(true),
            b'n' => Some(false),
            _ => None,
        };
        add(name, Format::Json, std::fs::read(&path).expect("a file"), valid);
    }
    let groups = json(&root.join("msgpack/msgpack-test-suite.json"));
    for (name, cases) in groups.as_object().expect("groups") {
        for case in cases.as_array().expect("cases") {
            for hex in case["msgpack"].as_array().expect("encodings") {
                let hex = hex.as_str().expect("hex");
                add(format!("{name}: {hex}"), Format::MsgPack, bytes(hex), Some(true));
            }
        }
    }
    let cbor = [("rfc8949_appendix_a", true), ("rfc8949_appendix_f_malformed", false)];
    for (name, valid) in cbor {
        let cases = json(&root.join(format!("cbor/{name}.json")));
        for case in cases["cases"].as_array().expect("cases") {
            let hex = case["hex"].as_str().expect("hex");
            // RFC 8949 takes this simple value back, which its examples still show.
            let valid = valid && hex != "f818";
            add(format!("{name}: {hex}"), Format::Cbor, bytes(hex), Some(valid));
        }
    }
    for path in files(&root.join("bson/bson-corpus")) {
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let corpus = json(&path);
        let cases = |kind: &str| corpus[kind].as_array().cloned().unwrap_or_default();
        for case in cases("valid") {
            let hex = case["canonical_bson"].as_str().expect("hex");
            add(format!("{path:?}: {}", case["description"]), Format::Bson, bytes(hex), Some(true));
        }
        for case in cases("decodeErrors") {
            let hex = case["bson"].as_str().expect("hex");
            let label = format!("{path:?}: {}", case["description"]);
            add(label, Format::Bson, bytes(hex), Some(false));
        }
    }
    inputs
}
