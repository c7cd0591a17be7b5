//! What each wire format costs on a user's own payloads.
//!
//! The folders are the pipeline: [`payload`] is what comes in, [`subject`] what is measured,
//! [`launch`] one process that measures, [`measure`] the orchestration of launches, [`statistics`]
//! what their times say, [`report`] what goes out.

pub mod baseline;
pub mod gate;
pub mod host;
pub mod http;
pub mod lanes;
pub mod launch;
pub mod measure;
mod options;
pub mod payload;
pub mod report;
mod schema;
pub mod selftest;
pub mod statistics;
pub mod stream;
pub mod subject;
mod sweep;
pub mod verdict;

pub use options::{Effort, Options};
pub use sweep::{InvalidSweep, SWEEP_LENGTH_MAX, SweepSpec};
