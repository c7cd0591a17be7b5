//! The schema that values are written by, as text.

use std::path::Path;

use crate::payload::Schema;
use manywire_codec::{Category, Error, Result};
use manywire_format::Format;
use manywire_schema::Language;
use manywire_shape::{avro, json_schema, proto};

/// The languages a schema can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Proto,
    Avro,
    JsonSchema,
}

/// The text of a schema, in the language that the file's extension says: `.proto`, `.avsc`, or
/// `.json` for JSON Schema; without one of them in that of the format that is written.
///
/// # Errors
/// A name that says nothing where the format has no schema language of its own, and shapes that
/// the language cannot describe.
pub fn schema_text(schema: &Schema, file: &Path, format: Format) -> Result<String> {
    let extension = file.extension().and_then(|extension| extension.to_str());
    let target = match (extension, format) {
        (Some("proto"), _) => Target::Proto,
        (Some("avsc"), _) => Target::Avro,
        (Some("json"), _) => Target::JsonSchema,
        (_, Format::Protobuf) => Target::Proto,
        (_, Format::Avro) => Target::Avro,
        _ => {
            let message = "which language? A schema's file ends in .proto, .avsc or .json";
            return Err(Error::new(Category::Unsupported, message));
        }
    };
    Ok(match target {
        Target::Proto => match &schema.language {
            Some(Language::Proto(given)) => given.to_proto(""),
            _ => proto::Schema::from_shape(&schema.shape).map_err(unsupported)?.to_proto(""),
        },
        Target::Avro => avro_schema(schema)?.to_string(),
        Target::JsonSchema => json_schema::JsonSchema::of(&schema.shape).to_string(),
    })
}

/// The schema of Avro: as it was given, or of the shape.
pub(crate) fn avro_schema(schema: &Schema) -> Result<avro::Schema> {
    match &schema.language {
        Some(Language::Avro(given)) => Ok(given.clone()),
        _ => avro::Schema::from_shape(&schema.shape).map_err(unsupported),
    }
}

#[cold]
fn unsupported(error: impl std::fmt::Display) -> Error {
    Error::new(Category::Unsupported, error)
}
