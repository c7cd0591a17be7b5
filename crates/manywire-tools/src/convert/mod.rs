//! Converts values from one format to another without loss, or lists what is lost.
//!
//! A [`Conversion`] reads values one by one ([`crate::payload`]), adapts each to the output format,
//! and writes it. A value that the format cannot represent is refused with its path or, if losses are
//! allowed, replaced by the nearest value and listed.
//!
//! A table lists what each self-describing format can represent. In a format with a schema, the
//! shape decides what can be represented: every written value is read back and compared with the
//! original.

mod adapt;
mod conversion;
mod place;
mod sink;
mod text;

pub use conversion::{Conversion, Failure, Outcome, SchemaFailure, TakeSchema};
pub use sink::{SchemaLanguage, encode_by_schema, encode_without_schema, schema_text};
