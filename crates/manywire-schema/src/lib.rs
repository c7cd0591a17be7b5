//! Reads schemas (`.proto`, `.avsc` and JSON Schema) as shapes, compares them, and generates types
//! from them.
//!
//! [`read_bytes`] detects the language by the content and returns a [`Document`]: the
//! [`Shape`](manywire_shape::Shape), which drives every format, and the schema in the terms of its
//! language, which has more detail (field numbers, the order of unions).
//!
//! [`TARGET_LANGUAGES`] lists the languages that a shape can be written in. [`native`] generates
//! types of programming languages from a shape, [`lock`] keeps the field numbers of a published
//! `.proto` stable, and [`compat`] lists the incompatible changes between two schemas.
//!
//! Schemas are untrusted input: nesting is bounded, circular references are detected, and every
//! [`Error`] has the file, line and column, and tells what was expected and what was found.

mod avro;
pub mod compat;
mod document;
mod error;
mod json;
mod json_schema;
pub mod lock;
pub mod native;
mod proto;
mod target;

pub use avro::read_avro;
pub use document::{Document, Language, Options, is_schema, may_be_schema, read, read_bytes};
pub use error::Error;
pub use json_schema::read_json_schema;
pub use proto::{ImportedFile, Importer, read_proto};
pub use target::{TARGET_LANGUAGES, TargetLanguage, TargetRow};
