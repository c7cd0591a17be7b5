//! The options of `weigh`.

use std::time::Duration;

use manywire_format::{Coding, CodingLevel, Format};

use crate::weigh::report::BUILT_IN_LANE;
use crate::weigh::schema::SchemaText;
use crate::weigh::sweep::SweepSpec;

/// The options of a measurement.
#[derive(Clone, Debug)]
pub struct Options {
    /// The formats, in the order of their rows.
    pub formats: Vec<Format>,
    /// A schema to use instead of inference.
    pub schema: Option<SchemaText>,
    /// The codings in which sizes are measured.
    pub codings: Vec<CodingLevel>,
    /// The codings in which times are measured, too.
    pub timed_codings: Vec<CodingLevel>,
    /// True if no times are measured.
    pub sizes_only: bool,
    /// True if each payload also gets separate rows.
    pub each: bool,
    /// True if each payload is compared with the first one.
    pub compares_payloads: bool,
    /// True if the report has the bytes of each field.
    pub counts_fields: bool,
    /// The width that intervals must reach.
    pub effort: Effort,
    /// The time limit of measuring.
    pub time_limit: Duration,
    /// The format that ratios are relative to.
    pub reference: Format,
    /// δ, if it differs from that of the effort.
    pub delta: Option<f64>,
    /// The seed of every random order.
    pub seed: u64,
    /// An array to cut or repeat to several lengths.
    pub sweep: Option<SweepSpec>,
}

/// The width that intervals must reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Five launches without checks of the width, δ 10 %.
    Quick,
    /// δ 2 %.
    Normal,
    /// δ 1 %.
    Precise,
}

impl Effort {
    /// Returns the effort's name.
    pub fn name(self) -> &'static str {
        match self {
            Effort::Quick => "quick",
            Effort::Normal => "normal",
            Effort::Precise => "precise",
        }
    }

    /// Returns the default δ.
    pub fn delta(self) -> f64 {
        match self {
            Effort::Quick => 0.10,
            Effort::Normal => 0.02,
            Effort::Precise => 0.01,
        }
    }
}

impl Options {
    /// Returns δ in Rust: ratios within 1 ± δ count as the same.
    pub fn delta(&self) -> f64 {
        self.delta.unwrap_or(self.effort.delta())
    }

    /// Returns δ within a lane. In runtimes with garbage collectors and just-in-time compilers, two
    /// measurements of the same code differ by more than in Rust, so the default δ of lanes other
    /// than Rust is 5 %, and 10 % with [`Effort::Quick`].
    pub fn delta_of(&self, lane: &str) -> f64 {
        const LANE_DELTA: f64 = 0.05;
        match self.effort {
            Effort::Normal | Effort::Precise if lane != BUILT_IN_LANE => {
                self.delta.unwrap_or(LANE_DELTA)
            }
            _ => self.delta(),
        }
    }

    /// Returns the options as the report records them.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let names =
            |levels: &[CodingLevel]| levels.iter().map(ToString::to_string).collect::<Vec<_>>();
        serde_json::json!({
            "formats": self.formats.iter().map(|format| format.name()).collect::<Vec<_>>(),
            "schema": self.schema.is_some(),
            "codings": names(&self.codings),
            "timed_codings": names(&self.timed_codings),
            "sizes_only": self.sizes_only,
            "each": self.each,
            "effort": self.effort.name(),
            "time_limit_s": self.time_limit.as_secs_f64(),
            "reference": self.reference.name(),
            "delta": self.delta(),
            "seed": self.seed,
            "sweep": self.sweep.as_ref().map(|sweep| format!("{}={:?}", sweep.path, sweep.lengths)),
        })
    }

    /// Returns the half-width at which measuring stops. With half of δ to each side, an interval is
    /// either within ±δ or excludes 1.
    pub fn target_half_width(&self) -> f64 {
        self.delta() / 2.0
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            formats: Format::ALL.to_vec(),
            schema: None,
            codings: [Coding::Gzip, Coding::Zstd, Coding::Brotli].map(CodingLevel::from).to_vec(),
            timed_codings: Vec::new(),
            sizes_only: false,
            each: false,
            compares_payloads: false,
            counts_fields: false,
            effort: Effort::Normal,
            time_limit: Duration::from_secs(50),
            reference: Format::Json,
            delta: None,
            seed: 0,
            sweep: None,
        }
    }
}
