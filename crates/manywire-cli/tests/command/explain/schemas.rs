//! `--schema`: Protocol Buffers by name, and Avro.

use crate::run::{Folder, manywire, manywire_reading};

const PROTO: &str = r#"syntax = "proto3";
message User {
  int32 id = 1;
  string full_name = 2;
  repeated string tags = 3;
  map<string, sint32> scores = 4;
  repeated uint32 packed = 5;
  User friend = 6;
  Color color = 7;
}
enum Color { RED = 0; GREEN = 1; }
"#;

const AVSC: &str = r#"{"type": "record", "name": "User", "fields": [
  {"name": "id", "type": "int"},
  {"name": "name", "type": ["null", "string"]},
  {"name": "tags", "type": {"type": "array", "items": "string"}},
  {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}"#;

/// Returns the path and the description of each row.
fn rows_of(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().map(serde_json::from_str::<serde_json::Value>);
    let row = |line: serde_json::Value| {
        let value = line.get("value").map_or(String::new(), |value| format!(" {value}"));
        let text = |member: &str| line[member].as_str().expect("text").to_owned();
        (text("path"), format!("{}{value}", text("type")))
    };
    lines.map(|line| row(line.expect("JSON"))).collect()
}

fn has(rows: &[(String, String)], path: &str, what: &str) {
    let found = rows.iter().any(|(at, told)| at == path && told == what);
    assert!(found, "{path}: {what}: {rows:#?}");
}

#[test]
fn protobuf_is_read_by_name() {
    let folder = Folder::new();
    let schema = folder.file("user.proto", PROTO);
    let bytes = "08 04 12 05 48 6f 6d 65 72 1a 01 61 1a 01 62 22 05 0a 01 78 10 05 \
                 2a 03 01 ac 02 32 02 08 07 38 01 48 2a";
    let run = manywire(&["explain", bytes, "--schema", &schema, "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = rows_of(&run.stdout);
    has(&rows, "$.id", "varint field 1 \"id\"");
    has(&rows, "$.id", "int32 4");
    has(&rows, "$.fullName", "5-byte string \"Homer\"");
    has(&rows, "$.tags[0]", "1-byte string \"a\"");
    has(&rows, "$.tags[1]", "1-byte string \"b\"");
    has(&rows, "$.scores.x", "1-byte string \"x\"");
    has(&rows, "$.scores.x", "sint32 -3");
    has(&rows, "$.packed[1]", "uint32 300");
    has(&rows, "$.friend.id", "int32 7");
    has(&rows, "$.color", "enum \"GREEN\"");
    has(&rows, "$.9", "unknown varint field 9");
    // The size of the value in JSON does not depend on the order of the fields.
    let known = bytes.strip_suffix("48 2a").expect("the unknown field is the last");
    let json = r#"{"id":4,"fullName":"Homer","tags":["a","b"],"scores":{"x":-3},"packed":[1,300],"friend":{"id":7},"color":"GREEN"}"#;
    for bytes in [known.to_owned(), format!("{} {}", &known[6..], &known[..6])] {
        let run = manywire(&["explain", &bytes, "--schema", &schema]);
        let expected = format!("minified JSON {} bytes: ", json.len());
        assert!(run.stdout.contains(&expected), "{expected}: {}", run.stdout);
    }
    let twice =
        manywire(&["explain", "2a 01 01 08 05 2a 02 02 03 1a 00 1a 00", "--schema", &schema]);
    let json = r#"{"packed":[1,2,3],"id":5,"tags":["",""]}"#;
    assert!(
        twice.stdout.contains(&format!("minified JSON {} bytes", json.len())),
        "{}",
        twice.stdout
    );
    // Rows without a schema have the field number as their name and a guess of the type.
    let run = manywire(&["explain", bytes, "--from", "protobuf", "--json"]);
    has(&rows_of(&run.stdout), "$.6.1", "varint, zigzag -4 7");
}

#[test]
fn values_that_violate_the_schema_are_faults() {
    let folder = Folder::new();
    let schema = folder.file("user.proto", PROTO);
    for (bytes, found) in [
        ("0a 01 61", "byte 1, $.id: expected varint for int32, not length"),
        ("12 02 61 ff", "byte 3, $.fullName: expected UTF-8"),
        ("2a 02 01 80", "byte 4, $.packed[1]: expected the last byte of uint32"),
        ("32 05 08", "byte 2, $.friend: expected 5 bytes, but only 1 are left"),
        ("08 01 08 02", "byte 2, $: field 1 is repeated in its message"),
        ("08 80 80 80 80 10", "byte 1, $.id: readers drop all but the low 32 bits"),
        ("c0 a3 09 01", "byte 0, $: numbers from 19000 to 19999 are reserved"),
    ] {
        let run = manywire(&["explain", bytes, "--schema", &schema, "--check"]);
        assert!(run.stdout.starts_with(found), "{bytes}: {}{}", run.stdout, run.stderr);
        assert_eq!(run.code, Some(1), "{bytes}");
    }
    let run = manywire(&["explain", "08 04 1a 01 61 1a 01 62", "--schema", &schema, "--check"]);
    assert_eq!(run.stdout, "Protocol Buffers: 0 faults, 0 remarks\n", "items repeat their field");
}

#[test]
fn avro_is_read_by_its_schema() {
    let folder = Folder::new();
    let schema = folder.file("user.avsc", AVSC);
    let bytes = "08 02 0a 48 6f 6d 65 72 02 02 61 00 d0 0f";
    let run = manywire(&["explain", bytes, "--schema", &schema, "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = rows_of(&run.stdout);
    has(&rows, "$", "record User");
    has(&rows, "$.id", "int 4");
    has(&rows, "$.name", "branch 1");
    has(&rows, "$.name", "5-byte string \"Homer\"");
    has(&rows, "$.tags", "array, block of 1");
    has(&rows, "$.tags[0]", "1-byte string \"a\"");
    has(&rows, "$.at", "long, timestamp-millis {\"$timestamp\":[1,0]}");
    let cut = manywire(&["explain", "08 02 0a 48 6f", "--schema", &schema]);
    assert!(
        cut.stdout.contains("FAULT: expected 5 bytes of text, but only 2 are left"),
        "{}",
        cut.stdout
    );
    assert_eq!(cut.code, Some(1));
    let branch = manywire(&["explain", "08 04", "--schema", &schema, "--check"]);
    assert!(
        branch.stdout.contains("$.name: expected a branch from 0 to 1, not 2"),
        "{}",
        branch.stdout
    );
}

#[test]
fn single_objects_are_recognised() {
    let folder = Folder::new();
    let schema = folder.file("long.avsc", "\"long\"");
    // The fingerprint of "long" is from the test suite of the specification.
    let bytes = "c3 01 b7 1d f4 93 44 e1 54 d0 02";
    let run = manywire(&["explain", bytes, "--schema", &schema, "--json"]);
    has(&rows_of(&run.stdout), "$", "long 1");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    let without = manywire(&["explain", bytes]);
    assert!(
        without.stdout.contains("the schema with the fingerprint d054e14493f41db7"),
        "{}",
        without.stdout
    );
    assert_eq!(without.code, Some(1));
}

#[test]
fn a_container_carries_its_schema() {
    let mut file = b"Obj\x01\x02\x16avro.schema\x0c\"long\"\x00".to_vec();
    file.extend([9; 16]);
    file.extend(b"\x04\x04\x02\x04");
    file.extend([9; 16]);
    let run = manywire_reading(&["explain", "-"], &file);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("long 2") && run.stdout.contains("$#1"), "{}", run.stdout);
    assert!(run.stdout.contains("2 values, "), "{}", run.stdout);
    let check = manywire_reading(&["explain", "-", "--check"], &file);
    assert_eq!(check.stdout, "Avro: 2 values, 0 faults, 0 remarks\n");
}

#[test]
fn invalid_schemas_are_refused() {
    let folder = Folder::new();
    let broken = folder.file("broken.proto", "syntax = \"proto3\"; message {");
    let run = manywire(&["explain", "08 01", "--schema", &broken]);
    assert!(run.stderr.contains("broken.proto:1:"), "{}", run.stderr);
    assert_eq!(run.code, Some(1));
    let json = folder.file("schema.json", r#"{"type": "object", "properties": {}}"#);
    let run = manywire(&["explain", "08 01", "--schema", &json]);
    assert!(run.stderr.contains("a .proto or an .avsc"), "{}", run.stderr);
    assert_eq!(run.code, Some(2));
    for (form, reason) in [
        ("avro", "not an Avro file, which begins with the bytes 4f 62 6a 01; "),
        ("avro-datum", "Avro is read by its schema: --schema FILE"),
    ] {
        let run = manywire(&["explain", "02 04", "--from", form]);
        assert!(run.stderr.contains(reason), "{}", run.stderr);
        assert!(run.stderr.contains("--schema FILE"), "{}", run.stderr);
        assert_eq!(run.code, Some(2));
    }
    // The first byte of the mark is damaged.
    let file = folder.file("a.avro", b"obj\x01\x02\x16avro.schema");
    let run = manywire(&["explain", &file]);
    assert!(run.stderr.contains("a.avro: not an Avro file, "), "{}", run.stderr);
    assert_eq!(run.code, Some(1));
}
