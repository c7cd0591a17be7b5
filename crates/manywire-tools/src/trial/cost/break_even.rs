use serde::{Deserialize, Serialize};

use super::range::per_byte;
use super::{Demand, Draw, Prices, Range};
use crate::trial::figures::Figure;

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
    (this, draws): (&Demand, &[Draw]),
    (reference, others): (&Demand, &[Draw]),
    prices: &Prices,
) -> Option<BreakEvenRanges> {
    let saved = saved(this, reference);
    let extra = |of: &dyn Fn(&Draw) -> f64| {
        let pairs = draws.iter().zip(others);
        let extra =
            Figure::of(&pairs.map(|(this, other)| of(this) - of(other)).collect::<Vec<_>>());
        extra.filter(|extra| extra.low.is_some())
    };
    let time = extra(&|draw| draw.server_cpu_ns + draw.client_ns)?;
    let money = extra(&|draw| prices.core_money(draw.server_cpu_ns))?;
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
