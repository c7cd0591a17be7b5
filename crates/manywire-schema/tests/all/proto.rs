//! Reads `.proto` files, and reads back those that we write.

use std::collections::HashMap;

use manywire_schema::{
    Document, Error, ImportedFile, Language, Options, read, read_bytes, read_proto,
};
use manywire_shape::infer::Inference;
use manywire_shape::proto::{Form, Label, Schema};
use manywire_shape::{Arena, Shape, Shaped, ValueSeed};
use serde::de::DeserializeSeed;

use crate::proto_compiler::{self, compiled};
use crate::tables::{check_errors, check_outlines, flat};

fn read_shape(text: &str) -> Result<Shape, Error> {
    read_proto("x.proto", text, None).map(|(_, shape)| shape)
}

/// Declarations of proto3, and the outlines of their shapes.
const TABLE: &[(&str, &str)] = &[
    ("message A {}", "A {}"),
    (
        "message A { int32 a = 1; sint64 b = 2; fixed32 c = 3; bool d = 4; float e = 16; bytes f = 5; }",
        "A { a: i32 = default #1 b: i64 zigzag = default #2 c: u32 fixed = default #3 \
         d: bool = default #4 e: f32 = default #16 f: bytes = default #5 }",
    ),
    (
        "message A { optional string a = 1; repeated double b = 2; map<int32, A> c = 3; }",
        "A { a?: str? #1 b: [f64] = default #2 c: {i32: A} = default #3 }",
    ),
    // Names in JSON: camel case, or as the option says.
    (
        r#"message A { string room_id = 1; string b2_c = 2 [json_name = "x\"y", deprecated = true]; }"#,
        "A { roomId: str = default or \"room_id\" #1 \"x\\\"y\": str = default or \"b2_c\" #2 }",
    ),
    // Scopes: the innermost wins; a leading dot means the outermost.
    (
        "package p.q; message B { int32 outer = 1; }
         message A { message B { int32 inner = 1; } B a = 1; .p.q.B b = 2; q.B c = 3; }",
        "A { a?: A_B? #1 b?: B? #2 c?: B? #3 } A_B { inner: i32 = default #1 } \
         B { outer: i32 = default #1 }",
    ),
    (
        "message A { oneof kind { option (x) = true; string a = 1; A b = 2; } Color c = 3; }
         enum Color { option allow_alias = true; RED = 0; ROUGE = 0 [deprecated = true]; BLUE = 0x10; LOW = -1; }",
        "A { a?: str? #1 b?: A? #2 c: Color = default #3 } \
         Color = { RED or \"ROUGE\" #0 BLUE #16 LOW }",
    ),
    (
        r#"import "google/protobuf/timestamp.proto"; import "google/protobuf/wrappers.proto";
           import public "google/protobuf/empty.proto";
           message A { google.protobuf.Timestamp at = 1; google.protobuf.Int64Value n = 2;
             google.protobuf.Empty e = 3; repeated google.protobuf.Timestamp all = 4; }"#,
        "A { at?: timestamp? #1 n?: i64? #2 e?: null? #3 all: [timestamp] = default #4 }",
    ),
    // Declarations without effect on the encoding.
    (
        r#"option go_package = "a" "b"; option (my.opt) = { a: 1 b { c: "}" } };
           /* services */ service S { rpc Get (A) returns (stream A) { option (http) = { get: "/" }; } }
           message A { reserved 2, 4 to max; reserved "b"; option (x).y = -1.5e+3; ;
             int64 a = 1 [(v.rules).int64 = { gte: 0, list: [1, 2] }, deprecated = false]; }"#,
        "A { a: i64 = default #1 }",
    ),
    // The root is the message that no other uses.
    (
        "message B { C c = 1; } message C { repeated C more = 1; } message A { B b = 1; }",
        "A { b?: B? #1 } B { c?: C? #1 } C { more: [C] = default #1 }",
    ),
    // Keywords are valid names in other positions.
    (
        "message A { string message = 1; string optional = 2; Map map = 3; message Map {} }",
        "A { message: str = default #1 optional: str = default #2 map?: Map? #3 } Map {}",
    ),
];

#[test]
fn reads_files_as_shapes() {
    check_outlines(TABLE, |declarations| {
        read_shape(&format!("syntax = \"proto3\"; {declarations}"))
    });
}

#[test]
fn comments_are_documentation() {
    let text = "syntax = \"proto3\";\n// Not this.\n\n// A place\n// to stay.\nmessage A {\n  \
                /* Unique. */\n  int32 id = 1; // not the next one's\n\n  /**\n   * Full\n   * name.\n   \
                */\n  string name = 2;\n}";
    let (_, shape) = read_proto("x.proto", text, None).unwrap();
    assert_eq!(
        shape.to_string(),
        "/// A place\n/// to stay.\nA {\n  /// Unique.\n  id: i32 = default #1\n  \
         /// Full\n  /// name.\n  name: str = default #2\n}\n"
    );
}

#[test]
fn written_enums_keep_the_comments_of_all_values() {
    let text = "syntax = \"proto3\"; message A { E e = 1; }
        // Sizes.
        enum E {
          // Not known.
          UNKNOWN = 0;
          // Large.
          BIG = 1;
        }";
    let (schema, _) = read_proto("x.proto", text, None).unwrap();
    let written = schema.to_proto("");
    let expected =
        "// Sizes.\nenum E {\n  // Not known.\n  UNKNOWN = 0;\n  // Large.\n  BIG = 1;\n}";
    assert!(written.contains(expected), "{written}");
}

#[test]
fn written_enums_keep_their_aliases() {
    for text in [
        "syntax = \"proto3\"; message A { E e = 1; }
         enum E { option allow_alias = true; OFF = 0; NONE = 0; ON = 1; YES = 1; }",
        "syntax = \"proto2\"; message A { optional E e = 1 [default = YES]; }
         enum E { option allow_alias = true; ON = 1; YES = 1; OFF = 0; }",
        "edition = \"2023\"; message A { E e = 1; int32 i = 2 [features.field_presence = IMPLICIT]; }
         enum E { option allow_alias = true; option features.enum_type = CLOSED; ON = 1; YES = 1; }",
    ] {
        let (schema, _) = read_proto("x.proto", text, None).expect("a file");
        let written = schema.to_proto("");
        assert!(written.contains("  option allow_alias = true;\n"), "{written}");
        let again = read_proto("y.proto", &written, None).map(|again| again.0);
        assert_eq!(again.as_ref().ok(), Some(&schema), "{written}");
        let set = schema.to_descriptor_set("x.proto", "");
        let read = read_bytes("x.binpb", &set, &Options::default()).expect("descriptors");
        let Language::Proto(from_set) = read.language else { panic!("descriptors") };
        assert_eq!(from_set, schema, "{written}");
        // Another compiler refuses two names of a number without the option. It has no editions.
        if !text.starts_with("edition") {
            compiled(&written);
        }
    }
}

/// Checks that the text and the descriptors that are written for a schema are read as the schema, and
/// that another compiler accepts the text. Returns the text.
fn check_written(document: &Document) -> String {
    let Language::Proto(schema) = &document.language else { panic!("a .proto") };
    let written = schema.to_proto("");
    let (again, shape) = match read_proto("y.proto", &written, None) {
        Ok(again) => again,
        Err(error) => panic!("{error}\n{written}"),
    };
    assert_eq!(again, *schema, "{written}");
    assert_eq!(shape, document.shape, "{written}");
    let set = schema.to_descriptor_set("x.proto", "");
    let from_set = match read_bytes("x.binpb", &set, &Options::default()) {
        Ok(document) => document,
        Err(error) => panic!("{error}\n{written}"),
    };
    let Language::Proto(from_set) = from_set.language else { panic!("descriptors") };
    assert_eq!(from_set, without_comments(schema.clone()), "{written}");
    compiled(&written);
    written
}

/// Removes the comments, which descriptors do not have.
fn without_comments(mut schema: Schema) -> Schema {
    for message in &mut schema.messages {
        message.doc.clear();
        message.fields.iter_mut().for_each(|field| field.doc.clear());
    }
    for each in &mut schema.enums {
        each.doc.clear();
        each.values.iter_mut().for_each(|value| value.doc.clear());
    }
    schema
}

#[test]
fn enums_with_values_of_one_name_are_written_in_messages() {
    let text = "syntax = \"proto3\";
        // Places.
        message Hotel {
          Kind kind = 1; repeated Room rooms = 2; Level level = 3; repeated Other.Kind others = 4;
          // Kinds.
          enum Kind { reserved 3; UNKNOWN = 0; INN = 1; }
        }
        message Room { Size size = 1; Hotel.Kind of = 2; enum Size { UNKNOWN = 0; LARGE = 1; } }
        message Other { enum Kind { UNKNOWN = 0; } }
        enum Level { NONE = 0; LOW = 1; }";
    let written = check_written(&read("x.proto", text, Some("Hotel")).expect("a file"));
    for part in [
        "// Places.\nmessage Hotel {\n  Hotel.Hotel_Kind kind = 1;\n  repeated Room rooms = 2;\n  \
         Level level = 3;\n  repeated Other.Other_Kind others = 4;\n\n  // Kinds.\n  \
         enum Hotel_Kind {\n    reserved 3;\n    UNKNOWN = 0;\n    INN = 1;\n  }\n}\n",
        "message Room {\n  Room.Size size = 1;\n  Hotel.Hotel_Kind of = 2;\n\n  enum Size {\n    \
         UNKNOWN = 0;\n    LARGE = 1;\n  }\n}\n",
        // Nothing refers to the message itself.
        "message Other {\n  enum Other_Kind {\n    UNKNOWN = 0;\n  }\n}\n",
        "\nenum Level {\n  NONE = 0;\n  LOW = 1;\n}\n",
    ] {
        assert!(written.contains(part), "{part} is not in {written}");
    }
}

#[test]
fn enums_of_several_packages_are_written_apart() {
    let tree: Tree<'_> = &[
        (
            "x.proto",
            "syntax = \"proto3\"; package a; import \"b.proto\"; import \"c.proto\";
             message A { Kind kind = 1; b.Level level = 2; c.Room room = 3; }
             enum Kind { UNKNOWN = 0; Door = 1; }",
        ),
        ("b.proto", "syntax = \"proto3\"; package b; enum Level { UNKNOWN = 0; }"),
        (
            "c.proto",
            "syntax = \"proto3\"; package c; message Room { Door door = 1; message Door {} }",
        ),
    ];
    let written = check_written(&read_tree(tree, None).expect("the files are there"));
    for part in [
        "  KindEnum.Kind kind = 1;\n  Level level = 2;\n",
        "\nenum Level {\n  UNKNOWN = 0;\n}\n",
        "\nmessage KindEnum {\n  enum Kind {\n    UNKNOWN = 0;\n    Door = 1;\n  }\n}\n",
    ] {
        assert!(written.contains(part), "{part} is not in {written}");
    }
}

#[test]
fn enums_of_well_known_files_are_imported() {
    let text = "syntax = \"proto2\"; import \"google/protobuf/struct.proto\";
        message A { optional google.protobuf.Struct s = 1; optional google.protobuf.NullValue n = 2;
          optional E e = 3; }
        enum E { X = 1; }";
    let written = check_written(&read("x.proto", text, None).expect("a file"));
    assert!(written.starts_with("syntax = \"proto2\";"), "{written}");
    assert!(written.contains("optional google.protobuf.NullValue n = 2;"), "{written}");
    assert!(!written.contains("enum NullValue"), "{written}");
    // An enum in a message that nothing refers to, beside another enum of the file.
    let text = "syntax = \"proto3\"; import \"google/protobuf/type.proto\";
        message A { google.protobuf.Field.Kind k = 1; google.protobuf.Syntax s = 2; }";
    check_written(&read("x.proto", text, None).expect("a file"));
}

#[test]
fn messages_that_only_contain_types_are_not_the_root() {
    let text = "syntax = \"proto3\"; message Scope { enum E { X = 0; } message M {} }
        message A { Scope.E e = 1; }";
    assert_eq!(flat(&read_shape(text).expect("a root")), "A { e: E = default #1 } E = { X #0 }");
}

#[test]
fn presence_and_packing_follow_the_syntax() {
    let labels = |text: &str| -> Vec<(Label, bool)> {
        let (schema, _) = read_proto("x.proto", text, None).unwrap();
        let fields = &schema.messages[schema.root].fields;
        fields.iter().map(|field| (field.label, field.required)).collect()
    };
    use Label::{Optional, Packed, Repeated, Singular};
    assert_eq!(
        labels(
            "syntax=\"proto3\"; message A { int32 a=1; optional int32 b=2; repeated int32 c=3;
             repeated int32 d=4 [packed=false]; repeated string e=5; }"
        ),
        [
            (Singular, false),
            (Optional, false),
            (Packed, false),
            (Repeated, false),
            (Repeated, false)
        ]
    );
    assert_eq!(
        labels(
            "message A { required int32 a=1; optional int32 b=2 [default = -7]; repeated int32 c=3;
             repeated int32 d=4 [packed=true]; }"
        ),
        [(Optional, true), (Optional, false), (Repeated, false), (Packed, false)]
    );
    assert_eq!(
        labels("edition = \"2023\"; message A { int32 a=1; repeated int32 b=2; }"),
        [(Optional, false), (Packed, false)]
    );
}

#[test]
fn chooses_the_root() {
    let text = "syntax=\"proto3\"; package p; message A { message C {} } message B { A a = 1; } message D {}";
    let root = |name| match read("x.proto", text, Some(name)) {
        Ok(document) => match document.language {
            Language::Proto(schema) => schema.messages[schema.root].name.clone(),
            _ => panic!("the language is told by content"),
        },
        Err(error) => error.to_string(),
    };
    assert_eq!(root("A"), "A");
    assert_eq!(root("p.B"), "B");
    assert_eq!(root("A.C"), "C");
    // The package may come last.
    let last = "syntax=\"proto3\"; message A { B b = 1; p.q.A.B c = 2; message B {} } package p.q;";
    let (schema, _) = read_proto("x.proto", last, Some("p.q.A")).unwrap();
    assert_eq!(schema.messages.len(), 2);
    assert_eq!(root("X"), "x.proto:1:1: unknown message X; expected one of p.A, p.A.C, p.B, p.D");
    assert_eq!(
        read_proto("x.proto", text, None).unwrap_err().to_string(),
        "x.proto:1:1: expected the name of the root message (--message): one of p.B, p.D"
    );
    // Each of two messages refers to the other, so the mark decides; a name has precedence.
    let tree = |mark: &str| {
        format!(
            "syntax = \"proto3\"; message Leaf {{ Tree tree = 1; }} \
             message Tree {{ {mark} repeated Leaf leaves = 1; }}"
        )
    };
    let found = |text: &str, message: Option<&str>| {
        read_proto("x.proto", text, message).map(|(schema, _)| schema.to_proto(""))
    };
    let marked = tree("reserved \"manywire_root\";");
    let written = found(&marked, None).expect("the root is marked");
    let start = "syntax = \"proto3\";\n\nmessage Tree {\n  reserved \"manywire_root\";\n";
    assert!(written.starts_with(start), "{written}");
    assert_eq!(found(&written, None).as_ref(), Ok(&written));
    let named = found(&marked, Some("Leaf")).expect("the root has a name");
    assert!(named.starts_with("syntax = \"proto3\";\n\nmessage Leaf {\n"), "{named}");
    assert_eq!(
        found(&tree(""), None).expect_err("two roots").to_string(),
        "x.proto:1:1: expected the name of the root message (--message): one of Leaf, Tree"
    );
}

#[test]
fn reports_position_and_cause_of_faults() {
    let table = [
        ("", "x.proto:1:1: expected a message, found none"),
        ("syntax = proto3;", "x.proto:1:10: expected text in quotes, found \"proto3\""),
        (
            "syntax = \"proto4\";",
            "x.proto:1:10: expected \"proto2\" or \"proto3\", found \"proto4\"",
        ),
        ("package a; package b;", "x.proto:1:12: the package is declared twice"),
        ("package .a;", "x.proto:1:9: expected a name, found '.'"),
        (
            "message A {} syntax = \"proto3\";",
            "x.proto:1:14: expected the syntax at the start of the file",
        ),
        (
            "massage A {}",
            "x.proto:1:1: expected a message, enum, import or option, found \"massage\"",
        ),
        ("message A {\n  int32 a = 1\n}", "x.proto:3:1: expected ';', found '}'"),
        ("message A {\n  int32 a;\n}", "x.proto:2:10: expected '=', found ';'"),
        (
            "export message A {}",
            "x.proto:1:1: expected a message, enum, import or option, found \"export\"",
        ),
        (
            "message A { int32 a = 99999999999999999999; }",
            "x.proto:1:23: expected the number of a field, found a number with a fraction or beyond 64 bits",
        ),
        ("message A { int32 é = 1; }", "x.proto:1:19: expected a word, found 'é'"),
        (
            "message A { int32 a = 0; }",
            "x.proto:1:23: expected a number from 1 to 536870911, found 0",
        ),
        (
            "message A { int32 a = 19500; }",
            "x.proto:1:23: expected a number outside 19000 to 19999, found 19500",
        ),
        ("message A { int32 a = 1; int32 b = 1; }", "x.proto:1:26: the number 1 is declared twice"),
        (
            "syntax = \"proto3\"; message A { int32 a_b = 1; int32 aB = 2; }",
            "x.proto:1:47: the JSON name aB is declared twice",
        ),
        (
            "message A { int32 a = 1 [json_name = \"x\"]; int32 b = 2 [json_name = \"x\"]; }",
            "x.proto:1:44: the JSON name x is declared twice",
        ),
        ("message A {} enum A { X = 0; }", "x.proto:1:19: the name A is declared twice"),
        // Values are siblings of their enum, and the entries of a map are a message.
        (
            "package p; enum A { X = 0; } enum B { X = 0; }",
            "x.proto:1:39: the name p.X is declared twice",
        ),
        (
            "message A { enum B { C = 0; } message C {} }",
            "x.proto:1:22: the name A.C is declared twice",
        ),
        ("enum A { X = 1; Y = 2; X = 3; }", "x.proto:1:24: the name X is declared twice"),
        (
            "message A { int32 a = 1; int32 a = 2 [json_name = \"b\"]; }",
            "x.proto:1:26: the name A.a is declared twice",
        ),
        (
            "message A { int32 a = 1; oneof a { int32 b = 2; } }",
            "x.proto:1:32: the name A.a is declared twice",
        ),
        (
            "message A { map<int32, int32> b_c = 1; message BCEntry {} }",
            "x.proto:1:13: the name A.BCEntry is declared twice",
        ),
        ("message A { B b = 1; }", "x.proto:1:13: unknown type B"),
        (
            "import \"b.proto\"; message A { b.B b = 1; }",
            "x.proto:1:31: unknown type b.B; \"b.proto\", which the file imports, was not found",
        ),
        (
            "message A { map<float, int32> m = 1; }",
            "x.proto:1:13: expected integers, booleans or text as keys",
        ),
        (
            "message A { optional group G = 1 { int32 x = 0; } }",
            "x.proto:1:46: expected a number from 1 to 536870911, found 0",
        ),
        (
            "message A { oneof o { repeated int32 a = 1; } }",
            "x.proto:1:23: expected a type, which is all a member of a oneof has, found \"repeated\"",
        ),
        ("message A { map m = 1; }", "x.proto:1:17: expected '<', found \"m\""),
        // Labels, groups, defaults and maps where the language has none.
        (
            "syntax = \"proto3\"; message A { required int32 a = 1; }",
            "x.proto:1:32: expected a field that is not required, as proto3 has none",
        ),
        (
            "edition = \"2023\"; message A { required int32 a = 1; }",
            "x.proto:1:31: expected the option features.field_presence = LEGACY_REQUIRED instead of \"required\" in an edition",
        ),
        (
            "edition = \"2023\"; message A { optional int32 a = 1; }",
            "x.proto:1:31: expected no \"optional\": in editions, fields have presence without it",
        ),
        (
            "syntax = \"proto3\"; message A { optional group G = 1 {} }",
            "x.proto:1:41: expected a message instead of a group, which only proto2 has",
        ),
        (
            "syntax = \"proto3\"; message A { int32 a = 1 [default = 2]; }",
            "x.proto:1:55: expected no default, as proto3 has none",
        ),
        (
            "message A { repeated int32 a = 1 [default = 2]; }",
            "x.proto:1:13: expected no default for a repeated field",
        ),
        (
            "message A { optional A a = 1 [default = 2]; }",
            "x.proto:1:13: expected no default for a field of a message",
        ),
        (
            "edition = \"2023\"; message A { int32 a = 1 [features.field_presence = IMPLICIT, default = 2]; }",
            "x.proto:1:31: expected no default for a field without presence",
        ),
        (
            "message A { repeated map<int32, int32> a = 1; }",
            "x.proto:1:22: expected a map without a label and not in a oneof",
        ),
        (
            "message A { oneof o { map<int32, int32> a = 1; } }",
            "x.proto:1:23: expected a map without a label and not in a oneof",
        ),
        ("message A { oneof o {} }", "x.proto:1:19: expected a oneof of at least one field"),
        ("enum A {}", "x.proto:1:6: expected an enum of at least one value"),
        (
            "syntax = \"proto3\"; enum E { X = 1; }",
            "x.proto:1:29: expected the number 0 for the first value of the open enum E, found 1",
        ),
        (
            "enum E { A = 1; B = 1; }",
            "x.proto:1:17: B has the number of A, which needs `option allow_alias = true;`",
        ),
        ("enum E { reserved 9, 1 to 3; A = 2; }", "x.proto:1:30: 2 is reserved in E"),
        ("enum E { reserved \"A\"; A = 2; }", "x.proto:1:24: A is reserved in E"),
        (
            "enum A { X = 4294967296; }",
            "x.proto:1:14: expected a number that fits 32 bits with its sign",
        ),
        ("message A { /* ", "x.proto:1:13: expected the comment to end"),
        ("option a = \"b\n\";", "x.proto:1:12: expected a closing \" on this line"),
        ("message A { int32 a = 1 [x = {", "x.proto:1:31: expected ']', found the end of the file"),
        ("message A { int32 a = 1 [x = ]; }", "x.proto:1:30: expected a value, found ']'"),
        ("option x = ;", "x.proto:1:12: expected a value, found ';'"),
        ("message A { int32 a = 1 [json_name = a]; }", "x.proto:1:38: expected text in quotes"),
        (
            "message A { repeated int32 a = 1 [packed = maybe]; }",
            "x.proto:1:44: expected true or false",
        ),
        ("service S {", "x.proto:1:9: expected this statement to end"),
        ("message A {", "x.proto:1:12: expected a type, found the end of the file"),
    ];
    check_errors(&table, read_shape);
}

#[test]
fn deep_and_long_files_do_not_exhaust_the_stack() {
    let deep = "message A { ".repeat(100_000);
    assert!(read_proto("x.proto", &deep, None).unwrap_err().message.contains("64 messages"));
    let options = format!("message A {{ int32 a = 1 [x = {}", "{".repeat(100_000));
    assert!(read_proto("x.proto", &options, None).is_err());
    let chain: Vec<String> =
        (0..20_000).map(|n| format!("message M{n} {{ M{} m = 1; }}", n + 1)).collect();
    let chain = format!("syntax = \"proto3\"; {} message M20000 {{}}", chain.join("\n"));
    let (schema, shape) = read_proto("x.proto", &chain, None).unwrap();
    assert_eq!(schema.messages.len(), 20_001);
    assert!(shape.nodes().len() >= 20_001);
    let text = manywire_shape::json_schema::JsonSchema::of(&shape).to_string();
    assert!(text.len() > 20_000);
}

#[allow(dead_code, reason = "only their shapes are looked at")]
mod types {
    use super::*;

    /// A place to stay.
    #[derive(Shaped)]
    pub(super) struct Hotel {
        /// Unique within a city.
        id: i32,
        #[serde(rename = "rating-average")]
        rating: f32,
        rooms: Vec<Room>,
        corners: Vec<Vec<u16>>,
        by_floor: HashMap<i32, Room>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<Box<Hotel>>,
        event: Event,
        big: i128,
    }

    #[derive(Shaped)]
    struct Room {
        code: String,
        kind: Kind,
        fixed: [i64; 2],
    }

    #[derive(Shaped)]
    enum Kind {
        Single,
        Double,
    }

    #[derive(Shaped)]
    enum Event {
        Nothing,
        Renamed(String),
        Moved(f64, f64),
    }
}

/// Returns the declarations of a file, sorted.
fn declarations(text: &str) -> Vec<String> {
    // A message field has presence with and without `optional`.
    let mut text = text.to_owned();
    for capital in 'A'..='Z' {
        text = text.replace(&format!("optional {capital}"), &capital.to_string());
    }
    let mut blocks: Vec<String> = text.split("\n\n").map(|block| block.trim().to_owned()).collect();
    blocks.sort();
    blocks
}

fn comes_back(shape: &Shape) {
    let text = Schema::from_shape(shape).expect("the shape has a schema").to_proto("");
    let root = Schema::from_shape(shape).map(|schema| schema.messages[schema.root].name.clone());
    let (read, _) = match read_proto("x.proto", &text, root.ok().as_deref()) {
        Ok(read) => read,
        Err(error) => panic!("{error}\n{text}"),
    };
    assert_eq!(declarations(&read.to_proto("")), declarations(&text));
}

#[test]
fn reads_back_the_files_it_writes() {
    comes_back(&Shape::of::<types::Hotel>());
    for name in ["people.json", "hotels.json", "record-a.json", "user.json", "events.ndjson"] {
        let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("the example exists");
        let arena = Arena::new();
        let mut inference = Inference::new();
        let documents: Vec<&str> =
            if name.ends_with("ndjson") { text.lines().collect() } else { vec![&text] };
        for document in documents {
            let mut deserializer = serde_json::Deserializer::from_str(document);
            let value = ValueSeed::new(&arena).deserialize(&mut deserializer);
            inference.add(&value.expect("a sample is JSON"));
        }
        comes_back(&inference.shape());
    }
}

/// Compares every file of the tables with an independent parser: names, numbers, JSON names,
/// packing.
#[test]
fn agrees_with_protox() {
    use prost_reflect::{Cardinality, Kind};
    let of_types = Schema::from_shape(&Shape::of::<types::Hotel>()).unwrap().to_proto("");
    let proto2 =
        "message A { required int32 a=1; repeated int32 b=3; repeated int32 c=4 [packed=true]; }";
    let files = TABLE
        .iter()
        .filter(|(text, _)| !text.contains("(my.opt)") && !text.contains("(x)"))
        .map(|(text, _)| format!("syntax = \"proto3\"; {text}"))
        .chain([of_types, proto2.to_owned()]);
    for text in files {
        let compiler = compiled(&text);
        let pool = compiler.descriptor_pool();
        let (schema, _) = read_proto("x.proto", &text, None).unwrap();
        let root = &schema.messages[schema.root];
        let theirs = pool
            .all_messages()
            .find(|message| {
                message.name() == root.name && message.parent_file().name() == proto_compiler::FILE
            })
            .unwrap_or_else(|| panic!("there is a message {}\n{text}", root.name));
        assert_eq!(theirs.fields().len(), root.fields.len(), "{text}");
        for field in &root.fields {
            let other = theirs.get_field(field.number).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(other.name(), field.proto_name, "{text}");
            assert_eq!(other.json_name(), field.name, "{text}");
            // `is_packed` ignores options, so the options are checked first.
            let options = other.field_descriptor_proto().options.as_ref();
            let packed = options.and_then(|options| options.packed);
            let packed = packed.unwrap_or_else(|| other.is_packed());
            assert_eq!(packed, field.label == Label::Packed, "{text}");
            let repeated = matches!(field.label, Label::Repeated | Label::Packed);
            assert_eq!(other.cardinality() == Cardinality::Repeated, repeated, "{text}");
            assert_eq!(
                other.containing_oneof().is_some_and(|oneof| !oneof.is_synthetic()),
                field.oneof.is_some()
            );
            let explicit = other.supports_presence() && !repeated;
            assert_eq!(explicit, field.label == Label::Optional, "{text}");
            let kind = match other.kind() {
                Kind::Message(_) => "Message".to_owned(),
                Kind::Enum(_) => "Enum".to_owned(),
                scalar => format!("{scalar:?}"),
            };
            let ours = format!("{:?}", field.kind);
            let ours = ours.split('(').next().unwrap();
            assert_eq!(kind.to_lowercase(), ours.to_lowercase(), "{text}");
        }
    }
}

/// Files by their paths.
type Tree<'t> = &'t [(&'t str, &'t str)];

fn read_tree(tree: Tree<'_>, message: Option<&str>) -> Result<Document, Error> {
    let importer = |path: &str| {
        if path == "unreadable.proto" {
            return Err("permission denied".to_owned());
        }
        let found = tree.iter().find(|(name, _)| *name == path);
        Ok(found.map(|(name, text)| ImportedFile {
            name: format!("include/{name}"),
            text: (*text).to_owned(),
        }))
    };
    let options = Options { message, importer: Some(&importer) };
    read_bytes("x.proto", tree[0].1.as_bytes(), &options)
}

#[test]
fn imports_are_followed() {
    let tree: Tree<'_> = &[
        (
            "x.proto",
            "syntax = \"proto3\"; package shop; import \"money.proto\"; import \"all.proto\";
             message Order { shop.type.Money price = 1; type.Kind kind = 2; Item item = 3;
               google.protobuf.Timestamp at = 4; }",
        ),
        (
            "money.proto",
            "syntax = \"proto2\"; package shop.type; import \"x.proto\";
             message Money { repeated int64 units = 1; }
             enum Kind { SMALL = 1; }",
        ),
        (
            "all.proto",
            "import public \"item.proto\"; import public \"google/protobuf/timestamp.proto\";",
        ),
        ("item.proto", "syntax = \"proto3\"; package shop; message Item { repeated int32 a = 1; }"),
    ];
    let document = read_tree(tree, None).expect("the files are there");
    assert_eq!(
        flat(&document.shape),
        "Order { price?: Money? #1 kind: Kind = default #2 item?: Item? #3 at?: timestamp? #4 } \
         Money { units: [i64] = default #1 } Kind = { SMALL #1 } Item { a: [i32] = default #1 }"
    );
    assert_eq!(
        document.files,
        ["x.proto", "include/money.proto", "include/all.proto", "include/item.proto"]
    );
    let Language::Proto(schema) = document.language else { panic!("a .proto") };
    // Each file has the packing and the enums of its syntax.
    let label = |message: &str| {
        let found = schema.messages.iter().find(|it| it.name == message).expect("a message");
        found.fields[0].label
    };
    assert_eq!((label("Money"), label("Item")), (Label::Repeated, Label::Packed));
    assert!(!schema.enums[0].open);
    // A message of an imported file can be the root by its name.
    let document = read_tree(tree, Some("type.Money")).expect("the message is there");
    assert_eq!(flat(&document.shape), "Money { units: [i64] = default #1 }");
}

#[test]
fn faults_of_imports_name_their_file() {
    let import = "import \"b.proto\"; message A { b.B b = 1; }";
    let table: &[(Tree<'_>, &str)] = &[
        (
            &[("x.proto", import)],
            "x.proto:1:31: unknown type b.B; \"b.proto\", which the file imports, was not found",
        ),
        (
            &[("x.proto", import), ("b.proto", "package b;\nmessage B { int32 b = 0; }")],
            "include/b.proto:2:23: expected a number from 1 to 536870911, found 0",
        ),
        (
            &[("x.proto", import), ("b.proto", "package b;\nmessage B { C c = 1; }")],
            "include/b.proto:2:13: unknown type C",
        ),
        (
            &[("x.proto", import), ("b.proto", "package b;\nmessage B {}\n enum B { X = 0; }")],
            "include/b.proto:3:7: the name b.B is declared twice",
        ),
        // An import that is not public does not lead further.
        (
            &[
                ("x.proto", import),
                ("b.proto", "import \"c.proto\";"),
                ("c.proto", "package b; message B {}"),
            ],
            "x.proto:1:31: unknown type b.B; the file does not import the one that declares it",
        ),
        (
            &[("x.proto", "\nimport \"unreadable.proto\"; message A {}")],
            "x.proto:2:8: permission denied",
        ),
    ];
    for (tree, expected) in table {
        match read_tree(tree, None) {
            Ok(document) => panic!("{tree:?}: is {}", document.shape),
            Err(error) => assert_eq!(error.to_string(), *expected, "{tree:?}"),
        }
    }
    // An import that is not found matters only if something in it is used.
    let unused = "syntax = \"proto3\"; import \"google/api/annotations.proto\"; message A {}";
    assert!(read_tree(&[("x.proto", unused)], None).is_ok());
}

#[test]
fn an_unknown_message_is_answered_by_the_nearest() {
    let text = "package p; message Hotel { message Room {} } message Booking {}";
    let error = |name| read("x.proto", text, Some(name)).unwrap_err().message;
    let all = "expected one of p.Hotel, p.Hotel.Room, p.Booking";
    for (name, near) in [("hotels", "p.Hotel"), ("Bokking", "p.Booking"), ("q.Rom", "p.Hotel.Room")]
    {
        assert_eq!(error(name), format!("unknown message {name} (did you mean {near}?); {all}"));
    }
    assert_eq!(error("Invoice"), format!("unknown message Invoice; {all}"));
    let many: String = (0..60).map(|at| format!("message M{at} {{}} ")).collect();
    let error = read("x.proto", &many, None).unwrap_err().message;
    assert!(error.ends_with("M48, M49 and 10 more"), "{error}");
}

/// Returns the descriptor set of a file and of everything that it imports, from another compiler.
fn descriptor_set(text: &str) -> Vec<u8> {
    compiled(text).encode_file_descriptor_set()
}

#[test]
fn descriptor_sets_are_read_as_their_files() {
    let proto2 = "package p; message A { required int32 a=1; repeated int32 b=3; extensions 5 to 9;
        repeated int32 c=4 [packed=true]; optional E e = 10 [default = Y]; enum E { X = 1; Y = -2; } }";
    let files = TABLE
        .iter()
        .filter(|(text, _)| !text.contains("(my.opt)") && !text.contains("(x)"))
        .map(|(text, _)| format!("syntax = \"proto3\"; {text}"))
        .chain([proto2.to_owned()]);
    let mut read = 0;
    for text in files {
        let set = descriptor_set(&text);
        let options = Options::default();
        let from_text = read_bytes("x.proto", text.as_bytes(), &options).expect("a file");
        let from_set = match read_bytes("x.binpb", &set, &options) {
            Ok(document) => document,
            Err(error) => panic!("{text}\n{error}"),
        };
        let (Language::Proto(left), Language::Proto(right)) =
            (from_text.language, from_set.language)
        else {
            panic!("both are Protocol Buffers");
        };
        assert_eq!(left, right, "{text}");
        // A set that is cut is an error, and so is one with an unknown wire type.
        for len in 1..set.len() {
            let _ = read_bytes("x.binpb", &set[..len], &options);
        }
        read += 1;
    }
    assert!(read > 5, "the table has files");
    let error = read_bytes("x.binpb", b"\x0a\x7f\x0a\x01a", &Options::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "x.binpb:1:1: invalid descriptor set at byte 2: expected more bytes"
    );
    let error = read_bytes("x.proto", b"message A {\n  \xff}", &Options::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "x.proto:2:3: expected UTF-8, or a Protocol Buffers descriptor set (protoc -o, buf build)"
    );
}

#[test]
fn descriptor_sets_with_an_impossible_oneof_are_refused() {
    let part = |number: u8, content: &[u8]| {
        let head = [number << 3 | 2, content.len() as u8];
        [&head[..], content].concat()
    };
    let minus_one = [&[0xff; 9][..], &[1]].concat();
    for (index, expected) in [
        (&minus_one[..], "the index of a oneof"),
        (&[0xff, 0xff, 0xff, 0xff, 0xff, 1][..], "a 32-bit number"),
        (&[1][..], "a message with the oneofs of its fields"),
    ] {
        let field = [&part(1, b"a")[..], &[3 << 3, 1, 5 << 3, 5, 9 << 3], index].concat();
        let message = [part(1, b"A"), part(2, &field), part(8, &part(1, b"o"))].concat();
        let file = [part(1, b"x.proto"), part(4, &message)].concat();
        let error = read_bytes("x.binpb", &part(1, &file), &Options::default()).unwrap_err();
        assert!(error.message.ends_with(expected), "{error}");
    }
}

#[test]
fn defaults_of_descriptor_sets_are_valid_literals() {
    let text =
        r#"syntax = "proto2"; message A { optional string s = 1 [default = "a\001\"\r\\"]; }"#;
    let read = read_bytes("x.binpb", &descriptor_set(text), &Options::default()).expect("a set");
    let Language::Proto(schema) = read.language else { panic!("descriptors") };
    let written = schema.to_proto("");
    assert!(written.contains(r#"[default = "a\001\"\015\\"]"#), "{written}");
    let again = read_bytes("x.proto", written.as_bytes(), &Options::default()).expect("a file");
    let Language::Proto(again) = again.language else { panic!("a file") };
    assert_eq!(again, schema);
}

#[test]
fn features_of_editions_apply_to_everything_inside() {
    use Label::{Optional, Packed, Repeated, Singular};
    let text = "edition = \"2023\"; option features.field_presence = IMPLICIT;
        message A { option features.repeated_field_encoding = EXPANDED;
          int32 a = 1; int32 b = 2 [features.field_presence = EXPLICIT]; repeated int32 c = 3;
          repeated int32 d = 4 [features = { repeated_field_encoding: PACKED }];
          int32 e = 5 [features.field_presence = LEGACY_REQUIRED];
          oneof o { int32 f = 6; } E g = 7; B h = 8;
          message B { repeated int32 a = 1; }
          enum E { option features.enum_type = CLOSED; X = 1; }
          enum O { Z = 0; } O i = 9; }";
    let check = |schema: Schema| {
        let labels = |at: usize| -> Vec<(Label, bool)> {
            schema.messages[at].fields.iter().map(|field| (field.label, field.required)).collect()
        };
        assert_eq!(
            labels(schema.root),
            [
                (Singular, false),
                (Optional, false),
                (Repeated, false),
                (Packed, false),
                (Optional, true),
                (Optional, false),
                (Singular, false),
                (Optional, false),
                (Singular, false),
            ]
        );
        let inner = schema.messages.iter().position(|message| message.name == "B");
        assert_eq!(labels(inner.expect("B")), [(Repeated, false)]);
        let open =
            |name: &str| schema.enums.iter().find(|each| each.name == name).expect("an enum").open;
        assert_eq!((open("E"), open("O")), (false, true));
    };
    check(read_proto("x.proto", text, Some("A")).expect("a file").0);
    // Features of languages have no effect, also beside others.
    let text = "edition = \"2024\"; option features.(pb.java).large_enum = true;
        option features = { [pb.go] { api_level: API_OPAQUE } field_presence: IMPLICIT };
        option features.utf8_validation = NONE; message A { int32 a = 1; }";
    let (schema, _) = read_proto("x.proto", text, None).expect("a file");
    assert_eq!(schema.messages[0].fields[0].label, Singular);
    // Comments and text in a message are no features.
    let text = "edition = \"2023\"; message A { int32 a = 1; }
        option features = { // In proto3, too: IMPLICIT presence.
          [pb.test] < note: \"}\" >, /* not EXPLICIT */ field_presence: IMPLICIT; };";
    let (schema, _) = read_proto("x.proto", text, None).expect("a file");
    assert_eq!(schema.messages[0].fields[0].label, Singular);
    let faults = [
        (
            "edition = \"2023\"; option features.field_presense = IMPLICIT;",
            "x.proto:1:52: unknown feature field_presense = IMPLICIT",
        ),
        (
            "edition = \"2023\"; message A { int32 a = 1 [features.field_presence = implicit]; }",
            "x.proto:1:70: unknown feature field_presence = implicit",
        ),
        (
            "edition = \"2023\"; enum E { option features = { enum_type: CLOSE }; X = 1; }",
            "x.proto:1:46: unknown feature enum_type = CLOSE",
        ),
        (
            "edition = \"2023\"; option features = IMPLICIT;",
            "x.proto:1:37: expected features in braces",
        ),
        (
            "edition = \"2023\"; option features = { enum_type };",
            "x.proto:1:37: expected features with a value each",
        ),
        (
            "syntax = \"proto3\"; message A { option features.enum_type = CLOSED; }",
            "x.proto:1:60: expected an edition, as only editions have features",
        ),
    ];
    check_errors(&faults, read_shape);
    let error = read_proto("x.proto", "edition = \"2022\";", None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "x.proto:1:11: expected the edition \"2023\" or \"2024\", found \"2022\""
    );
}

#[test]
fn visibilities_of_edition_2024_are_no_fields() {
    let text = "edition = \"2024\";
        // Outer.
        export message A {
          // Inner.
          local message B { int32 a = 1; }
          export enum E { X = 0; }
          B b = 1; E e = 2; local local = 3;
        }
        local message local {}";
    let (schema, _) = read_proto("x.proto", text, Some("A")).expect("a file");
    let docs: Vec<_> = schema.messages.iter().map(|it| (&*it.name, &*it.doc)).collect();
    assert_eq!(docs, [("A", "Outer."), ("B", "Inner."), ("local", "")]);
    let fields: Vec<_> = schema.messages[0].fields.iter().map(|it| &*it.proto_name).collect();
    assert_eq!(fields, ["b", "e", "local"]);
}

const PROTO2: &str = r#"syntax = "proto2";
enum Color { RED = 3; BLUE = 1; }
message All {
  required int32 id = 1;
  optional Color color = 2 [default = BLUE];
  repeated int32 numbers = 3;
  repeated int32 packed = 4 [packed = true];
  optional string name = 5 [default = "a \"b\""];
  optional All next = 6;
  oneof choice { string text = 7; bool flag = 8; }
  map<string, All> by_name = 9;
  extensions 100 to 199;
}
"#;

/// Groups, and a mixture that only editions have.
const EDITION: &str = r#"edition = "2023";
enum Closed { option features.enum_type = CLOSED; RED = 3; }
enum Open { ZERO = 0; ONE = 1; }
message All {
  int32 implicit = 1 [features.field_presence = IMPLICIT];
  int32 explicit = 2 [default = 5];
  int32 needed = 3 [features.field_presence = LEGACY_REQUIRED];
  repeated int32 expanded = 4 [features.repeated_field_encoding = EXPANDED];
  repeated int32 packed = 5;
  All group = 6 [features.message_encoding = DELIMITED];
  Closed closed = 7;
  Open open = 8;
}
"#;

#[test]
fn schemas_beyond_proto3_are_written_in_proto2_or_an_edition() {
    for (text, syntax) in [(PROTO2, "syntax = \"proto2\";"), (EDITION, "edition = \"2023\";")] {
        let (schema, shape) = read_proto("x.proto", text, Some("All")).expect("a file");
        let written = schema.to_proto("");
        assert!(written.starts_with(syntax), "{written}");
        let (again, shape_again) = match read_proto("y.proto", &written, Some("All")) {
            Ok(again) => again,
            Err(error) => panic!("{error}\n{written}"),
        };
        assert_eq!(again, schema, "{written}");
        assert_eq!(shape_again, shape, "{written}");
        // The descriptors that lanes get say the same.
        let set = schema.to_descriptor_set("x.proto", "");
        let options = Options { message: Some("All"), importer: None };
        let read = match read_bytes("x.binpb", &set, &options) {
            Ok(read) => read,
            Err(error) => panic!("{error}\n{written}"),
        };
        let Language::Proto(from_set) = read.language else { panic!("descriptors") };
        assert_eq!(from_set, schema, "{written}");
    }
    let written = read_proto("x.proto", PROTO2, Some("All")).expect("a file").0.to_proto("");
    for line in [
        "  required int32 id = 1;",
        "  optional Color color = 2 [default = BLUE];",
        "  repeated int32 packed = 4 [packed = true];",
        "  optional string name = 5 [default = \"a \\\"b\\\"\"];",
        "    string text = 7;",
        "  RED = 3;\n  BLUE = 1;",
    ] {
        assert!(written.contains(line), "{line} is not in {written}");
    }
    // An edition has no place for a reserved name that is no identifier.
    let odd = "syntax = \"proto2\"; message A { reserved \"a-b\", \"c\"; optional group G = 1 {} }";
    let odd = read_proto("x.proto", odd, Some("A")).expect("a file").0.to_proto("");
    assert!(odd.contains("  reserved c;\n"), "{odd}");
    let group =
        "syntax = \"proto2\"; message A { repeated group Step = 1 { optional A deep = 2; } }";
    let (schema, _) = read_proto("x.proto", group, Some("A")).expect("a file");
    let field = &schema.messages[schema.root].fields[0];
    assert_eq!(
        (field.name.as_str(), field.delimited, field.label),
        ("step", true, Label::Repeated)
    );
    // Another compiler accepts proto2 as we write it.
    descriptor_set(&written);
}

/// `protoc` warns of fields that share a default name in JSON, and proto3 refuses them.
#[test]
fn fields_of_proto2_may_share_a_json_name() {
    for (text, expected, syntax) in [
        (
            "syntax = \"proto2\"; message A { optional int32 a_b = 1; optional int32 aB = 2;
             optional int32 a__b = 3; optional int32 d_e = 4; }",
            ["a_b", "aB", "a__b", "dE"],
            "syntax = \"proto2\";",
        ),
        // A name in the `.proto` may be the JSON name of another field.
        (
            "syntax = \"proto2\"; message A { optional int32 a_b = 1; optional int32 aB = 2;
             optional int32 c = 3 [json_name = \"a_b\"]; optional int32 d = 4 [json_name = \"c\"]; }",
            ["a_b", "aB", "c", "d"],
            "syntax = \"proto2\";",
        ),
        (
            "edition = \"2023\"; message A { option features.json_format = LEGACY_BEST_EFFORT;
             int32 a_b = 1; int32 aB = 2; int32 c = 3 [features.field_presence = IMPLICIT];
             int32 d_e = 4; }",
            ["a_b", "aB", "c", "dE"],
            "edition = \"2023\";",
        ),
    ] {
        let (schema, _) = read_proto("x.proto", text, None).expect(text);
        let fields = &schema.messages[0].fields;
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, expected, "{text}");
        assert!(fields[..3].iter().all(|field| field.aliases.is_empty()), "{fields:?}");
        let written = schema.to_proto("");
        assert!(written.starts_with(syntax), "{written}");
        let (again, _) = read_proto("y.proto", &written, None).expect(&written);
        assert_eq!(again, schema, "{text}");
        let set = schema.to_descriptor_set("x.proto", "");
        let options = Options { message: None, importer: None };
        let from_set = read_bytes("x.binpb", &set, &options).expect("a set");
        let Language::Proto(from_set) = from_set.language else { panic!("descriptors") };
        assert_eq!(from_set, schema, "{text}");
    }
}

#[test]
fn types_may_have_the_names_of_scalars_and_keywords() {
    let text = "syntax = \"proto3\"; package p;
        message Root {
          .p.string a = 1;
          .p.message b = 2;
          repeated .p.map c = 3;
          map<int32, .p.int32> d = 4;
          oneof o { p.option e = 5; string f = 6; }
          p.group.E g = 7;
          p.enum.F h = 8;
        }
        message string { bool a = 1; }
        message message { .p.message inner = 1; }
        message map {}
        message option {}
        enum int32 { ZERO = 0; }
        message group { enum E { X = 0; } }
        message enum { enum F { X = 0; } }";
    let (schema, _) = read_proto("x.proto", text, Some("Root")).expect("a file");
    for package in ["", "p", "q.r"] {
        let written = schema.to_proto(package);
        compiled(&written);
        let (again, _) = read_proto("y.proto", &written, Some("Root")).expect(&written);
        assert_eq!(again, schema, "{written}");
    }
}

#[test]
fn values_of_options_are_whole() {
    // Adjacent literals are one, and a comment after a value is no part of it.
    let text = r#"syntax = "proto2";
        message A {
          optional string a = 1 [json_name = "x" "-"
            'y', default = 'say "' "hi\""];
          optional bytes b = 2 [default = "\1" "2\xff"];
          repeated int32 c = 3 [packed = true // As in proto3.
          ];
          optional int32 d = 4 [default = -5 // Five.
            , deprecated = true];
          optional E e = 5 [default = TWO /* 2 */];
          optional double f = 6 [default = 123456789012345678901];
        }
        enum E { ONE = 1; TWO = 2; }"#;
    let (schema, _) = read_proto("x.proto", text, None).expect("a file");
    let fields = &schema.messages[schema.root].fields;
    assert_eq!(fields[0].name, "x-y");
    let defaults: Vec<_> = fields.iter().map(|field| field.default.as_deref()).collect();
    let expected = [
        Some(r#""say \"hi\"""#),
        Some(r#""\0012\377""#),
        None,
        Some("-5"),
        Some("TWO"),
        Some("123456789012345678901"),
    ];
    assert_eq!(defaults, expected);
    assert_eq!(fields[2].label, Label::Packed);
    let (again, _) = read_proto("y.proto", &schema.to_proto(""), None).expect("its own");
    assert_eq!(again, schema);
    let text = "edition = \"2023\"; option features.field_presence /* a */ = IMPLICIT /* b */;
        message A { int32 a = 1; int32 b = 2 [features.field_presence = EXPLICIT // Zero, too.
          ]; }";
    let (schema, _) = read_proto("x.proto", text, None).expect("a file");
    let labels: Vec<_> = schema.messages[0].fields.iter().map(|field| field.label).collect();
    assert_eq!(labels, [Label::Singular, Label::Optional]);
}

/// Returns the schema of a `.proto` without imports, whose first message is the root.
fn marked(text: &str) -> (Schema, Shape) {
    let text = format!("syntax = \"proto3\";\n{text}");
    compiled(&text);
    read_proto("x.proto", &text, Some("Root")).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn marked_messages_are_the_values_that_they_represent() {
    let (schema, shape) = marked(
        "message Root { reserved \"manywire_transparent\"; repeated Nullable items = 1; }
         message Nullable { reserved \"manywire_nullable\"; optional Either value = 1; }
         message Either { reserved \"manywire_union\";
           oneof kind { string string = 1; int64 int = 2; List list = 3; } }
         message List { reserved \"manywire_transparent\"; repeated bool items = 1; }",
    );
    assert_eq!(shape.to_string(), "[(str | i64 | [bool])?]\n");
    let forms: Vec<&Form> = schema.messages.iter().map(|message| &message.form).collect();
    assert_eq!(forms.iter().filter(|form| ***form == Form::Wrapper).count(), 3);
    assert!(forms.contains(&&Form::Union));
    // The text has the marks again, and its descriptor set, too.
    let (again, _) = read_proto("x.proto", &schema.to_proto(""), Some("Root")).expect("its own");
    assert_eq!(again, schema);
    let set = schema.to_descriptor_set("x.proto", "");
    let options = Options { message: Some("Root"), importer: None };
    let from_set = read_bytes("x.binpb", &set, &options).expect("a set");
    let Language::Proto(from_set) = from_set.language else { panic!("descriptors") };
    assert_eq!(from_set, schema);
}

#[test]
fn lists_of_marked_entries_are_maps() {
    let (schema, shape) = marked(
        "message Root { reserved \"manywire_transparent\"; repeated Entry items = 1; }
         message Entry { reserved \"manywire_entry\"; Key key = 1; bool value = 2; }
         message Key { reserved \"manywire_union\";
           oneof kind { string string = 1; int64 int = 2; } }",
    );
    let manywire_shape::Node::Map { key, value } = shape.node(shape.root()) else {
        panic!("{shape}");
    };
    assert!(matches!(shape.node(*key), manywire_shape::Node::Union(_)), "{shape}");
    assert!(matches!(shape.node(*value), manywire_shape::Node::Bool), "{shape}");
    let (again, _) = read_proto("x.proto", &schema.to_proto(""), Some("Root")).expect("its own");
    assert_eq!(again, schema);
    // A message that is also used outside of a list is a record.
    let (_, shape) = marked(
        "message Root { Entry one = 1; repeated Entry items = 2; }
         message Entry { reserved \"manywire_entry\"; string key = 1; bool value = 2; }",
    );
    assert!(!shape.nodes().iter().any(|node| matches!(node, manywire_shape::Node::Map { .. })));
}

#[test]
fn messages_that_no_longer_fit_their_mark_are_records() {
    for text in [
        // A second field, a member outside the oneof, a list that cannot be null.
        "message Root { reserved \"manywire_transparent\"; int32 a = 1; int32 b = 2; }",
        "message Root { reserved \"manywire_union\"; int32 a = 1; oneof kind { int32 b = 2; } }",
        "message Root { reserved \"manywire_nullable\"; repeated int32 a = 1; }",
        "message Root { reserved \"manywire_union\"; }",
        "message Root { reserved \"manywire_entry\"; string key = 1; bool value = 2; }",
        // Values that would contain nothing but themselves.
        "message Root { reserved \"manywire_transparent\"; Root value = 1; }",
        "message Root { reserved \"manywire_nullable\"; optional Other value = 1; }
         message Other { reserved \"manywire_union\"; oneof kind { Root a = 1; int32 b = 2; } }",
    ] {
        let (schema, shape) = marked(text);
        let root = &schema.messages[schema.root];
        assert_eq!(root.form, Form::Record { rest: None }, "{text}");
        assert!(matches!(shape.node(shape.root()), manywire_shape::Node::Record(_)), "{text}");
    }
    // The value of such a message has no default.
    for text in [
        "message Root { reserved \"manywire_transparent\"; optional int32 a = 1 [default = 5]; }",
        "message Root { repeated Entry a = 1; } message Entry { reserved \"manywire_entry\";
           optional string key = 1 [default = \"k\"]; optional bool value = 2; }",
    ] {
        let (schema, _) = read_proto("x.proto", text, None).expect(text);
        let forms: Vec<&Form> = schema.messages.iter().map(|message| &message.form).collect();
        assert!(forms.iter().all(|form| **form == Form::Record { rest: None }), "{forms:?}");
        let again = read_proto("y.proto", &schema.to_proto(""), None).map(|again| again.0);
        assert_eq!(again, Ok(schema), "{text}");
    }
    // A list of itself is fine: an empty list ends it.
    let tree = "message Root { reserved \"manywire_transparent\"; repeated Root items = 1; }";
    assert_eq!(marked(tree).0.messages[0].form, Form::Wrapper);
}
