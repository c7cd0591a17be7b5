use std::collections::BTreeMap;

use manywire_tools::weigh::report::{Fidelity, Report, Row, SCHEMA, Summary, Tool};
use manywire_tools::weigh::{Options, host};

/// Returns a report of these rows, measured on this host.
pub(crate) fn report(rows: Vec<Row>) -> Report {
    let options = Options::default();
    Report {
        schema: SCHEMA.to_owned(),
        tool: Tool {
            name: "manywire".to_owned(),
            version: "1.2.3".to_owned(),
            rustc: "rustc 1.95.0".to_owned(),
            profile: "release".to_owned(),
            codings: BTreeMap::from([("gzip".to_owned(), "a library".to_owned())]),
        },
        host: host::host(),
        options: serde_json::Value::Null,
        reference: options.reference.name().to_owned(),
        delta: options.delta(),
        target_half_width: options.target_half_width(),
        payloads: Vec::new(),
        payload_count: 1,
        hold_out: None,
        lanes: Vec::new(),
        rows,
        payload_comparisons: Vec::new(),
        gates: Vec::new(),
        baseline: None,
        notes: Vec::new(),
        verdicts: Vec::new(),
        differences: Vec::new(),
        interrupted: false,
        done: None,
    }
}

/// Returns a row with a size and no other figures.
pub(crate) fn row(format: &str, size_bytes: u64) -> Row {
    Row {
        payload: "a.json".to_owned(),
        lane: "rust".to_owned(),
        in_lane: false,
        library: "manywire".to_owned(),
        library_version: "1.2.3".to_owned(),
        format: format.to_owned(),
        target: "dynamic".to_owned(),
        buffer: "fresh".to_owned(),
        status: "ok".to_owned(),
        fidelity: Some(Fidelity::of(Vec::new())),
        size_bytes: Some(size_bytes),
        size_spread: None,
        coded_bytes: BTreeMap::new(),
        header_bytes: 0,
        encode: None,
        decode: None,
        coded: BTreeMap::new(),
        sweep: None,
        launches: 10,
        warnings: Vec::new(),
    }
}

/// Returns a summary with a time ratio, its interval, and allocations.
pub(crate) fn timed(ratio: f64, low: f64, high: f64, allocs: f64) -> Option<Summary> {
    let summary = serde_json::json!({
        "clock": "wall", "ns": null, "ns_low": null, "ns_high": null, "cpu_ns": null,
        "ratio": ratio, "ratio_low": low, "ratio_high": high, "p_adjusted": null,
        "verdict": null, "allocs": allocs, "alloc_bytes": null, "peak_bytes": null, "samples": [],
    });
    Some(serde_json::from_value(summary).expect("a summary"))
}
