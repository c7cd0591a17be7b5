//! A launch: one new process that measures and exits.
//!
//! [`Conversation`] starts the process of a lane, sends requests to its standard input and reads
//! the answers from its standard output, in frames. `bench` orders the batches of one launch:
//! calibration, warm-up, and rounds in random order. The process only runs and times them.

mod bench;
mod conversation;
mod frame;
mod process;
mod timing;

pub(crate) use bench::{BatchRunner, BenchOptions, BenchResult, measure};
pub use conversation::Conversation;
pub(crate) use frame::{read_next_frame, write_frame};
pub use process::{LaunchError, Refusal};
pub(crate) use process::{detach, exit_text, kill};
pub use timing::{Batch, Timing};
