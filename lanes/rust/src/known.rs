//! The schema of the payloads.

use manywire_shape::{Shape, avro};

use crate::error::Result;
use crate::model::Model;

/// The content of the last `schema` request.
#[derive(Default)]
pub(crate) struct Known {
    model: Option<Model>,
    avro: Option<String>,
    shape: Option<Shape>,
}

impl Known {
    pub(crate) fn new(model: Option<Model>, avro: Option<String>, shape: Shape) -> Known {
        Known { model, avro, shape: Some(shape) }
    }

    /// Returns the shape of the payloads.
    pub(crate) fn shape(&self) -> Result<&Shape> {
        Ok(self.shape.as_ref().ok_or("there was no request `schema`")?)
    }

    /// Returns the model of the messages.
    pub(crate) fn model(&self) -> Result<&Model> {
        Ok(self.model.as_ref().ok_or("these payloads have no messages")?)
    }

    /// Returns the text of the Avro schema.
    pub(crate) fn avsc(&self) -> Result<&str> {
        Ok(self.avro.as_deref().ok_or("these payloads have no Avro schema")?)
    }

    /// Returns the Avro schema, including its attributes for names and forms that Avro cannot express.
    pub(crate) fn avro(&self) -> Result<(avro::Schema, Shape)> {
        manywire_schema::read_avro("schema.avsc", self.avsc()?)
            .map_err(|error| error.to_string().into())
    }
}
