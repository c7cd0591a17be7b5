//! The sources of rows, our own workers and lanes, and the key that identifies a row.

use manywire_format::Format;

use crate::weigh::lanes::{self, BuiltLane};
use crate::weigh::launch::Launcher;
use crate::weigh::options::{Effort, Options};
use crate::weigh::subject::{Library, Subject, ValueKind};

/// A source of rows.
pub(super) enum RowSource<'a> {
    /// The workers of this program: the lane `rust`.
    BuiltIn(&'a Launcher),
    /// The libraries of another language.
    Lane(&'a BuiltLane),
}

/// The key of a row: the library, format and kind of value that a figure belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowKey {
    pub(super) lane: String,
    pub(super) library: String,
    pub(super) version: String,
    pub(super) format: Format,
    pub(super) target: ValueKind,
    pub(super) buffer: String,
    /// True if this library is the reference of its lane in the reference format.
    pub(super) reference: bool,
    /// The subject of our own worker, if it measures the row.
    pub(super) subject: Option<Subject>,
}

/// The lane name of this program's own rows. A lane of the same name may add rows that its own
/// process measures; `in_lane` marks those.
pub const BUILT_IN_LANE: &str = "rust";

impl RowSource<'_> {
    /// Returns δ, the difference that is too small to matter. It is larger for lanes: between
    /// runtimes with collectors and compilers, two measurements of the same code differ by more
    /// than in Rust.
    pub(super) fn delta(&self, options: &Options) -> f64 {
        match self {
            RowSource::BuiltIn(_) => options.delta(),
            RowSource::Lane(_) => lane_delta(options),
        }
    }

    /// Returns the half-width at which measuring stops.
    pub(super) fn target_half_width(&self, options: &Options) -> f64 {
        self.delta(options) / 2.0
    }
}

/// Returns δ within and across lanes.
pub fn lane_delta(options: &Options) -> f64 {
    const LANE_DELTA: f64 = 0.05;
    options.delta.unwrap_or(match options.effort {
        Effort::Quick => Effort::Quick.delta(),
        Effort::Normal | Effort::Precise => LANE_DELTA,
    })
}

impl From<Subject> for RowKey {
    fn from(subject: Subject) -> Self {
        RowKey {
            lane: BUILT_IN_LANE.to_owned(),
            library: subject.library.name().to_owned(),
            version: subject.library.version().to_owned(),
            format: subject.format,
            target: ValueKind::Dynamic,
            buffer: "fresh".to_owned(),
            reference: subject.library == Library::Manywire,
            subject: Some(subject),
        }
    }
}

impl RowKey {
    /// Returns the key of a lane's subject.
    pub(super) fn of(lane: &str, subject: &lanes::Subject, version: String) -> Self {
        RowKey {
            lane: lane.to_owned(),
            library: subject.library.clone(),
            version,
            format: subject.format,
            target: subject.target,
            buffer: subject.buffer.clone(),
            reference: subject.reference,
            subject: None,
        }
    }

    /// Ranks this row as the reference of another row of its lane, higher is better; `None` if it
    /// cannot be. A row with the same kind of value ranks first. If a language has no typed values
    /// of a format, its dynamic ones are used, since its programs have no others.
    pub(super) fn rank_as_reference(&self, of: &RowKey, format: Format) -> Option<(bool, bool)> {
        (self.format == format).then_some((self.target == of.target, self.reference))
    }
}
