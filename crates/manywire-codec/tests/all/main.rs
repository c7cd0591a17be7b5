//! The integration tests of the codecs, in one binary: one folder for each format, and `support`
//! for the code that formats share.

mod arranged;
mod avro;
mod bson;
mod cbor;
mod coding;
mod entries;
mod erased;
mod every_format;
mod extension;
mod format_types;
mod json;
mod matrix;
mod msgpack;
mod peers;
mod protobuf;
mod support;
mod value_round_trip;
mod vectors;
