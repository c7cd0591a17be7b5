//! The types of Google's own that files import. Those with a meaning of their own stand in
//! [`super::build`]; the rest are what their files declare.

use super::Result;
use super::ast::File;
use super::parse;

/// The files, and what they declare (google/protobuf in the Protocol Buffers repository).
const FILES: [(&str, &str); 7] = [
    (
        "google/protobuf/timestamp.proto",
        "message Timestamp { int64 seconds = 1; int32 nanos = 2; }",
    ),
    ("google/protobuf/duration.proto", "message Duration { int64 seconds = 1; int32 nanos = 2; }"),
    ("google/protobuf/empty.proto", "message Empty {}"),
    ("google/protobuf/any.proto", "message Any { string type_url = 1; bytes value = 2; }"),
    ("google/protobuf/field_mask.proto", "message FieldMask { repeated string paths = 1; }"),
    (
        "google/protobuf/struct.proto",
        "enum NullValue { NULL_VALUE = 0; }
         message Struct { map<string, Value> fields = 1; }
         message ListValue { repeated Value values = 1; }
         message Value { oneof kind {
            NullValue null_value = 1; double number_value = 2; string string_value = 3;
            bool bool_value = 4; Struct struct_value = 5; ListValue list_value = 6; } }",
    ),
    (
        "google/protobuf/wrappers.proto",
        "message DoubleValue { double value = 1; } message FloatValue { float value = 1; }
         message Int64Value { int64 value = 1; } message UInt64Value { uint64 value = 1; }
         message Int32Value { int32 value = 1; } message UInt32Value { uint32 value = 1; }
         message BoolValue { bool value = 1; } message StringValue { string value = 1; }
         message BytesValue { bytes value = 1; }",
    ),
];

/// Adds what the file imports of these.
pub(super) fn declare(file: &mut File) -> Result<()> {
    for (path, declared) in FILES {
        if !file.imports.iter().any(|import| import == path) {
            continue;
        }
        let text = format!("syntax = \"proto3\"; package google.protobuf; {declared}");
        let mut imported = parse::file(&text)?;
        for message in &mut imported.messages {
            message.import = Some(path);
        }
        file.messages.append(&mut imported.messages);
        file.enums.append(&mut imported.enums);
    }
    Ok(())
}
