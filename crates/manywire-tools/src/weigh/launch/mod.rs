//! A launch: one new process that measures and exits.
//!
//! The orchestrator sends a [`Job`] to the worker's standard input and reads an answer from its
//! standard output. The worker only runs and times batches; the order of launches, statistics and
//! verdicts stay with the orchestrator.

mod bench;
mod conversation;
mod job;
mod launcher;
mod worker;

pub(crate) use bench::{BatchRunner, BenchOptions, BenchResult, measure};
pub(crate) use conversation::Conversation;
pub use job::{Batch, Entry, Examination, Job, Memory, PayloadHeader, SchemaText, Task, Timing};
pub use launcher::{LaunchError, Launcher};
pub(crate) use launcher::{detach, exit_text, kill};
pub(crate) use worker::sizes_under;
pub use worker::work;
