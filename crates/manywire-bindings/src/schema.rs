//! Schemas: parsed once, with the codecs that are compiled from them; and their text in other languages.

use std::fmt;
use std::sync::OnceLock;

use manywire_codec::Codec;
use manywire_format::{FORMATS, Format};
use manywire_schema::Language;
use manywire_schema::native::{self, TargetLanguage};
use manywire_shape::fidelity::without_duplicates;
use manywire_shape::infer::Inference;
use manywire_shape::json_schema::JsonSchema;
use manywire_shape::{Arena, Value, avro, proto};
use manywire_tools::payload;

use crate::Error;

/// The schema of values: read from a `.proto`, an `.avsc` or a JSON Schema, or inferred.
pub struct Schema {
    parsed: payload::Schema,
    /// The codecs by format, in the order of [`FORMATS`]. Each is compiled at its first use.
    codecs: [OnceLock<Codec>; FORMATS.len()],
}

impl Schema {
    /// Reads the text of a schema. `message` is the root of a `.proto` with several messages.
    ///
    /// # Errors
    /// Fails for an invalid schema, with line and column.
    pub fn read(text: &str, message: Option<&str>) -> Result<Schema, Error> {
        match manywire_schema::read("schema", text, message) {
            Ok(document) => Ok(Schema::from(payload::Schema::from(document))),
            Err(error) => Err(Error {
                line: Some(error.line),
                column: Some(error.column),
                ..Error::new(error.message)
            }),
        }
    }

    /// Infers the schema of a value.
    pub fn infer(value: &Value<'_>) -> Schema {
        let arena = Arena::new();
        let mut inference = Inference::new();
        inference.add(&without_duplicates(value.copied(&arena), &arena).0);
        Schema::from(payload::Schema::from(inference.shape()))
    }

    /// Returns the schema in a language, or as an outline: `outline`, `proto`, `avro`, `jsonschema`,
    /// `rust`, `go`, `typescript`, `java` or `python`.
    ///
    /// # Errors
    /// Fails for another language, and for values that the language cannot describe.
    pub fn text(&self, language: &str) -> Result<String, Error> {
        let Some((_, language)) = LANGUAGES.iter().find(|(name, _)| *name == language) else {
            let known = LANGUAGES.map(|(name, _)| name).join(", ");
            return Err(Error::new(format_args!("expected one of {known}, found {language:?}")));
        };
        let shape = &self.parsed.shape;
        Ok(match (language, &self.parsed.language) {
            (ShapeLanguage::Outline, _) => shape.to_string(),
            (ShapeLanguage::Proto, Some(Language::Proto(schema))) => schema.to_proto(""),
            (ShapeLanguage::Proto, _) => {
                proto::Schema::from_shape(shape).map_err(Error::new)?.to_proto("")
            }
            (ShapeLanguage::Avro, Some(Language::Avro(schema))) => schema.to_string(),
            (ShapeLanguage::Avro, _) => {
                avro::Schema::from_shape(shape).map_err(Error::new)?.to_string()
            }
            (ShapeLanguage::JsonSchema, _) => JsonSchema::of(shape).to_string(),
            (ShapeLanguage::Native(target), _) => {
                native::write(shape, *target, &native::Options::default()).text
            }
        })
    }

    /// Returns whether the schema was read, and not inferred.
    pub(crate) fn is_given(&self) -> bool {
        self.parsed.language.is_some()
    }

    pub(crate) fn parsed(&self) -> &payload::Schema {
        &self.parsed
    }

    /// Returns the codec of a format.
    pub(crate) fn codec(&self, format: Format) -> Result<&Codec, Error> {
        let place = &self.codecs[format as usize];
        if let Some(codec) = place.get() {
            return Ok(codec);
        }
        let codec = self.parsed.codec(format);
        let codec = codec.map_err(|error| Error::of_codec(&error, None))?;
        Ok(place.get_or_init(|| codec))
    }
}

impl From<payload::Schema> for Schema {
    fn from(parsed: payload::Schema) -> Self {
        Schema { parsed, codecs: Default::default() }
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema").field("parsed", &self.parsed).finish_non_exhaustive()
    }
}

/// A language that a shape can be written in.
#[derive(Clone, Copy)]
enum ShapeLanguage {
    Outline,
    Proto,
    Avro,
    JsonSchema,
    Native(TargetLanguage),
}

/// The languages by their names, as `shape --as` has them, and the outline that `shape` prints
/// without this option.
const LANGUAGES: [(&str, ShapeLanguage); 9] = [
    ("outline", ShapeLanguage::Outline),
    ("proto", ShapeLanguage::Proto),
    ("avro", ShapeLanguage::Avro),
    ("jsonschema", ShapeLanguage::JsonSchema),
    ("rust", ShapeLanguage::Native(TargetLanguage::Rust)),
    ("go", ShapeLanguage::Native(TargetLanguage::Go)),
    ("typescript", ShapeLanguage::Native(TargetLanguage::TypeScript)),
    ("java", ShapeLanguage::Native(TargetLanguage::Java)),
    ("python", ShapeLanguage::Native(TargetLanguage::Python)),
];
