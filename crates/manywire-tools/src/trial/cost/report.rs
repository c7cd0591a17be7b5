//! The costs of every row, and the sources of the constants behind them.

use std::collections::BTreeMap;
use std::fmt;

use manywire_format::Format;
use serde::{Deserialize, Serialize};

use super::{
    BreakEven, BreakEvenRanges, Cost, CostRanges, CpuSample, Demand, MeasuredDemand, Prices,
    break_even, break_even_ranges, cost, ranges,
};
use crate::trial::link::{Link, PROFILES};
use crate::trial::origin::Origin;
use crate::weigh::http;
use crate::weigh::lanes::Transport;

/// The costs of every row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostReport {
    /// The prices.
    pub prices: Prices,
    /// The link: that of the trial, or else the default profile.
    pub link: String,
    /// The sources of the prices and of the link, and the assumptions behind them.
    #[serde(default)]
    pub basis: Vec<Basis>,
    /// One row for each row of the trial that has figures.
    pub rows: Vec<CostRow>,
}

/// The cost of one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostRow {
    /// The client's lane.
    pub client: String,
    /// The server's lane.
    pub server: String,
    /// The format.
    pub format: String,
    /// The coding.
    pub coding: String,
    /// The resources that a request needs.
    pub demand: Demand,
    /// The cost of a request.
    pub cost: Cost,
    /// The intervals of the cost; `None` for a single launch.
    #[serde(default)]
    pub ranges: Option<CostRanges>,
    /// The break-even with the first format of the pair under the same coding; `None` for that
    /// format, and if that format has no costs.
    pub break_even: Option<BreakEven>,
    /// The intervals of the break-even.
    #[serde(default)]
    pub break_even_ranges: Option<BreakEvenRanges>,
}

impl CostRow {
    /// Returns the format, with the coding if there is one.
    pub fn name(&self) -> String {
        coded_name(&self.format, &self.coding)
    }
}

/// Returns a format, with the coding if there is one.
pub(crate) fn coded_name(format: &str, coding: &str) -> String {
    match coding {
        "none" => format.to_owned(),
        coding => format!("{format} {coding}"),
    }
}

impl CostReport {
    /// Returns the row of the first format of the same pair and coding.
    pub fn reference(&self, row: &CostRow) -> Option<&CostRow> {
        let same = |other: &&CostRow| {
            (&other.client, &other.server, &other.coding) == (&row.client, &row.server, &row.coding)
        };
        self.rows.iter().find(same)
    }
}

/// The figures of a row of the trial that its costs depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostInput<'a> {
    pub(crate) client: &'a str,
    pub(crate) server: &'a str,
    pub(crate) transport: Transport,
    pub(crate) format: Format,
    pub(crate) coding: &'a str,
    /// Bytes of a body, as a mean over payloads.
    pub(crate) body_bytes: f64,
    /// CPU time of the server for a request, in nanoseconds.
    pub(crate) server_cpu_ns: f64,
    /// The time of decoding in the client, in nanoseconds.
    pub(crate) client_ns: f64,
    /// True if this time includes waiting for other programs, so that it decides nothing.
    pub(crate) waits: bool,
    /// Both times of each launch; empty if a launch lacks one.
    pub(crate) draws: &'a [CpuSample],
    /// True for the first format of its client, server and coding, which the others are compared
    /// with. If it has no costs, nothing is compared.
    pub(crate) is_reference: bool,
}

/// Computes the costs of rows over a link and at these prices. References come before the rows that
/// are compared with them.
pub(crate) fn cost_report(inputs: &[CostInput<'_>], link: &Link, prices: &Prices) -> CostReport {
    let demands: Vec<Demand> = inputs.iter().map(demand).collect();
    let mut references: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    // The index of each row's reference.
    let mut reference_of = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.iter().enumerate() {
        let key = (input.client, input.server, input.coding);
        reference_of.push(references.get(&key).copied());
        if input.is_reference {
            references.insert(key, index);
        }
    }
    let measured = |index: usize| {
        let CostInput { draws, waits, .. } = inputs[index];
        MeasuredDemand { demand: &demands[index], draws, waits }
    };
    let pairs = reference_of.iter().enumerate();
    let pairs: Vec<[MeasuredDemand<'_>; 2]> = pairs
        .filter_map(|(index, reference)| Some([measured(index), measured((*reference)?)]))
        .collect();
    let mut pair_ranges = break_even_ranges(&pairs, prices).into_iter();
    let mut rows = Vec::with_capacity(inputs.len());
    for (index, (input, demand)) in inputs.iter().zip(&demands).enumerate() {
        let cost = cost(demand, link, prices);
        let reference = reference_of[index].map(|reference| &demands[reference]);
        rows.push(CostRow {
            client: input.client.to_owned(),
            server: input.server.to_owned(),
            format: input.format.name().to_owned(),
            coding: input.coding.to_owned(),
            demand: *demand,
            ranges: ranges(&cost, input.draws, prices),
            cost,
            break_even: reference.map(|reference| break_even(demand, reference, prices)),
            break_even_ranges: reference.and_then(|_| pair_ranges.next().flatten()),
        });
    }
    CostReport { prices: prices.clone(), link: link.name.clone(), basis: bases(prices, link), rows }
}

/// Returns the resources that a request of a row needs.
fn demand(input: &CostInput<'_>) -> Demand {
    Demand {
        body_bytes: input.body_bytes,
        header_bytes: header_bytes(input) as f64,
        server_cpu_ns: input.server_cpu_ns,
        client_ns: input.client_ns,
    }
}

/// Returns the bytes of a request and its response beside the body.
fn header_bytes(input: &CostInput<'_>) -> u64 {
    let size_bytes = input.body_bytes as u64;
    match input.transport {
        Transport::Http => http::header_bytes(input.format, size_bytes),
        Transport::Zeromq => {
            // A frame of ZMTP (RFC 23) has a flag and its length, in one byte up to 255, else in eight.
            let header = |bytes: u64| if bytes > 255 { 9 } else { 2 };
            let frame = |bytes: u64| header(bytes) + bytes;
            let media_type = input.format.row().media_type.len() as u64;
            let coding = if input.coding == "none" { "identity" } else { "gzip" }.len() as u64;
            // Both messages begin with REQ's empty frame; the target is that of the HTTP request.
            let both = frame(0) + frame(media_type) + frame(coding);
            2 * both + frame("/v1/items".len() as u64) + header(size_bytes)
        }
    }
}

/// The confidence in a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// An assumption of this program.
    Assumed,
    /// Computed from published figures and an assumption.
    Derived,
    /// A published figure.
    Published,
    /// A figure of the user.
    #[serde(rename = "given")]
    UserDefined,
}

/// The source of a constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Basis {
    /// The name of the price, or `bits_per_s` or `round_trip_ms` of the link.
    pub name: String,
    /// The value.
    pub value: f64,
    /// The confidence in the value.
    pub standing: Confidence,
    /// The publication of the value, or the figures that the value is computed from.
    pub source: Option<String>,
    /// The assumption.
    pub assumption: Option<String>,
}

/// Returns the confidence in a constant of this origin.
fn confidence(origin: Origin) -> Confidence {
    match (origin.source, origin.assumption) {
        (Some(_), None) => Confidence::Published,
        (Some(_), Some(_)) => Confidence::Derived,
        (None, _) => Confidence::Assumed,
    }
}

const POWER_MODEL: &str =
    "(α · throughput + β) / throughput of Huang et al., MobiSys 2012, table 4, receiving";

/// Returns the source of a price's default; `docs/trial.md` has the details.
fn origin(name: &str) -> Option<Origin> {
    Some(match name {
        "vcpu_hour" => Origin::derived(
            "Amazon EC2's list price of a c5.large, on demand, us-east-1: 0.085 USD for two",
            "that of other clouds is like it",
        ),
        "utilisation" => Origin::assumed("a service that is half idle"),
        "gigabyte" => Origin::published(
            "Amazon EC2's list price of data out to the internet, the first 10 TB a month",
        ),
        "cpu_mj_per_ms" => Origin::derived(
            "0.74 to 1.35 W for a further core of Cortex-A57, A72 and A73, AnandTech 2017 (Kirin 960)",
            "that the client's core is one of those",
        ),
        "radio_mj_per_kb.wifi" | "radio_mj_per_kb.lte" => {
            Origin::derived(POWER_MODEL, "20 Mbit/s; phones of 2012")
        }
        "radio_mj_per_kb.3g" => Origin::derived(POWER_MODEL, "1.6 Mbit/s; phones of 2012"),
        "radio_mj_per_kb.ble" => Origin::derived(
            "Nordic nRF52840, product specification: 6.26 mA receiving at 1 Mbit/s and 3 V",
            "0.7 Mbit/s of that are payload",
        ),
        _ => return None,
    })
}

fn basis(name: &str, value: f64, origin: Option<Origin>) -> Basis {
    let standing = origin.map_or(Confidence::UserDefined, confidence);
    let Origin { source, assumption } = origin.unwrap_or_default();
    let text = |words: Option<&str>| words.map(str::to_owned);
    Basis {
        name: name.to_owned(),
        value,
        standing,
        source: text(source),
        assumption: text(assumption),
    }
}

/// Returns the sources of the prices and of the link. A value that differs from its default is the
/// user's.
pub fn bases(prices: &Prices, link: &Link) -> Vec<Basis> {
    let defaults = named(&Prices::default());
    let of_price = |(name, value): (String, f64)| {
        let is_default =
            defaults.iter().any(|(known, default)| *known == name && *default == value);
        let origin = is_default.then(|| origin(&name)).flatten();
        basis(&name, value, origin)
    };
    let mut all: Vec<Basis> = named(prices).into_iter().map(of_price).collect();
    let profile = PROFILES.iter().find(|profile| profile.name == link.name);
    let round_trip_ms = link.round_trip.as_secs_f64() * 1e3;
    all.push(basis("bits_per_s", link.bits_per_s, profile.map(|profile| profile.bandwidth)));
    all.push(basis("round_trip_ms", round_trip_ms, profile.map(|profile| profile.round_trip)));
    all
}

/// Returns the prices that are numbers, each with the name that sets it.
fn named(prices: &Prices) -> Vec<(String, f64)> {
    let plain = [
        ("vcpu_hour", prices.vcpu_hour),
        ("utilisation", prices.utilisation),
        ("gigabyte", prices.gigabyte),
        ("cpu_mj_per_ms", prices.cpu_mj_per_ms),
    ];
    let radios = prices.radio_mj_per_kb.iter();
    let radios = radios.map(|(name, &mj)| (format!("radio_mj_per_kb.{name}"), mj));
    plain.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(radios).collect()
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Confidence::Assumed => "assumed",
            Confidence::Derived => "from published figures and an assumption",
            Confidence::Published => "published",
            Confidence::UserDefined => "given",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Confidence, bases};
    use crate::trial::cost::Prices;
    use crate::trial::link::PROFILES;

    #[test]
    fn default_constants_have_sources_and_user_values_have_none() {
        for profile in PROFILES {
            let link = profile.name.parse().expect(profile.name);
            for basis in bases(&Prices::default(), &link) {
                assert_ne!(basis.standing, Confidence::UserDefined, "{}", basis.name);
                assert!(basis.source.is_some() || basis.assumption.is_some(), "{}", basis.name);
            }
        }
        let mut prices = Prices::default();
        prices.set("gigabyte=0.02").expect("a price");
        prices.set("radio_mj_per_kb.lora=900").expect("a price");
        let given: Vec<String> = bases(&prices, &"1gbit/200us".parse().expect("a line"))
            .into_iter()
            .filter(|basis| basis.standing == Confidence::UserDefined)
            .map(|basis| basis.name)
            .collect();
        assert_eq!(given, ["gigabyte", "radio_mj_per_kb.lora", "bits_per_s", "round_trip_ms"]);
    }
}
