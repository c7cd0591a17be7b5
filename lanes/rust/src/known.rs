//! What is known of the payloads beforehand.

use manywire_shape::{Shape, avro};

use crate::coder::Outcome;
use crate::model::Model;

/// What the last `schema` request said.
#[derive(Default)]
pub(crate) struct Known {
    model: Option<Model>,
    avro: Option<String>,
}

impl Known {
    pub(crate) fn new(model: Option<Model>, avro: Option<String>) -> Known {
        Known { model, avro }
    }

    /// What each message stands for.
    pub(crate) fn model(&self) -> Outcome<&Model> {
        Ok(self.model.as_ref().ok_or("these payloads have no messages")?)
    }

    /// The text of the Avro schema.
    pub(crate) fn avsc(&self) -> Outcome<&str> {
        Ok(self.avro.as_deref().ok_or("these payloads have no Avro schema")?)
    }

    /// The Avro schema, with what its attributes say of names and places beyond Avro's.
    pub(crate) fn avro(&self) -> Outcome<(avro::Schema, Shape)> {
        manywire_schema::read_avro("schema.avsc", self.avsc()?)
            .map_err(|error| error.to_string().into())
    }
}
