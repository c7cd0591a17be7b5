//! Protocol Buffers: what the messages of a shape look like.
//!
//! A [`Schema`] is the model that the codec compiles and the `.proto` writer prints. It is made
//! from a [`Shape`](crate::Shape), or by whoever reads a `.proto`: nothing in it refers to where
//! it came from. Messages are protobuf's own; a [`Form`] says which value one stands for, since a
//! value has places (arrays in arrays, sum types, pairs) that protobuf only has through messages.
//!
//! How a shape becomes messages:
//!
//! | shape | proto3 |
//! |---|---|
//! | boolean, text, bytes, floats | `bool`, `string`, `bytes`, `float`, `double` |
//! | integer | `int32`, `uint64` …; `sint` and `fixed` as [`IntEncoding`](crate::IntEncoding) says |
//! | integer of 128 bits | `string`, in decimal: every language can read it |
//! | char | `string` |
//! | timestamp | `google.protobuf.Timestamp` |
//! | null | `google.protobuf.Empty` |
//! | record | message, a field a field |
//! | entries that are no named field | a map field of the record's message |
//! | option, optional or defaulted field | `optional` |
//! | array | `repeated`, packed for numbers |
//! | array in an array, map or variant; optional array that may be empty | message around a `repeated` |
//! | map with integer, boolean or text keys | `map<K, V>` |
//! | map with other keys | `repeated` message of key and value |
//! | tuple | message with the fields `_0`, `_1` … |
//! | enum whose variants carry nothing | `enum`, with an unspecified 0 that no value has |
//! | other enum | message with a `oneof`; what carries nothing is `google.protobuf.Empty` |
//! | union | message with a `oneof`, a branch a kind |
//! | anything | the same, with all kinds, holding itself |
//!
//! A required scalar has implicit presence: zero is not written, and absence is read as zero. A
//! root that is no record is field 1 of a message of its own.

mod descriptor;
mod lower;
mod names;
mod schema;
mod text;

pub use lower::InvalidSchema;
pub use schema::{
    Absent, Enum, EnumValue, FIELD_NUMBER_MAX, Field, Form, Kind, Label, Message, Reserved, Schema,
};
