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
