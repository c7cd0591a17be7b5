//! Schema changes: stable field numbers (`--lock`), and the readers that a change breaks
//! (`--compat`).

use crate::run::{Folder, manywire, manywire_reading};
use crate::shape_questions::answer;

const OLD: &str = "syntax = \"proto3\";\n\nmessage User {\n  reserved 2;\n  int64 id = 1;\n  string fullname = 5;\n  bool gone = 4;\n}\n";

#[test]
fn a_lock_keeps_numbers_appends_and_reserves() {
    let folder = Folder::new();
    let lock = folder.file("user.proto", OLD);
    let sample = br#"{"isActive":true,"fullname":"a","id":1}"#;
    let run = manywire_reading(&["shape", "-", "--as", "proto", "--lock", &lock], sample);
    assert_eq!(
        run.stdout,
        "syntax = \"proto3\";\n\nmessage User {\n  reserved 2, 4;\n  reserved \"gone\";\n  bool is_active = 6;\n  string fullname = 5;\n  int64 id = 1;\n}\n",
        "{}",
        run.stderr
    );
    assert_eq!(run.code, Some(0));
    // The result, used as its own lock, does not change.
    let next = folder.file("next.proto", &run.stdout);
    let again = manywire(&["shape", &next, "--as", "proto", "--lock", &next]);
    assert_eq!(again.stdout, run.stdout);
}

#[test]
fn breaches_of_a_lock_name_the_fix() {
    let folder = Folder::new();
    let lock = folder.file("user.proto", OLD);
    let retyped = manywire_reading(
        &["shape", "-", "--as", "proto", "--lock", &lock],
        br#"{"id":"x","fullname":[1]}"#,
    );
    assert_eq!((retyped.stdout.as_str(), retyped.code), ("", Some(1)));
    assert!(retyped.stderr.contains("User.id = 1 is int64 in the lock and would become string"));
    assert!(
        retyped
            .stderr
            .contains("User.fullname = 5 is string in the lock and would become repeated int64")
    );
    let moved = folder.file(
        "next.proto",
        "syntax = \"proto3\"; message User { int64 id = 7; string name = 2; bool other = 1; }",
    );
    let moved = manywire(&["shape", &moved, "--as", "proto", "--lock", &lock]);
    assert_eq!(moved.code, Some(1));
    for message in [
        "User.id has number 1 in the lock but declares 7: declare 1, or no number",
        "User.name takes the number 2, which belongs to a field that was removed",
        "User.other takes the number 1, which belongs to User.id",
    ] {
        assert!(moved.stderr.contains(message), "{message}\n{}", moved.stderr);
    }
    let broken = folder.file("broken.proto", "message A {\n int32 a = 0;\n}");
    let broken = manywire_reading(&["shape", "-", "--as", "proto", "--lock", &broken], b"{}");
    assert!(broken.stderr.contains("broken.proto:2:12:"), "{}", broken.stderr);
    assert_eq!(broken.code, Some(1));
    let other = manywire_reading(&["shape", "-", "--as", "jsonschema", "--lock", &lock], b"{}");
    assert_eq!(other.code, Some(2), "{}", other.stderr);
}

/// Inference cannot know that later samples will have a fraction or a negative number, and nobody could
/// follow the advice to keep a type that only inference chose.
#[test]
fn a_lock_keeps_the_types_that_hold_the_samples() {
    let folder = Folder::new();
    let entries: Vec<String> = (0..40).map(|key| format!("\"key {key}\":{key}")).collect();
    let map = format!("{{{}}}", entries.join(","));
    for (locked, sample, kept) in [
        ("int64 a = 5;", "-1", Some("  int64 a = 5;\n")),
        ("int32 a = 5;", "-1", Some("  int64 a = 5;\n")),
        ("sint64 a = 5;", "1", Some("  sint64 a = 5;\n")),
        ("sfixed64 a = 5;", "-1", Some("  sfixed64 a = 5;\n")),
        ("uint64 a = 5;", "1", Some("  uint64 a = 5;\n")),
        ("uint64 a = 5;", "18446744073709551615", Some("  uint64 a = 5;\n")),
        ("fixed64 a = 5;", "1", Some("  fixed64 a = 5;\n")),
        ("double a = 5;", "1", Some("  double a = 5;\n")),
        ("repeated int64 a = 5;", "[-1]", Some("  repeated int64 a = 5;\n")),
        ("repeated string a = 5;", "[]", Some("  repeated string a = 5;\n")),
        ("map<string, double> a = 5;", &*map, Some("  map<string, double> a = 5;\n")),
        ("string a = 5;", "null", Some("  optional string a = 5;\n")),
        ("uint64 a = 5;", "-1", None),
        ("int64 a = 5;", "18446744073709551615", None),
        ("int64 a = 5;", "1.5", None),
        ("fixed32 a = 5;", "1", None),
        ("repeated int64 a = 5;", "1", None),
    ] {
        let lock = format!("syntax = \"proto3\"; message Root {{ {locked} }}");
        let lock = folder.file("old.proto", lock);
        let sample = format!("{{\"a\":{sample}}}");
        let arguments = ["shape", "-", "--as", "proto", "--lock", &lock];
        let run = manywire_reading(&arguments, sample.as_bytes());
        match kept {
            Some(line) => assert!(run.stdout.contains(line), "{locked} {sample}: {}", run.stdout),
            None => assert!(run.stderr.contains("cannot read old bytes"), "{locked} {sample}"),
        }
        assert_eq!(run.code, Some(i32::from(kept.is_none())), "{locked} {sample}: {}", run.stderr);
    }
    // Bare Avro writes a long and a double differently.
    let lock = r#"{"type": "record", "name": "Root", "fields": [{"name": "a", "type": "double"}]}"#;
    let lock = folder.file("old.avsc", lock);
    let run = manywire_reading(&["shape", "-", "--as", "avro", "--lock", &lock], b"{\"a\":1}");
    assert_eq!(run.json()["fields"][0]["type"], "double", "{}", run.stderr);
}

/// Values have the name of a field in JSON. Its name in a `.proto` that somebody wrote may differ from
/// the one that inference would give it.
#[test]
fn a_lock_finds_fields_by_their_names_in_json() {
    let folder = Folder::new();
    for (locked, sample, lines) in [
        (
            "int64 fooBar = 3; int64 x = 4 [json_name = \"b-c\"];",
            r#"{"new":3,"b-c":2,"fooBar":1}"#,
            ["foo_bar = 3;", "b_c = 4 [json_name = \"b-c\"];", " new = 5;"],
        ),
        (
            "int64 foo_bar = 3 [json_name = \"foo-bar\"];",
            r#"{"foo_bar":1,"foo-bar":2}"#,
            ["= 3 [json_name = \"foo-bar\"];", " = 4 [json_name = \"foo_bar\"];", "message Root {"],
        ),
    ] {
        let lock = format!("syntax = \"proto3\"; message Root {{ {locked} }}");
        let lock = folder.file("old.proto", lock);
        let arguments = ["shape", "-", "--as", "proto", "--lock", &lock];
        let run = manywire_reading(&arguments, sample.as_bytes());
        for line in lines {
            assert!(run.stdout.contains(line), "{line}: {}{}", run.stdout, run.stderr);
        }
        assert!(!run.stdout.contains("reserved"), "{}", run.stdout);
    }
}

/// Bare Avro and records as arrays depend on the order of fields, so the lock keeps the order.
#[test]
fn a_lock_keeps_the_order_of_positional_fields() {
    let folder = Folder::new();
    let proto = folder.file(
        "user.proto",
        "syntax = \"proto3\"; message User { int64 id = 1; string full_name = 2; }",
    );
    let avsc = manywire(&["shape", &proto, "--as", "avro"]).stdout;
    let avsc = folder.file("user.avsc", avsc);
    let sample = br#"{"isActive":true,"full_name":"a","id":-1}"#;
    for lock in [&proto, &avsc] {
        let run = manywire_reading(&["shape", "-", "--as", "avro", "--lock", lock], sample);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let schema: serde_json::Value = run.json();
        assert_eq!(schema["name"], "User");
        let names: Vec<&str> = schema["fields"]
            .as_array()
            .expect("fields")
            .iter()
            .map(|field| field["name"].as_str().expect("a name"))
            .collect();
        assert_eq!(names, ["id", "full_name", "isActive"], "{}", run.stdout);
        let python = manywire_reading(&["shape", "-", "--as", "python", "--lock", lock], sample);
        let at = |name: &str| python.stdout.find(name).unwrap_or_else(|| panic!("{name}"));
        assert!(at(" id:") < at(" full_name:") && at(" full_name:") < at(" is_active:"));

        let gone = br#"{"id":"x","isActive":true}"#;
        let run = manywire_reading(&["shape", "-", "--as", "avro", "--lock", lock], gone);
        assert_eq!((run.stdout.as_str(), run.code), ("", Some(1)));
        for message in [
            "User.id is int64 in the lock and would become string",
            "User.full_name was field 2 and is removed",
        ] {
            assert!(run.stderr.contains(message), "{message}\n{}", run.stderr);
        }
        // A schema that declares another order is refused, not reordered silently.
        let next = folder.file(
            "next.proto",
            "syntax = \"proto3\"; message User { string full_name = 2; int64 id = 1; }",
        );
        let run = manywire(&["shape", &next, "--as", "avro", "--lock", lock]);
        assert_eq!(run.code, Some(1));
        let message = "User.id was field 1 and would be field 2, but readers without field";
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    let json =
        folder.file("a.json", r#"{"$schema": "https://json-schema.org/draft/2020-12/schema"}"#);
    let run = manywire_reading(&["shape", "-", "--as", "avro", "--lock", &json], sample);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let broken = folder.file("a.avsc", r#"{"type": "strin"}"#);
    let run = manywire_reading(&["shape", "-", "--as", "avro", "--lock", &broken], sample);
    assert!(run.stderr.contains("a.avsc:1:"), "{}", run.stderr);
    assert_eq!(run.code, Some(1));
}

/// Nullable values and values that are never null have different bytes in bare Avro.
#[test]
fn a_lock_keeps_the_unions_of_bare_avro() {
    let folder = Folder::new();
    let lock = r#"{"type": "record", "name": "User", "fields": [
        {"name": "id", "type": "long"},
        {"name": "name", "type": ["null", "string"]},
        {"name": "tags", "type": {"type": "array", "items": "string"}}]}"#;
    let lock = folder.file("user.avsc", lock);
    let locked = |language: &str, samples: &str| {
        let arguments = ["shape", "-", "--from", "ndjson", "--as", language, "--lock", &lock];
        manywire_reading(&arguments, samples.as_bytes())
    };
    // Samples without a null do not remove null from a locked field.
    let run = locked("avro", "{\"id\":1,\"name\":\"a\",\"tags\":[\"b\"],\"new\":null}");
    let types: Vec<serde_json::Value> = run.json()["fields"]
        .as_array()
        .expect("fields")
        .iter()
        .map(|field| field["type"].clone())
        .collect();
    assert_eq!(types[..2], [serde_json::json!("long"), serde_json::json!(["null", "string"])]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);

    let samples = "{\"id\":1,\"name\":\"a\",\"tags\":[\"b\"]}\n{\"name\":null,\"tags\":[]}";
    let run = locked("avro", samples);
    assert_eq!((run.stdout.as_str(), run.code), ("", Some(1)));
    assert_eq!(
        run.stderr,
        "error: User.id is long in the lock and would become [null, long], which cannot read old \
         bytes: keep long, or add a new field at the end\n",
    );
    // A schema that removes null from a locked field is refused.
    let next = folder.file(
        "next.avsc",
        r#"{"type": "record", "name": "User", "fields": [
        {"name": "id", "type": "long"}, {"name": "name", "type": "string"},
        {"name": "tags", "type": {"type": "array", "items": "string"}}]}"#,
    );
    let run = manywire(&["shape", &next, "--as", "avro", "--lock", &lock]);
    assert!(run.stderr.contains("User.name is [null, string] in the lock"), "{}", run.stderr);
    assert_eq!(run.code, Some(1));
    // A `.proto` declares which of its fields may be absent.
    let proto = folder.file(
        "user.proto",
        "syntax = \"proto3\"; message User { int64 id = 1; optional string name = 2; }",
    );
    let run = manywire_reading(
        &["shape", "-", "--from", "ndjson", "--as", "avro", "--lock", &proto],
        b"{\"id\":1,\"name\":\"a\"}\n{\"id\":null}",
    );
    assert!(run.stderr.contains("User.id is long in the lock and would become [null, long]"));
    // Other languages permit null in any field.
    assert_eq!(
        locked("go", "{\"id\":1,\"tags\":[\"a\"]}\n{\"name\":\"a\",\"tags\":[]}").code,
        Some(0)
    );
}

#[test]
fn compat_names_the_readers_that_break() {
    let folder = Folder::new();
    let old = folder.file("old.proto", OLD);
    let new = folder.file(
        "new.proto",
        "syntax = \"proto3\"; message User { int64 id = 1; bytes fullname = 5; bool gone = 6; string city = 7; }",
    );
    let run = manywire(&["shape", "--compat", &old, &new]);
    assert_eq!(
        run.stdout,
        "\
backward  forward  change
ok        BREAKS   $.fullname: string became bytes
BREAKS    BREAKS   $.gone: moved from number 4 to 6
ok        ok       $.city: added with number 7
backward: no (the new schema reads data of the old one)
forward: no (the old schema reads data of the new one)
",
        "{}",
        run.stderr
    );
    assert_eq!(run.code, Some(1));
    let answer = answer(&manywire(&["shape", "--json", "--compat", &old, &new]), "compat");
    assert_eq!(answer["backward"], false);
    assert_eq!(answer["changes"][2]["forward"], true);
    let same = manywire(&["shape", "--compat", &old, &old]);
    assert_eq!((same.stdout.lines().count(), same.code), (2, Some(0)));
    let avro = folder.file("a.avsc", r#"{"type": "record", "name": "A", "fields": []}"#);
    assert_eq!(manywire(&["shape", "--compat", &old, &avro]).code, Some(2));
    assert_eq!(manywire(&["shape", "--compat", &old, "no-such.proto"]).code, Some(1));
    assert_eq!(manywire(&["shape", "--compat", &old]).code, Some(2));
}
