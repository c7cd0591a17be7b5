//! Reads a schema in any of the languages, and detects whether a text is a schema.

use manywire_shape::{Literal, Shape, avro, proto};

use crate::json::{self, member, text_member};
use crate::proto::{Importer, is_descriptor_set};
use crate::{Error, avro as avro_reader, json_schema, proto as proto_reader};

/// A schema that was read.
#[derive(Clone, Debug)]
pub struct Document {
    /// The shape of the values.
    pub shape: Shape,
    /// The schema in the terms of its language.
    pub language: Language,
    /// Departures of the text from its specification that did not stop the reader. Each kind of
    /// departure is listed once, at its first place.
    pub notes: Vec<Error>,
    /// The names of the files that were read. A schema of one file can be read again from its text.
    pub files: Vec<String>,
}

/// Options for reading a schema.
#[derive(Clone, Copy, Default)]
pub struct Options<'o> {
    /// The message that is the root of a `.proto` or of a descriptor set, with or without its package.
    /// Other languages ignore it.
    pub message: Option<&'o str>,
    /// Finds the files that a `.proto` imports. Without it, only the well-known files of Google are
    /// found.
    pub importer: Option<&'o Importer<'o>>,
}

/// The languages that schemas are written in.
#[derive(Clone, Debug)]
pub enum Language {
    /// JSON Schema, draft 2020-12 or 7.
    JsonSchema,
    /// Avro, with the schema itself: its codec needs the order of unions and fields.
    Avro(avro::Schema),
    /// Protocol Buffers, with the messages themselves: their names, numbers and packing.
    Proto(proto::Schema),
}

/// Reads a schema in any of the languages. JSON begins with a bracket or a quote, or is a boolean;
/// a `.proto` never does.
///
/// `file` is used only in error messages. `message` chooses the root of a `.proto`; other languages
/// ignore it.
///
/// # Errors
///
/// Fails if the text is invalid in its language, or if no shape can represent the schema.
pub fn read(file: &str, text: &str, message: Option<&str>) -> Result<Document, Error> {
    read_text(file, text, &Options { message, importer: None })
}

/// Reads a schema in any of the languages, or a set of Protocol Buffers descriptors
/// (`google.protobuf.FileDescriptorSet`, as `protoc -o` and `buf build` write it).
///
/// `file` is used only in error messages.
///
/// # Errors
///
/// Fails as [`read`] does, and for bytes that are neither text nor a descriptor set.
pub fn read_bytes(file: &str, bytes: &[u8], options: &Options<'_>) -> Result<Document, Error> {
    if is_descriptor_set(bytes) {
        return proto_reader::read_descriptor_set(file, bytes, options.message).map(proto_document);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => read_text(file, text, options),
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let message =
                "expected UTF-8, or a Protocol Buffers descriptor set (protoc -o, buf build)";
            Err(Error::at(file, &before, before.len(), message))
        }
    }
}

fn read_text(file: &str, text: &str, options: &Options<'_>) -> Result<Document, Error> {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if !start.starts_with(['{', '[', '"']) && !matches!(start.trim_end(), "" | "true" | "false") {
        let Options { message, importer } = *options;
        return proto_reader::read_files(file, text, message, importer).map(proto_document);
    }
    let files = vec![file.to_owned()];
    let literal = json::parse(file, text)?;
    if is_avro(&literal) {
        let (schema, shape, notes) = avro_reader::read_literal(file, text, &literal)?;
        return Ok(Document { shape, language: Language::Avro(schema), notes, files });
    }
    let shape = json_schema::read_literal(file, text, literal)?;
    Ok(Document { shape, language: Language::JsonSchema, notes: Vec::new(), files })
}

fn proto_document((schema, shape, files): (proto::Schema, Shape, Vec<String>)) -> Document {
    Document { shape, language: Language::Proto(schema), notes: Vec::new(), files }
}

/// Returns whether text is a schema and not a document. The function recognises a `.proto` by its
/// first word, a JSON Schema by its `$schema`, and an Avro schema by a record, enum or fixed with a
/// name.
///
/// An ambiguous text (`{"type": "string"}`) counts as a document; callers can state that it is a
/// schema.
pub fn is_schema(text: &str) -> bool {
    if !may_be_schema(text) {
        return false;
    }
    if is_proto(text) {
        return true;
    }
    let Ok(schema) = json::parse("", text) else { return false };
    let dialect = text_member(&schema, "$schema");
    let ty = text_member(&schema, "type");
    dialect.is_some_and(|dialect| dialect.contains("json-schema.org/"))
        || match ty {
            Some("record" | "error") => {
                matches!(member(&schema, "fields"), Some(Literal::Array(_)))
            }
            Some("enum") => matches!(member(&schema, "symbols"), Some(Literal::Array(_))),
            Some("fixed") => member(&schema, "size").is_some(),
            _ => false,
        } && text_member(&schema, "name").is_some()
}

/// Returns whether a text with this beginning may be [a schema](is_schema). The check is cheap, so
/// that large documents need not be read twice.
pub fn may_be_schema(start: &str) -> bool {
    let says = |words: &[&str]| words.iter().any(|word| start.contains(word));
    let object = start.trim_start_matches('\u{feff}').trim_start().starts_with('{');
    is_proto(start)
        || object && says(&["json-schema.org/"])
        || object
            && says(&["\"type\""])
            && says(&["\"record\"", "\"error\"", "\"enum\"", "\"fixed\""])
}

/// Returns whether the text begins like a `.proto`, after comments: with a keyword, which JSON
/// never begins with.
fn is_proto(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let after = if let Some(line) = rest.strip_prefix("//") {
            line.split_once('\n').map(|(_, after)| after)
        } else if let Some(block) = rest.strip_prefix("/*") {
            block.split_once("*/").map(|(_, after)| after)
        } else {
            break;
        };
        rest = after.unwrap_or_default().trim_start();
    }
    let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next();
    let words = ["syntax", "edition", "package", "import", "option", "message", "enum", "service"];
    word.is_some_and(|word| words.contains(&word))
}

/// Returns whether JSON is an Avro schema: a name, a union, or a type that JSON Schema does not
/// have. Both languages have `null`, `boolean`, `string` and `array`. An array of either may have
/// `items` and no dialect, so the type of the items decides.
fn is_avro(schema: &Literal) -> bool {
    match schema {
        Literal::String(_) | Literal::Array(_) => true,
        Literal::Object(_) if member(schema, "$schema").is_some() => false,
        Literal::Object(_) => match member(schema, "type") {
            Some(Literal::String(ty)) => match ty.as_str() {
                "array" => member(schema, "items").is_some_and(is_avro_item),
                "object" | "integer" | "number" | "null" | "boolean" | "string" => {
                    text_member(schema, "logicalType").is_some()
                }
                _ => true,
            },
            Some(Literal::Object(_)) => true,
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether the items of an array are an Avro type. A list of schemas is a tuple of an old
/// draft of JSON Schema; a list with a name or with a type that only Avro has is a union.
fn is_avro_item(items: &Literal) -> bool {
    match items {
        Literal::Array(branches) => branches.iter().any(is_avro),
        other => is_avro(other),
    }
}
