//! Cells in columns: what each row of the report says in each of them, and how it is drawn.

use super::Style;
use super::cells::{
    alloc_bytes, allocs, coded_cells, collections, fidelity_cell, name, peak, time_cells, unknown,
};
use crate::weigh::report::{Row, codings, number};

/// Cells in columns: the first is aligned left, the others right, the last left.
pub(super) struct Grid {
    lines: Vec<Vec<Cell>>,
}

#[derive(Clone, Default)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) tone: Tone,
}

#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Tone {
    #[default]
    Plain,
    Head,
    Better,
    Worse,
    Faint,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell { text, tone: Tone::Plain }
    }
}

/// The columns beside sizes and fidelity.
struct Columns<'a> {
    codings: Vec<&'a String>,
    timed: bool,
    /// Figures of memory: what they are called, and how they are shown.
    memory: Vec<(&'static str, Figure)>,
}

type Figure = fn(&Row) -> Option<String>;

impl<'a> Columns<'a> {
    fn of(group: &[&'a Row]) -> Self {
        let known = |figure: Figure| group.iter().any(|row| figure(row).is_some());
        let mut memory: Vec<(&'static str, Figure)> = vec![("allocs", allocs), ("peak", peak)];
        if group[0].in_lane {
            // What a runtime does not count leaves no column of n/a behind.
            memory.extend([("alloc", alloc_bytes as Figure), ("gc/1k", collections)]);
            memory.retain(|column| known(column.1));
        }
        let timed = group.iter().any(|row| row.launches > 0);
        Columns { codings: codings(group.iter().copied()), timed, memory }
    }
}

impl Grid {
    pub(super) fn of(group: &[&Row]) -> Grid {
        let columns = Columns::of(group);
        let mut head = vec!["format".to_owned(), "bytes".to_owned()];
        head.extend(columns.codings.iter().map(|coding| (*coding).clone()));
        if columns.timed {
            head.extend(["encode", "", "decode", ""].map(str::to_owned));
            head.extend(columns.memory.iter().map(|column| column.0.to_owned()));
        }
        head.push("fidelity".to_owned());
        let mut lines =
            vec![head.into_iter().map(|text| Cell { text, tone: Tone::Head }).collect()];
        for row in group {
            lines.push(Grid::line(row, group, &columns));
            lines.extend(coded_lines(row, &columns));
        }
        Grid { lines }
    }

    fn line(row: &Row, group: &[&Row], columns: &Columns<'_>) -> Vec<Cell> {
        let mut cells = vec![name(row, group)];
        if row.status != "ok" {
            cells.push(Cell { text: row.status.clone(), tone: Tone::Worse });
            return cells;
        }
        cells.push(row.size_bytes.map_or_else(unknown, number::count).into());
        cells.extend(columns.codings.iter().map(|coding| {
            row.coded_bytes.get(*coding).map_or_else(unknown, |&size| number::count(size)).into()
        }));
        if columns.timed {
            cells.extend(time_cells(row.encode.as_ref()));
            cells.extend(time_cells(row.decode.as_ref()));
            let figures = columns.memory.iter().map(|column| column.1(row).unwrap_or_else(unknown));
            cells.extend(figures.map(Cell::from));
        }
        cells.push(fidelity_cell(row));
        cells
    }

    pub(super) fn render(&self, style: Style) -> String {
        let columns = self.lines[0].len();
        let whole = self.lines.iter().filter(|line| line.len() == columns);
        let mut widths = vec![0; columns];
        for line in whole {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.text.chars().count());
            }
        }
        widths[0] = self.lines.iter().map(|line| line[0].text.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for line in &self.lines {
            let mut rendered = String::new();
            let last = line.len() - 1;
            for (index, cell) in line.iter().enumerate() {
                let padding = if index < last || index > 0 && line.len() == columns {
                    " ".repeat(widths[index].saturating_sub(cell.text.chars().count()))
                } else {
                    String::new()
                };
                let painted = paint(cell, style.color);
                let (gap, left) = (
                    if index == 0 { "" } else { "  " },
                    index == 0 || index == columns - 1 || line.len() < columns,
                );
                rendered += &if left {
                    format!("{gap}{painted}{padding}")
                } else {
                    format!("{gap}{padding}{painted}")
                };
            }
            text.push_str(rendered.trim_end());
            text.push('\n');
        }
        text
    }
}

/// Lines of their own for times with compression.
fn coded_lines(row: &Row, columns: &Columns<'_>) -> Vec<Vec<Cell>> {
    row.coded
        .iter()
        .map(|(coding, times)| {
            let mut cells =
                vec![Cell { text: format!("  + {coding}"), tone: Tone::Faint }, Cell::default()];
            cells.extend(columns.codings.iter().map(|_| Cell::default()));
            cells.extend(coded_cells(times));
            cells.extend(columns.memory.iter().map(|_| Cell::default()));
            cells.push(Cell::default());
            cells
        })
        .collect()
}

fn paint(cell: &Cell, color: bool) -> String {
    let code = match cell.tone {
        Tone::Plain => None,
        Tone::Head => Some("1"),
        Tone::Better => Some("32"),
        Tone::Worse => Some("31"),
        Tone::Faint => Some("2"),
    };
    match code.filter(|_| color && !cell.text.is_empty()) {
        Some(code) => format!("\u{1b}[{code}m{}\u{1b}[0m", cell.text),
        None => cell.text.clone(),
    }
}
