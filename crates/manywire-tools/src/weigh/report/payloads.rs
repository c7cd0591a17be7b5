//! The tables that compare payloads, for a terminal, and their cells, which the Markdown has too.

use std::fmt::Write;

use super::compare::Direction;
use super::grid::{Cell, Grid, Style, Tone, mark, ratio_cell, unknown};
use super::metric::Size;
use super::{PayloadComparison, Report, TimeComparison, number};
use crate::weigh::subject::ValueKind;

/// Returns a table for each payload and language.
pub(super) fn payload_tables(report: &Report, style: Style) -> String {
    let is_same_table = |left: &PayloadComparison, right: &PayloadComparison| {
        (&left.payload, &left.lane) == (&right.payload, &right.lane)
    };
    let mut text = String::new();
    for comparisons in report.payload_comparisons.chunk_by(is_same_table) {
        let first = &comparisons[0];
        let language = match report.is_by_format() {
            true => String::new(),
            false => format!(" · {}", report.title_of(&first.lane)),
        };
        let timed = comparisons.iter().any(|it| it.encode.is_some() || it.decode.is_some());
        let measured = match timed {
            true => "ratios of one payload, 95 % intervals of separate launches",
            false => "ratios of one payload",
        };
        writeln!(text, "{} against {}{language} · {measured}", first.payload, first.base)
            .expect("writing to a string");
        let [encode, decode] = Direction::ALL.map(Direction::verb);
        let head = ["format", "library", Size::Plain.title(), encode, decode];
        let shown = if timed { head.len() } else { 3 };
        let head =
            head[..shown].iter().map(|text| Cell { text: (*text).to_owned(), tone: Tone::Head });
        let mut grid = Grid::left_aligned(head.collect());
        for comparison in comparisons {
            let mut cells = cells(comparison);
            cells.truncate(shown);
            grid.push(cells);
        }
        text.push_str(&grid.render(style));
        text.push('\n');
    }
    text
}

/// Returns the cells of a comparison.
pub(super) fn cells(comparison: &PayloadComparison) -> Vec<Cell> {
    let PayloadComparison { library, format, target, bytes, encode, decode, .. } = comparison;
    let typed = if *target == ValueKind::Typed { " typed" } else { "" };
    vec![
        Cell::from(format.to_string()),
        Cell::from(format!("{library}{typed}")),
        Cell::from(bytes.map_or_else(unknown, number::significant)),
        time_cell(encode.as_ref()),
        time_cell(decode.as_ref()),
    ]
}

fn time_cell(time: Option<&TimeComparison>) -> Cell {
    let Some(time) = time else { return Cell::from(unknown()) };
    let mark = mark(time.verdict).unwrap_or_default();
    ratio_cell([time.ratio, time.ratio_low, time.ratio_high], mark)
}
