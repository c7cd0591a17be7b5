//! Shapes of any kind, schemas of these shapes, and data after the bytes that choose a shape.

use manywire_shape::{
    Array, Enum, Field, Int, IntEncoding, Node, NodeId, Presence, Record, Shape, ShapeBuilder,
    Tagging, Variant, VariantKind, avro, json_schema, proto,
};

use super::avro::avro;
use super::msgpack::msgpack;
use super::protobuf::protobuf;
use crate::choices::Choices;

/// Appends words of a language with a space between them.
fn words(choices: &mut Choices<'_>, list: &[&str], most: usize, out: &mut Vec<u8>) {
    for _ in 0..choices.below(most) {
        out.extend(choices.pick(list).bytes());
        out.push(b' ');
    }
}

/// Appends the `.proto` of a shape, or words of the language in any order.
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

/// Appends the `.avsc` of a shape, or words of the language in any order.
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

/// Appends the JSON Schema of a shape, or words of the language in any order.
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

/// The maximum number of nodes of a shape before the shape gets only scalars and references to the
/// enclosing record.
const NODES_MAX: usize = 24;

const NAMES: [&str; 8] = ["a", "b", "id", "name", "value", "kind", "x y", "type"];

/// Returns a shape with any kind of node, optional fields, and types that contain themselves.
pub(crate) fn shape(choices: &mut Choices<'_>) -> Shape {
    let mut builder = ShapeBuilder::default();
    let mut generator = Generator { left: NODES_MAX, records: Vec::new(), named: 0 };
    let root = generator.record(choices, &mut builder, 3);
    builder.finish(root)
}

struct Generator {
    left: usize,
    /// Records under construction, for recursive references.
    records: Vec<NodeId>,
    named: usize,
}

impl Generator {
    fn name(&mut self, kind: &str) -> String {
        self.named += 1;
        format!("{kind}{}", self.named)
    }

    fn node(
        &mut self,
        choices: &mut Choices<'_>,
        builder: &mut ShapeBuilder,
        depth: usize,
    ) -> NodeId {
        self.left = self.left.saturating_sub(1);
        let containers = depth > 0 && self.left > 0;
        let node = match choices.below(if containers { 19 } else { 9 }) {
            0 => Node::Bool,
            1 | 2 => Node::Int(Int {
                signed: choices.one_in(2),
                bits: [8, 16, 32, 64][choices.below(4)],
                encoding: [IntEncoding::Varint, IntEncoding::Zigzag, IntEncoding::Fixed]
                    [choices.below(3)],
            }),
            3 => Node::F64,
            4 => Node::Str,
            5 => Node::Bytes,
            6 => [Node::F32, Node::Char, Node::Timestamp, Node::Null][choices.below(4)].clone(),
            7 => Node::Str,
            // A record contains itself, as an optional value.
            8 => self.records.last().map_or(Node::Bool, |record| Node::Option(*record)),
            9 => Node::Any,
            10 | 11 => Node::Option(self.node(choices, builder, depth - 1)),
            12 | 13 => {
                let item = self.node(choices, builder, depth - 1);
                Node::Array(Array::new(item))
            }
            14 => {
                let count = 1 + choices.below(3);
                Node::Tuple((0..count).map(|_| self.node(choices, builder, depth - 1)).collect())
            }
            15 => {
                let key = builder.add(match choices.below(4) {
                    0 => Node::Int(Int::signed(32)),
                    1 => Node::Int(Int::unsigned(64)),
                    _ => Node::Str,
                });
                Node::Map { key, value: self.node(choices, builder, depth - 1) }
            }
            16 => return self.record(choices, builder, depth - 1),
            17 => return self.sum(choices, builder, depth - 1),
            _ => {
                let scalars = [Node::Null, Node::Bool, Node::Int(Int::signed(64)), Node::Str];
                let count = 2 + choices.below(3);
                let branches = scalars.into_iter().take(count).map(|node| builder.add(node));
                Node::Union(branches.collect())
            }
        };
        builder.add(node)
    }

    fn record(
        &mut self,
        choices: &mut Choices<'_>,
        builder: &mut ShapeBuilder,
        depth: usize,
    ) -> NodeId {
        let name = self.name("Record");
        let outline = Node::Record(Record {
            name: name.clone().into(),
            doc: "".into(),
            fields: Vec::new(),
            rest: None,
        });
        let id = builder.reserve(outline);
        self.records.push(id);
        let mut fields = Vec::new();
        for name in NAMES.iter().take(choices.below(7)) {
            let mut field = Field::new(*name, self.node(choices, builder, depth));
            field.presence =
                [Presence::Required, Presence::Optional, Presence::Defaulted][choices.below(3)];
            fields.push(field);
        }
        self.records.pop();
        builder.fill(
            id,
            Node::Record(Record { name: name.into(), doc: "".into(), fields, rest: None }),
        );
        id
    }

    fn sum(
        &mut self,
        choices: &mut Choices<'_>,
        builder: &mut ShapeBuilder,
        depth: usize,
    ) -> NodeId {
        let name = self.name("Enum");
        let variants = ["Red", "Green", "Blue", "Other"].iter().take(1 + choices.below(4));
        let variants: Vec<Variant> = variants
            .map(|name| {
                let kind = match choices.below(4) {
                    0 | 1 => VariantKind::Unit,
                    2 => VariantKind::Newtype(self.node(choices, builder, depth)),
                    _ => VariantKind::Struct(self.record(choices, builder, depth)),
                };
                Variant {
                    name: (*name).into(),
                    aliases: Vec::new(),
                    doc: "".into(),
                    kind,
                    number: None,
                }
            })
            .collect();
        builder.add(Node::Enum(Enum {
            name: name.into(),
            doc: "".into(),
            tagging: Tagging::External,
            variants,
        }))
    }
}

/// Appends bytes that choose a shape, and data that may match it.
pub(crate) fn shaped(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    (0..48).for_each(|_| out.push(choices.byte()));
    match choices.one_in(2) {
        true => protobuf(choices, out),
        false => avro(choices, out),
    }
}

/// Appends bytes that choose a shape, and MessagePack that may match it.
pub(crate) fn shaped_msgpack(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    (0..48).for_each(|_| out.push(choices.byte()));
    msgpack(choices, out);
}
