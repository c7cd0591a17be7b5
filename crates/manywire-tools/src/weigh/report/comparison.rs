//! The rows of a report that may be compared with each other.

use super::{Report, Row};
use crate::weigh::subject::ValueKind;

/// The rows that may be compared with each other: one payload, one language, one kind of value.
pub(crate) struct Comparison<'r> {
    /// The payload that the rows are of; `*` for all.
    pub(crate) payload: &'r str,
    /// The language runtime.
    pub(crate) lane: &'r str,
    /// The kind of value.
    pub(crate) target: ValueKind,
    /// The rows that have figures.
    pub(crate) rows: Vec<&'r Row>,
}

/// Returns the comparisons of the main payload: all payloads together, or the only one.
pub(crate) fn comparisons(report: &Report) -> Vec<Comparison<'_>> {
    let main = main_payload(report);
    let mut all: Vec<Comparison<'_>> = Vec::new();
    let complete = report.rows.iter().filter(|row| row.status.is_ok() && row.sweep.is_none());
    for row in complete.filter(|row| row.payload == main) {
        let known = all.iter_mut().find(|it| it.lane == row.lane && it.target == row.target);
        match known {
            Some(comparison) => comparison.rows.push(row),
            None => all.push(Comparison {
                payload: &row.payload,
                lane: &row.lane,
                target: row.target,
                rows: vec![row],
            }),
        }
    }
    all
}

/// Returns the main payload: `*` if there are rows of all payloads together or no rows, otherwise
/// the payload of the first row.
pub(crate) fn main_payload(report: &Report) -> &str {
    let together = report.rows.iter().any(|row| row.payload == "*");
    if together { "*" } else { report.rows.first().map_or("*", |row| &row.payload) }
}

impl Comparison<'_> {
    /// Returns the name of the comparison for people: `Dynamic values in Node.js`.
    pub(crate) fn name(&self, report: &Report) -> String {
        let kind = match self.target {
            ValueKind::Typed => "Typed",
            ValueKind::Dynamic => "Dynamic",
        };
        format!("{kind} values in {}", report.title_of(self.lane))
    }

    /// Returns the name of a row: the format, and the library if several write the format.
    pub(crate) fn label(&self, row: &Row) -> String {
        match self.rows.iter().filter(|other| other.format == row.format).count() {
            1 => row.format.to_string(),
            _ => format!("{} by {}", row.format, row.library),
        }
    }
}

/// Returns whether a point of bytes and time is beaten: another point has no more of either, and
/// less of one of them.
pub(crate) fn is_beaten(
    (bytes, time): (f64, f64),
    mut others: impl Iterator<Item = (f64, f64)>,
) -> bool {
    others.any(|(other_bytes, other_time)| {
        let no_worse = other_bytes <= bytes && other_time <= time;
        no_worse && (other_bytes < bytes || other_time < time)
    })
}
