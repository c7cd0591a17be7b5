//! The report as tables for a terminal: one a pair.

use std::fmt::Write;

use crate::weigh::report::{given, number};

use super::grid::align;
use super::{PairReport, Placement, Report, Row};
use crate::trial::figures::{Figure, Remainder};

/// The least number of launches that makes a claim.
const LAUNCHES_MIN: u64 = 5;

/// The whole report for a terminal.
pub fn table(report: &Report) -> String {
    let mut text = heading(report);
    for pair in &report.pairs {
        text.push('\n');
        text.push_str(&of_pair(pair));
    }
    text.push_str(&super::cost::table(&report.cost));
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
    let given = given(payloads.map(|payload| (payload.bytes, payload.made_from.as_deref())));
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
        "{name} · {given} · {launches} launches of each pair{few} · {link} · {place}\n\
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
