//! The report as tables for a terminal: one for each pair, and one for costs.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{
    Capacity, Clock, PairReport, Placement, Report, Row, RowVerdict, ServerRow, Status,
    TransportRow,
};
use crate::trial::cost::{Basis, Confidence, CostReport, CostRow, Range, Winner};
use crate::trial::figure::{Figure, LAUNCHES_MIN, Remainder};
use crate::weigh::report::describe_input_size;
use crate::weigh::report::number;

/// Returns the whole report for a terminal. If it is `verbose`, reasons for missing figures are whole;
/// otherwise only their first lines are shown.
pub fn table(report: &Report, verbose: bool) -> String {
    let mut text = String::new();
    if let Some(interruption) = report.interruption() {
        writeln!(text, "{interruption}\n").expect("writing to a string");
    }
    text.push_str(&heading(report));
    let payloads = report.payloads.len();
    let most_launches = report.pairs.iter().map(|pair| pair.launches).max().unwrap_or(0);
    for pair in &report.pairs {
        text.push('\n');
        text.push_str(&of_pair(pair, payloads, most_launches, verbose));
    }
    text.push_str(&server_table(&report.servers));
    text.push_str(&transport_table(&report.transports));
    text.push_str(&cost_table(&report.cost));
    let sections = [
        ("Findings", &report.findings),
        ("Beyond a fifth, but not settled", &report.unsettled),
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
    let statuses = report.pairs.iter().flat_map(|pair| {
        std::iter::once(&pair.status).chain(pair.rows.iter().map(|row| &row.status))
    });
    if !verbose && statuses.filter_map(Status::reason).any(|reason| reason.lines().count() > 1) {
        text.push_str("\n--verbose shows the reasons for missing figures whole\n");
    }
    text
}

/// Returns the reason that there are no figures as one line: its first, or all of them if it is
/// `verbose`.
fn reason(status: &Status, verbose: bool) -> Option<String> {
    match verbose {
        true => status.reason().map(|reason| reason.lines().collect::<Vec<_>>().join(" | ")),
        false => status.short_reason().map(str::to_owned),
    }
}

fn heading(report: &Report) -> String {
    let name = match report.payloads.as_slice() {
        [payload] => payload.name.clone(),
        payloads => format!("{} payloads", number::count(payloads.len() as u64)),
    };
    let payloads = report.payloads.iter();
    let input_size =
        describe_input_size(payloads.map(|payload| (payload.bytes, payload.made_from.as_deref())));
    let launches = report.launches();
    let place = place(&report.placement);
    let notes = report.notes.iter().map(|note| format!("note: {note}\n"));
    // A lane that was skipped is in no table.
    let lanes = report.lanes.iter().filter_map(|lane| {
        let reason = lane.status.short_reason()?;
        Some(format!("note: no figures of {}: {reason}\n", lane.title))
    });
    let notes: String = notes.chain(lanes).collect();
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
    let bytes = match report.payloads.len() {
        0 | 1 => "",
        _ => "bytes are those of one payload, as a mean; ",
    };
    let legend = legend(report).map_or_else(String::new, |legend| format!("{legend}\n"));
    format!(
        "{name} · {input_size} · {launches} · {link} · {place}\n\
         {bytes}times are of one request at a time; ± or two ends are a 95 % interval over launches\n\
         {legend}{notes}"
    )
}

/// Returns the meaning of the marks behind times end to end; `None` if no row has a mark.
fn legend(report: &Report) -> Option<String> {
    let mut rows = report.pairs.iter().flat_map(|pair| &pair.rows);
    let is_marked = rows.any(|row| !mark(row.verdict).is_empty());
    let what = match report.clock {
        Clock::Wall => "time end to end",
        Clock::Cpu => "CPU time of client and server",
    };
    is_marked.then(|| {
        format!("{what} beside the first format: ▼ less, ▲ more, = the same within δ, ~ undecided")
    })
}

fn place(placement: &Placement) -> String {
    let list = |threads: &[usize]| {
        let threads: Vec<String> = threads.iter().map(usize::to_string).collect();
        threads.join(",")
    };
    let Placement { server_cores: server, client_cores: client, one_core } = placement;
    if server.is_empty() {
        return "server and client share every core".to_owned();
    }
    if *one_core {
        let (server, client) = (list(server), list(client));
        return format!("server and client share one core, on its threads {server} and {client}");
    }
    let named = |threads: &[usize]| match threads {
        [thread] => format!("hardware thread {thread}"),
        threads => format!("hardware threads {}", list(threads)),
    };
    format!("server on {}, client on {}", named(server), named(client))
}

/// Returns the table of a pair. Its launches are named if they are fewer than those of another pair.
/// Bytes are those of one of the payloads, as a mean.
fn of_pair(pair: &PairReport, payloads: usize, most_launches: usize, verbose: bool) -> String {
    let server = pair.server_runtime.as_ref().unwrap_or(&pair.server);
    let launches = match pair.launches {
        launches if launches == most_launches => String::new(),
        1 => " · 1 launch".to_owned(),
        launches => format!(" · {launches} launches"),
    };
    let mut text = format!("client {} · server {server}{launches}\n", pair.client_runtime);
    if let Some(reason) = reason(&pair.status, verbose) {
        writeln!(text, "  {reason}").expect("writing to a string");
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
    lines.extend(pair.rows.iter().map(|row| line(row, payloads, verbose)));
    text + &align(&lines)
}

fn line(row: &Row, payloads: usize, verbose: bool) -> Vec<String> {
    let mean = |bytes: u64| number::mean(bytes as f64 / payloads.max(1) as f64);
    let bytes = row.body_bytes.map_or_else(unknown, mean);
    if let Some(reason) = reason(&row.status, verbose) {
        return vec![row.name(), bytes, reason];
    }
    let time = |figure: Option<Figure>| figure.map_or_else(unknown, |f| number::time(f.value));
    let spread = spread(row.end_to_end_ns, number::time) + mark(row.verdict);
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
        capacity.map_or_else(unknown, Capacity::rate_text),
        percentile("p50"),
        percentile("p99"),
        late.to_owned(),
    ]
}

fn residual(rest: &Remainder) -> String {
    rest.share.map_or_else(unknown, |share| format!("{:+.0} %", share * 100.0))
}

fn unknown() -> String {
    "n/a".to_owned()
}

/// Returns a table of the servers that are compared.
fn server_table(rows: &[ServerRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let head = ["client", "server", "format", "requests/s", "server CPU", "", "ratio", "", ""];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    lines.extend(rows.iter().map(|row| {
        vec![
            row.client.clone(),
            row.server.clone(),
            row.name(),
            number::significant(row.rate_per_s),
            number::time(row.server_cpu_ns.value),
            spread(Some(row.server_cpu_ns), number::time),
            ratio(row.ratio),
            spread(row.ratio, two_digits) + mark(row.verdict),
            row.reference.as_ref().map_or_else(String::new, |name| format!("to {name}")),
        ]
    }));
    format!("\nServers of one lane, CPU time for a request at the same rate\n{}", align(&lines))
}

/// Returns a table of the servers over each transport.
fn transport_table(rows: &[TransportRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let head = [
        "client",
        "server",
        "format",
        "requests/s",
        "server CPU",
        "",
        "ratio",
        "",
        "p50",
        "ratio",
        "",
        "",
    ];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    lines.extend(rows.iter().map(|row| {
        vec![
            row.client.clone(),
            row.server.clone(),
            row.name(),
            number::significant(row.rate_per_s),
            row.server_cpu_ns.map_or_else(unknown, |figure| number::time(figure.value)),
            spread(row.server_cpu_ns, number::time),
            ratio(row.server_cpu_ratio),
            spread(row.server_cpu_ratio, two_digits),
            row.latency_p50.map_or_else(unknown, |quantile| number::time(quantile.ns)),
            ratio(row.latency_ratio),
            spread(row.latency_ratio, two_digits),
            if row.generator_late { "late" } else { "" }.to_owned(),
        ]
    }));
    format!(
        "\nLeaving HTTP beside changing the format, at the same rate; ratios to HTTP with {}\n{}",
        bases(rows).join(" or "),
        align(&lines)
    )
}

/// Returns the formats that ratios are relative to: the first one of each client, server and coding.
fn bases(rows: &[TransportRow]) -> Vec<&str> {
    let mut bases: Vec<&str> = Vec::new();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.transport.is_http()) {
        let is_same = |other: &TransportRow| {
            (&other.client, &other.server, &other.coding) == (&row.client, &row.server, &row.coding)
        };
        if !rows[..index].iter().any(is_same) && !bases.contains(&row.format.as_str()) {
            bases.push(&row.format);
        }
    }
    bases
}

/// Formats a ratio; empty without one.
fn ratio(figure: Option<Figure>) -> String {
    figure.map_or_else(String::new, |figure| two_digits(figure.value))
}

fn two_digits(ratio: f64) -> String {
    format!("{ratio:.2}")
}

/// Formats the interval of a figure; empty without one.
fn spread(figure: Option<Figure>, show: fn(f64) -> String) -> String {
    let ends = figure.and_then(|figure| figure.low.zip(figure.high));
    ends.map_or_else(String::new, |(low, high)| number::interval(low, high, show))
}

/// Returns the mark of a verdict, behind a figure.
fn mark(verdict: Option<RowVerdict>) -> &'static str {
    match verdict {
        Some(RowVerdict::Faster) => " ▼",
        Some(RowVerdict::Slower) => " ▲",
        Some(RowVerdict::Same) => " =",
        Some(RowVerdict::Inconclusive) => " ~",
        Some(RowVerdict::Reference) | None => "",
    }
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
    for words in cost_sentences(report) {
        writeln!(text, "- {words}").expect("writing to a string");
    }
    text
}

/// Describes the break-even points of every row with the first format of its pair.
pub fn cost_sentences(report: &CostReport) -> Vec<String> {
    report.rows.iter().filter_map(|row| cost_sentence(report, row)).collect()
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

fn cost_line(row: &CostRow) -> Vec<String> {
    let cost = &row.cost;
    let ranges = row.ranges.as_ref();
    let rate = |rate: f64| number::count(rate.round() as u64);
    let mut cells = vec![
        format!("{} ← {}", row.client, row.server),
        row.name(),
        number::count(cost.wire_bytes as u64),
        rate(cost.requests_per_s_core),
        cost_spread(ranges.map(|ranges| ranges.requests_per_s_core), rate),
        rate(cost.requests_per_s_link),
        cost.bottleneck.name().to_owned(),
        number::time(cost.latency_warm_ms * 1e6),
        number::time(cost.latency_cold_ms * 1e6),
        small(cost.money_per_million),
        cost_spread(ranges.map(|ranges| ranges.money_per_million), small),
    ];
    cells.extend(cost.energy_mj.values().map(|&mj| small(mj)));
    cells.push(String::new());
    cells
}

/// Formats the range of a figure; empty without a range.
fn cost_spread(range: Option<Range>, show: impl Fn(f64) -> String) -> String {
    match range {
        Some(Range { low: Some(low), high: Some(high) }) => number::interval(low, high, show),
        _ => String::new(),
    }
}

/// Describes the break-even points of two formats.
fn cost_sentence(report: &CostReport, row: &CostRow) -> Option<String> {
    let found = row.break_even.as_ref()?;
    let reference = report.reference(row)?;
    let (this, other) = (row.name(), reference.name());
    let which = |winner: Winner| match winner {
        Winner::This => &this,
        Winner::Reference => &other,
    };
    // Fewer launches decide nothing, as a note says.
    let ranges = row.break_even_ranges.filter(|ranges| ranges.launches >= LAUNCHES_MIN)?;
    let (winner, price) = (which(found.sooner), number::bandwidth);
    let sooner = match (ranges.sooner_decided, found.bits_per_s, ranges.bits_per_s) {
        (true, Some(bits), range) => {
            format!("{winner} is sooner below {}{}", price(bits), range_text(range, price))
        }
        (true, None, _) => format!("{winner} is sooner at any bandwidth"),
        (false, _, Some(Range { low: Some(low), .. })) => {
            format!("{winner} is sooner below {}, above it undecided", price(low))
        }
        (false, ..) => "undecided which is sooner".to_owned(),
    };
    let winner = which(found.cheaper);
    let price = |price: f64| format!("{} {}", small(price), report.prices.currency);
    let cheaper = match (ranges.cheaper_decided, found.gigabyte, ranges.gigabyte) {
        (true, Some(point), range) => {
            let range = range_text(range, small);
            format!("{winner} is cheaper where a GB costs more than {}{range}", price(point))
        }
        (true, None, _) => format!("{winner} is cheaper at any price of bytes"),
        (false, _, Some(Range { high: Some(high), .. })) => {
            let high = price(high);
            format!("{winner} is cheaper where a GB costs more than {high}, below it undecided")
        }
        (false, ..) => "undecided which is cheaper".to_owned(),
    };
    Some(format!("{} ← {}, {this} against {other}: {sooner}; {cheaper}", row.client, row.server))
}

/// Describes the range of a point: ` (95 %: 310 Mbit/s to 480 Mbit/s)`.
fn range_text(range: Option<Range>, show: fn(f64) -> String) -> String {
    match range {
        Some(Range { low: Some(low), high: Some(high) }) => {
            format!(" (95 %: {} to {})", show(low), show(high))
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
    let width = |column: usize| {
        // A shorter line ends in text that needs no column width.
        let has_width = |line: &&Vec<String>| column + 1 < line.len() || line.len() == columns;
        let cells = lines.iter().filter(has_width).map(|line| line[column].chars().count());
        cells.max().unwrap_or(0)
    };
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{
        Clock, PairReport, Placement, Report, ServerRow, TransportRow, cost_sentence, of_pair,
        place, server_table, table, transport_table,
    };
    use crate::trial::cost::{
        CostReport, CostRow, CpuSample, Demand, MeasuredDemand, Prices, break_even,
        break_even_ranges, cost,
    };

    fn figure(value: f64, low: f64, high: f64) -> Value {
        json!({ "value": value, "low": low, "high": high })
    }

    /// Returns a pair with a row of figures, and one whose process died.
    fn pair() -> PairReport {
        let library = json!({ "name": "x", "version": "1", "target": "dynamic" });
        let single = |value: f64| json!({ "value": value, "low": null, "high": null });
        let quantile = json!({ "ns": 300e3, "low": null, "high": null });
        let row = json!({
            "format": "json", "coding": "none", "client_library": library, "status": "ok",
            "body_bytes": 8_000, "transport_ns": single(100e3), "endpoint_ns": single(150e3),
            "processing_ns": single(60e3), "end_to_end_ns": figure(220e3, 209e3, 231e3),
            "residual": { "ns": single(10e3), "share": 0.05 },
            "server_cpu_ns": {}, "client_cpu_ns": {}, "verdict": "inconclusive",
            "capacity": {
                "connections": 4, "limit": "client", "requests_per_s": single(4e3),
                "server_cpu_ns": single(140e3),
            },
            "latency": [{
                "rate_per_s": 500.0, "requests": 900, "lag_p99_ns": 1e3, "generator_late": true,
                "percentiles": { "p50": quantile, "p99": null },
            }],
        });
        let failed = json!({
            "format": "cbor", "coding": "gzip:6", "client_library": library,
            "status": "server: crashed: signal 9\nat main", "server_cpu_ns": {},
            "client_cpu_ns": {}, "latency": [],
        });
        serde_json::from_value(json!({
            "client": "go", "client_runtime": "Go", "server": "rust",
            "server_runtime": "Rust, hyper", "launches": 5, "status": "ok",
            "rows": [row, failed],
        }))
        .expect("a pair")
    }

    #[test]
    fn a_pair_is_a_table_with_a_line_for_each_row() {
        let expected = "\
client Go · server Rust, hyper
format       bytes  transport  endpoint  processing  end to end          residual  server CPU  requests/s  p50 at 500/s  p99
json         8,000     100 µs    150 µs     60.0 µs      220 µs  ±5 % ~      +5 %      140 µs      ≥4,000        300 µs  n/a  late
cbor gzip:6    n/a  server: crashed: signal 9
";
        assert_eq!(of_pair(&pair(), 1, 5, false), expected);
        let whole = expected.replace("signal 9", "signal 9 | at main");
        assert_eq!(of_pair(&pair(), 1, 5, true), whole);
        let mut failed = pair();
        failed.rows.truncate(1);
        failed.status = "client: hung\nat main".to_owned().into();
        assert!(of_pair(&failed, 1, 5, false).contains("hyper\n  client: hung\nformat"));
        assert!(of_pair(&failed, 1, 5, true).contains("hyper\n  client: hung | at main\nformat"));
        // The heading counts the launches of the other pairs.
        failed.launches = 2;
        let text = of_pair(&failed, 1, 5, false);
        assert!(text.starts_with("client Go · server Rust, hyper · 2 launches\n"), "{text}");
        // Two payloads take 8,000 bytes together.
        assert!(of_pair(&failed, 2, 2, false).contains("\njson    4,000 "));
    }

    #[test]
    fn the_heading_explains_the_marks() {
        let report = json!({
            "schema": "manywire.trial/1",
            "tool": { "name": "manywire", "version": "1", "rustc": "1", "profile": "release" },
            "host": { "os": "linux", "arch": "x86_64" },
            "options": {}, "lanes": [], "notes": ["it is late"], "findings": [], "unsettled": [],
            "verdicts": [], "pairs": [pair()],
            "payloads": [{ "name": "a.json", "bytes": 8_000 }, { "name": "b.json", "bytes": 80 }],
            "placement": { "server_cores": [0], "client_cores": [1] },
            "cost": { "prices": Prices::default(), "link": "4g", "rows": [] },
        });
        let mut report: Report = serde_json::from_value(report).expect("a report");
        let expected = "\
2 payloads · 8,080 bytes as given · 5 launches of each pair · loopback · server on hardware thread 0, client on hardware thread 1
bytes are those of one payload, as a mean; times are of one request at a time; ± or two ends are a 95 % interval over launches
time end to end beside the first format: ▼ less, ▲ more, = the same within δ, ~ undecided
note: it is late

client Go · server Rust, hyper
";
        let text = table(&report, false);
        assert!(text.starts_with(expected), "{text}");
        let hint = "\n\n--verbose shows the reasons for missing figures whole\n";
        assert!(text.ends_with(hint) && !table(&report, true).contains(hint), "{text}");
        report.clock = Clock::Cpu;
        assert!(table(&report, true).contains("\nCPU time of client and server beside the first"));
        report.pairs[0].rows[0].verdict = None;
        assert!(!table(&report, true).contains('▼'));
    }

    #[test]
    fn the_heading_names_the_lanes_without_figures() {
        let lane = |lane: &str, status: &str| json!({ "lane": lane, "title": lane, "runtime": null, "status": status, "delta": 0.05 });
        let report = json!({
            "schema": "manywire.trial/1",
            "tool": { "name": "manywire", "version": "1", "rustc": "1", "profile": "release" },
            "host": { "os": "linux", "arch": "x86_64" },
            "options": {}, "lanes": [lane("Go", "ok"), lane("Java", "skipped: no javac\nat all")],
            "notes": [], "findings": [], "unsettled": [], "verdicts": [], "pairs": [pair()],
            "payloads": [{ "name": "a.json", "bytes": 8_000 }],
            "placement": { "server_cores": [0], "client_cores": [1] },
            "cost": { "prices": Prices::default(), "link": "4g", "rows": [] },
        });
        let text = table(&serde_json::from_value(report).expect("a report"), false);
        assert_eq!(text.matches("note: ").count(), 1, "{text}");
        assert!(text.contains("\nnote: no figures of Java: skipped: no javac\n"), "{text}");
    }

    /// Returns `row` with further members.
    fn with<T: serde::de::DeserializeOwned>(mut row: Value, others: &Value) -> T {
        let others = others.as_object().expect("members").clone();
        row.as_object_mut().expect("a row").extend(others);
        serde_json::from_value(row).expect("a row")
    }

    #[test]
    fn servers_are_a_table_of_their_cpu_time() {
        let row = |server: &str, others: Value| -> ServerRow {
            let row = json!({
                "client": "go", "server": server, "format": "json", "coding": "none",
                "rate_per_s": 500.0,
            });
            with(row, &others)
        };
        let rows = [
            row(
                "rust:hyper",
                json!({ "server_cpu_ns": figure(100e3, 98e3, 102e3), "verdict": "reference" }),
            ),
            row(
                "rust:axum",
                json!({
                    "coding": "gzip:6", "server_cpu_ns": figure(120e3, 110e3, 131e3),
                    "reference": "rust:hyper", "ratio": figure(1.2, 1.18, 1.22),
                    "verdict": "slower",
                }),
            ),
            row("rust", json!({ "server_cpu_ns": { "value": 90e3, "low": null, "high": null } })),
        ];
        let expected = "
Servers of one lane, CPU time for a request at the same rate
client      server       format  requests/s  server CPU        ratio
go      rust:hyper         json         500      100 µs  ±2 %
go       rust:axum  json gzip:6         500      120 µs  ±9 %   1.20  ±2 % ▲  to rust:hyper
go            rust         json         500     90.0 µs
";
        assert_eq!(server_table(&rows), expected);
        assert_eq!(server_table(&[]), "");
    }

    #[test]
    fn transports_are_a_table_of_cpu_time_and_latency() {
        let row = |server: &str, transport: &str, format: &str, others: Value| -> TransportRow {
            let row = json!({
                "client": "go", "server": server, "transport": transport, "format": format,
                "coding": "none", "rate_per_s": 500.0, "server_cpu_ns": null,
            });
            with(row, &others)
        };
        let quantile = |ns: f64| json!({ "ns": ns, "low": null, "high": null });
        let rows = [
            row(
                "go",
                "http",
                "json",
                json!({
                    "server_cpu_ns": figure(100e3, 98e3, 102e3), "latency_p50": quantile(300e3),
                }),
            ),
            row(
                "go",
                "http",
                "cbor",
                json!({
                    "server_cpu_ns": figure(80e3, 78.4e3, 81.6e3),
                    "server_cpu_ratio": figure(0.8, 0.79, 0.81),
                    "latency_p50": quantile(240e3), "latency_ratio": figure(0.8, 0.6, 1.07),
                }),
            ),
            row(
                "go:zeromq",
                "zeromq",
                "json",
                json!({ "latency_p50": quantile(1.2e6), "generator_late": true }),
            ),
        ];
        let expected = "
Leaving HTTP beside changing the format, at the same rate; ratios to HTTP with json
client     server  format  requests/s  server CPU        ratio            p50  ratio
go             go    json         500      100 µs  ±2 %                300 µs
go             go    cbor         500     80.0 µs  ±2 %   0.80  ±1 %   240 µs   0.80  0.60–1.07
go      go:zeromq    json         500         n/a                     1.20 ms                    late
";
        assert_eq!(transport_table(&rows), expected);
        assert_eq!(transport_table(&[]), "");
        // A client without a library for the first format has another one.
        let mut others = rows.to_vec();
        others.iter_mut().for_each(|row| row.client = "node".to_owned());
        others.remove(0);
        let all = [&rows[..], &others].concat();
        assert!(transport_table(&all).contains("; ratios to HTTP with json or cbor\n"));
    }

    /// Returns the sentence about a format whose response has this many bytes and takes the server
    /// these times, one per launch, against one of 10,000 bytes and 100 µs.
    fn sentence_of(body_bytes: f64, server_cpu_ns: &[f64]) -> Option<String> {
        let (prices, link) = (Prices::default(), "20mbit/50ms".parse().expect("a link"));
        let row = |format: &str,
                   body_bytes: f64,
                   times: &[f64],
                   reference: Option<(&Demand, &[CpuSample])>| {
            let draws: Vec<CpuSample> = times
                .iter()
                .map(|&server_cpu_ns| CpuSample { server_cpu_ns, client_ns: 50_000.0 })
                .collect();
            let server_cpu_ns = times.iter().sum::<f64>() / times.len() as f64;
            let demand =
                Demand { body_bytes, header_bytes: 300.0, server_cpu_ns, client_ns: 50_000.0 };
            let row = CostRow {
                client: "go".to_owned(),
                server: "rust".to_owned(),
                format: format.to_owned(),
                coding: "none".to_owned(),
                demand,
                cost: cost(&demand, &link, &prices),
                ranges: None,
                break_even: reference.map(|(other, _)| break_even(&demand, other, &prices)),
                break_even_ranges: reference.and_then(|(other, other_draws)| {
                    let this = MeasuredDemand { demand: &demand, draws: &draws, waits: false };
                    let other = MeasuredDemand { demand: other, draws: other_draws, waits: false };
                    break_even_ranges(&[[this, other]], &prices).remove(0)
                }),
            };
            (row, draws)
        };
        let (json, draws) = row("json", 10_000.0, &vec![100_000.0; server_cpu_ns.len()], None);
        let (other, _) = row("cbor", body_bytes, server_cpu_ns, Some((&json.demand, &draws)));
        let report = CostReport {
            prices: prices.clone(),
            link: link.name.clone(),
            basis: Vec::new(),
            rows: vec![json, other],
        };
        cost_sentence(&report, &report.rows[1])
    }

    fn sentence(body_bytes: f64, server_cpu_ns: &[f64]) -> String {
        sentence_of(body_bytes, server_cpu_ns).expect("enough launches")
    }

    #[test]
    fn the_heading_names_hardware_threads() {
        let of = |server: &[usize], client: &[usize], one_core| {
            let (server_cores, client_cores) = (server.to_vec(), client.to_vec());
            place(&Placement { server_cores, client_cores, one_core })
        };
        assert_eq!(of(&[], &[], false), "server and client share every core");
        assert_eq!(
            of(&[0], &[1], false),
            "server on hardware thread 0, client on hardware thread 1"
        );
        let apart = "server on hardware threads 0,2, client on hardware threads 1,3";
        // Two cores of two threads each.
        assert_eq!(of(&[0, 2], &[1, 3], false), apart);
        let shared = "server and client share one core, on its threads 0 and 1";
        assert_eq!(of(&[0], &[1], true), shared);
    }

    #[test]
    fn few_launches_decide_no_break_even() {
        assert_eq!(sentence_of(7_000.0, &[90e3]), None);
        assert_eq!(sentence_of(7_000.0, &[90e3, 90.1e3, 90.2e3, 90.1e3]), None);
    }

    #[test]
    fn undecided_break_even_is_no_verdict() {
        let slower = [119e3, 119.5e3, 120e3, 120.5e3, 121e3];
        let words = sentence(7_000.0, &slower);
        assert!(words.contains("cbor is sooner below 1.2"), "{words}");
        assert!(words.contains(" Gbit/s (95 %: "), "{words}");
        assert!(words.contains("cbor is cheaper where a GB costs more than 0.000"), "{words}");
        let faster = slower.map(|ns| ns - 40e3);
        let words = sentence(7_000.0, &faster);
        assert!(
            words.ends_with(
                "cbor is sooner at any bandwidth; cbor is cheaper at any price of bytes"
            ),
            "{words}"
        );
        // The mean is below that of the reference, but the interval is not.
        let crossing = [60e3, 80e3, 99e3, 110e3, 130e3];
        let words = sentence(7_000.0, &crossing);
        assert!(!words.contains("any") && !words.contains("95 %"), "{words}");
        assert!(words.contains("cbor is sooner below "), "{words}");
        assert!(words.contains("bit/s, above it undecided; cbor is cheaper where"), "{words}");
        assert!(words.ends_with("USD, below it undecided"), "{words}");
        // Without a difference in bytes, nothing is decided either.
        let words = sentence(10_000.0, &crossing);
        assert!(
            words.ends_with("undecided which is sooner; undecided which is cheaper"),
            "{words}"
        );
        let words = sentence(10_000.0, &faster);
        assert!(words.contains("cbor is sooner at any bandwidth"), "{words}");
    }
}
