//! The shape of the payloads: from a schema if one is given, otherwise inferred.

use manywire_codec::Codec;
use manywire_format::Format;
use manywire_schema::Language;
use manywire_shape::infer::Inference;
use manywire_shape::{Shape, avro, proto};
use serde::{Deserialize, Serialize};

use crate::payload::{EmbeddedSchema, Schema as Known};
use crate::weigh::payload::Sample;

/// A schema file of the user.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SchemaText {
    /// The name of the file, for messages.
    pub file: String,
    /// The whole file.
    pub text: String,
    /// The message or record to use, where it defines several.
    pub message: Option<String>,
}

/// The shape of the payloads, and the schema it was read from, if any.
#[derive(Debug)]
pub(crate) struct Schema(Known);

impl From<Shape> for Schema {
    fn from(shape: Shape) -> Self {
        Schema(shape.into())
    }
}

impl SchemaText {
    /// Reads the schema.
    ///
    /// # Errors
    /// Returns an error with file, line and column if the text is not a valid schema.
    pub fn read(&self) -> Result<Known, manywire_schema::Error> {
        let document = manywire_schema::read(&self.file, &self.text, self.message.as_deref());
        document.map(Known::from)
    }

    /// Returns the schema in the headers of the payload files, if all files have the same one and
    /// it can be read. A schema whose root is an array or a union has no name to select it by.
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
    /// Returns an error with file, line and column if the schema is invalid.
    pub(crate) fn read(schema: &SchemaText) -> Result<Schema, manywire_schema::Error> {
        schema.read().map(Schema)
    }

    /// Returns the shape.
    pub(crate) fn shape(&self) -> &Shape {
        &self.0.shape
    }

    /// Returns the user's schema, or else a shape inferred from the samples.
    pub(crate) fn of(
        schema: Option<&SchemaText>,
        samples: &[Sample<'_>],
    ) -> Result<Schema, manywire_schema::Error> {
        if let Some(schema) = schema {
            return Schema::read(schema);
        }
        let mut inference = Inference::new();
        for sample in samples {
            inference.add(&sample.value);
        }
        Ok(inference.shape().into())
    }

    /// Returns the codec of a format. A schema in the format's own language decides numbers, names
    /// and the order of unions.
    pub(crate) fn codec(&self, format: Format) -> Result<Codec, manywire_codec::Error> {
        self.0.codec(format)
    }

    /// Returns the messages of the shape: those of the `.proto`, if there is one. `None` if Protocol
    /// Buffers cannot hold the shape.
    pub(crate) fn proto(&self) -> Option<proto::Schema> {
        match &self.0.language {
            Some(Language::Proto(schema)) => Some(schema.clone()),
            _ => proto::Schema::from_shape(&self.0.shape).ok(),
        }
    }

    /// Returns the Avro schema of the shape: that of the `.avsc`, if there is one. `None` if Avro
    /// cannot hold the shape.
    pub(crate) fn avro(&self) -> Option<avro::Schema> {
        match &self.0.language {
            Some(Language::Avro(schema)) => Some(schema.clone()),
            _ => avro::Schema::from_shape(&self.0.shape).ok(),
        }
    }
}
