//! The shape of the payloads: from a schema if one is given, otherwise inferred.

use crate::payload::Schema as Known;
use manywire_codec::Codec;
use manywire_format::Format;
use manywire_schema::Language;
use manywire_shape::Shape;
use manywire_shape::infer::Inference;

use crate::weigh::launch::SchemaText;
use crate::weigh::payload::{Corpus, EmbeddedSchema};

/// The shape of the payloads, and the schema it came from where it came from one.
pub(crate) struct Schema(Known);

impl From<Shape> for Schema {
    fn from(shape: Shape) -> Self {
        Schema(shape.into())
    }
}

impl SchemaText {
    /// What it says.
    ///
    /// # Errors
    /// Where the text is no schema, with file, line and column.
    pub fn read(&self) -> Result<Known, String> {
        let document = manywire_schema::read(&self.file, &self.text, self.message.as_deref());
        document.map(Known::from).map_err(|error| error.to_string())
    }

    /// The schema that the payloads' own files brought, if that can be used: of an array or a union
    /// at the top nothing but the values says what it is.
    pub fn carried(carried: &EmbeddedSchema) -> Option<SchemaText> {
        let (file, text) = carried.avsc()?;
        let schema = SchemaText { file: file.to_owned(), text: text.to_owned(), message: None };
        schema.read().is_ok().then_some(schema)
    }
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    ///
    /// Where the text is none, with file, line and column.
    pub(crate) fn read(schema: &SchemaText) -> Result<Schema, String> {
        schema.read().map(Schema)
    }

    /// What payloads look like.
    pub(crate) fn shape(&self) -> &Shape {
        &self.0.shape
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
        self.0.codec(format).map_err(|error| error.to_string())
    }

    /// The messages of the shape: those of the `.proto`, if it came from one.
    ///
    /// # Errors
    ///
    /// A shape that Protocol Buffers cannot hold.
    pub(crate) fn proto(&self) -> Result<manywire_shape::proto::Schema, String> {
        match &self.0.language {
            Some(Language::Proto(schema)) => Ok(schema.clone()),
            _ => manywire_shape::proto::Schema::from_shape(&self.0.shape)
                .map_err(|error| error.to_string()),
        }
    }

    /// The Avro schema of the shape: that of the `.avsc`, if it came from one.
    ///
    /// # Errors
    ///
    /// A shape that Avro cannot hold.
    pub(crate) fn avro(&self) -> Result<manywire_shape::avro::Schema, String> {
        match &self.0.language {
            Some(Language::Avro(schema)) => Ok(schema.clone()),
            _ => manywire_shape::avro::Schema::from_shape(&self.0.shape)
                .map_err(|error| error.to_string()),
        }
    }
}
