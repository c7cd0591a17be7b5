//! The report and its output formats: text for a terminal, plot, JSON, Markdown and CSV.

pub(crate) mod compare;
mod comparison;
mod csv;
mod grid;
mod markdown;
pub(crate) mod metric;
mod missing;
mod model;
pub mod number;
mod overview;
mod payloads;
mod plot;
mod read;
mod status;
mod table;
mod text;
pub(crate) mod words;

use std::collections::BTreeSet;

pub(crate) use comparison::{Comparison, comparisons, is_beaten, main_payload};
pub use csv::{csv, notes_beside_rows};
pub use grid::Style;
pub use markdown::markdown;
pub(crate) use metric::codings;
pub use metric::{METRICS, Metric};
pub(crate) use missing::missing_formats;
pub use model::{
    Answer, BUILT_IN_LANE, Baseline, Clock, CodedSummary, ExactWord, Fidelity, FieldBytes,
    FormatFields, Gate, GateResult, HoldOut, Host, LaneNote, Misfit, PayloadComparison,
    PayloadSummary, Profile, Reference, Report, Row, Spread, Summary, Sweep, TimeComparison, Tool,
};
pub(crate) use model::{OWN_LIBRARY_NAME, interruption};
pub use plot::plot;
pub use read::{ReadReportError, read, schema_of};
pub use status::{RowVerdict, Status};
pub(crate) use text::gate_lines;
pub use text::text;

/// The schema of the JSON report; members may be added under it, never renamed or removed.
pub const SCHEMA: &str = "manywire.weigh/2";

/// Describes the size of the input: `705 bytes as given`, or `320 bytes of avro as given` if
/// payloads were converted. Takes the bytes and the original form of each payload.
pub fn describe_input_size<'r>(payloads: impl Iterator<Item = (u64, Option<&'r str>)>) -> String {
    let (mut bytes, mut forms) = (0, BTreeSet::new());
    for (given, made_from) in payloads {
        bytes += given;
        forms.extend(made_from);
    }
    let of = if forms.is_empty() { "" } else { " of " };
    let forms: Vec<&str> = forms.into_iter().collect();
    format!("{} bytes{of}{} as given", number::count(bytes), forms.join(", "))
}
