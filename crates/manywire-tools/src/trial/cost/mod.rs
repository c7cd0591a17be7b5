//! What bytes and CPU time come to: requests, latency, money, energy.
//!
//! The formulas, and where the prices come from, stand in `docs/trial.md` with an example that is
//! worked out there; a test follows it.

mod basis;
mod break_even;
mod model;
mod prices;
mod range;
mod report;

pub use basis::{Basis, Origin, Standing, bases};
pub use break_even::{BreakEven, BreakEvenRanges, break_even, break_even_ranges};
pub use model::{Cost, Demand, cost};
pub use prices::{InvalidPrice, Prices};
pub use range::{CostRanges, Draw, Range, ranges};
pub use report::{CostReport, CostRow};

pub(crate) use report::reckon;
