//! Sinks: write values of one form in sequence, and the text of their schema.

use std::path::Path;

use manywire_codec::avro::container::{Compression, SyncMarker, Writer};
use manywire_codec::{Category, Codec, Error, Result, json, write_value};
use manywire_format::{Form, Format, Framing, SchemaNeeds};
use manywire_schema::Language;
use manywire_shape::fidelity::{Losses, Tolerance, losses_beyond, without_duplicates};
use manywire_shape::{Arena, Node, Shape, Value, avro, json_schema, proto};

use crate::convert::adapt::{Adapter, refusal_of};
use crate::payload::{Halt, LIMITS, Schema};

/// The layout options of the output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    /// Indents JSON.
    pub(crate) pretty: bool,
    /// The compression of Avro's blocks.
    pub(crate) compression: Compression,
}

/// A writer of values of one form.
pub(crate) enum Sink {
    /// JSON with indentation.
    Pretty,
    /// A format that needs no schema.
    Plain(Format),
    Shaped(Box<ShapedSink>),
}

/// A writer of formats with a schema.
pub(crate) struct ShapedSink {
    codec: Codec,
    tolerance: Tolerance,
    frame: Frame,
    // The bytes of the current value.
    bytes: Vec<u8>,
    arena: Arena,
}

enum Frame {
    /// Datums one after the other.
    Bare {
        /// True before the first datum in a form for a single datum. Only this datum may have no
        /// bytes.
        may_be_empty: bool,
        /// True after a datum without bytes: no reader could find a second datum.
        is_over: bool,
    },
    /// A single message. The flag tells whether it has been written.
    Single(bool),
    Delimited,
    Container(Writer),
}

impl Sink {
    /// Returns a sink of this form, and appends the bytes before the first value to `out`. Formats
    /// that do not describe themselves need `schema`. `given` says that the schema was not
    /// inferred; see [`tolerance`] for the differences that are then not losses.
    pub(crate) fn new(
        form: Form,
        layout: Layout,
        schema: Option<&Schema>,
        given: bool,
        out: &mut Vec<u8>,
    ) -> Result<Sink> {
        let format = form.format;
        if format.row().schema == SchemaNeeds::InBand {
            let is_pretty = format == Format::Json && layout.pretty;
            return Ok(if is_pretty { Sink::Pretty } else { Sink::Plain(format) });
        }
        let Some(schema) = schema else {
            let message = format_args!("{} is written by a schema", format.row().title);
            return Err(Error::new(Category::Unsupported, message).with_format(format));
        };
        let frame = match form.framing {
            // A message does not show its end, so the output can have only one message.
            Framing::Single if form.format == Format::Protobuf => Frame::Single(false),
            Framing::Delimited => Frame::Delimited,
            Framing::Container => {
                let text = avro_schema(schema)?.to_literal().compact();
                Frame::Container(Writer::new(&text, layout.compression, marker()?, out)?)
            }
            Framing::Single | Framing::Sequence | Framing::Lines => {
                Frame::Bare { may_be_empty: form.framing == Framing::Single, is_over: false }
            }
        };
        Ok(Sink::Shaped(Box::new(ShapedSink {
            codec: schema.codec(form.format)?,
            tolerance: tolerance(given),
            frame,
            bytes: Vec::new(),
            arena: Arena::new(),
        })))
    }

    /// Appends a value. Losses are added to `losses`; if it is `None`, a value with a loss is
    /// refused.
    ///
    /// # Errors
    /// Fails for a value that the format or the shape refuses, with its path. No part of the value
    /// is then written.
    pub(crate) fn write(
        &mut self,
        value: &Value<'_>,
        losses: Option<&mut Losses>,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), Halt> {
        let written = match self {
            Sink::Pretty => json::write_pretty(value, out).map(|()| out.push(b'\n')),
            Sink::Plain(format) => write_value(*format, value, out).map(|()| {
                // In a text format, each value ends with a line feed.
                if format.row().text {
                    out.push(b'\n');
                }
            }),
            Sink::Shaped(shaped) => return shaped.write(value, losses, out),
        };
        written.map_err(|error| refusal_of(&error))
    }

    /// Returns whether the form has exactly one value, and none was written. An empty output would be
    /// read as a value that nobody wrote, or would be invalid.
    pub(crate) fn awaits_value(&self) -> bool {
        let Sink::Shaped(shaped) = self else { return false };
        match &shaped.frame {
            Frame::Single(written) => !written,
            Frame::Bare { may_be_empty, .. } => {
                *may_be_empty && shaped.codec.format() == Format::Avro
            }
            Frame::Delimited | Frame::Container(_) => false,
        }
    }

    /// Appends the end of the output after the last value.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Sink::Shaped(shaped) => match &mut shaped.frame {
                Frame::Container(writer) => writer.flush(out),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

impl ShapedSink {
    fn write(
        &mut self,
        value: &Value<'_>,
        losses: Option<&mut Losses>,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), Halt> {
        if let Frame::Single(true) = self.frame {
            return Err(second_message());
        }
        self.bytes.clear();
        encode_checked(&self.codec, self.tolerance, value, losses, &self.arena, &mut self.bytes)?;
        self.arena.reset();
        match &mut self.frame {
            Frame::Bare { may_be_empty, is_over } => {
                let is_empty = self.bytes.is_empty();
                if *is_over || is_empty && !*may_be_empty {
                    return Err(empty_value());
                }
                (*may_be_empty, *is_over) = (false, is_empty);
                out.extend_from_slice(&self.bytes);
            }
            Frame::Single(written) => {
                *written = true;
                out.extend_from_slice(&self.bytes);
            }
            Frame::Delimited => {
                write_length(self.bytes.len(), out);
                out.extend_from_slice(&self.bytes);
            }
            Frame::Container(writer) => {
                writer.push(&self.bytes, out).map_err(|error| refusal_of(&error))?;
            }
        }
        Ok(())
    }
}

/// Appends a value by a schema, reads the value back and compares both: only the comparison shows
/// whether the shape loses something. Losses are added to `losses`; if it is `None`, a value with a
/// loss is refused.
fn encode_checked(
    codec: &Codec,
    tolerance: Tolerance,
    value: &Value<'_>,
    losses: Option<&mut Losses>,
    arena: &Arena,
    out: &mut Vec<u8>,
) -> std::result::Result<(), Halt> {
    let start = out.len();
    codec.encode(value, out).map_err(|error| refusal_of(&error))?;
    let returned = codec.decode_with(&out[start..], arena, LIMITS);
    let returned = returned.map_err(|error| refusal_of(&error))?;
    let mut found = Losses::default();
    losses_beyond(tolerance, value, &returned, &mut found);
    match (losses, found.list().first()) {
        (_, None) => {}
        (Some(losses), _) => {
            // The schema can make two keys equal, such as 0 and 0.0. The last entry stays.
            let (unique, repeated) = without_duplicates(returned, arena);
            if !repeated.is_empty() {
                found = Losses::default();
                losses_beyond(tolerance, value, &unique, &mut found);
                let mut bytes = Vec::new();
                codec.encode(&unique, &mut bytes).map_err(|error| refusal_of(&error))?;
                out.truncate(start);
                out.extend_from_slice(&bytes);
            }
            losses.append(found);
        }
        (None, Some(loss)) => {
            let title = codec.format().row().title;
            let message = format!("{title} loses data: {}; --lossy permits it", loss.lost);
            return Err(Halt::Refused { path: loss.path.clone(), message });
        }
    }
    Ok(())
}

/// Returns the differences that are not losses: always another type of a number with the same
/// value; with a schema that was not inferred, which defines the meaning of an absent field and the
/// type of keys, also an absent field instead of a null, zero or empty value, the default of an
/// absent field, and a key of the schema's type instead of its text.
fn tolerance(given: bool) -> Tolerance {
    Tolerance { numbers: true, absence: given, keys: given, defaults: given }
}

/// Writes one value by the codec of its schema, so that it reads back as the same value, also with the
/// same types of keys. `shape` is the shape of the schema, and `given` says that the schema was not
/// inferred.
///
/// # Errors
/// Fails for a value that the format or the schema cannot represent, with its path.
pub fn encode_by_schema(
    codec: &Codec,
    shape: &Shape,
    given: bool,
    value: Value<'_>,
) -> std::result::Result<Vec<u8>, Halt> {
    let (arena, mut out) = (Arena::new(), Vec::new());
    let value = Adapter::new(codec.format(), false).for_shape(shape).fit(value, &arena)?;
    let tolerance = Tolerance { keys: false, ..tolerance(given) };
    encode_checked(codec, tolerance, &value, None, &arena, &mut out)?;
    Ok(out)
}

/// Writes one value in a format that needs no schema, so that it reads back as the same value.
///
/// # Errors
/// Fails for a value that the format cannot represent, with its path, and for a format that needs a schema.
pub fn encode_without_schema(
    format: Format,
    value: Value<'_>,
) -> std::result::Result<Vec<u8>, Halt> {
    let (arena, mut out) = (Arena::new(), Vec::new());
    let value = Adapter::new(format, false).fit(value, &arena)?;
    let written = manywire_codec::write_value(format, &value, &mut out);
    written.map(|()| out).map_err(|error| refusal_of(&error))
}

#[cold]
fn second_message() -> Halt {
    let message = "a Protocol Buffers message does not show where it ends, so this second value \
                   could not be told from the first: protobuf-delimited writes each with its length";
    Halt::Refused { path: "$".to_owned(), message: message.to_owned() }
}

#[cold]
fn empty_value() -> Halt {
    let message = "by this schema it takes no bytes, so that nobody could tell it is there: an Avro \
                   file (--to avro) counts its values";
    Halt::Refused { path: "$".to_owned(), message: message.to_owned() }
}

/// Appends a length as a varint.
fn write_length(mut length: usize, out: &mut Vec<u8>) {
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

/// Returns the sync marker after each block of a container, which must differ between files.
///
/// # Errors
/// Fails if the system has no random numbers.
fn marker() -> Result<SyncMarker> {
    let mut sync = SyncMarker::default();
    getrandom::fill(&mut sync).map_err(unsupported)?;
    Ok(sync)
}

/// A language that the schema of an output can be written in.
#[derive(Debug)]
pub struct SchemaLanguage {
    /// The extension of a file in this language, without the dot.
    pub extension: &'static str,
    /// The format that is written by schemas in this language.
    format: Option<Format>,
    write: fn(&Schema) -> Result<String>,
}

/// The languages that the schema of an output can be written in.
static SCHEMA_LANGUAGES: [&SchemaLanguage; 3] = [
    &SchemaLanguage { extension: "proto", format: Some(Format::Protobuf), write: proto_text },
    &SchemaLanguage { extension: "avsc", format: Some(Format::Avro), write: avro_text },
    &JSON_SCHEMA,
];

/// The language for formats without one: it has all names, their order and unions.
static JSON_SCHEMA: SchemaLanguage =
    SchemaLanguage { extension: "json", format: None, write: json_schema_text };

impl SchemaLanguage {
    /// Returns the language that the extension of a file names.
    pub fn of_file(file: &Path) -> Option<&'static SchemaLanguage> {
        let extension = file.extension()?.to_str()?;
        SCHEMA_LANGUAGES.into_iter().find(|language| language.extension == extension)
    }

    /// Returns the language that describes the values of a format: the format's own, or else JSON
    /// Schema.
    pub fn describing(format: Format) -> &'static SchemaLanguage {
        SchemaLanguage::of_format(format).unwrap_or(&JSON_SCHEMA)
    }

    fn of_format(format: Format) -> Option<&'static SchemaLanguage> {
        SCHEMA_LANGUAGES.into_iter().find(|language| language.format == Some(format))
    }

    /// Returns the text of a schema in the language, for values in a format.
    ///
    /// # Errors
    /// Fails for a shape that the language cannot describe, or not well enough to read the format by it.
    pub fn text(&self, schema: &Schema, format: Format) -> Result<String> {
        // The header of an Avro file has its own schema; records as arrays are read by this one.
        if self.format.is_none() && format.row().schema == SchemaNeeds::FieldOrder {
            check_keys(&schema.shape)?;
        }
        (self.write)(schema)
    }

    /// Returns the language of the only schemas by which bytes of a form can be read, if other schemas
    /// lack what the bytes depend on: the numbers of fields and the encodings of integers in Protocol
    /// Buffers, and the types and branches in Avro without its header.
    pub fn required_by(form: Form) -> Option<&'static SchemaLanguage> {
        let has_header = form.framing == Framing::Container;
        SchemaLanguage::of_format(form.format).filter(|_| !has_header)
    }
}

/// Returns the text of a schema in the language of the file's extension: `.proto`, `.avsc`, or `.json`
/// for JSON Schema. Other names use the schema language of the output format.
///
/// # Errors
/// Fails for an unknown extension if the format has no schema language, and for a shape that the
/// language cannot describe.
pub fn schema_text(schema: &Schema, file: &Path, format: Format) -> Result<String> {
    let language = SchemaLanguage::of_file(file).or_else(|| SchemaLanguage::of_format(format));
    let language = language.ok_or_else(|| {
        let message = "unknown extension of a schema file: expected .proto, .avsc or .json";
        Error::new(Category::Unsupported, message)
    })?;
    language.text(schema, format)
}

fn proto_text(schema: &Schema) -> Result<String> {
    if let Some(Language::Proto(given)) = &schema.language {
        return Ok(given.to_proto(""));
    }
    let schema = proto::Schema::from_shape(&schema.shape).map_err(unsupported)?;
    Ok(schema.with_marks().to_proto(""))
}

fn avro_text(schema: &Schema) -> Result<String> {
    avro_schema(schema).map(|schema| schema.to_string())
}

fn json_schema_text(schema: &Schema) -> Result<String> {
    let text = json_schema::JsonSchema::of(&schema.shape).to_string();
    check_readable(&text)?;
    Ok(text)
}

/// Checks that JSON Schema keeps the types of all keys. Its `propertyNames` tell integers and booleans
/// from text, and nothing else.
fn check_keys(shape: &Shape) -> Result<()> {
    let shape = shape.reachable();
    let is_kept = |key: &Node| {
        matches!(key, Node::Str | Node::Char | Node::Enum(_) | Node::Int(_) | Node::Bool)
    };
    let is_lost = |node: &Node| matches!(node, Node::Map { key, .. } if !is_kept(shape.node(*key)));
    if shape.nodes().iter().any(is_lost) {
        let message = "JSON Schema has only maps whose keys are text, integers or booleans, and a \
                       map here has other keys: write a .proto or an .avsc";
        return Err(Error::new(Category::Unsupported, message));
    }
    Ok(())
}

/// Returns the given Avro schema, or the Avro schema of the shape.
///
/// # Errors
/// Fails for a shape that Avro cannot describe, and for a schema that nests too deeply to be read.
pub(crate) fn avro_schema(schema: &Schema) -> Result<avro::Schema> {
    if let Some(Language::Avro(given)) = &schema.language {
        return Ok(given.clone());
    }
    let schema = avro::Schema::from_shape(&schema.shape).map_err(unsupported)?;
    check_readable(&schema.to_literal().compact())?;
    Ok(schema)
}

/// Checks that the text of a schema that was made from a shape can be read. The schema nests as
/// deeply as the values that it describes, and readers limit the depth.
fn check_readable(text: &str) -> Result<()> {
    let read = manywire_schema::read("the schema of this value", text, None);
    read.map(drop).map_err(unsupported)
}

#[cold]
fn unsupported(error: impl std::fmt::Display) -> Error {
    Error::new(Category::Unsupported, error)
}
