//! The schema file of the user, and the shape of the payloads: from that file if one is given,
//! otherwise inferred.

use manywire_shape::infer::Inference;
use serde::{Deserialize, Serialize};

use crate::payload::{EmbeddedSchema, Schema};
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

impl SchemaText {
    /// Reads the schema.
    ///
    /// # Errors
    /// Returns an error with file, line and column if the text is not a valid schema.
    pub fn read(&self) -> Result<Schema, manywire_schema::Error> {
        let document = manywire_schema::read(&self.file, &self.text, self.message.as_deref());
        document.map(Schema::from)
    }

    /// Returns the schema in the headers of the payload files, if all files have the same one and
    /// it can be read. A schema whose root is an array or a union has no name to select it by.
    pub fn carried(carried: &EmbeddedSchema) -> Option<SchemaText> {
        let (file, text) = carried.avsc()?;
        let schema = SchemaText { file: file.to_owned(), text: text.to_owned(), message: None };
        schema.read().is_ok().then_some(schema)
    }
}

/// Reads the user's schema, or else infers a shape from the samples.
pub(crate) fn read_or_infer(
    schema: Option<&SchemaText>,
    samples: &[Sample<'_>],
) -> Result<Schema, manywire_schema::Error> {
    if let Some(schema) = schema {
        return schema.read();
    }
    let mut inference = Inference::new();
    for sample in samples {
        inference.add(&sample.value);
    }
    Ok(inference.shape().into())
}
