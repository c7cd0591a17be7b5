//! The integration tests of the codecs, in one binary: a folder a format, and what the formats share.

mod arranged;
mod avro;
mod bson;
mod cbor;
mod coding;
mod erased;
mod every_format;
mod json;
mod msgpack;
mod protobuf;
mod support;
mod value_round_trip;
mod vectors;
