//! Protocol Buffers: the model of a schema, the conversion of shapes to it, and its text and
//! descriptors.
//!
//! A [`Schema`] is the model that the codec compiles and the `.proto` writer prints. It comes from
//! a [`Shape`](crate::Shape) or from a parsed `.proto`, and does not depend on which. Its messages
//! are those of Protocol Buffers. The [`Form`] of a message tells which value it represents,
//! because arrays in arrays, enums with content and tuples need messages in Protocol Buffers.
//!
//! A shape becomes messages by this table:
//!
//! | shape | proto3 |
//! |---|---|
//! | boolean, text, bytes, floats | `bool`, `string`, `bytes`, `float`, `double` |
//! | integer | `int32`, `uint64` …; `sint` and `fixed` as [`IntEncoding`](crate::IntEncoding) says |
//! | integer of 128 bits | `string`, in decimal: every language can read it |
//! | char | `string` |
//! | timestamp | `google.protobuf.Timestamp` |
//! | null | `google.protobuf.Empty` |
//! | record | message with the same fields |
//! | other entries of a record | a map field of the record's message |
//! | option, optional or defaulted field | `optional` |
//! | array | `repeated`, packed for numbers |
//! | array in an array, map or variant; optional array that may be empty | message around a `repeated` |
//! | map with integer, boolean or text keys | `map<K, V>` |
//! | map with other keys | `repeated` message of key and value |
//! | tuple | message with the fields `_0`, `_1` … |
//! | enum whose variants have no content | `enum`, with an unspecified 0 that no variant has |
//! | other enum | message with a `oneof`; a unit variant is `google.protobuf.Empty` |
//! | union | message with a `oneof`, one field per branch |
//! | any value | message with a `oneof` of all kinds, which contains itself |
//!
//! A required scalar has implicit presence: zero is not written, and absence is read as zero. A
//! root that is not a record becomes field 1 of a message.

mod descriptor;
mod lower;
mod mark;
mod names;
mod schema;
mod text;

pub use lower::InvalidSchema;
pub use mark::{FieldMark, MessageMark, ROOT_MARK};
pub use names::{entry_name, json_name};
pub use schema::{
    Absent, Enum, EnumValue, FIELD_NUMBER_MAX, Field, Form, Kind, Label, Message, RESERVED_NUMBERS,
    Reserved, SCALARS, Scalar, Schema,
};
pub use text::{quote, quote_bytes, unescape};
