//! The report as text for a terminal: its tables, and lines about gates, baselines and verdicts.

use std::collections::{BTreeSet, HashMap};

use super::grid::Style;
use super::metric::codings;
use super::missing::{missing_figures, missing_from_lanes};
use super::overview::overview;
use super::payloads::payload_tables;
use super::table::{footnotes, grid, heading};
use super::words::{list, push_wrapped};
use super::{Answer, GateResult, Report, Row};

/// The meaning of the marks beside ratios.
const LEGEND: &str = "▼ less time than the reference, ▲ more, = the same within δ, ~ undecided";

/// Returns the whole report for a terminal: for each payload the answer, the table and its footnotes,
/// then gates, and verdicts in detail. The legend, and what lanes have no rows of, stand below the
/// first table.
pub fn text(report: &Report, style: Style) -> String {
    let mut text = String::new();
    let paragraph = |text: &mut String, line: &str| {
        push_wrapped(text, line, "", style.width);
        text.push('\n');
    };
    report.interruption().iter().for_each(|interruption| paragraph(&mut text, interruption));
    let by_language = !report.is_by_format() && !style.verbose;
    let is_same_table = |left: &Row, right: &Row| {
        left.has_same_payload(right) && (by_language || left.lane == right.lane)
    };
    // Only ratios of times have marks.
    let is_timed = report.rows.iter().any(|row| row.launches > 0);
    let legend = is_timed.then(|| LEGEND.to_owned());
    let deltas = (is_timed && by_language).then(|| deltas(report));
    let mut first_notes: Vec<String> =
        legend.into_iter().chain(deltas).chain(missing_from_lanes(report)).collect();
    for rows in report.rows.chunk_by(is_same_table) {
        let rows: Vec<&Row> = rows.iter().collect();
        let mut notes = std::mem::take(&mut first_notes);
        if by_language {
            text.push_str(&overview(&rows, report, style));
            notes.extend(missing_figures(&rows, report));
        } else {
            for answer in report.answers.iter().filter(|answer| is_of(answer, rows[0])) {
                paragraph(&mut text, &answer.text);
            }
            push_wrapped(&mut text, &heading(&rows, report), "", style.width);
            text.push_str(&grid(&rows, report).render(style));
        }
        notes.iter().for_each(|note| push_wrapped(&mut text, note, "  ", style.width));
        text.push_str(&footnotes(&rows, report, style));
        text.push('\n');
    }
    text.push_str(&payload_tables(report, style));
    let mut say = |line: String| push_wrapped(&mut text, &line, "", style.width);
    report.notes.iter().cloned().for_each(&mut say);
    coding_libraries(report).into_iter().for_each(&mut say);
    conclusions(report).into_iter().for_each(&mut say);
    for verdict in &report.verdicts {
        // The answers are already above their tables, or the overview shows the same.
        let is_answer = report.answers.iter().any(|answer| answer.text == *verdict);
        if report.differences.contains(verdict) || style.verbose && !is_answer {
            say(format!("- {verdict}"));
        }
    }
    if by_language {
        say("--verbose shows all rows".to_owned());
    } else if !style.verbose && !report.verdicts.is_empty() {
        say("--verbose compares each format and library in words".to_owned());
    }
    text
}

/// Returns δ of the languages that were measured: `δ: 2 % in Rust; 5 % in Go and Node.js`. Tables of one
/// language have it in their heading.
fn deltas(report: &Report) -> String {
    let mut deltas: Vec<(f64, Vec<&str>)> = Vec::new();
    for note in report.lanes.iter().filter(|note| note.status.is_ok()) {
        match deltas.iter_mut().find(|(delta, _)| *delta == note.delta) {
            Some((_, titles)) => titles.push(&note.title),
            None => deltas.push((note.delta, vec![note.title.as_str()])),
        }
    }
    let part = |(delta, titles): &(f64, Vec<&str>)| {
        format!("{} % in {}", (delta * 1e5).round() / 1e3, list(titles))
    };
    format!("δ: {}", deltas.iter().map(part).collect::<Vec<_>>().join("; "))
}

/// Returns one line for each gate.
pub(crate) fn gate_lines(report: &Report) -> impl Iterator<Item = String> {
    report.gates.iter().map(|gate| {
        let word = match gate.result {
            GateResult::Pass => "pass",
            GateResult::Fail => "FAIL",
            GateResult::Undecided => "undecided",
        };
        format!("gate {word}: {} ({})", gate.text, gate.detail)
    })
}

/// Returns one line for each gate, and for each difference from the baseline.
pub(super) fn conclusions(report: &Report) -> Vec<String> {
    let mut lines: Vec<String> = gate_lines(report).collect();
    if let Some(baseline) = &report.baseline {
        let found = baseline.differences.iter().chain(&baseline.changes).map(String::as_str);
        let none = baseline.changes.is_empty().then_some("nothing changed beyond the intervals");
        lines.extend(found.chain(none).map(|line| format!("baseline {}: {line}", baseline.file)));
    }
    lines
}

/// Returns whether an answer is about the table of a row.
fn is_of(answer: &Answer, row: &Row) -> bool {
    (&answer.payload, &answer.sweep, &answer.lane) == (&row.payload, &row.sweep, &row.lane)
}

/// Names the libraries that compressed, which decide sizes at a level, and says why rows of equal
/// size may compress to different sizes. `None` if nothing was compressed.
fn coding_libraries(report: &Report) -> Option<String> {
    let used: BTreeSet<&str> =
        codings(&report.rows).into_iter().filter_map(|coding| coding.split(':').next()).collect();
    let named = report.tool.codings.iter().filter(|(coding, _)| used.contains(coding.as_str()));
    let named: Vec<String> =
        named.map(|(coding, library)| format!("{coding} by {library}")).collect();
    if named.is_empty() {
        return None;
    }
    let mut sizes = HashMap::new();
    let order = report.rows.iter().filter(|row| !row.coded_bytes.is_empty()).any(|row| {
        let sweep = row.sweep.as_ref().map(|sweep| (&sweep.path, sweep.length));
        let key = (&row.payload, sweep, row.format.name(), row.size_bytes);
        *sizes.entry(key).or_insert(&row.coded_bytes) != &row.coded_bytes
    });
    let order = match order {
        true => {
            "; rows with equal bytes compress to different sizes if their libraries write the keys \
             in another order"
        }
        false => "",
    };
    Some(format!("compressed sizes: {}{order}", named.join(", ")))
}
