//! `--evidence`: what was seen in every place, and why its type is what it is.

use manywire_shape::infer::{Evidence, Kind, Lengths};
use serde_json::{Map, Value as Json, json};

use super::samples::{Complaints, Samples};
use super::why::{plural, reasons};
use super::{document, input};
use crate::exit::{Exit, Refusal};
use crate::output;

pub(super) fn run(
    samples: &Samples,
    complaints: Complaints,
    as_json: bool,
) -> Result<Exit, Refusal> {
    let (inference, exit) = input::infer(samples, complaints)?;
    let evidence = inference.evidence();
    let text = if as_json {
        let places: Vec<Json> = evidence.iter().map(place).collect();
        document("evidence", json!({ "samples": inference.samples(), "places": places }))
    } else {
        table(&evidence)
    };
    Ok(exit.and(output::print(&text)))
}

/// A row a place: path, how often it was there, what was seen; the reasons below, indented.
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

/// A share in whole per cent, which is 0 or 100 only where it is exactly.
fn share(part: u64, whole: u64) -> String {
    let percent = 100.0 * part as f64 / whole as f64;
    match percent.round() {
        100.0 if part < whole => "> 99 %".to_owned(),
        0.0 if part > 0 => "< 1 %".to_owned(),
        percent => format!("{percent:.0} %"),
    }
}

/// What was seen, a kind after the other: `12 strings of 3 to 9 bytes, such as "rack"`.
fn seen(evidence: &Evidence) -> String {
    let kinds = evidence.kinds.iter().map(|(kind, count)| {
        let mut text = format!("{count} {}", plural(*kind, *count));
        match (kind, evidence.integers) {
            (Kind::Int, Some((min, max))) if min == max => text.push_str(&format!(" {min}")),
            (Kind::Int, Some((min, max))) => text.push_str(&format!(" {min} to {max}")),
            (Kind::Str, _) => text.push_str(&lengths(evidence.text, "byte")),
            (Kind::Bytes, _) => text.push_str(&lengths(evidence.bytes, "byte")),
            (Kind::Array, _) => text.push_str(&lengths(evidence.items, "item")),
            (Kind::Map, _) => {
                let keys = evidence.objects.and_then(|objects| objects.keys);
                text.push_str(&keys.map_or_else(String::new, |keys| match keys {
                    1 => " of 1 key".to_owned(),
                    keys => format!(" of {keys} keys"),
                }));
            }
            _ => {}
        }
        let example = evidence.examples.iter().find(|example| example.kind == *kind);
        let telling = !matches!(kind, Kind::Null | Kind::Int);
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

/// A path fit for a terminal.
fn visible(path: &str) -> String {
    path.chars().map(|c| if c.is_control() { '·' } else { c }).collect()
}

fn place(evidence: &Evidence) -> Json {
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
    // Integers of 128 bits are beyond JSON's readers: text says them exactly.
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
