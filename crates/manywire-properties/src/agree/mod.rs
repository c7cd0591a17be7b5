//! The codec and the walker of each format, compared with each other.

mod avro;
mod cbor;
mod protobuf;
mod protobuf_named;
mod self_describing;

pub(crate) use avro::{SMALL_ZERO_SIZE_BUDGET, avro, avro_schema, is_container_file};
pub(crate) use cbor::cbor;
pub(crate) use protobuf::protobuf;
pub(crate) use protobuf_named::{protobuf_document, protobuf_named, protobuf_schema};
pub(crate) use self_describing::{bson, json, msgpack};
