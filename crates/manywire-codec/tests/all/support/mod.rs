//! Values, corpora and reference implementations that several formats are tested with.

pub(crate) mod any_value;
pub(crate) mod avsc;
pub(crate) mod bson_reference;
pub(crate) mod corpus;
pub(crate) mod first_entry;
pub(crate) mod golden;
pub(crate) mod proto_compiler;
pub(crate) mod protobuf_peer;
