//! The page of a report of `weigh`, section by section.

use std::collections::BTreeSet;

use manywire_inspect::display;

use super::chart::{self, Curve, Launches, Mark, Stack, StackAxis};
use super::decision::{Estimate, needs};
use super::html::{Text, put};
use super::model::model;
use super::parts::{
    self, Answer, Choice, Filter, cell, figure_cell, interval, kilobytes, scrolling_table, section,
    section_start, sentences, text_cells, time_cell,
};
use crate::weigh::report::compare::Direction;
use crate::weigh::report::metric::{Size, Source, own_memory};
use crate::weigh::report::{
    Baseline, Comparison, FieldBytes, FormatFields, METRICS, PayloadComparison, Report, Row,
    RowVerdict, Status, TimeComparison, comparisons, gate_lines, main_payload, missing_formats,
    number,
};

/// Returns the title of the page.
pub(super) fn title(report: &Report) -> String {
    let names = report.payloads.iter().map(|payload| payload.name.as_str());
    format!("Which format for {}?", parts::payload_names(names))
}

/// Writes the title and one line on what was measured.
pub(super) fn head(report: &Report) -> String {
    let launches = report.rows.iter().map(|row| row.launches).max().unwrap_or(0);
    let bytes: u64 = report.payloads.iter().map(|payload| payload.bytes).sum();
    let payloads = match report.payload_count {
        0 | 1 => String::new(),
        count => format!("{} payloads, ", number::count(count)),
    };
    let launches = match launches {
        0 => "sizes only".to_owned(),
        launches => format!("{launches} launches a row, intervals of 95 %"),
    };
    let bytes = number::count(bytes);
    let version = &report.tool.version;
    let about = format!("{payloads}{bytes} bytes as given · {launches} · manywire {version}");
    let mut notices: Vec<String> = report.interruption().into_iter().collect();
    notices.extend(report.notes.iter().cloned());
    notices.extend(missing_formats(report));
    notices.extend(parts::debug_notice(&report.tool));
    parts::head(&title(report), &about, &notices)
}

/// Writes the answer for each need, for every language and kind of value.
pub(super) fn answer(report: &Report) -> String {
    let answer = |comparison: &Comparison<'_>| Answer {
        name: comparison.name(report),
        needs: needs(report, comparison),
    };
    let all: Vec<Answer> = comparisons(report).iter().map(answer).collect();
    parts::answers(
        &all,
        "Rows are compared within one language and one kind of value. Times whose intervals overlap are named \
         together; the verdicts below compare launch by launch, and may tell more apart. Sizes are exact.",
    )
}

/// Writes what changed since an earlier report.
pub(super) fn changes(baseline: Option<&Baseline>) -> String {
    let Some(baseline) = baseline else { return String::new() };
    let mut out = section_start("changes", &format!("Since {}", baseline.file));
    if baseline.changes.is_empty() {
        out.push_str("<p>Nothing changed beyond the intervals.</p>\n");
    }
    out.push_str(&sentences(&baseline.changes));
    out.push_str(
        "<p class=\"rule\">Sizes are compared exactly, and allocations to a tenth. Times are compared as \
         ratios to the reference of their own report, and a ratio has changed if the two intervals \
         do not overlap; where they overlap, it is the same or undecided.</p>\n",
    );
    if !baseline.differences.is_empty() {
        out.push_str("<p>The two reports were not made under the same conditions:</p>");
        out.push_str(&sentences(&baseline.differences));
    }
    out.push_str("</section>\n");
    out
}

/// Writes the charts of size against time: one for each comparison, operation and coding.
pub(super) fn size_against_time(report: &Report) -> String {
    let mut charts = Vec::new();
    for comparison in &comparisons(report) {
        for size in Size::of_rows(comparison.rows.iter().copied()) {
            for direction in Direction::ALL {
                let marks = marks(report, comparison, direction, size);
                let bytes = match size {
                    Size::Plain => "uncompressed".to_owned(),
                    Size::Coded(coding) => coding.to_owned(),
                };
                let keys =
                    vec![comparison.name(report), bytes, format!("time to {}", direction.verb())];
                let chart = chart::scatter(&marks, &keys.join(", "), kilobytes, number::time);
                charts.extend(chart.map(|chart| Choice { keys, chart }));
            }
        }
    }
    section(
        "size",
        "Size against time",
        "The line joins the rows for which no other is as small and as fast, by the estimates. Times \
         are those without compression.",
        &["values", "bytes", "operation"],
        &charts,
    )
}

fn marks(
    report: &Report,
    comparison: &Comparison<'_>,
    direction: Direction,
    size: Size<'_>,
) -> Vec<Mark> {
    let count = report.count_of(comparison.payload);
    let mark = |row: &&Row| {
        let time = Estimate::time(direction.of(row))?;
        let bytes = size.of_one(row, count)?;
        let label = comparison.label(row);
        let hint = format!("{label}: {} bytes, {}", number::mean(bytes), interval(time));
        Some(Mark { label, format: row.format, bytes, time, hint })
    };
    comparison.rows.iter().filter_map(mark).collect()
}

/// The maximum number of fields that have a bar. The table below the chart has all fields that the
/// report lists.
const FIELDS_DRAWN: usize = 10;

/// The parts of a field's bytes.
const FIELD_PARTS: [&str; 3] = ["keys", "structure", "values"];

/// The bytes of each part, as a mean over payloads.
type FieldParts = [f64; 3];

fn field_parts(field: &FieldBytes, payloads: f64) -> FieldParts {
    [field.keys, field.structure, field.values].map(|bytes| bytes as f64 / payloads)
}

/// Writes which fields take the bytes of each format.
pub(super) fn fields(report: &Report) -> String {
    let main = main_payload(report);
    let payloads = report.count_of(main) as f64;
    let of_main = report.fields.iter().filter(|found| found.payload == main);
    let charts: Vec<Choice> = of_main
        .filter_map(|found| {
            let chart = field_chart(found, payloads)? + &field_table(found, payloads);
            Some(Choice { keys: vec![found.format.name().to_owned()], chart })
        })
        .collect();
    section(
        "fields",
        "Where the bytes go",
        "Each bar is one field over all items of lists, in the bytes of our own codec without compression: its keys, \
         its structure (heads, lengths, quotes and separators), and the content of its values. A list or a record \
         has the structure around its items.",
        &["format"],
        &charts,
    )
}

/// Returns a share of bytes for people: `12 %`. Zero bytes, such as the keys of a format without
/// keys, are exactly `0 %`.
fn percentage(bytes: f64, total: f64) -> String {
    if bytes == 0.0 { "0 %".to_owned() } else { number::percent(bytes / total) }
}

/// Draws the largest fields of a format, with a sentence on the parts of the whole.
fn field_chart(found: &FormatFields, payloads: f64) -> Option<String> {
    let FormatFields { format, keys, structure, values, .. } = *found;
    let whole: FieldParts = [keys, structure, values].map(|bytes| bytes as f64 / payloads);
    let total: f64 = whole.iter().sum();
    let bar = |label: String, parts: FieldParts| {
        let bytes: f64 = parts.iter().sum();
        let note = format!("{} B, {}", number::mean(bytes), percentage(bytes, total));
        Stack { label, format, parts: parts.to_vec(), whole: None, note }
    };
    let mut rest = whole;
    let mut bars = Vec::new();
    for field in found.fields.iter().take(FIELDS_DRAWN) {
        let parts = field_parts(field, payloads);
        rest = std::array::from_fn(|part| (rest[part] - parts[part]).max(0.0));
        bars.push(bar(display::visible(&field.path).to_string(), parts));
    }
    let more = found.field_count.saturating_sub(bars.len() as u64);
    if more > 0 {
        bars.push(bar(format!("{} more fields", number::count(more)), rest));
    }
    let axis = StackAxis { name: "bytes of a payload", parts: &FIELD_PARTS, show: kilobytes };
    let chart = chart::stacks(&bars, &axis, &format!("Bytes of each field in {format}"))?;
    let [keys, structure, values] = whole.map(|bytes| percentage(bytes, total));
    let total = number::mean(total);
    Some(format!(
        "<p>Of {total} bytes, {keys} are keys, {structure} structure and {values} values.</p>\n{chart}"
    ))
}

/// Writes the fields that the report lists as a table.
fn field_table(found: &FormatFields, payloads: f64) -> String {
    let mut rows = String::new();
    for field in &found.fields {
        put!(rows, "<tr><td>{}</td>", Text(&display::visible(&field.path).to_string()));
        let parts = field_parts(field, payloads);
        let times = field.times as f64 / payloads;
        for figure in std::iter::once(parts.iter().sum()).chain(parts).chain([times]) {
            figure_cell(&mut rows, Some(figure), number::mean);
        }
        rows.push_str("</tr>\n");
    }
    let heads: Vec<&str> =
        ["field", "bytes"].into_iter().chain(FIELD_PARTS).chain(["times"]).collect();
    format!(
        "<details><summary>Figures of {} fields</summary>{}</details>\n",
        number::count(found.fields.len() as u64),
        scrolling_table(&format!("Fields in {}", found.format), "", &heads, &rows)
    )
}

/// Writes the distribution of the launches behind each figure.
pub(super) fn launches(report: &Report) -> String {
    let mut charts = Vec::new();
    for comparison in &comparisons(report) {
        for direction in Direction::ALL {
            let strip = |row: &&Row| {
                let summary = direction.of(row)?;
                Some(Launches {
                    label: comparison.label(row),
                    format: row.format,
                    samples: summary.samples.clone(),
                    time: Estimate::time(Some(summary))?,
                })
            };
            let strips: Vec<Launches> = comparison.rows.iter().filter_map(strip).collect();
            let keys = vec![comparison.name(report), format!("time to {}", direction.verb())];
            let chart = chart::strips(&strips, &keys.join(", "), number::time);
            charts.extend(chart.map(|chart| Choice { keys, chart }));
        }
    }
    section(
        "launches",
        "Launches",
        "Each dot is the median of one process. The bar below is the interval of their mean.",
        &["values", "operation"],
        &charts,
    )
}

/// Writes the curves of a sweep: a chart for each language, kind of value and figure.
pub(super) fn sweeps(report: &Report) -> String {
    let mut all: Vec<Comparison<'_>> = Vec::new();
    for row in report.rows.iter().filter(|row| row.status.is_ok() && row.sweep.is_some()) {
        match all.iter_mut().find(|it| it.lane == row.lane && it.target == row.target) {
            Some(comparison) => comparison.rows.push(row),
            None => all.push(Comparison {
                payload: &row.payload,
                lane: &row.lane,
                target: row.target,
                rows: vec![row],
            }),
        }
    }
    let mut charts = Vec::new();
    for comparison in &all {
        for metric in &METRICS {
            let show = match metric.source {
                Source::Size => kilobytes,
                Source::Time(_) => number::time,
                Source::Memory(_) => continue,
            };
            let of = |row: &Row| match metric.source {
                Source::Size => Size::Plain.of_one(row, report.count_of(&row.payload)),
                Source::Time(direction) => direction.of(row)?.ns,
                Source::Memory(_) => None,
            };
            let keys = vec![comparison.name(report), metric.name.to_owned()];
            let chart = chart::curves(&curves(comparison, of), &keys.join(", "), metric.name, show);
            charts.extend(chart.map(|chart| Choice { keys, chart }));
        }
    }
    section(
        "sweep",
        "Sweep",
        "Each curve is one library over the lengths of the array.",
        &["values", "figure"],
        &charts,
    )
}

/// Returns the curve of each format and library over the lengths of a sweep.
fn curves(comparison: &Comparison<'_>, of: impl Fn(&Row) -> Option<f64>) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for row in &comparison.rows {
        let label = format!("{} ({})", row.format, row.library);
        let point = row.sweep.as_ref().map(|sweep| sweep.length as f64).zip(of(row));
        match curves.iter_mut().find(|curve| curve.label == label) {
            Some(curve) => curve.points.extend(point),
            None => {
                let points = point.into_iter().collect();
                curves.push(Curve { label, format: row.format, points });
            }
        }
    }
    curves
}

/// Writes the comparisons of payloads with the first one, if there are any.
pub(super) fn payload_comparisons(report: &Report) -> String {
    if report.payload_comparisons.is_empty() {
        return String::new();
    }
    let names = ["payload", "against", "lane", "library", "format", "values", Size::Plain.title()];
    let heads: Vec<&str> = names.into_iter().chain(Direction::ALL.map(Direction::verb)).collect();
    let rows: String = report.payload_comparisons.iter().map(comparison_line).collect();
    let title = "Payloads beside the first one";
    format!(
        "{}{}\
         <p class=\"rule\">Ratios of one payload, with 95 % intervals. Payloads have separate launches, so these \
         intervals are wider than those of two formats.</p></section>\n",
        section_start("payloads", title),
        scrolling_table(title, "", &heads, &rows)
    )
}

fn comparison_line(comparison: &PayloadComparison) -> String {
    let PayloadComparison { payload, base, lane, library, format, target, .. } = comparison;
    let mut out = String::from("<tr>");
    text_cells(&mut out, &[payload, base, lane, library, format.name(), target.name()]);
    figure_cell(&mut out, comparison.bytes, number::significant);
    for time in [&comparison.encode, &comparison.decode] {
        let text = |time: &TimeComparison| {
            let TimeComparison { ratio, ratio_low, ratio_high, verdict, .. } = time;
            format!("{ratio:.2} ({ratio_low:.2} – {ratio_high:.2}) {verdict}")
        };
        let text = time.as_ref().map_or_else(String::new, text);
        cell(&mut out, time.as_ref().map(|time| time.ratio), &text);
    }
    out.push_str("</tr>\n");
    out
}

/// Writes the cost model of the rows.
pub(super) fn cost_model(report: &Report) -> String {
    let note = "Uncompressed bodies with the headers of HTTP and of each segment, over a warm connection; the \
                server's CPU time is that of encoding alone, the client's that of decoding. The formulas are \
                those of <code>manywire trial</code>, which measures the whole request.";
    model(report).map_or_else(String::new, |model| parts::cost_model(&model, "Values", note))
}

/// A column that the table filters by: its name, and its text in a row.
type Column = (&'static str, fn(&Row) -> &str);

/// Writes every row as a table that sorts and filters.
pub(super) fn rows(report: &Report) -> String {
    let mut out = section_start("rows", "All rows");
    let main = main_payload(report);
    if report.rows.iter().any(|row| row.payload != main) {
        put!(out, "<p>The charts show the rows of {}.</p>\n", Text(&row_name(main)));
    }
    let columns: [Column; 5] = [
        ("payload", |row| &row.payload),
        ("lane", |row| &row.lane),
        ("library", |row| &row.library),
        ("format", |row| row.format.name()),
        ("values", |row| row.target.name()),
    ];
    let filters = columns.iter().enumerate().map(|(column, &(name, of))| Filter {
        column,
        name,
        values: report.rows.iter().map(of).collect(),
    });
    let sizes = Size::of_rows(&report.rows);
    let mut heads: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    heads.extend(sizes.iter().map(|size| size.title()));
    heads.extend(Direction::ALL.iter().flat_map(|direction| [direction.verb(), "ratio"]));
    heads.extend(own_memory().map(|(name, _)| name));
    heads.push("fidelity");
    let line = |row| table_row(row, &sizes, report.count_of(&row.payload));
    let rows: String = report.rows.iter().map(line).collect();
    out.push_str(&parts::table(&filters.collect::<Vec<_>>(), &heads, &rows));
    out + "</section>\n"
}

fn row_name(payload: &str) -> String {
    if payload == "*" { "all payloads together".to_owned() } else { payload.to_owned() }
}

/// Writes a row. Bytes are a mean over its payloads.
fn table_row(row: &Row, sizes: &[Size<'_>], payloads: u64) -> String {
    let mut out = String::from("<tr>");
    let payload = match &row.sweep {
        Some(sweep) => format!("{} {}={}", row.payload, sweep.path, sweep.length),
        None => row.payload.clone(),
    };
    let texts: [&str; 5] =
        [&payload, &row.lane, &row.library, row.format.name(), row.target.name()];
    text_cells(&mut out, &texts);
    for size in sizes {
        figure_cell(&mut out, size.of_one(row, payloads), number::mean);
    }
    for direction in Direction::ALL {
        let summary = direction.of(row);
        time_cell(&mut out, Estimate::time(summary));
        let ratio = summary.and_then(|summary| summary.ratio);
        let verdict = summary.and_then(|summary| summary.verdict).map_or("", RowVerdict::name);
        figure_cell(&mut out, ratio, |ratio| format!("{ratio:.2} {verdict}"));
    }
    for (_, memory) in own_memory() {
        figure_cell(&mut out, memory.of_both(row), memory.show);
    }
    let fidelity = match (&row.fidelity, &row.status) {
        (_, Status::Failed(reason)) => reason.clone(),
        (Some(fidelity), _) => fidelity.in_one_line(|loss| format!("{}: {}", loss.path, loss.lost)),
        (None, _) => "n/a".to_owned(),
    };
    put!(out, "<td>{}</td></tr>\n", Text(&fidelity));
    out
}

/// Writes the verdicts, the warnings and the machine.
pub(super) fn conditions(report: &Report) -> String {
    let mut out = section_start("words", "In words");
    out.push_str(&sentences(&gate_lines(report).collect::<Vec<_>>()));
    out.push_str(&sentences(&report.verdicts));
    let warnings: BTreeSet<(&str, &str, &str)> = report
        .rows
        .iter()
        .flat_map(|row| {
            row.warnings
                .iter()
                .map(move |text| (row.format.name(), row.library.as_str(), text.as_str()))
        })
        .collect();
    if !warnings.is_empty() {
        put!(out, "<details><summary>{} warnings</summary><ul>\n", warnings.len());
        for (format, library, text) in warnings {
            put!(out, "<li>{} by {}: {}</li>\n", Text(format), Text(library), Text(text));
        }
        out.push_str("</ul></details>\n");
    }
    parts::lanes_and_host(&mut out, &report.lanes, &report.host, &report.tool);
    put!(out, "<p class=\"rule\">δ is {} %.</p>\n</section>\n", report.delta * 100.0);
    out
}
