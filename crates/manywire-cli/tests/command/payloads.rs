//! Inputs of `weigh`: every kind of file, and several payloads together.

use serde_json::json;

use crate::run::{Folder, example, manywire, manywire_bytes, manywire_reading, row};

#[test]
fn the_documents_have_the_expected_sizes() {
    for (name, bytes) in [("hotels.json", 38_592), ("people.json", 7_863), ("user.json", 51)] {
        let run = manywire(&[
            "weigh",
            &example(name),
            "--sizes-only",
            "--formats",
            "json",
            "--json",
            "-",
        ]);
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        assert_eq!(row(&run.json(), "json")["size_bytes"], bytes, "{name}");
    }
}

#[test]
fn every_format_represents_every_document() {
    for name in ["hotels.json", "people.json", "user.json", "record-a.json"] {
        for row in ours(&sizes(name)) {
            assert_eq!(row["status"], "ok", "{name}: {row}");
            assert_eq!(row["fidelity"], "exact", "{name}: {}: {}", row["format"], row["fidelity"]);
        }
    }
}

#[test]
fn values_without_a_digest_are_measured() {
    // An extension of MessagePack, which other formats and `serde_json::Value` cannot hold.
    let folder = Folder::new();
    let file = folder.file("extension.msgpack", [0x81, 0xa1, b'a', 0xd4, 5, 0]);
    let report = manywire(&["weigh", &file, "--sizes-only", "--json", "-"]);
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    let report = report.json();
    crate::output::assert_valid(&report);
    let ours = row(&report, "msgpack");
    assert_eq!((&ours["status"], &ours["fidelity"]), (&json!("ok"), &json!("exact")), "{ours}");
    assert_eq!(ours["size_bytes"], 6);
    for row in report["rows"].as_array().unwrap() {
        // Formats that cannot hold the payload name their library and its version, too.
        assert_ne!(row["library_version"], "", "{row}");
    }
    let peer = report["rows"].as_array().unwrap().iter().find(|row| row["library"] == "rmp-serde");
    assert_ne!(peer.unwrap()["status"], "ok", "{report}");
}

#[test]
fn losses_of_a_format_are_named() {
    // Some fields of the events are absent in some lines and null in others. Avro and Protocol
    // Buffers have one representation for both.
    for row in ours(&sizes("events.ndjson")) {
        assert_eq!(row["status"], "ok", "{row}");
        match row["format"].as_str() {
            Some("avro" | "protobuf" | "msgpack-array") => {
                assert!(row["fidelity"].to_string().contains("null came back as absent"), "{row}");
            }
            _ => assert_eq!(row["fidelity"], "exact", "{row}"),
        }
    }
}

#[test]
fn reference_libraries_have_the_same_sizes() {
    let folder = Folder::new();
    let file = folder.file("big.json", "[123456789012345678901234567890]");
    let run = manywire(&["weigh", &file, "--sizes-only", "--json", "-"]);
    let report = run.json();
    let theirs = report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["library"] == "serde_json")
        .unwrap();
    assert_eq!(
        theirs["fidelity"][0]["path"], "$[0]",
        "serde_json's Value rounds such a number: {theirs}"
    );
    assert_eq!(row(&report, "json")["fidelity"], "exact");
}

fn sizes(name: &str) -> serde_json::Value {
    let run = manywire(&["weigh", &example(name), "--sizes-only", "--json", "-"]);
    assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
    run.json()
}

fn ours(report: &serde_json::Value) -> Vec<&serde_json::Value> {
    report["rows"].as_array().unwrap().iter().filter(|row| row["library"] == "manywire").collect()
}

#[test]
fn binary_files_are_read_in_their_format() {
    let folder = Folder::new();
    // {"id": 4, "isActive": true} in each format.
    let files = [
        folder.file("a.msgpack", b"\x82\xa2id\x04\xa8isActive\xc3"),
        folder.file("a.cbor", b"\xa2\x62id\x04\x68isActive\xf5"),
        folder
            .file("a.bson", b"\x18\x00\x00\x00\x10id\x00\x04\x00\x00\x00\x08isActive\x00\x01\x00"),
        folder.file("a.json", b" {\"id\": 4,\n\"isActive\": true}\n"),
    ];
    for file in &files {
        let run = manywire(&["weigh", file, "--sizes-only", "--formats", "msgpack", "--json", "-"]);
        assert_eq!(run.code, Some(0), "{file}: {}", run.stderr);
        let report = run.json();
        assert_eq!(row(&report, "json")["size_bytes"], 24, "{file}");
        assert_eq!(row(&report, "msgpack")["size_bytes"], 15, "{file}");
    }
    let unnamed = folder.file("payload", b"\x82\xa2id\x04\xa8isActive\xc3");
    let run = manywire(&["weigh", &unnamed, "--from", "msgpack", "--sizes-only", "--json", "-"]);
    assert_eq!(row(&run.json(), "json")["size_bytes"], 24);
}

#[test]
fn several_payloads_share_rows_unless_each_is_set() {
    let folder = Folder::new();
    folder.file("one.json", "[1]");
    folder.file("two.json", "[1,22]");
    folder.file("notes.txt", "not a payload");
    let run = manywire(&[
        "weigh",
        &folder.path(),
        "--sizes-only",
        "--each",
        "--formats",
        "json",
        "--json",
        "-",
    ]);
    let report = run.json();
    let sizes: Vec<(String, u64)> = report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["library"] == "manywire")
        .map(|row| {
            (row["payload"].as_str().unwrap().to_owned(), row["size_bytes"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(
        sizes,
        [("*".to_owned(), 9), ("one.json".to_owned(), 3), ("two.json".to_owned(), 6)]
    );
    assert_eq!(row(&report, "json")["size_spread"]["max"], 6);
}

/// Rows of one name would be one table, and would be compared with each other.
#[test]
fn payloads_of_one_file_name_are_told_apart() {
    let (first, second) = (Folder::new(), Folder::new());
    let old = first.file("orders.json", "[1]");
    let (new, other) = (second.file("orders.json", "[1,22]"), second.file("other.json", "[]"));
    let json = ["--each", "--sizes-only", "--formats", "json", "--json", "-"];
    let report = manywire(&[&["weigh", &old, &new, &other, &new], &json[..]].concat()).json();
    let names = [old.clone(), new.clone(), "other.json".to_owned(), format!("{new} (2)")];
    let payloads = report["payloads"].as_array().expect("payloads").iter();
    let found: Vec<_> = payloads.map(|payload| payload["name"].clone()).collect();
    assert_eq!(json!(found), json!(names));
    let rows: Vec<_> =
        ours(&report).iter().map(|row| json!([row["payload"], row["size_bytes"]])).collect();
    let [old, new, other, again] = &names;
    assert_eq!(json!(rows), json!([["*", 17], [old, 3], [new, 6], [other, 2], [again, 6]]));
}

#[test]
fn rows_of_one_payload_have_its_name() {
    let run = manywire(&["weigh", &example("user.json"), "--sizes-only", "--json", "-"]);
    let report = run.json();
    assert!(report["rows"].as_array().unwrap().iter().all(|row| row["payload"] == "user.json"));
}

#[test]
fn standard_input_is_one_document_or_lines() {
    let one = manywire_reading(
        &["weigh", "-", "--sizes-only", "--formats", "json", "--json", "-"],
        b"{\"a\":\n1}",
    );
    assert_eq!(row(&one.json(), "json")["size_bytes"], 7);
    let lines = manywire_reading(
        &["weigh", "-", "--sizes-only", "--formats", "json", "--json", "-"],
        b"{\"a\":1}\n{\"a\":2}\n",
    );
    assert_eq!(row(&lines.json(), "json")["size_bytes"], 14);
    assert_eq!(row(&lines.json(), "json")["payload"], "*");
}

#[test]
fn a_format_that_cannot_represent_a_payload_does_not_stop_others() {
    let run = manywire_reading(&["weigh", "-", "--sizes-only", "--json", "-"], b"17");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_ne!(row(&report, "bson")["status"], "ok");
    assert_eq!(row(&report, "bson")["size_bytes"], serde_json::Value::Null);
    assert_eq!(row(&report, "protobuf")["status"], "ok");
    assert_eq!(row(&report, "protobuf")["fidelity"], "exact");
    assert_eq!(row(&report, "msgpack")["size_bytes"], 1);
}

#[test]
fn a_stream_infers_its_shape_from_its_first_payloads() {
    let mut text = "{\"id\":1,\"name\":\"a\"}\n".repeat(10_500);
    text.push_str("{\"odd\":true}\n{\"broken\"\n");
    let run = manywire_reading(
        &["weigh", "-", "--sizes-only", "--coding", "none", "--json", "-"],
        text.as_bytes(),
    );
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("standard input:10502:10: "), "{}", run.stderr);
    let report = run.json();
    assert_eq!(report["payload_count"], 10_500);
    assert_eq!(report["payloads"].as_array().unwrap().len(), 1);
    for row in ours(&report) {
        assert_eq!(row["status"], "ok", "{row}");
        let warnings = row["warnings"].to_string();
        assert!(warnings.contains("1 of 10501 payloads do not fit"), "{warnings}");
        assert!(warnings.contains("standard input:10501"), "{warnings}");
    }
    assert_eq!(row(&report, "json")["size_bytes"], 10_500 * 19);
    assert_eq!(row(&report, "msgpack")["size_bytes"], 10_500 * 12);
}

#[test]
fn a_large_file_is_read_twice_completely() {
    let folder = Folder::new();
    let line = format!("{{\"text\":\"{}\"}}\n", "x".repeat(1_000));
    let mut text = line.repeat(17_000);
    text.push_str("{\"late\":1}\n");
    let file = folder.file("large.ndjson", &text);
    let run = manywire(&["weigh", &file, "--sizes-only", "--coding", "none", "--json", "-"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_eq!(report["payload_count"], 17_001);
    assert_eq!(row(&report, "json")["size_bytes"], text.len() - 17_001);
    assert!(
        ours(&report)
            .iter()
            .all(|row| row["status"] == "ok" && row["warnings"] == serde_json::json!([]))
    );
}

#[test]
fn payloads_unlike_the_others_are_reported() {
    let mut text = String::new();
    for index in 0..40 {
        text.push_str(&format!("{{\"id\":{index},\"only_{index}\":true,\"f\":1}}\n"));
    }
    let folder = Folder::new();
    let file = folder.file("varied.ndjson", &text);
    let run = manywire(&["weigh", &file, "--sizes-only", "--formats", "json", "--json", "-"]);
    let hold_out = run.json()["hold_out"].clone();
    assert_eq!(hold_out["inferred_from"], 32, "{hold_out}");
    let held = hold_out["fitting"].as_u64().unwrap()
        + hold_out["misfits"].as_array().unwrap().len() as u64;
    assert_eq!(held, 8, "{hold_out}");
}

#[test]
fn the_names_of_streams_are_the_same_everywhere() {
    let folder = Folder::new();
    let lines = folder.file("a.ndjson", "{\"a\": 1}\n{\"a\": 2}\n");
    for row in manywire_format::FORMS.iter().filter(|row| !row.form.needs_schema()) {
        for name in row.aliases.iter().chain([&row.name]) {
            let converted = manywire_bytes(&["convert", &lines, "--to", name], b"");
            assert_eq!(converted.code, Some(0), "{name}: {}", converted.stderr);
            let explained = manywire_bytes(&["explain", "-", "--from", name], &converted.stdout);
            let text = String::from_utf8_lossy(&explained.stdout);
            assert!(text.contains("2 values, "), "{name}: {text}");
            let weigh = ["weigh", "--from", name, "-", "--sizes-only", "--json", "-"];
            let weighed = manywire_reading(&weigh, &converted.stdout);
            assert_eq!(weighed.json()["payload_count"], 2, "{name}: {}", weighed.stderr);
        }
    }
}

#[test]
fn the_payloads_of_a_stream_are_named_and_counted() {
    let folder = Folder::new();
    // The values 1, [2] and {} in sequence.
    for (name, bytes) in [
        ("a.msgpack", &b"\x01\x91\x02\x80"[..]),
        ("a.cborseq", b"\x01\x81\x02\xa0"),
        ("a.json", b"1 [2]\n\n{}"),
    ] {
        let file = folder.file(name, bytes);
        let json = ["--sizes-only", "--each", "--formats", "json", "--json", "-"];
        let run = manywire(&[&["weigh", &file], &json[..]].concat());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{name}");
        let report = run.json();
        let of = |key: &'static str| {
            let payloads = report["payloads"].as_array().unwrap().iter();
            payloads.map(move |payload| payload[key].clone()).collect::<Vec<_>>()
        };
        let names = [1, 2, 3].map(|number| format!("{name} #{number}"));
        assert_eq!(of("name"), names, "{name}");
        let json = name == "a.json";
        assert_eq!(of("bytes"), [1, if json { 3 } else { 2 }, if json { 2 } else { 1 }], "{name}");
    }
    // The values before an invalid one are measured, and the error has its position.
    let broken = folder.file("b.msgpack", b"\x01\x91\x02\xc1");
    let run = manywire(&["weigh", &broken, "--sizes-only", "--json", "-"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("b.msgpack: byte 3: value 3: "), "{}", run.stderr);
    assert_eq!(run.json()["payload_count"], 2);
}

/// Returns the arguments that print the sizes of an input in JSON.
fn sizes_of(input: &str) -> [&str; 7] {
    ["weigh", input, "--sizes-only", "--formats", "json", "--json", "-"]
}

/// The first lines show one value each. Later values may have several lines, and a line several
/// values, as in the other commands.
#[test]
fn json_that_begins_with_lines_is_read_to_its_end() {
    let folder = Folder::new();
    let long = format!("[\n{}1]\n", "1,\n".repeat(200_000));
    let text = format!("[1]\n[2]\n\n[\n3\n]\n[4] [5]\n{long}[6\n]");
    let file = folder.file("a.json", &text);
    let converted = manywire(&["convert", &file, "--to", "ndjson"]);
    assert_eq!((converted.code, converted.stdout.lines().count()), (Some(0), 7));
    let each = manywire(&[&sizes_of(&file)[..], &["--each"]].concat());
    assert_eq!((each.code, each.stderr.as_str()), (Some(0), ""));
    let report = each.json();
    let payloads = report["payloads"].as_array().expect("payloads").iter();
    let names: Vec<&str> = payloads.map(|it| it["name"].as_str().expect("a name")).collect();
    // Payloads with one name would be one in the tables.
    let places = ["1", "2", "4", "7", "7 #2", "8", "200010"];
    assert_eq!(names, places.map(|place| format!("a.json:{place}")));
    // Standard input is read in chunks.
    let streamed = manywire_reading(&sizes_of("-"), text.as_bytes());
    assert_eq!((streamed.code, streamed.stderr.as_str()), (Some(0), ""));
    assert_eq!(streamed.json()["payload_count"], 7);
    assert_eq!(row(&streamed.json(), "json")["size_bytes"], row(&report, "json")["size_bytes"]);
}

#[test]
fn an_invalid_line_of_json_does_not_affect_the_next() {
    let folder = Folder::new();
    let text = "[1]\n{\"a\":}\n{\"b\"\n[2]\n{\n\"a\": ,\n}\n[3]\n{\"c\"\n";
    let file = folder.file("a.json", text);
    let read = manywire(&sizes_of(&file));
    let streamed = manywire_reading(&sizes_of("-"), text.as_bytes());
    for (run, name) in [(read, "a.json"), (streamed, "standard input")] {
        assert_eq!(run.code, Some(1), "{name}: {}", run.stderr);
        assert_eq!(run.json()["payload_count"], 3, "{name}: {}", run.stderr);
        // The value that begins in line 5 is invalid in line 6.
        for place in ["2:6", "3:5", "6:6", "7:1", "9:5"] {
            let error = format!("{name}:{place}: ");
            assert!(run.stderr.contains(&error), "{error} {}", run.stderr);
        }
    }
}

/// Returns the output of `convert` for a file, compressed.
fn packed(file: &str, to: &str, name: &str, folder: &Folder) -> String {
    let path = format!("{}/{name}", folder.path());
    let run = manywire(&["convert", file, "--to", to, "--output", &path]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    path
}

#[test]
fn compressed_payloads_are_read_from_every_input() {
    let folder = Folder::new();
    let coded = Folder::new();
    let lines = folder.file("a.ndjson", "{\"a\":1}\n{\"a\":22}\n");
    let sizes = ["--sizes-only", "--formats", "json", "--json", "-"];
    for coding in ["gz", "zst", "br"] {
        let file = packed(&lines, "ndjson", &format!("a.ndjson.{coding}"), &coded);
        let each = manywire(&[&["weigh", &file, "--each"], &sizes[..]].concat());
        assert_eq!(each.code, Some(0), "{coding}: {}", each.stderr);
        let report = each.json();
        assert_eq!(report["payloads"][1]["name"], format!("a.ndjson.{coding}:2"));
        assert_eq!(report["payloads"][1]["bytes"], 8, "{coding}");
        // A file of any length is read in chunks without `--each`, with the same result.
        let stream = manywire(&[&["weigh", &file], &sizes[..]].concat()).json();
        assert_eq!(row(&stream, "json")["size_bytes"], row(&report, "json")["size_bytes"]);
        let bytes = std::fs::read(&file).expect("the file");
        let piped = manywire_reading(&[&["weigh", "-"], &sizes[..]].concat(), &bytes);
        // Brotli has no magic number, so brotli data from a pipe is not recognised.
        assert_eq!(piped.code == Some(0), coding != "br", "{coding}: {}", piped.stderr);
    }
    let all = manywire(&[&["weigh", &coded.path(), "--each"], &sizes[..]].concat());
    assert_eq!(all.json()["payload_count"], 6, "{}", all.stderr);
    let broken = coded.file("b.json.gz", b"\x1f\x8b\x08\x00");
    let run = manywire(&[&["weigh", &broken, "--each"], &sizes[..]].concat());
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("b.json.gz: "), "{}", run.stderr);
    let archive = std::fs::read(crate::run::example("shop.har")).expect("the example");
    let har = folder.file("shop.json", archive);
    let har = packed(&har, "json", "shop.har.gz", &coded);
    assert_eq!(manywire(&[&["weigh", &har], &sizes[..]].concat()).json()["payload_count"], 6);
}

#[test]
fn payloads_that_decompress_too_much_are_refused() {
    let folder = Folder::new();
    let line = format!("{{\"text\":\"{}\"}}\n", "x".repeat(2_000));
    let lines = folder.file("a.ndjson", line.repeat(4_000));
    let file = packed(&lines, "ndjson", "a.ndjson.gz", &folder);
    let sizes = ["weigh", &file, "--sizes-only", "--coding", "none", "--json", "-"];
    let held = manywire(&[&sizes[..], &["--each"]].concat());
    assert_eq!(held.code, Some(1), "{}", held.stderr);
    assert!(held.stderr.contains("more than 200 to one: if it is meant to"), "{}", held.stderr);
    // A file that is read line by line may have any length.
    let run = manywire(&sizes);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.json()["payload_count"], 4_000);
    assert_eq!(row(&run.json(), "json")["size_bytes"], 4_000 * 2_011);
}
