//! Costs of bytes and CPU time: requests per second, latency, money, energy.
//!
//! `docs/trial.md` has the formulas, the sources of the prices and a worked example; a test
//! recomputes the example.

mod model;
mod prices;
mod report;

pub use model::{
    Bottleneck, BreakEven, BreakEvenRanges, Cost, CostRanges, CpuSample, Demand, MeasuredDemand,
    Range, Winner, break_even, break_even_ranges, cost, ranges,
};
pub use prices::{InvalidPrice, Prices};
pub use report::{Basis, Confidence, CostReport, CostRow, bases};
pub(crate) use report::{CostInput, coded_name, cost_report};
