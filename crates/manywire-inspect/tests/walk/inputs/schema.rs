//! Schemas of inputs.

use manywire_inspect::Schema;
use manywire_schema::Language;
use manywire_shape::{avro, proto};

/// A parsed schema.
pub(crate) enum Known {
    Protobuf(proto::Schema),
    Avro(avro::Schema),
}

impl Known {
    /// Parses a `.proto` or an Avro schema.
    pub(crate) fn read(text: &str, message: Option<&str>) -> Known {
        let read = manywire_schema::read("schema", text, message);
        match read.unwrap_or_else(|error| panic!("{error}: {text}")).language {
            Language::Proto(schema) => Known::Protobuf(schema),
            Language::Avro(schema) => Known::Avro(schema),
            // A bare type name, or an object that is valid in both languages.
            Language::JsonSchema => Known::Avro(read_avro(text).expect("an Avro schema")),
        }
    }

    /// Parses a schema. The root of a `.proto` is its first message.
    pub(crate) fn first_message(text: &str) -> Known {
        let behind = text.split_once("message ").map(|(_, rest)| rest);
        Known::read(text, behind.and_then(|rest| rest.split_whitespace().next()))
    }

    pub(crate) fn known(&self) -> Schema<'_> {
        match self {
            Known::Protobuf(schema) => Schema::Protobuf(schema),
            Known::Avro(schema) => Schema::Avro(schema),
        }
    }
}

/// Parses the schema of a container file.
pub(crate) fn read_avro(text: &str) -> Result<avro::Schema, String> {
    let read = manywire_schema::read_avro("avro.schema", text);
    read.map(|(schema, _)| schema).map_err(|error| error.to_string())
}
