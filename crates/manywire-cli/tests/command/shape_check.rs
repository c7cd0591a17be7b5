//! `manywire shape --check`: payloads of every form, and the report of misfits.

#[cfg(target_os = "linux")]
use crate::run::peak_kib;
use crate::run::{Folder, bytes_of, example, manywire};
use crate::shape_questions::answer;

#[test]
fn check_reports_the_position_of_misfits() {
    let folder = Folder::new();
    let schema = folder.file("user.json", r#"{"$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object", "required": ["id", "tags"], "additionalProperties": false,
        "properties": {"id": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}}}"#);
    let good = folder.file("good.json", r#"{"id": 1, "tags": []}"#);
    let run = manywire(&["shape", &schema, "--check", &good]);
    assert_eq!(
        (run.stdout.as_str(), run.code),
        ("1 of 1 payload fits\n", Some(0)),
        "{}",
        run.stderr
    );

    let text = folder.file("bad.json", "{\n  \"id\": 1,\n  \"tags\": [\"ö\", 7]\n}");
    let lines = folder.file("bad.ndjson", "{\"id\":1,\"tags\":[]}\n{\"id\":1}\n{\"id\":\n");
    let binary = folder.file("bad.msgpack", b"\x82\xa2id\xa1x\xa4tags\x90");
    let run = manywire(&["shape", &schema, "--check", &good, &text, &lines, &binary]);
    assert_eq!(run.code, Some(1));
    for place in [
        "bad.json:3:17: expected a string, found the integer 7, at $.tags[1]\n3 |   \"tags\": [\"ö\", 7]\n  |                 ^",
        "bad.ndjson:2:1: value 2: expected the field \"tags\", found none",
        "bad.msgpack: byte 4: expected a signed integer of 64 bits, found the string \"x\", at $.id",
        "2 of 5 payloads fit",
    ] {
        assert!(run.stdout.contains(place), "{place}\n{}", run.stdout);
    }
    assert!(run.stderr.contains("bad.ndjson:3:"), "{}", run.stderr);
    let all = ["shape", &schema, "--json", "--check", &text, &lines, &binary];
    let answer = answer(&manywire(&all), "check");
    assert_eq!(answer["misfits"][0]["column"], 17);
    assert_eq!(answer["misfits"][2]["offset"], 4);
    assert_eq!(answer["unreadable"].as_array().map(Vec::len), Some(1));
    // Samples can be given instead of a schema.
    assert_eq!(manywire(&["shape", &good, "--check", &good]).code, Some(0));
    let other = manywire(&["shape", &example("user.json"), "--check", &example("people.json")]);
    assert!(other.stdout.contains("people.json:1:1: expected the record Root, found an array"));
}

const PROTO: &str = "syntax = \"proto3\"; message User { int64 id = 1; string name = 2; }";

const AVSC: &str = r#"{"type": "record", "name": "User", "fields": [
    {"name": "id", "type": "long"}, {"name": "name", "type": "string"}]}"#;

/// JSON by a `.proto` is ProtoJSON. Misfits are at the places of the text.
#[test]
fn json_is_checked_as_proto_json() {
    let folder = Folder::new();
    let schema = folder.file(
        "a.proto",
        "syntax = \"proto3\"; import \"google/protobuf/duration.proto\"; enum E { OFF = 0; ON = 1; }
         message A { bytes raw_data = 1; int64 big = 2; E e = 3; google.protobuf.Duration wait = 4;
         double d = 5; }",
    );
    // A fraction is rounded, as without quotes.
    let good = r#"{"raw_data": "YQ==", "big": "12", "e": 1, "wait": "1.5s", "d": "0.12345678901234567890"}
                  {"raw_data": null, "big": null, "e": null, "wait": null, "d": 0.12345678901234567890}"#;
    let run = manywire(&["shape", &schema, "--check", &folder.file("good.json", good)]);
    assert_eq!((&*run.stdout, run.code), ("2 of 2 payloads fit\n", Some(0)), "{}", run.stderr);
    let bad = r#"{"raw_data": "a", "big": "x", "e": "ON", "wait": "1"}"#;
    let run = manywire(&["shape", &schema, "--check", &folder.file("bad.json", bad)]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for misfit in [
        "bad.json:1:14: expected bytes, found the string \"a\", at $.raw_data\n",
        "bad.json:1:26: expected a signed integer of 64 bits, found the string \"x\", at $.big\n",
        "bad.json:1:50: ",
        "0 of 1 payload fits\n",
    ] {
        assert!(run.stdout.contains(misfit), "{misfit} is not in {}", run.stdout);
    }
}

/// Records as arrays have no field names in their bytes, so the shape gives the offset of a field.
#[test]
fn misfits_in_record_arrays_have_their_own_offsets() {
    let folder = Folder::new();
    let schema = folder.file("order.json", r#"{"$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Order", "type": "object", "required": ["id", "lines"], "additionalProperties": false,
        "properties": {"id": {"type": "string"}, "lines": {"type": "array", "items": {"title": "Line",
            "type": "object", "required": ["a.b", "sizes"], "additionalProperties": false, "properties": {
                "a.b": {"type": "boolean"},
                "sizes": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer"}}}}}}}"#);
    // ["x", [[true, [1, 2]], [false, [3]]]]
    let bytes = b"\x92\xa1x\x92\x92\xc3\x92\x01\x02\x92\xc2\x91\x03";
    let file = folder.file("order.bin", bytes);
    let arguments = ["shape", &schema, "--from", "msgpack-array", "--json", "--check", &file];
    let run = manywire(&arguments);
    let answer = answer(&run, "check");
    assert_eq!(answer["misfits"][0]["path"], "$.lines[1].sizes", "{}", run.stdout);
    assert_eq!(answer["misfits"][0]["offset"], 11, "{}", run.stdout);
}

/// Forms that need a schema are read by the schema that they are checked against.
#[test]
fn check_accepts_payloads_of_every_form() {
    let folder = Folder::new();
    let proto = folder.file("user.proto", PROTO);
    let avsc = folder.file("user.avsc", AVSC);
    let users =
        folder.file("users.ndjson", "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n");
    for row in manywire_format::FORMS.iter().filter(|row| row.name != "protobuf") {
        for schema in [&proto, &avsc] {
            let bytes = bytes_of(&["convert", &users, "--to", row.name, "--schema", schema]);
            let file = folder.file("users.bin", &bytes);
            let run = manywire(&["shape", schema, "--from", row.name, "--check", &file]);
            assert_eq!(run.stdout, "2 of 2 payloads fit\n", "{}: {}", row.name, run.stderr);
            assert_eq!(run.code, Some(0));
        }
    }
    let one = folder.file("one.pb", b"\x08\x01\x12\x01a");
    let broken = folder.file("broken.pb", b"\x08\x01\x12\x09a");
    let run = manywire(&["shape", &proto, "--check", &one, &broken]);
    assert_eq!((run.stdout.as_str(), run.code), ("1 of 1 payload fits\n", Some(1)));
    assert!(run.stderr.contains("broken.pb: byte "), "{}", run.stderr);
    // Readers skip unknown fields, but the check reports them.
    let strange = folder.file("strange.bin", b"\x08\x01\x1a\x02\x08\x01\x20\x07");
    let run = manywire(&["shape", &proto, "--from", "protobuf", "--check", &strange]);
    for place in [
        "strange.bin: byte 2: expected a field of the schema, found the field number 3",
        "strange.bin: byte 6: expected a field of the schema, found the field number 4",
        "0 of 1 payload fits",
    ] {
        assert!(run.stdout.contains(place), "{place}\n{}{}", run.stdout, run.stderr);
    }
    assert_eq!(run.stdout.matches("expected").count(), 2, "{}", run.stdout);
    // All files of a folder are checked.
    let run = manywire(&["shape", &proto, "--check", &folder.path()]);
    assert!(run.stdout.ends_with("3 of 3 payloads fit\n"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn check_finds_misfits_in_streams_and_compressed_files() {
    let folder = Folder::new();
    let schema = folder.file("user.avsc", AVSC);
    let packed = folder.file("a.ndjson", "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":3}\n");
    let gzip = format!("{}/b.ndjson.gz", folder.path());
    assert_eq!(manywire(&["convert", &packed, "-o", &gzip]).code, Some(0));
    let stream = folder.file("c.msgpack", b"\x82\xa2id\x01\xa4name\xa1a\x82\xa2id\xc3\xa4name\x05");
    let container = format!("{}/d.avro", folder.path());
    let run =
        manywire(&["convert", &packed, "-o", &container, "--avro-codec", "deflate", "--lossy"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = manywire(&["shape", &schema, "--check", &gzip, &stream, &container]);
    for place in [
        "b.ndjson.gz:2:16: value 2: expected a string, found the integer 3, at $.name",
        "c.msgpack: byte 16: value 2: expected a signed integer of 64 bits, found true, at $.id",
        "c.msgpack: byte 22: value 2: expected a string, found the integer 5, at $.name",
        "value 2: expected a string, found the integer 3, at $.name",
        "3 of 6 payloads fit",
    ] {
        assert!(run.stdout.contains(place), "{place}\n{}{}", run.stdout, run.stderr);
    }
    assert_eq!(run.code, Some(1));
    let json = ["shape", &schema, "--json", "--check", &stream];
    let answer = answer(&manywire(&json), "check");
    assert_eq!((&answer["checked"], &answer["fitting"]), (&2.into(), &1.into()));
    assert_eq!(
        (&answer["misfits"][1]["value"], &answer["misfits"][1]["offset"]),
        (&2.into(), &22.into())
    );
}

#[test]
fn check_lists_a_limited_number_of_misfits() {
    let folder = Folder::new();
    let schema = folder.file("user.avsc", AVSC);
    let one = r#"{"id": "x", "age": 1, "sex": 2}"#;
    let lines = folder.file("a.ndjson", format!("{one}\n{{\"id\":1,\"name\":\"\"}}\n{one}\n"));
    let run = manywire(&["shape", &schema, "--misfits", "5", "--check", &lines]);
    let expected = [
        "a.ndjson:1:8: expected a signed integer of 64 bits, found the string \"x\", at $.id",
        "a.ndjson:1:1: expected a field of User, found the key \"age\"",
        "a.ndjson:1:1: expected a field of User, found the key \"sex\"",
        "a.ndjson:1:1: expected the field \"name\", found none",
        "a.ndjson:3:8: value 3: expected a signed integer of 64 bits, found the string \"x\", at $.id",
    ];
    let found: Vec<&str> = run.stdout.lines().filter(|line| line.contains(": expected")).collect();
    assert_eq!(found.len(), expected.len(), "{}", run.stdout);
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.ends_with(expected), "{found}\n{expected}");
    }
    assert!(run.stdout.ends_with("and 3 more misfits\n1 of 3 payloads fit\n"), "{}", run.stdout);
    let json = ["shape", &schema, "--misfits", "0", "--json", "--check", &lines];
    let answer = answer(&manywire(&json), "check");
    assert_eq!((&answer["misfits"], &answer["more_misfits"]), (&serde_json::json!([]), &8.into()));
}

/// Reads 24 MB with the memory of one line and the counts.
#[cfg(target_os = "linux")]
#[test]
fn samples_are_read_in_bounded_memory() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let line = "{\"id\": 17, \"name\": \"Homer\", \"tags\": [1, 2, 3], \"half\": 0.5}\n";
    let chunk = line.repeat(10_000);
    for arguments in [&["-"][..], &["-", "--evidence"], &["SCHEMA", "--check", "-"]] {
        let folder = Folder::new();
        let schema = folder.file("a.json", line);
        let arguments =
            arguments.iter().map(|word| if *word == "SCHEMA" { &schema } else { *word });
        let mut child = Command::new(env!("CARGO_BIN_EXE_manywire"))
            .arg("shape")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        for _ in 0..(24 << 20) / chunk.len() {
            pipe.write_all(chunk.as_bytes()).expect("the command reads on");
        }
        let peak_kib = peak_kib(child.id());
        drop(pipe);
        assert!(child.wait_with_output().expect("the command ends").status.success());
        assert!((1..4 << 10).contains(&peak_kib), "{peak_kib} KiB");
    }
}
