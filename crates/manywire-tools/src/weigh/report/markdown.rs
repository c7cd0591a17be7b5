//! The report as Markdown, for an issue or a wiki.

use std::fmt::Write;

use manywire_shape::fidelity::Loss;

use super::compare::Direction;
use super::grid::unknown;
use super::metric::{Size, own_memory};
use super::missing::missing_from_lanes;
use super::table::warnings;
use super::text::conclusions;
use super::{Report, Row, RowVerdict, Summary, number, payloads};
use crate::weigh::subject::ValueKind;

/// Returns the report as Markdown: a table, the verdicts as a list, the gates, the differences from
/// the baseline, and the warnings of the rows.
pub fn markdown(report: &Report) -> String {
    let sizes = Size::of_rows(&report.rows);
    let names = ["payload", "format", "library"];
    let mut head = names.map(str::to_owned).to_vec();
    head.extend(sizes.iter().map(|size| size.title().to_owned()));
    for direction in Direction::ALL.map(Direction::verb) {
        head.extend([direction.to_owned(), format!("{direction} time")]);
    }
    head.extend(own_memory().map(|(name, _)| name.to_owned()));
    head.push("fidelity".to_owned());
    let mut text = String::new();
    if let Some(interruption) = report.interruption() {
        writeln!(text, "> {interruption}\n").expect("writing to a string");
    }
    for note in report.notes.iter().chain(&missing_from_lanes(report)) {
        writeln!(text, "> {note}\n").expect("writing to a string");
    }
    text.push_str(&line(&head));
    let alignment: Vec<String> = head
        .iter()
        .enumerate()
        .map(|(i, _)| if i < names.len() { "---" } else { "--:" }.to_owned())
        .collect();
    text.push_str(&line(&alignment));
    for row in &report.rows {
        text.push_str(&line(&cells(row, &sizes, head.len(), report)));
        for cells in coded_cells(row, &sizes, head.len(), report) {
            text.push_str(&line(&cells));
        }
    }
    text.push_str(&payload_markdown(report));
    if !report.verdicts.is_empty() {
        text.push('\n');
    }
    for verdict in &report.verdicts {
        writeln!(text, "- {verdict}").expect("writing to a string");
    }
    let warnings = warnings(report.rows.iter()).into_iter();
    let warnings = warnings.map(|warning| format!("warning: {warning}"));
    for line in conclusions(report).into_iter().chain(warnings) {
        writeln!(text, "\n> {line}").expect("writing to a string");
    }
    text
}

fn line(cells: &[String]) -> String {
    let escaped: Vec<String> =
        cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
    format!("| {} |\n", escaped.join(" | "))
}

/// Returns the first cells of a row: its payload, its format and its library.
fn names(row: &Row, report: &Report) -> [String; 3] {
    let payload = match &row.sweep {
        Some(sweep) => format!("{} {} = {}", row.payload, sweep.path, sweep.length),
        None => row.payload.clone(),
    };
    let library = match (report.is_by_format(), row.target) {
        (true, _) => row.library.clone(),
        (false, ValueKind::Typed) => format!("{} typed ({})", row.library, row.lane),
        (false, ValueKind::Dynamic) => format!("{} ({})", row.library, row.lane),
    };
    [payload, row.format.to_string(), library]
}

/// Returns the cells of a row, as many as there are columns. Bytes are a mean over the payloads of
/// the row.
fn cells(row: &Row, sizes: &[Size<'_>], columns: usize, report: &Report) -> Vec<String> {
    let payloads = report.count_of(&row.payload);
    let mut cells = names(row, report).to_vec();
    if let Some(reason) = row.status.short_reason() {
        cells.push(reason.to_owned());
        cells.resize(columns, String::new());
        return cells;
    }
    let size = |size: &Size<'_>| size.of_one(row, payloads).map_or_else(unknown, number::mean);
    cells.extend(sizes.iter().map(size));
    cells.extend(Direction::ALL.iter().flat_map(|direction| time_cells(direction.of(row))));
    cells.extend(own_memory().map(|(_, memory)| memory.text(row).unwrap_or_else(unknown)));
    let loss = |loss: &Loss| format!("`{}`: {}", loss.path, loss.lost);
    let fidelity = row.fidelity.as_ref().map(|fidelity| fidelity.in_one_line(loss));
    cells.push(fidelity.unwrap_or_else(unknown));
    cells
}

/// Returns separate lines for the times of a row with each coding.
fn coded_cells(
    row: &Row,
    sizes: &[Size<'_>],
    columns: usize,
    report: &Report,
) -> impl Iterator<Item = Vec<String>> {
    row.coded.iter().map(move |(coding, times)| {
        let [payload, format, library] = names(row, report);
        let mut cells = vec![payload, format!("{format} + {coding}"), library];
        cells.extend(sizes.iter().map(|_| String::new()));
        for direction in Direction::ALL {
            cells.extend(time_cells(direction.of_coded(times)));
        }
        cells.resize(columns, String::new());
        cells
    })
}

/// Returns the cells of the ratio and of the time.
fn time_cells(summary: Option<&Summary>) -> [String; 2] {
    let ratio = summary.and_then(ratio);
    let time = summary.and_then(|summary| summary.ns).map(number::time);
    [ratio, time].map(|cell| cell.unwrap_or_else(unknown))
}

fn ratio(summary: &Summary) -> Option<String> {
    let (ratio, low, high) = (summary.ratio?, summary.ratio_low?, summary.ratio_high?);
    Some(match summary.verdict? {
        RowVerdict::Reference => "1".to_owned(),
        verdict => format!("{ratio:.2} ({low:.2}–{high:.2}) {verdict}"),
    })
}

/// Returns the comparisons as a Markdown table; nothing if there are none.
fn payload_markdown(report: &Report) -> String {
    if report.payload_comparisons.is_empty() {
        return String::new();
    }
    let [encode, decode] = Direction::ALL.map(Direction::verb);
    let bytes = Size::Plain.title();
    let mut text = format!(
        "\n| payload | against | format | library | {bytes} | {encode} | {decode} |\n\
         | --- | --- | --- | --- | --: | --: | --: |\n"
    );
    for comparison in &report.payload_comparisons {
        let cells = payloads::cells(comparison, usize::MAX).into_iter().map(|cell| cell.text);
        let names = [comparison.payload.clone(), comparison.base.clone()];
        let cells: Vec<String> = names.into_iter().chain(cells).collect();
        text.push_str(&line(&cells));
    }
    text
}
