//! `--top` and `--diff`: the bytes of paths, over many inputs and in two formats.

use manywire_codec::{Codec, Limits};
use manywire_format::Format;
use manywire_shape::Arena;
use manywire_shape::infer::Inference;

use crate::run::{Folder, bytes_of, example, manywire};

/// Returns the row of a path as numbers.
fn row<'t>(text: &'t str, path: &str) -> Vec<&'t str> {
    let line = text.lines().find(|line| line.split_whitespace().last() == Some(path));
    line.unwrap_or_else(|| panic!("no {path}: {text}")).split_whitespace().collect()
}

#[test]
fn top_sums_bytes_by_path() {
    let folder = Folder::new();
    // {"a": [{"b": 1}, {"b": 2}]} twice, and {"a": []}.
    let two = folder.file("two.msgpack", b"\x81\xa1a\x92\x81\xa1b\x01\x81\xa1b\x02");
    let none = folder.file("none.msgpack", b"\x81\xa1a\x90");
    let run = manywire(&["explain", "--top", &two, &two, &none]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // Four keys of 2 bytes, with values of 1 byte.
    assert_eq!(
        row(&run.stdout, "$.a[*].b")[..8],
        ["12", "43", "%", "8", "0", "4", "4", "$.a[*].b"]
    );
    assert_eq!(row(&run.stdout, "$.a")[0], "9");
    assert_eq!(row(&run.stdout, "$")[0], "3");
    assert!(run.stdout.ends_with("28 bytes; 3 values in 3 inputs\n"), "{}", run.stdout);
    let first = manywire(&["explain", "--top", "--items", "1", &two]);
    assert!(first.stdout.contains("in 3 more paths"), "{}", first.stdout);
}

#[test]
fn top_continues_after_an_unreadable_input() {
    let folder = Folder::new();
    let good = folder.file("good.msgpack", b"\x81\xa1a\x01");
    let run = manywire(&["explain", "--top", &folder.path(), &good]);
    assert!(run.stderr.contains("a folder"), "{}", run.stderr);
    assert_eq!(row(&run.stdout, "$.a")[0], "3");
    assert_eq!(run.code, Some(1));
    // The compressed data end too early. The bytes before their end count.
    let events = example("events.ndjson");
    let coded = bytes_of(&["convert", &events, "--to", "ndjson", "--coding", "gzip"]);
    let cut = folder.file("cut.ndjson.gz", &coded[..coded.len() / 2]);
    let run = manywire(&["explain", "--top", "--items", "1000", &cut, &good]);
    assert!(run.stderr.contains("cut.ndjson.gz: truncated gzip data"), "{}", run.stderr);
    assert!(row(&run.stdout, "$.id")[0].parse::<u32>().is_ok_and(|bytes| bytes > 1_000));
    assert_eq!(row(&run.stdout, "$.a")[0], "3");
    let values = run.stdout.strip_suffix(" values in 2 inputs\n").expect("a sum");
    let values = values.rsplit(' ').next().and_then(|count| count.parse::<u32>().ok());
    assert!(values.is_some_and(|values| values > 10), "{}", run.stdout);
    assert_eq!(run.code, Some(1));
    // A misspelt name that is base64 is in the message.
    let run = manywire(&["explain", "--top", "nope", &good]);
    let faults = "error: the bytes nope: 3 faults, which `explain` without --top shows\n";
    assert_eq!((run.stderr.as_str(), run.code), (faults, Some(1)));
}

#[test]
fn diff_aligns_two_formats_by_path() {
    let json = r#"{"id": 4, "name": "x", "in": [1.5]}"#;
    let folder = Folder::new();
    let json = folder.file("a.json", json);
    let msgpack =
        folder.file("a.msgpack", b"\x83\xa2id\x05\xa4name\xa1x\xa2in\x91\xcb\x3f\xf8\0\0\0\0\0\0");
    let run = manywire(&["explain", "--diff", &json, &msgpack]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows: Vec<Vec<&str>> =
        run.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["json", "msgpack", "difference", "path"]);
    assert!(rows.contains(&vec!["9", "4", "-5", "$.id", "4", "≠", "5"]), "{}", run.stdout);
    assert!(rows.contains(&vec!["3", "9", "+6", "$.in[0]"]), "{}", run.stdout);
    assert_eq!(rows.last().expect("rows")[..3], ["35", "25", "-10"]);
    assert_eq!(manywire(&["explain", "--diff", &json]).code, Some(2));
}

#[test]
fn diff_takes_formats_and_hex() {
    let run =
        manywire(&["explain", "--diff", "81 a1 61 01", "a1 61 61 01", "--from", "msgpack,cbor"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout.lines().any(|line| line.split_whitespace().eq(["3", "3", "+0", "$.a"])),
        "{}",
        run.stdout
    );
    let run = manywire(&["explain", "--diff", "81 a1 61", "a1 61 61 01", "--from", "msgpack,cbor"]);
    assert!(run.stderr.starts_with("error: the bytes 81 a1 61: "), "{}", run.stderr);
    assert!(run.stderr.ends_with(", which `explain` without --diff shows\n"), "{}", run.stderr);
    assert_eq!(run.code, Some(1));
}

#[test]
fn the_summary_matches_the_codecs() {
    let text = std::fs::read(example("hotels.json")).expect("an example");
    let arena = Arena::new();
    let value =
        manywire_codec::read_value(Format::Json, &text, &arena, Limits::DEFAULT).expect("JSON");
    let mut inference = Inference::new();
    inference.add(&value);
    let shape = inference.shape();
    let encoded = |format| {
        let mut bytes = Vec::new();
        let codec = Codec::new(format, &shape).expect("a codec");
        codec.encode(&value, &mut bytes).expect("bytes");
        bytes
    };
    let folder = Folder::new();
    let file = folder.file("hotels.msgpack", encoded(Format::MsgPack));
    let stdout = manywire(&["explain", &file, "--depth", "0"]).stdout;
    let promised = format!("array layout {} bytes", encoded(Format::MsgPackArray).len());
    assert!(stdout.contains(&promised), "{promised}: {stdout}");
    let minified = format!("minified JSON {} bytes", encoded(Format::Json).len());
    assert!(stdout.contains(&minified), "{minified}: {stdout}");
}
