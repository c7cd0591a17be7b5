//! Converts shapes to Avro schemas, and checks the text and fingerprints of schemas.

use manywire_shape::avro::{Field, FullName, Record, Role, Schema, SchemaBuilder, Type};
use manywire_shape::{
    Array, Enum, Int, Node, NodeId, Presence, Record as ShapeRecord, Shape, ShapeBuilder, Tagging,
    Variant, VariantKind,
};

fn schema(build: impl FnOnce(&mut ShapeBuilder) -> NodeId) -> Schema {
    Schema::from_shape(&shape(build)).expect("the shape has a schema")
}

fn shape(build: impl FnOnce(&mut ShapeBuilder) -> NodeId) -> Shape {
    let mut builder = ShapeBuilder::default();
    let root = build(&mut builder);
    builder.finish(root)
}

fn array(item: NodeId) -> Node {
    Node::Array(Array::new(item))
}

fn record(name: &'static str, fields: Vec<manywire_shape::Field>) -> Node {
    Node::Record(ShapeRecord { name: name.into(), doc: "".into(), fields, rest: None })
}

fn variant(name: &'static str, kind: VariantKind) -> Variant {
    Variant { name: name.into(), aliases: vec![], doc: "".into(), kind, number: None }
}

fn sum(name: &'static str, tagging: Tagging, variants: Vec<Variant>) -> Node {
    Node::Enum(Enum { name: name.into(), doc: "".into(), tagging, variants })
}

#[test]
fn converts_each_node_to_its_avro_type() {
    let table: &[(Node, &str)] = &[
        (Node::Null, r#""null""#),
        (Node::Bool, r#""boolean""#),
        (Node::Int(Int::signed(8)), r#""int""#),
        (Node::Int(Int::signed(32)), r#""int""#),
        (Node::Int(Int::unsigned(16)), r#""int""#),
        (Node::Int(Int::unsigned(32)), r#""long""#),
        (Node::Int(Int::signed(64)), r#""long""#),
        (Node::Int(Int::unsigned(64)), r#""long""#),
        (
            Node::Int(Int::unsigned(128)),
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 39, "scale": 0}"#,
        ),
        (Node::F32, r#""float""#),
        (Node::F64, r#""double""#),
        (Node::Char, r#""string""#),
        (Node::Str, r#""string""#),
        (Node::Bytes, r#""bytes""#),
    ];
    for (node, text) in table {
        let schema = schema(|builder| builder.add(node.clone()));
        assert_eq!(schema.to_string().trim_end(), *text, "{node:?}");
    }
}

#[test]
fn writes_all_properties_of_a_record() {
    let schema = schema(|builder| {
        let text = builder.add(Node::Str);
        let int = builder.add(Node::Int(Int::signed(32)));
        let maybe = builder.add(Node::Option(int));
        let room = builder.add(record(
            "Room",
            vec![
                manywire_shape::Field {
                    doc: "What the guest calls it.".into(),
                    aliases: vec!["title".into(), "dis play".into()],
                    ..manywire_shape::Field::new("name", text)
                },
                manywire_shape::Field::new("floor number", maybe),
                manywire_shape::Field {
                    presence: Presence::Optional,
                    ..manywire_shape::Field::new("note", text)
                },
            ],
        ));
        let rooms = builder.add(array(room));
        builder.add(Node::Record(ShapeRecord {
            name: "Hotel".into(),
            doc: "A \"house\".\n".into(),
            fields: vec![
                manywire_shape::Field::new("rooms", rooms),
                manywire_shape::Field::new("best", room),
            ],
            rest: Some(text),
        }))
    });
    let expected = r#"{
  "type": "record",
  "name": "Hotel",
  "doc": "A \"house\".\n",
  "fields": [
    {
      "name": "rooms",
      "type": {
        "type": "array",
        "items": {
          "type": "record",
          "name": "Room",
          "fields": [
            {
              "name": "name",
              "doc": "What the guest calls it.",
              "type": "string",
              "aliases": ["title"],
              "manywire.aliases": ["dis play"]
            },
            {
              "name": "floor_number",
              "type": ["null", "int"],
              "default": null,
              "manywire.name": "floor number"
            },
            {
              "name": "note",
              "type": ["null", "string"],
              "default": null,
              "manywire.presence": "optional"
            }
          ]
        }
      }
    },
    {"name": "best", "type": "Room"},
    {"name": "rest", "type": {"type": "map", "values": "string"}, "manywire.rest": true}
  ]
}
"#;
    assert_eq!(schema.to_string(), expected);
    assert_eq!(
        schema.canonical(),
        concat!(
            r#"{"name":"Hotel","type":"record","fields":[{"name":"rooms","type":{"type":"array","#,
            r#""items":{"name":"Room","type":"record","fields":[{"name":"name","type":"string"},"#,
            r#"{"name":"floor_number","type":["null","int"]},"#,
            r#"{"name":"note","type":["null","string"]}]}}},{"name":"best","type":"Room"},"#,
            r#"{"name":"rest","type":{"type":"map","values":"string"}}]}"#
        )
    );
}

#[test]
fn flattens_options_of_enums_into_one_union() {
    let schema = schema(|builder| {
        let int = builder.add(Node::Int(Int::signed(64)));
        let line = record("", vec![manywire_shape::Field::new("length", int)]);
        let line = builder.add(line);
        let tagged = builder.add(sum(
            "Figure",
            Tagging::Internal { tag: "kind".into() },
            vec![variant("dot", VariantKind::Unit), variant("a-line", VariantKind::Struct(line))],
        ));
        let maybe = builder.add(Node::Option(tagged));
        builder.add(Node::Option(maybe))
    });
    let expected = r#"[
  "null",
  {
    "type": "record",
    "name": "dot",
    "manywire.variant": {"enum": "Figure", "form": "unit", "tag": "kind"},
    "fields": []
  },
  {
    "type": "record",
    "name": "a_line",
    "manywire.name": "a-line",
    "manywire.variant": {"enum": "Figure", "form": "struct", "tag": "kind"},
    "fields": [{"name": "length", "type": "long"}]
  }
]
"#;
    assert_eq!(schema.to_string(), expected);
}

#[test]
fn makes_names_unique() {
    let schema = schema(|builder| {
        let variants =
            || ["on", "off!", "off?"].map(|name| variant(name, VariantKind::Unit)).to_vec();
        let first = builder.add(sum("State", Tagging::External, variants()));
        let second = builder.add(sum("State", Tagging::External, variants()));
        let fields = vec![
            manywire_shape::Field::new("a-b", first),
            manywire_shape::Field::new("a.b", second),
            manywire_shape::Field::new("1", first),
        ];
        builder.add(record("string", fields))
    });
    assert_eq!(
        schema.canonical(),
        concat!(
            r#"{"name":"string_2","type":"record","fields":[{"name":"a_b","type":"#,
            r#"{"name":"State","type":"enum","symbols":["on","off_","off__2"]}},"#,
            r#"{"name":"a_b_2","type":"#,
            r#"{"name":"State_2","type":"enum","symbols":["on","off_","off__2"]}},"#,
            r#"{"name":"_1","type":"State"}]}"#
        )
    );
}

#[test]
fn wraps_unnamed_recursive_types_in_records() {
    let schema = schema(|builder| {
        builder.named("Tree", |builder| {
            let item = builder.named("Tree", |_| unreachable!("it is being built"));
            array(item)
        })
    });
    assert_eq!(
        schema.canonical(),
        concat!(
            r#"{"name":"Nested","type":"record","fields":"#,
            r#"[{"name":"value","type":{"type":"array","items":"Nested"}}]}"#
        )
    );
}

#[test]
fn refuses_infinite_types() {
    let endless = shape(|builder| {
        builder.named("Endless", |builder| {
            let next = builder.named("Endless", |_| unreachable!("it is being built"));
            record("Endless", vec![manywire_shape::Field::new("next", next)])
        })
    });
    let error = Schema::from_shape(&endless).expect_err("the record contains itself on every path");
    assert_eq!(
        error.to_string(),
        "record Endless always contains itself, so its values would be infinite"
    );

    let empty = shape(|builder| builder.add(sum("Never", Tagging::External, vec![])));
    assert!(Schema::from_shape(&empty).is_err());

    let mut builder = SchemaBuilder::default();
    let node = builder.reserve();
    builder.set(node, Type::Array(node));
    assert!(builder.finish(node).is_err(), "an array of itself cannot be written down");
}

/// The values are from the tests of the specification, as unsigned numbers.
#[test]
fn fingerprints() {
    let primitive = |ty| {
        let mut builder = SchemaBuilder::default();
        let root = builder.add(ty);
        builder.finish(root).expect("a primitive is a schema")
    };
    assert_eq!(primitive(Type::Null).fingerprint().cast_signed(), 7_195_948_357_588_979_594);
    assert_eq!(primitive(Type::Boolean).fingerprint().cast_signed(), -6_970_731_678_124_411_036);
    assert_eq!(primitive(Type::Int).fingerprint().cast_signed(), 8_247_732_601_305_521_295);
}

#[test]
fn references_name_their_namespace() {
    let mut builder = SchemaBuilder::default();
    let plain = |name, fields| {
        Type::Record(Record {
            name,
            original: None,
            doc: String::new(),
            aliases: vec![],
            fields,
            role: Role::Record,
        })
    };
    let name = |name: &str, namespace: &str| FullName {
        name: name.to_owned(),
        namespace: namespace.to_owned(),
    };
    let leaf = builder.add(plain(name("Leaf", "a.b"), vec![]));
    let other = builder.add(plain(name("Other", "a"), vec![Field::new("leaf", leaf)]));
    let root = builder.add(plain(
        name("Root", "a.b"),
        vec![Field::new("x", leaf), Field::new("y", other), Field::new("z", leaf)],
    ));
    let schema = builder.finish(root).expect("a schema");
    let expected = r#"{
  "type": "record",
  "name": "Root",
  "namespace": "a.b",
  "fields": [
    {"name": "x", "type": {"type": "record", "name": "Leaf", "fields": []}},
    {
      "name": "y",
      "type": {
        "type": "record",
        "name": "Other",
        "namespace": "a",
        "fields": [{"name": "leaf", "type": "a.b.Leaf"}]
      }
    },
    {"name": "z", "type": "Leaf"}
  ]
}
"#;
    assert_eq!(schema.to_string(), expected);
}
