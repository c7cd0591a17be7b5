//! The best format for each need, from the rows of one language and kind of value.
//!
//! A candidate wins if no other has a lower figure. A candidate whose interval overlaps that of the
//! winner cannot be told apart from it, and is named beside it.

use manywire_format::Format;

use crate::trial::cost::{Demand, Prices, cost};
use crate::trial::link::Link;
use crate::weigh::report::{Clock, Comparison, Report, Row, Summary, codings, number};
use crate::weigh::statistics::Interval;

/// A figure with its interval; the ends are equal if the figure is exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Estimate {
    pub(super) fn exact(value: f64) -> Estimate {
        Estimate { value, low: value, high: value }
    }

    /// Returns the time of an operation by the clock of the verdicts: CPU time if the machine was busy,
    /// because other times include waiting. `None` if it was not measured.
    pub(super) fn compared(summary: Option<&Summary>) -> Option<Estimate> {
        let summary = summary?;
        if summary.clock == Clock::Wall {
            return Estimate::time(Some(summary));
        }
        let logs: Vec<f64> = summary.compared_samples().iter().map(|ns| ns.ln()).collect();
        let (value, low, high) = Interval::of(&logs)?.exp();
        Some(Estimate { value, low, high })
    }

    /// Returns the time of an operation by the wall clock; `None` if it was not timed.
    pub(super) fn time(summary: Option<&Summary>) -> Option<Estimate> {
        let summary = summary?;
        let value = summary.ns?;
        // A time of a single launch has no interval, so it overlaps every other time.
        let low = summary.ns_low.unwrap_or(0.0);
        let high = summary.ns_high.unwrap_or(f64::INFINITY);
        Some(Estimate { value, low, high })
    }
}

/// A need that a format meets more or less, such as few bytes, with the figures of the rows.
pub(super) struct Need {
    /// A short title, such as `Smallest on the wire`.
    pub(super) title: &'static str,
    /// The words for a format that meets the need best, such as `smallest uncompressed`.
    pub(super) adjective: &'static str,
    /// The description of the figure that decides.
    pub(super) figure: String,
    /// Formats a value of that figure.
    pub(super) show: fn(f64) -> String,
    /// The name and the figure of each row: first the rows whose intervals overlap that of the best
    /// row, then the others, both from the lowest figure. Rows of one format with the same size are
    /// one candidate.
    pub(super) candidates: Vec<(String, Estimate)>,
}

impl Need {
    pub(super) fn new(
        (title, adjective): (&'static str, &'static str),
        figure: String,
        show: fn(f64) -> String,
        mut candidates: Vec<(String, Estimate)>,
    ) -> Need {
        candidates.sort_by(|(_, left), (_, right)| left.value.total_cmp(&right.value));
        // A candidate whose interval overlaps that of the winner may follow one whose interval does
        // not, so overlapping candidates are moved to the front.
        if let Some(&(_, best)) = candidates.first() {
            candidates.sort_by_key(|(_, it)| it.low > best.high);
        }
        Need { title, adjective, figure, show, candidates }
    }

    /// Returns the winner, and the candidates that cannot be told apart from it. Empty without
    /// candidates.
    pub(super) fn winners(&self) -> &[(String, Estimate)] {
        let Some((_, best)) = self.candidates.first() else { return &[] };
        let tied = self.candidates.iter().take_while(|(_, it)| it.low <= best.high).count();
        &self.candidates[..tied]
    }

    /// Returns the first candidate that is worse than the winner beyond their intervals, and the
    /// ratio of its figure to the winner's. Returns `None` without such a candidate, or if the
    /// winner's figure is zero.
    pub(super) fn runner_up(&self) -> Option<(&str, f64)> {
        let (_, best) = self.candidates.first()?;
        let (name, next) = self.candidates.get(self.winners().len())?;
        (best.value > 0.0).then_some((name.as_str(), next.value / best.value))
    }
}

/// Formats a number of bytes.
pub(super) fn bytes(value: f64) -> String {
    format!("{} bytes", number::mean(value))
}

/// Formats milliseconds.
pub(super) fn milliseconds(value: f64) -> String {
    number::time(value * 1e6)
}

/// Returns the needs that the figures of a comparison can answer.
pub(super) fn needs(report: &Report, comparison: &Comparison<'_>) -> Vec<Need> {
    let count = report.count_of(comparison.payload) as f64;
    let need = |title, figure: String, show, of: &dyn Fn(&Row) -> Option<Estimate>| {
        let figures =
            comparison.rows.iter().filter_map(|row| Some((comparison.label(row), of(row)?)));
        Need::new(title, figure, show, figures.collect())
    };
    // Libraries that write a format in the same number of bytes are one candidate. The candidate
    // has only the name of the format if all libraries write the same number.
    let size_need = |title, figure: String, of: &dyn Fn(&Row) -> Option<u64>| {
        let mut formats: Vec<(Format, Vec<(u64, String)>)> = Vec::new();
        for row in &comparison.rows {
            let Some(size) = of(row) else { continue };
            let label = (size, comparison.label(row));
            match formats.iter_mut().find(|(format, _)| *format == row.format) {
                Some((_, sizes)) if sizes.iter().any(|(other, _)| *other == size) => {}
                Some((_, sizes)) => sizes.push(label),
                None => formats.push((row.format, vec![label])),
            }
        }
        let mut candidates = Vec::new();
        for (format, mut sizes) in formats {
            if let [(_, label)] = sizes.as_mut_slice() {
                *label = format.to_string();
            }
            let of_payload = |size: u64| Estimate::exact(size as f64 / count);
            candidates.extend(sizes.into_iter().map(|(size, label)| (label, of_payload(size))));
        }
        Need::new(title, figure, bytes, candidates)
    };
    let mut all = Vec::new();
    let codings = codings(comparison.rows.iter().copied());
    if let Some(coding) = codings.into_iter().find(|name| name.starts_with("gzip")) {
        let figure = format!("bytes of a payload compressed with {coding}");
        let coded_size = |row: &Row| row.coded_bytes.get(coding).copied();
        all.push(size_need(
            ("Smallest on the wire, compressed", "smallest when compressed"),
            figure,
            &coded_size,
        ));
    }
    let size = |row: &Row| row.size_bytes;
    let title = ("Smallest on the wire", "smallest uncompressed");
    all.push(size_need(title, "bytes of a payload".to_owned(), &size));
    let mut summaries = comparison.rows.iter().flat_map(|row| row.summaries());
    let is_busy = summaries.any(|summary| summary.clock == Clock::Cpu);
    let time = if is_busy { "CPU time" } else { "time" };
    let encode = |row: &Row| Estimate::compared(row.encode.as_ref());
    let title = ("Least CPU on the server", "fastest to encode");
    all.push(need(title, format!("{time} to encode"), number::time, &encode));
    let decode = |row: &Row| Estimate::compared(row.decode.as_ref());
    let title = ("Fastest for the client", "fastest to decode");
    all.push(need(title, format!("{time} to decode"), number::time, &decode));
    if let Ok(link) = "4g".parse::<Link>() {
        let latency = |row: &Row| latency(row, count, &link);
        let figure = format!(
            "latency of a request: encoding, decoding, and {} Mbit/s with a round trip of {} ms, \
             uncompressed",
            link.bits_per_s / 1e6,
            link.round_trip.as_millis()
        );
        all.push(need(("Fastest at 4G", "fastest at 4G"), figure, milliseconds, &latency));
    }
    all.retain(|need| !need.candidates.is_empty());
    all
}

/// Returns the resources that one request needs; `None` if the row was not timed.
pub(super) fn demand(row: &Row, count: f64) -> Option<Demand> {
    Some(Demand {
        body_bytes: row.size_bytes? as f64 / count,
        header_bytes: row.header_bytes as f64,
        server_cpu_ns: Estimate::compared(row.encode.as_ref())?.value,
        client_ns: Estimate::compared(row.decode.as_ref())?.value,
    })
}

/// Returns the latency over a warm connection in milliseconds. The interval adds the ends of both
/// times, so it is wider than necessary. Returns `None` if the row was not timed.
fn latency(row: &Row, count: f64, link: &Link) -> Option<Estimate> {
    let demand = demand(row, count)?;
    let value = cost(&demand, link, &Prices::default()).latency_warm_ms;
    let (encode, decode) =
        (Estimate::compared(row.encode.as_ref())?, Estimate::compared(row.decode.as_ref())?);
    let off =
        |end: fn(Estimate) -> f64| (end(encode) + end(decode) - encode.value - decode.value) / 1e6;
    Some(Estimate { value, low: value + off(|it| it.low), high: value + off(|it| it.high) })
}
