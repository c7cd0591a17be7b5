//! Reports of any figures.

use std::collections::BTreeMap;

use manywire_format::FORMATS;
use manywire_weigh::report::{Host, Report, Row, SCHEMA, Summary, Tool};

use crate::choices::Choices;

/// A report with a row of some formats.
pub(super) fn report(choices: &mut Choices<'_>) -> Report {
    let mut rows = Vec::new();
    for format in FORMATS {
        if !choices.one_in(4) {
            rows.push(row(format.format.name(), choices));
        }
    }
    Report {
        schema: SCHEMA.to_owned(),
        tool: Tool {
            name: String::new(),
            version: String::new(),
            rustc: String::new(),
            profile: String::new(),
        },
        host: Host {
            os: String::new(),
            arch: String::new(),
            cpu: None,
            cores: None,
            kernel: None,
            governor: None,
        },
        options: serde_json::Value::Null,
        reference: "json".to_owned(),
        delta: 0.02,
        target_half_width: 0.01,
        payloads: Vec::new(),
        payload_count: 1,
        hold_out: None,
        lanes: Vec::new(),
        rows,
        gates: Vec::new(),
        baseline: None,
        verdicts: Vec::new(),
    }
}

fn row(format: &str, choices: &mut Choices<'_>) -> Row {
    let size = |choices: &mut Choices<'_>| u64::from(choices.byte());
    let mut coded_bytes = BTreeMap::new();
    for level in ["gzip:6", "zstd:3", "br:4"] {
        if choices.one_in(2) {
            coded_bytes.insert(level.to_owned(), size(choices));
        }
    }
    Row {
        payload: "a.json".to_owned(),
        lane: "rust".to_owned(),
        in_lane: false,
        library: "manywire".to_owned(),
        library_version: String::new(),
        format: format.to_owned(),
        target: "dynamic".to_owned(),
        buffer: "fresh".to_owned(),
        status: choices.of(&["ok", "ok", "it cannot hold this"]).to_owned(),
        fidelity: None,
        size_bytes: (!choices.one_in(4)).then(|| size(choices)),
        size_spread: None,
        coded_bytes,
        header_bytes: 0,
        encode: summary(choices),
        decode: summary(choices),
        coded: BTreeMap::new(),
        sweep: None,
        launches: 10,
        warnings: Vec::new(),
    }
}

fn summary(choices: &mut Choices<'_>) -> Option<Summary> {
    let ratio = |choices: &mut Choices<'_>| f64::from(choices.byte()) / 64.0;
    let (low, more) = (ratio(choices), ratio(choices));
    let known = !choices.one_in(4);
    (!choices.one_in(6)).then(|| Summary {
        clock: "wall".to_owned(),
        ns: None,
        ns_low: None,
        ns_high: None,
        cpu_ns: None,
        ratio: known.then_some(low + more / 2.0),
        ratio_low: known.then_some(low),
        ratio_high: known.then_some(low + more),
        p_adjusted: None,
        verdict: None,
        more_launches: None,
        allocs: (!choices.one_in(4)).then(|| ratio(choices)),
        alloc_bytes: None,
        peak_bytes: None,
        collections_per_1000: None,
        samples: Vec::new(),
        mean_ns: None,
        standard_deviation_ns: None,
        slope_ns: None,
        r_squared: None,
    })
}
