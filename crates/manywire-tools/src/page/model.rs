//! The data of the cost model that the page's script recomputes.
//!
//! The script has the formulas of [`cost`](crate::trial::cost::cost) a second time, in JavaScript.
//! `tests/all/page.rs` writes inputs and expected costs to `page_model.json`, and the browser test
//! compares the results of the script with them.

use std::collections::BTreeMap;

use manywire_format::Format;
use serde::Serialize;

use super::decision::demand;
use crate::trial::cost::{Demand, Prices};
use crate::trial::link::{PROFILES, Profile};
use crate::weigh::report::{Report, comparisons};
use crate::weigh::subject::format_name;

/// The data that the script needs.
#[derive(Serialize)]
pub(super) struct Model {
    /// The rows, by the name of their comparison.
    pub(super) comparisons: BTreeMap<String, Vec<ModelRow>>,
    /// The prices that the sliders begin with.
    pub(super) prices: Prices,
    /// The links that can be chosen: name, and bandwidth and round trip as text.
    pub(super) links: Vec<(&'static str, &'static str)>,
    /// The format that break-even points are relative to.
    #[serde(with = "format_name")]
    pub(super) reference: Format,
}

/// One row of the model.
#[derive(Serialize)]
pub(super) struct ModelRow {
    /// The name of the row within the comparison.
    pub(super) label: String,
    /// The format.
    #[serde(with = "format_name")]
    pub(super) format: Format,
    /// The resources that a request needs.
    pub(super) demand: Demand,
}

/// Returns the model of a report of `weigh`; `None` if nothing was timed.
pub(super) fn model(report: &Report) -> Option<Model> {
    let mut all = BTreeMap::new();
    for comparison in comparisons(report) {
        let count = report.count_of(comparison.payload) as f64;
        let rows = comparison.rows.iter().filter_map(|row| {
            let demand = demand(row, count)?;
            Some(ModelRow { label: comparison.label(row), format: row.format, demand })
        });
        let rows: Vec<ModelRow> = rows.collect();
        if !rows.is_empty() {
            all.insert(comparison.name(report), rows);
        }
    }
    (!all.is_empty()).then(|| Model {
        comparisons: all,
        prices: Prices::default(),
        links: links(),
        reference: report.reference,
    })
}

/// Returns the links that can be chosen.
pub(super) fn links() -> Vec<(&'static str, &'static str)> {
    PROFILES.iter().map(|profile: &Profile| (profile.name, profile.figures)).collect()
}
