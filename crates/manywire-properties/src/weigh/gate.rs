//! `--gate`: the result for a report of any figures, compared with an independent evaluation.

use std::collections::BTreeMap;

use manywire_format::{CodingLevel, FORMATS, Format};
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
    let expected = parse_gate(&text);
    let gate = match text.parse::<Gate>() {
        Ok(gate) => gate,
        Err(error) => {
            ensure!(expected.is_none(), "valid gate {text:?} was refused: {error}");
            let message = error.to_string();
            ensure!(message.contains("write FORMAT.METRIC"), "{text:?} is refused: {message}");
            return Ok(());
        }
    };
    let Some(GateParts { figure, operator, limit }) = expected else {
        return Err(Violation(format!("invalid gate {text:?} was accepted")));
    };
    ensure!(gate.text == text, "{text:?} is shown as {:?}", gate.text);
    let now = report(&mut choices);
    let old = report(&mut choices);
    let old = Some(&old).filter(|_| !choices.one_in(4));
    let decided = evaluate(&gate, &now, old);
    ensure!(!decided.detail.is_empty(), "{text:?}: a result without a detail");
    let found = decided.result;
    let expected = decide(&figure, operator, &limit, &now, old);
    ensure!(found == expected, "{text:?} of {:?}: {found:?}, not {expected:?}", now.rows);
    // The opposite gate must have the opposite result.
    let opposite = match operator {
        "<=" => ">",
        ">" => "<=",
        "<" => ">=",
        ">=" => "<",
        _ => return Ok(()),
    };
    let contrary = format!("{figure}{opposite}{limit}");
    let parsed = contrary.parse::<Gate>().map_err(|error| Violation(error.to_string()))?;
    let other = evaluate(&parsed, &now, old).result;
    let expected = match found {
        GateResult::Pass => GateResult::Fail,
        GateResult::Fail => GateResult::Pass,
        GateResult::Undecided => GateResult::Undecided,
    };
    ensure!(
        other == expected,
        "{text:?} gives {found:?}, and the opposite {contrary:?} gives {other:?}"
    );
    Ok(())
}

/// The parts of a gate.
struct GateParts {
    figure: String,
    operator: &'static str,
    limit: String,
}

/// Parses a gate; returns `None` if the text is invalid.
fn parse_gate(text: &str) -> Option<GateParts> {
    let at = text.find(['<', '>']).into_iter().chain(text.find("==")).min()?;
    let known = ["<=", ">=", "==", "<", ">"];
    let operator = known.into_iter().find(|operator| text[at..].starts_with(operator))?;
    let (figure, limit) = (text[..at].trim(), text[at + operator.len()..].trim());
    let (format, metric) = figure.split_once('.')?;
    format.parse::<Format>().ok()?;
    let is_time = matches!(metric, "encode" | "decode");
    let exact = matches!(metric, "bytes" | "allocs") || metric.parse::<CodingLevel>().is_ok();
    let (base, factor) = parse_limit(limit)?;
    (factor.is_finite() && factor >= 0.0).then_some(())?;
    let fits = match base {
        LimitBase::Number => true,
        LimitBase::Baseline => true,
        LimitBase::Format(_) => !is_time,
    };
    let fits = fits && (exact || is_time && operator != "==");
    fits.then(|| GateParts { figure: figure.to_owned(), operator, limit: limit.to_owned() })
}

/// The base of a limit's factor.
enum LimitBase {
    Number,
    Format(Format),
    Baseline,
}

fn parse_limit(limit: &str) -> Option<(LimitBase, f64)> {
    let is_number = |text: &str| text.parse::<f64>().ok().filter(|it| it.is_finite() && *it >= 0.0);
    if let Some(number) = is_number(limit) {
        return Some((LimitBase::Number, number));
    }
    let (name, factor) =
        limit.split_once('*').map_or((limit, "1"), |(it, by)| (it.trim(), by.trim()));
    let of = match name {
        "baseline" => LimitBase::Baseline,
        name => LimitBase::Format(name.parse().ok()?),
    };
    Some((of, is_number(factor)?))
}

/// Returns the expected result for a report with one row per format.
fn decide(
    figure: &str,
    operator: &str,
    limit: &str,
    now: &Report,
    old: Option<&Report>,
) -> GateResult {
    let undecided = GateResult::Undecided;
    let Some((format, metric)) = figure.split_once('.') else { return undecided };
    let Ok(format) = format.parse::<Format>() else { return undecided };
    let of = |report: &Report, format: Format| interval(report, format, metric);
    let base = parse_limit(limit).and_then(|(limit_base, factor)| {
        let (low, high) = match limit_base {
            LimitBase::Number => return Some((factor, factor)),
            LimitBase::Format(other) => of(now, other)?,
            LimitBase::Baseline => of(old?, format)?,
        };
        Some((low * factor, high * factor))
    });
    let (Some(figure), Some(base)) = (of(now, format), base) else { return undecided };
    let holds = |left: f64, right: f64| match operator {
        "<=" => left <= right,
        "<" => left < right,
        ">=" => left >= right,
        ">" => left > right,
        _ => left == right,
    };
    let ends = [(figure.0, base.0), (figure.0, base.1), (figure.1, base.0), (figure.1, base.1)];
    match ends.into_iter().filter(|(left, right)| holds(*left, *right)).count() {
        4 => GateResult::Pass,
        0 => GateResult::Fail,
        _ => undecided,
    }
}

/// Returns the interval of a figure, if it was measured.
fn interval(report: &Report, format: Format, metric: &str) -> Option<(f64, f64)> {
    let row = report.rows.iter().find(|row| row.format == format)?;
    let time = |it: &Option<Summary>| {
        let it = it.as_ref()?;
        it.ratio.and(Some((it.ratio_low?, it.ratio_high?)))
    };
    let exact = |number: f64| (number, number);
    match metric {
        "bytes" => row.size_bytes.map(|size| exact(size as f64)),
        "encode" => time(&row.encode),
        "decode" => time(&row.decode),
        "allocs" => {
            let (encode, decode) = (row.encode.as_ref()?, row.decode.as_ref()?);
            Some(exact(encode.allocs? + decode.allocs?))
        }
        coding => {
            let level = coding.parse::<CodingLevel>().ok()?.to_string();
            row.coded_bytes.get(&level).map(|size| exact(*size as f64))
        }
    }
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
