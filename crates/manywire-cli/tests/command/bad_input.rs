//! Invalid input: errors have positions, and other inputs are still processed.

use crate::run::{Folder, example, manywire, manywire_reading, row};

/// Measures the size of one file in JSON, which is the cheapest run of the command.
fn weigh(file: &str) -> crate::run::Run {
    manywire(&["weigh", file, "--sizes-only", "--formats", "json", "--json", "-"])
}

#[test]
fn malformed_json_has_line_column_and_expectation() {
    let folder = Folder::new();
    let file =
        folder.file("broken.json", "{\n  \"name\": \"hotel\",\n  \"rooms\": [1, 2,, 3]\n}\n");
    let run = weigh(&file);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("broken.json:3:18: "), "{}", run.stderr);
    assert!(run.stderr.contains("expected"), "{}", run.stderr);
    assert!(run.stderr.contains("$.rooms[2]"), "{}", run.stderr);
    assert!(
        run.stderr.contains("3 |   \"rooms\": [1, 2,, 3]\n  |                  ^"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_invalid_file_does_not_hide_the_others() {
    let folder = Folder::new();
    let broken = folder.file("broken.json", "[1, 2");
    let run = manywire(&["weigh", &broken, &example("user.json"), "--sizes-only", "--json", "-"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("broken.json:1:6: "), "{}", run.stderr);
    assert_eq!(row(&run.json(), "json")["size_bytes"], 51);
}

#[test]
fn an_invalid_line_has_its_number_in_the_file() {
    let folder = Folder::new();
    let file = folder.file("events.ndjson", "{\"a\":1}\n{\"a\":2}\n\n{\"a\":}\n");
    let run = weigh(&file);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("events.ndjson:4:6: "), "{}", run.stderr);
    assert_eq!(row(&run.json(), "json")["size_bytes"], 14);
}

#[test]
fn a_second_value_on_a_line_is_an_error_in_every_command() {
    let folder = Folder::new();
    let file = folder.file("two.ndjson", "{\"a\":5} {\"a\":6}\n");
    for arguments in [
        &["convert", &file, "--to", "json"][..],
        &["lanes", "check", &file],
        &["serve", &file],
        &["shape", &file],
        &["trial", &file],
        &["weigh", &file, "--sizes-only"],
    ] {
        let run = manywire(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{arguments:?}: {}", run.stderr);
        let message = "two.ndjson:1:9: expected nothing more after the value, found '{'";
        assert!(run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
    }
    let run = manywire(&["explain", &file, "--check"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.starts_with("byte 8, $#0: expected the end"), "{}", run.stdout);
    // Concatenated values may have any white space between them.
    let run = manywire(&["convert", &file, "--from", "json-concat", "--to", "json"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "{\"a\":5}\n{\"a\":6}\n"));
}

#[test]
fn malformed_binary_has_the_byte_offset() {
    let folder = Folder::new();
    for (name, bytes, offset) in [
        ("reserved.msgpack", &[0x93, 0x01, 0xc1, 0x02][..], "byte 2"),
        ("short.cbor", &[0x83, 0x01, 0x02], "byte 1"),
        ("huge-length.msgpack", &[0xdb, 0xff, 0xff, 0xff, 0xff, b'a'], "byte"),
        ("huge-array.msgpack", &[0xdd, 0xff, 0xff, 0xff, 0xff], "byte"),
        ("huge-document.bson", &[0xff, 0xff, 0xff, 0x7f, 0x00], "byte"),
        ("huge-text.cbor", &[0x7b, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, b'a'], "byte"),
    ] {
        let run = weigh(&folder.file(name, bytes));
        assert_eq!(run.code, Some(1), "{name}");
        assert!(run.stderr.contains(&format!("{name}: {offset}")), "{name}: {}", run.stderr);
    }
}

#[test]
fn empty_files_and_folders_without_payloads() {
    let folder = Folder::new();
    let empty = folder.file("empty.json", "");
    let blank = folder.file("blank.json", " \n\n");
    for file in [empty, blank] {
        let run = weigh(&file);
        assert_eq!(run.code, Some(1));
        assert!(run.stderr.contains("empty: the input has no payload"), "{}", run.stderr);
    }
    let nothing = Folder::new();
    nothing.file("notes.txt", "no payload");
    let run = weigh(&nothing.path());
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("no payloads in this folder"), "{}", run.stderr);
    let missing = weigh(&format!("{}/missing.json", nothing.path()));
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.contains("missing.json"), "{}", missing.stderr);
    let unknown = weigh(&nothing.file("payload.xyz", "1"));
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("--from"), "{}", unknown.stderr);
}

#[test]
fn a_missing_file_is_no_usage_error_in_any_command() {
    let folder = Folder::new();
    let there = folder.file("there.json", "1");
    // Without a known extension, the content would show the format.
    for name in ["missing.json", "missing.bin"] {
        let missing = format!("{}/{name}", folder.path());
        for arguments in [
            &["convert", &missing, "--to", "cbor"][..],
            &["explain", &missing],
            &["explain", "--top", &missing],
            &["explain", "--diff", &there, &missing],
            &["explain", &there, "--schema", &missing],
            &["explain", "--reverse", &missing],
            &["lanes", "check", &missing],
            &["play", &missing, "--no-open"],
            &["report", &missing],
            &["serve", &missing],
            &["shape", &missing],
            &["shape", &there, "--check", &missing],
            &["shape", "--schema", &missing],
            &["shape", "--compat", &missing, &missing],
            &["trial", &missing],
            &["weigh", &missing],
            &["weigh", &there, "--baseline", &missing],
        ] {
            let run = manywire(arguments);
            assert_eq!(run.code, Some(1), "{arguments:?}: {}", run.stderr);
            assert!(run.stderr.contains(name), "{arguments:?}: {}", run.stderr);
        }
    }
}

#[test]
fn duplicate_keys_are_named_and_the_last_one_wins() {
    let folder = Folder::new();
    let file = folder.file("twice.json", r#"{"list":[{"a":1,"b":2,"a":3}]}"#);
    let run = weigh(&file);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    let row = row(&report, "json");
    assert_eq!(row["fidelity"][0]["path"], "$.list[0].a");
    assert!(row["fidelity"][0]["lost"].as_str().unwrap().contains("duplicate key"), "{row}");
    // The output is {"list":[{"b":2,"a":3}]}.
    assert_eq!(row["size_bytes"], 24);
    // The text says so once, not for every format and verdict.
    let text = manywire(&["weigh", &file, "--sizes-only"]).stdout;
    assert!(text.contains("every row: $.list[0].a: duplicate key"), "{text}");
    assert_eq!(text.matches("duplicate key").count(), 1, "{text}");
}

#[test]
fn an_error_in_a_deep_value_leaves_out_the_middle_of_the_path() {
    let folder = Folder::new();
    let file = folder.file("deep.json", "[".repeat(600));
    let run = manywire(&["convert", &file, "--to", "msgpack"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("deep.json:1:513: nested deeper"), "{}", run.stderr);
    assert!(run.stderr.contains("characters of the path left out"), "{}", run.stderr);
    assert!(run.stderr.len() < 500, "{}", run.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_with_its_name() {
    let user = crate::run::example("user.json");
    for arguments in [&["weigh", &user, "--sizes-only"][..], &["shape", &user], &["formats"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_manywire"))
            .args(arguments)
            .stdout(full)
            .output()
            .expect("the command runs");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.starts_with("error: standard output: "), "{arguments:?}: {stderr}");
    }
}

#[test]
fn lone_surrogates_are_refused_with_their_position() {
    let folder = Folder::new();
    let run = weigh(&folder.file("surrogate.json", r#"{"text":"ab\ud800cd"}"#));
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("surrogate.json:1:"), "{}", run.stderr);
    assert!(run.stderr.contains("surrogate"), "{}", run.stderr);
}

#[test]
fn numbers_beyond_64_bits_are_kept_or_refused_never_rounded() {
    let folder = Folder::new();
    let text = r#"{"big":123456789012345678901234567890,"top":18446744073709551615}"#;
    let run = manywire(&["weigh", &folder.file("big.json", text), "--sizes-only", "--json", "-"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_eq!(row(&report, "json")["size_bytes"], text.len());
    for row in report["rows"].as_array().unwrap().iter().filter(|row| row["library"] == "manywire")
    {
        // MessagePack represents such a number as bytes, and reports the replacement.
        let refused = row["status"] != "ok";
        let named = row["fidelity"][0]["path"] == "$.big"
            && row["format"].as_str().unwrap().starts_with("msgpack");
        assert!(refused || named || row["fidelity"] == "exact", "{row}");
    }
    assert_ne!(row(&report, "bson")["status"], "ok", "BSON has no such integer");
}

#[test]
fn a_hundred_thousand_brackets_are_an_error() {
    let folder = Folder::new();
    let deep = vec![b'['; 100_000];
    let run = weigh(&folder.file("deep.json", &deep));
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("nested deeper than the limit"), "{}", run.stderr);
    let deep = vec![0x91; 100_000];
    let run = weigh(&folder.file("deep.msgpack", &deep));
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("nested deeper than the limit"), "{}", run.stderr);
}

#[test]
fn standard_input_is_named_in_errors() {
    let run = manywire_reading(&["weigh", "-", "--sizes-only"], b"{\"a\":tru}");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("standard input:1:"), "{}", run.stderr);
}

#[test]
fn invalid_arguments_are_usage_errors() {
    let user = example("user.json");
    for arguments in [
        &["weigh"][..],
        &["weigh", &user, "--formats", "thrift"],
        &["weigh", &user, "--coding", "gzip:99"],
        &["weigh", &user, "--gate", "msgpack.bytes"],
        &["weigh", &user, "--gate", "msgpack.bytes<=baseline"],
        &["weigh", &user, "--delta", "7"],
        &["weigh", &user, "--sweep", "$.a"],
        &["weigh", &user, "--quick", "--precise"],
    ] {
        let run = manywire(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
}
