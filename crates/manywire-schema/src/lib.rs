//! Schemas that people have already: `.proto`, `.avsc` and JSON Schema, read as shapes.
//!
//! [`read`] tells the three apart by their content and gives a [`Document`]: the
//! [`Shape`](manywire_shape::Shape) that every format of ours can be driven by, and the schema in
//! its own terms where the format has more to say (field numbers, the order of unions).
//!
//! The other way round, [`native`] writes a shape down as types of programming languages, and [`lock`] keeps the
//! numbers of a published `.proto` from moving; [`compat`] says what any other change breaks.
//!
//! Nothing in a schema is trusted: nesting is bounded, references that lead in a circle are found,
//! and every [`Error`] says in which file, line and column it is, what was expected and what
//! stands there instead.

mod avro;
pub mod compat;
mod document;
mod error;
mod json;
mod json_schema;
pub mod lock;
pub mod native;
mod proto;

pub use avro::read_avro;
pub use document::{Document, Language, is_schema, may_be_schema, read};
pub use error::Error;
pub use json_schema::read_json_schema;
pub use proto::read_proto;
