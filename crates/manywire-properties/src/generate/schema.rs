//! Texts of schemas, from the words of their languages.

use manywire_shape::{avro, json_schema, proto};

use super::shape;
use crate::choices::Choices;

/// Words in a row, as a parser meets them, with a space between.
fn words(choices: &mut Choices<'_>, list: &[&str], most: usize, out: &mut Vec<u8>) {
    for _ in 0..choices.below(most) {
        out.extend(choices.of(list).bytes());
        out.push(b' ');
    }
}

/// A `.proto` that a shape gives, or its words in any order.
pub(crate) fn proto_text(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const WORDS: [&str; 40] = [
        "syntax = \"proto3\";",
        "package a.b;",
        "message M {",
        "message N {",
        "}",
        "enum E {",
        "A = 0;",
        "B = 1;",
        "int32 a = 1;",
        "repeated string b = 2;",
        "optional M m = 3;",
        "map<string, N> n = 4;",
        "oneof o {",
        "double d = 5;",
        "reserved 6, 8 to max;",
        "reserved \"x\";",
        "import \"google/protobuf/timestamp.proto\";",
        "google.protobuf.Timestamp t = 7;",
        "option deprecated = true;",
        "[packed = false]",
        "[json_name = \"q\"]",
        "//",
        "/*",
        "*/",
        "\n",
        "service S {",
        "rpc",
        "extend",
        "extensions",
        "group",
        "\"",
        "'\\x41'",
        "0x10",
        "-1",
        "1e5",
        "=",
        ";",
        ",",
        ".M",
        "536870912",
    ];
    if choices.one_in(3) {
        out.extend(b"syntax = \"proto3\";\n");
        return words(choices, &WORDS, 40, out);
    }
    if let Ok(schema) = proto::Schema::from_shape(&shape(choices)) {
        out.extend(schema.to_proto("a.b").bytes());
    }
}

/// An `.avsc` that a shape gives, or its words in any order.
pub(crate) fn avsc_text(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const WORDS: [&str; 32] = [
        "{\"type\":\"record\",\"name\":\"R\",\"fields\":[",
        "{\"name\":\"f\",\"type\":",
        "}",
        "]",
        "]}",
        ",",
        "\"int\"",
        "\"long\"",
        "\"R\"",
        "\"a.b.R\"",
        "[\"null\",",
        "\"string\"",
        "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}",
        "{\"type\":\"fixed\",\"name\":\"F\",\"size\":12}",
        "{\"type\":\"array\",\"items\":",
        "{\"type\":\"map\",\"values\":",
        "\"logicalType\":\"decimal\"",
        "\"precision\":4",
        "\"scale\":2",
        "\"namespace\":\"a.b\"",
        "\"aliases\":[\"x\"]",
        "\"default\":null",
        "\"doc\":\"d\"",
        "\"order\":\"ignore\"",
        "{",
        "[",
        ":",
        "null",
        "1",
        "-1",
        "\"uuid\"",
        "\"bytes\"",
    ];
    if choices.one_in(3) {
        return words(choices, &WORDS, 24, out);
    }
    if let Ok(schema) = avro::Schema::from_shape(&shape(choices)) {
        out.extend(schema.to_string().bytes());
    }
}

/// A JSON Schema that a shape gives, or its words in any order.
pub(crate) fn json_schema_text(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    const WORDS: [&str; 32] = [
        "{\"type\":\"object\",\"properties\":{",
        "\"a\":",
        "}",
        "]",
        "]}",
        "}}",
        ",",
        "{\"type\":\"integer\",\"minimum\":0}",
        "{\"type\":[\"string\",\"null\"]}",
        "{\"$ref\":\"#/$defs/D\"}",
        "{\"$ref\":\"#\"}",
        "\"$defs\":{\"D\":",
        "\"required\":[\"a\"]",
        "{\"oneOf\":[",
        "{\"anyOf\":[",
        "{\"allOf\":[",
        "{\"const\":\"x\"}",
        "{\"enum\":[\"x\",\"y\"]}",
        "{\"type\":\"array\",\"items\":",
        "\"prefixItems\":[",
        "\"additionalProperties\":",
        "true",
        "false",
        "{}",
        "\"maximum\":255",
        "\"format\":\"date-time\"",
        "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"",
        "\"minItems\":2",
        "{",
        "[",
        ":",
        "1e400",
    ];
    if choices.one_in(3) {
        return words(choices, &WORDS, 24, out);
    }
    out.extend(json_schema::JsonSchema::of(&shape(choices)).to_string().bytes());
}
