//! Break-even points between two formats: the bandwidth and the price of bytes at which both cost the
//! same, with intervals over launches.

use serde::{Deserialize, Serialize};

use super::Prices;
use super::model::{CpuSample, Demand, Range, columns};
use crate::trial::figure::{LAUNCHES_MIN, interval_of_difference};
use crate::weigh::statistics::{Interval, sides};

/// The break-even points between two formats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakEven {
    /// The bandwidth, in bits per second, below which the format with fewer bytes is faster; `None`
    /// if the same format is faster at any bandwidth.
    pub bits_per_s: Option<f64>,
    /// The price of 10^9 bytes above which the format with fewer bytes is cheaper; `None` if the
    /// same format is cheaper at any price.
    pub gigabyte: Option<f64>,
    /// The format that is faster at low bandwidths, or at any.
    pub sooner: Winner,
    /// The format that is cheaper at high prices of bytes, or at any.
    pub cheaper: Winner,
}

/// One of the two formats of a [`BreakEven`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Winner {
    /// The format of the row.
    This,
    /// The format that it is compared with.
    Reference,
}

/// Computes the break-even points between the requests of two formats.
pub fn break_even(this: &Demand, reference: &Demand, prices: &Prices) -> BreakEven {
    let (saved, on_link) = (saved(this, reference), saved_on_link(this, reference));
    let extra_ns =
        (this.server_cpu_ns + this.client_ns) - (reference.server_cpu_ns + reference.client_ns);
    let money = prices.core_money(this.server_cpu_ns - reference.server_cpu_ns);
    BreakEven {
        bits_per_s: crossing(on_link, extra_ns).map(|ratio| 8e9 / ratio),
        gigabyte: crossing(saved, money).map(|ratio| ratio * 1e9),
        sooner: winner(on_link, extra_ns),
        cheaper: winner(saved, money),
    }
}

/// The intervals of the points of a [`BreakEven`], and whether the launches decide the comparison.
/// An interval is `None` if no value in the interval of the extra cost gives such a point, and that of
/// the bandwidth also if a time includes waiting for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakEvenRanges {
    /// The interval of the bandwidth. With an open upper end, the format with fewer bytes may be
    /// faster at any bandwidth.
    pub bits_per_s: Option<Range>,
    /// The interval of the price. With a lower end of zero, the format with fewer bytes may be
    /// cheaper at any price.
    pub gigabyte: Option<Range>,
    /// The number of launches behind the intervals.
    #[serde(default)]
    pub launches: usize,
    /// True if the launches decide which format takes more time, apart from that of its bytes.
    /// Otherwise it is undecided whether there is a break-even bandwidth or one format is faster at
    /// any bandwidth.
    #[serde(default)]
    pub sooner_decided: bool,
    /// True if the launches decide which format costs more money, apart from that of its bytes.
    #[serde(default)]
    pub cheaper_decided: bool,
}

/// A format of a comparison, with the times of its launches.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredDemand<'a> {
    /// The resources that a request needs.
    pub demand: &'a Demand,
    /// The times of each launch.
    pub draws: &'a [CpuSample],
    /// True if a time includes waiting for other programs, so that it decides nothing.
    pub waits: bool,
}

/// Computes the intervals of break-even points between pairs of formats, each of which the same
/// launches measured: a format and its reference. `None` for a single launch.
///
/// Holm's method decides for all pairs together on which side of zero the extra time and the extra
/// money of a format are. Fewer than [`LAUNCHES_MIN`] launches decide nothing.
pub fn break_even_ranges(
    pairs: &[[MeasuredDemand<'_>; 2]],
    prices: &Prices,
) -> Vec<Option<BreakEvenRanges>> {
    let extras: Vec<Option<ExtraTimes>> = pairs.iter().map(ExtraTimes::of).collect();
    let claims = extras.iter().flatten().flat_map(ExtraTimes::claims).flatten();
    // One for each claim, in the same order.
    let mut sides = sides(&claims.collect::<Vec<_>>()).into_iter();
    let ranges = |([this, reference], extra): (&[MeasuredDemand<'_>; 2], &Option<ExtraTimes>)| {
        let extra = extra.as_ref()?;
        let is_decided =
            |claim: Option<Interval>| claim.is_some() && sides.next().flatten().is_some();
        let [sooner_decided, cheaper_decided] = extra.claims().map(is_decided);
        let bytes = saved_on_link(this.demand, reference.demand);
        let time = extra.time.and_then(|time| per_byte(bytes, &time));
        let server = per_byte(saved(this.demand, reference.demand), &extra.server);
        let gigabyte = |ns: f64| prices.core_money(ns) * 1e9;
        Some(BreakEvenRanges {
            bits_per_s: time.map(|ns| Range {
                low: ns.high.map(|ns| 8e9 / ns),
                high: ns.low.filter(|&ns| ns > 0.0).map(|ns| 8e9 / ns),
            }),
            gigabyte: server
                .map(|ns| Range { low: ns.low.map(gigabyte), high: ns.high.map(gigabyte) }),
            launches: extra.launches,
            sooner_decided,
            cheaper_decided,
        })
    };
    pairs.iter().zip(&extras).map(ranges).collect()
}

/// The time in nanoseconds that a format takes beyond its reference.
struct ExtraTimes {
    /// The extra time of server and client; `None` if it includes waiting for other programs.
    time: Option<Interval>,
    /// The extra CPU time of the server.
    server: Interval,
    launches: usize,
}

impl ExtraTimes {
    fn of([this, reference]: &[MeasuredDemand<'_>; 2]) -> Option<ExtraTimes> {
        let (servers, clients) = columns(this.draws);
        let (other_servers, other_clients) = columns(reference.draws);
        let time =
            interval_of_difference(&[&servers, &clients], &[&other_servers, &other_clients])?;
        Some(ExtraTimes {
            time: (!this.waits && !reference.waits).then_some(time),
            server: interval_of_difference(&[&servers], &[&other_servers])?,
            launches: this.draws.len(),
        })
    }

    /// Returns the intervals of which it is decided on which side of zero they are.
    fn claims(&self) -> [Option<Interval>; 2] {
        match self.launches >= LAUNCHES_MIN {
            true => [self.time, Some(self.server)],
            false => [None, None],
        }
    }
}

/// Returns the interval of a break-even price per byte saved, from the interval of the extra cost.
/// No end is below zero. `None` if the format with fewer bytes costs no more even at the worst end
/// of the interval, or if both have the same bytes.
fn per_byte(saved: f64, extra: &Interval) -> Option<Range> {
    // The signs are those of the format with fewer bytes.
    let (low, high) =
        if saved < 0.0 { (-extra.high(), -extra.low()) } else { (extra.low(), extra.high()) };
    let bytes = saved.abs();
    (bytes > 0.0 && high > 0.0)
        .then(|| Range { low: Some(low.max(0.0) / bytes), high: Some(high / bytes) })
}

/// Returns the bytes of HTTP messages that `this` saves: those that the price counts.
fn saved(this: &Demand, reference: &Demand) -> f64 {
    reference.stream_bytes() - this.stream_bytes()
}

/// Returns the bytes on the link that `this` saves: those that the latency counts.
fn saved_on_link(this: &Demand, reference: &Demand) -> f64 {
    reference.wire_bytes() - this.wire_bytes()
}

/// Returns the extra cost per byte saved; `None` if one format has both fewer bytes and lower cost.
fn crossing(saved: f64, extra: f64) -> Option<f64> {
    (saved * extra > 0.0).then(|| extra / saved)
}

fn winner(saved: f64, extra: f64) -> Winner {
    let fewer = if saved == 0.0 { extra <= 0.0 } else { saved > 0.0 };
    if fewer { Winner::This } else { Winner::Reference }
}
