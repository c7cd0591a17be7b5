//! Parts of the JSON answers that several questions share (`docs/shape.schema.json`).

use manywire_tools::payload::{InputError, InputPosition};
use serde_json::{Map, Value as Json};

/// Returns the JSON document with the answer to one question.
pub(super) fn document(question: &str, answer: Json) -> String {
    let mut members = Map::new();
    members.insert("schema".to_owned(), "manywire.shape/1".into());
    members.insert(question.to_owned(), answer);
    format!("{:#}\n", Json::Object(members))
}

/// Returns the position of an error in its input as JSON members, as far as it is known.
pub(super) fn position(error: &InputError) -> Map<String, Json> {
    let mut members = Map::new();
    members.insert("file".to_owned(), (*error.file).into());
    match &error.place {
        InputPosition::Text { line, column, .. } => {
            members.insert("line".to_owned(), (*line).into());
            members.insert("column".to_owned(), (*column).into());
        }
        InputPosition::Byte(offset) => _ = members.insert("offset".to_owned(), (*offset).into()),
        InputPosition::Whole => {}
    }
    members.insert("path".to_owned(), (*error.path).into());
    members
}
