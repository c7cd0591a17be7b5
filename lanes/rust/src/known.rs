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

    /// Returns whether the payloads have points in time. Messages may have them for values of any kind.
    #[cfg(any(typed, test))]
    pub(crate) fn has_timestamps(&self) -> Result<bool> {
        Ok(self.shape()?.nodes().iter().any(|node| matches!(node, manywire_shape::Node::Timestamp)))
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

#[cfg(test)]
mod tests {
    use manywire_shape::infer::Inference;
    use manywire_shape::{Timestamp, Value};

    use super::Known;

    #[test]
    fn values_of_several_kinds_are_no_timestamps() {
        let has_timestamps = |values: &[Value<'_>]| {
            let mut inference = Inference::new();
            values.iter().for_each(|value| inference.add(value));
            Known::new(None, None, inference.shape()).has_timestamps()
        };
        let time = Value::Timestamp(Timestamp::new(1, 0).expect("a point in time"));
        assert_eq!(has_timestamps(&[Value::Null, time]).ok(), Some(true));
        let kinds = [Value::Number("1e400"), Value::Str("a"), Value::Map(&[])];
        assert_eq!(has_timestamps(&kinds).ok(), Some(false));
    }
}
