use manywire_shape::Shape;

use crate::json;
use crate::{Error, json_schema};

/// What a schema says.
#[derive(Clone, Debug)]
pub struct Document {
    /// What values look like.
    pub shape: Shape,
    /// The schema in the terms of its language.
    pub language: Language,
}

/// The languages that schemas are written in.
#[derive(Clone, Debug)]
pub enum Language {
    /// JSON Schema, draft 2020-12 or 7.
    JsonSchema,
}

/// Reads a schema, whichever language it is in.
///
/// `file` is for messages alone.
///
/// # Errors
///
/// Where the text is not what its language calls for, or says what no shape can.
pub fn read(file: &str, text: &str) -> Result<Document, Error> {
    let literal = json::parse(file, text)?;
    let shape = json_schema::read_literal(file, text, &literal)?;
    Ok(Document { shape, language: Language::JsonSchema })
}
