//! The payloads as lanes receive them: the schemas, and the bytes in every format by our own
//! codecs.
//!
//! [`write_documents`] writes the same to disk, so that a lane's own tests need no orchestrator.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use std::{fmt, fs, io};

use manywire_codec::{Codec, Error};
use manywire_format::{CodingLevel, Format};
use manywire_shape::proto::{self, Absent, Field, Form, Kind, Label, Message};
use manywire_shape::{Arena, Shape, Value};
use serde_json::{Map, json};

use super::digest::{self, DigestError};
use super::findings::{Findings, SubjectError, compare};
use crate::payload::{InputError, LIMITS, Payload, Schema};
use crate::weigh::payload::{Corpus, Sample};
use crate::weigh::schema::{SchemaText, read_or_infer};

/// The payloads as lanes receive them: their schemas, and their bytes in every format, encoded by
/// our own codecs. All lanes and all their subjects share them.
#[derive(Debug)]
pub struct LaneInput {
    /// The request that carries the schemas, and the frame of descriptors that follows it.
    schema_request: (serde_json::Value, Vec<u8>),
    /// For each format, the encoded payloads or the reason that it cannot hold them.
    formats: BTreeMap<&'static str, Result<Encoded, EncodingError>>,
    schema: Schema,
}

/// The error for payloads that cannot be read.
#[derive(Debug)]
pub enum LaneInputError {
    /// A payload is invalid in its format.
    Payload(InputError),
    /// The schema is invalid.
    Schema(manywire_schema::Error),
}

impl fmt::Display for LaneInputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaneInputError::Payload(error) => error.fmt(f),
            LaneInputError::Schema(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LaneInputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match self {
            LaneInputError::Payload(error) => error,
            LaneInputError::Schema(error) => error,
        })
    }
}

impl From<InputError> for LaneInputError {
    fn from(error: InputError) -> Self {
        LaneInputError::Payload(error)
    }
}

impl From<manywire_schema::Error> for LaneInputError {
    fn from(error: manywire_schema::Error) -> Self {
        LaneInputError::Schema(error)
    }
}

/// The reason that a format has no encoded payloads.
#[derive(Debug)]
pub enum EncodingError {
    /// The format was not requested.
    NotRequested,
    /// The format cannot represent values of the shape.
    Shape(Error),
    /// The format cannot represent a payload.
    Payload {
        /// The name of the payload, if there are several.
        payload: Option<String>,
        /// The error, with the path to the part that the format cannot represent.
        error: Error,
    },
}

impl fmt::Display for EncodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodingError::NotRequested => f.write_str("the format was not requested"),
            EncodingError::Shape(error) | EncodingError::Payload { payload: None, error } => {
                error.fmt(f)
            }
            EncodingError::Payload { payload: Some(name), error } => write!(f, "{name}: {error}"),
        }
    }
}

impl std::error::Error for EncodingError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            EncodingError::NotRequested => None,
            EncodingError::Shape(error) | EncodingError::Payload { error, .. } => Some(error),
        }
    }
}

/// The error for bytes whose value has no digest.
#[derive(Debug)]
pub(super) enum ReadDigestError {
    /// Our own codec cannot read the bytes.
    Codec(Error),
    /// The value has no digest.
    Digest(DigestError),
}

impl fmt::Display for ReadDigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadDigestError::Codec(error) => error.fmt(f),
            ReadDigestError::Digest(error) => error.fmt(f),
        }
    }
}

impl From<ReadDigestError> for SubjectError {
    fn from(error: ReadDigestError) -> Self {
        SubjectError::Broken(error.to_string())
    }
}

/// Payloads in one format. Figures that only some lanes need are computed on first use.
pub(super) struct Encoded {
    /// The format.
    pub(super) format: Format,
    /// The codec that wrote the payloads.
    pub(super) codec: Codec,
    /// The bytes of each payload.
    pub(super) bytes: Vec<Vec<u8>>,
    /// The digest of each payload's value; `None` if a value has no digest.
    digests: OnceLock<Option<Vec<String>>>,
    findings: OnceLock<Result<Findings, SubjectError>>,
}

impl fmt::Debug for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoded").field("format", &self.format).finish_non_exhaustive()
    }
}

impl Encoded {
    /// Encodes samples.
    fn new(
        format: Format,
        samples: &[Sample<'_>],
        schema: &Schema,
    ) -> Result<Encoded, EncodingError> {
        let codec = schema.codec(format).map_err(EncodingError::Shape)?;
        let encode = |sample: &Sample<'_>| {
            let mut bytes = Vec::new();
            let encoded = codec.encode(&sample.value_in(format), &mut bytes);
            encoded.map(|()| bytes).map_err(|error| {
                let payload = (samples.len() > 1).then(|| sample.name.to_owned());
                EncodingError::Payload { payload, error }
            })
        };
        let bytes = samples.iter().map(encode).collect::<Result<_, _>>()?;
        let (digests, findings) = (OnceLock::new(), OnceLock::new());
        Ok(Encoded { format, codec, bytes, digests, findings })
    }

    /// Returns the digest of each payload's value; `None` if a value has no digest.
    pub(super) fn digests(&self) -> Option<&[String]> {
        let digest = |bytes: &Vec<u8>| read_digest(&self.codec, bytes).ok();
        self.digests.get_or_init(|| self.bytes.iter().map(digest).collect()).as_deref()
    }

    /// Compares bytes that a subject wrote with the payloads, and compresses them. The result for
    /// the bytes of our own codec, which most subjects write too, is computed once, so every call
    /// must have the same samples and codings.
    pub(super) fn findings(
        &self,
        written: &[Vec<u8>],
        samples: &[Sample<'_>],
        codings: &[CodingLevel],
    ) -> Result<Findings, SubjectError> {
        let find = || compare(&self.codec, written, samples, codings);
        match written == self.bytes {
            true => self.findings.get_or_init(find).clone(),
            false => find(),
        }
    }
}

/// Returns the digest of the value in some bytes, as our own codec reads it.
pub(super) fn read_digest(codec: &Codec, bytes: &[u8]) -> Result<String, ReadDigestError> {
    let arena = Arena::new();
    let value = read_value(codec, bytes, &arena).map_err(ReadDigestError::Codec)?;
    digest::digest(&value).map_err(ReadDigestError::Digest)
}

/// Returns the value in some bytes, as our own codec and every lane read it.
pub(super) fn read_value<'a>(
    codec: &'a Codec,
    bytes: &'a [u8],
    arena: &'a Arena,
) -> Result<Value<'a>, Error> {
    match codec.format() {
        // Every reader of BSON reads a document as a map, so no schema is used.
        Format::Bson => manywire_codec::read_value(Format::Bson, bytes, arena, LIMITS),
        _ => codec.decode_with(bytes, arena, LIMITS),
    }
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
    ) -> Result<LaneInput, LaneInputError> {
        let arena = Arena::new();
        let read = schema.map(SchemaText::read).transpose()?;
        let corpus = Corpus::load_all(payloads, read.as_ref(), &arena)?;
        Ok(LaneInput::encode(&corpus.samples, schema, formats)?)
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
    ) -> Result<LaneInput, manywire_schema::Error> {
        let schema = read_or_infer(source, samples)?;
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
    pub fn every(
        payloads: &[Payload],
        schema: Option<&SchemaText>,
    ) -> Result<LaneInput, LaneInputError> {
        LaneInput::new(payloads, schema, &Format::ALL)
    }

    /// Returns the request that carries the schemas, and the frame of descriptors that follows it.
    pub fn schema_request(&self) -> (&serde_json::Value, &[u8]) {
        (&self.schema_request.0, &self.schema_request.1)
    }

    /// Returns the payloads in a format, as our own codec wrote them.
    ///
    /// # Errors
    ///
    /// Fails if the format was not requested or cannot represent a payload.
    pub fn encoded(&self, format: Format) -> Result<&[Vec<u8>], &EncodingError> {
        self.format(format).map(|encoded| encoded.bytes.as_slice())
    }

    /// Returns the canonical digest of each payload's value in a format; `None` if the format has no
    /// encoded payloads, or if a value has no digest.
    pub fn digests(&self, format: Format) -> Option<&[String]> {
        self.format(format).ok()?.digests()
    }

    /// Returns the shape of the payloads, with the schema it was read from, if any.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the size of the payloads in the format that takes the most bytes.
    pub(super) fn bytes_max(&self) -> usize {
        let bytes = |encoded: &Encoded| encoded.bytes.iter().map(Vec::len).sum();
        self.formats.values().flatten().map(bytes).max().unwrap_or(0)
    }

    /// Returns the shape of the payloads.
    pub(super) fn shape(&self) -> &Shape {
        &self.schema.shape
    }

    /// Returns the text of the `.proto`; `None` if Protocol Buffers cannot hold the shape.
    pub(super) fn proto(&self) -> Option<&str> {
        self.schema_request.0["proto"].as_str()
    }

    /// Returns the text of the `.avsc`; `None` if Avro cannot hold the shape.
    pub(super) fn avro(&self) -> Option<&str> {
        self.schema_request.0["avro"].as_str()
    }

    /// Returns the name of the message of the whole value; `None` if there is no `.proto`.
    pub(super) fn root_message(&self) -> Option<&str> {
        self.schema_request.0["model"]["root"].as_str()
    }

    /// Returns the payloads in a format, or the reason that it cannot hold them.
    pub(super) fn format(&self, format: Format) -> Result<&Encoded, &EncodingError> {
        self.formats.get(format.name()).map_or(Err(&EncodingError::NotRequested), Result::as_ref)
    }
}

fn schema_request(schema: &Schema, source: Option<&SchemaText>) -> (serde_json::Value, Vec<u8>) {
    // If a format cannot hold the shape, encoding the payloads reports it.
    let proto = schema.to_proto().ok();
    let descriptors =
        proto.as_ref().map(|proto| proto.to_descriptor_set(FILE, PACKAGE)).unwrap_or_default();
    let request = json!({
        "verb": "schema",
        "proto": proto.as_ref().map(|proto| proto.to_proto(PACKAGE)),
        "model": proto.as_ref().map(model),
        "avro": schema.to_avro().ok().map(|avro| avro.to_string()),
        "shape": schema.shape,
        "source": source,
    });
    (request, descriptors)
}

/// The name of the `.proto` file for lanes.
const FILE: &str = "manywire.proto";

/// The package of the messages in that file, which avoids clashes with names of a library.
const PACKAGE: &str = "manywire.payload";

/// Returns the model of the schema: the value that each message represents, as `lanes/CONTRACT.md`
/// describes it.
fn model(schema: &proto::Schema) -> serde_json::Value {
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
        scalar => (scalar.scalar_name().unwrap_or_default(), None),
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
    let lane_input = LaneInput::every(payloads, None).map_err(io::Error::other)?;
    let (request, descriptors) = lane_input.schema_request();
    fs::create_dir_all(folder)?;
    fs::write(folder.join("schema.json"), request.to_string())?;
    fs::write(folder.join("descriptors"), descriptors)?;
    for (index, payload) in payloads.iter().enumerate() {
        fs::write(folder.join(format!("{index}.document")), &payload.bytes)?;
    }
    for format in Format::ALL {
        let Ok(encoded) = lane_input.format(format) else { continue };
        for (index, bytes) in encoded.bytes.iter().enumerate() {
            fs::write(folder.join(format!("{index}.{format}")), bytes)?;
        }
    }
    Ok(())
}
