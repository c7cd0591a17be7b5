use manywire_tools::weigh::report::{LaneNote, Report, Row, Style, table};

use super::sample::{report, row, timed};

/// Returns a row of a lane that takes `ns` nanoseconds in each launch, or a millionth more.
fn of_lane(lane: &str, library: &str, format: &str, target: &str, ns: f64) -> Row {
    let times = || {
        let mut summary = timed(ns / 500.0, ns / 510.0, ns / 490.0, 0.0)?;
        summary.ns = Some(ns);
        summary.samples = vec![ns, ns * 1.000_001, ns];
        Some(summary)
    };
    Row {
        lane: lane.to_owned(),
        in_lane: lane != "rust",
        library: library.to_owned(),
        target: target.to_owned(),
        encode: times(),
        decode: times(),
        ..row(format, 100)
    }
}

fn weighed() -> Report {
    let mut report = report(vec![
        of_lane("rust", "manywire", "json", "dynamic", 500.0),
        of_lane("rust", "manywire", "msgpack", "dynamic", 250.0),
        of_lane("go", "encoding/json", "json", "dynamic", 2_000.0),
        of_lane("go", "fast-json", "json", "dynamic", 1_000.0),
        of_lane("go", "some/msgpack", "msgpack", "dynamic", 1_500.0),
        of_lane("go", "other/msgpack", "msgpack", "dynamic", 1_200.0),
        of_lane("go", "encoding/json", "json", "typed", 800.0),
        of_lane("go", "some/msgpack", "msgpack", "typed", 810.0),
        Row {
            status: "has no type for $.a\nand more words".to_owned(),
            size_bytes: None,
            ..of_lane("go", "some/avro", "avro", "typed", 1.0)
        },
    ]);
    for (lane, status) in [("go", "ok"), ("java", "is missing")] {
        report.lanes.push(LaneNote {
            lane: lane.to_owned(),
            title: lane.to_uppercase(),
            runtime: None,
            status: status.to_owned(),
            delta: 0.05,
        });
    }
    report.verdicts = vec!["one".to_owned(), "two".to_owned()];
    report.differences = vec!["two".to_owned()];
    report
}

#[test]
fn every_language_and_format_has_a_row_with_the_fastest_library() {
    let text = table(&weighed(), Style::default());
    let lines: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for expected in [
        "language format bytes encode, dynamic decode, dynamic encode, typed decode, typed",
        "Rust json 100 500 ns manywire 500 ns manywire",
        "msgpack 100 0.50 ▼ manywire 0.50 ▼ manywire",
        "GO json 100 1.00 µs fast-json 1.00 µs fast-json 800 ns encoding/json 800 ns encoding/json",
        "msgpack 100 1.20 ▲ other/msgpack 1.20 ▲ other/msgpack 1.01 = some/msgpack 1.01 = some/msgpack",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected}\n{text}");
    }
}

#[test]
fn reasons_for_missing_rows_are_one_line_each() {
    let text = table(&weighed(), Style::default());
    assert!(text.contains("  no figures: JAVA: is missing\n"), "{text}");
    assert!(
        text.contains("  no figures: GO avro by some/avro, typed: has no type for $.a\n"),
        "{text}"
    );
}

#[test]
fn only_the_verbose_report_has_all_rows_and_verdicts() {
    let short = table(&weighed(), Style::default());
    assert!(short.contains("- two\n") && !short.contains("- one\n"), "{short}");
    assert!(!short.contains("2.00 µs"), "the slower library is not in it: {short}");
    let long = table(&weighed(), Style { verbose: true, ..Style::default() });
    assert!(long.contains("- two\n") && long.contains("- one\n"), "{long}");
    assert!(long.contains("2.00 µs"), "{long}");
}
