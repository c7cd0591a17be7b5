//! Avro: the model of a schema, the conversion of shapes to it, and its text.
//!
//! A [`Schema`] is a graph of the types of [Apache Avro 1.12]. It is checked when it is built: no
//! union is inside a union, names are valid, and no record contains itself on every path. The
//! `.avsc` writer and the binary codec both use this model, so it does not matter whether a schema
//! came from a shape or from a file.
//!
//! Avro has no tuples, no enums with content and no names beyond `[A-Za-z0-9_]`. The information
//! that our readers need beyond Avro's is in properties that other readers ignore:
//!
//! | property | on | meaning |
//! |---|---|---|
//! | `manywire.name` | record, enum, field | the name in the data, if it is not a valid Avro name |
//! | `manywire.symbols` | enum | the names of all symbols in the data, if any differs |
//! | `manywire.aliases` | record, enum, field | aliases that are not valid Avro names |
//! | `manywire.presence` | field | `"optional"`: null represents an absent field |
//! | `manywire.rest` | last field of a record or of a struct variant | `true`: the map of all other entries |
//! | `manywire.role` | record | the kind of value that it represents, see [`Role`] |
//! | `manywire.variant` | record | the enum that it is a variant of, see [`VariantOf`] |
//!
//! # From a shape
//!
//! | shape | Avro |
//! |---|---|
//! | null, boolean, floats, text, bytes | `null`, `boolean`, `float`, `double`, `string`, `bytes` |
//! | one character | `string` |
//! | integers that fit 32 bits with their sign | `int` |
//! | other integers up to 64 bits | `long`; a `u64` above `i64::MAX` is refused when written |
//! | a `u64` of full width ([`IntEncoding::Fixed`](crate::IntEncoding)), as inferred from values above `i64::MAX` | `bytes`, logical type `decimal` of precision 20 and scale 0 |
//! | integers of 128 bits | `bytes`, logical type `decimal` of precision 39 and scale 0 |
//! | timestamp | record `Timestamp` of `seconds: long` and `nanoseconds: int` (a single `long` of nanoseconds ends in 2262, and the year 1 of many systems' zero would not fit) |
//! | option | union with `null` first, default `null`; an option of an option, or of a union, is one union |
//! | optional field | the same; if the field itself may be null, null is read back as absent |
//! | optional field that is always null, as a flattened variant without content | union of `null` and a record with a field `value` of type `null` |
//! | array, of any length | `array` |
//! | tuple | record of fields `_0`, `_1`, … |
//! | map, keys being text, characters or names of unit variants | `map` |
//! | map, other keys | `array` of records of `key` and `value` |
//! | record | record; other entries in a field `rest`, a `map` |
//! | enum, externally tagged, no variant with content | `enum` |
//! | other enum | union of records named by the variant: empty, the fields, `_0` …, or `value` |
//! | union | union; branches that Avro cannot distinguish are wrapped in a record with a field `value` |
//! | any value | record `AnyValue` with a union of all types |
//!
//! [Apache Avro 1.12]: https://avro.apache.org/docs/1.12.0/specification/

mod any;
mod avsc;
mod builder;
mod check;
mod from_shape;
mod schema;

pub use crate::literal::Literal;
pub use builder::SchemaBuilder;
pub use schema::{
    Enum, Field, Fixed, Form, FullName, Logical, Names, Node, NodeId, Order, Record, Role, Schema,
    SchemaError, Symbol, Type, UNSIGNED_64_DIGITS, VariantOf, WIDE_DIGITS, is_name,
};
