//! The shape of the payloads: from a schema where one is given, inferred otherwise.

use manywire_shape::Shape;
use manywire_shape::infer::Inference;

use crate::launch::SchemaText;
use crate::payload::Corpus;

/// The shape that a schema says.
pub(crate) fn read(_schema: &SchemaText) -> Result<Shape, String> {
    Err("schemas cannot be read yet".to_owned())
}

/// The shape that a schema says, or that the samples show.
pub(crate) fn shape(schema: Option<&SchemaText>, corpus: &Corpus<'_>) -> Result<Shape, String> {
    if let Some(schema) = schema {
        return read(schema);
    }
    let mut inference = Inference::new();
    for value in corpus.values() {
        inference.add(&value);
    }
    Ok(inference.shape())
}
