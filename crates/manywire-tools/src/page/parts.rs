//! Parts that the pages of all reports have: the head, the answers, charts to choose from, the cost model,
//! and the table that sorts and filters.

use std::collections::BTreeSet;

use super::decision::{Estimate, Need};
use super::html::{Text, data, put};
use super::model::Model;
use crate::weigh::report::words::list;
use crate::weigh::report::{Host, LaneNote, Profile, Tool, number};

/// Returns the names of the payloads, shortened if there are many.
pub(super) fn payload_names<'r>(names: impl Iterator<Item = &'r str>) -> String {
    match names.collect::<Vec<&str>>().as_slice() {
        [] => "no payload".to_owned(),
        [one] => (*one).to_owned(),
        [first, rest @ ..] => format!("{first} and {} more payloads", rest.len()),
    }
}

/// Writes the title, one line on what was measured, and sentences that a reader must know first.
pub(super) fn head(title: &str, about: &str, notices: &[String]) -> String {
    let mut out =
        format!("<header><h1>{}</h1>\n<p class=\"about\">{}</p>\n", Text(title), Text(about));
    for notice in notices {
        put!(out, "<p class=\"notice\">{}.</p>\n", Text(&capitalised(notice)));
    }
    out + "</header>\n"
}

/// Returns the notice on a report of a debug build.
pub(super) fn debug_notice(tool: &Tool) -> Option<String> {
    let is_debug = tool.profile != Profile::Release;
    is_debug.then(|| "measured by a debug build: its times mean nothing".to_owned())
}

/// The needs of one comparison of rows, with its name.
pub(super) struct Answer {
    pub(super) name: String,
    pub(super) needs: Vec<Need>,
}

/// Writes the answer for each need of each comparison. The names of comparisons are left out if there is
/// only one.
pub(super) fn answers(all: &[Answer], rule: &str) -> String {
    let mut out = section_start("answer", "The answer");
    if all.is_empty() {
        out.push_str("<p>No row has figures: the table below says why.</p>\n");
    }
    for Answer { name, needs } in all {
        if all.len() > 1 {
            put!(out, "<h3>{}</h3>\n", Text(name));
        }
        put!(out, "<p class=\"sentence\">{}</p>\n<dl class=\"needs\">\n", Text(&sentence(needs)));
        for need in needs {
            out.push_str(&card(need));
        }
        out.push_str("</dl>\n");
    }
    put!(out, "<p class=\"rule\">{rule}</p>\n</section>\n");
    out
}

/// The maximum number of tied rows that are named as the answer. If more rows tie, the answer is
/// `undecided`.
const NAMED_TIES_MAX: usize = 3;

/// Returns the names of a need's winners: `avro`, or `avro or protobuf` if they tie. `None` if more
/// than [`NAMED_TIES_MAX`] cannot be told apart by their intervals. Winners with equal exact
/// figures, such as sizes, are all named.
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
        let Some(winners) = winner_names(need) else {
            undecided.push(need.adjective);
            continue;
        };
        match clauses.iter_mut().find(|(name, _)| *name == winners) {
            Some((_, all)) => all.push(need.adjective),
            None => clauses.push((winners, vec![need.adjective])),
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

/// A chart that the reader can select.
pub(super) struct Choice {
    /// The values that select this chart: one for each list of the form.
    pub(super) keys: Vec<String>,
    pub(super) chart: String,
}

/// Writes charts, and lists by which the reader selects one: each list has a name and the values of
/// one key. Without scripts, all charts are shown.
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

/// Formats a number of bytes for the tick of an axis.
pub(super) fn kilobytes(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e3 => format!("{bytes:.0} B"),
        bytes if bytes < 1e6 => format!("{} kB", short(bytes / 1e3)),
        bytes => format!("{} MB", short(bytes / 1e6)),
    }
}

fn short(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { number::significant(value) }
}

/// Formats a time with its interval.
pub(super) fn interval(time: Estimate) -> String {
    match time.high.is_finite() {
        true => format!(
            "{} ({} – {})",
            number::time(time.value),
            number::time(time.low),
            number::time(time.high)
        ),
        false => format!("{} (no interval)", number::time(time.value)),
    }
}

/// Returns the start of a section, with its heading. The caller writes the end.
pub(super) fn section_start(id: &str, title: &str) -> String {
    let title = Text(title);
    format!("<section aria-labelledby=\"{id}\"><h2 id=\"{id}\">{title}</h2>\n")
}

/// Writes a section of charts; nothing if there is none.
pub(super) fn section(
    id: &str,
    title: &str,
    note: &str,
    names: &[&str],
    charts: &[Choice],
) -> String {
    if charts.is_empty() {
        return String::new();
    }
    let (start, charts) = (section_start(id, title), choices(names, charts));
    format!("{start}{charts}<p class=\"rule\">{note}</p></section>\n")
}

/// Writes the cost model: sliders, and a table that the script fills. `comparisons` is the caption
/// of the list of comparisons, `note` describes the figures.
pub(super) fn cost_model(model: &Model, comparisons: &str, note: &str) -> String {
    let mut out = String::from(
        "<section aria-labelledby=\"model\" id=\"cost-model\" hidden><h2 id=\"model\">What it costs in your traffic</h2>\n\
         <form class=\"sliders\">\n",
    );
    if model.comparisons.len() > 1 {
        put!(out, "<label>{comparisons} <select id=\"comparison\">");
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
    // The sliders of bandwidth and requests set powers of ten, because their ranges are wide.
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
         <p class=\"rule\">{note} The costs are computed from the middle of each interval.</p>\n</section>\n",
        model.reference
    );
    out.push_str(&data("model-data", model));
    out
}

/// A column that a table filters by: its index, its name, and its text in each row.
pub(super) struct Filter<'r> {
    pub(super) column: usize,
    pub(super) name: &'static str,
    pub(super) values: BTreeSet<&'r str>,
}

/// Writes a table that sorts and filters. `rows` is the markup of its rows. A filter of one value is left
/// out.
pub(super) fn table(filters: &[Filter<'_>], heads: &[&str], rows: &str) -> String {
    let mut out = String::from("<form class=\"filters\" id=\"filters\" hidden>");
    for Filter { column, name, values } in filters {
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
    out.push_str("</form>\n");
    out + &scrolling_table("Rows", " id=\"table\"", heads, rows)
}

/// Writes a table that scrolls if the page is narrow. `label` is the name of the table for screen
/// readers, `attributes` are those of its tag, and `rows` is the markup of its rows.
pub(super) fn scrolling_table(label: &str, attributes: &str, heads: &[&str], rows: &str) -> String {
    let heads: String =
        heads.iter().map(|head| format!("<th scope=\"col\">{}</th>", Text(head))).collect();
    format!(
        "<div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\
         <table{attributes}><thead><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>\n",
        Text(label)
    )
}

/// Writes a cell: the text, and the number to sort by. Without both, the cell is marked as absent,
/// and its text is `n/a`.
pub(super) fn cell(out: &mut String, value: Option<f64>, text: &str) {
    match value {
        Some(value) => put!(out, "<td data-value=\"{value}\">{}</td>", Text(text)),
        None if text.is_empty() => put!(out, "<td class=\"absent\">n/a</td>"),
        None => text_cells(out, &[text]),
    }
}

/// Writes a cell with a figure as `show` formats it.
pub(super) fn figure_cell(out: &mut String, figure: Option<f64>, show: impl FnOnce(f64) -> String) {
    cell(out, figure, &figure.map_or_else(String::new, show));
}

/// Writes a cell with a time and its interval.
pub(super) fn time_cell(out: &mut String, time: Option<Estimate>) {
    cell(out, time.map(|time| time.value), &time.map_or_else(String::new, interval));
}

/// Writes a cell for each text.
pub(super) fn text_cells(out: &mut String, texts: &[&str]) {
    for text in texts {
        put!(out, "<td>{}</td>", Text(text));
    }
}

/// Writes sentences as a list; nothing if there are none.
pub(super) fn sentences(all: &[String]) -> String {
    let items: String = all.iter().map(|text| format!("<li>{}</li>\n", Text(text))).collect();
    if items.is_empty() { items } else { format!("<ul>\n{items}</ul>\n") }
}

/// Writes why lanes have no rows, and the machine and the program that measured.
pub(super) fn lanes_and_host(out: &mut String, lanes: &[LaneNote], host: &Host, tool: &Tool) {
    for lane in lanes {
        if let Some(reason) = lane.status.reason() {
            put!(out, "<p>{}: {}</p>\n", Text(&lane.title), Text(reason));
        }
    }
    put!(
        out,
        "<p class=\"rule\">Measured on {} ({}, {}), by manywire {} of {} in the profile {}.</p>\n",
        Text(host.cpu.as_deref().unwrap_or("an unknown processor")),
        Text(&host.os),
        Text(&host.arch),
        Text(&tool.version),
        Text(&tool.rustc),
        tool.profile.name()
    );
}
