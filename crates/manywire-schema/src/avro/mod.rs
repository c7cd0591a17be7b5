//! Reads Avro schemas (`.avsc`), Apache Avro 1.12: the schema, and the shape of its data.
//!
//! | Avro | shape |
//! |---|---|
//! | `null`, `boolean`, `float`, `double`, `bytes`, `string` | the same |
//! | `int`, `long` | `i32`, `i64` |
//! | `fixed` | bytes |
//! | `enum` | an enum without content |
//! | `array`, `map` | the same |
//! | `record` | a record; a field with a default may be absent from the input |
//! | union with `null` | an option |
//! | union | a union; branches that JSON cannot distinguish become one |
//!
//! Logical types have no effect, except that `bytes` with the logical type `decimal` of scale 0 are
//! an integer of 128 bits, or of 64 bits without a sign if the precision is 20, as we write it. The
//! `manywire.*` properties restore tuples, enums with content, maps with keys of any type,
//! timestamps and optional fields.
//!
//! Names that the specification does not have, such as `Outer$Inner` and `@type`, are read as the
//! names in the data. The schema has valid names in their place.

mod parse;
mod shape;

use manywire_shape::avro::Schema;
use manywire_shape::{Literal, Shape};

use crate::Error;
use crate::json;

/// Reads an Avro schema.
///
/// `file` is used only in error messages.
///
/// # Errors
///
/// Fails if the text is not JSON or not a valid schema: for an unknown type, an invalid or
/// duplicate name, a union inside a union, or a record that always contains itself.
pub fn read_avro(file: &str, text: &str) -> Result<(Schema, Shape), Error> {
    let (schema, shape, _) = read_literal(file, text, &json::parse(file, text)?)?;
    Ok((schema, shape))
}

/// Reads a parsed Avro schema. Also returns a note for each kind of departure from the specification:
/// names that it does not allow, and defaults of other types.
pub(crate) fn read_literal(
    file: &str,
    text: &str,
    literal: &Literal,
) -> Result<(Schema, Shape, Vec<Error>), Error> {
    let (schema, notes) = parse::schema(literal).map_err(|fault| fault.locate(file, text))?;
    let shape = shape::shape(&schema);
    Ok((schema, shape, notes.into_iter().map(|note| note.locate(file, text)).collect()))
}
