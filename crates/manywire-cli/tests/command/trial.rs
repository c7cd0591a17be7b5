//! `trial` with working lanes and with broken ones.

use serde_json::Value;

use crate::lane_folder::Lanes;
use crate::run::{Folder, Run, example};

/// Returns lanes that run the same script with one fault each, or `None` if Python is not
/// installed.
pub(crate) fn lanes_of(lanes: &[(&str, &str)]) -> Option<Lanes> {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: no python3");
        return None;
    }
    let folder = Lanes::new();
    lanes.iter().for_each(|(name, fault)| folder.add_python(name, fault));
    Some(folder)
}

/// Runs a trial with the document of one person.
fn try_user(lanes: &Lanes, arguments: &[&str]) -> Run {
    ask(lanes, &[&[example("user.json").as_str()], arguments].concat())
}

pub(crate) fn ask(lanes: &Lanes, arguments: &[&str]) -> Run {
    lanes.run(&[&["trial", "--quick"], arguments].concat())
}

pub(crate) fn assert_valid(report: &Value) {
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

pub(crate) fn pair<'a>(report: &'a Value, client: &str, server: &str) -> &'a Value {
    let pairs = report["pairs"].as_array().expect("pairs");
    let pair = pairs.iter().find(|pair| pair["client"] == client && pair["server"] == server);
    pair.unwrap_or_else(|| panic!("no pair {client} and {server}"))
}

#[test]
fn the_four_meters_of_a_pair_are_reported_and_add_up() {
    let Some(lanes) = lanes_of(&[("one", "none")]) else { return };
    let run = try_user(
        &lanes,
        &["--lanes", "one", "--formats", "json", "--launches", "2", "--json", "-"],
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_valid(&report);
    let basis = report["cost"]["basis"].as_array().expect("where constants come from");
    let standing = |name: &str| {
        let found = basis.iter().find(|basis| basis["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}"))["standing"].clone()
    };
    assert_eq!(["utilisation", "gigabyte"].map(standing), ["assumed", "published"]);
    let row = &pair(&report, "one", "one")["rows"][0];
    assert_eq!((&row["status"], &row["verdict"]), (&"ok".into(), &"reference".into()));
    let value = |name: &str| row[name]["value"].as_f64().unwrap_or_else(|| panic!("no {name}"));
    let [transport, endpoint, processing, end_to_end] =
        ["transport_ns", "endpoint_ns", "processing_ns", "end_to_end_ns"].map(value);
    assert!(transport > 0.0 && endpoint > 0.0 && end_to_end > processing);
    let residual = row["residual"]["ns"]["value"].as_f64().expect("a residual");
    // Every figure is a mean over the same launches, so the residual of the means is the mean
    // residual.
    assert!((end_to_end - endpoint - processing - residual).abs() < 1.0);
    assert!(row["server_cpu_ns"]["end_to_end"]["value"].as_f64().is_some_and(|ns| ns > 0.0));
    assert!(row["client_cpu_ns"]["end_to_end"].is_null(), "what a lane does not tell is no zero");
    let open = &row["latency"][0];
    let requests = open["requests"].as_u64().expect("a count");
    assert!(requests > 0, "{open}");
    // A percentile needs ten requests beyond it, and a busy machine may complete fewer.
    assert_eq!(open["percentiles"]["p50"]["ns"].is_null(), requests < 20, "{open}");
    assert!(open["percentiles"]["p99.9"].is_null(), "too few requests for that: {open}");
    assert_eq!(row["body_bytes"], 51);
    // Two launches decide nothing, which is said before they are measured.
    assert!(run.stderr.contains("launches of each pair: 2; figures only"), "{}", run.stderr);
    let notes = report["notes"].as_array().expect("notes");
    let few =
        notes.iter().filter(|note| note.as_str().is_some_and(|it| it.contains("decide nothing")));
    assert_eq!(few.count(), 1, "{notes:?}");
    assert!(report["host"]["load"].is_number() || !cfg!(target_os = "linux"), "{}", report["host"]);
    let capacity = &row["capacity"];
    assert!(capacity["limit"].is_string(), "{capacity}");
    // The client has one connection in flight, so further clients were tried.
    let (clients, connections) = (&capacity["client_processes"], &capacity["connections"]);
    assert!(clients.as_u64() <= connections.as_u64() && clients.as_u64() > Some(0), "{capacity}");
}

/// The client is another lane. The lane of the servers is itself a server only if `--servers` names it.
#[test]
fn servers_of_one_lane_are_compared_at_the_same_rate() {
    let Some(lanes) = lanes_of(&[("client", "none")]) else { return };
    let servers = [("bare", "none"), ("framework", "takes 2 ms more")];
    lanes.add_python_with_servers("one", "none", &servers);
    let arguments = ["--formats", "json", "--launches", "2", "--json", "-"];
    let named = ["--lanes", "client", "--servers", "one:bare,one:framework"];
    let run = try_user(&lanes, &[&named[..], &arguments].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_valid(&report);
    assert_eq!(report["pairs"].as_array().expect("pairs").len(), 2);
    let [bare, framework] = report["servers"].as_array().expect("servers").as_slice() else {
        panic!("two rows: {}", report["servers"]);
    };
    assert_eq!((&bare["server"], &bare["verdict"]), (&"one:bare".into(), &"reference".into()));
    assert_eq!(framework["reference"], "one:bare");
    assert_eq!(bare["rate_per_s"], framework["rate_per_s"]);
    let cpu_ns = |row: &Value| row["server_cpu_ns"]["value"].as_f64().expect("CPU time");
    // Two servers may differ by some time themselves, so 2 ms are in one of them, not in between.
    let (more, less) = (cpu_ns(framework), cpu_ns(bare));
    assert!(more >= 2e6 && more > less, "{}", report["servers"]);
    // 2 ms more, where the server alone takes less than 4.
    assert!(framework["ratio"]["value"].as_f64().is_some_and(|ratio| ratio > 1.5), "{framework}");
    assert!(framework.get("verdict").is_none(), "two launches decide nothing: {framework}");
}

#[test]
fn servers_of_one_lane_are_compared_over_each_transport() {
    let Some(lanes) = lanes_of(&[("plain", "has no ZeroMQ")]) else { return };
    lanes.add_python_with_servers("one", "none", &[("zeromq", "takes 2 ms more")]);
    let both = ["--transport", "zeromq,http", "--formats", "json,protobuf", "--json", "-"];
    let all = ["--lanes", "one,plain", "--launches", "1"];
    let run = try_user(&lanes, &[&all[..], &both].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_valid(&report);
    let pairs: Vec<String> = report["pairs"]
        .as_array()
        .expect("pairs")
        .iter()
        .map(|pair| format!("{} {} {}", pair["client"], pair["server"], pair["transport"]))
        .collect();
    let expected = [
        r#""one" "one" null"#,
        r#""one" "plain" null"#,
        r#""one" "one:zeromq" "zeromq""#,
        r#""plain" "one" null"#,
        r#""plain" "plain" null"#,
    ];
    assert_eq!(pairs, expected);
    let own = pair(&report, "one", "one:zeromq");
    assert_eq!(
        (&own["client_runtime"], &own["server_runtime"]),
        (&"Python 3, a REQ".into(), &"Python 3, a REP".into())
    );
    for note in ["no ZeroMQ server in the lanes plain", "no ZeroMQ client in the lanes plain"] {
        assert!(report["notes"].as_array().is_some_and(|notes| notes.contains(&note.into())));
    }
    let rows = report["transports"].as_array().expect("rows");
    let names: Vec<String> =
        rows.iter().map(|row| format!("{} {}", row["server"], row["format"])).collect();
    let expected = [
        r#""one" "json""#,
        r#""one" "protobuf""#,
        r#""one:zeromq" "json""#,
        r#""one:zeromq" "protobuf""#,
    ];
    assert_eq!(names, expected);
    assert!(rows[0].get("server_cpu_ratio").is_none(), "{}", rows[0]);
    // 2 ms more, where the server alone takes less than 4.
    let ratio = rows[2]["server_cpu_ratio"]["value"].as_f64().expect("a ratio");
    assert!(ratio > 1.5, "{}", rows[2]);
    assert!(rows[1].get("server_cpu_saving").is_none(), "one launch decides nothing: {}", rows[1]);
    // Servers over different transports are not compared as frameworks.
    assert!(report.get("servers").is_none(), "{}", report["servers"]);
    let bytes = |pair: &Value| {
        let rows = report["cost"]["rows"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["server"] == *pair && row["format"] == "json");
        row.expect("a cost")["demand"]["header_bytes"].as_f64().expect("bytes")
    };
    // Two empty frames, two media types, two codings, a target and the head of the body's frame.
    assert_eq!(bytes(&"one:zeromq".into()), (2 * (2 + 18 + 10) + 11 + 2) as f64);
    assert!(bytes(&"one".into()) > 200.0);
    // Over HTTP alone, the report is as if there were no other transport.
    let run = try_user(&lanes, &["--lanes", "one", "--formats", "json", "--launches", "1"]);
    assert!(!run.stdout.contains("ZeroMQ") && !run.stdout.contains("zeromq"), "{}", run.stdout);
}

#[test]
fn a_trial_needs_a_server_and_a_client_over_the_transport() {
    let Some(lanes) = lanes_of(&[("plain", "has no ZeroMQ"), ("one", "none")]) else { return };
    let alone = ["--transport", "zeromq", "--formats", "json", "--launches", "1"];
    let run = try_user(&lanes, &[&["--lanes", "one"], &alone[..]].concat());
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("one has no ZeroMQ server"), "{}", run.stderr);
    let run = try_user(&lanes, &[&["--lanes", "plain"], &alone[..]].concat());
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let missing = "plain skipped: the lane has no ZeroMQ server and client";
    assert!(run.stderr.contains(missing), "{}", run.stderr);
    lanes.add_python_with_servers("two", "none", &[("zeromq", "none")]);
    let run = try_user(&lanes, &[&["--lanes", "two"], &alone[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("client Python 3, a REQ · server Python 3, a REP"));
    assert!(!run.stdout.contains("http.server"), "{}", run.stdout);
}

#[test]
fn a_simulated_link_adds_its_delay() {
    let Some(lanes) = lanes_of(&[("one", "none")]) else { return };
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
    let run = try_user(&lanes, &arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_valid(&report);
    assert_eq!(report["link"]["round_trip_ms"], 20.0);
    let row = &pair(&report, "one", "one")["rows"][0];
    let transport = row["transport_ns"]["value"].as_f64().expect("a figure");
    assert!(transport >= 20e6, "{transport} ns over a line of 20 ms");
    // The time of decoding does not include the link.
    assert!(row["processing_ns"]["value"].as_f64().is_some_and(|ns| ns < 5e6));
}

/// Checks that lanes with faults, as servers or clients of a working lane, do not stop other lanes,
/// and that each fault is reported.
fn break_alone(faults: &[(&str, &str, &str)], side: &str, other: &str) {
    let all: Vec<(&str, &str)> = std::iter::once(("good", "none"))
        .chain(faults.iter().map(|&(name, fault, _)| (name, fault)))
        .collect();
    let Some(lanes) = lanes_of(&all) else { return };
    let names: Vec<&str> = all.iter().map(|lane| lane.0).collect();
    let names = names.join(",");
    let run = try_user(
        &lanes,
        &[
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
        ],
    );
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
fn a_broken_server_does_not_stop_the_others() {
    let faults = [
        ("a", "dies serving", "crashed: exit status: 3: no port left"),
        ("b", "stale", "expected a body that begins with"),
        ("c", "refuses", "status 500"),
    ];
    break_alone(&faults, "--servers", "--clients");
}

#[test]
fn a_broken_client_does_not_stop_the_others() {
    let faults = [("a", "hangs asking", "hung"), ("b", "garbles", "not a multiple of 8")];
    break_alone(&faults, "--clients", "--servers");
}

#[test]
fn a_lane_without_http_is_skipped_and_named() {
    let Some(lanes) = lanes_of(&[("good", "none"), ("mute", "is mute")]) else { return };
    let run = try_user(&lanes, &["--lanes", "all", "--formats", "json,cbor", "--launches", "1"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("lane mute skipped: the lane has no HTTP server and client"));
    assert!(run.stdout.contains("note: no cbor library in the lanes good\n"), "{}", run.stdout);
    assert!(run.stdout.contains("client Python 3, http.client · server Python 3, http.server"));
    let run = try_user(&lanes, &["--lanes", "mute"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("no lane can be measured: mute skipped"), "{}", run.stderr);
}

#[test]
fn the_report_is_about_the_named_clients_and_servers() {
    let Some(lanes) = lanes_of(&[("one", "none"), ("other", "none")]) else { return };
    let named = ["--lanes", "all", "--clients", "one", "--servers", "one"];
    let few = ["--formats", "json", "--launches", "1", "--json", "-"];
    let run = try_user(&lanes, &[&named[..], &few].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    let lanes = report["lanes"].as_array().expect("lanes").iter();
    assert!(lanes.map(|lane| &lane["lane"]).eq(["one"]), "{}", report["lanes"]);
}

#[test]
fn invalid_arguments_are_reported() {
    let Some(lanes) = lanes_of(&[("one", "none")]) else { return };
    lanes.add_python_with_servers("other", "none", &[("bare", "none")]);
    lanes.add_python_with_servers("third", "none", &[("zeromq", "none")]);
    let url = "http://127.0.0.1:1/";
    for (arguments, message) in [
        (&["--url", "localhost"][..], "--url \"localhost\": expected http:// or https://"),
        (&["--url", url, "--header", "a b: c"], "invalid name of a header field \"a b\""),
        (&["--url", url, "--coding", "gzip"], "cannot be used with"),
        (
            &["--url", url, "--lanes", "one,other", "--clients", "one"],
            "--lanes: \"other\" is neither among --clients nor among --servers",
        ),
    ] {
        let run = ask(&lanes, arguments);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    for (arguments, message) in [
        (
            &["--link", "5g"][..],
            "invalid link \"5g\": expected bandwidth and round trip, such as 20mbit/50ms, or one of",
        ),
        (&["--lanes", "two"], "no lane \"two\"; there are one"),
        (
            &["--servers", "one:bare", "--lanes", "one"],
            "no server \"bare\": the only server of the lane one is one",
        ),
        (
            &["--servers", "other:fast", "--lanes", "one"],
            "no server \"fast\" of the lane other; there are other, other:bare",
        ),
        (&["--servers", "two:bare", "--lanes", "one"], "no lane \"two\"; there are one"),
        (&["--clients", "other:bare"], "--clients: \"other:bare\" is a server only"),
        (
            &["--servers", "third:zeromq", "--lanes", "one"],
            "\"third:zeromq\" is a ZeroMQ server; add it with --transport http,zeromq",
        ),
        (&["--transport", "udp"], "no transport \"udp\"; there are http, zeromq"),
        (&["--price", "hour=1"], "--price: invalid price \"hour=1\": write NAME=NUMBER"),
        (&["--lanes", "one", "--clients", "two"], "--clients: \"two\" is not among the lanes"),
        (&["--lanes", "all", "--clients", "two"], "--clients: \"two\" is not among the lanes"),
        (&["--lanes", "all", "--servers", "two"], "--servers: \"two\" is not among the lanes"),
        (
            &["--lanes", "one,other", "--clients", "one", "--servers", "one"],
            "--lanes: \"other\" is neither among --clients nor among --servers",
        ),
    ] {
        let run = try_user(&lanes, arguments);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}

#[test]
fn formats_and_codings_are_combined() {
    let Some(lanes) = lanes_of(&[("one", "none"), ("two", "packs nothing")]) else { return };
    let run = try_user(
        &lanes,
        &[
            "--lanes",
            "one,two",
            "--clients",
            "one",
            "--formats",
            "json,protobuf",
            "--coding",
            "none,gzip",
            "--launches",
            "2",
            "--json",
            "-",
        ],
    );
    // Invalid gzip data is a failure of the server and does not stop other rows.
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    let report = run.json();
    assert_valid(&report);
    let rows = pair(&report, "one", "one")["rows"].as_array().expect("rows").clone();
    let names: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {} {}", row["format"], row["coding"], row["status"]))
        .collect();
    let ok = |format: &str, coding: &str| format!("\"{format}\" \"{coding}\" \"ok\"");
    let expected =
        [("json", "none"), ("json", "gzip:6"), ("protobuf", "none"), ("protobuf", "gzip:6")];
    assert_eq!(names, expected.map(|(format, coding)| ok(format, coding)));
    assert_eq!((&rows[0]["body_bytes"], &rows[2]["body_bytes"]), (&51.into(), &19.into()));
    // Each row is compared only with rows of the same content coding.
    let verdicts: Vec<bool> = rows.iter().map(|row| row["verdict"] == "reference").collect();
    assert_eq!(verdicts, [true, true, false, false]);
    assert_eq!((&rows[2]["verdict"], &report["verdicts"]), (&Value::Null, &Value::Array(vec![])));
    let costs = report["cost"]["rows"].as_array().expect("rows");
    let of_one: Vec<&Value> = costs.iter().filter(|row| row["server"] == "one").collect();
    assert_eq!(of_one.len(), 4);
    for row in of_one {
        let range = &row["ranges"]["money_per_million"];
        let (low, high) = (range["low"].as_f64().expect("an end"), range["high"].as_f64());
        let money = row["cost"]["money_per_million"].as_f64().expect("a figure");
        assert!(low <= money && Some(money) <= high, "{row}");
        assert_eq!(row["break_even_ranges"].is_null(), row["format"] == "json", "{row}");
    }
    for row in pair(&report, "one", "two")["rows"].as_array().expect("rows") {
        let status = row["status"].as_str().expect("text");
        let packed = row["coding"] == "gzip:6";
        assert_eq!(status.contains("gzip"), packed, "{row}");
        assert_eq!(status == "ok", !packed, "{row}");
    }
}

#[test]
fn payloads_may_need_a_schema() {
    let Some(lanes) = lanes_of(&[("one", "none")]) else { return };
    let folder = Folder::new();
    let file = format!("{}/user.avro", folder.path());
    assert_eq!(lanes.run(&["convert", &example("user.json"), "-o", &file]).code, Some(0));
    let words = ["--lanes", "one", "--formats", "json", "--launches", "1", "--json", "-"];
    let run = ask(&lanes, &[&[file.as_str()], &words[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = run.json();
    assert_valid(&report);
    assert_eq!(report["payloads"][0]["made_from"], "avro");
    let (row, given) = (&pair(&report, "one", "one")["rows"][0], &report["payloads"][0]["bytes"]);
    assert_eq!(row["status"], "ok");
    assert!(row["body_bytes"].as_u64() > given.as_u64(), "{row}");
}

#[test]
fn a_page_is_the_same_from_a_trial_and_from_its_report() {
    let Some(lanes) = lanes_of(&[("one", "none")]) else { return };
    let folder = Folder::new();
    let [json, html] = ["json", "html"].map(|name| format!("{}/report.{name}", folder.path()));
    let run = try_user(
        &lanes,
        &[
            "--lanes",
            "one",
            "--formats",
            "json",
            "--launches",
            "1",
            "--json",
            &json,
            "--html",
            &html,
        ],
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let page = std::fs::read_to_string(&html).expect("the page");
    assert!(page.contains("<h2 id=\"parts\">The parts of a request</h2>"), "{page}");
    let again = lanes.run(&["report", &json]);
    assert_eq!((again.code, again.stdout == page), (Some(0), true), "{}", again.stderr);
    let two = lanes.run(&["report", &json, &json]);
    assert_eq!(two.code, Some(2));
    assert!(two.stderr.contains("not those of `trial`"), "{}", two.stderr);
    let mut partial: Value =
        serde_json::from_str(&std::fs::read_to_string(&json).expect("the report")).expect("JSON");
    partial["interrupted"] = true.into();
    partial["done"] = "1 of 2 launches".into();
    std::fs::write(&json, partial.to_string()).expect("a file");
    let refused = lanes.run(&["report", &json]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    let error = "interrupted, so this report is incomplete: 1 of 2 launches";
    assert!(refused.stderr.contains(error), "{}", refused.stderr);
}
