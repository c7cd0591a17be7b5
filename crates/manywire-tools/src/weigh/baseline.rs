//! Compares a report with an earlier one: sizes exactly, allocations to a tenth, times only as ratios.

use crate::weigh::report::compare::Direction;
use crate::weigh::report::metric::{Size, memory};
use crate::weigh::report::{BUILT_IN_LANE, Baseline, Report, Row, Summary, codings, number};
use crate::weigh::subject::ValueKind;

/// Lists the changes since the baseline, and the differences of host and versions that make a
/// comparison uncertain.
///
/// Absolute times of two days or two machines say nothing about a format, so they are not compared.
/// A ratio has changed if both reports have the same reference and the same clock for it, and the
/// two intervals do not overlap.
pub fn compare(file: &str, old: &Report, new: &Report) -> Baseline {
    let mut changes = Vec::new();
    for row in &new.rows {
        match old.rows.iter().find(|before| same(before, row)) {
            Some(before) => changes.extend(changes_of(before, row)),
            None => changes.push(format!("{}: not in the baseline", name(row))),
        }
    }
    for before in old.rows.iter().filter(|before| !new.rows.iter().any(|row| same(before, row))) {
        changes.push(format!("{}: only in the baseline", name(before)));
    }
    Baseline { file: file.to_owned(), differences: differences(old, new), changes }
}

fn differences(old: &Report, new: &Report) -> Vec<String> {
    let mut differences = Vec::new();
    let mut differ = |what: &str, before: &str, after: &str| {
        let difference = format!("{what} differs: {before} then, {after} now");
        if before != after && !differences.contains(&difference) {
            differences.push(difference);
        }
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
    differ("the processor", &text(&old.host.cpu), &text(&new.host.cpu));
    differ("the architecture", &old.host.arch, &new.host.arch);
    differ("the system", &old.host.os, &new.host.os);
    differ("the kernel", &text(&old.host.kernel), &text(&new.host.kernel));
    differ("the version", &old.tool.version, &new.tool.version);
    differ("the compiler", &old.tool.rustc, &new.tool.rustc);
    differ("the profile", old.tool.profile.name(), new.tool.profile.name());
    differ("the reference", old.reference.name(), new.reference.name());
    differ("the list of content codings", &list_of_codings(old), &list_of_codings(new));
    differ("the measurement", measured(old), measured(new));
    for row in &new.rows {
        if let Some(before) = old.rows.iter().find(|before| same(before, row)) {
            differ(
                &format!("the version of {}", row.library),
                &before.library_version,
                &row.library_version,
            );
            for (old, new) in before.summaries().zip(row.summaries()) {
                differ("the clock", old.clock.name(), new.clock.name());
            }
            if let (Some(old), Some(new)) = (&before.reference, &row.reference)
                && old.format == new.format
            {
                let what = format!("the reference of {} rows in {}", row.target, row.lane);
                differ(&what, &old.to_string(), &new.to_string());
            }
        }
    }
    differences
}

/// Lists the content codings of the sizes in a report.
fn list_of_codings(report: &Report) -> String {
    let codings: Vec<&str> = codings(&report.rows).into_iter().map(String::as_str).collect();
    if codings.is_empty() { "none".to_owned() } else { codings.join(", ") }
}

/// Returns the kinds of figures that a report has.
fn measured(report: &Report) -> &'static str {
    let is_timed = report.rows.iter().any(|row| row.launches > 0);
    if is_timed { "sizes and times" } else { "sizes only" }
}

fn same(left: &Row, right: &Row) -> bool {
    left.has_same_payload(right)
        && (&left.lane, &left.library) == (&right.lane, &right.library)
        && (left.format, left.target) == (right.format, right.target)
}

fn name(row: &Row) -> String {
    let Row { payload, format, library, lane, target, .. } = row;
    match (row.is_of_own_codec(), lane == BUILT_IN_LANE && *target == ValueKind::Dynamic) {
        (true, _) => format!("{payload} {format}"),
        (_, true) => format!("{payload} {format} by {library}"),
        _ => format!("{payload} {format} by {library} ({lane}, {target})"),
    }
}

fn changes_of(before: &Row, after: &Row) -> Vec<String> {
    let mut changes = Vec::new();
    if before.status != after.status {
        changes.push(format!("{}: {} then, {} now", name(after), before.status, after.status));
    }
    let mut exact = |what: &str, old: Option<f64>, new: Option<f64>| {
        // Runtimes with a collector count allocations as means, which differ beyond the digits shown.
        if let Some((old, new)) = old.map(number::mean).zip(new.map(number::mean))
            && old != new
        {
            changes.push(format!("{}: {what} went from {old} to {new}", name(after)));
        }
    };
    let coded = after.coded_bytes.keys().map(|coding| Size::Coded(coding));
    for size in std::iter::once(Size::Plain).chain(coded) {
        let bytes = |row: &Row| size.of(row).map(|bytes| bytes as f64);
        exact(&size.words(), bytes(before), bytes(after));
    }
    let compared = memory().filter_map(|(_, memory)| Some((memory.compared?, memory.of)));
    for (name, of) in compared {
        for direction in Direction::ALL {
            let figure = |row: &Row| direction.of(row).and_then(of);
            exact(&format!("{name} to {}", direction.verb()), figure(before), figure(after));
        }
    }
    // Ratios to different references cannot be compared.
    let ratios = Direction::ALL.into_iter().filter(|_| before.reference == after.reference);
    for direction in ratios {
        changes.extend(
            ratio_change(direction.of(before), direction.of(after))
                .map(|text| format!("{}: {} {text}", name(after), direction.verb())),
        );
    }
    changes
}

fn ratio_change(old: Option<&Summary>, new: Option<&Summary>) -> Option<String> {
    let (old, new) = (old?, new?);
    if old.clock != new.clock {
        return None;
    }
    let ends = |summary: &Summary| Some((summary.ratio?, summary.ratio_low?, summary.ratio_high?));
    let ((before, old_low, old_high), (after, new_low, new_high)) = (ends(old)?, ends(new)?);
    (new_low > old_high || new_high < old_low).then(|| {
        let (before, after) = (number::significant(before), number::significant(after));
        format!("went from {before} to {after} of the reference's time, beyond both intervals")
    })
}
