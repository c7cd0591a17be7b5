//! `manywire convert`: forms by name and extension, messages, and exit codes.

use crate::run::{Folder, Run, bytes_of, example, manywire, manywire_reading};

const USER: &str = "{\"id\":4,\"isActive\":true,\"fullname\":\"Homer Simpson\"}\n";

fn refused(run: &Run, code: i32, message: &str) {
    assert_eq!(run.code, Some(code), "{}", run.stderr);
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

#[test]
fn converts_a_value_to_every_format_and_back() {
    let folder = Folder::new();
    let user = example("user.json");
    for extension in ["msgpack", "cbor", "bson", "avro", "json", "ndjson"] {
        let file = format!("{}/user.{extension}", folder.path());
        let there = manywire(&["convert", &user, "-o", &file]);
        assert_eq!((there.code, there.stderr.as_str()), (Some(0), ""), "{extension}");
        let back = manywire(&["convert", &file, "--to", "json"]);
        assert_eq!((back.code, back.stdout.as_str()), (Some(0), USER), "{extension}");
    }
    let bytes = bytes_of(&["convert", &user, "--to", "msgpack"]);
    assert_eq!(bytes.len(), 38);
    assert_eq!(&bytes[..5], b"\x83\xa2id\x04");
}

#[test]
fn pretty_json_matches_jq() {
    let text = br#"{"a":[],"b":{},"c":[1,{"d":"\u00e9\n"}],"e":null}[1][]"#;
    let run = manywire_reading(&["convert", "--to", "json", "--pretty"], text);
    let expected = "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    {\n      \"d\": \"é\\n\"\n    }\n  ],\n  \"e\": null\n}\n[\n  1\n]\n[]\n";
    assert_eq!(run.stdout, expected, "{}", run.stderr);
    for to in ["msgpack", "ndjson"] {
        refused(&manywire_reading(&["convert", "--to", to, "-p"], b"1"), 2, "--pretty");
    }
}

#[test]
fn codings_are_detected_or_set_by_option() {
    let folder = Folder::new();
    let events = example("events.ndjson");
    let plain = std::fs::read(&events).expect("an example");
    for extension in ["json.gz", "ndjson.zst", "msgpack.br", "cbor.gz", "avro.zst"] {
        let file = format!("{}/events.{extension}", folder.path());
        let there = manywire(&["convert", &events, "-o", &file, "--lossy"]);
        assert_eq!(there.code, Some(0), "{extension}: {}", there.stderr);
        let size = std::fs::metadata(&file).expect("a file").len();
        assert!(size * 3 < plain.len() as u64, "{extension}: {size} bytes");
        let back = manywire(&["convert", &file, "--to", "ndjson"]);
        assert_eq!(back.code, Some(0), "{extension}: {}", back.stderr);
        assert_eq!(
            back.stdout.lines().count(),
            plain.split(|&byte| byte == b'\n').count() - 1,
            "{extension}"
        );
    }
    for coding in ["gzip:9", "zstd:19", "br:11", "deflate"] {
        let coded = bytes_of(&["convert", &events, "--to", "json", "--coding", coding]);
        let name = coding.split(':').next().expect("a name");
        let from = ["convert", "--to", "json", "--from-coding", name];
        let back = manywire_reading(&from, &coded);
        assert!(
            back.stdout.as_bytes()
                == manywire(&["convert", &events, "-t", "json"]).stdout.as_bytes()
        );
        let known = matches!(name, "gzip" | "zstd");
        let guessed = manywire_reading(&["convert", "--to", "json"], &coded);
        assert_eq!(guessed.code == Some(0), known, "{coding}: {}", guessed.stderr);
        // Truncated data and trailing bytes are refused.
        let cut = manywire_reading(&from, &coded[..coded.len() - 9]);
        assert_eq!(cut.code, Some(1), "{coding}");
        assert!(
            cut.stderr.contains("truncated") || cut.stderr.contains("invalid"),
            "{}",
            cut.stderr
        );
        let mut more = coded.clone();
        more.extend_from_slice(b"more");
        let more = manywire_reading(&from, &more);
        assert_eq!(more.code, Some(1), "{coding}: {}", more.stderr);
    }
    refused(&manywire(&["convert", &events, "-t", "json", "--coding", "lzma"]), 2, "lzma");
}

#[test]
fn bytes_that_look_compressed_are_read_as_they_are_on_request() {
    let folder = Folder::new();
    let schema = format!("{}/bytes.avsc", folder.path());
    std::fs::write(&schema, r#"{"type":"bytes"}"#).expect("a schema");
    // The length of 20 bytes and the first three of them are the magic number of zstd.
    let datum = [b"\x28\xb5\x2f\xfd", [0; 17].as_slice()].concat();
    let convert = ["convert", "--from", "avro-datum", "--schema", &schema, "--to", "avro-datum"];
    let hint = "the first bytes are those of zstd: if they are not compressed, `explain` and `convert` \
                read them with --from-coding none";
    refused(&manywire_reading(&convert, &datum), 1, hint);
    let file = format!("{}/datum", folder.path());
    std::fs::write(&file, &datum).expect("a datum");
    let plain = [&convert[..], &["--from-coding", "none", &file]].concat();
    assert_eq!(bytes_of(&plain), datum);
}

#[test]
fn schema_out_writes_the_inferred_schema() {
    let folder = Folder::new();
    let hotels = example("hotels.json");
    let json = manywire(&["convert", &hotels, "--to", "json"]).stdout;
    let path = |name: &str| format!("{}/{name}", folder.path());
    for (file, schema, from) in [
        ("hotels.pb", "hotels.proto", "protobuf"),
        ("hotels.pbs", "hotels2.proto", "protobuf-delimited"),
        ("hotels.datum", "hotels.avsc", "avro-datum"),
        ("hotels.array", "schema.json", "msgpack-array"),
    ] {
        let (file, schema) = (path(file), path(schema));
        let there =
            manywire(&["convert", &hotels, "-o", &file, "--to", from, "--schema-out", &schema]);
        assert_eq!((there.code, there.stderr.as_str()), (Some(0), ""), "{from}");
        let back = manywire(&["convert", &file, "--from", from, "--schema", &schema, "-t", "json"]);
        assert_eq!((back.code, back.stderr.as_str()), (Some(0), ""), "{from}");
        assert!(back.stdout == json, "{from}");
        let without = manywire(&["convert", &file, "--from", from, "-t", "json"]);
        refused(&without, 1, "--schema");
    }
    // The embedded schema of the Avro file is translated to a `.proto`.
    let avro = path("hotels.avro");
    let deflated = ["convert", &hotels, "-o", &avro, "--avro-codec", "deflate"];
    assert_eq!(manywire(&deflated).code, Some(0));
    let proto = path("again.proto");
    let pb = bytes_of(&["convert", &avro, "--to", "protobuf", "--schema-out", &proto]);
    assert!(pb == std::fs::read(path("hotels.pb")).expect("a message"));
    assert!(std::fs::read_to_string(proto).expect("a schema").contains("message"));
    refused(
        &manywire(&["convert", &hotels, "-t", "cbor", "--schema-out", "x.proto"]),
        2,
        "without a schema",
    );
    refused(
        &manywire(&["convert", &hotels, "-t", "cbor", "--avro-codec", "deflate"]),
        2,
        "--avro-codec",
    );
}

/// The field numbers of Protocol Buffers are only in a `.proto`: read by an `.avsc`, `x` and `y` of this
/// value changed places. The branches and widths of bare Avro are only in an `.avsc`.
#[test]
fn schema_out_is_in_a_language_that_the_bytes_can_be_read_by() {
    let folder = Folder::new();
    let path = |name: &str| format!("{}/{name}", folder.path());
    let value = r#"{"r":[{"x":"a","y":"1"},{"y":"2"},{"y":"3"},{"n":-1}]}"#;
    let json = folder.file("a.json", value);
    let all = [("a.proto", "proto"), ("a.avsc", "avsc"), ("a.schema.json", "json")];
    for (to, own) in [
        ("protobuf", Some("proto")),
        ("protobuf-delimited", Some("proto")),
        ("avro-datum", Some("avsc")),
        ("avro-datum-seq", Some("avsc")),
        ("avro", None),
        ("msgpack-array", None),
    ] {
        for (name, language) in all {
            let (file, schema) = (path("a.out"), path(name));
            let there =
                manywire(&["convert", &json, "-t", to, "-o", &file, "--schema-out", &schema]);
            if let Some(own) = own.filter(|own| *own != language) {
                let message = format!("{to} can be read by its own schema only: write a .{own}");
                refused(&there, 2, &message);
                assert!(!std::path::Path::new(&file).exists(), "{to} {name}");
                continue;
            }
            assert_eq!((there.code, there.stderr.as_str()), (Some(0), ""), "{to} {name}");
            let from = ["convert", &file, "--from", to, "-t", "json"];
            let by_schema = ["--schema", &schema];
            let by_schema: &[&str] = if to == "avro" { &[] } else { &by_schema };
            let back = manywire(&[&from[..], by_schema].concat());
            assert_eq!((back.code, back.stdout.trim_end()), (Some(0), value), "{to} {name}");
            std::fs::remove_file(&file).expect("the output");
        }
    }
}

/// Values that Protocol Buffers can only represent by marked messages and names.
const WITHOUT_A_FORM: [&str; 16] = [
    r#"{"id":1,"b":null,"c":"x"}"#,
    r#"{"a":{"b":null}}"#,
    "null",
    "7",
    "[1,null,2]",
    "[[1,2],[],[null]]",
    r#"[1,"a",{"x":[]},null]"#,
    r#"{"a":[{"b":1},{"b":null},{"b":2}]}"#,
    r#"{"a":[{"b":1},{},{"b":2}]}"#,
    r#"{"a":[{"b":[]},{},{"b":[1]}]}"#,
    r#"[{"a":1,"b":"x"},{"a":"y","b":null}]"#,
    r#"{"n":0.12345678901234567890123,"m":[1,"x",123456789012345678901234567890]}"#,
    r#"{"a":{"1":{"v":1},"2":{"v":2},"3":{"v":3},"4":{"v":4},"5":{"v":null}}}"#,
    r#"[true,[false,[true,[]]]]"#,
    r#"{"n":1,"kids":[null,{"n":2,"kids":[null]}]}"#,
    r#"{"n":1,"kids":[[{"n":2,"kids":[[{"n":3,"kids":[]}]]}]]}"#,
];

#[test]
fn values_come_back_through_their_schema_alone() {
    let folder = Folder::new();
    let path = |name: &str| format!("{}/{name}", folder.path());
    let (json, schema, file) = (path("a.json"), path("a.proto"), path("a.pb"));
    for document in WITHOUT_A_FORM {
        std::fs::write(&json, document).expect("a document");
        let there = manywire(&["convert", &json, "-o", &file, "--schema-out", &schema]);
        assert_eq!((there.code, there.stderr.as_str()), (Some(0), ""), "{document}");
        let back = manywire(&["convert", &file, "--schema", &schema, "--to", "json"]);
        let text = std::fs::read_to_string(&schema).expect("a schema");
        assert_eq!((back.code, back.stderr.as_str()), (Some(0), ""), "{document}\n{text}");
        assert_eq!(back.stdout.trim_end(), document, "{text}");
    }
}

/// Protocol Buffers have maps with keys that are integers, booleans or text, and of one type.
#[test]
fn maps_with_keys_of_any_type_come_back_through_their_schema() {
    let folder = Folder::new();
    let path = |name: &str| format!("{}/{name}", folder.path());
    let (file, schema) = (path("a.out"), path("a.proto"));
    // {null: true}, {1: true, "a": false}, {"m": {[1, 2]: 3}}.
    let maps = [&b"\xa1\xf6\xf5"[..], b"\xa2\x01\xf5\x61a\xf4", b"\xa1\x61m\xa1\x82\x01\x02\x03"];
    for (map, to) in maps.iter().flat_map(|map| [(map, "protobuf"), (map, "msgpack-array")]) {
        let there = ["convert", "-f", "cbor", "-t", to, "-o", &file, "--schema-out", &schema];
        let there = manywire_reading(&there, map);
        assert_eq!((there.code, there.stderr.as_str()), (Some(0), ""), "{to} {map:02x?}");
        let back = bytes_of(&["convert", &file, "--from", to, "--schema", &schema, "-t", "cbor"]);
        assert_eq!(back, *map, "{to}");
    }
    // JSON Schema would make the keys text, so it is only written where it is not read by.
    let json = path("a.json");
    for map in maps {
        let to = |to| ["convert", "-f", "cbor", "-t", to, "-o", &file, "--schema-out", &json];
        let message = format!("{json}: JSON Schema has only maps whose keys are text, integers or");
        refused(&manywire_reading(&to("msgpack-array"), map), 1, &message);
        assert!(!std::path::Path::new(&json).exists());
        let avro = manywire_reading(&to("avro"), map);
        assert_eq!((avro.code, avro.stderr.as_str()), (Some(0), ""));
        std::fs::remove_file(&json).expect("a schema");
    }
    let typed = b"\xa2\x61i\xa1\x01\xf5\x61b\xa1\xf4\xf5";
    let there =
        ["convert", "-f", "cbor", "-t", "msgpack-array", "-o", &file, "--schema-out", &json];
    assert_eq!(manywire_reading(&there, typed).code, Some(0));
    let back = ["convert", &file, "--from", "msgpack-array", "--schema", &json, "-t", "cbor"];
    assert_eq!(bytes_of(&back), typed);
}

/// The schema of these values has a union without a name, which JSON Schema writes alike.
#[test]
fn arrays_of_arrays_and_objects_become_avro_files() {
    let folder = Folder::new();
    let file = format!("{}/a.avro", folder.path());
    for document in ["[[],{}]", r#"[{"a":1},[2]]"#, r#"[[{"a":1},[2]],[[],{"b":[]}]]"#] {
        let there = manywire_reading(&["convert", "-o", &file], document.as_bytes());
        assert_eq!((there.code, there.stderr.as_str()), (Some(0), ""), "{document}");
        let back = manywire(&["convert", &file, "--to", "json"]);
        assert_eq!((back.code, back.stdout.trim_end()), (Some(0), document));
    }
}

/// The codec of Avro reads them as integers, whatever their precision is.
#[test]
fn avro_decimals_without_a_fraction_are_integers_in_formats_with_a_schema() {
    let folder = Folder::new();
    let schema = r#"{"type":"record","name":"R","fields":[
        {"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":9}}]}"#;
    let schema = folder.file("a.avsc", schema);
    let path = |name: &str| format!("{}/{name}", folder.path());
    let (file, proto) = (path("a.out"), path("a.proto"));
    for to in ["protobuf", "msgpack-array"] {
        let input = ["convert", "-f", "avro-datum", "--schema", &schema];
        let output = ["-t", to, "-o", &file, "--schema-out", &proto];
        let there = manywire_reading(&[&input[..], &output].concat(), b"\x02\x05");
        assert_eq!((there.code, there.stderr.as_str()), (Some(0), ""), "{to}");
        let back = manywire(&["convert", &file, "--from", to, "--schema", &proto, "-t", "json"]);
        assert_eq!((back.code, back.stdout.as_str()), (Some(0), "{\"d\":5}\n"), "{to}");
    }
    let json = folder.file("a.json", "{\"d\":5}");
    let check = manywire(&["shape", "--schema", &schema, "--check", &json]);
    assert_eq!(check.code, Some(0), "{}", check.stdout);
}

#[test]
fn standard_input_cannot_be_read_twice() {
    let one = manywire_reading(&["convert", "--to", "protobuf-delimited"], b"{\"a\":1}\n");
    assert_eq!((one.code, one.stdout.as_str()), (Some(0), "\x02\x08\x01"), "{}", one.stderr);
    let two =
        manywire_reading(&["convert", "--to", "protobuf-delimited"], b"{\"a\":1}\n{\"a\":2}\n");
    refused(&two, 1, "standard input:2:1: value 2: a second value");
    refused(&two, 1, "--schema");
    let folder = Folder::new();
    let schema = folder.file("a.proto", "syntax = \"proto3\"; message A { int32 a = 1; }");
    let given = ["convert", "-t", "protobuf-delimited", "--schema", &schema];
    let run = manywire_reading(&given, b"{\"a\":1}\n{\"a\":2}\n");
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "\x02\x08\x01\x02\x08\x02"));
    let misfit = manywire_reading(&given, b"{\"a\":1}\n{\"a\":2}\n  {\"a\":\"x\"}\n");
    refused(&misfit, 1, "standard input:3:3: value 3: ");
    refused(&misfit, 1, "at $.a");
    assert_eq!(misfit.stdout, "\x02\x08\x01\x02\x08\x02", "the values before it are written");
}

/// An empty file without its header is not an Avro file.
#[test]
fn no_schema_is_inferred_from_an_empty_standard_input() {
    let folder = Folder::new();
    let old = folder.file("old.avro", "before");
    for to in ["avro", "avro-datum", "protobuf", "protobuf-delimited", "msgpack-array"] {
        for empty in ["", " \n"] {
            let run = manywire_reading(&["convert", "--to", to, "-o", &old], empty.as_bytes());
            refused(&run, 1, "error: standard input: cannot infer a schema for ");
            refused(&run, 1, ": the input has no values");
            assert_eq!(std::fs::read(&old).expect("a file"), b"before", "{to}");
        }
    }
}

#[test]
fn losses_are_refused_or_listed() {
    let bytes = b"\x81\xa1a\xc4\x02ab\x81\xa1a\xc4\x01c";
    let strict = manywire_reading(&["convert", "-f", "msgpack", "-t", "json"], bytes);
    refused(
        &strict,
        1,
        "standard input: byte 0: JSON cannot represent bytes; --lossy makes it base64 text, at $.a",
    );
    assert_eq!(strict.stdout, "");
    let lossy = manywire_reading(&["convert", "-f", "msgpack", "-t", "json", "--lossy"], bytes);
    assert_eq!(
        (lossy.code, lossy.stdout.as_str()),
        (Some(0), "{\"a\":\"YWI=\"}\n{\"a\":\"Yw==\"}\n")
    );
    assert_eq!(lossy.stderr, "lossy: $.a: bytes became base64 text (the first of 2 places)\n");
    let twice =
        manywire_reading(&["convert", "-t", "msgpack"], b"[1,\n {\"k\": {\"a\": 1, \"a\": 2}}]");
    refused(&twice, 1, "a duplicate key; --lossy makes it the last of its entries, at $[1].k.a");
}

/// Readers of Protocol Buffers skip fields that their schema does not have, and numbers that a closed
/// enum does not have.
#[test]
fn unknown_fields_and_enum_numbers_are_refused_or_listed() {
    let folder = Folder::new();
    let schema = folder.file(
        "a.proto",
        "syntax = \"proto2\"; enum E { X = 1; }
         message A { optional int32 a = 1; optional E e = 2; optional A next = 3;
                     repeated E list = 4; map<string, E> map = 5; extensions 100 to 200; }",
    );
    let given = ["--from", "protobuf", "--schema", &schema, "--message", "A"];
    let cases: [(&[u8], &str, &str); 6] = [
        (b"\x08\x05\xa0\x06\x07", "byte 2: the schema has no field 100 here", "$"),
        (b"\x1a\x05\x08\x05\xa0\x06\x07", "byte 4: the schema has no field 100 here", "$.next"),
        (b"\x08\x05\x10\x09", "byte 3: E does not have this number", "$.e"),
        (b"\x08\x05\x20\x01\x20\x09", "byte 5: E does not have this number", "$.list"),
        (b"\x08\x05\x22\x02\x01\x09", "byte 3: E does not have this number", "$.list"),
        (b"\x08\x05\x2a\x05\x0a\x01k\x10\x09", "byte 3: E does not have this number", "$.map"),
    ];
    for (bytes, message, path) in cases {
        let convert = [&["convert", "-t", "json"][..], &given].concat();
        let strict = manywire_reading(&convert, bytes);
        refused(&strict, 1, &format!("standard input: {message}; give a schema that has it, or"));
        assert_eq!(strict.stdout, "");
        let lossy = manywire_reading(&[&convert[..], &["--lossy"]].concat(), bytes);
        assert_eq!(lossy.code, Some(0), "{}", lossy.stderr);
        assert!(lossy.stdout.contains("\"a\":5"), "{}", lossy.stdout);
        let (_, reason) = message.split_once(": ").expect("a position");
        let loss = format!("lossy: {path}: a field was dropped, and perhaps more: {reason}\n");
        assert_eq!(lossy.stderr, loss);
        // Their bytes would be missing in every other format.
        let weigh = [&["weigh", "-", "--sizes-only"][..], &given].concat();
        let weighed = manywire_reading(&weigh, bytes);
        assert!(weighed.stderr.contains(message), "{}", weighed.stderr);
        assert_ne!(weighed.code, Some(0), "{}", weighed.stdout);
    }
}

#[test]
fn errors_have_positions() {
    let folder = Folder::new();
    let broken = folder.file("events.ndjson", "{\"a\":1}\n{\"é\":[1,2}\n");
    let run = manywire(&["convert", &broken, "--to", "json"]);
    refused(
        &run,
        1,
        "events.ndjson:2:10: value 2: expected ',' or ']' after the item, found '}', at $.é[1]\n2 | {\"é\":[1,2}\n  |          ^\n",
    );
    assert_eq!(run.stdout, "{\"a\":1}\n");
    let cut = folder.file("cut.cbor", b"\x01\x82\x01");
    refused(&manywire(&["convert", &cut, "--to", "json"]), 1, "cut.cbor: byte 2: value 2: ");
    for missing in ["no-such.json", "no-such"] {
        refused(&manywire(&["convert", missing, "--to", "cbor"]), 1, &format!("{missing}: "));
    }
    refused(&manywire(&["convert", &folder.file("x.bin", "1"), "--to", "cbor"]), 1, "--from");
    refused(&manywire(&["convert", &broken]), 2, "--to");
    refused(
        &manywire(&["convert", &broken, "--to", "xml"]),
        2,
        "unknown format \"xml\": expected one of json, ndjson,",
    );
    let binary = manywire_reading(&["convert", "--to", "json"], b"\x83\xa2id");
    refused(&binary, 1, "the content is binary and does not show its format: name it with --from");
    let text = manywire_reading(&["convert", "--to", "json"], b"hello");
    refused(&text, 1, "hint: standard input is read as JSON unless --from names its format");
    // An unreadable input leaves the existing output file unchanged.
    let old = folder.file("old.json", "[]");
    refused(&manywire(&["convert", &folder.file("bad.json", "["), "-o", &old]), 1, "bad.json");
    assert_eq!(std::fs::read(&old).expect("a file"), b"[]");
    let empty = folder.file("empty.json", "");
    assert_eq!(manywire(&["convert", &empty, "-o", &old]).code, Some(0));
    assert_eq!(std::fs::read(&old).expect("a file"), b"");
}
