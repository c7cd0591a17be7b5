//! `--gate`: the text of gates, and their results for reports of any figures.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use manywire_format::{FORMATS, Format};
use manywire_tools::weigh::gate::{Gate, evaluate};
use manywire_tools::weigh::report::{GateResult, Report, Row, SCHEMA, Summary};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::choices::Choices;
use crate::target::{CheckResult, Violation, ensure};

/// Checks an input of a line with a gate, and bytes that choose the figures of the reports.
pub(crate) fn check(bytes: &[u8]) -> CheckResult {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]);
    let mut choices = Choices::from_bytes(bytes.get(end + 1..).unwrap_or_default());
    let gate: Gate = match text.parse() {
        Ok(gate) => gate,
        Err(error) => {
            let message = error.to_string();
            ensure!(message.contains("write FORMAT.METRIC"), "{text:?} is refused: {message}");
            return Ok(());
        }
    };
    ensure!(gate.text == text, "{text:?} is shown as {:?}", gate.text);
    let again = parse(&gate.to_string())?;
    ensure!(again.to_string() == gate.to_string(), "{gate} is read as {again}");
    let now = report(&mut choices);
    let old = report(&mut choices);
    let old = Some(&old).filter(|_| !choices.one_in(4));
    let decided = evaluate(&gate, &now, old);
    ensure!(!decided.detail.is_empty(), "{text:?}: a result without a detail");
    let found = decided.result;
    let repeated = evaluate(&again, &now, old).result;
    ensure!(repeated == found, "{text:?} gives {found:?}, and {again} gives {repeated:?}");
    let Some(opposite) = opposite(&gate) else { return Ok(()) };
    let expected = match found {
        GateResult::Pass => GateResult::Fail,
        GateResult::Fail => GateResult::Pass,
        GateResult::Undecided => GateResult::Undecided,
    };
    let other = evaluate(&parse(&opposite)?, &now, old).result;
    ensure!(
        other == expected,
        "{text:?} gives {found:?}, and the opposite {opposite:?} gives {other:?} for {:?}",
        now.rows
    );
    Ok(())
}

fn parse(text: &str) -> Result<Gate, Violation> {
    text.parse().map_err(|error| Violation(format!("{text:?}: {error}")))
}

/// Returns the text of the gate that holds if `gate` does not; `None` if the operator has no
/// opposite.
fn opposite(gate: &Gate) -> Option<String> {
    let text = gate.to_string();
    let [figure, operator, limit] = *text.split(' ').collect::<Vec<_>>() else { return None };
    let operator = match operator {
        "<=" => ">",
        ">" => "<=",
        "<" => ">=",
        ">=" => "<",
        _ => return None,
    };
    Some(format!("{figure} {operator} {limit}"))
}

/// Returns a part of a report from its JSON. Optional members may be left out.
fn part<T: DeserializeOwned>(json: Json) -> T {
    serde_json::from_value(json).expect("a part of a report")
}

static REPORT: LazyLock<Report> = LazyLock::new(|| {
    part(json!({
        "schema": SCHEMA,
        "tool": {"name": "", "version": "", "rustc": "", "profile": "release", "codings": {}},
        "host": {"os": "", "arch": ""},
        "options": null, "reference": "json", "delta": 0.02, "target_half_width": 0.01,
        "payloads": [], "lanes": [], "rows": [], "gates": [], "verdicts": [],
    }))
});

static ROW: LazyLock<Row> = LazyLock::new(|| {
    part(json!({
        "payload": "a.json", "lane": "rust", "library": "manywire", "library_version": "",
        "format": "json", "target": "dynamic", "buffer": "fresh", "status": "ok",
        "coded_bytes": {}, "header_bytes": 0, "coded": {}, "launches": 10, "warnings": [],
    }))
});

static SUMMARY: LazyLock<Summary> = LazyLock::new(|| part(json!({"clock": "wall", "samples": []})));

/// Returns a report with rows of some formats.
fn report(choices: &mut Choices<'_>) -> Report {
    let mut rows = Vec::new();
    for format in FORMATS {
        if !choices.one_in(4) {
            rows.push(row(format.format, choices));
        }
    }
    Report { rows, ..REPORT.clone() }
}

fn row(format: Format, choices: &mut Choices<'_>) -> Row {
    let size = |choices: &mut Choices<'_>| u64::from(choices.byte());
    let mut coded_bytes = BTreeMap::new();
    for level in ["gzip:6", "zstd:3", "br:4"] {
        if choices.one_in(2) {
            coded_bytes.insert(level.to_owned(), size(choices));
        }
    }
    Row {
        format,
        status: choices.pick(&["ok", "ok", "it cannot hold this"]).to_owned().into(),
        size_bytes: (!choices.one_in(4)).then(|| size(choices)),
        coded_bytes,
        encode: summary(choices),
        decode: summary(choices),
        ..ROW.clone()
    }
}

fn summary(choices: &mut Choices<'_>) -> Option<Summary> {
    let ratio = |choices: &mut Choices<'_>| f64::from(choices.byte()) / 64.0;
    let (low, more) = (ratio(choices), ratio(choices));
    let known = !choices.one_in(4);
    (!choices.one_in(6)).then(|| Summary {
        ratio: known.then_some(low + more / 2.0),
        ratio_low: known.then_some(low),
        ratio_high: known.then_some(low + more),
        allocs: (!choices.one_in(4)).then(|| ratio(choices)),
        ..SUMMARY.clone()
    })
}
