//! Costs of bytes and CPU time: requests per second, latency, money, energy.
//!
//! `docs/trial.md` has the formulas, the sources of the prices and a worked example; a test
//! recomputes the example.

mod break_even;
mod model;
mod prices;
mod report;

pub use break_even::{
    BreakEven, BreakEvenRanges, MeasuredDemand, Winner, break_even, break_even_ranges,
};
pub use model::{Bottleneck, Cost, CostRanges, CpuSample, Demand, Range, cost, ranges};
pub use prices::{InvalidPrice, Prices};
pub use report::{Basis, Confidence, CostReport, CostRow, bases};
pub(crate) use report::{CostInput, coded_name, cost_report};
