use manywire_format::Format;
use manywire_weigh::http::header_bytes;
use serde::{Deserialize, Serialize};

use super::{BreakEven, Cost, Demand, Prices, break_even, cost};
use crate::link::Link;
use crate::report::{PairReport, Row};

/// What every row comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostReport {
    /// The prices.
    pub prices: Prices,
    /// The line: that of the trial, or else the profile that is usual here.
    pub link: String,
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
    /// Against the first format of the pair under the same coding; `None` of that itself.
    pub break_even: Option<BreakEven>,
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

/// What rows come to, over a line and at these prices.
pub(crate) fn reckon(
    pairs: &[PairReport],
    payloads: usize,
    link: &Link,
    prices: &Prices,
) -> CostReport {
    let mut report =
        CostReport { prices: prices.clone(), link: link.name.clone(), rows: Vec::new() };
    for pair in pairs {
        for row in &pair.rows {
            let Some(demand) = demand(row, payloads) else { continue };
            let mut reckoned = CostRow {
                client: pair.client.clone(),
                server: pair.server.clone(),
                format: row.format.clone(),
                coding: row.coding.clone(),
                demand,
                cost: cost(&demand, link, prices),
                break_even: None,
            };
            let reference = report.reference(&reckoned).map(|reference| reference.demand);
            reckoned.break_even = reference.map(|other| break_even(&demand, &other, prices));
            report.rows.push(reckoned);
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
