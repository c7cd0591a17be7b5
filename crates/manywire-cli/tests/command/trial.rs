//! End to end between lanes that work, and beside lanes that do not.

use serde_json::Value;

use crate::run::{Folder, Run, example, manywire_with};
use crate::serve::Server;

/// A folder of lanes that are one script, with a fault each.
struct Lanes {
    folder: Folder,
}

impl Lanes {
    /// `None`, and said so, where the script cannot run.
    fn of(lanes: &[(&str, &str)]) -> Option<Lanes> {
        if std::process::Command::new("python3").arg("--version").output().is_err() {
            eprintln!("skipped: no python3");
            return None;
        }
        let folder = Folder::new();
        for (name, fault) in lanes {
            let path = format!("{}/{name}", folder.path());
            std::fs::create_dir_all(&path).expect("a folder");
            let manifest = format!(
                r#"
name = "{name}"
title = "{name}"
warm_up_ms = 1
answer_limit_s = 3
run = ["python3", "lane.py", "{name}", "{fault}"]
[[toolchain]]
program = "python3"
version = ["--version"]
minimum = "3"
how = "install Python 3"
[[subject]]
library = "json"
formats = ["json"]
targets = ["dynamic"]
reference = true
"#
            );
            std::fs::write(format!("{path}/lane.toml"), manifest).expect("a file");
            std::fs::write(format!("{path}/lane.py"), include_str!("trial_lane.py"))
                .expect("a file");
        }
        Some(Lanes { folder })
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.ask(&[&[example("user.json").as_str()], arguments].concat())
    }

    fn ask(&self, arguments: &[&str]) -> Run {
        let folder = self.folder.path();
        let cache = format!("{folder}/cache");
        let words = [&["trial", "--quick"], arguments].concat();
        manywire_with(&words, &[("MANYWIRE_LANES", &folder), ("MANYWIRE_CACHE", &cache)])
    }
}

fn assert_valid(report: &Value) {
    let path = format!("{}/../../docs/trial.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = std::fs::read_to_string(path).expect("the schema");
    let schema = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let errors: Vec<String> = validator
        .iter_errors(report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(errors, Vec::<String>::new());
}

fn pair<'a>(report: &'a Value, client: &str, server: &str) -> &'a Value {
    let pairs = report["pairs"].as_array().expect("pairs");
    let pair = pairs.iter().find(|pair| pair["client"] == client && pair["server"] == server);
    pair.unwrap_or_else(|| panic!("no pair {client} and {server}"))
}

#[test]
fn the_four_meters_of_a_pair_are_reported_and_add_up() {
    let Some(lanes) = Lanes::of(&[("one", "none")]) else { return };
    let run = lanes.run(&["--lanes", "one", "--formats", "json", "--launches", "2", "--json", "-"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_valid(&report);
    let row = &pair(&report, "one", "one")["rows"][0];
    assert_eq!((&row["status"], &row["verdict"]), (&"ok".into(), &"reference".into()));
    let value = |name: &str| row[name]["value"].as_f64().unwrap_or_else(|| panic!("no {name}"));
    let [transport, endpoint, processing, end_to_end] =
        ["transport_ns", "endpoint_ns", "processing_ns", "end_to_end_ns"].map(value);
    assert!(transport > 0.0 && endpoint > 0.0 && end_to_end > processing);
    let residual = row["residual"]["ns"]["value"].as_f64().expect("a residual");
    // Every figure is a mean over the same launches, so what is left of the means is their mean.
    assert!((end_to_end - endpoint - processing - residual).abs() < 1.0);
    assert!(row["server_cpu_ns"]["end_to_end"]["value"].as_f64().is_some_and(|ns| ns > 0.0));
    assert!(row["client_cpu_ns"]["end_to_end"].is_null(), "what a lane does not tell is no zero");
    let open = &row["latency"][0];
    let requests = open["requests"].as_u64().expect("a count");
    assert!(requests > 0, "{open}");
    // Ten requests must lie beyond it, whatever a busy machine let through.
    assert_eq!(open["percentiles"]["p50"]["ns"].is_null(), requests < 20, "{open}");
    assert!(open["percentiles"]["p99.9"].is_null(), "too few requests for that: {open}");
    assert_eq!(row["body_bytes"], 51);
}

#[test]
fn a_line_between_them_takes_its_time() {
    let Some(lanes) = Lanes::of(&[("one", "none")]) else { return };
    let arguments = [
        "--lanes",
        "one",
        "--formats",
        "json",
        "--link",
        "10mbit/20ms",
        "--launches",
        "1",
        "--json",
        "-",
    ];
    let run = lanes.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_valid(&report);
    assert_eq!(report["link"]["round_trip_ms"], 20.0);
    let row = &pair(&report, "one", "one")["rows"][0];
    let transport = row["transport_ns"]["value"].as_f64().expect("a figure");
    assert!(transport >= 20e6, "{transport} ns over a line of 20 ms");
    // Decoding alone knows nothing of the line.
    assert!(row["processing_ns"]["value"].as_f64().is_some_and(|ns| ns < 5e6));
}

/// Whether lanes with faults, as servers or as clients of one that works, break alone: each with
/// what is said of it.
fn break_alone(faults: &[(&str, &str, &str)], side: &str, other: &str) {
    let all: Vec<(&str, &str)> = std::iter::once(("good", "none"))
        .chain(faults.iter().map(|&(name, fault, _)| (name, fault)))
        .collect();
    let Some(lanes) = Lanes::of(&all) else { return };
    let names: Vec<&str> = all.iter().map(|lane| lane.0).collect();
    let names = names.join(",");
    let run = lanes.run(&[
        "--lanes",
        &names,
        side,
        &names,
        other,
        "good",
        "--formats",
        "json",
        "--launches",
        "1",
        "--json",
        "-",
    ]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    let report = run.json();
    assert_valid(&report);
    assert_eq!(pair(&report, "good", "good")["rows"][0]["status"], "ok");
    for &(name, fault, expected) in faults {
        let sick = if side == "--servers" {
            pair(&report, "good", name)
        } else {
            pair(&report, name, "good")
        };
        let said = format!("{} {}", sick["status"], sick["rows"][0]["status"]);
        assert!(said.contains(expected), "{fault}: {said}");
    }
}

#[test]
fn a_server_gone_wrong_does_not_stop_the_others() {
    let faults = [
        ("a", "dies serving", "crashed: exit status: 3: no port left"),
        ("b", "stale", "expected a body that begins with"),
        ("c", "refuses", "status 500"),
    ];
    break_alone(&faults, "--servers", "--clients");
}

#[test]
fn a_client_gone_wrong_does_not_stop_the_others() {
    let faults = [("a", "hangs asking", "hung"), ("b", "garbles", "no multiple of 8")];
    break_alone(&faults, "--clients", "--servers");
}

#[test]
fn a_service_that_exists_is_asked_for_each_format() {
    let Some(lanes) = Lanes::of(&[("one", "none")]) else { return };
    let server = Server::start(&[&example("user.json")]);
    let url = format!("http://{}/user", server.address);
    let asking = |url: &str, more: &[&str]| {
        let arguments = ["--url", url, "--lanes", "one", "--launches", "1", "--json", "-"];
        lanes.ask(&[&arguments[..], more].concat())
    };
    let run = asking(&url, &["--header", "X-Token: secret", "--formats", "msgpack,json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_valid(&report);
    // The lane has nothing but JSON.
    let row = &pair(&report, "one", &url)["rows"][0];
    assert_eq!((&row["status"], &row["format"]), (&"ok".into(), &"json".into()), "{row}");
    assert_eq!(row["body_bytes"], 51);
    for there in ["endpoint_ns", "end_to_end_ns", "processing_ns", "residual"] {
        assert!(!row[there].is_null(), "{there}: {row}");
    }
    // What goes on inside of it, and how much it can carry, is not found out.
    for unknown in ["server_library", "transport_ns", "encode_ns", "capacity"] {
        assert!(row[unknown].is_null(), "{unknown}: {row}");
    }
    let gone = asking(&format!("{url}s"), &["--formats", "json"]);
    assert_eq!(gone.code, Some(1));
    assert!(gone.stderr.contains("json: the server answered 404"), "{}", gone.stderr);
    let document = format!("http://{}/schema.proto", server.address);
    let other = asking(&document, &["--formats", "json,cbor"]);
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("json: "), "{}", other.stderr);
}

#[test]
fn a_lane_without_http_is_passed_over_and_named() {
    let Some(lanes) = Lanes::of(&[("good", "none"), ("mute", "is mute")]) else { return };
    let run = lanes.run(&["--lanes", "all", "--formats", "json,cbor", "--launches", "1"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("lane mute skipped: it does not serve or ask over HTTP"));
    assert!(run.stdout.contains("client Python 3, http.client · server Python 3, http.server"));
    let run = lanes.run(&["--lanes", "mute"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("no lane to try with: mute skipped"), "{}", run.stderr);
}

#[test]
fn arguments_that_make_no_sense_are_told() {
    let Some(lanes) = Lanes::of(&[("one", "none")]) else { return };
    let url = "http://127.0.0.1:1/";
    for (arguments, message) in [
        (&["--url", "localhost"][..], "--url \"localhost\": expected http:// or https://"),
        (&["--url", url, "--header", "a b: c"], "\"a b\" is no name of a header field"),
        (&["--url", url, "--coding", "gzip"], "cannot be used with"),
    ] {
        let run = lanes.ask(arguments);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    for (arguments, message) in [
        (&["--link", "5g"][..], "write bandwidth and round trip, such as 20mbit/50ms"),
        (&["--lanes", "two"], "no lane \"two\"; there are one"),
        (&["--price", "hour=1"], "--price \"hour=1\": write a name and a number"),
        (&["--lanes", "one", "--clients", "two"], "--clients: \"two\" is not among the lanes"),
    ] {
        let run = lanes.run(arguments);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}
