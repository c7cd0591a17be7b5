//! Gates: what a report must hold for a build to pass.

mod evaluate;
mod parse;

pub use evaluate::evaluate;
pub use parse::InvalidGate;

use manywire_format::{CodingLevel, Format};

/// `FORMAT.METRIC OP LIMIT`, such as `msgpack.bytes<=json*0.8`.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The gate as it was written.
    pub text: String,
    format: Format,
    metric: Metric,
    operator: Operator,
    limit: Limit,
}

/// A figure of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Metric {
    /// Bytes, exact.
    Bytes,
    /// Bytes under a coding, exact.
    Coded(CodingLevel),
    /// Allocations of one encoding and one decoding, exact.
    Allocs,
    /// Time to encode, as a ratio to the reference, with its interval.
    Encode,
    /// Time to decode, likewise.
    Decode,
}

impl Metric {
    fn is_time(self) -> bool {
        matches!(self, Metric::Encode | Metric::Decode)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    LessOrEqual,
    Less,
    GreaterOrEqual,
    Greater,
    Equal,
}

/// What a figure is held against.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    /// A number; for a time, a ratio to the reference.
    Number(f64),
    /// A multiple of the same figure of another format in the same report.
    Format(Format, f64),
    /// A multiple of the same figure in the baseline.
    Baseline(f64),
}

impl Gate {
    /// Whether the gate needs a baseline to be decided.
    pub fn needs_baseline(&self) -> bool {
        matches!(self.limit, Limit::Baseline(_))
    }

    /// The coding whose sizes the gate asks for.
    pub fn coding(&self) -> Option<CodingLevel> {
        match self.metric {
            Metric::Coded(level) => Some(level),
            _ => None,
        }
    }
}
