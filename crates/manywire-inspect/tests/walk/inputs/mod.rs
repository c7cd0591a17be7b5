//! Inputs for walks: the golden vectors and the external suites.

mod schema;
mod suites;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use manywire_format::Format;
use serde_json::Value as Json;

pub(crate) use schema::{Known, read_avro};
pub(crate) use suites::{appendix_a, avro_files, suites};

/// Bytes, and their validity in their format.
pub(crate) struct Input {
    pub(crate) label: String,
    pub(crate) format: Format,
    pub(crate) bytes: Vec<u8>,
    /// `None` if the reader may decide.
    pub(crate) valid: Option<bool>,
    /// The category and the offset of the error, if the vector has them.
    pub(crate) error: Option<(String, Option<usize>)>,
    pub(crate) schema: Option<Rc<Known>>,
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

/// Decodes hex with spaces, dashes and `(61)*256`, as described in `vectors/README.md`.
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

/// The formats with vectors.
pub(crate) fn formats() -> Vec<Format> {
    // Records as arrays have the bytes of MessagePack.
    Format::ALL.into_iter().filter(|format| *format != Format::MsgPackArray).collect()
}

/// Returns the golden vectors of a format.
pub(crate) fn vectors(format: Format) -> Vec<Input> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(format.name());
    let mut inputs = Vec::new();
    for path in files(&folder) {
        let file = json(&path);
        for vector in file["vectors"].as_array().expect("vectors") {
            let text = |key: &str| vector[key].as_str();
            let bytes = match (text("hex"), text("text")) {
                (Some(hex), _) => bytes(hex),
                (None, Some(text)) => text.as_bytes().to_vec(),
                (None, None) => panic!("{path:?}: a vector without bytes"),
            };
            let offset = vector["offset"].as_u64().map(|offset| offset as usize);
            let schema = text("schema").or(file["schema"].as_str());
            inputs.push(Input {
                label: format!("{format} vector: {}", text("name").expect("a name")),
                format,
                bytes,
                valid: Some(text("error").is_none()),
                error: text("error").map(|category| (category.to_owned(), offset)),
                schema: schema.map(|text| Rc::new(Known::first_message(text))),
            });
        }
    }
    inputs
}
