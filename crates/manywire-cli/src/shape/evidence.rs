//! `--evidence`: shows the values at every path of the samples, and the reasons for its inferred
//! type.

use manywire_shape::infer::{Evidence, Lengths, SampleKind};
use serde_json::{Map, Value as Json, json};

use crate::exit::{CommandError, Exit};
use crate::output;

use super::input::{self, ReadErrors, Samples};
use super::json::document;

pub(super) fn run(
    samples: &Samples,
    errors: ReadErrors,
    as_json: bool,
) -> Result<Exit, CommandError> {
    let (inference, exit) = input::infer(samples, errors)?;
    let evidence = inference.evidence();
    let text = if as_json {
        let places: Vec<Json> = evidence.iter().map(evidence_json).collect();
        document("evidence", json!({ "samples": inference.samples(), "places": places }))
    } else {
        table(&evidence)
    };
    Ok(exit.and(output::print(&text)))
}

/// Formats a row for each path: the share of objects that have it, and the values seen. The reasons
/// for its type follow, indented.
fn table(evidence: &[Evidence]) -> String {
    let paths: Vec<String> = evidence.iter().map(|it| visible(&it.path)).collect();
    let width = paths.iter().map(|path| path.chars().count()).max().unwrap_or_default().min(48);
    let mut text = format!("{:width$}  present  seen\n", "path");
    for (evidence, path) in evidence.iter().zip(&paths) {
        let present = match evidence.seen + evidence.absent {
            0 => "-".to_owned(),
            objects => share(evidence.seen, objects),
        };
        text.push_str(&format!("{path:width$}  {present:>7}  {}\n", seen(evidence)));
        for reason in reasons(evidence) {
            text.push_str(&format!("{:width$}             {reason}\n", ""));
        }
    }
    text
}

/// Formats a share in whole per cent. Returns `0 %` or `100 %` only if the share is exactly 0 or 1.
fn share(part: u64, whole: u64) -> String {
    let percent = 100.0 * part as f64 / whole as f64;
    match percent.round() {
        100.0 if part < whole => "> 99 %".to_owned(),
        0.0 if part > 0 => "< 1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// Describes the values seen, by kind: `12 strings of 3 to 9 bytes, such as "rack"`.
fn seen(evidence: &Evidence) -> String {
    let kinds = evidence.kinds.iter().map(|(kind, count)| {
        let mut text = format!("{count} {}", plural(*kind, *count));
        match (kind, evidence.integers) {
            (SampleKind::Int, Some((min, max))) if min == max => text.push_str(&format!(" {min}")),
            (SampleKind::Int, Some((min, max))) => text.push_str(&format!(" {min} to {max}")),
            (SampleKind::Str, _) => text.push_str(&lengths(evidence.text, "byte")),
            (SampleKind::Bytes, _) => text.push_str(&lengths(evidence.bytes, "byte")),
            (SampleKind::Array, _) => text.push_str(&lengths(evidence.items, "item")),
            (SampleKind::Map, _) => {
                let keys = evidence.objects.and_then(|objects| objects.keys);
                text.push_str(&keys.map_or_else(String::new, |keys| match keys {
                    1 => " of 1 key".to_owned(),
                    keys => format!(" of {keys} keys"),
                }));
            }
            _ => {}
        }
        let example = evidence.examples.iter().find(|example| example.kind == *kind);
        let telling = !matches!(kind, SampleKind::Null | SampleKind::Int);
        match example.filter(|example| telling && !example.text.is_empty()) {
            Some(example) => format!("{text}, such as {}", example.text),
            None => text,
        }
    });
    let kinds: Vec<String> = kinds.collect();
    if kinds.is_empty() { "nothing".to_owned() } else { kinds.join("; ") }
}

fn lengths(lengths: Option<Lengths>, unit: &str) -> String {
    match lengths {
        None => String::new(),
        Some(Lengths { min, max, .. }) if min == max => {
            format!(" of {max} {unit}{}", if max == 1 { "" } else { "s" })
        }
        Some(Lengths { min, max, .. }) => format!(" of {min} to {max} {unit}s"),
    }
}

/// Replaces control characters in a path, so that a terminal does not interpret them.
fn visible(path: &str) -> String {
    path.chars().map(|c| if c.is_control() { '·' } else { c }).collect()
}

fn evidence_json(evidence: &Evidence) -> Json {
    let range = |lengths: Option<Lengths>| {
        lengths.map(|it| json!({ "min": it.min, "max": it.max, "total": it.total }))
    };
    let kinds: Map<String, Json> = evidence
        .kinds
        .iter()
        .map(|(kind, count)| (kind.word().to_owned(), (*count).into()))
        .collect();
    let examples = evidence.examples.iter().filter(|example| !example.text.is_empty());
    let examples = examples.map(|example| {
        json!({ "kind": example.kind.word(), "sample": example.sample, "text": example.text })
    });
    // Most JSON readers cannot represent integers of 128 bits, so these are strings.
    let integers = evidence
        .integers
        .map(|(min, max)| json!({ "min": min.to_string(), "max": max.to_string() }));
    json!({
        "path": evidence.path,
        "seen": evidence.seen,
        "absent": evidence.absent,
        "repeats": evidence.repeats,
        "kinds": kinds,
        "integers": integers,
        "inexact_integers": evidence.inexact,
        "text_bytes": range(evidence.text),
        "bytes": range(evidence.bytes),
        "items": range(evidence.items),
        "keys": evidence.objects.and_then(|objects| objects.keys),
        "keys_once": evidence.objects.and_then(|objects| objects.once),
        "truncated": evidence.truncated,
        "examples": examples.collect::<Vec<_>>(),
        "reasons": reasons(evidence),
    })
}

/// Describes the reasons for the inferred type.
pub(super) fn reasons(evidence: &Evidence) -> Vec<String> {
    let mut reasons = Vec::new();
    let count = |kind: SampleKind| {
        evidence.kinds.iter().find(|(seen, _)| *seen == kind).map_or(0, |(_, count)| *count)
    };
    let objects = evidence.seen + evidence.absent;
    if evidence.absent > 0 {
        reasons.push(format!("may be absent: {} of {objects} objects lack it", evidence.absent));
    }
    if count(SampleKind::Null) > 0 && evidence.kinds.len() > 1 {
        reasons.push(format!("may be null: {} of {} are", count(SampleKind::Null), evidence.seen));
    }
    if evidence.kinds.iter().all(|(kind, _)| *kind == SampleKind::Null) {
        let seen = if evidence.seen == 0 { "nothing was seen here" } else { "only null was seen" };
        reasons.push(format!("null: {seen}"));
    }
    if evidence.truncated {
        reasons.push("anything: too deep or too large to examine".to_owned());
    }
    for kind in [SampleKind::Number, SampleKind::Ext] {
        if count(kind) > 0 {
            reasons.push(format!("anything: {} {}", count(kind), plural(kind, count(kind))));
        }
    }
    numbers(evidence, &count, &mut reasons);
    if let Some(why) = evidence.objects.and_then(|objects| objects.map) {
        reasons.push(format!("a map: {why}"));
    }
    let kinds: Vec<&str> = branches(evidence);
    if kinds.len() > 1 && !evidence.truncated {
        reasons.push(format!("a union of {}", kinds.join(" and ")));
    }
    if evidence.repeats > 0 {
        reasons.push(format!("{} objects have the key twice: the last counts", evidence.repeats));
    }
    reasons
}

fn numbers(evidence: &Evidence, count: &dyn Fn(SampleKind) -> u64, reasons: &mut Vec<String>) {
    let floats = count(SampleKind::F32) + count(SampleKind::F64);
    let ints = count(SampleKind::Int);
    if let Some((min, max)) = evidence.integers {
        match (floats > 0, evidence.inexact) {
            (true, 0) => {
                reasons.push(format!(
                    "f64: {ints} {} among {floats} {}, all exact as one",
                    plural(SampleKind::Int, ints),
                    plural(SampleKind::F64, floats)
                ));
                return;
            }
            (true, inexact) => {
                reasons.push(format!("integers apart from floats: {inexact} would be rounded"));
            }
            (false, _) => {}
        }
        match (min < 0, max > i64::MAX.into()) {
            (true, true) => reasons.push("i128: negative ones, and some beyond 2^63".to_owned()),
            (false, true) => reasons.push("u64: some are beyond 2^63".to_owned()),
            (true, false) => {
                reasons.push("zigzag in Protocol Buffers: some are negative".to_owned())
            }
            (false, false) => {}
        }
    } else if count(SampleKind::F32) > 0 && count(SampleKind::F64) == 0 {
        reasons.push("f32: no float has more than 32 bits".to_owned());
    }
}

/// Returns the kinds that are separate branches of a union in the shape.
fn branches(evidence: &Evidence) -> Vec<&'static str> {
    let has = |wanted: SampleKind| evidence.kinds.iter().any(|(kind, _)| *kind == wanted);
    let floats = has(SampleKind::F32) || has(SampleKind::F64);
    let kinds = evidence.kinds.iter().map(|(kind, _)| *kind).filter(|kind| match kind {
        SampleKind::Null | SampleKind::Number | SampleKind::Ext => false,
        SampleKind::F32 => !has(SampleKind::F64),
        SampleKind::Int => !floats || evidence.inexact > 0,
        _ => true,
    });
    kinds.map(SampleKind::word).collect()
}

/// Returns the noun for `count` values of a kind.
pub(super) fn plural(kind: SampleKind, count: u64) -> String {
    let word = kind.word();
    match (count, kind) {
        (1, _) | (_, SampleKind::Null | SampleKind::Bytes) => word.to_owned(),
        (_, SampleKind::Number) => "numbers that no 64-bit type holds".to_owned(),
        _ => format!("{word}s"),
    }
}
