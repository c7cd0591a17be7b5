//! Lines that say which lanes and formats a report has no rows of, and why rows have no figures.

use serde_json::Value;

use super::words::list;
use super::{Report, Row};
use crate::weigh::subject::ValueKind;

/// Texts, each with the names of those that it is about, in the order of first appearance.
#[derive(Default)]
struct Grouped(Vec<(String, Vec<String>)>);

impl Grouped {
    fn add(&mut self, text: &str, name: String) {
        match self.0.iter_mut().find(|(known, _)| known == text) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => self.0.push((text.to_owned(), vec![name])),
        }
    }

    /// Returns one line for each reason.
    fn reasons(self) -> Vec<String> {
        let line = |(reason, names): (String, Vec<String>)| {
            format!("no figures: {}: {reason}", names.join("; "))
        };
        self.0.into_iter().map(line).collect()
    }
}

/// Returns one line for each reason that lanes have no rows, then one line for each set of requested
/// formats that lanes have no library for.
pub(super) fn missing_from_lanes(report: &Report) -> Vec<String> {
    let mut reasons = Grouped::default();
    for note in &report.lanes {
        if let Some(reason) = note.status.short_reason() {
            reasons.add(reason, note.title.clone());
        }
    }
    let mut lines = reasons.reasons();
    lines.extend(missing_formats(report));
    lines
}

/// Returns one line for each set of requested formats that lanes with rows have no library for.
pub(crate) fn missing_formats(report: &Report) -> Vec<String> {
    let mut formats = Grouped::default();
    let requested = report.options["formats"].as_array().into_iter().flatten();
    let requested: Vec<&str> = requested.filter_map(Value::as_str).collect();
    for note in report.lanes.iter().filter(|note| note.status.is_ok()) {
        let has = |name: &&str| {
            let mut of_lane = report.rows.iter().filter(|row| row.lane == note.lane);
            of_lane.any(|row| row.format.name() == *name)
        };
        let without: Vec<&str> = requested.iter().copied().filter(|name| !has(name)).collect();
        if !without.is_empty() {
            formats.add(&list(&without), note.title.clone());
        }
    }
    let line = |(formats, lanes): &(String, Vec<String>)| {
        format!("no library for {formats} in {}", list(lanes))
    };
    formats.0.iter().map(line).collect()
}

/// Returns one line for each reason that rows have no figures.
pub(super) fn missing_figures(rows: &[&Row], report: &Report) -> Vec<String> {
    let mut reasons = Grouped::default();
    for row in rows {
        let Some(reason) = row.status.short_reason() else { continue };
        let language = report.title_of(&row.lane);
        let typed = if row.target == ValueKind::Typed { ", typed" } else { "" };
        reasons.add(reason, format!("{language} {} by {}{typed}", row.format, row.library));
    }
    reasons.reasons()
}
