//! The tables that compare payloads, for a terminal, and their cells, which the Markdown has too.

use super::compare::Direction;
use super::grid::{Cell, Grid, Style, Tone, cut, mark, ratio_cell, unknown};
use super::metric::Size;
use super::words::push_wrapped;
use super::{PayloadComparison, Report, TimeComparison, number};
use crate::weigh::subject::ValueKind;

/// The maximum number of characters of the name of a library in a table that is wider than the terminal.
const NAME_WIDTH: usize = 12;

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
        let line = format!("{} against {}{language} · {measured}", first.payload, first.base);
        push_wrapped(&mut text, &line, "", style.width);
        let [encode, decode] = Direction::ALL.map(Direction::verb);
        let head = ["format", "library", Size::Plain.title(), encode, decode];
        let shown = if timed { head.len() } else { 3 };
        let grid = |names: usize| {
            let head = head[..shown].iter();
            let head = head.map(|text| Cell { text: (*text).to_owned(), tone: Tone::Head });
            let mut grid = Grid::left_aligned(head.collect());
            for comparison in comparisons {
                let mut cells = cells(comparison, names);
                cells.truncate(shown);
                grid.push(cells);
            }
            grid
        };
        let fits = |grid: &Grid| style.width.is_none_or(|width| grid.width() <= width);
        let grid = Some(grid(usize::MAX)).filter(fits).unwrap_or_else(|| grid(NAME_WIDTH));
        text.push_str(&grid.render(style));
        text.push('\n');
    }
    text
}

/// Returns the cells of a comparison. The name of the library has at most `names` characters.
pub(super) fn cells(comparison: &PayloadComparison, names: usize) -> Vec<Cell> {
    let PayloadComparison { library, format, target, bytes, encode, decode, .. } = comparison;
    let typed = if *target == ValueKind::Typed { " typed" } else { "" };
    vec![
        Cell::from(format.to_string()),
        Cell::from(format!("{}{typed}", cut(library, names))),
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
