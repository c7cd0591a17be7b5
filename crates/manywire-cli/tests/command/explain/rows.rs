//! `manywire explain`: rows, their selection, and exit codes.

use crate::run::{Folder, Run, example, manywire, manywire_reading};

/// A small user in MessagePack.
const USER: &str = "83 a2 69 64 04 a8 69 73 41 63 74 69 76 65 c3 \
                    a8 66 75 6c 6c 6e 61 6d 65 ad 48 6f 6d 65 72 20 53 69 6d 70 73 6f 6e";

/// An Avro container file of two longs, in a stored deflate block.
const CONTAINER: &str = "4f626a01 04 16 6176726f2e736368656d61 0c 226c6f6e6722 \
                         14 6176726f2e636f646563 0e 6465666c617465 00 \
                         00000000000000000000000000000000 04 0e 01 0200 fdff 02 04 \
                         00000000000000000000000000000000";

const TABLE: &str = r#"
offset  bytes                     what it is                        path        cost
     0  83                        3-element map                     $              1    3 %
     1  a2 69 64                    2-byte string "id"              $.id           3    8 %
     4  04                          integer 4                       $.id           1    3 %
     5  a8 69 73 41 … (9 bytes)     8-byte string "isActive"        $.isActive     9   24 %
    14  c3                          boolean true                    $.isActive     1    3 %
    15  a8 66 75 6c … (9 bytes)     8-byte string "fullname"        $.fullname     9   24 %
    24  ad 48 6f 6d … (14 bytes)    13-byte string "Homer Simpson"  $.fullname    14   37 %

38 bytes of MessagePack (map): keys 21 (55 %), heads 2 (5 %), values 15 (39 %)
minified JSON 51 bytes: ratio 1.34, saving 25 %; spaced 56 bytes: ratio 1.47, saving 32 %
array layout 17 bytes: 55 % less; integer keys 20 bytes: 47 % less
"#;

fn lines(run: &Run) -> Vec<serde_json::Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn the_table_matches_a_handwritten_one() {
    let run = manywire(&["explain", USER]);
    assert_eq!(run.stdout, TABLE.trim_start(), "{}", run.stderr);
    assert_eq!(run.code, Some(0));
}

#[test]
fn a_saving_that_rounds_to_zero_has_no_sign() {
    let text = format!("da012c{}", "61".repeat(300));
    let run = manywire(&["explain", &text, "--from", "msgpack"]);
    let sizes = "minified JSON 302 bytes: ratio 1.00, saving 0 %; spaced 302 bytes: ratio 1.00, saving 0 %\n";
    assert!(run.stdout.ends_with(sizes), "{}", run.stdout);
}

#[test]
fn bytes_may_be_hex_base64_or_a_file() {
    let compact: String = USER.split(' ').collect();
    let base64 = "g6JpZASoaXNBY3RpdmXDqGZ1bGxuYW1lrUhvbWVyIFNpbXBzb24=";
    for text in [&compact, &USER.replace(' ', "-"), &format!("0x{compact}"), base64] {
        assert_eq!(manywire(&["explain", text]).stdout, TABLE.trim_start(), "{text}");
    }
    let words: Vec<&str> = ["explain"].into_iter().chain(USER.split(' ')).collect();
    assert_eq!(manywire(&words).stdout, TABLE.trim_start());
    let folder = Folder::new();
    let bytes: Vec<u8> =
        USER.split(' ').map(|pair| u8::from_str_radix(pair, 16).expect("hex")).collect();
    let file = folder.file("user.msgpack", &bytes);
    assert_eq!(manywire(&["explain", &file]).stdout, TABLE.trim_start());
    assert_eq!(manywire_reading(&["explain", "-"], &bytes).stdout, TABLE.trim_start());
    // Hexadecimal or base64 text in a file or a pipe is decoded if it is not valid in a text
    // format.
    for text in [USER, &compact, base64] {
        let line = format!("{text}\n");
        assert_eq!(manywire_reading(&["explain", "-"], line.as_bytes()).stdout, TABLE.trim_start());
    }
    let run = manywire(&["explain", "no-such-file.cbor"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("no such file"), "{}", run.stderr);
}

#[test]
fn json_lines_match_their_schema() {
    let path = format!("{}/../../docs/explain.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = std::fs::read_to_string(path).expect("the schema");
    let schema = serde_json::from_str(&schema).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a valid schema");
    let file = example("user.json");
    for input in
        [USER, &file, CONTAINER, "92 01", "a2 61 61 cc 01", "5f 41 01 ff", "0a 03 08 96 01"]
    {
        let run = manywire(&["explain", input, "--json"]);
        let lines = lines(&run);
        assert!(!lines.is_empty(), "{input}: {}", run.stderr);
        let mut end = 0;
        for line in &lines {
            assert!(schema.is_valid(line), "{line}");
            if line["role"] != "fault" && line["inside"].is_null() {
                assert_eq!(line["offset"], end, "{line}");
                end += line["length"].as_u64().expect("a length");
            }
        }
    }
    let packed = lines(&manywire(&["explain", CONTAINER, "--json", "--path", "$#1"]));
    assert_eq!((&packed[0]["inside"], &packed[0]["offset"]), (&62.into(), &1.into()), "{packed:?}");
    assert_eq!(packed[0]["value"], 2);
    let wrong =
        serde_json::json!({"offset": 0, "length": 1, "role": "lid", "path": "$", "type": "x"});
    assert!(!schema.is_valid(&wrong));
    let long = format!("d9 ff {}", "61".repeat(255));
    let lines = lines(&manywire(&["explain", &long, "--from", "msgpack", "--json"]));
    assert_eq!(lines[0]["value"], "a".repeat(255), "nothing is cut short");
    assert_eq!(lines[0]["type"], "255-byte string");
}

#[test]
fn rows_can_be_selected() {
    // {"a": [{"b": 1}, {"b": 2}], "c": null}
    let input = "82 a1 61 92 81 a1 62 01 81 a1 62 02 a1 63 c0";
    let offsets = |more: &[&str]| -> Vec<u64> {
        let arguments = [&["explain", input, "--json"], more].concat();
        lines(&manywire(&arguments)).iter().filter_map(|line| line["offset"].as_u64()).collect()
    };
    assert_eq!(offsets(&[]), [0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 14]);
    assert_eq!(offsets(&["--at", "10"]), [9]);
    assert_eq!(offsets(&["--path", "$.a[1]"]), [8, 9, 11]);
    assert_eq!(offsets(&["--path", "$.a[1].b"]), [9, 11]);
    assert_eq!(offsets(&["--depth", "1"]), [0, 1, 3, 12, 14]);
    assert_eq!(offsets(&["--items", "1"]), [0, 1, 3, 4, 5, 7]);
    assert_eq!(manywire(&["explain", input, "--at", "15"]).code, Some(2));
}

#[test]
fn a_fault_shows_what_was_read_and_what_was_not() {
    let run = manywire(&["explain", "93 01 c1 02 03", "--from", "msgpack"]);
    let rows: Vec<&str> = run.stdout.lines().collect();
    assert!(rows[2].contains("integer 1"), "{}", run.stdout);
    assert!(rows[3].contains("FAULT: expected a value: no value begins with c1"), "{}", run.stdout);
    assert!(rows[4].contains("c1 02 03") && rows[4].contains("unread"), "{}", run.stdout);
    assert_eq!(run.code, Some(1));
}

#[test]
fn the_format_is_detected_and_others_are_named() {
    let formats = [
        (r#"7b 22 61 22 3a 31 7d"#, "JSON"),
        ("81 a1 61 01", "MessagePack"),
        ("a1 61 61 01", "CBOR"),
        ("0c 00 00 00 10 61 00 01 00 00 00 00", "BSON"),
        ("08 96 01 12 03 61 62 63", "Protocol Buffers"),
    ];
    for (bytes, title) in formats {
        let run = manywire(&["explain", bytes]);
        assert!(run.stdout.contains(&format!(" bytes of {title}")), "{bytes}: {}", run.stdout);
        assert_eq!(run.code, Some(0), "{bytes}");
    }
    let several = manywire(&["explain", "80"]).stdout;
    assert!(several.contains("could also be cbor"), "{several}");
    let avro = manywire(&["explain", "02 04", "--from", "avro"]);
    assert!(avro.stderr.contains("schema"), "{}", avro.stderr);
    assert_eq!(avro.code, Some(2));
}

#[test]
fn colour_and_control_characters() {
    let colored = manywire(&["explain", USER, "--color", "always"]).stdout;
    assert!(colored.contains("\x1b[36m") && colored.contains("key"), "{colored}");
    assert!(!manywire(&["explain", USER]).stdout.contains('\x1b'), "no terminal, no colour");
    // An escape sequence in a key is not written to the terminal.
    let hostile = manywire(&["explain", "81 a4 1b 5b 32 4a 01", "--from", "msgpack"]).stdout;
    assert!(!hostile.contains('\x1b'), "{hostile}");
}
