//! Gates: conditions on a report, such as `msgpack.bytes<=json*0.8`, that decide the exit code.

use std::fmt;
use std::str::FromStr;

use manywire_format::{CodingLevel, Format, UnknownFormat};

use super::report;
use super::report::metric::{Size, Source};
use super::report::{GateResult, METRICS, Metric, Report, Row, number};

/// A condition `FORMAT.METRIC OP LIMIT`, such as `msgpack.bytes<=json*0.8`.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The gate as it was written.
    pub text: String,
    format: Format,
    metric: GateMetric,
    operator: Operator,
    limit: Limit,
}

/// The metric of a gate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum GateMetric {
    /// A metric of the table. Times are ratios with intervals, the others are exact.
    Named(&'static Metric),
    /// Bytes under a coding, exact.
    Coded(CodingLevel),
}

impl GateMetric {
    fn is_time(self) -> bool {
        matches!(self, GateMetric::Named(metric) if metric.is_time())
    }
}

impl fmt::Display for GateMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GateMetric::Named(metric) => f.write_str(metric.name),
            GateMetric::Coded(level) => level.fmt(f),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    LessOrEqual,
    GreaterOrEqual,
    Equal,
    Less,
    Greater,
}

impl Operator {
    /// All operators, longest first, so that `<=` is not read as `<`.
    const ALL: [Operator; 5] = [
        Operator::LessOrEqual,
        Operator::GreaterOrEqual,
        Operator::Equal,
        Operator::Less,
        Operator::Greater,
    ];

    /// Returns the sign in the text of gates.
    fn sign(self) -> &'static str {
        match self {
            Operator::LessOrEqual => "<=",
            Operator::GreaterOrEqual => ">=",
            Operator::Equal => "==",
            Operator::Less => "<",
            Operator::Greater => ">",
        }
    }
}

/// The limit of a gate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    /// A number; for a time, a ratio to the reference.
    Number(f64),
    /// A multiple of the same figure of another format in the same report.
    Format(Format, f64),
    /// A multiple of the same figure in the baseline.
    Baseline(f64),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Number(number) => number.fmt(f),
            Limit::Format(format, factor) => write!(f, "{format}*{factor}"),
            Limit::Baseline(factor) => write!(f, "baseline*{factor}"),
        }
    }
}

impl Gate {
    /// Returns whether the gate needs a baseline.
    pub fn needs_baseline(&self) -> bool {
        matches!(self.limit, Limit::Baseline(_))
    }

    /// Returns the coding whose sizes the gate needs.
    pub fn coding(&self) -> Option<CodingLevel> {
        match self.metric {
            GateMetric::Coded(level) => Some(level),
            GateMetric::Named(_) => None,
        }
    }
}

impl fmt::Display for Gate {
    /// Writes the gate in a uniform notation: `msgpack.bytes <= json*0.8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gate { format, metric, operator, limit, .. } = self;
        write!(f, "{format}.{metric} {} {limit}", operator.sign())
    }
}

/// The error for an invalid gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidGate {
    text: String,
    fault: GateFault,
}

/// The fault of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
enum GateFault {
    /// There is no operator.
    NoOperator,
    /// The text before the operator has no metric.
    NoMetric(String),
    /// The format is unknown.
    Format(UnknownFormat),
    /// The metric is unknown.
    Metric(String),
    /// The factor of a limit is no number.
    Factor(String),
    /// The limit is unknown.
    Limit(String),
    /// A time is compared for equality.
    EqualTime,
    /// A time is compared with that of a format.
    TimeOfFormat,
}

impl fmt::Display for GateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GateFault::NoOperator => f.write_str("expected an operator: <=, <, >=, > or =="),
            GateFault::NoMetric(figure) => write!(f, "{figure:?} names no metric"),
            GateFault::Format(error) => error.fmt(f),
            GateFault::Metric(name) => {
                let gated = METRICS.iter().filter(|metric| metric.is_gated);
                let names: Vec<&str> = gated.map(|metric| metric.name).collect();
                let names = names.join(", ");
                write!(
                    f,
                    "unknown metric {name:?}: expected one of {names}, or a coding such as gzip:6"
                )
            }
            GateFault::Factor(text) => write!(f, "invalid factor {text:?}"),
            GateFault::Limit(text) => {
                write!(f, "expected a number, a format or \"baseline\", found {text:?}")
            }
            GateFault::EqualTime => f.write_str("a time is never exactly equal; use <= or >="),
            GateFault::TimeOfFormat => f.write_str(
                "times are already ratios to the reference: compare with a number, such as 0.8",
            ),
        }
    }
}

impl fmt::Display for InvalidGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "gate {:?}: {}; write FORMAT.METRIC OP LIMIT, such as 'msgpack.bytes<=json*0.8' or 'protobuf.decode<=0.7'",
            self.text, self.fault
        )
    }
}

impl std::error::Error for InvalidGate {}

impl FromStr for Gate {
    type Err = InvalidGate;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).map_err(|fault| InvalidGate { text: text.to_owned(), fault })
    }
}

fn parse(text: &str) -> Result<Gate, GateFault> {
    // `min_by_key` keeps the first of two operators at one place, which is the longer one.
    let (at, operator) = Operator::ALL
        .into_iter()
        .filter_map(|operator| Some((text.find(operator.sign())?, operator)))
        .min_by_key(|&(at, _)| at)
        .ok_or(GateFault::NoOperator)?;
    let (figure, limit) = (text[..at].trim(), text[at + operator.sign().len()..].trim());
    let (format, metric) =
        figure.split_once('.').ok_or_else(|| GateFault::NoMetric(figure.to_owned()))?;
    let format = format.parse().map_err(GateFault::Format)?;
    let metric = parse_metric(metric)?;
    let limit = parse_limit(limit)?;
    if metric.is_time() && operator == Operator::Equal {
        return Err(GateFault::EqualTime);
    }
    if metric.is_time() && matches!(limit, Limit::Format(..)) {
        return Err(GateFault::TimeOfFormat);
    }
    Ok(Gate { text: text.to_owned(), format, metric, operator, limit })
}

fn parse_metric(name: &str) -> Result<GateMetric, GateFault> {
    if let Some(metric) = Metric::gated(name) {
        return Ok(GateMetric::Named(metric));
    }
    name.parse().map(GateMetric::Coded).map_err(|_| GateFault::Metric(name.to_owned()))
}

fn parse_limit(text: &str) -> Result<Limit, GateFault> {
    if let Some(number) = number(text) {
        return Ok(Limit::Number(number));
    }
    let (name, factor) = match text.split_once('*') {
        None => (text, 1.0),
        Some((name, factor)) => {
            let number = number(factor.trim());
            (name.trim(), number.ok_or_else(|| GateFault::Factor(factor.to_owned()))?)
        }
    };
    match name {
        "baseline" => Ok(Limit::Baseline(factor)),
        name => {
            let unknown = |_| GateFault::Limit(name.to_owned());
            name.parse().map(|format| Limit::Format(format, factor)).map_err(unknown)
        }
    }
}

/// Parses a finite number that is not negative.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

/// Decides a gate on the row of all payloads together if there is one, otherwise on every row; the
/// worst result of these rows counts.
///
/// A gate on a time passes if the whole interval satisfies the gate, fails if no part of the
/// interval does, and is undecided otherwise. A figure that was not measured leaves the gate
/// undecided.
pub fn evaluate(gate: &Gate, report: &Report, baseline: Option<&Report>) -> report::Gate {
    let ours = |row: &&Row| row.is_of_own_codec() && row.format == gate.format;
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
        let reason = row.status.reason().unwrap_or("not measured");
        return (GateResult::Undecided, format!("{}: {reason}", row.format));
    };
    let of = |row: Option<&Row>| self::figure(gate.metric, row?);
    let (base, factor, name) = match gate.limit {
        Limit::Number(number) => (Some(Figure::exact(number)), 1.0, "the limit"),
        Limit::Format(format, factor) => (of(find(report, row, format)), factor, format.name()),
        Limit::Baseline(factor) => {
            let before = baseline.and_then(|old| find(old, row, row.format));
            if let Some(reason) = before.and_then(|before| unlike(gate.metric, before, row)) {
                return (GateResult::Undecided, reason);
            }
            (of(before), factor, "the baseline")
        }
    };
    let Some(base) = base else {
        return (GateResult::Undecided, format!("{name} has no figure of this metric"));
    };
    let limit = base.times(factor);
    // The baseline's time is an interval too, so the gate is decided only if all four combinations
    // of ends agree.
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

/// Returns the reason that a time cannot be compared with the baseline: the two are ratios to
/// different subjects. `None` if a figure can be compared.
fn unlike(metric: GateMetric, before: &Row, now: &Row) -> Option<String> {
    let (before, now) = (before.reference.as_ref()?, now.reference.as_ref()?);
    (metric.is_time() && before != now)
        .then(|| format!("times of the baseline are ratios to {before}, these to {now}"))
}

/// A figure as an interval, which has no width if the figure is exact.
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

fn figure(metric: GateMetric, row: &Row) -> Option<Figure> {
    let bytes = |size: Size<'_>| size.of(row).map(|bytes| Figure::exact(bytes as f64));
    match metric {
        GateMetric::Coded(level) => bytes(Size::Coded(&level.to_string())),
        GateMetric::Named(Metric { source: Source::Size, .. }) => bytes(Size::Plain),
        GateMetric::Named(Metric { source: Source::Memory(memory), .. }) => {
            memory.of_both(row).map(Figure::exact)
        }
        GateMetric::Named(Metric { source: Source::Time(direction), .. }) => {
            let time = direction.of(row)?;
            Some(Figure { value: time.ratio?, low: time.ratio_low?, high: time.ratio_high? })
        }
    }
}

/// Returns the row of our own codec of a format, for the same payload and the same length in a
/// sweep.
fn find<'a>(report: &'a Report, like: &Row, format: Format) -> Option<&'a Row> {
    report
        .rows
        .iter()
        .find(|row| row.is_of_own_codec() && row.format == format && row.has_same_payload(like))
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

fn describe(metric: GateMetric, figure: Figure, limit: Figure) -> String {
    if !metric.is_time() {
        return format!("{} against {}", number::mean(figure.value), number::mean(limit.value));
    }
    let range = |figure: Figure| match figure.high - figure.low {
        0.0 => format!("{:.3}", figure.value),
        _ => format!("{:.3} ({:.3}–{:.3})", figure.value, figure.low, figure.high),
    };
    format!("{} against {}", range(figure), range(limit))
}
