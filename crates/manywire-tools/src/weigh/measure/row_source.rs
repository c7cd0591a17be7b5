//! The sources of rows, our own workers and lanes, and the key that identifies a row.

use manywire_format::Format;

use crate::weigh::lanes::{self, BuiltLane};
use crate::weigh::launch::Launcher;
use crate::weigh::options::{Effort, Options};
use crate::weigh::subject::{Library, Subject, ValueKind};

/// Who fills some of the rows.
pub(super) enum RowSource<'a> {
    /// Workers of this program: the lane `rust`.
    BuiltIn(&'a Launcher),
    /// The libraries of another language.
    Lane(&'a BuiltLane),
}

/// Which row a figure belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowKey {
    pub(super) lane: String,
    pub(super) library: String,
    pub(super) version: String,
    pub(super) format: Format,
    pub(super) target: ValueKind,
    pub(super) buffer: String,
    /// Whether its lane's ratios are taken to it, where the reference is of its format.
    pub(super) reference: bool,
    /// What our own worker knows it by.
    pub(super) subject: Option<Subject>,
}

/// The lane of this program's own rows. One of that name may add others, measured by its own process
/// as every lane's are; rows say which by `in_lane`.
pub const BUILT_IN_LANE: &str = "rust";

impl RowSource<'_> {
    /// δ, below which nobody need care: between runtimes with collectors and compilers of their
    /// own, two measurements of the same code differ by more than in Rust.
    pub(super) fn delta(&self, options: &Options) -> f64 {
        match self {
            RowSource::BuiltIn(_) => options.delta(),
            RowSource::Lane(_) => lane_delta(options),
        }
    }

    /// The half-width at which measuring stops.
    pub(super) fn target_half_width(&self, options: &Options) -> f64 {
        self.delta(options) / 2.0
    }
}

/// δ within and across lanes.
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
    /// The row of a lane's subject.
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

    /// How well it serves as the reference of another row of its lane, the higher the better;
    /// `None` if not at all. The same target comes first: where a language has no typed values of
    /// a format, its dynamic ones stand in, since its programs have no others.
    pub(super) fn rank_as_reference(&self, of: &RowKey, format: Format) -> Option<(bool, bool)> {
        (self.format == format).then_some((self.target == of.target, self.reference))
    }
}
