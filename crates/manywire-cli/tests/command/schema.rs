//! `--schema` instead of inference: `.proto`, `.avsc` and JSON Schema, recognised by content.

use crate::run::{Folder, manywire, row};

const USERS: &str = r#"{"id":4,"isActive":true,"fullname":"Homer Simpson"}"#;

fn weigh(schema_name: &str, schema: &str, more: &[&str]) -> crate::run::Run {
    let folder = Folder::new();
    let payload = folder.file("user.json", USERS);
    let schema = folder.file(schema_name, schema);
    let arguments =
        ["weigh", &payload, "--schema", &schema, "--sizes-only", "--coding", "none", "--json", "-"];
    manywire(&[&arguments[..], more].concat())
}

#[test]
fn proto_numbers_decide_the_bytes() {
    let proto = |number: u32| {
        format!(
            "syntax = \"proto3\";\nmessage Other {{ string x = 1; }}\nmessage User {{\n  int32 id = {number};\n  bool isActive = 2;\n  string fullname = 3;\n}}\n"
        )
    };
    // A field number takes one byte up to 15, and two bytes from 16 to 2047: 2 + 2 + 15 bytes, then
    // one more.
    for (number, bytes) in [(1, 19), (16, 20)] {
        let run = weigh("user.proto", &proto(number), &["--message", "User"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let report = run.json();
        assert_eq!(row(&report, "protobuf")["size_bytes"], bytes, "{number}");
        assert_eq!(row(&report, "protobuf")["fidelity"], "exact");
    }
}

#[test]
fn reads_avro_and_json_schemas() {
    let avsc = r#"{"type":"record","name":"User","fields":[
        {"name":"fullname","type":"string"},{"name":"id","type":"double"},{"name":"isActive","type":"boolean"}]}"#;
    let report = weigh("anything.txt", avsc, &[]).json();
    // The size is 14 bytes of text, 8 of a double and 1 of a boolean.
    assert_eq!(row(&report, "avro")["size_bytes"], 23);
    let json_schema = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
        "properties":{"id":{"type":"integer"},"isActive":{"type":"boolean"},"fullname":{"type":"string"}},
        "required":["id","isActive","fullname"]}"#;
    let report = weigh("schema.json", json_schema, &[]).json();
    assert_eq!(row(&report, "avro")["size_bytes"], 16);
    assert_eq!(row(&report, "protobuf")["fidelity"], "exact");
}

#[test]
fn a_payload_that_violates_the_schema_is_reported() {
    let proto = "syntax = \"proto3\";\nmessage User { int32 id = 1; bool isActive = 2; }\n";
    let run = weigh("user.proto", proto, &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert!(row(&report, "protobuf")["status"].as_str().unwrap().contains("fullname"), "{report}");
    assert_eq!(row(&report, "msgpack")["status"], "ok");
}

#[test]
fn an_invalid_schema_has_the_error_position() {
    let run = weigh("user.proto", "syntax = \"proto3\";\nmessage User {\n  int32 id = ;\n}\n", &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("user.proto:3:"), "{}", run.stderr);
}
