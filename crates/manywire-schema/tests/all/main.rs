//! Tests of the schema readers, the compatibility checks, the locks and the generated types.

mod avro;
mod compat;
mod json_schema;
mod lock;
mod native;
mod proto;
