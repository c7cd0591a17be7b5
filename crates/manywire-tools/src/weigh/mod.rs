//! Measures what each wire format costs on a user's own payloads.
//!
//! The modules form a pipeline: [`payload`] loads values, [`lanes`] prepares the lanes ([`worker`]
//! is the built-in one), [`launch`] runs one measuring process, [`measure`] orchestrates launches,
//! [`statistics`] computes intervals and verdicts, [`report`] writes the result.

pub mod baseline;
pub(crate) mod contention;
pub mod fields;
pub mod gate;
pub mod host;
pub mod http;
pub mod lanes;
pub mod launch;
pub mod measure;
mod options;
pub mod payload;
mod progress;
pub mod report;
mod schema;
pub mod selftest;
pub mod statistics;
pub mod stream;
pub mod subject;
mod sweep;
pub mod verdict;
pub mod worker;

pub use options::{Effort, Options};
pub use progress::Progress;
pub use schema::SchemaText;
pub use sweep::{InvalidSweep, PathMisfit, ResizeError, SWEEP_LENGTH_MAX, SweepSpec, TooLong};
