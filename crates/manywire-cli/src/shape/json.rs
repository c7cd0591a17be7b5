//! Parts of the JSON answers that several questions share (`docs/shape.schema.json`).

use manywire_tools::payload::{InputError, Place};
use serde_json::{Map, Value as Json};

/// The JSON document of an answer.
pub(super) fn document(question: &str, answer: Json) -> String {
    let mut members = Map::new();
    members.insert("schema".to_owned(), "manywire.shape/1".into());
    members.insert(question.to_owned(), answer);
    format!("{:#}\n", Json::Object(members))
}

/// A place of an input as JSON, as far as it is known.
pub(super) fn place(error: &InputError) -> Map<String, Json> {
    let mut members = Map::new();
    members.insert("file".to_owned(), (*error.file).into());
    match &error.place {
        Place::Text { line, column, .. } => {
            members.insert("line".to_owned(), (*line).into());
            members.insert("column".to_owned(), (*column).into());
        }
        Place::Byte(offset) => _ = members.insert("offset".to_owned(), (*offset).into()),
        Place::Whole => {}
    }
    members.insert("path".to_owned(), (*error.path).into());
    members
}
