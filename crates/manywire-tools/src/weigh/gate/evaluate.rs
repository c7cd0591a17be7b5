use super::{Gate, Limit, Metric, Operator};
use crate::weigh::report::{self, GateResult, Report, Row, number};

/// Decides a gate: on the rows of all payloads together where there are such, else on every row.
///
/// A time passes only if its whole interval does, fails only if its whole interval does, and is
/// undecided in between. A figure that was not measured leaves the gate undecided.
pub fn evaluate(gate: &Gate, report: &Report, baseline: Option<&Report>) -> report::Gate {
    let ours =
        |row: &&Row| !row.in_lane && row.library == "manywire" && row.format == gate.format.name();
    let together = report.rows.iter().any(|row| row.payload == "*");
    let rows = report.rows.iter().filter(ours).filter(|row| !together || row.payload == "*");
    let decided: Vec<(GateResult, String)> =
        rows.map(|row| decide(gate, row, report, baseline)).collect();
    let (result, detail) = decided
        .into_iter()
        .max_by_key(|(result, _)| match result {
            GateResult::Pass => 0,
            GateResult::Undecided => 1,
            GateResult::Fail => 2,
        })
        .unwrap_or_else(|| (GateResult::Undecided, format!("{} was not weighed", gate.format)));
    report::Gate { text: gate.text.clone(), result, detail }
}

fn decide(
    gate: &Gate,
    row: &Row,
    report: &Report,
    baseline: Option<&Report>,
) -> (GateResult, String) {
    let Some(figure) = figure(gate.metric, row) else {
        let reason = if row.status == "ok" { "not measured" } else { &row.status };
        return (GateResult::Undecided, format!("{}: {reason}", row.format));
    };
    let of = |row: Option<&Row>| self::figure(gate.metric, row?);
    let (base, factor, name) = match gate.limit {
        Limit::Number(number) => (Some(Figure::exact(number)), 1.0, "the limit"),
        Limit::Format(format, factor) => {
            (of(find(report, row, format.name())), factor, format.name())
        }
        Limit::Baseline(factor) => {
            (of(baseline.and_then(|old| find(old, row, &row.format))), factor, "the baseline")
        }
    };
    let Some(base) = base else {
        return (GateResult::Undecided, format!("{name} has no such figure"));
    };
    let limit = base.times(factor);
    // A baseline's time is an interval too: the gate is decided if it is at every corner.
    let corners = [(figure.low, limit.low), (figure.low, limit.high)]
        .into_iter()
        .chain([(figure.high, limit.low), (figure.high, limit.high)]);
    let held = corners.filter(|&(figure, limit)| holds(gate.operator, figure, limit)).count();
    let result = match held {
        4 => GateResult::Pass,
        0 => GateResult::Fail,
        _ => GateResult::Undecided,
    };
    (result, describe(gate.metric, figure, limit))
}

/// A figure as an interval: of no width where it is exact.
#[derive(Clone, Copy)]
struct Figure {
    value: f64,
    low: f64,
    high: f64,
}

impl Figure {
    fn exact(value: f64) -> Self {
        Figure { value, low: value, high: value }
    }

    fn times(self, factor: f64) -> Self {
        Figure { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }
}

fn figure(metric: Metric, row: &Row) -> Option<Figure> {
    let exact = Figure::exact;
    let time = |summary: &Option<report::Summary>| {
        let summary = summary.as_ref()?;
        Some(Figure { value: summary.ratio?, low: summary.ratio_low?, high: summary.ratio_high? })
    };
    match metric {
        Metric::Bytes => row.size_bytes.map(|bytes| exact(bytes as f64)),
        Metric::Coded(level) => {
            row.coded_bytes.get(&level.to_string()).map(|&bytes| exact(bytes as f64))
        }
        Metric::Allocs => Some(exact(row.encode.as_ref()?.allocs? + row.decode.as_ref()?.allocs?)),
        Metric::Encode => time(&row.encode),
        Metric::Decode => time(&row.decode),
    }
}

/// The row of a format about the same payload.
fn find<'a>(report: &'a Report, like: &Row, format: &str) -> Option<&'a Row> {
    report.rows.iter().find(|row| {
        !row.in_lane
            && row.library == "manywire"
            && row.format == format
            && row.payload == like.payload
            && row.sweep == like.sweep
    })
}

fn holds(operator: Operator, figure: f64, limit: f64) -> bool {
    match operator {
        Operator::LessOrEqual => figure <= limit,
        Operator::Less => figure < limit,
        Operator::GreaterOrEqual => figure >= limit,
        Operator::Greater => figure > limit,
        Operator::Equal => figure == limit,
    }
}

fn describe(metric: Metric, figure: Figure, limit: Figure) -> String {
    if !metric.is_time() {
        return format!("{} against {}", number::mean(figure.value), number::mean(limit.value));
    }
    let range = |figure: Figure| match figure.high - figure.low {
        0.0 => format!("{:.3}", figure.value),
        _ => format!("{:.3} ({:.3}–{:.3})", figure.value, figure.low, figure.high),
    };
    format!("{} against {}", range(figure), range(limit))
}
