//! What bytes and CPU time come to: requests, latency, money, energy.
//!
//! The formulas, and where the prices come from, stand in `docs/trial.md` with an example that is
//! worked out there; a test follows it.

mod break_even;
mod model;
mod prices;
mod report;

pub use break_even::{BreakEven, break_even};
pub use model::{Cost, Demand, cost};
pub use prices::{InvalidPrice, Prices};
pub use report::{CostReport, CostRow};

pub(crate) use report::reckon;
