//! The finished documents of an API, and the endpoints that serve them.

use bytes::Bytes;
use manywire_codec::Result;

use crate::content::{Content, Encode, Encoding, Media, Text};
use crate::endpoint::{Route, get};

/// Where the document is served.
const DOCUMENT_PATH: &str = "/openapi.json";
/// Where the messages of Protocol Buffers are served.
const PROTO_PATH: &str = "/schema.proto";

/// What is told of an API. Made by [`Api::documents`](crate::Api::documents), and served by
/// [`Api::documented`](crate::Api::documented).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Documents {
    pub(super) openapi: String,
    pub(super) proto: Option<String>,
    pub(super) avro: Vec<AvroSchema>,
}

impl Documents {
    /// The OpenAPI 3.1 document, JSON with a line feed at its end.
    pub fn openapi(&self) -> &str {
        &self.openapi
    }

    /// The `.proto` of all messages, where an endpoint speaks Protocol Buffers, or a format that
    /// goes by the place of fields: what [`Api::schema_lock`](crate::Api::schema_lock) takes, once
    /// it is checked in.
    pub fn proto(&self) -> Option<&str> {
        self.proto.as_deref()
    }

    /// The Avro schemas, one for each type that an endpoint carries in Avro.
    pub fn avro(&self) -> &[AvroSchema] {
        &self.avro
    }
}

/// An Avro schema, and what it is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AvroSchema {
    pub(super) fingerprint: u64,
    pub(super) text: String,
}

impl AvroSchema {
    /// The CRC-64-AVRO of the schema's canonical form: what stands, little-endian, before each
    /// value in single-object encoding.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The text of the `.avsc`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it is served.
    pub(super) fn path(&self) -> String {
        format!("/schemas/{:016x}.avsc", self.fingerprint)
    }
}

/// JSON that is written already.
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
    /// Endpoints that serve what is told.
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
