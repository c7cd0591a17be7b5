//! What one cell says.

use super::grid::{Cell, Tone};
use crate::weigh::report::{CodedSummary, Fidelity, Row, Summary, number};

pub(super) fn unknown() -> String {
    "n/a".to_owned()
}

/// A figure of both directions, where both are known.
fn both(row: &Row, figure: impl Fn(&Summary) -> Option<f64>) -> Option<(f64, f64)> {
    Some((figure(row.encode.as_ref()?)?, figure(row.decode.as_ref()?)?))
}

/// The ratio with its interval and a mark for the verdict, and the time.
pub(super) fn time_cells(summary: Option<&Summary>) -> [Cell; 2] {
    let Some(summary) = summary else { return [Cell::from(unknown()), Cell::from(unknown())] };
    let time = Cell { text: summary.ns.map_or_else(unknown, number::time), tone: Tone::Faint };
    let ratio = match (summary.ratio, summary.ratio_low, summary.ratio_high) {
        (Some(ratio), Some(low), Some(high)) => {
            let (mark, tone) = match summary.verdict.as_deref() {
                Some("faster") => ("▼", Tone::Better),
                Some("slower") => ("▲", Tone::Worse),
                Some("same") => ("=", Tone::Plain),
                Some("inconclusive") => ("~", Tone::Plain),
                _ => return [Cell::from(format!("{ratio:.2}        ")), time],
            };
            // Three digits of a ratio of twelve would claim more than was measured.
            let digits = if ratio < 1.0 { 3 } else { 2 };
            Cell { text: format!("{ratio:.2} ±{:.digits$} {mark}", (high - low) / 2.0), tone }
        }
        _ => Cell::from(unknown()),
    };
    [ratio, time]
}

pub(super) fn fidelity_cell(row: &Row) -> Cell {
    match &row.fidelity {
        None => Cell::default(),
        Some(Fidelity::Exact(_)) => Cell { text: "exact".to_owned(), tone: Tone::Plain },
        Some(Fidelity::Lost(losses)) => {
            let s = if losses.len() == 1 { "" } else { "s" };
            Cell {
                text: format!("{} loss{}", losses.len(), if s.is_empty() { "" } else { "es" }),
                tone: Tone::Worse,
            }
        }
    }
}

/// The times with compression, both ways.
pub(super) fn coded_cells(times: &CodedSummary) -> Vec<Cell> {
    let (compress, decompress) = (times.compress.as_ref(), times.decompress.as_ref());
    [time_cells(compress), time_cells(decompress)].concat()
}

/// What a row is called: by its format, and by its library where several have it.
pub(super) fn name(row: &Row, group: &[&Row]) -> Cell {
    if row.in_lane {
        let typed = if row.target == "typed" { " typed" } else { "" };
        return Cell::from(format!("{} {}{typed}", row.format, row.library));
    }
    let beside = row.library != "manywire"
        && group.iter().any(|ours| ours.library == "manywire" && ours.format == row.format);
    match beside {
        true => Cell { text: format!("  {}", row.library), tone: Tone::Faint },
        false => Cell::from(row.format.clone()),
    }
}

/// Allocations of one encoding and one decoding.
pub(super) fn allocs(row: &Row) -> Option<String> {
    both(row, |summary| summary.allocs).map(|(encode, decode)| number::mean(encode + decode))
}

/// The most bytes in use at once.
pub(super) fn peak(row: &Row) -> Option<String> {
    both(row, |summary| summary.peak_bytes).map(|(encode, decode)| number::size(encode.max(decode)))
}

/// Bytes allocated by one encoding and one decoding.
pub(super) fn alloc_bytes(row: &Row) -> Option<String> {
    both(row, |summary| summary.alloc_bytes).map(|(encode, decode)| number::size(encode + decode))
}

/// Collections of garbage in a thousand encodings and as many decodings.
pub(super) fn collections(row: &Row) -> Option<String> {
    both(row, |summary| summary.collections_per_1000)
        .map(|(encode, decode)| number::significant(encode + decode))
}
