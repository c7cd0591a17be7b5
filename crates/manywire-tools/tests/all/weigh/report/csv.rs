//! The rows as CSV, and the lines that it has no place for.

use manywire_format::Format;
use manywire_tools::weigh::report::{
    Baseline, Clock, CodedSummary, Gate, GateResult, PayloadComparison, csv, markdown,
    notes_beside_rows,
};
use manywire_tools::weigh::subject::ValueKind;
use serde_json::json;

use super::sample::{json_by, report, row, timed};

const HEAD: &str = "payload,sweep path,sweep length,lane,library,library version,format,target,buffer,status,fidelity,launches,bytes,\
encode ns,encode ns low,encode ns high,encode cpu ns,encode ratio,encode ratio low,encode ratio high,encode allocs,encode alloc bytes,encode peak bytes,encode verdict,\
decode ns,decode ns low,decode ns high,decode cpu ns,decode ratio,decode ratio low,decode ratio high,decode allocs,decode alloc bytes,decode peak bytes,decode verdict,\
reference library,reference format,reference target,clock,warnings";

#[test]
fn a_row_has_the_clock_of_its_ratios_and_its_warnings() {
    let mut times = timed(0.5, 0.45, 0.55, 3.0);
    times.as_mut().expect("a summary").clock = Clock::Cpu;
    let mut msgpack = row("msgpack", 100);
    msgpack.encode = times;
    msgpack.reference = json_by("manywire");
    msgpack.warnings = vec!["noisy machine".to_owned(), "node: late, so repeat it".to_owned()];
    let text = csv(&report(vec![msgpack, row("cbor", 90)]));
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(lines[0], HEAD);
    assert_eq!(
        lines[1],
        "a.json,,,rust,manywire,1.2.3,msgpack,dynamic,fresh,ok,exact,10,100,\
         ,,,,0.5,0.45,0.55,3,,,,\
         ,,,,,,,,,,,\
         manywire,json,dynamic,cpu,\"noisy machine | node: late, so repeat it\""
    );
    // A row without a ratio has no clock.
    assert_eq!(
        lines[2],
        "a.json,,,rust,manywire,1.2.3,cbor,dynamic,fresh,ok,exact,10,90,\
         ,,,,,,,,,,,\
         ,,,,,,,,,,,\
         ,,,,"
    );
    assert_eq!(lines[3..], [""]);
}

#[test]
fn times_with_a_coding_have_columns_and_lines() {
    let mut json = row("json", 100);
    json.coded_bytes = [("gzip:6", 60), ("zstd:3", 55)].map(|(it, n)| (it.to_owned(), n)).into();
    let mut compress = timed(1.5, 1.4, 1.6, 0.0);
    compress.as_mut().expect("a summary").ns = Some(4_000.0);
    let times = CodedSummary { compress, decompress: None };
    json.coded = [("gzip:6".to_owned(), times)].into();
    let report = report(vec![json]);
    let text = csv(&report);
    let (head, line) = text.split_once("\r\n").expect("two lines");
    let cells: Vec<(&str, &str)> = head.split(',').zip(line.split(',')).collect();
    let first = cells.iter().position(|cell| cell.0 == "decode verdict").expect("a column") + 1;
    let expected = [
        ("encode gzip:6 ns", "4000"),
        ("encode gzip:6 ns low", ""),
        ("encode gzip:6 ns high", ""),
        ("encode gzip:6 cpu ns", ""),
        ("encode gzip:6 ratio", "1.5"),
        ("encode gzip:6 ratio low", "1.4"),
        ("encode gzip:6 ratio high", "1.6"),
        ("encode gzip:6 verdict", ""),
        ("decode gzip:6 ns", ""),
    ];
    assert_eq!(cells[first..first + expected.len()], expected);
    // Zstandard has sizes and no times.
    assert!(head.contains("bytes zstd:3") && !head.contains("encode zstd:3"), "{head}");
    let markdown = markdown(&report);
    let line = "| a.json | json + gzip:6 | manywire |  |  |  | n/a | 4.00 µs | n/a | n/a |";
    assert!(markdown.contains(line), "{markdown}");
    assert!(!markdown.contains("+ zstd:3"), "{markdown}");
}

/// Gates and the comparison with a baseline are in Markdown, too.
#[test]
fn lines_beside_the_rows_are_notes() {
    let mut report = report(vec![row("json", 100)]);
    report.options = json!({ "formats": ["json", "cbor", "avro"] });
    report.notes = vec!["the machine was busy".to_owned()];
    report.gates = vec![Gate {
        text: "json.bytes<=90".to_owned(),
        result: GateResult::Fail,
        detail: "100 against 90".to_owned(),
    }];
    report.baseline = Some(Baseline {
        file: "old.json".to_owned(),
        differences: vec!["the version differs".to_owned()],
        changes: Vec::new(),
    });
    let expected = [
        "the machine was busy",
        "no library for cbor and avro in Rust",
        "gate FAIL: json.bytes<=90 (100 against 90)",
        "baseline old.json: the version differs",
        "baseline old.json: nothing changed beyond the intervals",
    ];
    assert_eq!(notes_beside_rows(&report), expected);
    let markdown = markdown(&report);
    assert!(expected.iter().all(|line| markdown.contains(&format!("> {line}\n"))), "{markdown}");
    assert!(!csv(&report).contains("busy"));
}

#[test]
fn comparisons_of_payloads_are_not_dropped_silently() {
    let mut report = report(vec![row("json", 100)]);
    assert!(notes_beside_rows(&report).is_empty());
    report.payload_comparisons = vec![PayloadComparison {
        payload: "b.json".to_owned(),
        base: "a.json".to_owned(),
        lane: "rust".to_owned(),
        library: "manywire".to_owned(),
        format: Format::Json,
        target: ValueKind::Dynamic,
        bytes: Some(2.0),
        encode: None,
        decode: None,
    }];
    let note = "CSV has no comparisons of payloads: --json, --html and --markdown write them";
    assert_eq!(notes_beside_rows(&report), [note]);
}
