use manywire_tools::weigh::baseline::compare;
use manywire_tools::weigh::report::{Clock, Row, Status, Summary};

use super::sample::{json_by, report, row, timed};

#[test]
fn equal_reports_have_no_changes() {
    let baseline =
        compare("old.json", &report(vec![row("json", 1)]), &report(vec![row("json", 1)]));
    assert_eq!(baseline.file, "old.json");
    assert!(baseline.differences.is_empty() && baseline.changes.is_empty(), "{baseline:?}");
}

#[test]
fn sizes_and_allocations_are_compared_exactly() {
    let with = |size, coded, allocs| Row {
        coded_bytes: [("gzip:6".to_owned(), coded)].into(),
        encode: timed(1.0, 1.0, 1.0, allocs),
        ..row("msgpack", size)
    };
    let found =
        compare("", &report(vec![with(1_000, 50, 3.0)]), &report(vec![with(1_001, 51, 4.0)]));
    assert_eq!(
        found.changes,
        [
            "a.json msgpack: bytes went from 1,000 to 1,001",
            "a.json msgpack: bytes under gzip:6 went from 50 to 51",
            "a.json msgpack: allocations to encode went from 3 to 4",
        ]
    );
}

#[test]
fn allocations_that_print_alike_have_not_changed() {
    let with =
        |allocs| report(vec![Row { encode: timed(1.0, 1.0, 1.0, allocs), ..row("cbor", 1) }]);
    assert!(compare("", &with(12.31), &with(12.33)).changes.is_empty());
    assert_eq!(
        compare("", &with(12.31), &with(12.41)).changes,
        ["a.json cbor: allocations to encode went from 12.3 to 12.4"]
    );
}

#[test]
fn figures_of_one_report_alone_are_listed() {
    let sizes = |codings: &[&str]| Row {
        coded_bytes: codings.iter().map(|&coding| (coding.to_owned(), 9)).collect(),
        launches: 0,
        ..row("json", 10)
    };
    let timed = Row { launches: 10, ..sizes(&["gzip:6", "br:4"]) };
    assert_eq!(
        compare("", &report(vec![timed]), &report(vec![sizes(&["gzip:6"])])).differences,
        [
            "the list of content codings differs: gzip:6, br:4 then, gzip:6 now",
            "the measurement differs: sizes and times then, sizes only now",
        ]
    );
}

#[test]
fn ratios_change_only_if_intervals_do_not_overlap() {
    let with = |ratio, low, high| Row { decode: timed(ratio, low, high, 1.0), ..row("cbor", 1) };
    let old = report(vec![with(0.70, 0.68, 0.72)]);
    let change = |now: Row| compare("", &old, &report(vec![now])).changes;
    assert!(change(with(0.73, 0.71, 0.75)).is_empty());
    let slower = change(with(0.80, 0.78, 0.82));
    assert_eq!(slower.len(), 1);
    assert!(slower[0].contains("decode went from 0.70 to 0.80"), "{slower:?}");
    assert_eq!(change(with(0.60, 0.58, 0.62)).len(), 1);
}

#[test]
fn ratios_by_different_clocks_are_not_compared() {
    let with = |ratio, clock| {
        let summary = timed(ratio, ratio, ratio, 1.0).map(|summary| Summary { clock, ..summary });
        report(vec![Row { decode: summary, ..row("cbor", 1) }])
    };
    let found = compare("", &with(0.70, Clock::Wall), &with(0.90, Clock::Cpu));
    assert!(found.changes.is_empty(), "{found:?}");
    assert_eq!(found.differences, ["the clock differs: wall then, cpu now"]);
}

#[test]
fn added_and_removed_rows_are_listed() {
    let out = Row { status: Status::Failed("too large".to_owned()), ..row("bson", 1) };
    let found = compare(
        "",
        &report(vec![row("json", 1), row("bson", 1), row("avro", 1)]),
        &report(vec![row("json", 1), out, row("cbor", 1)]),
    );
    assert_eq!(
        found.changes,
        [
            "a.json bson: ok then, too large now",
            "a.json cbor: not in the baseline",
            "a.json avro: only in the baseline",
        ]
    );
}

#[test]
fn other_machine_or_version_is_listed_once() {
    let library = |name: &str, format: &str, version: &str| Row {
        library: name.to_owned(),
        library_version: version.to_owned(),
        ..row(format, 1)
    };
    let rows = |ours: &str, theirs: &str| {
        vec![
            library("manywire", "json", ours),
            library("serde_json", "json", theirs),
            library("manywire", "msgpack", ours),
        ]
    };
    let mut old = report(rows("1.0.0", "1.0.1"));
    old.tool.rustc = "rustc 1.90.0".to_owned();
    old.host.cpu = None;
    let mut new = report(rows("2.0.0", "1.0.2"));
    new.host.cpu = Some("fast".to_owned());
    assert_eq!(
        compare("", &old, &new).differences,
        [
            "the processor differs: unknown then, fast now",
            "the compiler differs: rustc 1.90.0 then, rustc 1.95.0 now",
            "the version of manywire differs: 1.0.0 then, 2.0.0 now",
            "the version of serde_json differs: 1.0.1 then, 1.0.2 now",
        ]
    );
}

#[test]
fn ratios_to_different_subjects_are_not_compared() {
    let with = |ratio, library| Row {
        encode: timed(ratio, ratio, ratio, 1.0),
        reference: json_by(library),
        ..row("cbor", 1)
    };
    let found =
        compare("", &report(vec![with(0.1, "serde_json")]), &report(vec![with(0.5, "manywire")]));
    assert!(found.changes.is_empty(), "{found:?}");
    assert_eq!(
        found.differences,
        [
            "the reference of dynamic rows in rust differs: json by serde_json (dynamic) then, json by manywire (dynamic) now"
        ]
    );
    let same = |ratio| report(vec![with(ratio, "manywire")]);
    assert_eq!(compare("", &same(0.1), &same(0.5)).changes.len(), 1);
}
