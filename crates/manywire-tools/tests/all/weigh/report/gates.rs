use manywire_tools::weigh::gate::{Gate, evaluate};
use manywire_tools::weigh::report::{GateResult, METRICS, Report, Row, Status};

use super::sample::{json_by, report, row, timed};

fn decide(gate: &str, report: &Report, baseline: Option<&Report>) -> GateResult {
    let gate: Gate = gate.parse().unwrap_or_else(|error| panic!("{gate}: {error}"));
    evaluate(&gate, report, baseline).result
}

#[test]
fn invalid_gates_have_error_messages() {
    for (text, reason) in [
        ("", "expected an operator: <=, <, >=, > or =="),
        ("msgpack.bytes", "expected an operator: <=, <, >=, > or =="),
        ("msgpack.bytes = 3", "expected an operator: <=, <, >=, > or =="),
        ("msgpack <= 3", "\"msgpack\" names no metric"),
        ("thrift.bytes <= 3", "thrift"),
        (
            "msgpack.size <= 3",
            "unknown metric \"size\": expected one of bytes, encode, decode, allocs",
        ),
        ("msgpack.gzip:99 <= 3", "unknown metric \"gzip:99\""),
        ("msgpack.bytes <= ", "expected a number, a format or \"baseline\", found \"\""),
        ("msgpack.bytes <= -3", "\"baseline\", found \"-3\""),
        ("msgpack.bytes <= NaN", "\"baseline\", found \"NaN\""),
        ("msgpack.bytes <= inf", "\"baseline\", found \"inf\""),
        ("msgpack.bytes <= thrift", "\"baseline\", found \"thrift\""),
        ("msgpack.bytes <= json*", "invalid factor \"\""),
        ("msgpack.bytes <= json*two", "invalid factor \"two\""),
        ("msgpack.bytes <= json*-1", "invalid factor \"-1\""),
        ("msgpack.bytes <= 3 <= 4", "\"baseline\", found \"3 <= 4\""),
        ("msgpack.decode == 1", "a time is never exactly equal"),
        ("msgpack.decode <= json", "times are already ratios to the reference"),
    ] {
        let error = text.parse::<Gate>().expect_err(text).to_string();
        assert!(error.contains(reason), "{text:?}: {error}");
        assert!(error.contains("write FORMAT.METRIC OP LIMIT"), "{text:?}: {error}");
    }
}

#[test]
fn gate_reports_its_coding_and_baseline() {
    let gate = |text: &str| text.parse::<Gate>().expect(text);
    assert!(gate("msgpack.bytes<=baseline*1.02").needs_baseline());
    assert!(!gate("msgpack.bytes<=json").needs_baseline());
    assert_eq!(gate("msgpack.gzip:9<=json").coding(), Some("gzip:9".parse().unwrap()));
    assert_eq!(gate("msgpack.bytes<=json").coding(), None);
}

#[test]
fn operators_at_and_around_the_limit() {
    let report = report(vec![row("msgpack", 100)]);
    for (operator, below, at, above) in [
        ("<=", false, true, true),
        ("<", false, false, true),
        (">=", true, true, false),
        (">", true, false, false),
        ("==", false, true, false),
    ] {
        for (limit, holds) in [(99, below), (100, at), (101, above)] {
            let expected = if holds { GateResult::Pass } else { GateResult::Fail };
            for text in [
                format!("msgpack.bytes{operator}{limit}"),
                format!(" msgpack.bytes {operator} {limit} "),
            ] {
                assert_eq!(decide(&text, &report, None), expected, "{text}");
            }
        }
    }
}

#[test]
fn sizes_and_allocations_against_formats_and_baselines() {
    let with_allocs = |size, encode, decode| Row {
        encode: timed(1.0, 1.0, 1.0, encode),
        decode: timed(1.0, 1.0, 1.0, decode),
        coded_bytes: [("gzip:6".to_owned(), size / 2)].into(),
        ..row("msgpack", size)
    };
    let now = report(vec![row("json", 200), with_allocs(102, 40.0, 61.0)]);
    let old = report(vec![with_allocs(100, 40.0, 60.0)]);
    for (gate, expected) in [
        ("msgpack.bytes<=json*0.51", GateResult::Pass),
        ("msgpack.bytes<=json*0.5", GateResult::Fail),
        ("msgpack.bytes<=baseline*1.02", GateResult::Pass),
        ("msgpack.bytes<=baseline", GateResult::Fail),
        ("msgpack.allocs<=101", GateResult::Pass),
        ("msgpack.allocs<=baseline", GateResult::Fail),
        ("msgpack.gzip:6<=51", GateResult::Pass),
        ("msgpack.gzip:6<=json", GateResult::Undecided),
        ("json.allocs<=1", GateResult::Undecided),
        ("json.bytes<=baseline", GateResult::Undecided),
        ("cbor.bytes<=json", GateResult::Undecided),
    ] {
        assert_eq!(decide(gate, &now, Some(&old)), expected, "{gate}");
    }
    assert_eq!(decide("msgpack.bytes<=baseline", &now, None), GateResult::Undecided);
}

#[test]
fn time_is_undecided_if_its_interval_contains_the_limit() {
    let slow = |low, high| Row { decode: timed(0.7, low, high, 0.0), ..row("msgpack", 1) };
    let now = report(vec![slow(0.68, 0.72)]);
    for (limit, expected) in [
        ("<=0.67", GateResult::Fail),
        ("<=0.7", GateResult::Undecided),
        ("<=0.72", GateResult::Pass),
        ("<0.72", GateResult::Undecided),
        (">=0.68", GateResult::Pass),
        (">0.68", GateResult::Undecided),
        (">=0.73", GateResult::Fail),
    ] {
        assert_eq!(decide(&format!("msgpack.decode{limit}"), &now, None), expected, "{limit}");
    }
    // The interval of the baseline counts as well: 0.66 to 0.74, against 0.68 to 0.72 now.
    let old = report(vec![slow(0.66, 0.74)]);
    assert_eq!(decide("msgpack.decode<=baseline", &now, Some(&old)), GateResult::Undecided);
    assert_eq!(decide("msgpack.decode<=baseline*1.1", &now, Some(&old)), GateResult::Pass);
    assert_eq!(decide("msgpack.decode<=baseline*0.9", &now, Some(&old)), GateResult::Fail);
}

#[test]
fn row_of_all_payloads_decides() {
    let named = |payload: &str, size| Row { payload: payload.to_owned(), ..row("msgpack", size) };
    let apart = report(vec![named("a", 90), named("b", 110)]);
    assert_eq!(decide("msgpack.bytes<=100", &apart, None), GateResult::Fail);
    let together = report(vec![named("*", 90), named("b", 110)]);
    assert_eq!(decide("msgpack.bytes<=100", &together, None), GateResult::Pass);
}

#[test]
fn failed_format_leaves_its_gate_undecided() {
    let out = Row {
        status: Status::Failed("it cannot hold this".to_owned()),
        size_bytes: None,
        ..row("bson", 0)
    };
    let gate: Gate = "bson.bytes<=100".parse().unwrap();
    let decided = evaluate(&gate, &report(vec![out]), None);
    assert_eq!(decided.result, GateResult::Undecided);
    assert!(decided.detail.contains("it cannot hold this"), "{}", decided.detail);
}

#[test]
fn ratios_to_different_subjects_leave_a_gate_undecided() {
    let with = |library| {
        let decode = timed(0.5, 0.5, 0.5, 0.0);
        report(vec![Row { decode, reference: json_by(library), ..row("cbor", 7) }])
    };
    let (now, old) = (with("manywire"), with("serde_json"));
    let gate: Gate = "cbor.decode<=baseline*9".parse().expect("a gate");
    let found = evaluate(&gate, &now, Some(&old));
    assert_eq!(found.result, GateResult::Undecided);
    assert_eq!(
        found.detail,
        "times of the baseline are ratios to json by serde_json (dynamic), these to json by manywire (dynamic)"
    );
    // Bytes have no reference.
    assert_eq!(decide("cbor.bytes<=baseline", &now, Some(&old)), GateResult::Pass);
    assert_eq!(decide("cbor.decode<=baseline*9", &now, Some(&now)), GateResult::Pass);
}

/// The table of metrics in docs/weigh.md, and the gates that it promises.
#[test]
fn documented_metrics_are_those_of_the_table() {
    let path = format!("{}/../../docs/weigh.md", env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(path).expect("the document");
    let mut rows = METRICS.iter().map(|metric| {
        let gated = if metric.is_gated { "yes" } else { "no" };
        format!("| `{}` | {} | {gated} |\n", metric.name, metric.meaning)
    });
    let bytes = rows.next().expect("bytes come first");
    let coding = "| a coding, such as `gzip:6` | bytes under the coding, likewise | yes |\n";
    let head = "| metric | figure | in gates |\n|---|---|---|\n";
    let table = format!("{head}{bytes}{coding}{}\n", rows.collect::<String>());
    assert!(document.contains(&table), "docs/weigh.md needs this table:\n{table}");
    for metric in &METRICS {
        let gate = format!("json.{} <= 1", metric.name).parse::<Gate>();
        assert_eq!(gate.is_ok(), metric.is_gated, "{}", metric.name);
    }
}
