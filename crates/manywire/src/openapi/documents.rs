//! The finished documents of an API, and the endpoints that serve them.

use bytes::Bytes;
use manywire_codec::Result;

use crate::content::{Content, Encode, Encoding, Media, Text};
use crate::endpoint::{Route, get};

/// The path of the OpenAPI document.
pub(super) const DOCUMENT_PATH: &str = "/openapi.json";
/// The path of the `.proto`.
const PROTO_PATH: &str = "/schema.proto";

/// The documents of an API. [`Api::documents`](crate::Api::documents) returns them, and
/// [`Api::documented`](crate::Api::documented) serves them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Documents {
    pub(super) openapi: String,
    pub(super) proto: Option<String>,
    pub(super) avro: Vec<AvroSchema>,
}

impl Documents {
    /// Returns the OpenAPI 3.1 document: JSON that ends in a line feed.
    pub fn openapi(&self) -> &str {
        &self.openapi
    }

    /// Returns the `.proto` of all messages, if an endpoint uses Protocol Buffers or a format that
    /// identifies fields by position. Check it in and pass it to
    /// [`Api::schema_lock`](crate::Api::schema_lock).
    pub fn proto(&self) -> Option<&str> {
        self.proto.as_deref()
    }

    /// Returns the Avro schemas, one for each type that an endpoint carries in Avro.
    pub fn avro(&self) -> &[AvroSchema] {
        &self.avro
    }
}

/// An Avro schema with its fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AvroSchema {
    pub(super) fingerprint: u64,
    pub(super) text: String,
}

impl AvroSchema {
    /// Returns the CRC-64-AVRO of the schema's canonical form, which precedes each value in
    /// single-object encoding, little-endian.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns the text of the `.avsc`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the path of the schema.
    pub(super) fn path(&self) -> String {
        format!("/schemas/{:016x}.avsc", self.fingerprint)
    }
}

/// JSON text.
struct JsonText;

impl Content for JsonText {
    type Value = Bytes;

    fn media() -> Media {
        Media::Named("application/json")
    }
}

impl Encode for JsonText {
    fn encode_ref(value: &Bytes, _to: &mut Encoding<'_>) -> Result<Bytes> {
        Ok(value.clone())
    }
}

impl Documents {
    /// Returns the endpoints that serve the documents.
    pub(crate) fn routes(self) -> Vec<Route> {
        let json = |path: &str, text: String| {
            let content = Bytes::from(text);
            get(path).returns::<JsonText>().to(move || {
                let content = content.clone();
                async move { content }
            })
        };
        let mut routes = vec![json(DOCUMENT_PATH, self.openapi)];
        if let Some(proto) = self.proto {
            routes.push(get(PROTO_PATH).returns::<Text>().to(move || {
                let proto = proto.clone();
                async move { proto }
            }));
        }
        for schema in self.avro {
            routes.push(json(&schema.path(), schema.text));
        }
        routes
    }
}
