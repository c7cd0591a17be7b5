//! Values, corpora and reference implementations that several formats are tested with.

pub(crate) mod any_value;
pub(crate) mod bson_reference;
pub(crate) mod corpus;
pub(crate) mod first_entry;
pub(crate) mod golden;
pub(crate) mod proto_compiler;
pub(crate) mod protobuf_peer;

use manywire_shape::avro::Schema;

/// Parses the text of an Avro schema.
pub(crate) fn read_avro(text: &str) -> Result<Schema, manywire_schema::Error> {
    manywire_schema::read_avro("test.avsc", text).map(|(schema, _)| schema)
}
