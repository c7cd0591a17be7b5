//! Sizes of more payloads than fit into memory.
//!
//! Inputs are read twice: once for the shape, once for the sizes. Standard input cannot be read
//! twice, so the shape is inferred from its first payloads. Later payloads that do not fit the
//! shape are left out of every row; they are counted, and the first of them are named. Chunks of
//! payloads go to one thread per core; each thread keeps one chunk, one arena and its own counts.

mod chunk;
mod sizes;

use std::fmt;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use manywire_codec::json::ValueReader;
use manywire_format::Format;
use manywire_shape::infer::Inference;
use manywire_shape::{Arena, Value};

use super::measure::Outcome;
use super::options::Options;
use super::progress::Progress;
use super::report::number;
use super::schema::SchemaText;
use crate::payload::{EmbeddedSchema, InputError, InputPosition, LIMITS, PayloadSource, Schema};
use chunk::{Chunk, ChunkPayload, Chunks, PayloadNumber};

/// The maximum number of payloads of standard input from which the shape is inferred.
const PREFIX_PAYLOADS: usize = 10_000;

/// No further chunk is read for the shape after this many bytes, which bounds memory.
const PREFIX_BYTES: usize = 16 << 20;

/// The number of bytes that an error of a chunk counts as. It has a message, a path and a part of its
/// line.
const FAULT_BYTES: usize = 1 << 10;

/// The maximum number of threads; more threads would wait for the reader.
const THREADS_MAX: usize = 8;

/// The maximum number of errors reported one by one; the rest are counted.
const ERRORS_NAMED: usize = 10;

/// Measures the sizes of every payload of these inputs.
///
/// Returns the outcome, and the errors of inputs and payloads that could not be read; the others
/// are counted. If no payload fits the schema, one of the errors says so.
///
/// # Errors
///
/// Fails if the schema cannot be read, if a content coding cannot be used, or if the inputs have no
/// payload.
pub fn sizes(
    inputs: &[PayloadSource],
    options: &Options,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) -> Result<(Outcome, Vec<InputError>), SizesError> {
    let once = inputs.iter().any(|found| !found.source.is_repeatable());
    let carried = || SchemaText::carried(&EmbeddedSchema::by(inputs));
    let schema = options.schema.clone().or_else(carried);
    let options = &Options { schema, ..options.clone() };
    let known = options.schema.as_ref().map(SchemaText::read).transpose()?;
    let mut chunks = Chunks::new(inputs, known.as_ref());
    let (schema, prefix) = match known {
        Some(schema) => (schema, Vec::new()),
        None if once => infer_from_prefix(&mut chunks),
        None => {
            let schema = infer_from_all(&mut chunks, interrupted, progress);
            chunks = Chunks::new(inputs, None);
            (schema, Vec::new())
        }
    };
    let tally = sizes::count(&schema, prefix, &mut chunks, options, interrupted, progress)?;
    progress.finish();
    let mut errors = std::mem::take(&mut chunks.errors);
    let mut report = tally.report(options);
    errors.extend(tally.into_errors());
    if report.payload_count == 0 && errors.is_empty() {
        return Err(SizesError::NoPayload);
    }
    let interrupted = interrupted.load(Ordering::Relaxed);
    if interrupted {
        let payloads = number::count(report.payload_count);
        report.mark_interrupted(format!("sizes are those of the first {payloads} payloads"));
    }
    Ok((Outcome { report, broken: false, interrupted }, errors))
}

/// The error for inputs without sizes.
#[derive(Debug)]
pub enum SizesError {
    /// The schema is invalid.
    Schema(manywire_schema::Error),
    /// A content coding cannot be used.
    Coding(manywire_codec::Error),
    /// The inputs have no payload.
    NoPayload,
}

impl fmt::Display for SizesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SizesError::Schema(error) => error.fmt(f),
            SizesError::Coding(error) => error.fmt(f),
            SizesError::NoPayload => f.write_str("there is no payload in the input"),
        }
    }
}

impl std::error::Error for SizesError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SizesError::Schema(error) => Some(error),
            SizesError::Coding(error) => Some(error),
            SizesError::NoPayload => None,
        }
    }
}

impl From<manywire_schema::Error> for SizesError {
    fn from(error: manywire_schema::Error) -> Self {
        SizesError::Schema(error)
    }
}

/// Returns the number of threads.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX)
}

/// The reusable state of a thread that reads payloads.
struct Reader {
    json: ValueReader,
}

impl Reader {
    fn new() -> Self {
        Reader { json: ValueReader::new(LIMITS) }
    }

    fn read<'a>(
        &mut self,
        format: Format,
        bytes: &'a [u8],
        arena: &'a Arena,
    ) -> manywire_codec::Result<Value<'a>> {
        match format {
            Format::Json => self.json.read(bytes, arena),
            other => manywire_codec::read_value(other, bytes, arena, LIMITS),
        }
    }
}

/// Returns an error with its position within the payload.
fn locate(
    chunk: &Chunk,
    number: PayloadNumber,
    bytes: &[u8],
    error: &manywire_codec::Error,
) -> InputError {
    let mut located = InputError::decode(&chunk.file, bytes, chunk.format, error);
    match (number, &mut located.place) {
        (PayloadNumber::Line(number), InputPosition::Text { line, .. }) => *line += number - 1,
        (PayloadNumber::Line(_), _) => {}
        (PayloadNumber::Value(number), _) => located.value = number as u64,
    }
    located
}

/// Processes every chunk, with one thread per core and a separate state for each.
fn each_chunk<S: Send>(
    chunks: &mut Chunks,
    make: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &Chunk) + Sync,
    interrupted: &AtomicBool,
    progress: &mut dyn Progress,
    what: &str,
) -> Vec<S> {
    let total = chunks.bytes_total.map(|bytes| bytes >> 20);
    let shared = Mutex::new((chunks, progress));
    let run = || {
        let (mut state, mut chunk) = (make(), Chunk::default());
        while !interrupted.load(Ordering::Relaxed) {
            // A thread that panicked leaves the lock poisoned; its panic is resumed below.
            let Ok(mut locked) = shared.lock() else { break };
            if !locked.0.next(&mut chunk) {
                break;
            }
            let megabytes = locked.0.bytes_read >> 20;
            locked.1.say(&match total.filter(|total| megabytes <= *total) {
                Some(total) => format!("{what}: {megabytes} of {total} MB"),
                None => format!("{what}: {megabytes} MB"),
            });
            drop(locked);
            work(&mut state, &chunk);
        }
        state
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads()).map(|_| scope.spawn(run)).collect();
        // Without the counts of a thread that panicked, the sums would be wrong in silence.
        let joined = workers.into_iter().map(|worker| worker.join());
        joined.map(|state| state.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// Infers the shape from every payload: the first reading. Payloads that cannot be read are skipped
/// here and reported by the second reading.
fn infer_from_all(
    chunks: &mut Chunks,
    interrupted: &AtomicBool,
    progress: &mut dyn Progress,
) -> Schema {
    struct State {
        reader: Reader,
        arena: Arena,
        inference: Inference,
    }
    let make = || State { reader: Reader::new(), arena: Arena::new(), inference: Inference::new() };
    let work = |state: &mut State, chunk: &Chunk| {
        for ChunkPayload { bytes, .. } in chunk.payloads() {
            if let Ok(value) = state.reader.read(chunk.format, bytes, &state.arena) {
                state.inference.add(&value);
            }
            state.arena.reset();
        }
    };
    let states = each_chunk(chunks, make, work, interrupted, progress, "inferring the shape");
    let mut inferences = states.into_iter().map(|state| state.inference);
    let mut whole = inferences.next().unwrap_or_default();
    inferences.for_each(|inference| whole.merge(inference));
    whole.shape().into()
}

/// Infers the shape from the first payloads. Also returns the chunks that were read to infer it,
/// which still have to be counted.
fn infer_from_prefix(chunks: &mut Chunks) -> (Schema, Vec<Chunk>) {
    let mut inference = Inference::new();
    let (mut reader, mut arena) = (Reader::new(), Arena::new());
    let mut prefix: Vec<Chunk> = Vec::new();
    let (mut payloads, mut bytes_kept) = (0, 0);
    while payloads < PREFIX_PAYLOADS && bytes_kept < PREFIX_BYTES {
        let mut chunk = Chunk::default();
        if !chunks.next(&mut chunk) {
            break;
        }
        for ChunkPayload { bytes, .. } in chunk.payloads() {
            if payloads == PREFIX_PAYLOADS {
                break;
            }
            if let Ok(value) = reader.read(chunk.format, bytes, &arena) {
                inference.add(&value);
                payloads += 1;
            }
            arena.reset();
        }
        bytes_kept += chunk.bytes.len() + chunk.faults.len() * FAULT_BYTES;
        prefix.push(chunk);
    }
    (inference.shape().into(), prefix)
}

#[cfg(test)]
mod tests {
    use manywire_format::{Form, Format};

    use super::{Chunk, Chunks, infer_from_prefix};
    use crate::payload::{PayloadSource, Source};

    #[test]
    fn progress_counts_white_space_between_values() {
        for text in ["{\"a\": 1}\n\n  {\"a\": 2}", "[1]\n]\n\n[2]", "[1]\n[2,\n3]  [4]"] {
            let source = Source::of_bytes("a.json", text.as_bytes());
            let inputs = [PayloadSource::new(source, Form::of(Format::Json))];
            let mut chunks = Chunks::new(&inputs, None);
            while chunks.next(&mut Chunk::default()) {}
            assert_eq!(chunks.bytes_read, text.len() as u64, "{text}");
        }
    }

    #[test]
    fn a_prefix_keeps_a_bounded_number_of_errors() {
        let text = ["[1]\n".to_owned(), "]\n".repeat(40_000)].concat();
        let source = Source::of_bytes("a.json", text.into_bytes());
        let inputs = [PayloadSource::new(source, Form::of(Format::Json))];
        let (_, prefix) = infer_from_prefix(&mut Chunks::new(&inputs, None));
        let faults: usize = prefix.iter().map(|chunk| chunk.faults.len()).sum();
        assert!((10_000..20_000).contains(&faults), "{faults}");
    }
}
