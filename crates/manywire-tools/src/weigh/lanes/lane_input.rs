//! The payloads as lanes receive them: the schemas, and the bytes in every format by our own
//! codecs.
//!
//! [`write_documents`] writes the same to disk, so that a lane's own tests need no orchestrator.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use std::{fmt, fs, io};

use manywire_codec::Codec;
use manywire_codec::coding::Encoder;
use manywire_format::{CodingLevel, FORMATS, Format};
use manywire_shape::fidelity::{self, Loss};
use manywire_shape::proto::{self, Absent, Field, Form, Kind, Label, Message};
use manywire_shape::{Arena, Shape, Value};
use serde_json::{Map, json};

use super::digest;
use super::measure::ExaminationFailure;
use crate::weigh::payload::{Corpus, LIMITS, Payload, Sample};
use crate::weigh::schema::{Schema, SchemaText};

/// The payloads as lanes receive them: their schemas, and their bytes in every format, encoded by
/// our own codecs. All lanes and all their subjects share them.
#[derive(Debug)]
pub struct LaneInput {
    /// The request that carries the schemas, and the frame of descriptors that follows it.
    schema_request: (serde_json::Value, Vec<u8>),
    /// For each format, the encoded payloads or the reason that it cannot hold them.
    formats: BTreeMap<&'static str, Result<Encoded, String>>,
    schema: Schema,
}

/// Payloads in one format. Figures that only some lanes need are computed when the first one asks.
pub(super) struct Encoded {
    /// The format.
    pub(super) format: Format,
    /// The codec that wrote them.
    pub(super) codec: Codec,
    /// The bytes of each.
    pub(super) bytes: Vec<Vec<u8>>,
    digests: OnceLock<Result<Vec<String>, String>>,
    findings: OnceLock<Result<Findings, ExaminationFailure>>,
}

/// The findings about bytes that a subject wrote.
#[derive(Clone, Debug)]
pub(super) struct Findings {
    /// The data that did not survive the round trip.
    pub(super) losses: Vec<Loss>,
    /// The bytes of each payload under each coding.
    pub(super) coded_sizes: BTreeMap<String, Vec<u64>>,
}

impl fmt::Debug for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoded").field("format", &self.format).finish_non_exhaustive()
    }
}

impl Encoded {
    /// Encodes samples.
    fn new(format: Format, samples: &[Sample<'_>], schema: &Schema) -> Result<Encoded, String> {
        let codec = schema.codec(format)?;
        let encode = |sample: &Sample<'_>| {
            let mut bytes = Vec::new();
            match codec.encode(&sample.value, &mut bytes) {
                Ok(()) => Ok(bytes),
                Err(error) if samples.len() == 1 => Err(error.to_string()),
                Err(error) => Err(format!("{}: {error}", sample.name)),
            }
        };
        let bytes = samples.iter().map(encode).collect::<Result<_, _>>()?;
        let (digests, findings) = (OnceLock::new(), OnceLock::new());
        Ok(Encoded { format, codec, bytes, digests, findings })
    }

    /// Returns the digest of each payload's value.
    ///
    /// # Errors
    ///
    /// Returns a message if a value has no digest.
    pub(super) fn digests(&self) -> Result<&[String], String> {
        let digests = self.digests.get_or_init(|| {
            self.bytes.iter().map(|bytes| read_digest(&self.codec, bytes)).collect()
        });
        digests.as_deref().map_err(Clone::clone)
    }

    /// Compares bytes that a subject wrote with the payloads, and compresses them. The result for
    /// the bytes of our own codec, which most subjects write too, is computed once, so every call
    /// must have the same samples and codings.
    pub(super) fn findings(
        &self,
        written: &[Vec<u8>],
        samples: &[Sample<'_>],
        codings: &[CodingLevel],
    ) -> Result<Findings, ExaminationFailure> {
        let find = || {
            let losses = self.losses(written, samples).map_err(ExaminationFailure::Broken)?;
            let mut coded_sizes = BTreeMap::new();
            for &level in codings {
                let sizes = sizes_under(level, written);
                let sizes = sizes.map_err(ExaminationFailure::Unsupported)?;
                coded_sizes.insert(level.to_string(), sizes);
            }
            Ok(Findings { losses, coded_sizes })
        };
        match written == self.bytes {
            true => self.findings.get_or_init(find).clone(),
            false => find(),
        }
    }

    /// Returns the losses of reading the payloads, and those in the bytes that a subject wrote, as
    /// our own codec reads them. A library that rounds a number on its way into its own tree shows
    /// the loss in its bytes.
    fn losses(&self, written: &[Vec<u8>], samples: &[Sample<'_>]) -> Result<Vec<Loss>, String> {
        let mut all = Vec::new();
        for (sample, bytes) in samples.iter().zip(written) {
            fidelity::merge(&mut all, sample.losses.clone());
            let arena = Arena::new();
            let returned = self.codec.decode_with(bytes, &arena, LIMITS).map_err(|error| {
                format!("{}: it wrote invalid {}: {error}", sample.name, self.format)
            })?;
            fidelity::merge(&mut all, fidelity::losses(&sample.value, &returned));
        }
        Ok(all)
    }
}

/// Returns the compressed sizes of some bytes.
fn sizes_under(level: CodingLevel, encoded: &[Vec<u8>]) -> Result<Vec<u64>, String> {
    let mut encoder = Encoder::new(level).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    let size = |bytes: &Vec<u8>| {
        out.clear();
        let coded = encoder.encode(bytes, &mut out);
        coded.map(|()| out.len() as u64).map_err(|error| error.to_string())
    };
    encoded.iter().map(size).collect()
}

/// Returns the digest of the value in some bytes, as our own codec reads it.
pub(super) fn read_digest(codec: &Codec, bytes: &[u8]) -> Result<String, String> {
    digest::digest(&read_value(codec, bytes, &Arena::new())?)
}

/// Returns the value in some bytes, as our own codec reads it and as every lane does.
pub(super) fn read_value<'a>(
    codec: &'a Codec,
    bytes: &'a [u8],
    arena: &'a Arena,
) -> Result<Value<'a>, String> {
    let value = match codec.format() {
        // Every reader of BSON reads a document as a map, so no schema is used.
        Format::Bson => manywire_codec::read_value(Format::Bson, bytes, arena, LIMITS),
        _ => codec.decode_with(bytes, arena, LIMITS),
    };
    value.map_err(|error| error.to_string())
}

impl LaneInput {
    /// Reads payloads and encodes them in some formats.
    ///
    /// # Errors
    ///
    /// Fails if a payload or the schema cannot be read.
    pub fn new(
        payloads: &[Payload],
        schema: Option<&SchemaText>,
        formats: &[Format],
    ) -> Result<LaneInput, String> {
        let arena = Arena::new();
        let (corpus, errors) = Corpus::load(payloads, &arena);
        match errors.first() {
            Some(error) => Err(error.to_string()),
            None => LaneInput::encode(&corpus.samples, schema, formats),
        }
    }

    /// Encodes samples in some formats. Their shape is that of the schema, or else inferred.
    ///
    /// # Errors
    ///
    /// Fails if the schema cannot be read.
    pub(crate) fn encode(
        samples: &[Sample<'_>],
        source: Option<&SchemaText>,
        formats: &[Format],
    ) -> Result<LaneInput, String> {
        let schema = Schema::of(source, samples)?;
        let encoded = formats
            .iter()
            .map(|&format| (format.name(), Encoded::new(format, samples, &schema)))
            .collect();
        let schema_request = schema_request(&schema, source);
        Ok(LaneInput { formats: encoded, schema_request, schema })
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

    /// Returns the request that carries the schemas, and the frame of descriptors that follows it.
    pub fn schema_request(&self) -> (&serde_json::Value, &[u8]) {
        (&self.schema_request.0, &self.schema_request.1)
    }

    /// Returns the payloads in a format, as our own codec wrote them.
    ///
    /// # Errors
    ///
    /// Returns a message if the format was not requested or cannot hold a payload.
    pub fn encoded(&self, format: Format) -> Result<&[Vec<u8>], String> {
        self.format(format).map(|encoded| encoded.bytes.as_slice())
    }

    /// Returns the canonical digest of each payload's value in a format.
    ///
    /// # Errors
    ///
    /// Returns a message if the format was not requested or cannot hold a payload, or if a value
    /// has no digest.
    pub fn digests(&self, format: Format) -> Result<&[String], String> {
        self.format(format)?.digests()
    }

    /// Returns the shape of the payloads, with the schema it was read from, if any.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the size of the payloads in the format that takes the most bytes.
    pub(super) fn bytes_max(&self) -> usize {
        let bytes = |encoded: &Encoded| encoded.bytes.iter().map(Vec::len).sum();
        self.formats.values().flatten().map(bytes).max().unwrap_or(0)
    }

    /// Returns the shape of the payloads.
    pub(super) fn shape(&self) -> &Shape {
        self.schema.shape()
    }

    /// Returns the text of the `.proto`.
    pub(super) fn proto(&self) -> Option<&str> {
        self.schema_request.0["proto"].as_str()
    }

    /// Returns the text of the `.avsc`.
    pub(super) fn avro(&self) -> Option<&str> {
        self.schema_request.0["avro"].as_str()
    }

    /// Returns the name of the message of the whole value.
    pub(super) fn root_message(&self) -> Option<&str> {
        self.schema_request.0["model"]["root"].as_str()
    }

    /// Returns the payloads in a format, or the reason that it cannot hold them.
    pub(super) fn format(&self, format: Format) -> Result<&Encoded, String> {
        match self.formats.get(format.name()) {
            Some(encoded) => encoded.as_ref().map_err(Clone::clone),
            None => Err(format!("{format} was not asked for")),
        }
    }
}

fn schema_request(schema: &Schema, source: Option<&SchemaText>) -> (serde_json::Value, Vec<u8>) {
    // If a format cannot hold the shape, encoding the payloads reports it.
    let proto = schema.proto().ok();
    let descriptors =
        proto.as_ref().map(|proto| proto.to_descriptor_set(FILE, PACKAGE)).unwrap_or_default();
    let request = json!({
        "verb": "schema",
        "proto": proto.as_ref().map(|proto| proto.to_proto(PACKAGE)),
        "model": proto.as_ref().map(model),
        "avro": schema.avro().ok().map(|avro| avro.to_string()),
        "shape": schema.shape(),
        "source": source,
    });
    (request, descriptors)
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
        Absent::Zero | Absent::Invalid => "zero",
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
    let (request, descriptors) = lane_input.schema_request();
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
