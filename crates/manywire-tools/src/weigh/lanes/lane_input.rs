//! The payloads as lanes receive them: the schemas, and the bytes in every format by our own
//! codecs.
//!
//! [`write_documents`] writes the same to disk, so that a lane's own tests need no orchestrator.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use manywire_format::{FORMATS, Format};
use manywire_shape::proto::{self, Absent, Field, Form, Kind, Label, Message};
use manywire_shape::{Arena, Shape, Value};
use serde_json::{Map, json};

use super::digest;
use crate::weigh::launch::SchemaText;
use crate::weigh::payload::{Corpus, LIMITS, Payload};
use crate::weigh::schema::Schema;

/// The payloads as lanes receive them: their schemas, and their bytes in every format, encoded by
/// our own codecs.
#[derive(Debug)]
pub struct LaneInput {
    /// The request that carries the schemas, and the frame of descriptors that follows it.
    pub(super) schema: (serde_json::Value, Vec<u8>),
    /// For each format, the encoded payloads or the reason that it cannot hold them.
    formats: BTreeMap<&'static str, Result<Encoded, String>>,
    shape: Shape,
}

/// Payloads in one format.
#[derive(Debug)]
pub(super) struct Encoded {
    /// The bytes of each.
    pub(super) bytes: Vec<Vec<u8>>,
    /// The digest of each payload's value.
    pub(super) digests: Vec<String>,
}

impl LaneInput {
    /// Encodes payloads in some formats.
    ///
    /// # Errors
    ///
    /// Fails if the schema cannot be read.
    pub fn new(
        payloads: &[Payload],
        schema: Option<&SchemaText>,
        formats: &[Format],
    ) -> Result<LaneInput, String> {
        let arena = Arena::new();
        let (corpus, _) = Corpus::load(payloads, &arena);
        let schema = Schema::of(schema, &corpus)?;
        let encoded =
            formats.iter().map(|&format| (format.name(), encode(format, &corpus, &schema)));
        let (formats, schemas) = (encoded.collect(), schemas(&schema));
        Ok(LaneInput { formats, schema: schemas, shape: schema.shape().clone() })
    }

    /// Encodes payloads in every format.
    ///
    /// # Errors
    ///
    /// Fails as [`LaneInput::new`] does.
    pub fn every(payloads: &[Payload], schema: Option<&SchemaText>) -> Result<LaneInput, String> {
        let formats: Vec<Format> = FORMATS.iter().map(|row| row.format).collect();
        LaneInput::new(payloads, schema, &formats)
    }

    /// Returns the canonical digest of each payload's value in a format.
    ///
    /// # Errors
    ///
    /// Returns a message if the format was not requested or cannot hold a payload.
    pub fn digests(&self, format: Format) -> Result<&[String], String> {
        self.format(format).map(|encoded| encoded.digests.as_slice())
    }

    /// Returns the shape of the payloads.
    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the text of the `.proto`.
    pub(super) fn proto(&self) -> Option<&str> {
        self.schema.0["proto"].as_str()
    }

    /// Returns the text of the `.avsc`.
    pub(super) fn avro(&self) -> Option<&str> {
        self.schema.0["avro"].as_str()
    }

    /// Returns the name of the message of the whole value.
    pub(super) fn root_message(&self) -> Option<&str> {
        self.schema.0["model"]["root"].as_str()
    }

    /// Returns the payloads in a format, or the reason that it cannot hold them.
    pub(super) fn format(&self, format: Format) -> Result<&Encoded, String> {
        match self.formats.get(format.name()) {
            Some(encoded) => encoded.as_ref().map_err(Clone::clone),
            None => Err(format!("{format} was not asked for")),
        }
    }
}

fn schemas(schema: &Schema) -> (serde_json::Value, Vec<u8>) {
    // If a format cannot hold the shape, encoding the payloads reports it.
    let proto = schema.proto().ok();
    let descriptors =
        proto.as_ref().map(|proto| proto.to_descriptor_set(FILE, PACKAGE)).unwrap_or_default();
    let request = json!({
        "verb": "schema",
        "proto": proto.as_ref().map(|proto| proto.to_proto(PACKAGE)),
        "model": proto.as_ref().map(model),
        "avro": schema.avro().ok().map(|avro| avro.to_string()),
    });
    (request, descriptors)
}

fn encode(format: Format, corpus: &Corpus<'_>, schema: &Schema) -> Result<Encoded, String> {
    let codec = schema.codec(format)?;
    let mut encoded = Encoded { bytes: Vec::new(), digests: Vec::new() };
    for sample in &corpus.samples {
        let named = |why: String| match corpus.samples.len() {
            1 => why,
            _ => format!("{}: {why}", sample.name),
        };
        let mut bytes = Vec::new();
        codec.encode(&sample.value, &mut bytes).map_err(|error| named(error.to_string()))?;
        encoded.digests.push(read_digest(format, schema, &bytes).map_err(named)?);
        encoded.bytes.push(bytes);
    }
    Ok(encoded)
}

/// Returns the digest of the value in some bytes, as our own codec reads it.
pub(super) fn read_digest(format: Format, schema: &Schema, bytes: &[u8]) -> Result<String, String> {
    let arena = Arena::new();
    // Every reader of BSON reads a document as a map, so no schema is used.
    let value: Value<'_> = if format == Format::Bson {
        manywire_codec::read_value(format, bytes, &arena, LIMITS)
            .map_err(|error| error.to_string())?
    } else {
        let codec = schema.codec(format)?;
        return codec
            .decode_with(bytes, &arena, LIMITS)
            .map_err(|error| error.to_string())
            .and_then(|value| digest::digest(&value));
    };
    digest::digest(&value)
}

/// The name of the `.proto` file for lanes.
pub(super) const FILE: &str = "manywire.proto";

/// The package of its messages, which avoids clashes with names of a library.
pub(super) const PACKAGE: &str = "manywire.payload";

/// Returns the model of the schema: the value that each message stands for, as `lanes/CONTRACT.md`
/// describes it.
pub(super) fn model(schema: &proto::Schema) -> serde_json::Value {
    let messages: Map<String, serde_json::Value> = schema
        .messages
        .iter()
        .map(|message| (message.name.clone(), describe(message, schema)))
        .collect();
    let enums: Map<String, serde_json::Value> = schema
        .enums
        .iter()
        .map(|each| {
            let names = each.values.iter().map(|value| {
                (value.number.to_string(), serde_json::Value::from(value.name.clone()))
            });
            (each.name.clone(), serde_json::Value::Object(names.collect()))
        })
        .collect();
    json!({
        "file": FILE,
        "package": PACKAGE,
        "root": schema.messages[schema.root].name,
        "messages": messages,
        "enums": enums,
    })
}

fn describe(message: &Message, schema: &proto::Schema) -> serde_json::Value {
    let form = match &message.form {
        Form::Record { .. } => "record",
        Form::Tuple => "tuple",
        Form::Wrapper => "wrapper",
        Form::Entry { native: true } => "map",
        Form::Entry { native: false } => "entry",
        Form::Variants(_) => "variants",
        Form::Union => "union",
        Form::Null => "null",
        Form::Timestamp => "timestamp",
    };
    let fields: Vec<serde_json::Value> =
        message.fields.iter().map(|field| describe_field(field, schema)).collect();
    let mut members = json!({ "form": form, "fields": fields });
    if let Form::Record { rest: Some(rest) } = message.form {
        members["rest"] = json!(message.fields[rest].proto_name);
    }
    members
}

fn describe_field(field: &Field, schema: &proto::Schema) -> serde_json::Value {
    let (kind, of) = match field.kind {
        Kind::Enum(index) => ("enum", Some(&schema.enums[index].name)),
        Kind::Message(index) => ("message", Some(&schema.messages[index].name)),
        Kind::BigInt => ("bigint", None),
        Kind::Number => ("number", None),
        Kind::Bool => ("bool", None),
        Kind::Int32 => ("int32", None),
        Kind::Int64 => ("int64", None),
        Kind::Uint32 => ("uint32", None),
        Kind::Uint64 => ("uint64", None),
        Kind::Sint32 => ("sint32", None),
        Kind::Sint64 => ("sint64", None),
        Kind::Fixed32 => ("fixed32", None),
        Kind::Fixed64 => ("fixed64", None),
        Kind::Sfixed32 => ("sfixed32", None),
        Kind::Sfixed64 => ("sfixed64", None),
        Kind::Float => ("float", None),
        Kind::Double => ("double", None),
        Kind::String => ("string", None),
        Kind::Bytes => ("bytes", None),
    };
    let label = match field.label {
        Label::Singular => "singular",
        Label::Optional => "optional",
        Label::Repeated => "repeated",
        Label::Packed => "packed",
    };
    let absent = match field.absent {
        Absent::Zero => "zero",
        Absent::Null => "null",
        Absent::Missing => "missing",
    };
    let mut members = json!({
        "proto": field.proto_name,
        "name": field.name,
        "number": field.number,
        "kind": kind,
        "label": label,
        "absent": absent,
    });
    if let Some(of) = of {
        members["of"] = json!(of);
    }
    members
}

/// Writes the input of lanes into a folder: `schema.json`, the request; `descriptors`, the frame
/// that follows it; and for each payload `0.document`, as it came, and `0.json`, `0.msgpack` and so
/// on by our own codecs, in the formats that hold all payloads.
///
/// # Errors
///
/// Returns an error if the schema cannot be made or a file cannot be written.
pub fn write_documents(folder: &Path, payloads: &[Payload]) -> io::Result<()> {
    let formats: Vec<Format> = FORMATS.iter().map(|row| row.format).collect();
    let lane_input = LaneInput::new(payloads, None, &formats).map_err(io::Error::other)?;
    let (request, descriptors) = &lane_input.schema;
    fs::create_dir_all(folder)?;
    fs::write(folder.join("schema.json"), request.to_string())?;
    fs::write(folder.join("descriptors"), descriptors)?;
    for (index, payload) in payloads.iter().enumerate() {
        fs::write(folder.join(format!("{index}.document")), &payload.bytes)?;
    }
    for format in formats {
        let Ok(encoded) = lane_input.format(format) else { continue };
        for (index, bytes) in encoded.bytes.iter().enumerate() {
            fs::write(folder.join(format!("{index}.{format}")), bytes)?;
        }
    }
    Ok(())
}
