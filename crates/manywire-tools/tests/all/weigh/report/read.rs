use manywire_tools::weigh::report::{
    LaneNote, ReadReportError, Report, Row, RowVerdict, SCHEMA, read,
};
use manywire_tools::weigh::subject::ValueKind::{self, Dynamic, Typed};
use serde_json::{Value, json};

use super::sample::{json_by, lane, report, row, timed};

#[test]
fn a_report_reads_as_it_was_written() {
    let written = Row { reference: json_by("manywire"), ..row("json", 9) };
    let text = serde_json::to_string(&report(vec![written])).expect("JSON");
    let found = read(&text).expect("a report");
    assert_eq!(serde_json::to_string(&found).expect("JSON"), text);
}

#[test]
fn other_texts_are_refused_with_the_reason() {
    let of = |text: &str| read(text).expect_err(text);
    assert!(matches!(of("[1"), ReadReportError::Malformed(_)));
    assert!(of("{\n\"schema\": 7}").to_string().contains("at line 2 column 11"));
    assert!(of("{}").to_string().starts_with("not a report that `manywire` wrote with --json: "));
    let other = of(r#"{"schema": "manywire.trial/1"}"#).to_string();
    assert_eq!(
        other,
        format!("expected a report of schema {SCHEMA} or manywire.weigh/1, found manywire.trial/1")
    );
}

/// Returns a report of the schema `manywire.weigh/1` with these rows, each with its `in_lane`.
fn old(rows: Vec<(Row, bool)>, lanes: Value) -> Report {
    let mut old = serde_json::to_value(report(Vec::new())).expect("JSON");
    (old["schema"], old["lanes"]) = (json!("manywire.weigh/1"), lanes);
    let rows = rows.into_iter().map(|(row, in_lane)| {
        let mut row = serde_json::to_value(row).expect("JSON");
        row.as_object_mut().expect("a map").remove("reference");
        row["in_lane"] = json!(in_lane);
        row
    });
    old["rows"] = rows.collect();
    read(&old.to_string()).expect("a report")
}

fn timed_row(library: &str, format: &str, target: ValueKind, verdict: RowVerdict) -> Row {
    let mut encode = timed(1.0, 1.0, 1.0, 0.0);
    encode.as_mut().expect("a summary").verdict = Some(verdict);
    Row { library: library.to_owned(), target, encode, ..row(format, 9) }
}

#[test]
fn an_old_report_of_the_built_in_lane_has_its_note_and_references() {
    let rows = vec![
        (timed_row("manywire", "json", Dynamic, RowVerdict::Reference), false),
        (timed_row("manywire", "cbor", Dynamic, RowVerdict::Faster), false),
        (row("bson", 9), false),
    ];
    let skipped = json!([{"lane": "rust", "title": "Rust", "runtime": null,
        "status": "skipped: no cargo", "delta": 0.05}]);
    let found = old(rows, skipped);
    let runtime = Some("rustc 1.95.0".to_owned());
    assert_eq!(found.lanes, [LaneNote { runtime, ..lane("rust", "Rust", 0.02) }]);
    assert_eq!(found.rows[0].reference, json_by("manywire"));
    assert_eq!(found.rows[1].reference, json_by("manywire"));
    assert_eq!(found.rows[2].reference, None, "nothing was timed");
}

#[test]
fn in_an_old_report_the_lane_of_rust_takes_the_place_of_the_built_in_one() {
    let rows = vec![
        (timed_row("manywire", "json", Dynamic, RowVerdict::Reference), false),
        (timed_row("serde_json", "json", Dynamic, RowVerdict::Reference), true),
        (timed_row("manywire", "json", Dynamic, RowVerdict::Faster), true),
        (timed_row("prost", "protobuf", Typed, RowVerdict::Slower), true),
    ];
    let note = lane("rust", "Rust", 0.05);
    let found = old(rows, serde_json::to_value([&note]).expect("JSON"));
    assert_eq!(found.lanes, [note]);
    let libraries: Vec<&str> = found.rows.iter().map(|row| row.library.as_str()).collect();
    assert_eq!(libraries, ["serde_json", "manywire", "prost"]);
    for row in &found.rows {
        // Typed rows without a typed reference were compared with the dynamic one.
        assert_eq!(row.reference, json_by("serde_json"));
    }
}
