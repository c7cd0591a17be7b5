//! Generators of inputs that are close to what a target checks.
//!
//! Each generator writes the grammar of its format from the specification: valid values, in every
//! form that the format allows and not only the shortest. [`mutate()`] turns them into inputs for
//! the fuzzer and damages them: one bit, one byte, a part removed or repeated.

mod avro;
mod bson;
mod cbor;
mod http;
mod json;
mod msgpack;
mod mutate;
mod protobuf;
mod schema;
mod stream;
mod text;

use crate::choices::Choices;

pub(crate) use avro::{avro, avro_datum};
pub(crate) use bson::bson;
pub(crate) use cbor::cbor;
pub(crate) use http::{accept, form_text, har, multipart, patterns, request, tokens};
pub(crate) use json::json;
pub(crate) use msgpack::msgpack;
pub use mutate::mutate;
pub(crate) use protobuf::{protobuf, protobuf_named};
pub(crate) use schema::{avsc_text, json_schema_text, proto_text, shape, shaped, shaped_msgpack};
pub(crate) use stream::{
    avro_container, coded, conversion, delimited_protobuf, lines_json, sequence_bson,
    sequence_cbor, sequence_json, sequence_msgpack,
};
pub(crate) use text::{digits, gates, names, rows, sweeps};

/// Appends any bytes, for a property that makes a value of them.
pub(crate) fn any_bytes(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    out.extend(std::iter::repeat_with(|| choices.byte()).take(64));
}
