//! Charts as SVG: size against time, launches as dots, sweeps as curves, and the parts of a request or of a
//! field's bytes as stacked bars.
//!
//! An axis is logarithmic, because formats differ by factors; that of stacked bars is linear, because their
//! lengths add up. Colours only repeat what a label beside the mark says.

use manywire_format::Format;

use super::decision::Estimate;
use super::html::{Text, put};
use crate::weigh::report::is_beaten;

/// The width of every chart, in SVG units.
const WIDTH: f64 = 760.0;

/// The width of a character of most texts at the size of labels, in SVG units.
const CHARACTER: f64 = 6.4;

/// A mark: a row by its size and its time.
pub(super) struct Mark {
    pub(super) label: String,
    pub(super) format: Format,
    /// Bytes of a payload.
    pub(super) bytes: f64,
    /// The time in nanoseconds.
    pub(super) time: Estimate,
    /// The text that is shown when the pointer rests on the mark.
    pub(super) hint: String,
}

/// The launches behind one figure.
pub(super) struct Launches {
    pub(super) label: String,
    pub(super) format: Format,
    /// The median of each launch, in nanoseconds.
    pub(super) samples: Vec<f64>,
    pub(super) time: Estimate,
}

/// A curve: one row over the lengths of a sweep.
pub(super) struct Curve {
    pub(super) label: String,
    pub(super) format: Format,
    /// Lengths and figures, by length.
    pub(super) points: Vec<(f64, f64)>,
}

/// The parts of a figure, one after the other, and the whole if it was measured apart from them.
pub(super) struct Stack {
    pub(super) label: String,
    pub(super) format: Format,
    /// The figure of each part, in the order of the names of the parts.
    pub(super) parts: Vec<f64>,
    pub(super) whole: Option<Estimate>,
    /// The text after the bar.
    pub(super) note: String,
}

/// The parts of stacked bars and their axis.
pub(super) struct StackAxis<'a> {
    pub(super) name: &'a str,
    pub(super) parts: &'a [&'a str],
    pub(super) show: fn(f64) -> String,
}

/// The longest label beside a bar, in characters. The hint has the whole text.
const BAR_LABEL_MAX: usize = 44;

/// Shortens a label in its middle, because the end of a path distinguishes it from other paths.
fn bar_label(label: &str) -> String {
    let characters = label.chars().count();
    if characters <= BAR_LABEL_MAX {
        return label.to_owned();
    }
    let start = BAR_LABEL_MAX / 3;
    let end = BAR_LABEL_MAX - start - 1;
    let first: String = label.chars().take(start).collect();
    let last: String = label.chars().skip(characters - end).collect();
    format!("{first}…{last}")
}

/// Returns the width of the longest of some texts, in SVG units.
fn width_of<'t>(texts: impl Iterator<Item = &'t str>) -> f64 {
    texts.map(|text| text.chars().count()).max().unwrap_or(0) as f64 * CHARACTER
}

/// The distances between figures on an axis.
#[derive(Clone, Copy, PartialEq)]
enum Scale {
    Linear,
    Logarithmic,
}

/// An axis from figures to SVG units.
struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// Returns a logarithmic axis that covers some figures with a margin; `None` if none is above zero.
    fn over(figures: impl Iterator<Item = f64>, from: f64, to: f64) -> Option<Axis> {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for figure in figures.filter(|figure| figure.is_finite() && *figure > 0.0) {
            (low, high) = (low.min(figure), high.max(figure));
        }
        let (low, high) = (low / 1.25, high * 1.25);
        (high > 0.0).then_some(Axis { scale: Scale::Logarithmic, low, high, from, to })
    }

    /// Returns a linear axis from zero over some figures; `None` if none is above zero.
    fn from_zero(figures: impl Iterator<Item = f64>, from: f64, to: f64) -> Option<Axis> {
        let high = figures.filter(|figure| figure.is_finite()).fold(0.0, f64::max) * 1.02;
        (high > 0.0).then_some(Axis { scale: Scale::Linear, low: 0.0, high, from, to })
    }

    /// Returns the place of a figure; figures beyond the axis are at its end.
    fn place(&self, figure: f64) -> f64 {
        let figure = figure.clamp(self.low, self.high);
        let share = match self.scale {
            Scale::Linear => figure / self.high,
            Scale::Logarithmic => (figure / self.low).ln() / (self.high / self.low).ln(),
        };
        self.from + share * (self.to - self.from)
    }

    /// Returns round figures for ticks. On a logarithmic axis, they are 1, 2 and 5 times powers of ten,
    /// or only powers of ten if the axis spans many; on a linear one, multiples of such a figure.
    fn ticks(&self) -> Vec<f64> {
        if self.scale == Scale::Linear {
            let power = 10_f64.powf((self.high / 5.0).log10().floor());
            let step = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
            let step = step.into_iter().find(|step| self.high / step <= 6.0).unwrap_or(power);
            return (0..=6)
                .map(|count| f64::from(count) * step)
                .filter(|it| *it <= self.high)
                .collect();
        }
        let decades = (self.high / self.low).log10();
        let steps: &[f64] = if decades > 3.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let powers = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let ticks =
            powers.flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)));
        ticks.filter(|tick| (self.low..=self.high).contains(tick)).collect()
    }
}

/// Returns the class that gives a format its colour.
fn class(format: Format) -> String {
    format!("series s{}", format as usize)
}

fn open(height: f64, title: &str) -> String {
    format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n", Text(title))
}

/// Draws the grid of a horizontal axis with its labels and its name.
fn horizontal(
    out: &mut String,
    axis: &Axis,
    top: f64,
    bottom: f64,
    name: &str,
    show: fn(f64) -> String,
) {
    for tick in axis.ticks() {
        let x = axis.place(tick);
        put!(
            out,
            "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{top:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\"/>\
             <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
            bottom + 16.0,
            Text(&show(tick))
        );
    }
    let (x, y) = ((axis.from + axis.to) / 2.0, bottom + 36.0);
    put!(
        out,
        "<text class=\"name\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>\n",
        Text(name)
    );
}

/// Draws the grid of a vertical axis with its labels and its name.
fn vertical(
    out: &mut String,
    axis: &Axis,
    left: f64,
    right: f64,
    name: &str,
    show: fn(f64) -> String,
) {
    for tick in axis.ticks() {
        let y = axis.place(tick);
        put!(
            out,
            "<line class=\"grid\" x1=\"{left:.1}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
            left - 8.0,
            y + 4.0,
            Text(&show(tick))
        );
    }
    put!(out, "<text class=\"name\" x=\"4\" y=\"{:.1}\">{}</text>\n", axis.to - 14.0, Text(name));
}

/// Returns the marks that no other mark beats in both bytes and time, sorted by bytes.
fn pareto_front(marks: &[Mark]) -> Vec<&Mark> {
    let point = |mark: &Mark| (mark.bytes, mark.time.value);
    let beaten = |mark: &&Mark| is_beaten(point(mark), marks.iter().map(point));
    let mut front: Vec<&Mark> = marks.iter().filter(|mark| !beaten(mark)).collect();
    front.sort_by(|left, right| left.bytes.total_cmp(&right.bytes));
    front
}

/// Draws size against time. `None` if there is nothing to draw.
pub(super) fn scatter(
    marks: &[Mark],
    title: &str,
    show_bytes: fn(f64) -> String,
    show_time: fn(f64) -> String,
) -> Option<String> {
    let (left, right, top, bottom) = (84.0, WIDTH - 150.0, 36.0, 360.0);
    let x = Axis::over(marks.iter().map(|mark| mark.bytes), left, right)?;
    let ends = marks.iter().flat_map(|mark| [mark.time.value, mark.time.low, mark.time.high]);
    let y = Axis::over(ends, bottom, top)?;
    let mut out = open(bottom + 48.0, title);
    horizontal(&mut out, &x, top, bottom, "bytes of a payload: less is better", show_bytes);
    vertical(&mut out, &y, left, right, "time: less is better", show_time);
    let front = pareto_front(marks);
    let line: Vec<String> = front
        .iter()
        .map(|mark| format!("{:.1},{:.1}", x.place(mark.bytes), y.place(mark.time.value)))
        .collect();
    put!(out, "<polyline class=\"front\" points=\"{}\"/>\n", line.join(" "));
    // Labels are drawn from the top down, each below the labels that it would cover.
    let mut order: Vec<&Mark> = marks.iter().collect();
    order.sort_by(|a, b| b.time.value.total_cmp(&a.time.value));
    let mut labels: Vec<(f64, f64)> = Vec::new();
    for mark in order {
        let (cx, cy) = (x.place(mark.bytes), y.place(mark.time.value));
        let on_front = front.iter().any(|it| std::ptr::eq(*it, mark));
        let mut label_y = cy + 4.0;
        while labels.iter().any(|&(other_x, other_y)| {
            (other_x - cx).abs() < 140.0 && (other_y - label_y).abs() < 13.0
        }) {
            label_y += 13.0;
        }
        labels.push((cx, label_y));
        let class = class(mark.format);
        put!(
            out,
            "<g class=\"{class}\"><title>{}</title>\
             <line class=\"interval\" x1=\"{cx:.1}\" y1=\"{:.1}\" x2=\"{cx:.1}\" y2=\"{:.1}\"/>\
             <circle class=\"{}\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"5\"/>\
             <text class=\"label\" x=\"{:.1}\" y=\"{label_y:.1}\">{}</text></g>\n",
            Text(&mark.hint),
            y.place(mark.time.low),
            y.place(mark.time.high),
            if on_front { "mark best" } else { "mark" },
            cx + 10.0,
            Text(&mark.label)
        );
    }
    out.push_str("</svg>\n");
    Some(out)
}

/// Draws the launches of each row as dots on a line, with the interval of their mean.
pub(super) fn strips(rows: &[Launches], title: &str, show: fn(f64) -> String) -> Option<String> {
    let (left, right, top, step) = (230.0, WIDTH - 20.0, 14.0, 26.0);
    let samples = rows.iter().flat_map(|row| row.samples.iter().copied());
    let x = Axis::over(samples, left, right)?;
    let bottom = top + step * rows.len() as f64;
    let mut out = open(bottom + 44.0, title);
    horizontal(&mut out, &x, top, bottom, "time of an operation, one dot a launch", show);
    for (index, row) in rows.iter().enumerate() {
        let y = top + step * (index as f64 + 0.5);
        put!(
            out,
            "<g class=\"{}\"><title>{}: {} ({} – {}), {} launches</title>\
             <text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            class(row.format),
            Text(&row.label),
            Text(&show(row.time.value)),
            Text(&show(row.time.low)),
            Text(&show(row.time.high)),
            row.samples.len(),
            left - 12.0,
            y + 4.0,
            Text(&row.label)
        );
        for sample in &row.samples {
            put!(
                out,
                "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"3\"/>",
                x.place(*sample)
            );
        }
        put!(
            out,
            "<line class=\"interval wide\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/></g>\n",
            x.place(row.time.low),
            y + 7.0,
            x.place(row.time.high),
            y + 7.0
        );
    }
    out.push_str("</svg>\n");
    Some(out)
}

/// Draws a figure against the length of a sweep, one curve a row.
pub(super) fn curves(
    all: &[Curve],
    title: &str,
    name: &str,
    show: fn(f64) -> String,
) -> Option<String> {
    let (left, right, top, bottom) = (84.0, WIDTH - 150.0, 36.0, 320.0);
    let points = || all.iter().flat_map(|curve| curve.points.iter());
    let x = Axis::over(points().map(|point| point.0), left, right)?;
    let y = Axis::over(points().map(|point| point.1), bottom, top)?;
    let mut out = open(bottom + 48.0, title);
    let length = |length: f64| crate::weigh::report::number::mean(length);
    horizontal(&mut out, &x, top, bottom, "items in the array", length);
    vertical(&mut out, &y, left, right, name, show);
    let mut order: Vec<&Curve> = all.iter().filter(|curve| !curve.points.is_empty()).collect();
    let last = |curve: &Curve| curve.points.last().map_or(0.0, |point| point.1);
    order.sort_by(|a, b| last(b).total_cmp(&last(a)));
    let mut label_y = f64::NEG_INFINITY;
    for curve in order {
        let places: Vec<String> = curve
            .points
            .iter()
            .map(|point| format!("{:.1},{:.1}", x.place(point.0), y.place(point.1)))
            .collect();
        label_y = (y.place(last(curve)) + 4.0).max(label_y + 13.0);
        put!(
            out,
            "<g class=\"{}\"><polyline class=\"curve\" points=\"{}\"/>",
            class(curve.format),
            places.join(" ")
        );
        for (length, figure) in &curve.points {
            put!(
                out,
                "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"><title>{}, {length} items: {}</title></circle>",
                x.place(*length),
                y.place(*figure),
                Text(&curve.label),
                Text(&show(*figure))
            );
        }
        put!(
            out,
            "<text class=\"label\" x=\"{:.1}\" y=\"{label_y:.1}\">{}</text></g>\n",
            right + 8.0,
            Text(&curve.label)
        );
    }
    out.push_str("</svg>\n");
    Some(out)
}

/// Draws the parts of figures as bars one after the other, and a whole as a line with its interval.
pub(super) fn stacks(rows: &[Stack], axis: &StackAxis<'_>, title: &str) -> Option<String> {
    let labels: Vec<String> = rows.iter().map(|row| bar_label(&row.label)).collect();
    let left = 24.0 + width_of(labels.iter().map(String::as_str)).max(126.0);
    let right = WIDTH - 20.0 - width_of(rows.iter().map(|row| row.note.as_str()));
    let (top, step) = (40.0, 34.0);
    let wholes = rows.iter().filter_map(|row| row.whole);
    let ends = rows
        .iter()
        .map(|row| row.parts.iter().sum())
        .chain(wholes.flat_map(|whole| [whole.value, whole.high]));
    let x = Axis::from_zero(ends, left, right)?;
    let bottom = top + step * rows.len() as f64;
    let mut out = open(bottom + 44.0, title);
    horizontal(&mut out, &x, top, bottom, &format!("{}: less is better", axis.name), axis.show);
    for (part, name) in axis.parts.iter().enumerate() {
        let at = left + 120.0 * part as f64;
        put!(
            out,
            "<rect class=\"series part p{part}\" x=\"{at:.1}\" y=\"8\" width=\"14\" height=\"14\"/>\
             <text class=\"name\" x=\"{:.1}\" y=\"20\">{}</text>\n",
            at + 20.0,
            Text(name)
        );
    }
    for (index, (row, label)) in rows.iter().zip(&labels).enumerate() {
        let y = top + step * index as f64 + 6.0;
        put!(
            out,
            "<g class=\"{}\"><text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            class(row.format),
            left - 12.0,
            y + 15.0,
            Text(label)
        );
        let mut start = 0.0;
        for (part, (name, figure)) in axis.parts.iter().zip(&row.parts).enumerate() {
            let (from, to) = (x.place(start), x.place(start + figure));
            put!(
                out,
                "<rect class=\"part p{part}\" x=\"{from:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"22\">\
                 <title>{}, {}: {}</title></rect>",
                to - from,
                Text(&row.label),
                Text(name),
                Text(&(axis.show)(*figure))
            );
            start += figure;
        }
        if !row.note.is_empty() {
            let (end, middle) = (x.place(start) + 8.0, y + 15.0);
            put!(
                out,
                "<text class=\"tick\" x=\"{end:.1}\" y=\"{middle:.1}\">{}</text>",
                Text(&row.note)
            );
        }
        if let Some(whole) = row.whole {
            line_of_whole(
                &mut out,
                &x,
                y,
                whole,
                &format!("{}, end to end: {}", row.label, (axis.show)(whole.value)),
            );
        }
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    Some(out)
}

/// Draws an upright line across the bar at `y`, and its interval.
fn line_of_whole(out: &mut String, x: &Axis, y: f64, whole: Estimate, hint: &str) {
    let (place, middle) = (x.place(whole.value), y + 11.0);
    put!(
        out,
        "<line class=\"whole\" x1=\"{place:.1}\" y1=\"{:.1}\" x2=\"{place:.1}\" y2=\"{:.1}\"><title>{}</title></line>",
        y - 4.0,
        y + 26.0,
        Text(hint)
    );
    if whole.high.is_finite() {
        put!(
            out,
            "<line class=\"whole\" x1=\"{:.1}\" y1=\"{middle:.1}\" x2=\"{:.1}\" y2=\"{middle:.1}\"/>",
            x.place(whole.low),
            x.place(whole.high)
        );
    }
}

#[cfg(test)]
mod tests {
    use manywire_format::Format;

    use super::{Axis, BAR_LABEL_MAX, Estimate, Mark, Scale, bar_label, pareto_front};

    fn mark(label: &str, bytes: f64, time: f64) -> Mark {
        Mark {
            label: label.to_owned(),
            format: Format::Json,
            bytes,
            time: Estimate::exact(time),
            hint: String::new(),
        }
    }

    #[test]
    fn the_front_holds_what_nothing_beats_in_both() {
        let marks =
            [mark("a", 10.0, 5.0), mark("b", 5.0, 9.0), mark("c", 10.0, 6.0), mark("d", 7.0, 7.0)];
        let front: Vec<&str> =
            pareto_front(&marks).iter().map(|mark| mark.label.as_str()).collect();
        assert_eq!(front, ["b", "d", "a"]);
    }

    #[test]
    fn axes_place_figures_by_their_logarithm() {
        let scale = Scale::Logarithmic;
        let axis = Axis { scale, low: 1.0, high: 100.0, from: 0.0, to: 10.0 };
        assert!((axis.place(10.0) - 5.0).abs() < 1e-9);
        assert!((axis.place(1e9) - 10.0).abs() < 1e-9, "beyond the end");
        assert_eq!(axis.ticks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert!(Axis::over([0.0, f64::NAN].into_iter(), 0.0, 1.0).is_none());
    }

    #[test]
    fn linear_axes_begin_at_zero() {
        let axis =
            Axis::from_zero([3.0, f64::INFINITY, 100.0].into_iter(), 0.0, 102.0).expect("figures");
        assert!((axis.place(50.0) - 50.0).abs() < 1e-9);
        assert_eq!(axis.ticks(), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert!(Axis::from_zero([0.0].into_iter(), 0.0, 1.0).is_none());
    }

    #[test]
    fn long_labels_keep_their_beginning_and_end() {
        assert_eq!(bar_label("$.hotels[*].name"), "$.hotels[*].name");
        let long = format!("$.first{}.last", ".middle".repeat(20));
        let short = bar_label(&long);
        assert_eq!(short.chars().count(), BAR_LABEL_MAX);
        assert!(short.starts_with("$.first.middle…") && short.ends_with(".middle.last"), "{short}");
    }
}
