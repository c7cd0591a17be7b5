//! The report as tables for a terminal: one for each pair, and one for costs.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{PairReport, Placement, Report, Row};
use crate::trial::cost::{Basis, BreakEvenRanges, Confidence, CostReport, CostRow, Range};
use crate::trial::figures::{Figure, Remainder};
use crate::weigh::report::describe_input_size;
use crate::weigh::report::number;

/// The minimum number of launches for a verdict.
const LAUNCHES_MIN: u64 = 5;

/// Returns the whole report for a terminal.
pub fn table(report: &Report) -> String {
    let mut text = heading(report);
    for pair in &report.pairs {
        text.push('\n');
        text.push_str(&of_pair(pair));
    }
    text.push_str(&cost_table(&report.cost));
    let sections = [
        ("Findings", &report.findings),
        ("Beyond a fifth, but within the noise", &report.unsettled),
        ("Verdicts", &report.verdicts),
    ];
    for (title, lines) in sections {
        if !lines.is_empty() {
            writeln!(text, "\n{title}:").expect("writing to a string");
        }
        for line in lines {
            writeln!(text, "- {line}").expect("writing to a string");
        }
    }
    text
}

fn heading(report: &Report) -> String {
    let name = match report.payloads.as_slice() {
        [payload] => payload.name.clone(),
        payloads => format!("{} payloads", number::count(payloads.len() as u64)),
    };
    let payloads = report.payloads.iter();
    let input_size =
        describe_input_size(payloads.map(|payload| (payload.bytes, payload.made_from.as_deref())));
    let launches = report.options["launches"].as_u64().unwrap_or(0);
    let few = match launches {
        few if few < LAUNCHES_MIN => format!(" (a claim takes {LAUNCHES_MIN})"),
        _ => String::new(),
    };
    let place = place(&report.placement);
    let link = report.link.as_ref().map_or_else(
        || "loopback".to_owned(),
        |link| {
            let bandwidth = number::bandwidth(link.bits_per_s);
            format!(
                "a line of {bandwidth} and {} there and back",
                number::time(link.round_trip_ms * 1e6)
            )
        },
    );
    format!(
        "{name} · {input_size} · {launches} launches of each pair{few} · {link} · {place}\n\
         times are of one request at a time; ± is half of a 95 % interval over launches\n"
    )
}

fn place(placement: &Placement) -> String {
    let list = |cores: &[usize]| {
        let cores: Vec<String> = cores.iter().map(usize::to_string).collect();
        cores.join(",")
    };
    let Placement { server_cores: server, client_cores: client, one_core } = placement;
    if server.is_empty() {
        return "server and client share every core".to_owned();
    }
    let (server, client) = (list(server), list(client));
    if *one_core {
        return format!("server and client share one core, on its threads {server} and {client}");
    }
    format!("server on core {server}, client on core {client}")
}

fn of_pair(pair: &PairReport) -> String {
    let server = pair.server_runtime.as_ref().unwrap_or(&pair.server);
    let mut text = format!("client {} · server {server}\n", pair.client_runtime);
    if pair.status != "ok" {
        writeln!(text, "  {}", pair.status).expect("writing to a string");
    }
    let rate = pair.rows.iter().find_map(|row| row.latency.first()).map(|open| open.rate_per_s);
    let at = rate.map_or_else(String::new, |rate| format!(" at {}/s", number::significant(rate)));
    let head = [
        "format",
        "bytes",
        "transport",
        "endpoint",
        "processing",
        "end to end",
        "",
        "residual",
        "server CPU",
        "requests/s",
        &format!("p50{at}"),
        "p99",
        "",
    ];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    lines.extend(pair.rows.iter().map(line));
    text + &align(&lines)
}

fn line(row: &Row) -> Vec<String> {
    let bytes = row.body_bytes.map_or_else(unknown, number::count);
    if row.status != "ok" {
        return vec![row.name(), bytes, row.status.clone()];
    }
    let time = |figure: Option<Figure>| figure.map_or_else(unknown, |f| number::time(f.value));
    let mark = match row.verdict.as_deref() {
        Some("faster") => " ▼",
        Some("slower") => " ▲",
        Some("inconclusive") => " ~",
        _ => "",
    };
    let spread = row.end_to_end_ns.and_then(|figure| figure.spread());
    let spread = spread.map_or_else(String::new, |share| format!("±{:.0} %", share * 100.0)) + mark;
    let capacity = row.capacity.as_ref();
    let open = row.latency.first();
    let percentile = |name: &str| {
        let found = open.and_then(|open| open.percentiles.get(name).copied().flatten());
        found.map_or_else(unknown, |quantile| number::time(quantile.ns))
    };
    let late = if open.is_some_and(|open| open.generator_late) { "late" } else { "" };
    vec![
        row.name(),
        bytes,
        time(row.transport_ns),
        time(row.endpoint_ns),
        time(row.processing_ns),
        time(row.end_to_end_ns),
        spread,
        row.residual.as_ref().map_or_else(unknown, residual),
        time(capacity.and_then(|capacity| capacity.server_cpu_ns)),
        capacity.map_or_else(unknown, |c| number::count(c.requests_per_s.value.round() as u64)),
        percentile("p50"),
        percentile("p99"),
        late.to_owned(),
    ]
}

fn residual(rest: &Remainder) -> String {
    format!("{:+.0} %", rest.share * 100.0)
}

fn unknown() -> String {
    "n/a".to_owned()
}

/// Returns a table of costs, and the break-even points.
pub(super) fn cost_table(report: &CostReport) -> String {
    if report.rows.is_empty() {
        return String::new();
    }
    let prices = &report.prices;
    let mut text = format!(
        "\nCosts over {}: {} {} an hour of a core used to {:.0} %, {} a GB\n",
        report.link,
        prices.vcpu_hour,
        prices.currency,
        prices.utilisation * 100.0,
        prices.gigabyte
    );
    writeln!(text, "its constants are {}", confidence_summary(&report.basis))
        .expect("writing to a string");
    let mut head: Vec<String> =
        ["pair", "format", "on the line", "/s a core", "", "/s the line", "limit", "warm", "cold"]
            .map(str::to_owned)
            .to_vec();
    head.extend([format!("{} a million", prices.currency), String::new()]);
    head.extend(prices.radio_mj_per_kb.keys().map(|radio| format!("mJ {radio}")));
    head.push(String::new());
    let mut lines = vec![head];
    lines.extend(report.rows.iter().map(cost_line));
    text.push_str(&align(&lines));
    for row in &report.rows {
        if let Some(words) = cost_sentence(report, row) {
            writeln!(text, "- {words}").expect("writing to a string");
        }
    }
    text
}

/// Lists the constants by confidence, lowest first: `assumed: utilisation; …`.
fn confidence_summary(basis: &[Basis]) -> String {
    let mut by_standing: BTreeMap<Confidence, Vec<&str>> = BTreeMap::new();
    for each in basis {
        let name = each.name.strip_prefix("radio_mj_per_kb.").unwrap_or(&each.name);
        by_standing.entry(each.standing).or_default().push(name);
    }
    let listed = by_standing.into_iter();
    let listed = listed.map(|(standing, names)| format!("{standing}: {}", names.join(", ")));
    listed.collect::<Vec<_>>().join("; ")
}

fn cost_name(row: &CostRow) -> String {
    match row.coding.as_str() {
        "none" => row.format.clone(),
        coding => format!("{} {coding}", row.format),
    }
}

fn cost_line(row: &CostRow) -> Vec<String> {
    let cost = &row.cost;
    let ranges = row.ranges.as_ref();
    let rate = |rate: f64| number::count(rate.round() as u64);
    let mut cells = vec![
        format!("{} ← {}", row.client, row.server),
        cost_name(row),
        number::count(cost.wire_bytes as u64),
        rate(cost.requests_per_s_core),
        cost_spread(cost.requests_per_s_core, ranges.map(|ranges| ranges.requests_per_s_core)),
        rate(cost.requests_per_s_link),
        cost.bottleneck.clone(),
        number::time(cost.latency_warm_ms * 1e6),
        number::time(cost.latency_cold_ms * 1e6),
        small(cost.money_per_million),
        cost_spread(cost.money_per_million, ranges.map(|ranges| ranges.money_per_million)),
    ];
    cells.extend(cost.energy_mj.values().map(|&mj| small(mj)));
    cells.push(String::new());
    cells
}

/// Returns half of a range as a share of its figure; empty without a range.
fn cost_spread(value: f64, range: Option<Range>) -> String {
    match range {
        Some(Range { low: Some(low), high: Some(high) }) if value > 0.0 => {
            format!("±{:.0} %", (high - low) / 2.0 / value * 100.0)
        }
        Some(_) => "±?".to_owned(),
        None => String::new(),
    }
}

/// Describes the break-even points of two formats.
fn cost_sentence(report: &CostReport, row: &CostRow) -> Option<String> {
    let found = row.break_even.as_ref()?;
    let reference = report.reference(row)?;
    let (this, other) = (cost_name(row), cost_name(reference));
    let which = |winner: &str| if winner == "this" { &this } else { &other };
    let ranges =
        row.break_even_ranges.unwrap_or(BreakEvenRanges { bits_per_s: None, gigabyte: None });
    let sooner = match found.bits_per_s {
        Some(bits) => {
            format!("{} is sooner below {}", which(&found.sooner), number::bandwidth(bits))
        }
        None => format!("{} is sooner at any bandwidth", which(&found.sooner)),
    };
    let cheaper = match found.gigabyte {
        Some(price) => format!(
            "{} is cheaper where a GB costs more than {} {}",
            which(&found.cheaper),
            small(price),
            report.prices.currency
        ),
        None => format!("{} is cheaper at any price of bytes", which(&found.cheaper)),
    };
    let sooner = sooner + &range_text(ranges.bits_per_s, number::bandwidth);
    let cheaper = cheaper + &range_text(ranges.gigabyte, small);
    Some(format!("{} ← {}, {this} against {other}: {sooner}; {cheaper}", row.client, row.server))
}

/// Describes the range of a point: ` (95 %: 310 to 480 Mbit/s)`. If a range is open or begins at
/// zero, there may be no such point.
fn range_text(range: Option<Range>, show: fn(f64) -> String) -> String {
    match range {
        Some(Range { low: Some(low), high: None }) => {
            format!(" (95 %: {} or more, if at all)", show(low))
        }
        Some(Range { low: Some(low), high: Some(high) }) if low > 0.0 => {
            format!(" (95 %: {} to {})", show(low), show(high))
        }
        Some(Range { high: Some(high), .. }) => {
            format!(" (95 %: at most {}, if at all)", show(high))
        }
        _ => String::new(),
    }
}

/// Formats three significant digits, also of small numbers.
fn small(number: f64) -> String {
    match number {
        number if number >= 0.1 || number <= 0.0 => number::significant(number),
        number => format!("{number:.*}", (2.0 - number.log10().floor()).min(12.0) as usize),
    }
}

/// Aligns cells in columns: the first and the last to the left, the others to the right.
pub(super) fn align(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    // A shorter line ends in text that needs no column width.
    let whole = || lines.iter().filter(|line| line.len() == columns);
    let width = |column: usize| whole().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (column, cell) in line.iter().enumerate() {
            let width = widths[column];
            if column > 0 {
                row.push_str("  ");
            }
            match column {
                0 => row.push_str(&format!("{cell:<width$}")),
                last if last + 1 == line.len() => row.push_str(cell),
                _ => row.push_str(&format!("{cell:>width$}")),
            }
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}
