//! Cells in columns: what each row of the report says in each of them, and how it is drawn.

use super::Style;
use crate::report::{Fidelity, Row, Summary, codings, number};

/// Cells in columns: the first is aligned left, the others right, the last left.
pub(super) struct Grid {
    lines: Vec<Vec<Cell>>,
}

#[derive(Clone, Default)]
struct Cell {
    text: String,
    tone: Tone,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Tone {
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

impl Grid {
    pub(super) fn of(group: &[&Row]) -> Grid {
        let codings = codings(group.iter().copied());
        let timed = group.iter().any(|row| row.launches > 0);
        let mut head = vec!["format".to_owned(), "bytes".to_owned()];
        head.extend(codings.iter().map(|coding| (*coding).clone()));
        if timed {
            head.extend(["encode", "", "decode", ""].map(str::to_owned));
            head.extend(["allocs", "peak"].map(str::to_owned));
        }
        head.push("fidelity".to_owned());
        let mut lines =
            vec![head.into_iter().map(|text| Cell { text, tone: Tone::Head }).collect()];
        for row in group {
            lines.push(Grid::line(row, group, &codings, timed));
            lines.extend(coded_lines(row, &codings));
        }
        Grid { lines }
    }

    fn line(row: &Row, group: &[&Row], codings: &[&String], timed: bool) -> Vec<Cell> {
        let beside = row.library != "manywire"
            && group.iter().any(|ours| ours.library == "manywire" && ours.format == row.format);
        let name = if beside { format!("  {}", row.library) } else { row.format.clone() };
        let mut cells =
            vec![Cell { text: name, tone: if beside { Tone::Faint } else { Tone::Plain } }];
        if row.status != "ok" {
            cells.push(Cell { text: row.status.clone(), tone: Tone::Worse });
            return cells;
        }
        cells.push(row.size_bytes.map_or_else(unknown, number::count).into());
        cells.extend(codings.iter().map(|coding| {
            row.coded_bytes.get(*coding).map_or_else(unknown, |&size| number::count(size)).into()
        }));
        if timed {
            cells.extend(time_cells(row.encode.as_ref()));
            cells.extend(time_cells(row.decode.as_ref()));
            cells.push(
                both(row, |summary| summary.allocs)
                    .map_or_else(unknown, |(encode, decode)| number::mean(encode + decode))
                    .into(),
            );
            cells.push(
                both(row, |summary| summary.peak_bytes)
                    .map_or_else(unknown, |(encode, decode)| number::size(encode.max(decode)))
                    .into(),
            );
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

fn unknown() -> String {
    "n/a".to_owned()
}

/// A figure of both directions, where both are known.
fn both(row: &Row, figure: impl Fn(&Summary) -> Option<f64>) -> Option<(f64, f64)> {
    Some((figure(row.encode.as_ref()?)?, figure(row.decode.as_ref()?)?))
}

/// The ratio with its interval and a mark for the verdict, and the time.
fn time_cells(summary: Option<&Summary>) -> [Cell; 2] {
    let Some(summary) = summary else { return [Cell::from(unknown()), Cell::from(unknown())] };
    let time = Cell { text: summary.ns.map_or_else(unknown, number::time), tone: Tone::Faint };
    let ratio = match (summary.ratio, summary.ratio_low, summary.ratio_high) {
        (Some(ratio), Some(low), Some(high)) => {
            let (mark, tone) = match summary.verdict.as_deref() {
                Some("faster") => ("▼", Tone::Better),
                Some("slower") => ("▲", Tone::Worse),
                Some("same") => ("=", Tone::Plain),
                Some("inconclusive") => ("~", Tone::Plain),
                _ => return [Cell::from(format!("{ratio:.2}        ")), time],
            };
            // Three digits of a ratio of twelve would claim more than was measured.
            let digits = if ratio < 1.0 { 3 } else { 2 };
            Cell { text: format!("{ratio:.2} ±{:.digits$} {mark}", (high - low) / 2.0), tone }
        }
        _ => Cell::from(unknown()),
    };
    [ratio, time]
}

fn fidelity_cell(row: &Row) -> Cell {
    match &row.fidelity {
        None => Cell::default(),
        Some(Fidelity::Exact(_)) => Cell { text: "exact".to_owned(), tone: Tone::Plain },
        Some(Fidelity::Lost(losses)) => {
            let s = if losses.len() == 1 { "" } else { "s" };
            Cell {
                text: format!("{} loss{}", losses.len(), if s.is_empty() { "" } else { "es" }),
                tone: Tone::Worse,
            }
        }
    }
}

/// Lines of their own for times with compression.
fn coded_lines(row: &Row, codings: &[&String]) -> Vec<Vec<Cell>> {
    row.coded
        .iter()
        .map(|(coding, times)| {
            let mut cells =
                vec![Cell { text: format!("  + {coding}"), tone: Tone::Faint }, Cell::default()];
            cells.extend(codings.iter().map(|_| Cell::default()));
            cells.extend(time_cells(times.compress.as_ref()));
            cells.extend(time_cells(times.decompress.as_ref()));
            cells.extend([Cell::default(), Cell::default(), Cell::default()]);
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
