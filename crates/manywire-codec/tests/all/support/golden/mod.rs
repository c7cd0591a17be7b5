//! Reads the golden vectors of `vectors/`, as its README describes them.

pub(crate) mod notation;

use std::path::{Path, PathBuf};

use manywire_shape::{Arena, Value, ValueSeed};
use serde::de::DeserializeSeed;

/// A file of vectors.
#[derive(Debug)]
pub(crate) struct File<'a> {
    pub(crate) name: String,
    pub(crate) schema: Option<&'a str>,
    pub(crate) vectors: Vec<Vector<'a>>,
}

/// One vector.
#[derive(Debug)]
pub(crate) struct Vector<'a> {
    pub(crate) name: &'a str,
    pub(crate) schema: Option<&'a str>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) meaning: Meaning<'a>,
}

/// The meaning of a vector's bytes.
#[derive(Debug)]
pub(crate) enum Meaning<'a> {
    /// This value. `written` is true if writing it gives the bytes.
    Value { value: Value<'a>, written: bool },
    /// An error with this category at this byte.
    Error { category: &'a str, offset: Option<usize> },
}

/// Returns the folder of all vectors.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors")
}

/// Returns the vectors of a format, file by file, sorted by name.
pub(crate) fn files<'a>(format: &str, arena: &'a Arena) -> Vec<File<'a>> {
    let folder = folder().join(format);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| file(format, path, arena)).collect()
}

fn file<'a>(format: &str, path: &Path, arena: &'a Arena) -> File<'a> {
    let text = arena.alloc_str(&std::fs::read_to_string(path).unwrap());
    let mut json = serde_json::Deserializer::from_str(text);
    let whole = ValueSeed::new(arena)
        .deserialize(&mut json)
        .and_then(|whole| json.end().map(|()| whole))
        .unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    assert_eq!(text_of(whole, "format"), Some(format), "{path:?}");
    assert!(text_of(whole, "specification").is_some(), "{path:?} names no specification");
    let Some(Value::Array(vectors)) = whole.get("vectors") else { panic!("{path:?}: no vectors") };
    let vectors: Vec<_> = vectors.iter().map(|vector| Vector::new(*vector, arena)).collect();
    for (index, vector) in vectors.iter().enumerate() {
        let twice = vectors[..index].iter().any(|other| other.name == vector.name);
        assert!(!twice, "{path:?} has two vectors called {:?}", vector.name);
    }
    File { name, schema: text_of(whole, "schema"), vectors }
}

impl<'a> Vector<'a> {
    fn new(vector: Value<'a>, arena: &'a Arena) -> Self {
        let name = text_of(vector, "name").unwrap_or_else(|| panic!("no name: {vector:?}"));
        assert!(text_of(vector, "clause").is_some(), "{name} names no clause");
        let bytes = match (text_of(vector, "hex"), text_of(vector, "text")) {
            (Some(hex), None) => notation::bytes(hex),
            (None, Some(text)) => text.as_bytes().to_vec(),
            _ => panic!("{name} must have hex or text"),
        };
        let meaning = match (vector.get("value"), vector.get("error")) {
            (Some(value), None) => Meaning::Value {
                value: notation::value(value, arena),
                written: vector.get("read_only") != Some(Value::Bool(true)),
            },
            (None, Some(Value::Str(category))) => Meaning::Error {
                category,
                offset: match vector.get("offset") {
                    Some(Value::I64(offset)) => Some(offset.try_into().unwrap()),
                    _ => None,
                },
            },
            _ => panic!("{name} must have a value or an error"),
        };
        Vector { name, schema: text_of(vector, "schema"), bytes, meaning }
    }
}

fn text_of<'a>(map: Value<'a>, key: &str) -> Option<&'a str> {
    match map.get(key) {
        Some(Value::Str(text)) => Some(text),
        _ => None,
    }
}
