//! Costs of bytes and CPU time: requests per second, latency, money, energy.
//!
//! `docs/trial.md` has the formulas, the sources of the prices and a worked example; a test
//! recomputes the example.

mod model;
mod prices;
mod report;

pub use model::{
    BreakEven, BreakEvenRanges, Cost, CostRanges, CpuSample, Demand, Range, break_even,
    break_even_ranges, cost, ranges,
};
pub use prices::{InvalidPrice, Prices};
pub(crate) use report::cost_report;
pub use report::{Basis, Confidence, CostReport, CostRow, Origin, bases};
