//! Compatibility of schema changes. Each case is checked in both directions: a change that is
//! backward compatible in one is forward compatible in the other.

use manywire_schema::compat::{Report, compare};
use manywire_schema::read;

fn report(old: &str, new: &str) -> Report {
    let read = |text: &str| {
        read("schema", text, Some("A")).unwrap_or_else(|error| panic!("{error}\n{text}"))
    };
    compare(&read(old), &read(new)).expect("one language")
}

/// A pair of schemas, and whether the change is backward and forward compatible.
type Case<'c> = (&'c str, &'c str, bool, bool);

fn check(cases: &[Case<'_>], file: impl Fn(&str) -> String) {
    for (old, new, backward, forward) in cases {
        let (left, right) = (file(old), file(new));
        let there = report(&left, &right);
        assert_eq!(
            (there.backward(), there.forward()),
            (*backward, *forward),
            "{old} → {new}: {there:?}"
        );
        let back = report(&right, &left);
        assert_eq!(
            (back.backward(), back.forward()),
            (*forward, *backward),
            "{new} → {old}: {back:?}"
        );
        let same = report(&left, &left);
        assert!(same.changes.is_empty(), "{old}: {same:?}");
    }
}

#[test]
fn compares_protocol_buffers_by_number() {
    let cases = [
        ("int32 a = 1;", "int32 b = 1;", true, true),
        ("int32 a = 1;", "int32 a = 2;", false, false),
        ("int32 a = 1;", "int64 a = 1;", true, false),
        ("uint32 a = 1;", "int64 a = 1;", true, false),
        ("int32 a = 1;", "uint32 a = 1;", false, false),
        ("int32 a = 1;", "sint32 a = 1;", false, false),
        ("sint32 a = 1;", "sint64 a = 1;", true, false),
        ("bool a = 1;", "int32 a = 1;", true, false),
        ("fixed32 a = 1;", "fixed64 a = 1;", false, false),
        ("string a = 1;", "bytes a = 1;", true, false),
        ("string a = 1;", "int32 a = 1;", false, false),
        ("float a = 1;", "double a = 1;", false, false),
        ("int32 a = 1;", "optional int32 a = 1;", true, true),
        ("string a = 1;", "repeated string a = 1;", true, false),
        ("repeated int32 a = 1;", "repeated int32 a = 1 [packed = false];", true, true),
        ("K a = 1;", "int32 a = 1;", true, true),
        ("B a = 1;", "C a = 1;", false, false),
        ("B a = 1;", "D a = 1;", true, true),
        ("map<string, int32> a = 1;", "map<string, int64> a = 1;", true, false),
        ("map<string, int32> a = 1;", "repeated int32 a = 1;", false, false),
        ("map<string, int32> a = 1;", "repeated E a = 1;", true, false),
        ("map<string, sint32> a = 1;", "repeated E a = 1;", false, false),
        ("map<string, int32> a = 1;", "E a = 1;", false, false),
        ("map<string, int32> a = 1;", "repeated F a = 1;", true, false),
        ("map<string, int32> a = 1;", "repeated H a = 1;", false, false),
        ("int32 a = 1;", "int32 a = 1; string b = 2;", true, true),
        ("string x = 1; string y = 2;", "oneof o { string x = 1; string y = 2; }", false, true),
    ];
    let file = |fields: &str| {
        format!(
            "syntax = \"proto3\"; message A {{ {fields} }} message B {{ int32 x = 1; }} \
             message C {{ string x = 1; }} message D {{ int32 x = 1; string y = 2; }} \
             message E {{ int32 count = 2; string name = 1; }} \
             message F {{ string key = 1; int32 value = 2; bool more = 3; }} \
             message H {{ int32 value = 2; bool more = 3; }} \
             enum K {{ K_A = 0; }}"
        )
    };
    let groups =
        [("optional G g = 1;", "optional group G = 1 { optional int32 x = 1; }", false, false)];
    check(&groups, |fields| {
        let others = "message G { optional int32 x = 1; }";
        format!("syntax = \"proto2\"; message A {{ {fields} }} {others}")
    });
    // Moving a field into a oneof breaks both directions, moving it out breaks none, so this case
    // is not symmetric.
    let (oneof, others) = cases.split_last().expect("cases");
    check(others, file);
    let moved = report(&file(oneof.0), &file(oneof.1));
    assert!(!moved.backward() && !moved.forward(), "{moved:?}");

    let reserved = report(&file("reserved 2; int32 a = 1;"), &file("int32 a = 1; int32 b = 2;"));
    assert_eq!(reserved.changes[0].message, "takes the number 2, which was reserved");
    assert!(!reserved.backward());
    let listed = report(&file("map<string, int32> a = 1;"), &file("repeated E a = 1;"));
    assert_eq!(
        listed.changes[0].message,
        "map<string, int32> became repeated E: old readers take the last entry of a key, and JSON \
         has an array instead of an object"
    );
    let listed = report(&file("map<string, int32> a = 1;"), &file("repeated F a = 1;"));
    let more = &listed.changes[1];
    assert_eq!((&*more.path, &*more.message), ("$.a.*.more", "added with number 3"));
    let removed = report(&file("int32 a = 1; int32 b = 2;"), &file("int32 a = 1;"));
    assert!(removed.changes[0].message.contains("write `reserved 2;`"), "{removed:?}");
    assert!(removed.backward() && removed.forward());
    let deep = report(
        "syntax = \"proto3\"; message A { repeated B bs = 1; } message B { A a = 1; int32 n = 2; }",
        "syntax = \"proto3\"; message A { repeated B bs = 1; } message B { A a = 1; string n = 2; }",
    );
    assert_eq!(deep.changes[0].path, "$.bs[*].n");
    assert_eq!(deep.changes[0].message, "int32 became string");
}

#[test]
fn compares_the_aliases_of_enums_by_name() {
    let file = |values: &str| {
        format!("syntax = \"proto3\"; message A {{ K k = 1; }} enum K {{ OFF = 0; {values} }}")
    };
    let old = file("option allow_alias = true; ON = 1; YES = 1;");
    let cases: [(&str, &[&str], bool); 5] = [
        (
            "ON = 1;",
            &["YES = 1 removed, another name of ON: bytes stay the same, JSON and text do not"],
            true,
        ),
        ("ON = 1; YES = 2;", &["YES moved from 1 to 2", "YES = 2 added"], false),
        ("YES = 1;", &["ON = 1 became YES: bytes stay the same, JSON and text do not"], true),
        ("", &["ON = 1 removed"], true),
        ("option allow_alias = true; ON = 1; YES = 1; JA = 1;", &[], true),
    ];
    for (new, messages, is_compatible) in cases {
        let report = report(&old, &file(new));
        let found: Vec<&str> = report.changes.iter().map(|change| &*change.message).collect();
        assert_eq!(found, messages, "{new}");
        let compatible = (report.backward(), report.forward());
        assert_eq!(compatible, (is_compatible, is_compatible), "{new}");
    }
}

#[test]
fn compares_avro_by_schema_resolution() {
    let cases = [
        (r#""int""#, r#""long""#, true, false),
        (r#""int""#, r#""double""#, true, false),
        (r#""long""#, r#""float""#, true, false),
        (r#""double""#, r#""float""#, false, true),
        (r#""string""#, r#""bytes""#, true, true),
        (r#""int""#, r#""string""#, false, false),
        (r#""int""#, r#"["null", "int"]"#, true, false),
        (r#""int""#, r#"["null", "long"]"#, true, false),
        (r#"["int", "string"]"#, r#"["string", "int"]"#, true, true),
        (r#"["int", "string"]"#, r#"["int", "boolean"]"#, false, false),
        (
            r#"{"type": "array", "items": "int"}"#,
            r#"{"type": "array", "items": "long"}"#,
            true,
            false,
        ),
        (
            r#"{"type": "map", "values": "int"}"#,
            r#"{"type": "map", "values": "string"}"#,
            false,
            false,
        ),
        (
            r#"{"type": "enum", "name": "E", "symbols": ["a", "b"]}"#,
            r#"{"type": "enum", "name": "E", "symbols": ["a", "b", "c"]}"#,
            true,
            false,
        ),
        (
            r#"{"type": "enum", "name": "E", "symbols": ["a", "b"], "default": "a"}"#,
            r#"{"type": "enum", "name": "E", "symbols": ["a", "b", "c"], "default": "a"}"#,
            true,
            true,
        ),
        (
            r#"{"type": "fixed", "name": "F", "size": 2}"#,
            r#"{"type": "fixed", "name": "F", "size": 3}"#,
            false,
            false,
        ),
        (
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}"#,
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 3}"#,
            false,
            false,
        ),
        (
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}"#,
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}"#,
            false,
            false,
        ),
        (
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 9}"#,
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 0}"#,
            true,
            true,
        ),
        (
            r#""bytes""#,
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}"#,
            true,
            true,
        ),
        (
            r#"{"type": "record", "name": "R", "fields": []}"#,
            r#"{"type": "record", "name": "S", "fields": []}"#,
            false,
            false,
        ),
        (
            r#"{"type": "record", "name": "R", "fields": []}"#,
            r#"{"type": "record", "name": "S", "aliases": ["R"], "fields": []}"#,
            true,
            false,
        ),
        (
            r#"{"type": "record", "name": "R", "fields": []}"#,
            r#"{"type": "record", "name": "R", "fields": [{"name": "x", "type": "int"}]}"#,
            false,
            true,
        ),
        (
            r#"{"type": "record", "name": "R", "fields": []}"#,
            r#"{"type": "record", "name": "R", "fields": [{"name": "x", "type": "int", "default": 1}]}"#,
            true,
            true,
        ),
        (
            r#"{"type": "record", "name": "R", "fields": [{"name": "x", "type": "int"}]}"#,
            r#"{"type": "record", "name": "R", "fields": [{"name": "y", "type": "int", "aliases": ["x"]}]}"#,
            true,
            false,
        ),
    ];
    let file = |ty: &str| {
        format!(r#"{{"type": "record", "name": "A", "fields": [{{"name": "f", "type": {ty}}}]}}"#)
    };
    check(&cases, file);
    let recursive = |ty: &str| {
        format!(
            r#"{{"type": "record", "name": "A", "fields": [{{"name": "n", "type": {ty}}},
            {{"name": "next", "type": ["null", "A"], "default": null}}]}}"#
        )
    };
    let report = report(&recursive(r#""int""#), &recursive(r#""boolean""#));
    assert_eq!(report.changes.len(), 2, "once a direction: {report:?}");
    assert_eq!(report.changes[0].path, "$.n");
    let report = self::report(
        &file(r#"{"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}"#),
        &file(r#"{"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 3}"#),
    );
    let message = "decimal(9, 2) is written where decimal(9, 3) is read (new readers of old data)";
    assert_eq!(report.changes[0].message, message);
}

#[test]
fn compares_json_schemas_by_shape() {
    let cases = [
        (r#"{"type": "integer"}"#, r#"{"type": "number"}"#, true, false),
        (r#"{"type": "integer", "format": "int32"}"#, r#"{"type": "integer"}"#, true, false),
        (r#"{"type": "integer"}"#, r#"{"type": ["integer", "null"]}"#, true, false),
        (r#"{"type": "integer"}"#, r#"{"type": ["integer", "string"]}"#, true, false),
        (r#"{"type": "integer"}"#, r#"{"type": "string"}"#, false, false),
        (r#"{"type": "integer"}"#, "true", true, false),
        (r#"{"enum": ["a", "b"]}"#, r#"{"enum": ["a", "b", "c"]}"#, true, false),
        (r#"{"enum": ["a", "b"]}"#, r#"{"type": "string"}"#, true, false),
        (
            r#"{"type": "array", "items": {"type": "integer"}}"#,
            r#"{"type": "array", "items": {"type": "string"}}"#,
            false,
            false,
        ),
        (
            r#"{"type": "object", "properties": {"x": {"type": "integer"}}}"#,
            r#"{"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}"#,
            false,
            true,
        ),
        (
            r#"{"type": "object", "properties": {"x": {"type": "integer"}}}"#,
            r#"{"type": "object", "properties": {"x": {"type": "integer"}, "y": {}}}"#,
            true,
            true,
        ),
        (
            r#"{"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}"#,
            r#"{"type": "object", "properties": {"y": {"type": "integer"}}, "required": ["y"]}"#,
            false,
            false,
        ),
        // Keys that are not named.
        (
            r#"{"properties": {"x": {"type": "integer"}}, "additionalProperties": {"type": "integer"}}"#,
            r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
            true,
            true,
        ),
        (
            r#"{"properties": {"x": {"type": "integer"}}, "additionalProperties": {"type": "string"}}"#,
            r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
            false,
            false,
        ),
        (
            r#"{"properties": {"x": {"type": "integer"}, "y": {"type": "string"}}}"#,
            r#"{"properties": {"x": {"type": "integer"}}, "additionalProperties": {"type": "integer"}}"#,
            false,
            false,
        ),
        (
            r#"{"properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}}"#,
            r#"{"properties": {"x": {"type": "integer"}}, "additionalProperties": {"type": "integer"}}"#,
            true,
            true,
        ),
        (
            r#"{"properties": {"x": {"type": "integer"}, "y": {"type": "string"}}}"#,
            r#"{"properties": {"x": {"type": "integer"}}, "additionalProperties": true}"#,
            true,
            true,
        ),
    ];
    check(&cases, json_schema);
}

/// Returns a JSON Schema of an object that requires a property of this schema.
fn json_schema(schema: &str) -> String {
    format!(
        r#"{{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
            "required": ["f"], "properties": {{"f": {schema}}}}}"#
    )
}

#[test]
fn compares_the_lengths_of_arrays_in_json_schemas() {
    const INTEGERS: &str = r#"{"type": "array", "items": {"type": "integer"}}"#;
    const SOME: &str = r#"{"type": "array", "items": {"type": "integer"}, "minItems": 1}"#;
    const NO: &str =
        r#"{"type": "array", "items": {"type": "integer"}, "minItems": 0, "maxItems": 0}"#;
    const TWO: &str =
        r#"{"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}"#;
    const TUPLE: &str = r#"{"type": "array", "items": false,
        "prefixItems": [{"type": "integer"}, {"type": "integer"}]}"#;
    const TUPLE_OF_TEXT: &str = r#"{"type": "array", "items": false,
        "prefixItems": [{"type": "integer"}, {"type": "string"}]}"#;
    const TRIPLE: &str = r#"{"type": "array", "items": false,
        "prefixItems": [{"type": "integer"}, {"type": "integer"}, {"type": "integer"}]}"#;
    const TWO_OR_TEXT: &str = r#"{"anyOf": [{"type": "array", "items": false,
        "prefixItems": [{"type": "integer"}, {"type": "integer"}]}, {"type": "string"}]}"#;
    let cases = [
        (INTEGERS, SOME, false, true),
        (SOME, TWO, false, true),
        (NO, SOME, false, false),
        (INTEGERS, TWO, false, true),
        (TUPLE, INTEGERS, true, false),
        (TUPLE, TWO, true, true),
        (TUPLE, TUPLE_OF_TEXT, false, false),
        (TUPLE, TRIPLE, false, false),
        (TRIPLE, TWO, false, false),
        (TWO, TWO_OR_TEXT, true, false),
        (INTEGERS, TWO_OR_TEXT, false, false),
    ];
    check(&cases, json_schema);
    let lengths = report(&json_schema(TUPLE), &json_schema(TRIPLE));
    assert_eq!(lengths.changes[0].path, "$.f");
    let message = &lengths.changes[0].message;
    assert!(message.starts_with("arrays of other lengths may be written ("), "{message}");
}

#[test]
fn compares_the_widths_of_floats_in_json_schemas() {
    const FLOAT: &str = r#"{"type": "number", "format": "float"}"#;
    const DOUBLE: &str = r#"{"type": "number", "format": "double"}"#;
    const NUMBER: &str = r#"{"type": "number"}"#;
    const INTEGER: &str = r#"{"type": "integer"}"#;
    let cases = [
        (FLOAT, DOUBLE, true, false),
        (DOUBLE, FLOAT, false, true),
        (NUMBER, FLOAT, false, true),
        (NUMBER, DOUBLE, true, true),
        (FLOAT, INTEGER, false, false),
    ];
    check(&cases, json_schema);
    for (old, new) in [(FLOAT, DOUBLE), (DOUBLE, FLOAT), (NUMBER, FLOAT)] {
        let widths = report(&json_schema(old), &json_schema(new));
        let message = &widths.changes[0].message;
        let expected = "a 64-bit float may be written where a 32-bit float is read: \
            give both the same \"format\" (";
        assert!(message.starts_with(expected), "{message}");
    }
    let kinds = report(&json_schema(FLOAT), &json_schema(INTEGER));
    let found = format!("{:?}", kinds.changes);
    assert!(found.contains("a 32-bit float is written where an integer is read"), "{found}");
}

#[test]
fn compares_tagged_variants_in_json_schemas() {
    let variants = |tag: &str, ty: &str| {
        format!(
            r#"{{"oneOf": [
            {{"type": "object", "required": ["{tag}"], "properties":
                {{"{tag}": {{"const": "a"}}, "x": {{"type": "{ty}"}}, "y": {{"type": "integer"}}}}}},
            {{"type": "object", "required": ["{tag}"], "properties": {{"{tag}": {{"const": "b"}}}}}}
            ]}}"#
        )
    };
    let integer = variants("t", "integer");
    let [number, text] = ["number", "string"].map(|ty| variants("t", ty));
    let retagged = variants("u", "integer");
    let cases = [
        (integer.as_str(), number.as_str(), true, false),
        (integer.as_str(), text.as_str(), false, false),
        (integer.as_str(), retagged.as_str(), false, false),
    ];
    check(&cases, json_schema);
}

#[test]
fn refuses_to_compare_different_languages() {
    let proto =
        read("a", "syntax = \"proto3\"; message A { int32 a = 1; }", None).expect("a .proto");
    let avro =
        read("b", r#"{"type": "record", "name": "A", "fields": []}"#, None).expect("an .avsc");
    let error = compare(&proto, &avro).expect_err("nobody reads both").to_string();
    assert_eq!(error, "expected two schemas in one language, found Protocol Buffers and Avro");
}
