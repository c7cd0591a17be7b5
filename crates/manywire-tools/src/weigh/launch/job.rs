//! The messages between the orchestrator and a worker, and the frames that carry them.

use std::collections::BTreeMap;
use std::io;
use std::io::{Read, Write};

use manywire_shape::fidelity::Loss;
use serde::{Deserialize, Serialize};

use crate::weigh::subject::{Operation, Subject};

/// What a worker is asked to do; its payloads follow in frames of their own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The name and format of each payload that follows.
    pub payloads: Vec<PayloadHeader>,
    /// The text of a schema, if the shape is not to be inferred.
    pub schema: Option<SchemaText>,
    /// What to do with them.
    pub task: Task,
}

/// What precedes the bytes of a payload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PayloadHeader {
    /// Its name.
    pub name: String,
    /// The name of its format.
    pub format: String,
}

/// A schema as the user gave it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SchemaText {
    /// The name of the file, for messages.
    pub file: String,
    /// The whole file.
    pub text: String,
    /// The message or record to use, where it defines several.
    pub message: Option<String>,
}

/// The two passes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Task {
    /// Round trip, sizes and memory of one subject, which has the process to itself: if it
    /// crashes or hangs, no other subject suffers.
    Examine {
        /// The subject.
        subject: Subject,
        /// Codings to take sizes under, such as `gzip:6`.
        codings: Vec<String>,
    },
    /// Times of several operations, all in one process, so that ratios are taken within it.
    Time {
        /// What to time.
        entries: Vec<Entry>,
        /// The seed of the order within each round.
        seed: u64,
        /// How long the rounds may take in all, in nanoseconds: for large payloads fewer rounds.
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
    /// How many iterations to run for each one reported; 1, but for the self-test, which injects
    /// a known slowness this way.
    pub inflation: f64,
}

/// What the first pass found out about a subject.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Examination {
    /// The bytes of each payload.
    pub sizes: Vec<u64>,
    /// The bytes of each payload under each coding.
    pub coded_sizes: BTreeMap<String, Vec<u64>>,
    /// What did not come back as it was.
    pub losses: Vec<Loss>,
    /// Memory of one encoding; `None` where nothing counts it.
    pub encode_memory: Option<Memory>,
    /// Memory of one decoding.
    pub decode_memory: Option<Memory>,
}

/// The memory that one operation takes, as a mean over payloads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Allocations and reallocations; `None` where the runtime does not count them.
    pub allocs: Option<f64>,
    /// Bytes asked for by them.
    pub alloc_bytes: Option<f64>,
    /// The most bytes in use at once, beyond those in use before.
    pub peak_bytes: Option<f64>,
}

/// What one launch measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timing {
    /// For each entry, a batch a round, or why it failed.
    pub entries: Vec<Result<Vec<Batch>, String>>,
    /// How many payloads a batch takes in turn; if not all of them, rounds differ in payloads.
    pub window: usize,
    /// Context switches forced on the process while it measured.
    pub preemptions: Option<u64>,
    /// The smallest step of the clock, in nanoseconds.
    pub clock_resolution_ns: u64,
    /// Whether times had settled when counting began.
    pub steady: bool,
    /// The time the runtime's compiler spent while batches were counted, in milliseconds; `None`
    /// where there is none or it does not tell.
    pub compiled_ms: Option<f64>,
}

/// One batch of operations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// How many operations are reported.
    pub operations: f64,
    /// Wall-clock time of the batch, in nanoseconds.
    pub wall_ns: f64,
    /// CPU time of the process, in nanoseconds; `None` where there is no such clock.
    pub cpu_ns: Option<f64>,
    /// Collections of garbage meanwhile; `None` where the runtime has none or does not tell.
    pub collections: Option<f64>,
}

/// Writes a frame: its length as four bytes, most significant first, then its bytes.
pub(super) fn write_frame(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len())
        .map_err(|_| io::Error::other("a frame holds less than 4 GiB"))?;
    out.write_all(&length.to_be_bytes())?;
    out.write_all(bytes)
}

/// Reads a frame of at most `max` bytes. Memory grows with what arrives, not with what the length
/// claims.
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
