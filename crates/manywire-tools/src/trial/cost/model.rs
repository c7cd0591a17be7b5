//! The model of costs: the formulas and their ranges over launches.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Prices;
use crate::trial::figure::Figure;
use crate::trial::link::{Link, SEGMENT_BYTES, wire_bytes};

/// The resources that one request needs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Demand {
    /// Bytes of the answer's body.
    pub body_bytes: f64,
    /// Bytes of the headers of request and answer.
    pub header_bytes: f64,
    /// CPU time of the server, in nanoseconds.
    pub server_cpu_ns: f64,
    /// The time of the client's decoding, in nanoseconds; CPU time if the machine was busy and the
    /// runtime measures it.
    pub client_ns: f64,
}

impl Demand {
    /// Returns the bytes of the HTTP messages.
    pub(super) fn stream_bytes(&self) -> f64 {
        self.body_bytes + self.header_bytes
    }

    /// Returns the bytes on the link, with the headers of every segment.
    pub(super) fn wire_bytes(&self) -> f64 {
        wire_bytes(self.stream_bytes().round() as u64) as f64
    }
}

/// The cost of one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Bytes on the link, including HTTP headers and the headers of every segment.
    pub wire_bytes: f64,
    /// Requests per second that one core of the server answers.
    pub requests_per_s_core: f64,
    /// Requests per second that the link carries.
    pub requests_per_s_link: f64,
    /// The resource that carries fewer requests per second: the core or the link.
    pub bottleneck: Bottleneck,
    /// Latency over a warm connection, in milliseconds.
    pub latency_warm_ms: f64,
    /// Latency over a new connection, in milliseconds, with its setup and slow start.
    pub latency_cold_ms: f64,
    /// Money for a million requests.
    pub money_per_million: f64,
    /// Energy of the client in millijoules, by radio.
    pub energy_mj: BTreeMap<String, f64>,
}

/// The resource that limits the requests per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bottleneck {
    /// One core of the server.
    Cpu,
    /// The link.
    Network,
}

impl Bottleneck {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Bottleneck::Cpu => "cpu",
            Bottleneck::Network => "network",
        }
    }
}

/// Segments that a new connection may send before the first acknowledgement (RFC 6928).
const INITIAL_WINDOW: u64 = 10;

/// Computes the cost of a request over a link.
pub fn cost(demand: &Demand, link: &Link, prices: &Prices) -> Cost {
    let (stream, wire) = (demand.stream_bytes(), demand.wire_bytes());
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
        bottleneck: if requests_per_s_core < requests_per_s_link {
            Bottleneck::Cpu
        } else {
            Bottleneck::Network
        },
        latency_warm_ms,
        latency_cold_ms: latency_warm_ms + waits * round_trip_ms,
        money_per_million: money * 1e6,
        energy_mj: radios
            .map(|(name, mj_per_kb)| (name.clone(), wire / 1e3 * mj_per_kb + cpu_mj))
            .collect(),
    }
}

/// Returns the round trips in which a new connection waits for acknowledgements. The window of the
/// connection doubles with each round trip.
fn slow_start_rounds(bytes: f64) -> f64 {
    let window = (INITIAL_WINDOW * SEGMENT_BYTES) as f64;
    (bytes / window + 1.0).log2().ceil() - 1.0
}

/// The 95 % interval of a figure over launches. An end that is `None` is open.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The lower end of the interval.
    pub low: Option<f64>,
    /// The upper end of the interval.
    pub high: Option<f64>,
}

/// The intervals of the figures of a cost. The intervals come from CPU time alone: bytes are
/// counted exactly, so figures that depend only on bytes have no interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostRanges {
    /// Requests per second that one core of the server answers.
    pub requests_per_s_core: Range,
    /// Latency over a warm connection, in milliseconds.
    pub latency_warm_ms: Range,
    /// Latency over a new connection, in milliseconds.
    pub latency_cold_ms: Range,
    /// Money for a million requests.
    pub money_per_million: Range,
    /// Energy of the client in millijoules, by radio.
    pub energy_mj: BTreeMap<String, Range>,
}

/// The times of a request in one launch, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CpuSample {
    /// CPU time of the server.
    pub server_cpu_ns: f64,
    /// The time of the client's decoding, as in [`Demand`].
    pub client_ns: f64,
}

/// Computes the intervals of a cost from the CPU times of launches; `None` for a single launch.
///
/// Each figure is the sum of a measured part and a constant part, so its interval is that of the
/// measured part, moved by the constant. The times of server and client need not be independent.
pub fn ranges(cost: &Cost, draws: &[CpuSample], prices: &Prices) -> Option<CostRanges> {
    let (servers, clients) = columns(draws);
    let server = ends(&[&servers])?;
    let client = ends(&[&clients])?;
    let both = ends(&[&servers, &clients])?;
    let around = |figure: f64, ends: Ends, scale: f64| Range {
        low: Some(figure + (ends.low - ends.mean) * scale),
        high: Some(figure + (ends.high - ends.mean) * scale),
    };
    let core_ns = prices.core_money(1.0) * 1e6;
    let energy = |(name, &mj): (&String, &f64)| {
        (name.clone(), around(mj, client, prices.cpu_mj_per_ms / 1e6))
    };
    Some(CostRanges {
        requests_per_s_core: Range { low: Some(1e9 / server.high), high: Some(1e9 / server.low) },
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

fn ends(times: &[&[f64]]) -> Option<Ends> {
    let figure = Figure::of_sum(times)?;
    Some(Ends { mean: figure.value, low: figure.low?, high: figure.high? })
}

/// Returns the times of the server and those of the client, one per launch.
pub(super) fn columns(draws: &[CpuSample]) -> (Vec<f64>, Vec<f64>) {
    draws.iter().map(|cpu_sample| (cpu_sample.server_cpu_ns, cpu_sample.client_ns)).unzip()
}

#[cfg(test)]
mod tests {
    use super::slow_start_rounds;

    #[test]
    fn slow_start_rounds_double_the_window() {
        // One window is sent at once, three after one wait, and seven after two.
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
