//! `--gate`: the text of gates, and their results for reports of any figures.

use std::collections::BTreeMap;

use manywire_format::{FORMATS, Format};
use manywire_tools::weigh::gate::{Gate, evaluate};
use manywire_tools::weigh::report::{
    Clock, GateResult, Host, Profile, Report, Row, SCHEMA, Summary, Tool,
};
use manywire_tools::weigh::subject::{Buffer, ValueKind};

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

/// Returns a report with rows of some formats.
fn report(choices: &mut Choices<'_>) -> Report {
    let mut rows = Vec::new();
    for format in FORMATS {
        if !choices.one_in(4) {
            rows.push(row(format.format, choices));
        }
    }
    Report {
        schema: SCHEMA.to_owned(),
        tool: Tool {
            name: String::new(),
            version: String::new(),
            rustc: String::new(),
            profile: Profile::Release,
            codings: BTreeMap::new(),
        },
        host: Host {
            os: String::new(),
            arch: String::new(),
            cpu: None,
            cores: None,
            kernel: None,
            governor: None,
            load: None,
        },
        options: serde_json::Value::Null,
        reference: Format::Json,
        delta: 0.02,
        target_half_width: 0.01,
        payloads: Vec::new(),
        payload_count: 1,
        hold_out: None,
        lanes: Vec::new(),
        rows,
        payload_comparisons: Vec::new(),
        fields: Vec::new(),
        gates: Vec::new(),
        baseline: None,
        notes: Vec::new(),
        verdicts: Vec::new(),
        answers: Vec::new(),
        differences: Vec::new(),
        interrupted: false,
        done: None,
    }
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
        payload: "a.json".to_owned(),
        lane: "rust".to_owned(),
        library: "manywire".to_owned(),
        library_version: String::new(),
        format,
        target: ValueKind::Dynamic,
        buffer: Buffer::Fresh,
        status: choices.pick(&["ok", "ok", "it cannot hold this"]).to_owned().into(),
        fidelity: None,
        size_bytes: (!choices.one_in(4)).then(|| size(choices)),
        size_spread: None,
        coded_bytes,
        header_bytes: 0,
        encode: summary(choices),
        decode: summary(choices),
        coded: BTreeMap::new(),
        reference: None,
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
        clock: Clock::Wall,
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
        ratio_samples: Vec::new(),
        mean_ns: None,
        standard_deviation_ns: None,
        slope_ns: None,
        r_squared: None,
    })
}
