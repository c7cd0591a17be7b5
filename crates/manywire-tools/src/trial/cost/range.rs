use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Cost, Prices};
use crate::trial::figures::Figure;

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
pub struct Draw {
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
pub fn ranges(cost: &Cost, draws: &[Draw], prices: &Prices) -> Option<CostRanges> {
    let server = ends(draws, |draw| draw.server_cpu_ns)?;
    let client = ends(draws, |draw| draw.client_ns)?;
    let both = ends(draws, |draw| draw.server_cpu_ns + draw.client_ns)?;
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

fn ends(draws: &[Draw], of: impl Fn(&Draw) -> f64) -> Option<Ends> {
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
