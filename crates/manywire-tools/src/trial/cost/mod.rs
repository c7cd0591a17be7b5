//! What bytes and CPU time come to: requests, latency, money, energy.
//!
//! The formulas, and where the prices come from, stand in `docs/trial.md` with an example that is
//! worked out there; a test follows it.

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
