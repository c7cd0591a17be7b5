//! The rows as CSV (RFC 4180), one row a line, for a spreadsheet.

use manywire_shape::fidelity::Loss;

use super::compare::Direction;
use super::metric::{Size, codings, memory};
use super::missing::missing_formats;
use super::text::conclusions;
use super::{Reference, Report, Row, Summary};

/// Returns the report as CSV: a header line and a line per row. Cells without a measurement are
/// empty. [`notes_beside_rows`] returns the lines about the whole report.
pub fn csv(report: &Report) -> String {
    let sizes = Size::of_rows(&report.rows);
    let operations = Timed::of_rows(&report.rows);
    let mut head: Vec<String> = FIXED.iter().map(|&name| name.to_owned()).collect();
    head.extend(sizes.iter().map(|size| size.csv()));
    for operation in &operations {
        let verb = operation.name();
        head.extend(operation.figures().map(|(name, _)| format!("{verb} {name}")));
        head.push(format!("{verb} verdict"));
    }
    head.extend(REFERENCE.into_iter().chain(CONDITIONS).map(str::to_owned));
    let mut text = line(&head);
    for row in &report.rows {
        text.push_str(&line(&cells(row, &sizes, &operations)));
    }
    text
}

/// Returns the lines of a report that have no place in CSV: sentences about the whole measurement,
/// requested formats without rows, gates, and differences from the baseline. Comparisons of payloads
/// are only mentioned.
pub fn notes_beside_rows(report: &Report) -> Vec<String> {
    let mut notes = report.notes.clone();
    notes.extend(missing_formats(report));
    if !report.payload_comparisons.is_empty() {
        notes.push(
            "CSV has no comparisons of payloads: --json, --html and --markdown write them"
                .to_owned(),
        );
    }
    notes.extend(conclusions(report));
    notes
}

const FIXED: [&str; 12] = [
    "payload",
    "sweep path",
    "sweep length",
    "lane",
    "library",
    "library version",
    "format",
    "target",
    "buffer",
    "status",
    "fidelity",
    "launches",
];

/// The subject that ratios are relative to.
const REFERENCE: [&str; 3] = ["reference library", "reference format", "reference target"];

/// The clock of the ratios, and the warnings about the row.
const CONDITIONS: [&str; 2] = ["clock", "warnings"];

type Figure = fn(&Summary) -> Option<f64>;

/// The figures of a time.
const TIMES: [(&str, Figure); 7] = [
    ("ns", |summary| summary.ns),
    ("ns low", |summary| summary.ns_low),
    ("ns high", |summary| summary.ns_high),
    ("cpu ns", |summary| summary.cpu_ns),
    ("ratio", |summary| summary.ratio),
    ("ratio low", |summary| summary.ratio_low),
    ("ratio high", |summary| summary.ratio_high),
];

/// An operation whose times have columns: a direction, alone or with a content coding.
struct Timed<'r> {
    direction: Direction,
    coding: Option<&'r str>,
}

impl<'r> Timed<'r> {
    /// Returns both directions, and both with each coding that was timed.
    fn of_rows(rows: &'r [Row]) -> Vec<Timed<'r>> {
        let is_timed = |coding: &&String| rows.iter().any(|row| row.coded.contains_key(*coding));
        let codings = codings(rows).into_iter().filter(is_timed).map(|coding| Some(&**coding));
        let both = |coding| Direction::ALL.map(|direction| Timed { direction, coding });
        std::iter::once(None).chain(codings).flat_map(both).collect()
    }

    /// Returns the words that the heads of the columns begin with.
    fn name(&self) -> String {
        let verb = self.direction.verb();
        self.coding.map_or_else(|| verb.to_owned(), |coding| format!("{verb} {coding}"))
    }

    /// Returns the figures with their names. Memory is measured without a coding only.
    fn figures(&self) -> impl Iterator<Item = (&'static str, Figure)> {
        let is_plain = self.coding.is_none();
        let memory = memory().filter(move |_| is_plain);
        TIMES.into_iter().chain(memory.filter_map(|(_, memory)| Some((memory.csv?, memory.of))))
    }

    /// Returns the figures of a row.
    fn of<'s>(&self, row: &'s Row) -> Option<&'s Summary> {
        match self.coding {
            None => self.direction.of(row),
            Some(coding) => self.direction.of_coded(row.coded.get(coding)?),
        }
    }
}

fn cells(row: &Row, sizes: &[Size<'_>], operations: &[Timed<'_>]) -> Vec<String> {
    let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
    let count = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let loss = |loss: &Loss| format!("{}: {}", loss.path, loss.lost);
    let fidelity = row.fidelity.as_ref().map(|fidelity| fidelity.in_one_line(loss));
    let mut cells = vec![
        row.payload.clone(),
        row.sweep.as_ref().map(|sweep| sweep.path.clone()).unwrap_or_default(),
        count(row.sweep.as_ref().map(|sweep| sweep.length as u64)),
        row.lane.clone(),
        row.library.clone(),
        row.library_version.clone(),
        row.format.to_string(),
        row.target.to_string(),
        row.buffer.name().to_owned(),
        row.status.to_string(),
        fidelity.unwrap_or_default(),
        row.launches.to_string(),
    ];
    cells.extend(sizes.iter().map(|size| count(size.of(row))));
    for operation in operations {
        let summary = operation.of(row);
        cells.extend(operation.figures().map(|(_, figure)| number(summary.and_then(figure))));
        let verdict = summary.and_then(|summary| summary.verdict);
        cells.push(verdict.map_or_else(String::new, |verdict| verdict.to_string()));
    }
    cells.extend(match row.reference.clone() {
        Some(Reference { library, format, target }) => {
            [library, format.to_string(), target.to_string()]
        }
        None => Default::default(),
    });
    let mut compared = row.summaries().filter(|summary| summary.ratio.is_some());
    let clock = compared.next().map(|summary| summary.clock.name());
    cells.push(clock.unwrap_or_default().to_owned());
    cells.push(row.warnings.join(" | "));
    cells
}

fn line(cells: &[String]) -> String {
    let quoted: Vec<String> = cells
        .iter()
        .map(|cell| {
            if cell.contains([',', '"', '\n', '\r']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.clone()
            }
        })
        .collect();
    quoted.join(",") + "\r\n"
}
