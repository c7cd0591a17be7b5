//! A launch: one new process that measures and exits.
//!
//! The orchestrator sends a [`Job`] to the worker's standard input and reads an answer from its
//! standard output. The worker only runs and times batches; the order of launches, statistics and
//! verdicts stay with the orchestrator.

mod batch;
mod bench;
mod clock;
mod conversation;
mod examine;
mod exchange;
mod failure;
mod frame;
mod job;
mod process;
mod spawn;
mod time;
mod worker;

pub(crate) use bench::{Measured, Plan, Stage, measure};
pub(crate) use conversation::Conversation;
pub(crate) use examine::sizes_under;
pub use failure::LaunchError;
pub use job::{Batch, Entry, Examination, Job, Memory, PayloadHeader, SchemaText, Task, Timing};
pub(crate) use process::{detach, exit_text, kill};
pub use spawn::Launcher;
pub use worker::work;
