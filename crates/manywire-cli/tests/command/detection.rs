//! Detection of the format of a file: by its name, by its content, and when they contradict each other.

use crate::lane_folder::Lanes;
use crate::run::{Folder, Run, manywire, manywire_bytes, manywire_reading};

const JSON: &str = "{\"id\":4,\"isActive\":true}\n";

/// The value of [`JSON`] in MessagePack, CBOR and BSON.
const MSGPACK: &[u8] = b"\x82\xa2id\x04\xa8isActive\xc3";
const CBOR: &[u8] = b"\xa2\x62id\x04\x68isActive\xf5";
const BSON: &[u8] = b"\x18\0\0\0\x10id\0\x04\0\0\0\x08isActive\0\x01\0";

/// Returns the arguments of every command that reads a file.
fn readers(file: &str) -> [Vec<&str>; 7] {
    [
        vec!["convert", file, "--to", "json"],
        vec!["weigh", file, "--sizes-only"],
        vec!["shape", file],
        vec!["serve", file, "--listen", "127.0.0.1:0"],
        vec!["trial", file, "--lanes", "one"],
        vec!["explain", file],
        vec!["play", file, "--no-open"],
    ]
}

fn refused(run: &Run, message: &str) {
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

#[test]
fn a_name_that_contradicts_the_content_is_an_error_in_every_command() {
    let (folder, lanes) = (Folder::new(), Lanes::new());
    lanes.add_shell("one", "sh", "true", "");
    let cases: [(&str, &[u8], &str, &str); 5] = [
        ("a.msgpack", JSON.as_bytes(), "msgpack", "json"),
        ("a.cbor", JSON.as_bytes(), "cbor", "json"),
        ("a.bson", JSON.as_bytes(), "bson", "json"),
        ("a.json", MSGPACK, "json", "msgpack"),
        ("a.ndjson", CBOR, "json", "cbor"),
    ];
    for (name, bytes, named, content) in cases {
        let file = folder.file(name, bytes);
        for arguments in readers(&file) {
            let run = lanes.run(&arguments);
            refused(&run, &format!("{name}: the name says {named}, and the content is {content}"));
            refused(&run, &format!("--from {content} or --from {named}"));
        }
        // --from is not doubted.
        let run = manywire(&["convert", &file, "--from", content, "--to", "json"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), JSON), "{name}: {}", run.stderr);
    }
    let json = folder.file("a.msgpack", JSON);
    let run = manywire(&["convert", &json, "--from", "msgpack", "--to", "json"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), JSON.len()), "{}", run.stderr);
}

#[test]
fn utf_16_and_a_folder_without_payloads_are_no_usage_errors() {
    let (folder, empty, lanes) = (Folder::new(), Folder::new(), Lanes::new());
    lanes.add_shell("one", "sh", "true", "");
    let file = folder.file("a.json", b"\xff\xfe{\0}\0");
    for arguments in readers(&file) {
        refused(&lanes.run(&arguments), "a.json: the content is UTF-16");
    }
    for arguments in readers(&empty.path()) {
        refused(&lanes.run(&arguments), &empty.path());
    }
}

#[test]
fn content_without_a_name_is_detected_or_needs_from() {
    let folder = Folder::new();
    for (bytes, format) in
        [(JSON.as_bytes(), "json"), (MSGPACK, "msgpack"), (CBOR, "cbor"), (BSON, "bson")]
    {
        let file = folder.file("payload", bytes);
        let run = manywire(&["convert", &file, "--to", "json"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), JSON), "{format}: {}", run.stderr);
        let run = manywire_bytes(&["convert", "--to", "json"], bytes);
        assert_eq!(run.stdout, JSON.as_bytes(), "{format}: {}", run.stderr);
        let run = manywire_bytes(&["weigh", "-", "--sizes-only", "--json", "-"], bytes);
        let report: serde_json::Value = serde_json::from_slice(&run.stdout).expect("a report");
        assert_eq!(crate::run::row(&report, "json")["size_bytes"], 24, "{format}");
        let run = manywire_bytes(&["shape", "-"], bytes);
        assert!(String::from_utf8_lossy(&run.stdout).contains("isActive"), "{}", run.stderr);
        // Compressed bytes are detected by what is in them.
        let packed = manywire_bytes(&["convert", "--to", format, "--coding", "gzip"], bytes).stdout;
        assert_eq!(packed[..2], [0x1f, 0x8b]);
        let run = manywire_bytes(&["convert", "--to", "json"], &packed);
        assert_eq!(run.stdout, JSON.as_bytes(), "{format}: {}", run.stderr);
    }
    for (bytes, message) in [
        (&b"\x01\x02\x03"[..], "name it with --from"),
        (b"\x83\xa2id", "name it with --from"),
        (b"\xff\xfe{\0}\0", "UTF-16"),
    ] {
        for arguments in
            [&["convert", "--to", "json"][..], &["weigh", "-", "--sizes-only"], &["shape", "-"]]
        {
            let run = manywire_bytes(arguments, bytes);
            assert_eq!(run.code, Some(1), "{arguments:?}");
            assert!(run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
        }
    }
    let unknown = folder.file("numbers", b"\x01\x02");
    refused(&manywire(&["convert", &unknown, "--to", "json"]), "--from");
    refused(&manywire(&["convert", &folder.path(), "--to", "json"]), "this is a folder");
}

/// The letters of a text are also a length in BSON.
#[test]
fn text_that_is_not_valid_json_is_explained_as_json() {
    for text in ["{a: 1}", "{'a': 1}", "<html>", "hello, world", "\u{feff}{a: 1}"] {
        let run = manywire_reading(&["explain", "-"], text.as_bytes());
        let length = text.trim_start_matches('\u{feff}').len();
        let total = format!("{length} bytes of JSON: ");
        assert!(run.stdout.contains(&total), "{text}: {}", run.stdout);
        assert_eq!(run.code, Some(1), "{text}");
    }
    // Bytes that are given as hex may be the beginning of anything.
    let cut = manywire(&["explain", "65 68 65 6c"]);
    assert!(!cut.stdout.contains("bytes of JSON"), "{}", cut.stdout);
    for arguments in [&["explain", "-"][..], &["play", "-", "--no-open"]] {
        refused(&manywire_reading(arguments, b"\xff\xfe{\0}\0"), "UTF-16");
    }
}

#[test]
fn a_length_in_bson_is_not_taken_for_the_mark_of_utf_16() {
    let le = |length: usize| u32::try_from(length).expect("a short document").to_le_bytes();
    for length in [0xfeff, 0xfffe] {
        let text = "x".repeat(length - 13);
        let (whole, inner) = (le(length), le(text.len() + 1));
        let bson = [&whole[..], b"\x02a\0", &inner, text.as_bytes(), b"\0\0"].concat();
        let json = format!("{{\"a\":\"{text}\"}}\n");
        let run = manywire_bytes(&["convert", "--to", "json"], &bson);
        assert!(run.stdout == json.as_bytes(), "{length}: {}", run.stderr);
        let run = manywire_bytes(&["explain", "-", "--check"], &bson);
        assert_eq!(run.code, Some(0), "{length}: {}", run.stderr);
    }
}

#[test]
fn a_byte_order_mark_is_skipped_and_not_counted() {
    let folder = Folder::new();
    let marked = |text: &str| format!("\u{feff}{text}");
    for name in ["a.json", "a.ndjson", "a"] {
        let file = folder.file(name, marked(JSON));
        let run = manywire(&["convert", &file, "--to", "json"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), JSON), "{name}: {}", run.stderr);
        let run = manywire(&["shape", &file]);
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        let run = manywire(&["weigh", &file, "--sizes-only", "--json", "-"]);
        assert_eq!(crate::run::row(&run.json(), "json")["size_bytes"], 24, "{name}");
        let run = manywire(&["explain", &file, "--check"]);
        assert_eq!(run.code, Some(0), "{name}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("byte order mark"), "{}", run.stderr);
    }
    let run = manywire_reading(&["convert", "--to", "json"], marked(JSON).as_bytes());
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), JSON), "{}", run.stderr);
    let broken = folder.file("broken.json", marked("{\"a\" 1}"));
    refused(&manywire(&["convert", &broken, "--to", "json"]), "broken.json:1:6: ");
    // A mark inside of the text is not skipped.
    let inside = folder.file("inside.json", format!("[1]{}", marked("[2]")));
    assert_eq!(manywire(&["convert", &inside, "--to", "json"]).code, Some(1));
}
