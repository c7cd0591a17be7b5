//! The tests of the schema readers, the checks of changes, and the generated types.

mod avro;
mod compat;
mod json_schema;
mod lock;
mod native;
mod proto;
