//! The report as Markdown, for an issue or a wiki.

use std::fmt::Write;

use super::number;
use super::payloads::payload_markdown;
use super::{Fidelity, Report, Row, RowVerdict, Summary, codings};
use crate::weigh::subject::ValueKind;

/// Returns the report as Markdown: a table, and the verdicts as a list.
pub fn markdown(report: &Report) -> String {
    let codings = codings(&report.rows);
    let mut head =
        vec!["payload".to_owned(), "format".to_owned(), "library".to_owned(), "bytes".to_owned()];
    head.extend(codings.iter().map(|coding| (*coding).clone()));
    head.extend(
        ["encode", "encode time", "decode", "decode time", "allocs", "peak", "fidelity"]
            .map(str::to_owned),
    );
    let mut text = String::new();
    if let Some(interruption) = report.interruption() {
        writeln!(text, "> {interruption}\n").expect("writing to a string");
    }
    for note in &report.notes {
        writeln!(text, "> {note}\n").expect("writing to a string");
    }
    text.push_str(&line(&head));
    let alignment: Vec<String> = head
        .iter()
        .enumerate()
        .map(|(i, _)| if i < 3 { "---" } else { "--:" }.to_owned())
        .collect();
    text.push_str(&line(&alignment));
    for row in &report.rows {
        text.push_str(&line(&cells(row, &codings, report)));
    }
    text.push_str(&payload_markdown(report));
    if !report.verdicts.is_empty() {
        text.push('\n');
    }
    for verdict in &report.verdicts {
        writeln!(text, "- {verdict}").expect("writing to a string");
    }
    text
}

pub(super) fn line(cells: &[String]) -> String {
    let escaped: Vec<String> =
        cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
    format!("| {} |\n", escaped.join(" | "))
}

/// Returns the cells of a row. Bytes are those of one of its payloads, as a mean.
fn cells(row: &Row, codings: &[&String], report: &Report) -> Vec<String> {
    let payloads = report.count_of(&row.payload);
    let unknown = || "n/a".to_owned();
    let payload = match &row.sweep {
        Some(sweep) => format!("{} {} = {}", row.payload, sweep.path, sweep.length),
        None => row.payload.clone(),
    };
    let library = match (report.is_by_format(), row.target) {
        (true, _) => row.library.clone(),
        (false, ValueKind::Typed) => format!("{} typed ({})", row.library, row.lane),
        (false, ValueKind::Dynamic) => format!("{} ({})", row.library, row.lane),
    };
    let mut cells = vec![payload, row.format.to_string(), library];
    if let Some(reason) = row.status.reason() {
        cells.push(reason.lines().next().unwrap_or_default().to_owned());
        cells.extend(std::iter::repeat_n(String::new(), codings.len() + 7));
        return cells;
    }
    let size = |bytes: Option<u64>| {
        bytes.map_or_else(unknown, |bytes| number::mean(bytes as f64 / payloads as f64))
    };
    cells.push(size(row.size_bytes));
    cells.extend(codings.iter().map(|coding| size(row.coded_bytes.get(*coding).copied())));
    for summary in [&row.encode, &row.decode] {
        let ratio = summary.as_ref().and_then(ratio);
        let time = summary.as_ref().and_then(|summary| summary.ns).map(number::time);
        cells.extend([ratio, time].map(|cell| cell.unwrap_or_else(unknown)));
    }
    let sum = |figure: fn(&Summary) -> Option<f64>| {
        Some((figure(row.encode.as_ref()?)?, figure(row.decode.as_ref()?)?))
    };
    cells.push(
        sum(|summary| summary.allocs)
            .map_or_else(unknown, |(encode, decode)| number::mean(encode + decode)),
    );
    cells.push(
        sum(|summary| summary.peak_bytes)
            .map_or_else(unknown, |(encode, decode)| number::size(encode.max(decode))),
    );
    cells.push(match &row.fidelity {
        None => unknown(),
        Some(Fidelity::Exact(_)) => "exact".to_owned(),
        Some(Fidelity::Lost(losses)) => losses
            .iter()
            .map(|loss| format!("`{}`: {}", loss.path, loss.lost))
            .collect::<Vec<_>>()
            .join("; "),
    });
    cells
}

fn ratio(summary: &Summary) -> Option<String> {
    let (ratio, low, high) = (summary.ratio?, summary.ratio_low?, summary.ratio_high?);
    Some(match summary.verdict? {
        RowVerdict::Reference => "1".to_owned(),
        verdict => format!("{ratio:.2} ({low:.2}–{high:.2}) {verdict}"),
    })
}
