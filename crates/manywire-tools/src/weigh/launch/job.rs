//! The messages between the orchestrator and a worker, and the frames that carry them.

use std::collections::BTreeMap;
use std::io;
use std::io::{Read, Write};

use manywire_shape::fidelity::Loss;
use serde::{Deserialize, Serialize};

use crate::weigh::subject::{Operation, Subject};

/// The job of a worker. The payloads follow, one frame each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The headers of the payloads that follow.
    pub payloads: Vec<PayloadHeader>,
    /// The text of a schema, if the shape is not to be inferred.
    pub schema: Option<SchemaText>,
    /// The task.
    pub task: Task,
}

/// The name and format of a payload whose bytes follow.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PayloadHeader {
    /// Its name.
    pub name: String,
    /// The name of its format.
    pub format: String,
}

/// A schema file of the user.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SchemaText {
    /// The name of the file, for messages.
    pub file: String,
    /// The whole file.
    pub text: String,
    /// The message or record to use, where it defines several.
    pub message: Option<String>,
}

/// The task of a worker: one of the two passes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Task {
    /// Round-trips one subject and takes its sizes and memory. The subject has the process to
    /// itself, so that a crash or a hang affects no other subject.
    Examine {
        /// The subject.
        subject: Subject,
        /// Codings to take sizes under, such as `gzip:6`.
        codings: Vec<String>,
    },
    /// Times several operations in one process, so that ratios compare times of the same process.
    Time {
        /// The operations to time.
        entries: Vec<Entry>,
        /// The seed of the order within each round.
        seed: u64,
        /// The time budget of all rounds, in nanoseconds. Large payloads get fewer rounds.
        budget_ns: u64,
    },
}

/// One operation of one subject.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The subject.
    pub subject: Subject,
    /// The operation.
    pub operation: Operation,
    /// The iterations to run for each one that is reported. It is 1 except in the self-test, which
    /// injects a known slowdown.
    pub inflation: f64,
}

/// The result of the first pass for one subject.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Examination {
    /// The bytes of each payload.
    pub sizes: Vec<u64>,
    /// The bytes of each payload under each coding.
    pub coded_sizes: BTreeMap<String, Vec<u64>>,
    /// The data that did not survive the round trip.
    pub losses: Vec<Loss>,
    /// Memory of one encoding; `None` where nothing counts it.
    pub encode_memory: Option<Memory>,
    /// Memory of one decoding.
    pub decode_memory: Option<Memory>,
}

/// The memory of one operation, as a mean over payloads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Allocations and reallocations; `None` where the runtime does not count them.
    pub allocs: Option<f64>,
    /// Bytes requested by allocations.
    pub alloc_bytes: Option<f64>,
    /// The most bytes in use at once, beyond those in use before.
    pub peak_bytes: Option<f64>,
}

/// The result of one launch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timing {
    /// For each entry, one batch per round, or the reason of its failure.
    pub entries: Vec<Result<Vec<Batch>, String>>,
    /// The number of payloads in the window of a batch. If it is less than all of them, rounds use
    /// different payloads.
    pub window: usize,
    /// Context switches forced on the process while it measured.
    pub preemptions: Option<u64>,
    /// The smallest step of the clock, in nanoseconds.
    pub clock_resolution_ns: u64,
    /// True if times had settled when counting began.
    pub steady: bool,
    /// The time that the runtime's compiler spent while batches were counted, in milliseconds;
    /// `None` if unknown.
    pub compiled_ms: Option<f64>,
}

/// One batch of operations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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

/// Writes a frame: its length as four bytes, big-endian, then its bytes.
pub(super) fn write_frame(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len())
        .map_err(|_| io::Error::other("a frame holds less than 4 GiB"))?;
    out.write_all(&length.to_be_bytes())?;
    out.write_all(bytes)
}

/// Reads a frame of at most `max` bytes. Memory grows with the bytes that arrive, not with the
/// claimed length.
pub(super) fn read_frame(input: &mut impl Read, max: u32) -> io::Result<Vec<u8>> {
    let mut length = Vec::new();
    input.by_ref().take(4).read_to_end(&mut length)?;
    let length: [u8; 4] = length.try_into().map_err(|found: Vec<u8>| {
        unexpected_end(format!("expected the four bytes of a length, found {}", found.len()))
    })?;
    let length = u32::from_be_bytes(length);
    if length > max {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("a frame that claims {length} bytes, more than {max}"),
        ));
    }
    let mut bytes = Vec::new();
    input.by_ref().take(length.into()).read_to_end(&mut bytes)?;
    if bytes.len() == length as usize {
        Ok(bytes)
    } else {
        Err(unexpected_end(format!("a frame that ends after {} of {length} bytes", bytes.len())))
    }
}

fn unexpected_end(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, message)
}
