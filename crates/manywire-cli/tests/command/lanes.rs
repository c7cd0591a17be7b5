//! Lanes that are missing, do not build, crash, hang or send invalid output: the exit code reports
//! the failure, and the other rows are completed.

use std::collections::BTreeSet;

use crate::lane_folder::{Lanes, PYTHON};
use crate::run::{Folder, Run, bytes_of, example, manywire};
use crate::serve::Server;

/// The only subject of every lane in these tests.
const SUBJECT: &str = r#"{"library":"x","version":"1","format":"json","target":"dynamic"}"#;

/// Returns a frame as an argument of the shell's printf.
pub(crate) fn frame(text: &str) -> String {
    let octal: String =
        (text.len() as u32).to_be_bytes().iter().map(|byte| format!("\\{byte:03o}")).collect();
    format!("printf '{octal}{text}'")
}

pub(crate) fn describe(lane: &str) -> String {
    describe_with(lane, "")
}

/// Returns the description of a lane with more subjects after the first one.
pub(crate) fn describe_with(lane: &str, more: &str) -> String {
    frame(&format!(
        r#"{{"ok":{{"contract":1,"lane":"{lane}","runtime":"sh 1","subjects":[{SUBJECT}{more}]}}}}"#
    ))
}

pub(crate) fn weigh(lanes: &Lanes, names: &str) -> Run {
    let file = example("user.json");
    let run = lanes.run(&["weigh", &file, "--sizes-only", "--lanes", names, "--json", "-"]);
    // The rows of our own codecs exist regardless of the lanes.
    assert_eq!(crate::run::row(&run.json(), "msgpack")["status"], "ok", "{}", run.stderr);
    run
}

/// Returns the note of a lane in a report, which is the only one of its name.
pub(crate) fn note(run: &Run, lane: &str) -> serde_json::Value {
    let report = run.json();
    let notes = report["lanes"].as_array().expect("lanes").iter();
    let notes: Vec<_> = notes.filter(|note| note["lane"] == lane).collect();
    assert_eq!(notes.len(), 1, "{lane}: {}", report["lanes"]);
    notes[0].clone()
}

/// Returns the status of a lane's row.
fn status(run: &Run, lane: &str) -> String {
    let report = run.json();
    let rows = report["rows"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["lane"] == lane);
    row.unwrap_or_else(|| panic!("no row of {lane}"))["status"].as_str().expect("text").to_owned()
}

#[test]
fn a_missing_toolchain_is_skipped_unless_named() {
    let lanes = Lanes::new();
    lanes.add_shell("absent", "no-such-program", "true", "exit 0");
    let run = weigh(&lanes, "all");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("absent skipped: no-such-program: not found in PATH; install"));
    let status = note(&run, "absent")["status"].clone();
    assert!(status.as_str().is_some_and(|text| text.starts_with("skipped: ")), "{status}");
    assert_eq!(weigh(&lanes, "absent").code, Some(5));
    let listed = lanes.run(&["lanes"]);
    assert_eq!(listed.code, Some(0));
    assert!(listed.stdout.contains("absent (absent): missing"), "{}", listed.stdout);
    assert_eq!(lanes.run(&["lanes", "build", "absent"]).code, Some(5));
}

/// Returns the libraries of the rows of a lane.
fn libraries(report: &serde_json::Value, lane: &str) -> BTreeSet<String> {
    let rows = report["rows"].as_array().expect("rows").iter();
    let of_lane = rows.filter(|row| row["lane"] == lane);
    of_lane.map(|row| row["library"].as_str().expect("text").to_owned()).collect()
}

#[test]
fn the_lane_rust_takes_the_place_of_the_built_in_lane() {
    let lanes = Lanes::new();
    lanes.add_python("rust", "none");
    lanes.add_python("one", "none");
    let file = example("user.json");
    let arguments = ["weigh", &file, "--sizes-only", "--lanes", "one,rust", "--json", "-"];
    let run = lanes.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_eq!(libraries(&report, "rust"), ["flat", "json"].map(str::to_owned).into());
    assert_eq!(report["rows"][0]["lane"], "rust", "Rust comes first");
    assert!(note(&run, "rust")["runtime"].as_str().is_some_and(|it| it.starts_with("Python")));
    assert_eq!(report["notes"], serde_json::json!([]));
}

#[test]
fn lanes_take_part_in_sizes_of_compressed_payloads() {
    let lanes = Lanes::new();
    lanes.add_python("one", "none");
    let (folder, user) = (Folder::new(), example("user.json"));
    let packed = bytes_of(&["convert", &user, "--to", "json", "--coding", "gzip"]);
    let file = folder.file("user.json.gz", packed);
    let run = lanes.run(&["weigh", &file, "--sizes-only", "--lanes", "one", "--json", "-"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(libraries(&run.json(), "one"), ["flat", "json"].map(str::to_owned).into());
}

#[test]
fn the_built_in_lane_stays_if_the_lane_rust_is_skipped() {
    let lanes = Lanes::new();
    lanes.add_shell("rust", "no-such-program", "true", "exit 0");
    for (names, code) in [("all", 0), ("rust", 5)] {
        let run = weigh(&lanes, names);
        assert_eq!(run.code, Some(code), "{names}: {}", run.stderr);
        assert!(run.stderr.contains("lane rust skipped: no-such-program: not found in PATH"));
        assert_eq!(note(&run, "rust")["status"], "ok");
        let report = run.json();
        assert!(libraries(&report, "rust").contains("manywire"));
        let why = report["notes"][0].as_str().expect("a note");
        assert!(
            why.starts_with("Rust has the rows of the built-in lane alone, because the lane rust was skipped: no-such-program: not found"),
            "{why}"
        );
    }
}

#[test]
fn a_failing_build_shows_its_output() {
    let lanes = Lanes::new();
    lanes.add_shell("unbuildable", "sh", "echo out of luck >&2; exit 3", "exit 0");
    let run = weigh(&lanes, "unbuildable");
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(run.stderr.contains("exit status: 3: out of luck"), "{}", run.stderr);
    assert_eq!(weigh(&lanes, "all").code, Some(0));
    let built = lanes.run(&["lanes", "build"]);
    assert_eq!((built.code, built.stdout.contains("out of luck")), (Some(5), true));
}

#[test]
fn a_broken_lane_does_not_stop_others() {
    let hello = describe("sick");
    for (script, expected) in [
        ("echo out of luck >&2; exit 3".to_owned(), "crashed: exit status: 3: out of luck"),
        ("kill -9 $$".to_owned(), "crashed: signal 9"),
        (format!("{hello}; echo bad >&2; exit 1"), "crashed: exit status: 1: bad"),
        ("exec sleep 60".to_owned(), "hung: no answer within 2"),
        (format!("{hello}; exec sleep 60"), "hung: no answer within 2"),
        ("exec yes".to_owned(), "a frame that claims"),
        ("echo hello world".to_owned(), "invalid answer"),
        (frame("{}"), "invalid answer: the answer to \"describe\""),
        (describe("other"), "the lane reports the name \"other\", expected \"sick\""),
        (format!("{hello}; {}", frame("17")), "invalid answer"),
    ] {
        let lanes = Lanes::new();
        lanes.add_shell("sick", "sh", "true", &script);
        let run = weigh(&lanes, "sick");
        assert_eq!(run.code, Some(4), "{script}: {}", run.stderr);
        let status = status(&run, "sick");
        assert!(status.contains(expected), "{script}: {status}");
    }
}

#[test]
fn errors_of_a_lane_are_results() {
    let lanes = Lanes::new();
    let refuses = frame(r#"{"error":"no room"}"#);
    lanes.add_shell(
        "coy",
        "sh",
        "true",
        &format!("{}; {}; {refuses}; cat > /dev/null", describe("coy"), frame(r#"{"ok":{}}"#)),
    );
    let run = weigh(&lanes, "coy");
    assert_eq!((run.code, status(&run, "coy").as_str()), (Some(0), "no room"), "{}", run.stderr);
    assert_eq!(note(&run, "coy")["runtime"], "sh 1");
}

/// JavaScript rounds integers beyond 2^53, which is a loss of its values and no fault of a library.
#[test]
fn integers_that_a_runtime_rounds_are_losses_with_their_path() {
    let lanes = Lanes::new();
    lanes.add_python("one", "has doubles only");
    let payload = format!("{}/large.json", lanes.path());
    std::fs::write(&payload, r#"{"a":9007199254740993,"b":5}"#).expect("a file");
    let run = lanes.run(&["weigh", &payload, "--sizes-only", "--lanes", "one", "--json", "-"]);
    assert_eq!((run.code, status(&run, "one").as_str()), (Some(0), "ok"), "{}", run.stderr);
    let report = run.json();
    let rows = report["rows"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["lane"] == "one" && row["format"] == "json");
    let losses = &row.expect("a row")["fidelity"];
    assert_eq!(losses[0]["path"], "$.a", "{losses}");
    assert_eq!(losses[0]["lost"], "an integer came back changed");
    assert_eq!(losses.as_array().map(Vec::len), Some(1));
}

#[test]
fn each_named_lane_has_rows() {
    let lanes = Lanes::new();
    let names = ["first", "second", "third"];
    for name in names {
        let refuses = frame(r#"{"error":"no room"}"#);
        let script =
            format!("{}; {}; {refuses}; cat > /dev/null", describe(name), frame(r#"{"ok":{}}"#));
        lanes.add_shell(name, "sh", "true", &script);
    }
    // Each lane must have a row for each of three groups: each payload, and both together.
    let (one, other) = (example("user.json"), example("hotels.json"));
    let flags = ["--each", "--sizes-only", "--lanes", "third,first,second", "--json", "-"];
    let run = lanes.run(&[&["weigh", &one, &other][..], &flags].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    let rows = report["rows"].as_array().expect("rows");
    for name in names {
        let count = rows.iter().filter(|row| row["lane"] == name).count();
        assert_eq!(count, 3, "rows of {name}");
    }
}

#[test]
fn the_note_on_a_library_is_beside_its_times() {
    let lanes = Lanes::new();
    lanes.add_python("one", "none");
    let manifest = format!("{}/one/lane.toml", lanes.path());
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let noted = text.replace("library = \"json\"", "library = \"json\"\nnote = \"it is slow\"");
    std::fs::write(&manifest, noted).expect("a file");
    let user = example("user.json");
    let weigh = ["weigh", &user, "--formats", "json", "--coding", "none", "--lanes", "one"];
    let timed = lanes.run(&[&weigh[..], &["--quick", "--time-limit", "0.1"]].concat());
    assert_eq!(timed.code, Some(0), "{}", timed.stderr);
    let note = "  warning: one: json by json, dynamic: it is slow\n";
    assert_eq!(timed.stdout.matches(note).count(), 1, "{}", timed.stdout);
    let sizes = lanes.run(&[&weigh[..], &["--sizes-only"]].concat());
    assert!(!sizes.stdout.contains("it is slow"), "{}", sizes.stdout);
}

#[test]
fn a_round_trip_that_changes_data_is_a_broken_subject() {
    let ok = frame(r#"{"ok":{}}"#);
    let digests = frame(r#"{"ok":{"digests":["0"]}}"#);
    let payload = std::fs::read_to_string(example("user.json")).expect("an example");
    let written = format!("{}; {}", frame(r#"{"ok":{"payloads":1}}"#), frame(&payload));
    let lanes = Lanes::new();
    let script = format!(
        "{}; {ok}; {ok}; {digests}; {written}; {ok}; {digests}; cat > /dev/null",
        describe("liar")
    );
    lanes.add_shell("liar", "sh", "true", &script);
    let run = weigh(&lanes, "liar");
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(status(&run, "liar").contains("digests differ"), "{}", status(&run, "liar"));
}

#[test]
fn a_malformed_manifest_has_the_error_position() {
    let lanes = Lanes::new();
    lanes.add_shell("odd", "sh", "true", "exit 0");
    let folder = format!("{}/odd", lanes.path());
    std::fs::write(format!("{folder}/failing.txt"), "# known\nx json\n").expect("a file");
    let run = lanes.run(&["lanes"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("lanes/odd/failing.txt:2: no reason; expected `library format"));
    std::fs::write(format!("{folder}/lane.toml"), "name = 7").expect("a file");
    assert!(
        lanes.run(&["lanes"]).stderr.contains("lanes/odd/lane.toml: TOML parse error at line 1")
    );
}

#[test]
fn unknown_lane_names_are_a_usage_error() {
    let lanes = Lanes::new();
    lanes.add_shell("one", "sh", "true", "exit 0");
    let file = example("user.json");
    for (names, message) in
        [("two", "no lane \"two\"; there are one"), ("all,one", "write all, or names")]
    {
        let run = lanes.run(&["weigh", &file, "--lanes", names]);
        assert_eq!(run.code, Some(2), "{names}");
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}

#[test]
fn the_lanes_are_listed_as_json() {
    let lanes = Lanes::new();
    lanes.add_shell("one", "sh", "true", "exit 0");
    let listed = lanes.run(&["lanes", "--json"]).json();
    let lane = &listed["lanes"][0];
    assert_eq!((&lane["name"], &lane["state"]), (&"one".into(), &"buildable".into()));
    assert_eq!(lane["subjects"][0]["operations"], serde_json::json!(["encode", "decode"]));
    assert_eq!(lanes.run(&["lanes", "build"]).code, Some(0));
    assert_eq!(lanes.run(&["lanes", "--json"]).json()["lanes"][0]["state"], "ready");
}

#[test]
fn the_list_names_each_library_once() {
    let lanes = Lanes::new();
    let subject = |library: &str, format: &str| {
        format!(
            "[[subject]]\nlibrary = {library:?}\nformats = [{format:?}]\ntargets = [\"dynamic\"]\n"
        )
    };
    // The lane has `x` for JSON already.
    let more = subject("y", "json") + &subject("x", "cbor") + &subject("y", "cbor");
    lanes.add_shell_with("one", "sh", "true", "exit 0", &more);
    let listed = lanes.run(&["lanes"]);
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    assert!(listed.stdout.contains("\n  weighs x, y\n"), "{}", listed.stdout);
}

#[test]
fn lanes_check_refuses_a_library_that_writes_fewer_payloads() {
    let lanes = Lanes::new();
    lanes.add_python("whole", "none");
    lanes.add_python("short", "forgets the last payload");
    let file = format!("{}/lines.ndjson", lanes.path());
    std::fs::write(&file, "{\"a\":\"b\"}\n{\"a\":\"c\"}\n").expect("a file");
    let run = lanes.run(&["lanes", "check", &file]);
    assert_eq!(run.code, Some(4), "{}\n{}", run.stderr, run.stdout);
    // A library of the lane `short` counts neither as a writer nor as a reader.
    assert!(run.stdout.contains("json: 2 of 2 pairs agree (2 wrote, 1 read)\n"), "{}", run.stdout);
    for subject in ["json json", "flat protobuf"] {
        let refused = format!("  short {subject} dynamic: wrote 1 payloads of 2\n");
        assert!(run.stdout.contains(&refused), "{}", run.stdout);
    }
    // The lane without the fault passes.
    let whole = lanes.run(&["lanes", "check", &file, "--lanes", "whole"]);
    assert_eq!(whole.code, Some(0), "{}\n{}", whole.stderr, whole.stdout);
}

/// A lane whose only library keeps BSON documents as bytes. With the argument `changes`, it changes
/// the last byte of the value in the second payloads that its process reads.
const KEEPER: &str = r#"
import json, struct, sys
loads, kept = 0, []


def read():
    head = sys.stdin.buffer.read(4)
    return sys.stdin.buffer.read(struct.unpack(">I", head)[0]) if head else None


while (frame := read()) is not None:
    asked = json.loads(frame)
    verb, answer, frames = asked["verb"], {"ok": {}}, []
    following = [read() for _ in range(asked.get("payloads", 1 if verb == "schema" else 0))]
    if verb == "describe":
        subject = {"library": "keeper", "version": "1", "format": "bson", "target": "dynamic"}
        answer = {"ok": {"contract": 1, "lane": "one", "runtime": "Python 3", "subjects": [subject]}}
    elif verb == "load":
        loads, kept = loads + 1, following
    elif verb == "encode":
        is_changed = sys.argv[1] == "changes" and loads == 2
        frames = [each[:-2] + b"\xff\0" if is_changed else each for each in kept]
        answer = {"ok": {"payloads": len(frames)}}
    elif verb == "digest":
        answer = {"error": "an extension has no digest"}
    for each in [json.dumps(answer).encode(), *frames]:
        sys.stdout.buffer.write(struct.pack(">I", len(each)) + each)
    sys.stdout.buffer.flush()
"#;

/// Returns a folder with the lane `one`, whose process has this argument.
fn keeper(argument: &str) -> Lanes {
    let lanes = Lanes::new();
    let manifest = format!(
        r#"answer_limit_s = 30
run = ["python3", "lane.py", "{argument}"]
{PYTHON}[[subject]]
library = "keeper"
formats = ["bson"]
targets = ["dynamic"]
reference = true
"#
    );
    lanes.add("one", &manifest, ("lane.py", KEEPER));
    lanes
}

/// A BSON document is a record or a list, so no number can be compared.
#[test]
fn lanes_check_names_formats_that_cannot_hold_the_payload() {
    let lanes = keeper("keeps");
    let file = format!("{}/number.json", lanes.path());
    std::fs::write(&file, "1").expect("a file");
    let run = lanes.run(&["lanes", "check", &file]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.stderr, run.stdout);
    assert!(run.stdout.starts_with("bson: not checked: "), "{}", run.stdout);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
}

/// An ObjectId has no digest. Libraries that keep it agree, and one that changes it does not.
#[test]
fn lanes_check_compares_values_without_a_digest() {
    let id = b"\x15\0\0\0\x07id\0abcdefghijkl\0";
    for (argument, code, agreed) in [("keeps", 0, 2), ("changes", 4, 1)] {
        let lanes = keeper(argument);
        let file = format!("{}/id.bson", lanes.path());
        std::fs::write(&file, id).expect("a file");
        let run = lanes.run(&["lanes", "check", &file]);
        assert_eq!(run.code, Some(code), "{argument}: {}\n{}", run.stderr, run.stdout);
        let pairs = format!("bson: {agreed} of 2 pairs agree (2 wrote, 1 read)\n");
        assert!(run.stdout.contains(&pairs), "{argument}: {}", run.stdout);
        let subject = "one keeper bson dynamic";
        let differs = format!("  {subject} reading {subject}: the decoded value differs: $.id: ");
        assert_eq!(run.stdout.contains(&differs), agreed == 1, "{argument}: {}", run.stdout);
    }
}

/// A subject that is listed as failing has to fail. A pair may fail on other payloads only.
#[test]
fn lanes_check_names_listed_failures_that_pass() {
    let lanes = Lanes::new();
    lanes.add_python("one", "none");
    let listed = format!("{}/one/failing.txt", lanes.path());
    let passing = "  one json json dynamic reading manywire: listed as \"it rounds\" in failing.txt, but it passes with these payloads\n";
    let stale = "  one json json dynamic: listed as \"it rounds\" in failing.txt, but it passes: remove the line\n";
    for (line, code, expected) in [
        ("json json dynamic reading manywire: it rounds", 0, passing),
        ("json json dynamic: it rounds", 4, stale),
        // Nothing of this library was read.
        ("json json dynamic reading absent: it rounds", 0, ""),
    ] {
        std::fs::write(&listed, format!("{line}\n")).expect("a file");
        let run = lanes.run(&["lanes", "check", &example("user.json")]);
        assert_eq!(run.code, Some(code), "{line}: {}\n{}", run.stderr, run.stdout);
        let lines = run.stdout.split_inclusive('\n');
        let found: String = lines.filter(|line| line.contains("failing.txt")).collect();
        assert_eq!(found, expected, "{line}");
    }
}

/// A line may stand for several subjects. One of these fails on a record in a record.
#[test]
fn lanes_check_names_a_line_only_if_all_its_subjects_pass() {
    let lanes = Lanes::new();
    lanes.add_python("one", "none");
    std::fs::write(format!("{}/one/failing.txt", lanes.path()), "* * dynamic: it rounds\n")
        .expect("a file");
    let nested = format!("{}/nested.json", lanes.path());
    std::fs::write(&nested, r#"{"a":{"b":1}}"#).expect("a file");
    let stale = "  one json json dynamic, one flat protobuf dynamic: listed as \"it rounds\" in failing.txt, but it passes: remove the line\n";
    for (file, code, expected) in [(example("user.json"), 4, stale), (nested, 0, "")] {
        let run = lanes.run(&["lanes", "check", &file]);
        assert_eq!(run.code, Some(code), "{file}: {}\n{}", run.stderr, run.stdout);
        let lines = run.stdout.split_inclusive('\n');
        let found: String = lines.filter(|line| line.contains("failing.txt")).collect();
        assert_eq!(found, expected, "{file}");
        assert_eq!(run.stdout.contains("(known: it rounds)"), code == 0, "{}", run.stdout);
    }
}

#[test]
fn lanes_check_takes_all_kinds_of_inputs() {
    let lanes = Lanes::new();
    lanes.add_shell("absent", "no-such-program", "true", "exit 0");
    let packed = format!("{}/people.ndjson.gz", lanes.path());
    let people = ["convert", &example("people.json"), "--to", "ndjson", "-o", &packed];
    assert_eq!(manywire(&people).code, Some(0));
    let server = Server::start(&[&example("user.json")]);
    let url = format!("http://{}/user", server.address);
    let endpoint = ["--endpoint", "GET /v1/prices"];
    for input in [&[packed.as_str()][..], &[&url], &[&url, "--from", "cbor"]] {
        let run = lanes.run(&[&["lanes", "check"], input].concat());
        assert_eq!(run.code, Some(0), "{input:?}: {}", run.stderr);
        assert!(run.stderr.contains("lane absent skipped"), "{}", run.stderr);
    }
    let run = lanes.run(&[&["lanes", "check", &example("shop.har")], &endpoint[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("shop.har: 6 taken"), "{}", run.stderr);
    let gone = lanes.run(&["lanes", "check", &format!("{url}s")]);
    assert_eq!(gone.code, Some(1));
    assert!(gone.stderr.contains("the server responded with 404 Not Found"), "{}", gone.stderr);
    let proto = lanes.run(&["lanes", "check", &url, "--from", "protobuf"]);
    assert_eq!(proto.code, Some(2));
    assert!(proto.stderr.contains("--from: protobuf has neither the names"), "{}", proto.stderr);
}
