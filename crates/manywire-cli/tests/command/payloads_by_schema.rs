//! Payloads that need a schema, from the file itself or from `--schema`.

use serde_json::Value;

use crate::run::{Folder, Run, bytes_of, manywire, row};

const SIZES: [&str; 5] = ["--sizes-only", "--coding", "none", "--json", "-"];

/// Two readings of a sensor. The state is an enum in the `.avsc`, which samples cannot show.
const READINGS: &str = concat!(
    r#"{"sensor":"roof","celsius":21.5,"state":"WORKING"}"#,
    "\n",
    r#"{"sensor":"cellar","celsius":12.25,"state":"WORN_OUT"}"#,
    "\n",
);

const AVSC: &str = r#"{"type":"record","name":"Reading","fields":[
    {"name":"sensor","type":"string"},
    {"name":"celsius","type":"double"},
    {"name":"state","type":{"type":"enum","name":"State","symbols":["WORKING","WORN_OUT"]}}]}"#;

const PROTO: &str = r#"syntax = "proto3";
    message Other { bool other = 1; }
    message Reading { string sensor = 1; double celsius = 2; string state = 3; }"#;

fn weigh(arguments: &[&str]) -> Run {
    manywire(&[&["weigh"], arguments, &SIZES[..]].concat())
}

/// Converts the readings with these arguments to a file of this name.
fn readings(folder: &Folder, arguments: &[&str], name: &str) -> String {
    let lines = folder.file("readings.ndjson", READINGS);
    let bytes = bytes_of(&[&["convert", &lines, "-o", "-"], arguments].concat());
    folder.file(name, bytes)
}

fn total(report: &Value) -> u64 {
    let payloads = report["payloads"].as_array().expect("payloads");
    payloads.iter().map(|payload| payload["bytes"].as_u64().expect("bytes")).sum()
}

#[test]
fn an_avro_file_is_measured_by_its_own_schema() {
    let folder = Folder::new();
    let avsc = folder.file("reading.avsc", AVSC);
    for codec in ["null", "deflate"] {
        let to = ["--to", "avro", "--schema", &avsc, "--avro-codec", codec];
        let file = readings(&folder, &to, "readings.avro");
        let run = weigh(&[&file]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{codec}");
        let report = run.json();
        let names: Vec<&Value> =
            report["payloads"].as_array().unwrap().iter().map(|payload| &payload["name"]).collect();
        assert_eq!(names, ["readings.avro #1", "readings.avro #2"]);
        assert!(report["payloads"].as_array().unwrap().iter().all(|it| it["made_from"] == "avro"));
        // The sizes are 5 + 8 + 1 and 7 + 8 + 1 bytes: the state is a number, as in the file.
        assert_eq!(total(&report), 30, "{codec}");
        assert_eq!(row(&report, "avro")["size_bytes"], 30, "{codec}");
        let lines: usize = READINGS.lines().map(str::len).sum();
        assert_eq!(row(&report, "json")["size_bytes"], lines);
        for row in report["rows"].as_array().unwrap() {
            assert_eq!(
                (&row["status"], &row["fidelity"]),
                (&"ok".into(), &"exact".into()),
                "{row}"
            );
        }
    }
}

/// JSON by a `.proto` is ProtoJSON, which has integers of 64 bits and bytes as text. Formats that need
/// no schema have the text.
#[test]
fn json_is_weighed_as_proto_json() {
    let folder = Folder::new();
    let proto = "syntax = \"proto3\"; message A { int64 room_count = 1; bytes data = 2;
                 float f = 3; optional string note = 4; }";
    let proto = folder.file("a.proto", proto);
    let lines = [
        r#"{"roomCount":1,"data":""}"#,
        r#"{"room_count":"300"}"#,
        r#"{"roomCount":null,"data":"AQI=","note":null}"#,
    ];
    let file = folder.file("a.ndjson", lines.join("\n"));
    let run = weigh(&[&file, "--schema", &proto]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let report = run.json();
    let given: usize = lines.iter().map(|line| line.len()).sum();
    assert_eq!(total(&report), given as u64);
    assert_eq!(row(&report, "json")["size_bytes"], given);
    // Numbers of one and two bytes, and two bytes with their length, each after a tag.
    assert_eq!(row(&report, "protobuf")["size_bytes"], 2 + 3 + 4);
    for row in report["rows"].as_array().unwrap() {
        assert_eq!((&row["status"], &row["fidelity"]), (&"ok".into(), &"exact".into()), "{row}");
    }
    // Text that is no base64 is not bytes.
    let invalid = folder.file("b.json", r#"{"data":"?"}"#);
    let report = weigh(&[&invalid, "--schema", &proto]).json();
    let status = row(&report, "protobuf")["status"].as_str().expect("a reason");
    assert!(status.contains("data"), "{status}");
    assert_eq!(row(&report, "json")["status"], "ok");
}

#[test]
fn the_input_form_is_shown_above_the_table() {
    let folder = Folder::new();
    let file = readings(&folder, &["--to", "avro"], "readings.avro");
    let run = manywire(&["weigh", &file, "--sizes-only"]);
    // Below the answer.
    let head = run.stdout.lines().nth(2).unwrap();
    assert!(head.starts_with("2 payloads · "), "{}", run.stdout);
    assert!(head.contains(" bytes of avro as given · "), "{head}");
}

#[test]
fn files_with_different_schemas_are_measured_by_inferred_shape() {
    let folder = Folder::new();
    let avsc = folder.file("reading.avsc", AVSC);
    let by_schema = readings(&folder, &["--to", "avro", "--schema", &avsc], "a.avro");
    let inferred = readings(&folder, &["--to", "avro"], "b.avro");
    let report = weigh(&[&by_schema, &inferred]).json();
    assert_eq!(report["payload_count"], 4);
    // The states are texts without a common schema, as in the second file.
    let texts = weigh(&[&inferred]).json();
    let texts = row(&texts, "avro")["size_bytes"].as_u64().unwrap();
    assert_eq!(row(&report, "avro")["size_bytes"], 2 * texts);
}

#[test]
fn streams_have_the_same_sizes() {
    let folder = Folder::new();
    let avsc = folder.file("reading.avsc", AVSC);
    let file = readings(&folder, &["--to", "avro", "--schema", &avsc], "readings.avro");
    let packed = folder.file("readings.avro.gz", {
        let to = ["--to", "avro", "--schema", &avsc, "--coding", "gzip"];
        let lines = folder.file("readings.ndjson", READINGS);
        bytes_of(&[&["convert", &lines, "-o", "-"], &to[..]].concat())
    });
    let (whole, stream) = (weigh(&[&file]).json(), weigh(&[&packed]).json());
    assert_eq!(stream["payloads"].as_array().unwrap().len(), 1);
    assert_eq!(stream["payloads"][0]["made_from"], "avro");
    assert_eq!(total(&stream), total(&whole));
    for format in ["json", "avro", "protobuf", "cbor"] {
        assert_eq!(
            row(&stream, format)["size_bytes"],
            row(&whole, format)["size_bytes"],
            "{format}"
        );
    }
}

#[test]
fn messages_are_read_by_the_given_schema() {
    let folder = Folder::new();
    let proto = folder.file("reading.proto", PROTO);
    let by = ["--schema", &proto, "--message", "Reading"];
    let to = [&["--to", "protobuf-delimited"], &by[..]].concat();
    let file = readings(&folder, &to, "readings.bin");
    let run = weigh(&[&[file.as_str(), "--from", "protobuf-delimited"], &by[..]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let report = run.json();
    assert_eq!(report["payload_count"], 2);
    assert_eq!(report["payloads"][1]["made_from"], "protobuf-delimited");
    // The length prefixes are not part of the messages.
    assert_eq!(total(&report), row(&report, "protobuf")["size_bytes"].as_u64().unwrap());
    let one = folder.file("one.json", READINGS.lines().next().unwrap());
    let message = bytes_of(&[&["convert", &one, "--to", "protobuf", "-o", "-"], &by[..]].concat());
    for name in ["one.pb", "one.binpb"] {
        let file = folder.file(name, &message);
        let report = weigh(&[&[file.as_str()], &by[..]].concat()).json();
        assert_eq!(report["payloads"][0]["made_from"], "protobuf", "{name}");
        assert_eq!(total(&report), message.len() as u64);
    }
    // A folder may also contain payloads of other forms.
    let mixed = Folder::new();
    mixed.file("one.pb", &message);
    mixed.file("two.json", READINGS.lines().next().unwrap());
    let report = weigh(&[&[mixed.path().as_str()], &by[..]].concat()).json();
    assert_eq!(report["payload_count"], 2);
    assert_eq!(report["payloads"][1]["made_from"], Value::Null);
}

#[test]
fn forms_that_need_a_schema_are_refused_without_one() {
    let folder = Folder::new();
    let file = folder.file("one.pb", b"\x0a\x04roof");
    let run = weigh(&[&file]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains("one.pb: protobuf has neither the names"), "{}", run.stderr);
    assert!(run.stderr.contains("give the schema with --schema"), "{}", run.stderr);
    for command in [&["weigh"][..], &["trial"], &["lanes", "check"]] {
        let run = manywire(&[command, &[&file, "--from", "protobuf"]].concat());
        assert_eq!(run.code, Some(2), "{command:?}");
        assert!(
            run.stderr.contains("--from: protobuf has neither the names"),
            "{command:?}: {}",
            run.stderr
        );
    }
}

#[test]
fn errors_have_positions_and_the_rest_is_measured() {
    let folder = Folder::new();
    let proto = folder.file("reading.proto", PROTO);
    let by = ["--schema", &proto, "--message", "Reading", "--from", "protobuf-delimited"];
    // One message, and one with a text that extends beyond its end.
    let file = folder.file("a.bin", b"\x06\x0a\x04roof\x03\x0a\x04r");
    let run = weigh(&[&[file.as_str()], &by[..]].concat());
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("a.bin: byte "), "{}", run.stderr);
    assert!(run.stderr.contains(": value 2: "), "{}", run.stderr);
    assert!(run.stderr.contains("at $.sensor"), "{}", run.stderr);
    assert_eq!(run.json()["payload_count"], 1);
    let whole = std::fs::read(readings(&folder, &["--to", "avro"], "a.avro")).unwrap();
    let cut = folder.file("cut.avro", &whole[..whole.len() - 20]);
    let run = weigh(&[&cut]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains("cut.avro: byte "), "{}", run.stderr);
    let none = folder.file("none.avro", b"Obj\x02");
    assert!(
        weigh(&[&none]).stderr.contains("none.avro: byte 3: not an Avro container file"),
        "{}",
        weigh(&[&none]).stderr
    );
}

#[test]
fn payloads_that_expand_too_much_are_refused() {
    let folder = Folder::new();
    // A schema contains the name once, and each payload repeats it.
    let name = "n".repeat(4_000);
    let lines = folder.file("a.ndjson", format!("{{\"{name}\":1}}\n").repeat(1_000));
    let avsc = r#"{"type":"record","name":"R","fields":[{"name":"NAME","type":"long"}]}"#;
    let avsc = folder.file("a.avsc", avsc.replace("NAME", &name));
    let to = ["convert", &lines, "--to", "avro", "--schema", &avsc, "-o", "-"];
    let avro = folder.file("a.avro", bytes_of(&to));
    let run = weigh(&[&avro]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("a.avro: payloads made of "), "{}", run.stderr);
    // Payloads that are read one by one have no limit on their number.
    let packed = bytes_of(&[&to[..], &["--coding", "gzip"]].concat());
    let report = weigh(&[&folder.file("a.avro.gz", packed)]).json();
    assert_eq!(report["payload_count"], 1_000);
    assert_eq!(row(&report, "avro")["size_bytes"], 1_000);
}
