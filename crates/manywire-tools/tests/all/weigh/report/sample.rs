use std::collections::BTreeMap;

use manywire_format::Format;
use manywire_tools::weigh::Options;
use manywire_tools::weigh::measure::empty_report;
use manywire_tools::weigh::report::{
    Fidelity, LaneNote, Profile, Reference, Report, Row, Status, Summary, Tool,
};
use manywire_tools::weigh::subject::{Buffer, ValueKind};

/// Returns a report of these rows, measured on this host.
pub(crate) fn report(rows: Vec<Row>) -> Report {
    let options = Options::default();
    Report {
        tool: Tool {
            name: "manywire".to_owned(),
            version: "1.2.3".to_owned(),
            rustc: "rustc 1.95.0".to_owned(),
            profile: Profile::Release,
            codings: BTreeMap::from([("gzip".to_owned(), "a library".to_owned())]),
        },
        options: serde_json::Value::Null,
        payload_count: 1,
        lanes: vec![lane("rust", "Rust", options.delta())],
        rows,
        ..empty_report(&options)
    }
}

/// Returns the note of a lane that was measured.
pub(crate) fn lane(name: &str, title: &str, delta: f64) -> LaneNote {
    LaneNote {
        lane: name.to_owned(),
        title: title.to_owned(),
        runtime: None,
        status: Status::Ok,
        delta,
    }
}

/// Returns JSON of a library, dynamic, as what ratios are relative to.
pub(crate) fn json_by(library: &str) -> Option<Reference> {
    let (library, format, target) = (library.to_owned(), Format::Json, ValueKind::Dynamic);
    Some(Reference { library, format, target })
}

/// Returns a row with a size and no other figures.
pub(crate) fn row(format: &str, size_bytes: u64) -> Row {
    Row {
        payload: "a.json".to_owned(),
        lane: "rust".to_owned(),
        library: "manywire".to_owned(),
        library_version: "1.2.3".to_owned(),
        format: format.parse().expect("a format"),
        target: ValueKind::Dynamic,
        buffer: Buffer::Fresh,
        status: Status::Ok,
        fidelity: Some(Fidelity::of(Vec::new())),
        size_bytes: Some(size_bytes),
        size_spread: None,
        coded_bytes: BTreeMap::new(),
        header_bytes: 0,
        encode: None,
        decode: None,
        coded: BTreeMap::new(),
        reference: None,
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
