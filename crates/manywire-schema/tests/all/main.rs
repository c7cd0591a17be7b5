//! Tests of the schema readers, the compatibility checks, the locks and the generated types.

mod avro;
mod compat;
mod json_schema;
mod lock;
mod native;
mod proto;
#[path = "../../../manywire-codec/tests/all/support/proto_compiler.rs"]
mod proto_compiler;
mod tables;
