//! The sections of the page, each from the figures of a report to HTML.

use std::collections::BTreeSet;

use manywire_format::Format;

use super::chart::{self, Curve, Launches, Mark};
use super::decision::{Comparison, Estimate, Need, comparisons, main_payload, needs};
use super::html::{Text, data, put};
use super::model::model;
use crate::weigh::report::words::list;
use crate::weigh::report::{
    Baseline, Fidelity, Profile, Report, Row, RowVerdict, Status, Summary, number,
};
use crate::weigh::subject::ValueKind;

/// Returns the names of the payloads, shortened if there are many.
pub(super) fn payload_names(report: &Report) -> String {
    let names: Vec<&str> = report.payloads.iter().map(|payload| payload.name.as_str()).collect();
    match names.as_slice() {
        [] => "no payload".to_owned(),
        [one] => (*one).to_owned(),
        [first, rest @ ..] => format!("{first} and {} more payloads", rest.len()),
    }
}

/// Writes the title and one line on what was measured.
pub(super) fn head(report: &Report, title: &str) -> String {
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
    let mut notice = String::new();
    if let Some(sentence) = report.interruption() {
        put!(notice, "<p class=\"notice\">{}.</p>\n", Text(&capitalised(&sentence)));
    }
    for note in &report.notes {
        put!(notice, "<p class=\"notice\">{}.</p>\n", Text(&capitalised(note)));
    }
    if report.tool.profile != Profile::Release {
        notice.push_str(
            "<p class=\"notice\">Measured by a debug build: its times mean nothing.</p>\n",
        );
    }
    format!(
        "<header><h1>{}</h1>\n<p class=\"about\">{payloads}{} bytes as given · {launches} · \
         manywire {}</p>\n{notice}</header>\n",
        Text(title),
        number::count(bytes),
        Text(&report.tool.version)
    )
}

/// The number of tied rows that are all named; of more, only the number is given.
const NAMED_TIES_MAX: usize = 3;

/// Returns the names of a need's winners: `avro`, or `avro or protobuf` if they tie. `None` if too
/// many cannot be told apart. Equal sizes are no question, and all are named.
fn winner_names(need: &Need) -> Option<String> {
    let names: Vec<&str> = need.winners().iter().map(|(name, _)| name.as_str()).collect();
    let is_exact = need.candidates.first().is_some_and(|(_, best)| best.low == best.high);
    (is_exact || names.len() <= NAMED_TIES_MAX).then(|| names.join(" or "))
}

/// Returns the answer in one sentence.
fn sentence(needs: &[Need]) -> String {
    let mut clauses: Vec<(String, Vec<&str>)> = Vec::new();
    let mut undecided = Vec::new();
    for need in needs {
        let what = match need.title {
            "Smallest on the wire, compressed" => "smallest when compressed",
            "Smallest on the wire" => "smallest uncompressed",
            "Least CPU on the server" => "fastest to encode",
            "Fastest for the client" => "fastest to decode",
            _ => "fastest at 4G",
        };
        let Some(winners) = winner_names(need) else {
            undecided.push(what);
            continue;
        };
        match clauses.iter_mut().find(|(name, _)| *name == winners) {
            Some((_, all)) => all.push(what),
            None => clauses.push((winners, vec![what])),
        }
    }
    let mut clauses: Vec<String> =
        clauses.iter().map(|(winners, what)| format!("{winners} is {}", list(what))).collect();
    if !undecided.is_empty() {
        clauses.push(format!("undecided: which is {}", list(&undecided)));
    }
    let text = clauses.join("; ");
    capitalised(&text) + "."
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + characters.as_str()
    })
}

/// Writes the answer for each need, for every language and kind of value.
pub(super) fn answer(report: &Report) -> String {
    let mut out =
        String::from("<section aria-labelledby=\"answer\"><h2 id=\"answer\">The answer</h2>\n");
    let all = comparisons(report);
    if all.is_empty() {
        out.push_str("<p>No row has figures: the table below says why.</p>\n");
    }
    for comparison in &all {
        let needs = needs(report, comparison);
        if all.len() > 1 {
            put!(out, "<h3>{}</h3>\n", Text(&comparison.name(report)));
        }
        put!(out, "<p class=\"sentence\">{}</p>\n<dl class=\"needs\">\n", Text(&sentence(&needs)));
        for need in &needs {
            out.push_str(&card(need));
        }
        out.push_str("</dl>\n");
    }
    out.push_str(
        "<p class=\"rule\">Rows are compared within one language and one kind of value. Two times \
         whose intervals overlap cannot be told apart, and are named together. Sizes are exact.</p>\n\
         </section>\n",
    );
    out
}

fn card(need: &Need) -> String {
    let winners = need.winners();
    let name = winner_names(need).unwrap_or_else(|| "undecided".to_owned());
    let mut out = format!("<div><dt>{}</dt><dd><strong>{}</strong>", need.title, Text(&name));
    if let [(_, best), ..] = winners {
        put!(out, " <span>{}</span>", Text(&(need.show)(best.value)));
    }
    if winner_names(need).is_none() {
        let names: Vec<&str> = winners.iter().map(|(name, _)| name.as_str()).collect();
        put!(out, "<br>between {}", Text(&list(&names)));
    }
    if let Some((name, ratio)) = need.runner_up() {
        let more = match ratio {
            ratio if ratio < 1.005 => "less than 1 % more".to_owned(),
            ratio if ratio < 2.0 => format!("{:.0} % more", (ratio - 1.0) * 100.0),
            ratio => format!("{ratio:.1} times"),
        };
        put!(out, "<br>next: {}, {more}", Text(name));
    }
    put!(out, "<br><small>{}</small></dd></div>\n", Text(&need.figure));
    out
}

/// Writes what changed since an earlier report.
pub(super) fn changes(baseline: Option<&Baseline>) -> String {
    let Some(baseline) = baseline else { return String::new() };
    let mut out = format!(
        "<section aria-labelledby=\"changes\"><h2 id=\"changes\">Since {}</h2>\n",
        Text(&baseline.file)
    );
    if baseline.changes.is_empty() {
        out.push_str("<p>Nothing changed beyond the intervals.</p>\n");
    } else {
        put!(out, "<ul>\n");
        for change in &baseline.changes {
            put!(out, "<li>{}</li>\n", Text(change));
        }
        out.push_str("</ul>\n");
    }
    out.push_str(
        "<p class=\"rule\">Sizes and allocations are compared exactly. Times are compared as \
         ratios to the reference of their own report, and a ratio has changed if the two intervals \
         do not overlap; where they overlap, it is the same or undecided.</p>\n",
    );
    if !baseline.differences.is_empty() {
        out.push_str("<p>The two reports were not made under the same conditions:</p><ul>\n");
        for difference in &baseline.differences {
            put!(out, "<li>{}</li>\n", Text(difference));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</section>\n");
    out
}

/// One of several charts of which one is shown.
struct Choice {
    /// The values that select this chart: one for each list of the form.
    keys: Vec<String>,
    chart: String,
}

/// Writes charts of which lists choose one; each list has a name and the values of one key. Without
/// scripts, all charts are shown.
fn choices(names: &[&str], all: &[Choice]) -> String {
    let mut out = String::from("<div class=\"choices\">\n<form class=\"filters\" hidden>");
    for (index, name) in names.iter().enumerate() {
        let mut values: Vec<&str> = Vec::new();
        for choice in all {
            if !values.contains(&choice.keys[index].as_str()) {
                values.push(&choice.keys[index]);
            }
        }
        let hidden = if values.len() > 1 { "" } else { " hidden" };
        put!(out, "<label{hidden}>{name} <select>");
        for value in values {
            put!(out, "<option>{}</option>", Text(value));
        }
        out.push_str("</select></label>\n");
    }
    out.push_str("</form>\n");
    for Choice { keys, chart } in all {
        let keys = keys.join(", ");
        put!(out, "<figure><figcaption>{}</figcaption>\n{chart}</figure>\n", Text(&keys));
    }
    out.push_str("</div>\n");
    out
}

fn kilobytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e3 => format!("{bytes:.0} B"),
        bytes if bytes < 1e6 => format!("{} kB", short(bytes / 1e3)),
        bytes => format!("{} MB", short(bytes / 1e6)),
    }
}

fn short(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { number::significant(value) }
}

/// The operations whose times are drawn.
const OPERATIONS: [&str; 2] = ["encode", "decode"];

fn operation<'r>(row: &'r Row, name: &str) -> Option<&'r Summary> {
    if name == "encode" { row.encode.as_ref() } else { row.decode.as_ref() }
}

/// Writes the charts of size against time: one for each comparison, operation and coding.
pub(super) fn size_against_time(report: &Report) -> String {
    let mut charts = Vec::new();
    for comparison in &comparisons(report) {
        let codings: BTreeSet<&str> = comparison
            .rows
            .iter()
            .flat_map(|row| row.coded_bytes.keys())
            .map(String::as_str)
            .collect();
        for coding in std::iter::once(None).chain(codings.into_iter().map(Some)) {
            for name in OPERATIONS {
                let marks = marks(report, comparison, name, coding);
                let size = coding.unwrap_or("uncompressed").to_owned();
                let keys = vec![comparison.name(report), size, format!("time to {name}")];
                let chart = chart::scatter(&marks, &keys.join(", "), kilobytes, number::time);
                charts.extend(chart.map(|chart| Choice { keys, chart }));
            }
        }
    }
    section(
        "size",
        "Size against time",
        "The line joins the rows that no other beats in both. Times are those without compression.",
        &["values", "bytes", "operation"],
        &charts,
    )
}

fn marks(
    report: &Report,
    comparison: &Comparison<'_>,
    name: &str,
    coding: Option<&str>,
) -> Vec<Mark> {
    let count = report.count_of(comparison.payload) as f64;
    let mark = |row: &&Row| {
        let time = Estimate::time(operation(row, name))?;
        let bytes = match coding {
            None => row.size_bytes?,
            Some(coding) => *row.coded_bytes.get(coding)?,
        };
        let (label, bytes) = (comparison.label(row), bytes as f64 / count);
        let hint = format!("{label}: {} bytes, {}", number::mean(bytes), interval(time));
        Some(Mark { label, format: row.format, bytes, time, hint })
    };
    comparison.rows.iter().filter_map(mark).collect()
}

/// Formats a time with its interval.
fn interval(time: Estimate) -> String {
    match time.high.is_finite() {
        true => format!(
            "{} ({} – {})",
            number::time(time.value),
            number::time(time.low),
            number::time(time.high)
        ),
        false => format!("{} (one launch: no interval)", number::time(time.value)),
    }
}

/// Writes a section of charts; nothing if there is none.
fn section(id: &str, title: &str, note: &str, names: &[&str], charts: &[Choice]) -> String {
    if charts.is_empty() {
        return String::new();
    }
    let charts = choices(names, charts);
    format!(
        "<section aria-labelledby=\"{id}\"><h2 id=\"{id}\">{title}</h2>\n{charts}\
         <p class=\"rule\">{note}</p></section>\n"
    )
}

/// Writes the distribution of the launches behind each figure.
pub(super) fn launches(report: &Report) -> String {
    let mut charts = Vec::new();
    for comparison in &comparisons(report) {
        for name in OPERATIONS {
            let strip = |row: &&Row| {
                let summary = operation(row, name)?;
                Some(Launches {
                    label: comparison.label(row),
                    format: row.format,
                    samples: summary.samples.clone(),
                    time: Estimate::time(Some(summary))?,
                })
            };
            let strips: Vec<Launches> = comparison.rows.iter().filter_map(strip).collect();
            let keys = vec![comparison.name(report), format!("time to {name}")];
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

/// A figure of a sweep: its name, its value in a row, and its form for people.
type SweepFigure = (&'static str, fn(&Row) -> Option<f64>, fn(f64) -> String);

/// The rows of a curve: lane, kind of value, format and library.
type Series<'r> = (&'r str, ValueKind, Format, &'r str);

fn series_of(row: &Row) -> Series<'_> {
    (&row.lane, row.target, row.format, &row.library)
}

/// Writes the curves of a sweep.
pub(super) fn sweeps(report: &Report) -> String {
    let rows = || report.rows.iter().filter(|row| row.status.is_ok() && row.sweep.is_some());
    let mut series: Vec<Series<'_>> = Vec::new();
    for row in rows() {
        if !series.contains(&series_of(row)) {
            series.push(series_of(row));
        }
    }
    let figures: [SweepFigure; 3] = [
        ("bytes", |row| Some(row.size_bytes? as f64), kilobytes),
        ("encode", |row| row.encode.as_ref()?.ns, number::time),
        ("decode", |row| row.decode.as_ref()?.ns, number::time),
    ];
    let charts = figures.iter().filter_map(|(name, of, show)| {
        let curve = |&series: &Series<'_>| {
            let (.., format, library) = series;
            let same = |row: &&Row| series_of(row) == series;
            let point = |row: &Row| Some((row.sweep.as_ref()?.length as f64, of(row)?));
            Curve {
                label: format!("{format} ({library})"),
                format,
                points: rows().filter(same).filter_map(point).collect(),
            }
        };
        let curves: Vec<Curve> = series.iter().map(curve).collect();
        let chart = chart::curves(&curves, name, name, *show)?;
        Some(Choice { keys: vec![(*name).to_owned()], chart })
    });
    section(
        "sweep",
        "Sweep",
        "Each curve is one library over the lengths of the array.",
        &["figure"],
        &charts.collect::<Vec<_>>(),
    )
}

/// Writes the cost model: sliders, and a table that the script fills.
pub(super) fn cost_model(report: &Report) -> String {
    let Some(model) = model(report) else { return String::new() };
    let mut out = String::from(
        "<section aria-labelledby=\"model\" id=\"cost-model\" hidden><h2 id=\"model\">What it costs in your traffic</h2>\n\
         <form class=\"sliders\">\n",
    );
    if model.comparisons.len() > 1 {
        out.push_str("<label>Values <select id=\"comparison\">");
        for name in model.comparisons.keys() {
            put!(out, "<option>{}</option>", Text(name));
        }
        out.push_str("</select></label>\n");
    }
    out.push_str("<label>Link <select id=\"link\"><option value=\"\">own figures</option>");
    for (name, figures) in &model.links {
        put!(out, "<option value=\"{}\">{}: {}</option>", Text(figures), Text(name), Text(figures));
    }
    out.push_str("</select></label>\n");
    // Bandwidth, requests and prices are powers of ten: a slider over a wide range needs them.
    let sliders = [
        ("bandwidth", "Bandwidth", 4.0, 10.0, 0.05),
        ("round-trip", "Round trip, ms", 0.0, 600.0, 1.0),
        ("requests", "Requests a second", 0.0, 6.0, 0.1),
        ("core", "Price of a core hour", 0.0, 0.2, 0.005),
        ("gigabyte", "Price of a gigabyte", 0.0, 0.5, 0.01),
    ];
    for (id, name, low, high, step) in sliders {
        put!(
            out,
            "<label>{name} <input type=\"range\" id=\"{id}\" min=\"{low}\" max=\"{high}\" step=\"{step}\"> <output for=\"{id}\"></output></label>\n"
        );
    }
    put!(
        out,
        "</form>\n<div class=\"scroll\" role=\"region\" aria-label=\"Costs\" tabindex=\"0\"><table id=\"costs\">\
         <thead><tr><th scope=\"col\">format</th><th scope=\"col\">latency</th><th scope=\"col\">cores needed</th>\
         <th scope=\"col\">share of the link</th><th scope=\"col\">money a day</th>\
         <th scope=\"col\">sooner than {} below</th></tr></thead><tbody></tbody></table></div>\n\
         <p class=\"rule\">Uncompressed bodies with the headers of HTTP and of each segment, over a warm \
         connection; the server's CPU time is that of encoding alone, the client's that of decoding. \
         The formulas are those of <code>manywire trial</code>, which measures the whole request. The \
         costs are computed from the middle of each interval.</p>\n</section>\n",
        model.reference
    );
    out.push_str(&data("model-data", &model));
    out
}

/// A column that the table filters by: its name, and its text in a row.
type Filter = (&'static str, fn(&Row) -> &str);

/// Writes every row as a table that sorts and filters.
pub(super) fn rows(report: &Report) -> String {
    let mut out = String::from("<section aria-labelledby=\"rows\"><h2 id=\"rows\">All rows</h2>\n");
    let main = main_payload(report);
    if report.rows.iter().any(|row| row.payload != main) {
        put!(out, "<p>The charts show the rows of {}.</p>\n", Text(&row_name(main)));
    }
    out.push_str("<form class=\"filters\" id=\"filters\" hidden>");
    let values = |of: fn(&Row) -> &str| report.rows.iter().map(of).collect::<BTreeSet<&str>>();
    let filters: [Filter; 5] = [
        ("payload", |row| &row.payload),
        ("lane", |row| &row.lane),
        ("library", |row| &row.library),
        ("format", |row| row.format.name()),
        ("values", |row| row.target.name()),
    ];
    for (column, (name, of)) in filters.iter().enumerate() {
        let values = values(*of);
        if values.len() > 1 {
            put!(
                out,
                "<label>{name} <select data-column=\"{column}\"><option value=\"\">all</option>"
            );
            for value in values {
                put!(out, "<option>{}</option>", Text(value));
            }
            out.push_str("</select></label>\n");
        }
    }
    out.push_str(
        "</form>\n<div class=\"scroll\" role=\"region\" aria-label=\"Rows\" tabindex=\"0\"><table id=\"table\"><thead><tr>",
    );
    let codings: BTreeSet<&String> =
        report.rows.iter().flat_map(|row| row.coded_bytes.keys()).collect();
    let mut heads: Vec<&str> = vec!["payload", "lane", "library", "format", "values", "bytes"];
    heads.extend(codings.iter().map(|name| name.as_str()));
    heads.extend(["encode", "ratio", "decode", "ratio", "allocs", "fidelity"]);
    for head in heads {
        put!(out, "<th scope=\"col\">{}</th>", Text(head));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in &report.rows {
        out.push_str(&table_row(row, &codings, report.count_of(&row.payload)));
    }
    out.push_str("</tbody></table></div>\n</section>\n");
    out
}

fn row_name(payload: &str) -> String {
    if payload == "*" { "all payloads together".to_owned() } else { payload.to_owned() }
}

/// Writes a cell: the text, and the number to sort by.
fn cell(out: &mut String, value: Option<f64>, text: &str) {
    match value {
        Some(value) => put!(out, "<td data-value=\"{value}\">{}</td>", Text(text)),
        None => put!(
            out,
            "<td class=\"absent\">{}</td>",
            Text(if text.is_empty() { "n/a" } else { text })
        ),
    }
}

/// Writes a row. Bytes are those of one of its payloads, as a mean.
fn table_row(row: &Row, codings: &BTreeSet<&String>, payloads: u64) -> String {
    let mut out = String::from("<tr>");
    let payload = match &row.sweep {
        Some(sweep) => format!("{} {}={}", row.payload, sweep.path, sweep.length),
        None => row.payload.clone(),
    };
    for text in [&payload, &row.lane, &row.library, row.format.name(), row.target.name()] {
        put!(out, "<td>{}</td>", Text(text));
    }
    let size = |size: Option<u64>| {
        let size = size.map(|size| size as f64 / payloads as f64);
        (size, size.map_or_else(String::new, number::mean))
    };
    let (value, text) = size(row.size_bytes);
    cell(&mut out, value, &text);
    for coding in codings {
        let (value, text) = size(row.coded_bytes.get(*coding).copied());
        cell(&mut out, value, &text);
    }
    for name in OPERATIONS {
        let summary = operation(row, name);
        let time = Estimate::time(summary);
        cell(&mut out, time.map(|time| time.value), &time.map_or_else(String::new, interval));
        let ratio = summary.and_then(|summary| summary.ratio);
        let verdict = summary.and_then(|summary| summary.verdict).map_or("", RowVerdict::name);
        cell(
            &mut out,
            ratio,
            &ratio.map_or_else(String::new, |ratio| format!("{ratio:.2} {verdict}")),
        );
    }
    let allocs = row.encode.as_ref().and_then(|summary| summary.allocs);
    cell(&mut out, allocs, &allocs.map_or_else(String::new, number::mean));
    let fidelity = match (&row.fidelity, &row.status) {
        (_, Status::Failed(reason)) => reason.clone(),
        (Some(Fidelity::Exact(_)), _) => "exact".to_owned(),
        (Some(Fidelity::Lost(losses)), _) => {
            let losses: Vec<String> =
                losses.iter().map(|loss| format!("{}: {}", loss.path, loss.lost)).collect();
            losses.join("; ")
        }
        (None, _) => "n/a".to_owned(),
    };
    put!(out, "<td>{}</td></tr>\n", Text(&fidelity));
    out
}

/// Writes the verdicts, the warnings and the machine.
pub(super) fn conditions(report: &Report) -> String {
    let mut out =
        String::from("<section aria-labelledby=\"words\"><h2 id=\"words\">In words</h2>\n<ul>\n");
    for verdict in &report.verdicts {
        put!(out, "<li>{}</li>\n", Text(verdict));
    }
    out.push_str("</ul>\n");
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
    for lane in &report.lanes {
        if let Some(reason) = lane.status.reason() {
            put!(out, "<p>{}: {}</p>\n", Text(&lane.title), Text(reason));
        }
    }
    let host = &report.host;
    let unknown = "an unknown processor".to_owned();
    put!(
        out,
        "<p class=\"rule\">Measured on {} ({}, {}), by manywire {} of {} in the profile {}; δ is {} %.</p>\n</section>\n",
        Text(host.cpu.as_ref().unwrap_or(&unknown)),
        Text(&host.os),
        Text(&host.arch),
        Text(&report.tool.version),
        Text(&report.tool.rustc),
        report.tool.profile.name(),
        report.delta * 100.0
    );
    out
}
