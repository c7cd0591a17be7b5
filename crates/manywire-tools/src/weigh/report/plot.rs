//! Plots for a terminal: size against time, and the curves of a sweep.
//!
//! Each row of the report is a letter. Both axes are logarithmic, because formats differ by factors.

use std::collections::BTreeMap;

use super::compare::Direction;
use super::{Comparison, Report, Row, comparisons, is_beaten, number, words};

/// The height of the area between the axes, in lines.
const HEIGHT: usize = 14;

/// The maximum width of a plot, in columns.
const WIDTH_MAX: usize = 100;

/// The width of a plot in columns, if the width of the terminal is unknown.
const WIDTH: usize = 80;

/// The columns to the left of the vertical axis: a figure with its unit.
const MARGIN: usize = 10;

/// The letters of rows, in order. More rows cannot be told apart, and are not drawn.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Draws the plots of a report: one for each operation of each language and kind of value, or one for each
/// figure of a sweep. `width` is that of the terminal.
pub fn plot(report: &Report, width: Option<usize>) -> String {
    let width = width.unwrap_or(WIDTH).clamp(MARGIN * 3, WIDTH_MAX);
    let mut out = String::new();
    for comparison in &comparisons(report) {
        for direction in Direction::ALL {
            let canvas = size_against_time(report, comparison, direction);
            let (name, verb) = (comparison.name(report), direction.verb());
            let title = format!("{name}: time to {verb} by bytes");
            let rule = "* no other is as small and as fast, by the estimates";
            out.push_str(&canvas.draw(&title, number::mean, number::time, rule, width));
        }
    }
    let sizes = |row: &Row| Some(row.size_bytes? as f64 / report.count_of(&row.payload) as f64);
    let title = "bytes by items in the array";
    out.push_str(&sweep(report, sizes).draw(title, number::mean, number::mean, "", width));
    for direction in Direction::ALL {
        let title = format!("time to {} by items in the array", direction.verb());
        let canvas = sweep(report, |row| direction.of(row)?.ns);
        out.push_str(&canvas.draw(&title, number::mean, number::time, "", width));
    }
    match out.is_empty() {
        true => "\nno plot: nothing was timed\n".to_owned(),
        false => out,
    }
}

/// The points of one row.
struct Series {
    label: String,
    points: Vec<(f64, f64)>,
}

/// The points of a plot.
struct Canvas {
    series: Vec<Series>,
}

fn size_against_time(report: &Report, comparison: &Comparison<'_>, direction: Direction) -> Canvas {
    let count = report.count_of(comparison.payload) as f64;
    let point = |row: &&Row| Some((row.size_bytes? as f64 / count, direction.of(row)?.ns?));
    let rows = comparison.rows.iter().filter_map(|row| Some((comparison.label(row), point(row)?)));
    let rows: Vec<(String, (f64, f64))> = rows.collect();
    let series = rows.iter().map(|(label, point)| {
        let is_beaten = is_beaten(*point, rows.iter().map(|(_, other)| *other));
        let mark = if is_beaten { "" } else { "*" };
        Series { label: format!("{label}{mark}"), points: vec![*point] }
    });
    Canvas { series: series.collect() }
}

/// Returns the curves of a figure over the lengths of a sweep.
fn sweep(report: &Report, of: impl Fn(&Row) -> Option<f64>) -> Canvas {
    let mut series: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for row in report.rows.iter().filter(|row| row.status.is_ok()) {
        let Some(point) = row.sweep.as_ref().map(|it| it.length as f64).zip(of(row)) else {
            continue;
        };
        let label =
            format!("{} by {} ({}, {})", row.format, row.library, row.lane, row.target.name());
        series.entry(label).or_default().push(point);
    }
    let series = series.into_iter().map(|(label, points)| Series { label, points });
    Canvas { series: series.collect() }
}

/// A logarithmic axis, which maps figures to cells.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    cells: usize,
}

impl Axis {
    /// Returns the axis over some figures; `None` if there are no figures, or if one of them is not
    /// above zero or not finite.
    fn over(figures: impl Iterator<Item = f64> + Clone, cells: usize) -> Option<Axis> {
        let low = figures.clone().reduce(f64::min)?;
        let high = figures.reduce(f64::max)?;
        (low > 0.0 && high.is_finite()).then_some(Axis { low, high, cells })
    }

    /// Returns the cell of a figure. If all figures of the axis are equal, it is the middle cell.
    fn cell(&self, figure: f64) -> usize {
        let decades = (self.high / self.low).ln();
        let share = if decades > 0.0 { (figure / self.low).ln() / decades } else { 0.5 };
        (share * (self.cells - 1) as f64).round() as usize
    }
}

impl Canvas {
    /// Draws the points with a title, the ends of both axes, and the legend; nothing without points.
    fn draw(
        &self,
        title: &str,
        show_x: fn(f64) -> String,
        show_y: fn(f64) -> String,
        rule: &str,
        width: usize,
    ) -> String {
        let drawn = self.series.iter().zip(LETTERS.chars());
        let points = || drawn.clone().flat_map(|(series, _)| series.points.iter().copied());
        let columns = width - MARGIN - 2;
        let x = Axis::over(points().map(|point| point.0), columns);
        let y = Axis::over(points().map(|point| point.1), HEIGHT);
        let Some((x, y)) = x.zip(y) else { return String::new() };
        let mut cells = vec![vec![' '; columns]; HEIGHT];
        for (series, letter) in drawn.clone() {
            for &(horizontal, vertical) in &series.points {
                let cell = &mut cells[HEIGHT - 1 - y.cell(vertical)][x.cell(horizontal)];
                *cell = if *cell == ' ' || *cell == letter { letter } else { '+' };
            }
        }
        let mut out = format!("\n{title}\n");
        for (line, cells) in cells.iter().enumerate() {
            let figure = match line {
                0 => show_y(y.high),
                last if last + 1 == HEIGHT => show_y(y.low),
                _ => String::new(),
            };
            let cells: String = cells.iter().collect();
            out.push_str(format!("{figure:>MARGIN$} │{cells}").trim_end());
            out.push('\n');
        }
        out.push_str(&format!("{:MARGIN$} └{}\n", "", "─".repeat(columns)));
        let (low, high) = (show_x(x.low), show_x(x.high));
        let gap = columns.saturating_sub(low.chars().count());
        out.push_str(&format!("{:MARGIN$}  {low}{high:>gap$}\n", ""));
        words::push_wrapped(&mut out, &self.legend(rule), "", Some(width));
        out
    }

    /// Returns the legend: the row of each letter, the meaning of `+`, and `rule`.
    fn legend(&self, rule: &str) -> String {
        let letters = LETTERS.chars();
        let mut names: Vec<String> = (self.series.iter().zip(letters))
            .map(|(series, letter)| format!("{letter} {}", series.label))
            .collect();
        if self.series.len() > LETTERS.len() {
            names.push(format!("{} more are not drawn", self.series.len() - LETTERS.len()));
        }
        names.push("+ several at one place".to_owned());
        if !rule.is_empty() {
            names.push(rule.to_owned());
        }
        names.join(" · ")
    }
}

#[cfg(test)]
mod tests {
    use super::{Canvas, Series};
    use crate::weigh::report::number::mean;

    fn series(label: &str, points: &[(f64, f64)]) -> Series {
        Series { label: label.to_owned(), points: points.to_vec() }
    }

    #[test]
    fn points_stand_at_the_logarithm_of_their_figures() {
        let canvas = Canvas {
            series: vec![
                series("json", &[(1.0, 1.0), (10.0, 10.0), (100.0, 100.0)]),
                series("avro", &[(100.0, 1.0), (1.0, 1.0)]),
            ],
        };
        let text = canvas.draw("a title", mean, mean, "", 40);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "a title");
        assert_eq!(lines[2], format!("{:>10} │{:>28}", "100", "a"));
        assert_eq!(lines[15], format!("{:>10} │+{:>27}", "1", "b"));
        assert_eq!(lines[17], format!("{:12}1{:>27}", "", "100"));
        let middle: Vec<usize> = (2..16).filter(|line| lines[*line].contains('a')).collect();
        assert_eq!(middle.len(), 2, "{text}");
        assert!(text.contains("a json · b avro · + several at one place"), "{text}");
    }

    #[test]
    fn a_plot_without_figures_is_nothing() {
        assert_eq!(Canvas { series: Vec::new() }.draw("", mean, mean, "", 40), "");
        let zero = Canvas { series: vec![series("json", &[(0.0, 1.0)])] };
        assert_eq!(zero.draw("", mean, mean, "", 40), "");
        let one = Canvas { series: vec![series("json", &[(5.0, 5.0)])] };
        assert!(one.draw("", mean, mean, "", 40).contains("5 │"));
    }
}
