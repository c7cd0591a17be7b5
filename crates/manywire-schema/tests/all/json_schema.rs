//! Reads and writes JSON Schema, and checks that the two agree.

use std::collections::HashMap;

use manywire_schema::read_json_schema;
use manywire_shape::infer::Inference;
use manywire_shape::json_schema::JsonSchema;
use manywire_shape::{
    Arena, Field, Int, IntEncoding, Node, OwnedValue, Presence, Record, Shape, ShapeBuilder,
    Shaped, Value, ValueSeed,
};
use serde::de::DeserializeSeed;

use crate::tables::{check_errors, check_outlines};

/// Schemas and the outlines of their shapes.
const TABLE: &[(&str, &str)] = &[
    ("true", "any"),
    ("{}", "any"),
    (r#"{"type":"null"}"#, "null"),
    (r#"{"type":"boolean"}"#, "bool"),
    (r#"{"type":"string","format":"date-time"}"#, "str"),
    (r#"{"type":"string","minLength":1,"maxLength":1}"#, "char"),
    (r#"{"type":"number"}"#, "f64"),
    (r#"{"type":"number","format":"float"}"#, "f32"),
    // Integers: by format, by limits.
    (r#"{"type":"integer"}"#, "i64"),
    (r#"{"type":"integer","format":"uint16"}"#, "u16"),
    (r#"{"type":"integer","minimum":0,"maximum":255}"#, "u8"),
    (r#"{"type":"integer","minimum":0,"exclusiveMaximum":256}"#, "u8"),
    (r#"{"type":"integer","minimum":-1,"maximum":127}"#, "i8"),
    (r#"{"type":"integer","minimum":-1,"maximum":128.0}"#, "i16"),
    (r#"{"type":"integer","minimum":0}"#, "i64"),
    (r#"{"type":"integer","maximum":18446744073709551615}"#, "u64"),
    (r#"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#, "u64"),
    (r#"{"type":"integer","minimum":0,"maximum":18446744073709551616}"#, "u128"),
    (r#"{"type":"integer","minimum":-1,"maximum":18446744073709551615}"#, "i128"),
    (r#"{"type":"integer","minimum":-10,"maximum":-5}"#, "i8"),
    (r#"{"type":"integer","minimum":9223372036854775808}"#, "u64"),
    (r#"{"type":"integer","minimum":-1e30}"#, "i128"),
    (r#"{"type":"integer","minimum":0.5,"maximum":100}"#, "i64"),
    // Several types, null among them.
    (r#"{"type":["string","null"]}"#, "str?"),
    (r#"{"type":["string","integer"]}"#, "str | i64"),
    (r#"{"anyOf":[{"type":"integer"},{"type":"null"},{"type":"boolean"}]}"#, "(i64 | bool)?"),
    (r#"{"oneOf":[{"type":"integer"},{"type":"number"}]}"#, "i64 | f64"),
    // Constants.
    (r#"{"enum":["a","b"]}"#, "Root = { a b }"),
    (r#"{"enum":["a",null]}"#, "Root? Root = { a }"),
    (r#"{"enum":[1,2.5]}"#, "i64 | f64"),
    (r#"{"const":1}"#, "i64"),
    // Arrays and tuples.
    (r#"{"type":"array"}"#, "[any]"),
    (r#"{"items":{"type":"string"}}"#, "[str]"),
    (r#"{"type":"array","items":{"type":"string"},"minItems":1}"#, "[str; 1..]"),
    (r#"{"type":"array","items":{"type":"string"},"minItems":3,"maxItems":3}"#, "[str; 3]"),
    (
        r#"{"type":"array","prefixItems":[{"type":"string"},{"type":"boolean"}],"items":false}"#,
        "(str, bool)",
    ),
    (r#"{"type":"array","items":[{"type":"string"},{"type":"null"}]}"#, "(str, null)"),
    (r#"{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"null"}}"#, "[str?]"),
    // Records.
    (
        r#"{"type":"object","title":"a hotel","properties":{"id":{"type":"integer"},
            "note":{"type":"string"}},"required":["id"]}"#,
        "AHotel { id: i64 note?: str }",
    ),
    (r#"{"type":"object","properties":{},"additionalProperties":false}"#, "Root {}"),
    (
        r#"{"properties":{"a":{}},"additionalProperties":{"type":"string"}}"#,
        "Root { a?: any ..: str }",
    ),
    (
        r#"{"properties":{"a":{"type":"integer"}},"patternProperties":{"^x-":{"type":"string"},
            "^y":false},"additionalProperties":false}"#,
        "Root { a?: i64 ..: str }",
    ),
    (
        r#"{"properties":{"a":{}},"patternProperties":{"^b":{"type":"boolean"}},
            "additionalProperties":{"type":"string"}}"#,
        "Root { a?: any ..: bool | str }",
    ),
    // A required name without a property is a field of any type, or part of the rest.
    (
        r#"{"type":"object","properties":{"a":{}},"required":["q","a","b"]}"#,
        "Root { a: any b: any q: any }",
    ),
    (r#"{"required":["q"],"additionalProperties":{"type":"string"}}"#, "Root { ..: str }"),
    // Maps.
    (r#"{"type":"object"}"#, "{str: any}"),
    (r#"{"type":"object","additionalProperties":{"type":"integer"}}"#, "{str: i64}"),
    (
        r#"{"type":"object","patternProperties":{"^a":{"type":"integer"},"^b":{"type":"string"}},
            "additionalProperties":false}"#,
        "{str: i64 | str}",
    ),
    (
        r#"{"type":"object","propertyNames":{"enum":["x","y"]},"additionalProperties":true}"#,
        "{Key: any} Key = { x y }",
    ),
    // Composition.
    (
        r##"{"allOf":[{"$ref":"#/$defs/base"},{"properties":{"b":{"type":"string"}},
            "required":["b"]}],"$defs":{"base":{"type":"object","properties":
            {"a":{"type":"integer"}},"required":["a"]}}}"##,
        "Root { a: i64 b: str }",
    ),
    (
        r#"{"type":"object","allOf":[{"properties":{"a":{"type":"integer"}}}],"required":["a"]}"#,
        "Root { a: i64 }",
    ),
    (
        r##"{"allOf":[{"$ref":"#/$defs/base"}],"required":["a"],"$defs":{"base":
            {"properties":{"a":{"type":"integer"}}}}}"##,
        "Root { a: i64 }",
    ),
    (
        r##"{"allOf":[{"$ref":"#/$defs/base"}],"additionalProperties":{"type":"string"},
            "$defs":{"base":{"properties":{"a":{"type":"integer"}}}}}"##,
        "Root { a?: i64 ..: str }",
    ),
    // Parts that only restrict values do not compose a record.
    (r#"{"allOf":[{"type":"string"},{"maxLength":5}]}"#, "str"),
    (r#"{"allOf":[{"maxLength":5},{"type":["string","null"]}]}"#, "str?"),
    (r#"{"allOf":[{"type":"string","minLength":2},{"type":"string","maxLength":5}]}"#, "str"),
    (r#"{"allOf":[{"type":"array","items":{"type":"string"}},{"items":{}}]}"#, "[str]"),
    (r#"{"type":"integer","allOf":[{"minimum":3}]}"#, "i64"),
    (r#"{"type":"object","allOf":[{"minProperties":1}]}"#, "{str: any}"),
    (r#"{"allOf":[{"minLength":3},true]}"#, "any"),
    // Only a record has fields that can be required.
    (
        r##"{"allOf":[{"$ref":"#/$defs/labels"}],"required":["a"],"$defs":{"labels":
            {"type":"object","additionalProperties":{"type":"string"}}}}"##,
        "{str: str}",
    ),
    (
        r#"{"type":"object","properties":{"k":{"type":"string"}},"required":["k"],
            "anyOf":[{"properties":{"x":{"type":"integer"}},"required":["x"]},
                     {"properties":{"y":{"type":"integer"}}}]}"#,
        "Root { k: str x?: i64 y?: i64 }",
    ),
    // Enums, tagged as serde tags them.
    (
        r#"{"oneOf":[{"const":"None"},{"type":"object","properties":{"Some":{"type":"integer"}},
            "required":["Some"],"additionalProperties":false}]}"#,
        "Root = { None Some(i64) }",
    ),
    (
        r#"{"oneOf":[
            {"type":"object","properties":{"t":{"const":"a"},"x":{"type":"integer"},
                "y":{"type":"null"}},"required":["t","x"]},
            {"type":"object","properties":{"t":{"const":"b"}},"required":["t"]}]}"#,
        "Root = \"t\" { a { x: i64 y?: null } b }",
    ),
    (
        r#"{"oneOf":[
            {"type":"object","properties":{"t":{"const":"a"},"c":{"type":"integer"}},
                "required":["t","c"]},
            {"type":"object","properties":{"t":{"const":"b"},"c":{"type":"string"}},
                "required":["t","c"]}]}"#,
        "Root = \"t\" / \"c\" { a(i64) b(str) }",
    ),
    // References, recursion included.
    (
        r##"{"$ref":"#/definitions/tree","definitions":{"tree":{"type":"object","properties":
            {"children":{"type":"array","items":{"$ref":"#/definitions/tree"}}}}}}"##,
        "Tree { children?: [Tree] }",
    ),
    (
        r##"{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}}"##,
        "Root { next?: Root? }",
    ),
    (
        r##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{
            "next":{"$ref":"#/$defs/next"},"v":{"type":"integer"}}},
            "next":{"allOf":[{"$ref":"#/$defs/node"}]}}}"##,
        "Node { next?: Node v?: i64 }",
    ),
    (
        r##"{"$ref":"#/$defs/a%20b","$defs":{"a b":{"$ref":"#/$defs/c~1d"},
            "c/d":{"type":"string"}}}"##,
        "str",
    ),
    // References by anchor and by `$id`, which has its own anchors and pointers.
    (r##"{"$ref":"#s","$defs":{"a~/%":{"$anchor":"s","type":"string"}}}"##, "str"),
    (r##"{"$ref":"#s","definitions":{"a":{"$id":"#s","type":"string"}}}"##, "str"),
    (
        r##"{"$id":"https://a.example/b/root.json#","properties":{"a":{"$ref":"s"},
            "b":{"$ref":"/b/s"},"c":{"$ref":"https://a.example/b/s#n"},"d":{"$ref":"root.json#n"},
            "e":{"$ref":"o#/$defs/x"},"f":{"$ref":"o"}},"$defs":{
            "s":{"$id":"s","type":"string","$defs":{"n":{"$anchor":"n","type":"null"}}},
            "n":{"$anchor":"n","type":"boolean"},"x":{"type":"number"},
            "o":{"$id":"o","items":{"$ref":"#/$defs/x"},"$defs":{"x":{"type":"integer"}}}}}"##,
        "Root { a?: str b?: str c?: null d?: bool e?: i64 f?: [i64] }",
    ),
    // A pointer that the schema with the `$id` does not have is one of the document.
    (
        r##"{"$ref":"urn:a","$defs":{"a":{"$id":"urn:a","items":{"$ref":"#/$defs/b"}},
            "b":{"type":"string"}}}"##,
        "[str]",
    ),
    (
        r##"{"$ref":"a.json","$defs":{"a":{"$id":"a.json","properties":{"next":{"$ref":"#"}}}}}"##,
        "A { next?: A }",
    ),
    // Keywords beside a reference apply, too, since draft 2019-09.
    (
        r##"{"$ref":"#/$defs/base","properties":{"b":{"type":"string"}},"required":["a","b"],
            "$defs":{"base":{"properties":{"a":{"type":"integer"}}}}}"##,
        "Root { b: str a: i64 }",
    ),
    (
        r##"{"$schema":"https://json-schema.org/draft/2019-09/schema","$ref":"#/$defs/base",
            "required":["a"],"$defs":{"base":{"properties":{"a":{"type":"integer"}}}}}"##,
        "Root { a: i64 }",
    ),
    (
        r##"{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/base",
            "required":["a"],"definitions":{"base":{"properties":{"a":{"type":"integer"}}}}}"##,
        "Base { a?: i64 }",
    ),
    // OpenAPI 3.0 has the keyword `nullable`.
    (
        r##"{"openapi":"3.0.3","$ref":"#/components/schemas/o","components":{"schemas":{"o":{
            "type":"object","properties":{"a":{"type":"string","nullable":true},
            "b":{"type":"string","nullable":false},"c":{"nullable":true},
            "d":{"type":"object","properties":{},"nullable":true},
            "e":{"type":"string","enum":["x"],"nullable":true}}}}}}"##,
        "O { a?: str? b?: str c?: any d?: D? e?: E } D {} E = { x }",
    ),
    (r#"{"openapi":"3.1.0","type":"string","nullable":true}"#, "str"),
    (r#"{"type":"string","nullable":true}"#, "str"),
    (
        r##"{"openapi":"3.0.3","$ref":"#/$defs/base","required":["a"],
            "$defs":{"base":{"properties":{"a":{"type":"integer"}}}}}"##,
        "Base { a?: i64 }",
    ),
    (
        r##"{"properties":{"p":{"$ref":"#/$defs/o","required":["a"]},"q":{"$ref":"#/$defs/o"}},
            "$defs":{"o":{"properties":{"a":{"type":"integer"}}}}}"##,
        "Root { p?: P q?: O } P { a: i64 } O { a?: i64 }",
    ),
    (
        r##"{"$ref":"#/$defs/a","allOf":[{"properties":{"b":{}}},{"$ref":"#/allOf/0"}],
            "$defs":{"a":{"properties":{"a":{"type":"integer"}}}}}"##,
        "Root { b?: any a?: i64 }",
    ),
    (
        r##"{"$ref":"#/$defs/object","properties":{"a":{"$ref":"#/$defs/any","required":["b"]},
            "c":{"$ref":"#/$defs/labels","properties":{"d":{}}}},"$defs":{
            "object":{"type":"object"},"any":{"minProperties":1},
            "labels":{"additionalProperties":{"type":"string"}}}}"##,
        "Root { a?: any c?: C } C { d?: any ..: str }",
    ),
    (r##"{"$ref":"#/$defs/s","enum":["a"],"$defs":{"s":{"type":"string"}}}"##, "Root = { a }"),
    (r##"{"$ref":"#/$defs/s","type":"string","$defs":{"s":{"maxLength":9}}}"##, "str"),
    (r##"{"$ref":"#/$defs/s","description":"s","$defs":{"s":{"type":"string"}}}"##, "str"),
    (
        r##"{"$ref":"#/$defs/o","additionalProperties":false,"$defs":{"o":{"required":["a"]}}}"##,
        "O { a: any }",
    ),
];

#[test]
fn reads_schemas_as_shapes() {
    check_outlines(TABLE, |schema| read_json_schema("x.json", schema));
}

#[test]
fn reports_position_and_cause_of_faults() {
    let table = [
        ("", "x.json:1:1: EOF while parsing a value"),
        ("{\n  \"type\": strin\n}", "x.json:2:11: expected value"),
        ("{} {}", "x.json:1:4: trailing characters"),
        (r#"{"type":"string","type":"null"}"#, "x.json:1:23: duplicate key \"type\""),
        ("false", "x.json:1:1: expected a schema that something fits, found false"),
        ("[]", "x.json:1:1: expected a schema: an object or a boolean, found an array"),
        (
            "{\n \"properties\": {\n  \"é\": {\"type\": \"text\"}}}",
            "x.json:3:17: expected \"null\", \"boolean\", \"integer\", \"number\", \"string\", \
             \"array\" or \"object\", found \"text\"",
        ),
        (r#"{"properties":[1]}"#, "x.json:1:15: expected an object of schemas, found an array"),
        (r#"{"required":[1]}"#, "x.json:1:13: expected names, found the number 1"),
        (r#"{"enum":[]}"#, "x.json:1:1: `enum` is empty: expected at least one value"),
        (r##"{"$ref":"#/$defs/a"}"##, "x.json:1:9: the reference \"#/$defs/a\" does not resolve"),
        (
            r#"{"$ref":"other.json"}"#,
            "x.json:1:9: expected a reference within the document, by # or the `$id` of a schema, \
             found \"other.json\"",
        ),
        (r##"{"$ref":"#a"}"##, "x.json:1:9: the reference \"#a\" does not resolve"),
        (
            r##"{"$ref":"a#b","$defs":{"a":{"$id":"a"},"b":{"$anchor":"b"}}}"##,
            "x.json:1:9: the reference \"a#b\" does not resolve",
        ),
        (
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
            "x.json:1:9: expected a schema, found circular references of `$ref`",
        ),
        (
            r##"{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}"##,
            "x.json:1:56: expected a schema, found a reference to itself",
        ),
        (
            r##"{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}"##,
            "x.json:1:93: expected a schema, found a reference to itself",
        ),
        (
            r#"{"type":"integer","minimum":2,"maximum":1}"#,
            "x.json:1:1: expected limits in order, found 2 to 1",
        ),
    ];
    check_errors(&table, |schema| read_json_schema("x.json", schema));
}

#[test]
fn depth_is_bounded() {
    let deep = format!("{}{}", r#"{"items":"#.repeat(100_000), "}".repeat(100_000));
    assert!(read_json_schema("x.json", &deep).is_err());
    let chain: Vec<String> = (0..10_000)
        .map(|n| format!(r##""{n}":{{"items":{{"$ref":"#/$defs/{}"}}}}"##, n + 1))
        .collect();
    let chain = format!(r##"{{"$ref":"#/$defs/0","$defs":{{{},"10000":true}}}}"##, chain.join(","));
    let error = read_json_schema("x.json", &chain).unwrap_err();
    assert!(error.message.starts_with("the schema nests deeper than 256 levels"), "{error}");
}

/// Returns the part of a shape that JSON Schema can express: without numbers, encodings, aliases
/// and defaults.
fn sayable(shape: &Shape) -> Shape {
    let mut builder = ShapeBuilder::default();
    let ids: Vec<_> = shape.nodes().iter().map(|_| builder.reserve(Node::Null)).collect();
    let fields = |record: &Record| {
        let field = |field: &Field| Field {
            number: None,
            aliases: vec![],
            presence: match field.presence {
                Presence::Required => Presence::Required,
                Presence::Defaulted | Presence::Optional => Presence::Optional,
            },
            ..field.clone()
        };
        Record { fields: record.fields.iter().map(field).collect(), ..record.clone() }
    };
    for (id, node) in ids.iter().zip(shape.nodes()) {
        let node = match node {
            Node::Int(int) => Node::Int(Int { encoding: IntEncoding::Varint, ..*int }),
            Node::Record(record) => Node::Record(fields(record)),
            Node::Enum(sum) => {
                let mut sum = sum.clone();
                for variant in &mut sum.variants {
                    variant.number = None;
                    variant.aliases.clear();
                }
                Node::Enum(sum)
            }
            Node::Map { key, value } => {
                let key = match shape.node(*key) {
                    Node::Int(Int { signed: true, .. }) => builder.add(Node::Int(Int::signed(64))),
                    Node::Int(_) => builder.add(Node::Int(Int::unsigned(64))),
                    _ => *key,
                };
                Node::Map { key, value: *value }
            }
            other => other.clone(),
        };
        builder.fill(*id, node);
    }
    builder.finish(shape.root()).reachable()
}

fn comes_back(shape: &Shape) {
    let text = JsonSchema::of(shape).to_string();
    match read_json_schema("x.json", &text) {
        Ok(read) => assert_eq!(read.to_string(), sayable(shape).to_string(), "{text}"),
        Err(error) => panic!("{error}\n{text}"),
    }
}

mod types {
    #![allow(dead_code, reason = "only their shapes are looked at")]

    use super::*;

    /// A place to stay.
    #[derive(Shaped)]
    pub(super) struct Hotel {
        /// Unique within a city.
        id: u32,
        name: Option<String>,
        #[serde(rename = "ratingAverage")]
        rating: f32,
        grade: char,
        rooms: Vec<Room>,
        position: (f64, f64),
        corners: [i16; 4],
        by_floor: HashMap<i32, Vec<Room>>,
        by_kind: HashMap<Kind, u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<Box<Hotel>>,
        event: Event,
        command: Command,
        value: Any,
        #[serde(flatten)]
        rest: HashMap<String, bool>,
    }

    #[derive(Shaped)]
    struct Room {
        code: String,
        kind: Kind,
        size: Option<Kind>,
        big: u128,
    }

    #[derive(Shaped, PartialEq, Eq, Hash)]
    pub(super) enum Kind {
        Single,
        Double,
    }

    /// An event of a hotel.
    #[derive(Shaped)]
    enum Event {
        /// Nothing.
        Nothing,
        Renamed(String),
        Moved(f64, f64),
        Built {
            by: Option<String>,
            year: i16,
        },
        Linked(Box<Hotel>),
    }

    #[derive(Shaped)]
    #[serde(tag = "type")]
    enum Command {
        Stop,
        Go { to: String, fast: bool },
    }

    #[derive(Shaped)]
    #[serde(tag = "t", content = "c")]
    pub(super) enum Adjacent {
        Unit,
        One(i64),
        Two(bool, String),
        Named { x: u8 },
    }

    #[derive(Shaped)]
    #[serde(untagged)]
    enum Any {
        Number(i64),
        Text(String),
        Many(Vec<bool>),
    }
}

#[test]
fn reads_back_the_shapes_it_writes() {
    comes_back(&Shape::of::<types::Hotel>());
    comes_back(&Shape::of::<types::Adjacent>());
    comes_back(&Shape::of::<Option<Vec<Option<i8>>>>());
    comes_back(&Shape::of::<Vec<Value<'static>>>());
}

fn read<'a>(arena: &'a Arena, text: &'a str) -> Value<'a> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    ValueSeed::new(arena).deserialize(&mut deserializer).expect("a sample is JSON")
}

fn example(name: &str) -> String {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the example exists")
}

/// An independent validator must accept the samples by the schema that is written for them.
fn holds_for_all(samples: &[&str]) {
    let arena = Arena::new();
    let mut inference = Inference::new();
    samples.iter().for_each(|sample| inference.add(&read(&arena, sample)));
    let shape = inference.shape();
    comes_back(&shape);
    let text = JsonSchema::of(&shape).to_string();
    let schema = serde_json::from_str(&text).expect("a schema is JSON");
    assert!(jsonschema::meta::is_valid(&schema), "{text}");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema compiles");
    for sample in samples {
        let instance = serde_json::from_str(sample).expect("a sample is JSON");
        if let Err(error) = validator.validate(&instance) {
            panic!("{sample}: {error}\n{text}");
        }
    }
}

#[test]
fn schemas_of_the_examples_accept_their_samples() {
    for name in ["people.json", "hotels.json", "record-a.json", "user.json"] {
        holds_for_all(&[&example(name)]);
    }
    let events = example("events.ndjson");
    holds_for_all(&events.lines().collect::<Vec<_>>());
}

#[test]
fn writes_the_expected_schema() {
    let text = JsonSchema::of(&Shape::of::<types::Kind>()).to_string();
    assert_eq!(
        text,
        r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$ref": "#/$defs/Kind",
  "$defs": {"Kind": {"type": "string", "enum": ["Single", "Double"]}}
}
"##
    );
    let text = JsonSchema::of(&Shape::of::<Option<Vec<(u8, String)>>>()).to_string();
    assert_eq!(
        text,
        r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": ["array", "null"],
  "items": {
    "type": "array",
    "prefixItems": [{"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255}, {"type": "string"}],
    "items": false,
    "minItems": 2
  }
}
"##
    );
    let schema = JsonSchema::for_openapi(&Shape::of::<types::Hotel>());
    let names: Vec<&str> = schema.definitions.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Hotel", "Room", "Kind", "Event", "Command"]);
}

#[test]
fn schemas_for_openapi_are_never_booleans() {
    let schema = JsonSchema::for_openapi(&Shape::of::<(u8, Option<OwnedValue>)>());
    assert_eq!(
        schema.root.compact(),
        r#"{"type":"array","prefixItems":[{"type":"integer","format":"uint8","minimum":0,"maximum":255},{}],"maxItems":2,"minItems":2}"#
    );
}

#[test]
fn the_schema_of_a_tuple_without_items_is_valid() {
    let mut builder = ShapeBuilder::default();
    let root = builder.add(Node::Tuple(Vec::new()));
    let schema = JsonSchema::of(&builder.finish(root));
    assert_eq!(schema.root.compact(), r#"{"type":"array","items":false,"minItems":0}"#);
    let document = serde_json::from_str(&schema.to_string()).expect("a schema is JSON");
    assert!(jsonschema::meta::is_valid(&document), "{schema}");
}

#[test]
fn integers_have_the_bounds_of_their_width() {
    let written = |shape: Shape| JsonSchema::of(&shape).root.compact();
    for (shape, expected) in [
        (Shape::of::<i8>(), r#"{"type":"integer","format":"int8","minimum":-128,"maximum":127}"#),
        (
            Shape::of::<i64>(),
            r#"{"type":"integer","format":"int64","minimum":-9223372036854775808,"maximum":9223372036854775807}"#,
        ),
        (
            Shape::of::<u64>(),
            r#"{"type":"integer","format":"uint64","minimum":0,"maximum":18446744073709551615}"#,
        ),
        (
            Shape::of::<u128>(),
            r#"{"type":"integer","format":"uint128","minimum":0,"maximum":340282366920938463463374607431768211455}"#,
        ),
    ] {
        assert_eq!(written(shape), expected);
    }
}
