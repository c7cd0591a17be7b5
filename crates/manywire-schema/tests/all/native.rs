//! Generated types: golden files for two shapes that have every feature, and, for Rust, checks that
//! the types compile and decode. `.ci/native` compiles the other languages.
//!
//! `MANYWIRE_BLESS=1 cargo test -p manywire-schema --test all native` rewrites the golden files.

use manywire_schema::native::{NativeLanguage, Options, write};
use manywire_schema::{TARGET_LANGUAGES, TargetLanguage};
use manywire_shape::infer::Inference;
use manywire_shape::{Arena, Shape, Shaped, ValueSeed};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

#[rustfmt::skip]
#[path = "../native/golden/kinds.rs"]
#[allow(dead_code, unreachable_pub)]
mod kinds;
#[rustfmt::skip]
#[path = "../native/golden/odd.rs"]
#[allow(dead_code, unreachable_pub)]
mod odd;

const ODD: &str = include_str!("../native/odd.json");
const KINDS: &str = include_str!("../native/kinds.ndjson");

/// Returns the shapes of a document and of a schema.
fn shapes() -> [(&'static str, Shape); 2] {
    let arena = Arena::new();
    let mut reader = serde_json::Deserializer::from_str(ODD);
    let value = ValueSeed::new(&arena).deserialize(&mut reader).expect("JSON");
    let mut inference = Inference::new();
    inference.add(&value);
    let schema = include_str!("../native/kinds.schema.json");
    let kinds = manywire_schema::read_json_schema("kinds.schema.json", schema).expect("a schema");
    [("odd", inference.shape()), ("kinds", kinds)]
}

#[test]
fn generated_sources_match_the_golden_files() {
    for (name, shape) in shapes() {
        for row in &TARGET_LANGUAGES {
            let TargetLanguage::Native(language) = row.language else { continue };
            let options = Options { shaped: true, ..Options::default() };
            let source = write(&shape, language, &options);
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/native/golden");
            let path = format!("{folder}/{name}.{}", row.extension);
            if std::env::var_os("MANYWIRE_BLESS").is_some() {
                std::fs::write(&path, &source.text).expect("a golden");
            }
            let golden = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(golden == source.text, "{path} is not what is written now:\n{}", source.text);
        }
    }
}

#[test]
fn generated_rust_round_trips_the_samples() {
    let odd: odd::Root = serde_json::from_str(ODD).expect("what it was written for");
    let again = serde_json::to_value(&odd).expect("JSON");
    let document = serde_json::from_str(ODD).expect("JSON");
    assert_eq!(plain(again), plain(document));
    let mut lines = 0;
    for line in KINDS.lines() {
        let kinds: kinds::Kinds = serde_json::from_str(line).expect("what it was written for");
        let again = serde_json::to_string(&kinds).expect("JSON");
        let again: kinds::Kinds = serde_json::from_str(&again).expect("what was just written");
        assert_eq!(again, kinds);
        lines += 1;
    }
    assert_eq!(lines, 3);
    for (broken, whole) in [("\"small\": 200", "\"small\": 300"), ("\"dark green\"", "\"green\"")] {
        let line = KINDS.lines().next().expect("a line").replace(broken, whole);
        assert!(serde_json::from_str::<kinds::Kinds>(&line).is_err(), "{whole}");
    }
}

/// Normalizes JSON: removes null members, which represent absent fields, and uses one notation for
/// numbers.
fn plain(value: Json) -> Json {
    match value {
        Json::Object(members) => {
            let members = members.into_iter().filter(|(_, value)| !value.is_null());
            members.map(|(key, value)| (key, plain(value))).collect()
        }
        Json::Array(items) => items.into_iter().map(plain).collect(),
        Json::Number(number) if number.is_f64() => match number.as_f64() {
            Some(float) if float.fract() == 0.0 => Json::from(float as i64),
            _ => Json::Number(number),
        },
        other => other,
    }
}

/// The generated types derive the shape that they come from: numbers, encodings, presence and
/// order. Names that Rust reserves have a number appended, and null is not an option.
#[test]
fn generated_rust_derives_the_original_shape() {
    let derived = [Shape::of_readable::<odd::Root>(), Shape::of_readable::<kinds::Kinds>()];
    for ((name, shape), derived) in shapes().into_iter().zip(derived) {
        let words = |shape: Shape| {
            let text = shape.to_string().replace("null?", "null");
            ["String", "Option", "Vec", "Box"]
                .into_iter()
                .fold(text, |text, name| text.replace(&format!("{name}2"), name))
        };
        let (written, derived) = (words(shape), words(derived));
        // The variants of enums have separate types in Rust.
        let lines = if name == "kinds" { 19 } else { written.lines().count() };
        assert!(derived.lines().count() >= lines, "{derived}");
        for (written, derived) in written.lines().zip(derived.lines()).take(lines) {
            // An optional field is an `Option`, and serde reads null into any `Option`.
            let plain = |line: &str| match line.split_once("?: ") {
                Some(_) => line.trim_end_matches('?').replace("? #", " #"),
                None => line.to_owned(),
            };
            let (written, derived) = (plain(written), plain(derived));
            // The integers of a union come before its floats, and an unnamed recursive type has a
            // name in Rust.
            if !written.contains("mixed:") && !written.contains("nested?:") {
                assert_eq!(derived, written, "{name}");
            }
        }
    }
}

/// Each field has its whole key in the tag `key`, whatever the tags of libraries can have.
#[test]
fn go_fields_have_their_key_on_request() {
    let arena = Arena::new();
    let mut reader = serde_json::Deserializer::from_str(r#"{"a\"b":1,"tick`":2,"-":3,"com,ma":4}"#);
    let mut inference = Inference::new();
    inference.add(&ValueSeed::new(&arena).deserialize(&mut reader).expect("JSON"));
    let options = Options { go_tags: vec!["key".to_owned()], ..Options::default() };
    let text = write(&inference.shape(), NativeLanguage::Go, &options).text;
    for tag in [r#"key:"a\"b""#, r#"key:"tick\x60""#, r#"key:"-""#, r#"key:"com,ma""#] {
        assert!(text.contains(tag), "{tag}\n{text}");
    }
}

#[derive(Serialize, Deserialize, Shaped)]
struct Renamed {
    #[serde(alias = "former field")]
    field: u8,
    plain: RenamedVariant,
    adjacent: Renamings,
}

#[derive(Serialize, Deserialize, Shaped)]
enum RenamedVariant {
    #[serde(alias = "former variant")]
    Variant,
}

#[derive(Serialize, Deserialize, Shaped)]
#[serde(tag = "t", content = "c")]
enum Renamings {
    #[serde(alias = "former tag")]
    Variant(u8),
}

/// Most libraries do not read other names than the first. Such names are therefore in comments.
#[test]
fn other_names_are_in_every_language() {
    let shape = Shape::of_readable::<Renamed>();
    for row in &TARGET_LANGUAGES {
        let TargetLanguage::Native(language) = row.language else { continue };
        let text = write(&shape, language, &Options::default()).text;
        for name in ["\"former field\"", "\"former variant\"", "\"former tag\""] {
            assert!(text.contains(name), "{} {name}\n{text}", row.name);
        }
    }
}

fn shape_of(json: &str) -> Shape {
    let arena = Arena::new();
    let mut reader = serde_json::Deserializer::from_str(json);
    let mut inference = Inference::new();
    inference.add(&ValueSeed::new(&arena).deserialize(&mut reader).expect("JSON"));
    inference.shape()
}

/// A union is an `any`, so the packages of its branches are not imported: Go refuses an import that
/// is not used.
#[test]
fn go_imports_only_what_it_writes() {
    let union = shape_of(r#"{"a":[-1,18446744073709551615,"x"]}"#);
    let text = write(&union, NativeLanguage::Go, &Options::default()).text;
    assert!(text.contains("A []any") && !text.contains("import"), "{text}");
    let plain = shape_of(r#"{"a":[-1,18446744073709551615]}"#);
    let text = write(&plain, NativeLanguage::Go, &Options::default()).text;
    assert!(text.contains("A []*big.Int") && text.contains("\"math/big\""), "{text}");
}

/// msgp reads an empty array as a nil slice without the option, and generates methods whose names a
/// field cannot have.
#[test]
fn go_types_suit_msgp() {
    let options = Options { go_tags: vec!["msg".to_owned()], ..Options::default() };
    let shape = shape_of(r#"[{"a:b":[1],"msgsize":1},{"a:b":[],"msgsize":2},{"msgsize":3}]"#);
    let text = write(&shape, NativeLanguage::Go, &options).text;
    for part in [r#"msg:"a:b,omitempty,allownil""#, "\tMsgsize_ "] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// An untagged enum takes the first branch that reads a value: a record whose fields are optional
/// reads any list, a float reads an integer, and no branch reads an integer of 128 bits.
#[test]
fn rust_unions_try_narrow_branches_first() {
    let shape = shape_of(
        r#"{"v":[{"a":1},{},{"b":2},[1],[],0.5,-1,9007199254740993,18446744073709551615]}"#,
    );
    let text = write(&shape, NativeLanguage::Rust, &Options::default()).text;
    let start = text.find("#[serde(untagged)]").expect("a union");
    let branches: Vec<&str> = text[start..]
        .lines()
        .skip(2)
        .take_while(|line| *line != "}")
        .map(|line| line.split(['(', ')']).nth(1).unwrap_or(line))
        .collect();
    assert_eq!(branches, ["i64", "u64", "Vec<i64>", "f64", "V"], "{text}");
}

/// `rustc` denies marks of direction in comments.
#[test]
fn comments_have_no_marks_of_direction() {
    let schema = r#"{"description": "a \u202e\u2066b", "properties": {}}"#;
    let shape = manywire_schema::read_json_schema("a.json", schema).expect("a schema");
    let text = write(&shape, NativeLanguage::Rust, &Options::default()).text;
    assert!(text.contains("/// a b\n"), "{text}");
}

#[test]
fn java_types_are_told_from_those_of_libraries() {
    let arena = Arena::new();
    let mut reader = serde_json::Deserializer::from_str(r#"{"nulls":{"a":1}}"#);
    let mut inference = Inference::new();
    inference.add(&ValueSeed::new(&arena).deserialize(&mut reader).expect("JSON"));
    let shape = inference.shape_named("InstantOffer");
    let source = write(&shape, NativeLanguage::Java, &Options::default());
    assert_eq!(source.root, "Types.InstantOffer");
    // An annotation refers to `Nulls`.
    assert!(!source.text.contains("record Nulls("), "{}", source.text);
    let shape = shape_of("[18446744073709551615]");
    let source = write(&shape, NativeLanguage::Java, &Options::default());
    assert_eq!(source.root, "java.util.List<java.math.BigInteger>");
}

/// C# refuses a member with the name of its class, and warns of one that hides a member of `object`.
#[test]
fn csharp_members_are_told_from_their_class_and_from_object() {
    let shape = shape_of(r#"{"user":{"user":1,"equals":true,"list":[1.5,null]}}"#);
    let options = Options { package: "Wire".to_owned(), ..Options::default() };
    let source = write(&shape, NativeLanguage::CSharp, &options);
    for part in [
        "\nnamespace Wire\n{\n    [DataContract]\n    public sealed class Root\n    {\n",
        "        public User User { get; set; }\n",
        "        public long User_ { get; set; }\n",
        "        public bool Equals_ { get; set; }\n",
        "        public List<double?> List { get; set; }\n",
    ] {
        assert!(source.text.contains(part), "{part}\n{}", source.text);
    }
    let list = write(&shape_of(r#"[{"a":1}]"#), NativeLanguage::CSharp, &Options::default());
    assert_eq!(list.root, "System.Collections.Generic.List<Root>");
}

/// TypeScript refuses to look for a key in an empty list.
#[test]
fn typescript_guards_of_records_without_fields_compile() {
    let schema = r#"{"properties": {}, "additionalProperties": {"type": "string"}}"#;
    let shape = manywire_schema::read_json_schema("a.json", schema).expect("a schema");
    let text = write(&shape, NativeLanguage::TypeScript, &Options::default()).text;
    let check = "Object.values(value).every((rest) => typeof rest === \"string\")";
    assert!(text.contains(check) && !text.contains("includes"), "{text}");
}

/// A guard that looks at an inherited property refuses an object without the optional key
/// `constructor`. `.ci/native` runs the guards.
#[test]
fn typescript_guards_look_only_at_own_properties() {
    let arena = Arena::new();
    let mut inference = Inference::new();
    for line in include_str!("../native/inherited.ndjson").lines() {
        let mut reader = serde_json::Deserializer::from_str(line);
        inference.add(&ValueSeed::new(&arena).deserialize(&mut reader).expect("JSON"));
    }
    let [odd, kinds] = shapes();
    for shape in [inference.shape(), odd.1, kinds.1] {
        let text = write(&shape, NativeLanguage::TypeScript, &Options::default()).text;
        assert!(!text.contains(" in value"), "{text}");
        let mut looked_at = 0;
        for line in text.lines() {
            for (at, _) in line.match_indices("value[\"") {
                let key = line[at + 6..].split_once("\"]").expect("a key in brackets").0;
                let own = format!("hasOwn(value, {key}\")");
                assert!(line[..at].contains(&own), "{line}\n{text}");
                looked_at += 1;
            }
        }
        assert!(looked_at > 0, "{text}");
    }
}

/// All names of a module share one scope: two records may give a field the same name.
#[test]
fn haskell_names_are_unique_in_the_module() {
    let shape = shape_of(r#"{"hotel":{"nameFirst":1,"options":2},"hotelName":{"first":"a"}}"#);
    let options = Options { package: "Api.Hotels".to_owned(), ..Options::default() };
    let text = write(&shape, NativeLanguage::Haskell, &options).text;
    for part in [
        "module Api.Hotels where",
        "  { hotelNameFirst :: !Int64",
        "  { hotelNameFirst2 :: !Text",
        r#"      "hotelNameFirst2" -> "first""#,
        "  , hotelOptions :: !Int64",
        "hotelOptions2 :: Options",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// aeson omits all fields that are `Nothing` or none of them.
#[test]
fn haskell_tells_null_from_absent() {
    let mixed = shape_of(r#"{"v":[{"a":null,"b":1},{"a":1}]}"#);
    let text = write(&mixed, NativeLanguage::Haskell, &Options::default()).text;
    for part in [r#"["a" .= vA record]"#, r#"["b" .= content | Just content <- [vB record]]"#] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let null = shape_of(r#"{"v":[{"a":null},{"a":1}]}"#);
    let text = write(&null, NativeLanguage::Haskell, &Options::default()).text;
    assert!(text.contains("  { vA :: !(Maybe Int64)"), "{text}");
    assert!(!text.contains("omitNothingFields"), "{text}");
    let absent = shape_of(r#"{"v":[{"b":1},{}]}"#);
    let text = write(&absent, NativeLanguage::Haskell, &Options::default()).text;
    assert!(text.contains("{fieldLabelModifier = key, omitNothingFields = True}"), "{text}");
}

/// Derived codecs take the name of a field for its key. It is in backquotes where Scala needs them,
/// and another name only where no name of Scala is the key.
#[test]
fn scala_fields_have_their_keys_as_names() {
    let shape = shape_of(
        r#"{"$ref":1,"$eq":2,"using":3,"a_":4,"`":5,"\\\"":6,"_1":7,"clone":8,"clone_":9,"":10}"#,
    );
    let text = write(&shape, NativeLanguage::Scala, &Options::default()).text;
    for part in [
        "(\n    `$ref`: Long,\n",
        "    // The key is \"$eq\", which cannot be the name here.\n    `$eq_`: Long,\n",
        "    `using`: Long,\n",
        "    `a_`: Long,\n",
        "    `\\u0060`: Long,\n",
        "    `\\\\\"`: Long,\n",
        "    `_1_`: Long,\n",
        "    // The key is \"clone\", which cannot be the name here.\n    clone_2: Long,\n    `clone_`: Long,\n",
        "    `empty_`: Long\n)\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// Fields that the language gives a default when they are absent have one here, and others are
/// options.
#[test]
fn scala_fields_have_the_defaults_of_protocol_buffers() {
    let proto = r#"syntax = "proto3"; import "google/protobuf/timestamp.proto";
        message A { int64 a = 1; uint32 b = 2; string c = 3; repeated A d = 4; E e = 5; bytes f = 6;
            google.protobuf.Timestamp g = 7; map<string, double> h = 8; uint64 i = 9; bool j = 10;
            float k = 11; int32 l = 12; } enum E { X = 0; }"#;
    let (_, shape) = manywire_schema::read_proto("a.proto", proto, Some("A")).expect("a schema");
    let options = Options { package: "api.v1".to_owned(), ..Options::default() };
    let source = write(&shape, NativeLanguage::Scala, &options);
    assert_eq!(source.root, "A");
    let expected = "package api.v1

import java.time.Instant

final case class A(
    a: Long = 0L,
    b: Long = 0L,
    c: String = \"\",
    d: List[A] = Nil,
    e: Option[E] = None,
    f: Array[Byte] = Array.emptyByteArray,
    g: Option[Instant] = None,
    h: Map[String, Double] = Map.empty,
    i: BigInt = BigInt(0),
    j: Boolean = false,
    k: Float = 0.0f,
    l: Int = 0
)
";
    assert!(source.text.contains(expected), "{}", source.text);
}

/// Within the object of a sealed trait, a case with the name of a type would hide it.
#[test]
fn scala_cases_do_not_hide_types() {
    let schema = r#"{"title": "Place", "oneOf": [
        {"type": "object", "required": ["t", "c"], "additionalProperties": false,
         "properties": {"t": {"const": "String"}, "c": {"type": "string"}}},
        {"type": "object", "required": ["t", "c"], "additionalProperties": false,
         "properties": {"t": {"const": "Long"}, "c": {"type": "boolean"}}}]}"#;
    let shape = manywire_schema::read_json_schema("a.json", schema).expect("a schema");
    let text = write(&shape, NativeLanguage::Scala, &Options::default()).text;
    let expected = "object Place {
  // The key is \"String\", which cannot be the name here.
  final case class `String_`(
      c: String
  ) extends Place

  final case class Long(
      c: Boolean
  ) extends Place
}
";
    assert!(text.contains(expected), "{text}");
}

/// A constructor has at most 255 arguments, of which a `Long` takes two.
#[test]
fn scala_records_with_too_many_fields_are_maps() {
    for (count, root) in [(120, "Root"), (121, "Map[String, Any]")] {
        let fields: Vec<String> =
            (0..count).map(|at| format!("\"f{at}\": {{\"type\": \"integer\"}}")).collect();
        let schema = format!(
            r#"{{"title": "Root", "type": "object", "properties": {{{}}}}}"#,
            fields.join(", ")
        );
        let shape = manywire_schema::read_json_schema("a.json", &schema).expect("a schema");
        let source = write(&shape, NativeLanguage::Scala, &Options::default());
        assert_eq!(source.root, root, "{}", source.text);
        assert_eq!(source.text.contains("case class"), count == 120, "{}", source.text);
    }
}
