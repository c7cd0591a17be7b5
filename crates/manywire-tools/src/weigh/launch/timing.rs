//! The result of one launch: the batches of each timed operation.

use super::process::Refusal;

/// The result of one launch.
#[derive(Clone, Debug)]
pub struct Timing {
    /// For each entry, one batch per round, or the reason of its failure.
    pub entries: Vec<Result<Vec<Batch>, Refusal>>,
    /// The number of payloads in the window of a batch. If the window has fewer than all payloads,
    /// rounds use different payloads.
    pub window: usize,
    /// Context switches forced on the process in the batches that count; `None` if unknown.
    pub preemptions: Option<u64>,
    /// True if times had settled when counting began.
    pub steady: bool,
    /// The time that the runtime's compiler spent while batches were counted, in milliseconds;
    /// `None` if unknown.
    pub compiled_ms: Option<f64>,
}

/// One batch of operations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    /// The number of reported operations.
    pub operations: f64,
    /// Wall-clock time of the batch, in nanoseconds.
    pub wall_ns: f64,
    /// CPU time of the process, in nanoseconds; `None` where there is no such clock.
    pub cpu_ns: Option<f64>,
    /// Garbage collections during the batch; `None` if unknown.
    pub collections: Option<f64>,
}
