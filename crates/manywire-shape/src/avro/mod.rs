//! Avro schemas: the model, how a [`Shape`](crate::Shape) becomes one, and its text.
//!
//! A [`Schema`] is a graph of types as [Apache Avro 1.12] has them, checked when it is made: a
//! union never holds a union, names are names, and every record has an end. The text of an
//! `.avsc` file is written from it, and its binary codec is compiled from it, so whether a schema
//! came from a shape or was read from a file makes no difference to either.
//!
//! Avro has fewer words than a shape: there are no tuples, no sum types beside unions, no names
//! beyond `[A-Za-z0-9_]`. What a reader of ours must know beyond Avro stands in the text as
//! properties that other readers ignore:
//!
//! | property | on | says |
//! |---|---|---|
//! | `manywire.name` | record, enum, field | the name in the data, where Avro's rule forbids it |
//! | `manywire.symbols` | enum | the same for the symbols, all of them |
//! | `manywire.aliases` | record, enum, field | other names, where Avro's rule forbids them |
//! | `manywire.presence` | field | `"optional"`: null stands for a field that was left out |
//! | `manywire.rest` | field | `true`: a map of the entries that are no named field |
//! | `manywire.role` | record | what it stands for, see [`Role`] |
//! | `manywire.variant` | record | the sum type it is a variant of, see [`VariantOf`] |
//!
//! # From a shape
//!
//! | shape | Avro |
//! |---|---|
//! | null, boolean, floats, text, bytes | `null`, `boolean`, `float`, `double`, `string`, `bytes` |
//! | one character | `string` |
//! | integers that fit 32 bits with their sign | `int` |
//! | other integers up to 64 bits | `long`; a `u64` above `i64::MAX` is refused when written |
//! | integers of 128 bits | `bytes`, logical type `decimal` of precision 39 and scale 0 |
//! | timestamp | record `Timestamp` of `seconds: long` and `nanoseconds: int` (a single `long` of nanoseconds ends in 2262, and the year 1 of many systems' zero would not fit) |
//! | option | union with `null` first, default `null`; an option of an option, or of a union, is one union |
//! | field that may be left out | the same: if the field itself may be null too, null reads back as left out |
//! | array, of whatever length | `array` |
//! | tuple | record of fields `_0`, `_1`, … |
//! | map, keys being text, characters or names of unit variants | `map` |
//! | map, other keys | `array` of records of `key` and `value` |
//! | record | record; entries beyond the fields in one more field `rest`, a `map` |
//! | sum type, externally tagged, no variant with content | `enum` |
//! | sum type, any other | union of records named by the variant: empty, the fields, `_0` …, or `value` |
//! | union | union; what Avro could not tell apart is wrapped in a record of one field `value` |
//! | anything | record `AnyValue`, of a union of all there is |
//!
//! [Apache Avro 1.12]: https://avro.apache.org/docs/1.12.0/specification/

mod any;
mod avsc;
mod check;
mod from_shape;
mod schema;

pub use crate::literal::Literal;
pub use schema::{
    Enum, Field, Fixed, Form, FullName, Logical, Node, NodeId, Record, Role, Schema, SchemaBuilder,
    SchemaError, Symbol, Type, VariantOf,
};
