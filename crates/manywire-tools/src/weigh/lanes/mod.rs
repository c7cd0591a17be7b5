//! Lanes: the libraries of other languages, measured by the same rules.
//!
//! A lane is a folder under `lanes/`, described in `lanes/CONTRACT.md`: a native project that
//! encodes, decodes and times batches on request. [`all`] finds the lanes, [`Lane::build`] builds
//! one in a cache folder named by its content, and a [`Session`] launches its process and sends
//! requests. The lane that is built into this program, [`super::worker`], is driven by the same code.

mod build;
mod check;
mod digest;
mod doubles;
mod http;
mod lane;
mod lane_input;
mod manifest;
mod measure;
mod session;
mod source;
mod toolchain;
mod typed;

use std::sync::atomic::AtomicBool;

pub use build::{RemovedBuilds, clean};
pub use check::{Agreement, Check, Disagreement, check};
pub use digest::digest;
pub use http::{FetchRequest, FetchResult, Http, Offer, ServerStatistics};
pub use lane::{
    BuiltLane, Lane, LaneSet, LaneStatus, Readiness, Selection, all, carried, lane_statuses,
    prepare_lanes,
};
pub use lane_input::{LaneInput, write_documents};
pub use manifest::{KnownFailure, Library, Manifest, Tool};
pub use measure::{
    Examination, ExaminationInput, LaneExamination, LaneLaunch, LaneSubjectResult, TimedOperation,
    examine, time,
};
pub(crate) use session::CONTRACT;
pub use session::{Answer, BatchTiming, Memory, Session};
pub use toolchain::ToolStatus;
pub use typed::{GeneratedContent, GeneratedFile, Language, PreparedLane, TypedBuild, TypesError};

/// The flag for runs that cannot be interrupted.
static NEVER: AtomicBool = AtomicBool::new(false);
