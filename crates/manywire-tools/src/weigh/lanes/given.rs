use std::collections::BTreeMap;

use manywire_format::{FORMATS, Format};
use manywire_shape::{Arena, Shape, Value};
use serde_json::json;

use super::{digest, model};
use crate::weigh::launch::SchemaText;
use crate::weigh::payload::{Corpus, LIMITS, Payload};
use crate::weigh::schema::Schema;

/// What a lane is given of some payloads: what is known of them beforehand, and their bytes in
/// every format, made by our own codecs.
#[derive(Debug)]
pub struct Given {
    /// The request that carries the schemas, and the frame that follows it.
    pub(super) schema: (serde_json::Value, Vec<u8>),
    /// For each format its payloads, or why it cannot hold them.
    formats: BTreeMap<&'static str, Result<Encoded, String>>,
    shape: Shape,
}

/// Payloads in one format.
#[derive(Debug)]
pub(super) struct Encoded {
    /// The bytes of each.
    pub(super) bytes: Vec<Vec<u8>>,
    /// The digest of what each holds.
    pub(super) digests: Vec<String>,
}

impl Given {
    /// Encodes payloads in some formats.
    ///
    /// # Errors
    ///
    /// A schema that cannot be read.
    pub fn new(
        payloads: &[Payload],
        schema: Option<&SchemaText>,
        formats: &[Format],
    ) -> Result<Given, String> {
        let arena = Arena::new();
        let (corpus, _) = Corpus::load(payloads, &arena);
        let schema = Schema::of(schema, &corpus)?;
        let encoded =
            formats.iter().map(|&format| (format.name(), encode(format, &corpus, &schema)));
        let (formats, schemas) = (encoded.collect(), schemas(&schema));
        Ok(Given { formats, schema: schemas, shape: schema.shape().clone() })
    }

    /// Encodes payloads in every format.
    ///
    /// # Errors
    ///
    /// As [`Given::new`].
    pub fn every(payloads: &[Payload], schema: Option<&SchemaText>) -> Result<Given, String> {
        let formats: Vec<Format> = FORMATS.iter().map(|row| row.format).collect();
        Given::new(payloads, schema, &formats)
    }

    /// The canonical digest of what each payload holds in a format, or why it cannot hold them.
    ///
    /// # Errors
    ///
    /// A format that was not asked for, or that has no place for a payload.
    pub fn digests(&self, format: Format) -> Result<&[String], String> {
        self.format(format).map(|encoded| encoded.digests.as_slice())
    }

    /// What the payloads look like.
    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The text of the `.proto`.
    pub(super) fn proto(&self) -> Option<&str> {
        self.schema.0["proto"].as_str()
    }

    /// The text of the `.avsc`.
    pub(super) fn avro(&self) -> Option<&str> {
        self.schema.0["avro"].as_str()
    }

    /// The name of the message of the whole value.
    pub(super) fn root_message(&self) -> Option<&str> {
        self.schema.0["model"]["root"].as_str()
    }

    /// The payloads in a format, or why it cannot hold them.
    pub(super) fn format(&self, format: Format) -> Result<&Encoded, String> {
        match self.formats.get(format.name()) {
            Some(encoded) => encoded.as_ref().map_err(Clone::clone),
            None => Err(format!("{format} was not asked for")),
        }
    }
}

fn schemas(schema: &Schema) -> (serde_json::Value, Vec<u8>) {
    // A format that cannot hold the shape says so where its payloads are encoded.
    let proto = schema.proto().ok();
    let descriptors = proto
        .as_ref()
        .map(|proto| proto.to_descriptor_set(model::FILE, model::PACKAGE))
        .unwrap_or_default();
    let request = json!({
        "verb": "schema",
        "proto": proto.as_ref().map(|proto| proto.to_proto(model::PACKAGE)),
        "model": proto.as_ref().map(model::model),
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

/// The digest of what some bytes hold, as our own codec reads them.
pub(super) fn read_digest(format: Format, schema: &Schema, bytes: &[u8]) -> Result<String, String> {
    let arena = Arena::new();
    // A document is a map to every reader of BSON, whatever its keys.
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
