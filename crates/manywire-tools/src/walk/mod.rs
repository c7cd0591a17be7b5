//! Walks over the bytes of payloads: their options, by the schemas that the payloads are read with, and the
//! names of fields in their paths.

mod positions;

use manywire_inspect::{Options, Schema};
use manywire_schema::Language;
use manywire_shape::avro;

use crate::payload::LIMITS;

pub use positions::FieldNames;

/// Returns the options of a walk that reports all that is worth a look: the members of a schema, duplicate
/// keys, and values as deep as they are read.
pub fn options(language: Option<&Language>) -> Options<'_> {
    Options {
        schema: schema(language),
        read_avro: Some(read_avro),
        duplicate_keys: true,
        depth_max: LIMITS.depth,
        ..Options::DEFAULT
    }
}

/// Returns the schema that describes bytes, if the language has one. A JSON Schema describes values.
pub fn schema(language: Option<&Language>) -> Option<Schema<'_>> {
    match language? {
        Language::Proto(schema) => Some(Schema::Protobuf(schema)),
        Language::Avro(schema) => Some(Schema::Avro(schema)),
        Language::JsonSchema => None,
    }
}

/// Parses the schema in an Avro container file.
///
/// # Errors
///
/// Fails for an invalid schema, with line and column.
pub fn read_avro(text: &str) -> Result<avro::Schema, String> {
    let read = manywire_schema::read_avro("avro.schema", text);
    read.map(|(schema, _)| schema).map_err(|error| error.to_string())
}
