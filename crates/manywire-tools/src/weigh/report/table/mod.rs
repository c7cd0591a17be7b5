//! The report as a table for a terminal.

mod cells;
mod grid;
mod note;

use std::fmt::Write;

use self::grid::Grid;
use super::number;
use super::{GateResult, Report, Row, given};

/// What the table shows besides the rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Whether to colour with ANSI escapes.
    pub color: bool,
    /// Whether to add the lines with mean, standard deviation and fit.
    pub verbose: bool,
}

/// The whole report for a terminal: tables, warnings, gates, verdicts.
pub fn table(report: &Report, style: Style) -> String {
    let mut text = String::new();
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in &report.rows {
        match groups.last_mut() {
            Some(group)
                if group[0].payload == row.payload
                    && group[0].sweep == row.sweep
                    && group[0].lane == row.lane
                    && group[0].in_lane == row.in_lane =>
            {
                group.push(row);
            }
            _ => groups.push(vec![row]),
        }
    }
    for group in &groups {
        text.push_str(&heading(group, report));
        text.push_str(&Grid::of(group).render(style));
        text.push_str(&note::footnotes(group, report, style));
        text.push('\n');
    }
    for gate in &report.gates {
        let word = match gate.result {
            GateResult::Pass => "pass",
            GateResult::Fail => "FAIL",
            GateResult::Undecided => "undecided",
        };
        writeln!(text, "gate {word}: {} ({})", gate.text, gate.detail)
            .expect("writing to a string");
    }
    if let Some(baseline) = &report.baseline {
        for line in baseline.differences.iter().chain(&baseline.changes) {
            writeln!(text, "baseline {}: {line}", baseline.file).expect("writing to a string");
        }
    }
    for verdict in &report.verdicts {
        writeln!(text, "- {verdict}").expect("writing to a string");
    }
    text
}

fn heading(group: &[&Row], report: &Report) -> String {
    let row = group[0];
    let mut parts = Vec::new();
    parts.push(match (&row.sweep, row.payload.as_str()) {
        (Some(sweep), _) => format!("{} = {}", sweep.path, sweep.length),
        (None, "*") => format!("{} payloads", number::count(report.payload_count)),
        (None, name) => match report.count_of(name) {
            1 => name.to_owned(),
            count => format!("{name} · {} payloads", number::count(count)),
        },
    });
    if row.in_lane {
        return lane_heading(group, report, parts);
    }
    if row.sweep.is_none() {
        let payloads = report.payloads_of(&row.payload);
        parts.push(given(payloads.map(|given| (given.bytes, given.made_from.as_deref()))));
    }
    let launches = group.iter().map(|row| row.launches).max().unwrap_or(0);
    if launches > 0 {
        parts.push(format!("{launches} launches"));
        parts.push(format!("times as ratio to {}, 95 % intervals", report.reference));
    }
    parts.join(" · ") + "\n"
}

/// What a table of another language is headed by: the runtime, and what its ratios mean.
fn lane_heading(group: &[&Row], report: &Report, mut parts: Vec<String>) -> String {
    let lane = &group[0].lane;
    let note = report.lanes.iter().find(|note| note.lane == *lane);
    let runtime = note.and_then(|note| note.runtime.as_deref());
    parts.push(format!("{lane}: {}", runtime.unwrap_or("its runtime is unknown")));
    let launches = group.iter().map(|row| row.launches).max().unwrap_or(0);
    if launches > 0 {
        parts.push(format!("{launches} launches"));
        let reference = group.iter().find(|row| {
            let word = row.encode.as_ref().and_then(|summary| summary.verdict.as_deref());
            word == Some("reference")
        });
        let by = reference.map(|row| format!(" by {}", row.library)).unwrap_or_default();
        let delta = note.map_or(report.delta, |note| note.delta) * 100.0;
        parts.push(format!("times as ratio to {}{by}, δ {delta:.0} %", report.reference));
    }
    parts.join(" · ") + "\n"
}
