//! `Schema`: what is known of values before they are read.

use manywire_codec::{Codec, Error, avro, protobuf};
use manywire_format::Format;
use manywire_schema::{Document, Language};
use manywire_shape::Shape;

/// What is known of values beforehand: their shape, and the schema it came from where it came
/// from one.
#[derive(Clone, Debug)]
pub struct Schema {
    /// What values look like.
    pub shape: Shape,
    /// The schema in its own terms, which has the last word in its own format.
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
    /// The codec of a format. A schema in the format's own language has the last word on numbers,
    /// names and the order of unions.
    ///
    /// # Errors
    /// Where the format cannot hold values of the shape at all.
    pub fn codec(&self, format: Format) -> Result<Codec, Error> {
        match format {
            Format::Protobuf => self.protobuf().map(Codec::from),
            Format::Avro => self.avro().map(Codec::from),
            _ => Codec::new(format, &self.shape),
        }
    }

    /// The plan of Protocol Buffers.
    ///
    /// # Errors
    /// As [`Schema::codec`].
    pub fn protobuf(&self) -> Result<protobuf::Plan, Error> {
        match &self.language {
            Some(Language::Proto(schema)) => protobuf::Plan::new(schema),
            _ => protobuf::Plan::from_shape(&self.shape),
        }
    }

    /// The plan of Avro.
    ///
    /// # Errors
    /// As [`Schema::codec`].
    pub fn avro(&self) -> Result<avro::Plan, Error> {
        match &self.language {
            Some(Language::Avro(schema)) => avro::Plan::new(schema),
            _ => avro::Plan::from_shape(&self.shape),
        }
    }
}
