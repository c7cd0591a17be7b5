//! Measures what each wire format costs on a user's own payloads.
//!
//! The modules form a pipeline: [`payload`] loads values, [`subject`] prepares libraries,
//! [`launch`] runs one measuring process, [`measure`] orchestrates launches, [`statistics`]
//! computes intervals and verdicts, [`report`] writes the result. [`lanes`] measures other
//! languages.

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
