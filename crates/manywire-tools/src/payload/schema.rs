//! The schema of values: a shape, and the parsed schema that it comes from.

use manywire_codec::{Codec, Error, avro, protobuf};
use manywire_format::Format;
use manywire_schema::{Document, Language};
use manywire_shape::avro::SchemaError;
use manywire_shape::{Shape, proto};

/// The shape of values, and the parsed schema if the shape was read from one.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The shape of the values.
    pub shape: Shape,
    /// The parsed schema, which decides the encoding in its own format.
    pub language: Option<Language>,
}

impl From<Shape> for Schema {
    fn from(shape: Shape) -> Self {
        Schema { shape, language: None }
    }
}

impl From<Document> for Schema {
    fn from(document: Document) -> Self {
        Schema { shape: document.shape, language: Some(document.language) }
    }
}

impl Schema {
    /// Returns the codec of a format. A schema in the format's own language decides numbers, names and
    /// the order of unions.
    ///
    /// # Errors
    /// Fails for a shape that the format cannot represent.
    pub fn codec(&self, format: Format) -> Result<Codec, Error> {
        match format {
            Format::Protobuf => self.protobuf().map(Codec::from),
            Format::Avro => self.avro().map(Codec::from),
            _ => Codec::new(format, &self.shape),
        }
    }

    /// Returns the `.proto` that the shape was read from, or else the schema in Protocol Buffers that
    /// describes the shape.
    ///
    /// # Errors
    /// Fails for a shape that Protocol Buffers cannot represent.
    pub fn to_proto(&self) -> Result<proto::Schema, proto::InvalidSchema> {
        match &self.language {
            Some(Language::Proto(schema)) => Ok(schema.clone()),
            _ => proto::Schema::from_shape(&self.shape),
        }
    }

    /// Returns the Avro schema that the shape was read from, or else the one that describes the
    /// shape.
    ///
    /// # Errors
    /// Fails for a shape that Avro cannot represent.
    pub fn to_avro(&self) -> Result<manywire_shape::avro::Schema, SchemaError> {
        match &self.language {
            Some(Language::Avro(schema)) => Ok(schema.clone()),
            _ => manywire_shape::avro::Schema::from_shape(&self.shape),
        }
    }

    /// Returns the plan for Protocol Buffers.
    ///
    /// # Errors
    /// Fails as [`Schema::codec`] does.
    pub fn protobuf(&self) -> Result<protobuf::Plan, Error> {
        match &self.language {
            Some(Language::Proto(schema)) => protobuf::Plan::new(schema),
            _ => protobuf::Plan::from_shape(&self.shape),
        }
    }

    /// Returns the plan for Avro.
    ///
    /// # Errors
    /// Fails as [`Schema::codec`] does.
    pub fn avro(&self) -> Result<avro::Plan, Error> {
        match &self.language {
            Some(Language::Avro(schema)) => avro::Plan::new(schema),
            _ => avro::Plan::from_shape(&self.shape),
        }
    }
}
