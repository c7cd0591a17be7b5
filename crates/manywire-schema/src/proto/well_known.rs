//! The well-known files of Google (google/protobuf in the Protocol Buffers repository), which
//! compilers have built in.

/// The files and their declarations. `google/protobuf/descriptor.proto` is not one of them: schemas
/// import it for options, which have no effect on the encoding.
const FILES: [(&str, &str); 10] = [
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
    ("google/protobuf/source_context.proto", "message SourceContext { string file_name = 1; }"),
    (
        "google/protobuf/type.proto",
        "import \"google/protobuf/any.proto\"; import \"google/protobuf/source_context.proto\";
         message Type { string name = 1; repeated Field fields = 2; repeated string oneofs = 3;
            repeated Option options = 4; SourceContext source_context = 5; Syntax syntax = 6;
            string edition = 7; }
         message Field {
            enum Kind { TYPE_UNKNOWN = 0; TYPE_DOUBLE = 1; TYPE_FLOAT = 2; TYPE_INT64 = 3;
               TYPE_UINT64 = 4; TYPE_INT32 = 5; TYPE_FIXED64 = 6; TYPE_FIXED32 = 7; TYPE_BOOL = 8;
               TYPE_STRING = 9; TYPE_GROUP = 10; TYPE_MESSAGE = 11; TYPE_BYTES = 12;
               TYPE_UINT32 = 13; TYPE_ENUM = 14; TYPE_SFIXED32 = 15; TYPE_SFIXED64 = 16;
               TYPE_SINT32 = 17; TYPE_SINT64 = 18; }
            enum Cardinality { CARDINALITY_UNKNOWN = 0; CARDINALITY_OPTIONAL = 1;
               CARDINALITY_REQUIRED = 2; CARDINALITY_REPEATED = 3; }
            Kind kind = 1; Cardinality cardinality = 2; int32 number = 3; string name = 4;
            string type_url = 6; int32 oneof_index = 7; bool packed = 8;
            repeated Option options = 9; string json_name = 10; string default_value = 11; }
         message Enum { string name = 1; repeated EnumValue enumvalue = 2;
            repeated Option options = 3; SourceContext source_context = 4; Syntax syntax = 5;
            string edition = 6; }
         message EnumValue { string name = 1; int32 number = 2; repeated Option options = 3; }
         message Option { string name = 1; Any value = 2; }
         enum Syntax { SYNTAX_PROTO2 = 0; SYNTAX_PROTO3 = 1; SYNTAX_EDITIONS = 2; }",
    ),
    (
        "google/protobuf/api.proto",
        "import \"google/protobuf/source_context.proto\"; import \"google/protobuf/type.proto\";
         message Api { string name = 1; repeated Method methods = 2; repeated Option options = 3;
            string version = 4; SourceContext source_context = 5; repeated Mixin mixins = 6;
            Syntax syntax = 7; string edition = 8; }
         message Method { string name = 1; string request_type_url = 2; bool request_streaming = 3;
            string response_type_url = 4; bool response_streaming = 5; repeated Option options = 6;
            Syntax syntax = 7; string edition = 8; }
         message Mixin { string name = 1; string root = 2; }",
    ),
];

/// Returns the path of a well-known file.
pub(super) fn path(path: &str) -> Option<&'static str> {
    FILES.iter().find(|file| file.0 == path).map(|file| file.0)
}

/// Returns the path and the text of a well-known file.
pub(super) fn text(path: &str) -> Option<(&'static str, String)> {
    let (path, declared) = FILES.iter().find(|file| file.0 == path)?;
    Some((path, format!("syntax = \"proto3\"; package google.protobuf; {declared}")))
}
