//! Schemas: parsed once, with the codecs that are compiled from them; and their text in other languages.

use std::fmt;
use std::sync::OnceLock;

use manywire_codec::Codec;
use manywire_format::{FORMATS, Format};
use manywire_schema::{TARGET_LANGUAGES, TargetLanguage, native};
use manywire_shape::fidelity::without_duplicates;
use manywire_shape::infer::Inference;
use manywire_shape::json_schema::JsonSchema;
use manywire_shape::{Arena, Value};
use manywire_tools::payload;

use crate::Error;

/// The name of the outline of a shape, which is text for people.
const OUTLINE: &str = "outline";

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

    /// Returns the schema in a language of [`TARGET_LANGUAGES`] by its name, or as the outline that
    /// `shape` prints without `--as`.
    ///
    /// # Errors
    /// Fails for another language, and for values that the language cannot describe.
    pub fn text(&self, language: &str) -> Result<String, Error> {
        let shape = &self.parsed.shape;
        if language == OUTLINE {
            return Ok(shape.to_string());
        }
        let Some(row) = TARGET_LANGUAGES.iter().find(|row| row.name == language) else {
            let known = TARGET_LANGUAGES.map(|row| row.name).join(", ");
            let message = format_args!("expected one of {OUTLINE}, {known}, found {language:?}");
            return Err(Error::new(message));
        };
        Ok(match row.language {
            TargetLanguage::Proto => self.parsed.to_proto().map_err(Error::new)?.to_proto(""),
            TargetLanguage::Avro => self.parsed.to_avro().map_err(Error::new)?.to_string(),
            TargetLanguage::JsonSchema => JsonSchema::of(shape).to_string(),
            TargetLanguage::Native(target) => {
                native::write(shape, target, &native::Options::default()).text
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
