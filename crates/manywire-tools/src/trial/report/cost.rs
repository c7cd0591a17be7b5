//! What everything comes to, as a table.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::weigh::report::number;

use super::grid::align;
use crate::trial::cost::{Basis, BreakEvenRanges, CostReport, CostRow, Range, Standing};

/// A table of costs, and where one format stops being the better.
pub(super) fn table(report: &CostReport) -> String {
    if report.rows.is_empty() {
        return String::new();
    }
    let prices = &report.prices;
    let mut text = format!(
        "\nWhat it comes to, over {}: {} {} an hour of a core used to {:.0} %, {} a GB\n",
        report.link,
        prices.vcpu_hour,
        prices.currency,
        prices.utilisation * 100.0,
        prices.gigabyte
    );
    writeln!(text, "its constants are {}", standings(&report.basis)).expect("writing to a string");
    let mut head: Vec<String> =
        ["pair", "format", "on the line", "/s a core", "", "/s the line", "limit", "warm", "cold"]
            .map(str::to_owned)
            .to_vec();
    head.extend([format!("{} a million", prices.currency), String::new()]);
    head.extend(prices.radio_mj_per_kb.keys().map(|radio| format!("mJ {radio}")));
    head.push(String::new());
    let mut lines = vec![head];
    lines.extend(report.rows.iter().map(line));
    text.push_str(&align(&lines));
    for row in &report.rows {
        if let Some(words) = words(report, row) {
            writeln!(text, "- {words}").expect("writing to a string");
        }
    }
    text
}

/// Which constants are how well founded, the worst first: `assumed: utilisation; …`.
fn standings(basis: &[Basis]) -> String {
    let mut by_standing: BTreeMap<Standing, Vec<&str>> = BTreeMap::new();
    for each in basis {
        let name = each.name.strip_prefix("radio_mj_per_kb.").unwrap_or(&each.name);
        by_standing.entry(each.standing).or_default().push(name);
    }
    let listed = by_standing.into_iter();
    let listed = listed.map(|(standing, names)| format!("{standing}: {}", names.join(", ")));
    listed.collect::<Vec<_>>().join("; ")
}

fn name(row: &CostRow) -> String {
    match row.coding.as_str() {
        "none" => row.format.clone(),
        coding => format!("{} {coding}", row.format),
    }
}

fn line(row: &CostRow) -> Vec<String> {
    let cost = &row.cost;
    let ranges = row.ranges.as_ref();
    let rate = |rate: f64| number::count(rate.round() as u64);
    let mut cells = vec![
        format!("{} ← {}", row.client, row.server),
        name(row),
        number::count(cost.wire_bytes as u64),
        rate(cost.requests_per_s_core),
        spread(cost.requests_per_s_core, ranges.map(|ranges| ranges.requests_per_s_core)),
        rate(cost.requests_per_s_link),
        cost.bottleneck.clone(),
        number::time(cost.latency_warm_ms * 1e6),
        number::time(cost.latency_cold_ms * 1e6),
        small(cost.money_per_million),
        spread(cost.money_per_million, ranges.map(|ranges| ranges.money_per_million)),
    ];
    cells.extend(cost.energy_mj.values().map(|&mj| small(mj)));
    cells.push(String::new());
    cells
}

/// Half of a range as a share of its figure; nothing where there is none.
fn spread(value: f64, range: Option<Range>) -> String {
    match range {
        Some(Range { low: Some(low), high: Some(high) }) if value > 0.0 => {
            format!("±{:.0} %", (high - low) / 2.0 / value * 100.0)
        }
        Some(_) => "±?".to_owned(),
        None => String::new(),
    }
}

/// Where one stops being the better of two, in words.
fn words(report: &CostReport, row: &CostRow) -> Option<String> {
    let found = row.break_even.as_ref()?;
    let reference = report.reference(row)?;
    let (this, other) = (name(row), name(reference));
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
    let sooner = sooner + &may_be(ranges.bits_per_s, number::bandwidth);
    let cheaper = cheaper + &may_be(ranges.gigabyte, small);
    Some(format!("{} ← {}, {this} against {other}: {sooner}; {cheaper}", row.client, row.server))
}

/// Where a point may be as well: ` (95 %: 310 to 480 Mbit/s)`. Where a range is open, or begins at
/// nothing, there may be no such point.
fn may_be(range: Option<Range>, show: fn(f64) -> String) -> String {
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

/// Three significant digits, of small numbers too.
fn small(number: f64) -> String {
    match number {
        number if number >= 0.1 || number <= 0.0 => number::significant(number),
        number => format!("{number:.*}", (2.0 - number.log10().floor()).min(12.0) as usize),
    }
}
