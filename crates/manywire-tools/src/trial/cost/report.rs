use std::collections::BTreeMap;

use crate::weigh::http::header_bytes;
use manywire_format::Format;
use serde::{Deserialize, Serialize};

use super::{
    Basis, BreakEven, BreakEvenRanges, Cost, CostRanges, Demand, Draw, Prices, bases, break_even,
    break_even_ranges, cost, ranges,
};
use crate::trial::link::Link;
use crate::trial::report::{PairReport, Row};

/// What every row comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostReport {
    /// The prices.
    pub prices: Prices,
    /// The line: that of the trial, or else the profile that is usual here.
    pub link: String,
    /// Where the prices and the line come from, and what is assumed of them.
    #[serde(default)]
    pub basis: Vec<Basis>,
    /// A row for each of the trial that has figures.
    pub rows: Vec<CostRow>,
}

/// What a row comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostRow {
    /// The client's lane.
    pub client: String,
    /// The server's.
    pub server: String,
    /// The format.
    pub format: String,
    /// The coding.
    pub coding: String,
    /// What a request takes.
    pub demand: Demand,
    /// What it costs.
    pub cost: Cost,
    /// How far that may be off; `None` of a single launch.
    #[serde(default)]
    pub ranges: Option<CostRanges>,
    /// Against the first format of the pair under the same coding; `None` of that itself.
    pub break_even: Option<BreakEven>,
    /// How far that may be off.
    #[serde(default)]
    pub break_even_ranges: Option<BreakEvenRanges>,
}

impl CostReport {
    /// The first format of the same pair and coding.
    pub fn reference(&self, row: &CostRow) -> Option<&CostRow> {
        let same = |other: &&CostRow| {
            (&other.client, &other.server, &other.coding) == (&row.client, &row.server, &row.coding)
        };
        self.rows.iter().find(same)
    }
}

/// What rows come to, over a line and at these prices: `draws` has what launches found of each.
pub(crate) fn reckon(
    pairs: &[PairReport],
    draws: &[Vec<Vec<Draw>>],
    payloads: usize,
    link: &Link,
    prices: &Prices,
) -> CostReport {
    let mut report = CostReport {
        prices: prices.clone(),
        link: link.name.clone(),
        basis: bases(prices, link),
        rows: Vec::new(),
    };
    for (pair, draws) in pairs.iter().zip(draws) {
        // The first of each coding is what the others are held against.
        let mut references: BTreeMap<&str, (Demand, &[Draw])> = BTreeMap::new();
        for (row, draws) in pair.rows.iter().zip(draws) {
            let Some(demand) = demand(row, payloads) else { continue };
            let cost = cost(&demand, link, prices);
            let reference = references.get(row.coding.as_str());
            let even = reference.map(|(other, _)| break_even(&demand, other, prices));
            let even_ranges = reference.and_then(|(other, others)| {
                break_even_ranges((&demand, draws), (other, others), prices)
            });
            report.rows.push(CostRow {
                client: pair.client.clone(),
                server: pair.server.clone(),
                format: row.format.clone(),
                coding: row.coding.clone(),
                demand,
                ranges: ranges(&cost, draws, prices),
                cost,
                break_even: even,
                break_even_ranges: even_ranges,
            });
            references.entry(&row.coding).or_insert((demand, draws));
        }
    }
    report
}

/// What a request of a row takes, as a mean over payloads; `None` where a meter is missing.
fn demand(row: &Row, payloads: usize) -> Option<Demand> {
    let body_bytes = row.body_bytes? as f64 / payloads.max(1) as f64;
    let format: Format = row.format.parse().ok()?;
    let server_cpu_ns = row.capacity.as_ref()?.server_cpu_ns?.value;
    Some(Demand {
        body_bytes,
        header_bytes: header_bytes(format, body_bytes as u64) as f64,
        server_cpu_ns: (server_cpu_ns > 0.0).then_some(server_cpu_ns)?,
        client_ns: row.processing_ns?.value,
    })
}
