//! What is known of the payloads beforehand: from a schema where one is given, inferred otherwise.

use manywire_codec::{Codec, avro, protobuf};
use manywire_format::Format;
use manywire_schema::Language;
use manywire_shape::Shape;
use manywire_shape::infer::Inference;

use crate::launch::SchemaText;
use crate::payload::Corpus;

/// The shape of the payloads, and the schema it came from where it came from one.
pub(crate) struct Schema {
    pub(crate) shape: Shape,
    language: Option<Language>,
}

impl From<Shape> for Schema {
    fn from(shape: Shape) -> Self {
        Schema { shape, language: None }
    }
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    ///
    /// Where the text is none, with file, line and column.
    pub(crate) fn read(schema: &SchemaText) -> Result<Schema, String> {
        let document = manywire_schema::read(&schema.file, &schema.text, schema.message.as_deref());
        let document = document.map_err(|error| error.to_string())?;
        Ok(Schema { shape: document.shape, language: Some(document.language) })
    }

    /// What the user says, or else what the samples show.
    pub(crate) fn of(schema: Option<&SchemaText>, corpus: &Corpus<'_>) -> Result<Schema, String> {
        if let Some(schema) = schema {
            return Schema::read(schema);
        }
        let mut inference = Inference::new();
        for value in corpus.values() {
            inference.add(&value);
        }
        Ok(inference.shape().into())
    }

    /// The codec of a format. A schema in the format's own language has the last word on numbers,
    /// names and the order of unions.
    pub(crate) fn codec(&self, format: Format) -> Result<Codec, String> {
        let codec = match (format, &self.language) {
            (Format::Protobuf, Some(Language::Proto(schema))) => {
                protobuf::Plan::new(schema).map(Codec::from)
            }
            (Format::Avro, Some(Language::Avro(schema))) => {
                avro::Plan::new(schema).map(Codec::from)
            }
            _ => Codec::new(format, &self.shape),
        };
        codec.map_err(|error| error.to_string())
    }

    /// The messages of the shape: those of the `.proto`, if it came from one.
    ///
    /// # Errors
    ///
    /// A shape that Protocol Buffers cannot hold.
    pub(crate) fn proto(&self) -> Result<manywire_shape::proto::Schema, String> {
        match &self.language {
            Some(Language::Proto(schema)) => Ok(schema.clone()),
            _ => manywire_shape::proto::Schema::from_shape(&self.shape)
                .map_err(|error| error.to_string()),
        }
    }

    /// The Avro schema of the shape: that of the `.avsc`, if it came from one.
    ///
    /// # Errors
    ///
    /// A shape that Avro cannot hold.
    pub(crate) fn avro(&self) -> Result<manywire_shape::avro::Schema, String> {
        match &self.language {
            Some(Language::Avro(schema)) => Ok(schema.clone()),
            _ => manywire_shape::avro::Schema::from_shape(&self.shape)
                .map_err(|error| error.to_string()),
        }
    }
}
