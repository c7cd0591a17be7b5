//! What goes out: the report and the ways it is written.

mod csv;
mod given;
mod markdown;
mod model;
pub mod number;
mod table;

use manywire_format::CodingLevel;

pub use csv::csv;
pub use given::given;
pub use markdown::markdown;
pub use model::{
    Baseline, CodedSummary, ExactWord, Fidelity, Gate, GateResult, HoldOut, Host, LaneNote, Misfit,
    PayloadSummary, Report, Row, Spread, Summary, Sweep, Tool,
};
pub use table::{Style, table};

/// The schema of the JSON report; members may be added under it, never renamed or removed.
pub const SCHEMA: &str = "manywire.weigh/1";

/// The codings of some rows, gzip before zstd before br, as they came into use.
fn codings<'r>(rows: impl IntoIterator<Item = &'r Row>) -> Vec<&'r String> {
    let mut codings: Vec<&String> =
        rows.into_iter().flat_map(|row| row.coded_bytes.keys()).collect();
    codings.sort_by_key(|name| name.parse::<CodingLevel>().ok());
    codings.dedup();
    codings
}
