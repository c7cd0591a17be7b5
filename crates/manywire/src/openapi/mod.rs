//! What is told of an API, from the same values that serve it: the OpenAPI 3.1 document, the
//! `.proto` of its messages, and each Avro schema by its fingerprint.
//!
//! The document names exactly the formats of each endpoint. The schema of JSON stands with every
//! format that holds the same values; for Protocol Buffers and Avro, which have schemas of their
//! own, `x-proto-message` and `x-avro-schema` say where those are.

mod documents;
mod json;
mod operation;
mod schemas;
mod sources;

pub use documents::{AvroSchema, Documents};
pub(crate) use sources::Sources;
