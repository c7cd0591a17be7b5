//! The page of a report of `trial`, section by section.

use std::collections::BTreeMap;

use manywire_format::Format;

use super::chart::{self, Launches, Mark, Stack, StackAxis};
use super::decision::{Estimate, Need, bytes};
use super::html::{Text, put};
use super::model::{Model, ModelRow, links};
use super::parts::{
    self, Answer, Choice, Filter, cell, figure_cell, interval, kilobytes, scrolling_table, section,
    section_start, sentences, text_cells, time_cell,
};
use crate::trial::cost::Range;
use crate::trial::report::{
    Capacity, Clock, PairReport, Report, Row, RowVerdict, Saving, ServerRow, TransportRow,
    cost_sentences,
};
use crate::trial::{CapacityLimit, Figure, LAUNCHES_MIN, Quantile};
use crate::weigh::report::{describe_input_size, number};

/// Returns the title of the page.
pub(super) fn title(report: &Report) -> String {
    let names = report.payloads.iter().map(|payload| payload.name.as_str());
    format!("Which format for {}, end to end?", parts::payload_names(names))
}

/// Writes the title and one line on what was measured.
pub(super) fn head(report: &Report) -> String {
    let payloads = report.payloads.iter();
    let size =
        describe_input_size(payloads.map(|payload| (payload.bytes, payload.made_from.as_deref())));
    let link = report.link.as_ref().map_or_else(
        || "loopback".to_owned(),
        |link| format!("a link of {}", number::bandwidth(link.bits_per_s)),
    );
    let version = &report.tool.version;
    let launches = report.launches();
    let about = format!("{size} · {launches}, {link} · manywire {version}");
    let mut notices: Vec<String> = report.interruption().into_iter().collect();
    notices.extend(report.notes.iter().cloned());
    let most_launches = report.pairs.iter().map(|pair| pair.launches).max().unwrap_or(0);
    if most_launches < LAUNCHES_MIN {
        notices.push(format!("a verdict on times takes {LAUNCHES_MIN} launches of a pair"));
    }
    notices.extend(parts::debug_notice(&report.tool));
    parts::head(&title(report), &about, &notices)
}

/// Returns the name of a pair for people: `Go from Rust` is a client in Go and a server in Rust.
fn name(pair: &PairReport, report: &Report) -> String {
    name_of(&pair.client, &pair.server, report)
}

fn name_of(client: &str, server: &str, report: &Report) -> String {
    let title = |lane: &str| {
        let note = report.lanes.iter().find(|note| note.lane == lane);
        note.map_or_else(|| lane.to_owned(), |note| note.title.clone())
    };
    format!("{} from {}", title(client), title(server))
}

/// The rows of a pair that have figures, each with its format.
fn rows(pair: &PairReport) -> impl Iterator<Item = (Format, &Row)> {
    let complete = pair.rows.iter().filter(|row| row.status.is_ok());
    complete.filter_map(|row| Some((row.format.parse().ok()?, row)))
}

/// Returns a figure with its interval. The interval of a single launch is from zero to infinity, so
/// it overlaps every other.
fn estimate(figure: Option<Figure>) -> Option<Estimate> {
    let Figure { value, low, high } = figure?;
    Some(Estimate { value, low: low.unwrap_or(0.0), high: high.unwrap_or(f64::INFINITY) })
}

/// Returns the bytes of one body, as a mean over payloads.
fn body_bytes(row: &Row, report: &Report) -> Option<f64> {
    Some(row.body_bytes? as f64 / report.payloads.len() as f64)
}

/// Writes the answer for each need, for every pair.
pub(super) fn answer(report: &Report) -> String {
    let answer = |pair| Answer { name: name(pair, report), needs: needs(report, pair) };
    let mut all: Vec<Answer> = report.pairs.iter().map(answer).collect();
    all.retain(|answer| !answer.needs.is_empty());
    parts::answers(
        &all,
        "Formats are compared within one client and one server. Figures whose intervals overlap are named \
         together; the verdicts below compare launch by launch, and may tell more apart. Sizes are exact.",
    )
}

/// Returns the needs that the figures of a pair can answer. With fewer than [`LAUNCHES_MIN`]
/// launches, only sizes can be compared.
fn needs(report: &Report, pair: &PairReport) -> Vec<Need> {
    let need = |title, figure: &str, show, of: &dyn Fn(&Row) -> Option<Estimate>| {
        let figures = rows(pair).filter_map(|(_, row)| Some((row.name(), of(row)?)));
        Need::new(title, figure.to_owned(), show, figures.collect())
    };
    let size = |row: &Row| body_bytes(row, report).map(Estimate::exact);
    let title = ("Smallest on the wire", "smallest on the wire");
    let mut all = vec![need(title, "bytes of a body", bytes, &size)];
    if pair.launches >= LAUNCHES_MIN {
        // On a busy machine, times end to end include waiting for other programs.
        if report.clock == Clock::Wall {
            let title = ("Soonest response", "soonest end to end");
            let time = |row: &Row| estimate(row.end_to_end_ns);
            all.push(need(title, "time of a request, one at a time", number::time, &time));
        }
        let title = ("Least CPU on the server", "cheapest for the server's CPU");
        let cpu = |row: &Row| estimate(row.capacity.as_ref()?.server_cpu_ns);
        let figure = "CPU time of the server for a request, at the most requests a second";
        all.push(need(title, figure, number::time, &cpu));
        let title = ("Least money", "cheapest in all");
        let money = |row: &Row| money(row, pair, report);
        let figure =
            format!("{} for a million requests: CPU time and traffic", report.cost.prices.currency);
        all.push(need(title, &figure, number::significant, &money));
    }
    all.retain(|need| !need.candidates.is_empty());
    all
}

/// Returns the money for a million requests of a row.
fn money(row: &Row, pair: &PairReport, report: &Report) -> Option<Estimate> {
    let cost = report.cost.rows.iter().find(|cost| {
        let same = (&cost.client, &cost.server) == (&pair.client, &pair.server);
        same && (&cost.format, &cost.coding) == (&row.format, &row.coding)
    })?;
    let range = cost.ranges.as_ref().map(|ranges| ranges.money_per_million);
    let Range { low, high } = range.unwrap_or(Range { low: None, high: None });
    estimate(Some(Figure { value: cost.cost.money_per_million, low, high }))
}

/// The parts of a request that are measured alone, and that follow each other.
const PARTS: [&str; 3] = ["transport", "encoding", "decoding"];

/// Writes a section with a chart of each pair.
fn pair_section(
    report: &Report,
    (id, title): (&str, &str),
    note: &str,
    chart: impl Fn(&PairReport, &str) -> Option<String>,
) -> String {
    let charts = report.pairs.iter().filter_map(|pair| {
        let name = name(pair, report);
        let chart = chart(pair, &format!("{title}, {name}"))?;
        Some(Choice { keys: vec![name], chart })
    });
    section(id, title, note, &["client and server"], &charts.collect::<Vec<_>>())
}

/// Writes what the time of a request is made of, for every pair.
pub(super) fn parts_of_a_request(report: &Report) -> String {
    let note = "Each part is measured alone: the transport of a prepared response, encoding in the server's \
                process, decoding in the client's. The upright line is the time of a whole request, with its \
                interval. What lies between the bars and the line is not explained by the parts.";
    pair_section(report, ("parts", "The parts of a request"), note, |pair, title| {
        let stack = |(format, row): (Format, &Row)| {
            let parts = [row.transport_ns?, row.encode_ns?, row.processing_ns?];
            Some(Stack {
                label: row.name(),
                format,
                parts: parts.map(|figure| figure.value).to_vec(),
                whole: Some(estimate(row.end_to_end_ns)?),
                note: String::new(),
            })
        };
        let axis = StackAxis { name: "time of a request", parts: &PARTS, show: number::time };
        chart::stacks(&rows(pair).filter_map(stack).collect::<Vec<_>>(), &axis, title)
    })
}

/// Writes the charts of size against time end to end.
pub(super) fn size_against_time(report: &Report) -> String {
    let note = "The line joins the rows for which no other is as small and as fast, by the estimates. Times \
         are those of whole requests.";
    pair_section(report, ("size", "Size against time"), note, |pair, title| {
        let mark = |(format, row): (Format, &Row)| {
            let (bytes, time) = (body_bytes(row, report)?, estimate(row.end_to_end_ns)?);
            let label = row.name();
            let hint = format!("{label}: {} bytes, {}", number::mean(bytes), interval(time));
            Some(Mark { label, format, bytes, time, hint })
        };
        let marks: Vec<Mark> = rows(pair).filter_map(mark).collect();
        chart::scatter(&marks, title, kilobytes, number::time)
    })
}

/// Writes the distribution of the launches behind each time end to end.
pub(super) fn launches(report: &Report) -> String {
    let note =
        "Each dot is one launch of server and client. The bar below is the interval of their mean.";
    pair_section(report, ("launches", "Launches"), note, |pair, title| {
        let strip = |(format, row): (Format, &Row)| {
            let samples = row.samples.get("end_to_end_ns")?.clone();
            Some(Launches {
                label: row.name(),
                format,
                samples,
                time: estimate(row.end_to_end_ns)?,
            })
        };
        chart::strips(&rows(pair).filter_map(strip).collect::<Vec<_>>(), title, number::time)
    })
}

/// Writes the servers that are compared at the same rate, if the trial compared any.
pub(super) fn servers(report: &Report) -> String {
    if report.servers.is_empty() {
        return String::new();
    }
    let heads =
        ["client", "server", "format", "requests/s", "server CPU", "ratio", "to", "verdict"];
    let rows: String = report.servers.iter().map(server_line).collect();
    let title = "Servers of one lane";
    format!(
        "{}{}\
         <p class=\"rule\">CPU time of the server for a request. The servers of a lane run at the same time, and \
         get requests in turns, at the same rate.</p></section>\n",
        section_start("servers", title),
        scrolling_table(title, "", &heads, &rows)
    )
}

fn server_line(row: &ServerRow) -> String {
    let mut out = String::from("<tr>");
    text_cells(&mut out, &[&row.client, &row.server, &row.name()]);
    figure_cell(&mut out, Some(row.rate_per_s), number::significant);
    time_cell(&mut out, estimate(Some(row.server_cpu_ns)));
    ratio_cell(&mut out, row.ratio);
    cell(&mut out, None, row.reference.as_deref().unwrap_or_default());
    put!(out, "<td>{}</td></tr>\n", Text(row.verdict.map_or("n/a", RowVerdict::name)));
    out
}

/// Writes the servers over each transport, if the trial compared any.
pub(super) fn transports(report: &Report) -> String {
    if report.transports.is_empty() {
        return String::new();
    }
    let heads = [
        "client",
        "server",
        "format",
        "requests/s",
        "server CPU",
        "ratio",
        "saves more",
        "p50",
        "ratio",
        "saves more",
    ];
    let rows: String = report.transports.iter().map(transport_line).collect();
    let title = "Leaving HTTP beside changing the format";
    format!(
        "{}{}\
         <p class=\"rule\">The servers of a lane run at the same time, and get requests at the same rate. Ratios are to \
         HTTP with the first format. The change that saves more is named in the rows of other formats over HTTP.\
         </p></section>\n",
        section_start("transports", title),
        scrolling_table(title, "", &heads, &rows)
    )
}

fn transport_line(row: &TransportRow) -> String {
    let mut out = String::from("<tr>");
    text_cells(&mut out, &[&row.client, &row.server, &row.name()]);
    figure_cell(&mut out, Some(row.rate_per_s), number::significant);
    let mut quantity =
        |(time, mark): (Option<Estimate>, &str), change: Option<Figure>, saving: Option<Saving>| {
            let text = time.map_or_else(String::new, |time| interval(time) + mark);
            cell(&mut out, time.map(|time| time.value), &text);
            ratio_cell(&mut out, change);
            text_cells(&mut out, &[saving.map_or("", Saving::name)]);
        };
    quantity((estimate(row.server_cpu_ns), ""), row.server_cpu_ratio, row.server_cpu_saving);
    let latency = row.latency_p50.map(|Quantile { ns, low, high }| Figure { value: ns, low, high });
    let late = late(row.generator_late);
    quantity((estimate(latency), late), row.latency_ratio, row.latency_saving);
    out.push_str("</tr>\n");
    out
}

/// Returns the mark of a latency that is too high because the client was late.
fn late(is_late: bool) -> &'static str {
    if is_late { " late" } else { "" }
}

/// Writes a cell with a ratio and its interval.
fn ratio_cell(out: &mut String, ratio: Option<Figure>) {
    figure_cell(out, ratio.map(|ratio| ratio.value), |value| {
        match ratio.and_then(|Figure { low, high, .. }| low.zip(high)) {
            Some((low, high)) => format!("{value:.2} ({low:.2} – {high:.2})"),
            None => format!("{value:.2} (no interval)"),
        }
    });
}

/// Writes the cost model of the rows.
pub(super) fn cost_model(report: &Report) -> String {
    let mut comparisons: BTreeMap<String, Vec<ModelRow>> = BTreeMap::new();
    for row in &report.cost.rows {
        let Ok(format) = row.format.parse() else { continue };
        let name = name_of(&row.client, &row.server, report);
        comparisons.entry(name).or_default().push(ModelRow {
            label: row.name(),
            format,
            demand: row.demand,
        });
    }
    let Some(first) = comparisons.values().flatten().next().map(|row| row.format) else {
        return String::new();
    };
    // The other formats are compared with the first of the trial, even if that has no costs.
    let named = report.options["formats"][0].as_str().and_then(|name| name.parse().ok());
    let reference = named.unwrap_or(first);
    let prices = report.cost.prices.clone();
    let model = Model { comparisons, prices, links: links(), reference };
    let transports = match report.pairs.iter().all(|pair| pair.transport.is_http()) {
        true => "HTTP",
        false => "HTTP or ZeroMQ",
    };
    let note = format!(
        "Bodies with the headers of {transports} and of each segment, over a warm connection; the server's CPU \
         time is that of whole requests, the client's that of decoding."
    );
    parts::cost_model(&model, "Client and server", &note)
}

/// A column that the table filters by: its name, and its text in a row.
type Column = (&'static str, for<'r> fn(&'r PairReport, &'r Row) -> &'r str);

/// Writes every row as a table that sorts and filters.
pub(super) fn table(report: &Report) -> String {
    let all = || report.pairs.iter().flat_map(|pair| pair.rows.iter().map(move |row| (pair, row)));
    let columns: [Column; 4] = [
        ("client", |pair, _| &pair.client),
        ("server", |pair, _| &pair.server),
        ("format", |_, row| &row.format),
        ("coding", |_, row| &row.coding),
    ];
    let filters = columns.iter().enumerate().map(|(column, &(name, of))| Filter {
        column,
        name,
        values: all().map(|(pair, row)| of(pair, row)).collect(),
    });
    let heads = [
        "client",
        "server",
        "format",
        "coding",
        "bytes",
        "transport",
        "endpoint",
        "processing",
        "end to end",
        "encode",
        "server CPU",
        "requests/s",
        "limited by",
        "p50",
        "p99",
        "verdict",
    ];
    let lines: String = all().map(|(pair, row)| line(pair, row, report)).collect();
    let table = parts::table(&filters.collect::<Vec<_>>(), &heads, &lines);
    section_start("rows", "All rows") + &table + "</section>\n"
}

fn line(pair: &PairReport, row: &Row, report: &Report) -> String {
    let mut out = String::from("<tr>");
    text_cells(&mut out, &[&pair.client, &pair.server, &row.format, &row.coding]);
    figure_cell(&mut out, body_bytes(row, report), number::mean);
    let capacity = row.capacity.as_ref();
    let times = [
        row.transport_ns,
        row.endpoint_ns,
        row.processing_ns,
        row.end_to_end_ns,
        row.encode_ns,
        capacity.and_then(|capacity| capacity.server_cpu_ns),
    ];
    for time in times {
        time_cell(&mut out, estimate(time));
    }
    let requests = capacity.map(|capacity| capacity.requests_per_s.value);
    cell(&mut out, requests, &capacity.map_or_else(String::new, Capacity::rate_text));
    let limit = capacity.and_then(|capacity| capacity.limit);
    cell(&mut out, None, limit.map_or("", CapacityLimit::name));
    let open = row.latency.first();
    let late = late(open.is_some_and(|open| open.generator_late));
    for quantile in ["p50", "p99"] {
        let found = open.and_then(|open| open.percentiles.get(quantile).copied().flatten());
        figure_cell(&mut out, found.map(|quantile| quantile.ns), |ns| number::time(ns) + late);
    }
    let verdict = match row.status.reason() {
        Some(reason) => reason,
        None => row.verdict.map_or("n/a", RowVerdict::name),
    };
    put!(out, "<td>{}</td></tr>\n", Text(verdict));
    out
}

/// Writes the verdicts, what is unexplained, and the machine.
pub(super) fn conditions(report: &Report) -> String {
    let mut out = section_start("words", "In words");
    out.push_str(&sentences(&report.verdicts));
    out.push_str(&sentences(&cost_sentences(&report.cost)));
    for (title, lines) in
        [("Findings", &report.findings), ("Beyond a fifth, but not settled", &report.unsettled)]
    {
        if !lines.is_empty() {
            put!(out, "<h3>{title}</h3>\n{}", sentences(lines));
        }
    }
    for pair in &report.pairs {
        if let Some(reason) = pair.status.reason() {
            let launches = match pair.launches {
                1 => "1 finished launch".to_owned(),
                launches => format!("{launches} finished launches"),
            };
            let name = name(pair, report);
            put!(out, "<p>{}, after {launches}: {}</p>\n", Text(&name), Text(reason));
        }
    }
    parts::lanes_and_host(&mut out, &report.lanes, &report.host, &report.tool);
    out + "</section>\n"
}
