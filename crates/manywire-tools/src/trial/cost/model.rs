//! The model of costs: the formulas, their ranges over launches, and break-even points.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Prices;
use crate::trial::figures::Figure;
use crate::trial::link::{Link, SEGMENT_BYTES, wire_bytes};

/// What one request takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Demand {
    /// Bytes of the answer's body.
    pub body_bytes: f64,
    /// Bytes of the headers of request and answer.
    pub header_bytes: f64,
    /// CPU time of the server, in nanoseconds.
    pub server_cpu_ns: f64,
    /// CPU time of the client's decoding, in nanoseconds.
    pub client_ns: f64,
}

/// What one request costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Bytes on the line: with headers, and with those of every segment.
    pub wire_bytes: f64,
    /// Requests a second that one core of the server answers.
    pub requests_per_s_core: f64,
    /// Requests a second that the line carries.
    pub requests_per_s_link: f64,
    /// `cpu` or `network`: which of both is less.
    pub bottleneck: String,
    /// Milliseconds over a connection that has been open for a while.
    pub latency_warm_ms: f64,
    /// Milliseconds over a new one: its opening, and slow start.
    pub latency_cold_ms: f64,
    /// Money for a million.
    pub money_per_million: f64,
    /// Millijoules that it costs the client, by radio.
    pub energy_mj: BTreeMap<String, f64>,
}

/// Segments that a new connection may send before it hears from the other side (RFC 6928).
const INITIAL_WINDOW: u64 = 10;

/// What a request costs over a line.
pub fn cost(demand: &Demand, link: &Link, prices: &Prices) -> Cost {
    let stream = demand.body_bytes + demand.header_bytes;
    let wire = wire_bytes(stream.round() as u64) as f64;
    let requests_per_s_core = 1e9 / demand.server_cpu_ns;
    let requests_per_s_link = link.bits_per_s / (8.0 * wire);
    let round_trip_ms = link.round_trip.as_secs_f64() * 1e3;
    let transfer_ms = 8.0 * wire / link.bits_per_s * 1e3;
    let work_ms = (demand.server_cpu_ns + demand.client_ns) / 1e6;
    let latency_warm_ms = round_trip_ms + transfer_ms + work_ms;
    let waits = 1.0 + slow_start_rounds(stream);
    let money = prices.core_money(demand.server_cpu_ns) + stream / 1e9 * prices.gigabyte;
    let cpu_mj = demand.client_ns / 1e6 * prices.cpu_mj_per_ms;
    let radios = prices.radio_mj_per_kb.iter();
    Cost {
        wire_bytes: wire,
        requests_per_s_core,
        requests_per_s_link,
        bottleneck: if requests_per_s_core < requests_per_s_link { "cpu" } else { "network" }
            .to_owned(),
        latency_warm_ms,
        latency_cold_ms: latency_warm_ms + waits * round_trip_ms,
        money_per_million: money * 1e6,
        energy_mj: radios
            .map(|(name, mj_per_kb)| (name.clone(), wire / 1e3 * mj_per_kb + cpu_mj))
            .collect(),
    }
}

/// Round trips in which a new connection waits for leave to send the rest: its window doubles with
/// each.
fn slow_start_rounds(bytes: f64) -> f64 {
    let window = (INITIAL_WINDOW * SEGMENT_BYTES) as f64;
    (bytes / window + 1.0).log2().ceil() - 1.0
}

/// What a figure may be as well: the 95 % interval over launches. An end that is `None` is open.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// Its lower end.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
}

/// How far the figures of a cost may be off, as far as CPU time goes: bytes are counted, and what
/// only they make has no range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostRanges {
    /// Requests a second that one core of the server answers.
    pub requests_per_s_core: Range,
    /// Milliseconds over a connection that has been open for a while.
    pub latency_warm_ms: Range,
    /// Milliseconds over a new one.
    pub latency_cold_ms: Range,
    /// Money for a million.
    pub money_per_million: Range,
    /// Millijoules that it costs the client, by radio.
    pub energy_mj: BTreeMap<String, Range>,
}

/// The CPU time that one launch found a request to take, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CpuSample {
    /// Of the server.
    pub server_cpu_ns: f64,
    /// Of the client's decoding.
    pub client_ns: f64,
}

/// How far a cost may be off, by what launches found; `None` of a single one.
///
/// Each figure is a sum of what launches found and of what they all have in common, so its interval
/// is that of the sums, launch by launch: the server's and the client's time need not be
/// independent. Time is never less than none.
pub fn ranges(cost: &Cost, draws: &[CpuSample], prices: &Prices) -> Option<CostRanges> {
    let server = ends(draws, |cpu_sample| cpu_sample.server_cpu_ns)?;
    let client = ends(draws, |cpu_sample| cpu_sample.client_ns)?;
    let both = ends(draws, |cpu_sample| cpu_sample.server_cpu_ns + cpu_sample.client_ns)?;
    let around = |figure: f64, ends: Ends, scale: f64| Range {
        low: Some(figure + (ends.low - ends.mean) * scale),
        high: Some(figure + (ends.high - ends.mean) * scale),
    };
    let core_ns = prices.core_money(1.0) * 1e6;
    let energy = |(name, &mj): (&String, &f64)| {
        (name.clone(), around(mj, client, prices.cpu_mj_per_ms / 1e6))
    };
    Some(CostRanges {
        requests_per_s_core: Range {
            low: Some(1e9 / server.high),
            high: (server.low > 0.0).then(|| 1e9 / server.low),
        },
        latency_warm_ms: around(cost.latency_warm_ms, both, 1e-6),
        latency_cold_ms: around(cost.latency_cold_ms, both, 1e-6),
        money_per_million: around(cost.money_per_million, server, core_ns),
        energy_mj: cost.energy_mj.iter().map(energy).collect(),
    })
}

/// The interval of a time.
#[derive(Clone, Copy)]
struct Ends {
    mean: f64,
    low: f64,
    high: f64,
}

fn ends(draws: &[CpuSample], of: impl Fn(&CpuSample) -> f64) -> Option<Ends> {
    let figure = Figure::of(&draws.iter().map(of).collect::<Vec<_>>())?;
    Some(Ends { mean: figure.value, low: figure.low?.max(0.0), high: figure.high? })
}

/// Where a break-even may be as well, by the interval of what is paid for the bytes saved, both
/// above zero or both below where there is one: at what is paid for a byte, `None` where the one
/// with fewer bytes pays nothing for them even at the end of the interval that is worst for it.
pub(super) fn per_byte(saved: f64, paid: Figure) -> Option<Range> {
    let (low, high) = (paid.low?, paid.high?);
    // Seen from the one with fewer bytes.
    let (low, high) = if saved < 0.0 { (-high, -low) } else { (low, high) };
    let bytes = saved.abs();
    (bytes > 0.0 && high > 0.0)
        .then(|| Range { low: Some(low.max(0.0) / bytes), high: Some(high / bytes) })
}

/// Where one format stops being the better of two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakEven {
    /// The bandwidth, in bits a second, below which the one with fewer bytes is sooner; `None`
    /// where the same one is at any.
    pub bits_per_s: Option<f64>,
    /// The price of 10^9 bytes above which the one with fewer bytes is cheaper; `None` where the
    /// same one is at any.
    pub gigabyte: Option<f64>,
    /// Which is sooner at low bandwidths, or at any: `this` or `reference`.
    pub sooner: String,
    /// Which is cheaper at high prices of bytes, or at any.
    pub cheaper: String,
}

/// Holds what a request takes against what another takes.
pub fn break_even(this: &Demand, reference: &Demand, prices: &Prices) -> BreakEven {
    let saved = saved(this, reference);
    let extra_ns =
        (this.server_cpu_ns + this.client_ns) - (reference.server_cpu_ns + reference.client_ns);
    let money = prices.core_money(this.server_cpu_ns - reference.server_cpu_ns);
    BreakEven {
        bits_per_s: crossing(saved, extra_ns).map(|ratio| 8e9 / ratio),
        gigabyte: crossing(saved, money).map(|ratio| ratio * 1e9),
        sooner: winner(saved, extra_ns),
        cheaper: winner(saved, money),
    }
}

/// Where the points of a [`BreakEven`] may be as well. `None` where there is no such point in the
/// whole interval, or no interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakEvenRanges {
    /// Of the bandwidth; an open upper end: the one with fewer bytes may be sooner at any.
    pub bits_per_s: Option<Range>,
    /// Of the price; a lower end of zero: the one with fewer bytes may be cheaper at any.
    pub gigabyte: Option<Range>,
}

/// How far points may be off, by what the same launches found of both; `None` of a single one.
pub fn break_even_ranges(
    (this, draws): (&Demand, &[CpuSample]),
    (reference, others): (&Demand, &[CpuSample]),
    prices: &Prices,
) -> Option<BreakEvenRanges> {
    let saved = saved(this, reference);
    let extra = |of: &dyn Fn(&CpuSample) -> f64| {
        let pairs = draws.iter().zip(others);
        let extra =
            Figure::of(&pairs.map(|(this, other)| of(this) - of(other)).collect::<Vec<_>>());
        extra.filter(|extra| extra.low.is_some())
    };
    let time = extra(&|cpu_sample| cpu_sample.server_cpu_ns + cpu_sample.client_ns)?;
    let money = extra(&|cpu_sample| prices.core_money(cpu_sample.server_cpu_ns))?;
    Some(BreakEvenRanges {
        bits_per_s: per_byte(saved, time).map(|ns| Range {
            low: ns.high.map(|ns| 8e9 / ns),
            high: ns.low.filter(|&ns| ns > 0.0).map(|ns| 8e9 / ns),
        }),
        gigabyte: per_byte(saved, money).map(|money| Range {
            low: money.low.map(|money| money * 1e9),
            high: money.high.map(|money| money * 1e9),
        }),
    })
}

/// Bytes that one has less.
fn saved(this: &Demand, reference: &Demand) -> f64 {
    let bytes = |demand: &Demand| demand.body_bytes + demand.header_bytes;
    bytes(reference) - bytes(this)
}

/// What a byte saved costs; `None` where bytes and costs are on one side.
fn crossing(saved: f64, extra: f64) -> Option<f64> {
    (saved * extra > 0.0).then(|| extra / saved)
}

fn winner(saved: f64, extra: f64) -> String {
    let fewer = if saved == 0.0 { extra <= 0.0 } else { saved > 0.0 };
    if fewer { "this" } else { "reference" }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::slow_start_rounds;

    #[test]
    fn a_window_that_doubles_lets_through_what_it_must() {
        // One window at once, three after one wait, seven after two.
        for (bytes, rounds) in [
            (1.0, 0.0),
            (14_480.0, 0.0),
            (14_481.0, 1.0),
            (43_440.0, 1.0),
            (43_441.0, 2.0),
            (101_360.0, 2.0),
        ] {
            assert_eq!(slow_start_rounds(bytes), rounds, "{bytes}");
        }
    }
}
