//! Avro schemas (`.avsc`), Apache Avro 1.12: the schema itself, and the shape of its data.
//!
//! | Avro | shape |
//! |---|---|
//! | `null`, `boolean`, `float`, `double`, `bytes`, `string` | the same |
//! | `int`, `long` | `i32`, `i64` |
//! | `fixed` | bytes |
//! | `enum` | a sum type without content |
//! | `array`, `map` | the same |
//! | `record` | a record; a field with a default may be missing from what is read |
//! | union with `null` | an option |
//! | union | a union; branches that JSON could not tell apart become one |
//!
//! Logical types annotate and change nothing, save that a `decimal` of 39 digits and scale 0 is an
//! integer of 128 bits, as we write them. The properties of our own (`manywire.*`) are read back:
//! tuples, sum types, maps with keys of any kind, points in time, fields that may be left out.

mod parse;
mod shape;

use manywire_shape::avro::Schema;
use manywire_shape::{Literal, Shape};

use crate::Error;
use crate::json;

/// Reads an Avro schema.
///
/// `file` is for messages alone.
///
/// # Errors
///
/// Where the text is no JSON, or not what the specification calls for: an unknown type, a name
/// that is none or is given twice, a union within a union, a record that contains itself always.
pub fn read_avro(file: &str, text: &str) -> Result<(Schema, Shape), Error> {
    read_literal(file, text, &json::parse(file, text)?)
}

/// Reads an Avro schema out of its parsed text.
pub(crate) fn read_literal(
    file: &str,
    text: &str,
    literal: &Literal,
) -> Result<(Schema, Shape), Error> {
    let schema = parse::schema(literal).map_err(|fault| fault.locate(file, text))?;
    let shape = shape::shape(&schema);
    Ok((schema, shape))
}
