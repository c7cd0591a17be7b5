//! What goes out: the report and the ways it is written.

mod csv;
mod markdown;
mod model;
pub mod number;
mod table;

pub use csv::csv;
pub use markdown::markdown;
pub use model::{
    Baseline, CodedSummary, ExactWord, Fidelity, Gate, GateResult, HoldOut, Host, Misfit,
    PayloadSummary, Report, Row, Spread, Summary, Sweep, Tool,
};
pub use table::{Style, table};

/// The schema of the JSON report; members may be added under it, never renamed or removed.
pub const SCHEMA: &str = "manywire.weigh/1";
