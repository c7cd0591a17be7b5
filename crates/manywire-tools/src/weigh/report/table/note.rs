//! What is said under a table: losses, warnings, how payloads differ, and the statistics of times.

use std::fmt::Write;

use super::Style;
use crate::weigh::report::{Fidelity, HoldOut, Report, Row, number};

/// What stands under a table: losses, how alike payloads are, headers, warnings, moments.
pub(super) fn footnotes(group: &[&Row], report: &Report, style: Style) -> String {
    let mut text = String::new();
    let mut note = |line: String| writeln!(text, "  {line}").expect("writing to a string");
    for row in group {
        if let Some(Fidelity::Lost(losses)) = &row.fidelity {
            for loss in losses.iter().take(LOSSES_SHOWN) {
                let places = if loss.places > 1 {
                    format!(" ({} places)", loss.places)
                } else {
                    String::new()
                };
                let name = match (!row.in_lane, row.library.as_str()) {
                    (true, "manywire") => row.format.clone(),
                    (true, library) => library.to_owned(),
                    (false, library) => format!("{} {library}", row.format),
                };
                note(format!("{name}: {}: {}{places}", loss.path, loss.lost));
            }
        }
    }
    if let Some(hold_out) =
        report.hold_out.as_ref().filter(|_| group[0].payload == "*" && !group[0].in_lane)
    {
        note(hold_out_words(hold_out));
    }
    if let Some(share) = header_share(group, report) {
        note(share);
    }
    let ours = group.iter().filter(|row| !row.in_lane);
    if let Some(spread) =
        ours.into_iter().find_map(|row| row.size_spread.map(|spread| (row, spread)))
    {
        let (row, spread) = spread;
        note(format!(
            "single payloads take {} to {} bytes of {}, {} in the middle",
            number::count(spread.min),
            number::count(spread.max),
            row.format,
            number::mean(spread.median)
        ));
    }
    let mut warnings: Vec<&String> = Vec::new();
    for warning in group.iter().flat_map(|row| &row.warnings) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    warnings.into_iter().for_each(|warning| note(format!("warning: {warning}")));
    if style.verbose {
        group.iter().for_each(|row| verbose(row, &mut note));
    }
    text
}

/// How alike the payloads are, and the first that is not.
fn hold_out_words(hold_out: &HoldOut) -> String {
    let held = hold_out.fitting + hold_out.misfits.len();
    let share = format!(
        "a shape inferred from {} payloads fits {} of the {held} others",
        number::count(hold_out.inferred_from as u64),
        hold_out.fitting
    );
    match hold_out.misfits.first() {
        None => share,
        Some(misfit) => format!(
            "{share}; {} does not: {}: expected {}, found {}",
            misfit.payload, misfit.path, misfit.expected, misfit.found
        ),
    }
}

/// Losses listed under a table; the JSON report has them all.
const LOSSES_SHOWN: usize = 3;

/// Payloads below this many bytes get a word on headers.
const SMALL_PAYLOAD: u64 = 2_048;

fn header_share(group: &[&Row], report: &Report) -> Option<String> {
    let payloads = report.count_of(&group[0].payload);
    let shares: Vec<String> = group
        .iter()
        .filter(|row| !row.in_lane && row.library == "manywire")
        .filter_map(|row| {
            let size = row.size_bytes? / payloads;
            (size < SMALL_PAYLOAD).then(|| {
                format!(
                    "{} {:.0} %",
                    row.format,
                    100.0 * row.header_bytes as f64 / (row.header_bytes + size) as f64
                )
            })
        })
        .collect();
    (!shares.is_empty())
        .then(|| format!("of one HTTP/1.1 exchange, headers are: {}", shares.join(", ")))
}

fn verbose(row: &Row, note: &mut impl FnMut(String)) {
    for (what, summary) in [("encode", &row.encode), ("decode", &row.decode)] {
        let Some(summary) = summary else { continue };
        let (Some(mean), Some(deviation)) = (summary.mean_ns, summary.standard_deviation_ns) else {
            continue;
        };
        let fit = summary.slope_ns.zip(summary.r_squared);
        let fit = fit.map(|(slope, r)| format!(", slope {} with R² {r:.4}", number::time(slope)));
        note(format!(
            "{} {} {what}: mean {} ± {} standard deviation{}",
            row.library,
            row.format,
            number::time(mean),
            number::time(deviation),
            fit.unwrap_or_else(|| ", no fit: rounds take different payloads".to_owned())
        ));
    }
}
