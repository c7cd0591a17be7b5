//! The options of walks over the bytes of payloads with a schema, and the names of fields in the
//! paths of spans.

mod positions;

use manywire_inspect::{Options, Schema};
use manywire_schema::Language;
use manywire_shape::avro;

use crate::payload::LIMITS;

pub use positions::NamedPaths;

/// Returns the options of a walk that uses the schema of the payloads, if there is one, and the
/// schema in the header of an Avro container file. The walk reports duplicate keys, and has the
/// depth limit of [`LIMITS`], with which payloads are read.
pub fn options(language: Option<&Language>) -> Options<'_> {
    Options {
        schema: schema(language),
        read_avro: Some(read_avro),
        duplicate_keys: true,
        depth_max: LIMITS.depth,
        ..Options::DEFAULT
    }
}

/// Returns the schema of Protocol Buffers or Avro that a walk reads the bytes with. Returns `None`
/// without a language, and for JSON Schema, which describes values and not their bytes.
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
