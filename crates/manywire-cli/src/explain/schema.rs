//! The schema that was given, and those that container files carry.

use std::fs;

use manywire_format::Format;
use manywire_inspect::Schema;
use manywire_schema::Language;
use manywire_shape::{avro, proto};

use crate::arguments::Explain;
use crate::exit::Exit;

/// A schema that has been read.
pub(crate) enum Known {
    Protobuf(proto::Schema),
    Avro(avro::Schema),
}

impl Known {
    pub(crate) fn read(arguments: &Explain) -> Result<Option<Known>, (Exit, String)> {
        let Some(path) = &arguments.schema else { return Ok(None) };
        let name = path.display().to_string();
        let text =
            fs::read_to_string(path).map_err(|error| (Exit::Failed, format!("{name}: {error}")))?;
        let read = manywire_schema::read(&name, &text, arguments.message.as_deref());
        match read.map_err(|error| (Exit::Failed, error.to_string()))?.language {
            Language::Proto(schema) => Ok(Some(Known::Protobuf(schema))),
            Language::Avro(schema) => Ok(Some(Known::Avro(schema))),
            Language::JsonSchema => {
                // `"string"` and the like are schemas of both kinds.
                let avro = manywire_schema::read_avro(&name, &text);
                let advice = "a JSON Schema does not say how bytes are laid out; a .proto or an \
                              .avsc does";
                avro.map(|(schema, _)| Some(Known::Avro(schema)))
                    .map_err(|_| (Exit::Usage, format!("{name}: {advice}")))
            }
        }
    }

    /// The format that the schema is for.
    pub(crate) fn format(&self) -> Format {
        match self {
            Known::Protobuf(_) => Format::Protobuf,
            Known::Avro(_) => Format::Avro,
        }
    }

    pub(crate) fn as_schema(&self) -> Schema<'_> {
        match self {
            Known::Protobuf(schema) => Schema::Protobuf(schema),
            Known::Avro(schema) => Schema::Avro(schema),
        }
    }
}

/// Reads the schema of a container file.
pub(crate) fn read_avro(text: &str) -> Result<avro::Schema, String> {
    match manywire_schema::read_avro("avro.schema", text) {
        Ok((schema, _)) => Ok(schema),
        Err(error) => Err(error.to_string()),
    }
}
