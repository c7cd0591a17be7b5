//! Lanes: the libraries of other languages, measured by the same rules.
//!
//! A lane is a folder under `lanes/`, described in `lanes/CONTRACT.md`: a native project that
//! encodes, decodes and times batches on request. [`all`] finds the lanes, [`Lane::build`] builds
//! one in a cache folder named by its content, and a [`Session`] launches its process and sends
//! requests. The lane that is built into this program, [`super::worker`], is driven by the same
//! code; a lane `rust` in the folder replaces it.

mod build;
mod check;
mod checksums;
mod digest;
mod doubles;
mod findings;
mod http;
mod lane;
mod lane_input;
mod lane_set;
mod manifest;
mod measure;
mod replay;
mod session;
mod source;
mod toolchain;
mod transport;
mod typed;

pub use build::{BuildError, CacheError, ProgramNotFound, RemovedBuilds};
pub use check::{Agreement, Check, CheckInterrupted, Disagreement, check};
pub use digest::{DigestError, digest};
pub use findings::SubjectError;
pub use http::{FetchRequest, FetchResult, Offer, ServerStatistics};
pub use lane::{
    BuiltLane, Lane, LaneStatus, ReadLanesError, Readiness, SERVER_SEPARATOR, SkipReason, all,
    clean, lane_statuses,
};
pub use lane_input::{EncodingError, LaneInput, LaneInputError, write_documents};
pub use lane_set::{InvalidSelection, LaneSet, PrepareLanesError, Selection, prepare_lanes};
pub use manifest::{
    GeneratedContent, GeneratedFile, InvalidLane, KnownFailure, Library, LineFault, Manifest,
    ManifestFault, Replay, ServerVariant, TypedBuild,
};
pub use measure::{
    Examination, ExaminationInput, LaneExamination, LaneLaunch, LaneSubjectResult, TimedOperation,
    examine, time,
};
pub use replay::{LaneReplayError, ReplayFigure, ReplayOutput};
pub(crate) use session::CONTRACT;
pub use session::{Answer, BatchTiming, Memory, Peers, Session};
pub use source::UnreadableFolder;
pub use toolchain::{Tool, ToolStatus, ToolVersion};
pub use transport::{Transport, UnknownTransport};
pub use typed::{PreparedLane, TypesError};
