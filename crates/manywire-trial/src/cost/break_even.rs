use serde::{Deserialize, Serialize};

use super::{Demand, Prices};

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
    let bytes = |demand: &Demand| demand.body_bytes + demand.header_bytes;
    let saved = bytes(reference) - bytes(this);
    let extra_ns =
        (this.server_cpu_ns + this.client_ns) - (reference.server_cpu_ns + reference.client_ns);
    let extra_cpu_ns = this.server_cpu_ns - reference.server_cpu_ns;
    let money = extra_cpu_ns / 1e9 / prices.utilisation * prices.vcpu_hour / 3_600.0;
    BreakEven {
        bits_per_s: crossing(saved, extra_ns).map(|ratio| 8e9 / ratio),
        gigabyte: crossing(saved, money).map(|ratio| ratio * 1e9),
        sooner: winner(saved, extra_ns),
        cheaper: winner(saved, money),
    }
}

/// What a byte saved costs; `None` where bytes and costs are on one side.
fn crossing(saved: f64, extra: f64) -> Option<f64> {
    (saved * extra > 0.0).then(|| extra / saved)
}

fn winner(saved: f64, extra: f64) -> String {
    let fewer = if saved == 0.0 { extra <= 0.0 } else { saved > 0.0 };
    if fewer { "this" } else { "reference" }.to_owned()
}
