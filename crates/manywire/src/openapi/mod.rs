//! The documents of an API, generated from the same values that serve it: OpenAPI 3.1, the `.proto`
//! of its messages, and each Avro schema by its fingerprint.
//!
//! The OpenAPI document names exactly the formats of each endpoint. The JSON Schema of a value is
//! the same for each of its formats. Protocol Buffers and Avro also have schemas in their own
//! languages, to which `x-proto-message` and `x-avro-schema` refer.

mod documents;
mod info;
mod json;
mod operation;
#[cfg_attr(not(feature = "docs-page"), path = "page_disabled.rs")]
mod page;
mod schemas;
mod security;
mod sources;
mod writer;

pub use documents::{AvroSchema, Documents};
pub(crate) use info::{Info, License};
pub(crate) use page::DocsPage;
pub(crate) use sources::{Sources, types_in};
