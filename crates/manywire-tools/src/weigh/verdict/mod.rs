//! The report in words.
//!
//! Only what was measured is said, and what could not be settled is called that.

mod format;
mod lanes;
mod library;
mod summary;

use crate::weigh::report::{Report, Row, Summary};
use crate::weigh::statistics::Interval;

/// What a reader should take away: which format is best at what, then a line a format, then what
/// the library changes.
pub fn words(report: &Report) -> Vec<String> {
    let mut verdicts = Vec::new();
    for reference in report.rows.iter().filter(|row| is_reference(row, report)) {
        let group: Vec<&Row> =
            report.rows.iter().filter(|row| same_group(row, reference)).collect();
        let mut say = |text: String| verdicts.push(prefix(reference, report) + &text);
        summary::words(&group, report).into_iter().for_each(&mut say);
        if reference.status != "ok" {
            let why = &reference.status;
            say(format!("{} is out, so nothing is compared with it: {why}.", reference.format));
            continue;
        }
        for row in group.iter().filter(|row| ours(row) && row.format != reference.format) {
            say(format::words(row, reference, report));
        }
        for row in group.iter().filter(|row| !ours(row)) {
            let ours = group.iter().find(|other| ours(other) && other.format == row.format);
            ours.and_then(|ours| library::words(row, ours, report)).into_iter().for_each(&mut say);
        }
        let about = |row: &&Row| row.payload == reference.payload && row.sweep == reference.sweep;
        let every: Vec<&Row> = report.rows.iter().filter(about).collect();
        lanes::words(&every, report).into_iter().for_each(&mut say);
    }
    verdicts
}

fn ours(row: &Row) -> bool {
    row.library == "manywire" && !row.in_lane
}

fn is_reference(row: &Row, report: &Report) -> bool {
    ours(row) && row.format == report.reference
}

fn same_group(row: &Row, reference: &Row) -> bool {
    row.payload == reference.payload
        && row.sweep == reference.sweep
        && row.in_lane == reference.in_lane
        && row.target == reference.target
}

/// Which table a sentence is about, where there are several.
fn prefix(row: &Row, report: &Report) -> String {
    let several = report.rows.iter().any(|other| other.payload != row.payload);
    match &row.sweep {
        Some(sweep) => format!("{} = {}: ", sweep.path, sweep.length),
        None if several && row.payload == "*" => "all payloads: ".to_owned(),
        None if several => format!("{}: ", row.payload),
        None => String::new(),
    }
}

/// The bytes of one operation: those of one payload, on average where there are several.
fn bytes(row: &Row, report: &Report) -> Option<f64> {
    Some(row.size_bytes? as f64 / report.count_of(&row.payload) as f64)
}

/// The ratio of two times that were taken launch by launch; `None` unless every launch has both.
fn ratio(mine: &[f64], theirs: &[f64]) -> Option<Interval> {
    if mine.len() != theirs.len() {
        return None;
    }
    let logs: Vec<f64> =
        mine.iter().zip(theirs).map(|(mine, theirs)| (mine / theirs).ln()).collect();
    Interval::of(&logs)
}

fn samples(summary: Option<&Summary>) -> &[f64] {
    summary.map_or(&[], |summary| &summary.samples)
}

/// The time of one encoding and one decoding together, launch by launch.
fn both_ways(row: &Row) -> Option<Vec<f64>> {
    let (encode, decode) = (samples(row.encode.as_ref()), samples(row.decode.as_ref()));
    (encode.len() == decode.len())
        .then(|| encode.iter().zip(decode).map(|(encode, decode)| encode + decode).collect())
}

/// `a`, `a and b`, `a, b and c`.
fn list(words: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
    }
}
