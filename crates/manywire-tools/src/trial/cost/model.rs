use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Prices;
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
