//! Cells in columns for a terminal, their style, and the cells that several tables have.

use super::words::{list, push_wrapped};
use super::{RowVerdict, number};

/// The style of a report for a terminal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Colours the output with ANSI escapes.
    pub color: bool,
    /// Shows every row, the comparisons of each format, and lines with mean, standard deviation and fit.
    pub verbose: bool,
    /// The width of the terminal in columns: text is wrapped at words, and tables leave out columns,
    /// which a line below them names. `None` has no limit.
    pub width: Option<usize>,
}

/// Cells in columns: the first is aligned left, the others right, the last left.
pub(super) struct Grid {
    lines: Vec<Vec<Cell>>,
    /// True if all columns are aligned left.
    is_left_aligned: bool,
    /// The columns that a narrow terminal can do without, the first to leave out first, with their names.
    optional: Vec<(usize, String)>,
}

/// The space between columns.
const GAP: &str = "  ";

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

impl Grid {
    /// Returns a grid of these lines, whose columns are aligned right except the first and the last.
    /// A narrow terminal can do without the columns in `optional`, the first to leave out first.
    pub(super) fn right_aligned(lines: Vec<Vec<Cell>>, optional: Vec<(usize, String)>) -> Grid {
        Grid { lines, is_left_aligned: false, optional }
    }

    /// Returns a grid of left-aligned columns with this head.
    pub(super) fn left_aligned(head: Vec<Cell>) -> Grid {
        Grid { lines: vec![head], is_left_aligned: true, optional: Vec::new() }
    }

    /// Adds a line.
    pub(super) fn push(&mut self, line: Vec<Cell>) {
        self.lines.push(line);
    }

    /// Returns the width of each column, in characters.
    fn widths(&self) -> Vec<usize> {
        let columns = self.lines[0].len();
        let whole = self.lines.iter().filter(|line| line.len() == columns);
        let mut widths = vec![0; columns];
        for line in whole {
            for (width, cell) in widths.iter_mut().zip(line) {
                *width = (*width).max(cell.text.chars().count());
            }
        }
        widths[0] = self.lines.iter().map(|line| line[0].text.chars().count()).max().unwrap_or(0);
        widths
    }

    /// Returns the width of the table, in characters.
    pub(super) fn width(&self) -> usize {
        let widths = self.widths();
        widths.iter().sum::<usize>() + GAP.len() * (widths.len() - 1)
    }

    /// Returns the columns to leave out, so that the others fit a width.
    fn left_out(&self, width: Option<usize>) -> &[(usize, String)] {
        let Some(width) = width else { return &[] };
        let widths = self.widths();
        let mut total = self.width();
        let is_left_out = |(column, _): &&(usize, String)| {
            let fits = total <= width;
            if !fits {
                total -= widths[*column] + GAP.len();
            }
            !fits
        };
        &self.optional[..self.optional.iter().take_while(is_left_out).count()]
    }

    /// Returns the table as text.
    pub(super) fn render(&self, style: Style) -> String {
        let left_out = self.left_out(style.width);
        if left_out.is_empty() {
            return self.render_all(style);
        }
        let columns = self.lines[0].len();
        let is_kept = |column: &usize| left_out.iter().all(|(other, _)| other != column);
        let kept: Vec<usize> = (0..columns).filter(is_kept).collect();
        let fitted = |line: &Vec<Cell>| match line.len() == columns {
            true => kept.iter().map(|&column| line[column].clone()).collect(),
            // This line has only two cells: the name of the row and the reason that it has no
            // figures.
            false => line.clone(),
        };
        let lines = self.lines.iter().map(fitted).collect();
        let grid = Grid { lines, is_left_aligned: self.is_left_aligned, optional: Vec::new() };
        let mut text = grid.render_all(style);
        let names: Vec<&String> = left_out.iter().rev().map(|(_, name)| name).collect();
        let note = format!("left out at this width: {}", list(&names));
        push_wrapped(&mut text, &note, "  ", style.width);
        text
    }

    fn render_all(&self, style: Style) -> String {
        let columns = self.lines[0].len();
        let widths = self.widths();
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
                    if index == 0 { "" } else { GAP },
                    self.is_left_aligned
                        || index == 0
                        || index == columns - 1
                        || line.len() < columns,
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

/// Returns a name in at most `width` characters. A name that is cut ends in `…`.
pub(super) fn cut(name: &str, width: usize) -> String {
    match name.chars().count() <= width {
        true => name.to_owned(),
        false => name.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}

pub(super) fn unknown() -> String {
    "n/a".to_owned()
}

/// Returns the cell of a ratio with the ends of its interval, and the mark of its verdict.
pub(super) fn ratio_cell([ratio, low, high]: [f64; 3], (mark, tone): (&str, Tone)) -> Cell {
    let interval = number::interval(low, high, number::significant);
    Cell { text: format!("{} {interval} {mark}", number::significant(ratio)), tone }
}

/// Returns the mark of a verdict, with its tone; `None` for the reference.
pub(super) fn mark(verdict: RowVerdict) -> Option<(&'static str, Tone)> {
    Some(match verdict {
        RowVerdict::Faster => ("▼", Tone::Better),
        RowVerdict::Slower => ("▲", Tone::Worse),
        RowVerdict::Same => ("=", Tone::Plain),
        RowVerdict::Inconclusive => ("~", Tone::Plain),
        RowVerdict::Reference => return None,
    })
}
