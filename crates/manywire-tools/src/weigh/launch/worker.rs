//! The worker: reads one job, examines or times subjects in its own process, and writes one answer.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use manywire_codec::coding::Encoder;
use manywire_format::{CodingLevel, Format};
use manywire_meter::{cpu_ns, tally};
use manywire_shape::fidelity::Loss;
use manywire_shape::{Arena, fidelity};

use super::bench::{BatchRunner, BenchOptions, BenchResult};
use super::job::{Batch, Entry, Examination, Job, Memory, Task, Timing};
use super::{bench, job};
use crate::weigh::payload::{Corpus, LIMITS, Payload};
use crate::weigh::schema::Schema;
use crate::weigh::subject::{Operation, Runner, Subject};

/// Does one job. The hidden subcommand of the command calls this.
///
/// # Errors
///
/// Returns a message for standard error if the job cannot be read or the answer cannot be written.
pub fn work(input: &mut impl Read, output: &mut impl Write) -> Result<(), String> {
    let job: Job = serde_json::from_slice(&receive(input)?)
        .map_err(|error| format!("malformed job: {error}"))?;
    let mut payloads = Vec::with_capacity(job.payloads.len());
    for header in &job.payloads {
        let format: Format =
            header.format.parse().map_err(|error| format!("malformed job: {error}"))?;
        payloads.push(Payload::new(&header.name, format, receive(input)?));
    }
    let arena = Arena::new();
    let (corpus, errors) = Corpus::load(&payloads, &arena);
    if let Some(error) = errors.first() {
        return Err(error.to_string());
    }
    let schema = Schema::of(job.schema.as_ref(), &corpus)?;
    let answer = match job.task {
        Task::Examine { subject, codings } => {
            serde_json::to_vec(&examine(subject, &codings, &corpus, &schema))
        }
        Task::Time { entries, seed, budget_ns } => {
            serde_json::to_vec(&time(&entries, seed, budget_ns, &corpus, &schema))
        }
    };
    let answer = answer.map_err(|error| format!("the answer cannot be written: {error}"))?;
    job::write_frame(output, &answer)
        .and_then(|()| output.flush())
        .map_err(|error| format!("cannot answer: {error}"))
}

fn receive(input: &mut impl Read) -> Result<Vec<u8>, String> {
    job::read_frame(input, u32::MAX).map_err(|error| format!("cannot read the job: {error}"))
}

/// Round-trips every payload, then takes sizes and memory.
pub(super) fn examine(
    subject: Subject,
    codings: &[String],
    corpus: &Corpus<'_>,
    schema: &Schema,
) -> Result<Examination, String> {
    let mut runner = subject.prepare(corpus, schema)?;
    let encoded: Vec<&[u8]> = runner.encoded();
    let losses = round_trip(subject, &encoded, corpus, schema)?;
    let sizes = encoded.iter().map(|bytes| bytes.len() as u64).collect();
    let mut coded_sizes = BTreeMap::new();
    for name in codings {
        let level: CodingLevel = name.parse().map_err(|error| format!("malformed job: {error}"))?;
        coded_sizes.insert(name.clone(), sizes_under(level, &encoded)?);
    }
    let samples = corpus.samples.len();
    Ok(Examination {
        sizes,
        coded_sizes,
        losses,
        encode_memory: memory_of(&mut *runner, Operation::Encode, samples)?,
        decode_memory: memory_of(&mut *runner, Operation::Decode, samples)?,
    })
}

/// Returns the losses of reading the payloads and of the round trip.
///
/// Our codec reads the bytes of every library. A library that rounds a number on its way into its
/// own tree therefore shows the loss in its bytes.
fn round_trip(
    subject: Subject,
    encoded: &[&[u8]],
    corpus: &Corpus<'_>,
    schema: &Schema,
) -> Result<Vec<Loss>, String> {
    let codec = schema.codec(subject.format)?;
    let mut all = Vec::new();
    for (sample, bytes) in corpus.samples.iter().zip(encoded) {
        fidelity::merge(&mut all, sample.losses.clone());
        let arena = Arena::new();
        let returned =
            codec.decode_with(bytes, &arena, LIMITS).map_err(|error| match encoded.len() {
                1 => error.to_string(),
                _ => format!("{}: {error}", sample.name),
            })?;
        fidelity::merge(&mut all, fidelity::losses(&sample.value, &returned));
    }
    Ok(all)
}

/// Returns the compressed sizes of some bytes.
pub(crate) fn sizes_under(level: CodingLevel, encoded: &[&[u8]]) -> Result<Vec<u64>, String> {
    let mut encoder = Encoder::new(level).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    let size = |bytes: &&[u8]| {
        out.clear();
        encoder
            .encode(bytes, &mut out)
            .map(|()| out.len() as u64)
            .map_err(|error| error.to_string())
    };
    encoded.iter().map(size).collect()
}

/// Returns the memory of one operation per payload, as a mean. Each operation runs once beforehand,
/// so that one-time setup does not count.
fn memory_of(
    runner: &mut dyn Runner,
    operation: Operation,
    samples: usize,
) -> Result<Option<Memory>, String> {
    let (mut allocs, mut alloc_bytes, mut peak_bytes) = (0.0, 0.0, 0.0);
    for sample in 0..samples {
        runner.run(operation, &[sample], 1)?;
        let (result, tally) = tally(|| runner.run(operation, &[sample], 1));
        result?;
        let Some(tally) = tally else { return Ok(None) };
        allocs += tally.allocs as f64;
        alloc_bytes += tally.bytes as f64;
        peak_bytes += tally.peak as f64;
    }
    let mean = |sum: f64| Some(sum / samples as f64);
    Ok(Some(Memory {
        allocs: mean(allocs),
        alloc_bytes: mean(alloc_bytes),
        peak_bytes: mean(peak_bytes),
    }))
}

/// Machine code needs no compiler to settle, but caches, page tables and the clock speed do.
const WARM_UP: Duration = Duration::from_millis(50);

/// Times every entry in this process.
pub(super) fn time(
    entries: &[Entry],
    seed: u64,
    budget_ns: u64,
    corpus: &Corpus<'_>,
    schema: &Schema,
) -> Timing {
    let clock_resolution_ns = resolution_ns();
    let options = BenchOptions {
        seed,
        budget_ns,
        samples: corpus.samples.len(),
        clock_resolution_ns,
        warm_up: WARM_UP,
        warm_up_max: WARM_UP,
    };
    let mut runner = LocalRunner::prepare(entries, corpus, schema, seed);
    let ready = runner.ready();
    let before = preemptions();
    let BenchResult { entries, window, steady } = bench::measure(&mut runner, ready, &options);
    let preemptions = before.zip(preemptions()).map(|(before, after)| after.saturating_sub(before));
    Timing { window, entries, preemptions, clock_resolution_ns, steady, compiled_ms: None }
}

/// A prepared subject, or the reason that it cannot be prepared.
type Prepared<'a> = Result<Box<dyn Runner + 'a>, String>;

/// Runs batches in this process.
struct LocalRunner<'a> {
    entries: &'a [Entry],
    runners: Vec<(Subject, Prepared<'a>)>,
}

impl<'a> LocalRunner<'a> {
    /// Prepares every subject once, in random order, so that no subject always gets the same
    /// memory.
    fn prepare(entries: &'a [Entry], corpus: &Corpus<'a>, schema: &Schema, seed: u64) -> Self {
        let mut subjects: Vec<Subject> = Vec::new();
        for entry in entries {
            if !subjects.contains(&entry.subject) {
                subjects.push(entry.subject);
            }
        }
        fastrand::Rng::with_seed(!seed).shuffle(&mut subjects);
        let prepare = |subject: Subject| (subject, subject.prepare(corpus, schema));
        LocalRunner { entries, runners: subjects.into_iter().map(prepare).collect() }
    }

    fn runner(&mut self, entry: usize) -> Result<&mut Box<dyn Runner + 'a>, String> {
        let subject = self.entries[entry].subject;
        let found = self.runners.iter_mut().find(|runner| runner.0 == subject);
        let (_, runner) = found.ok_or_else(|| "the subject was not prepared".to_owned())?;
        runner.as_mut().map_err(|failure| failure.clone())
    }

    fn ready(&mut self) -> Vec<Result<(), String>> {
        (0..self.entries.len()).map(|entry| self.runner(entry).map(drop)).collect()
    }
}

impl BatchRunner for LocalRunner<'_> {
    fn run(&mut self, entry: usize, window: &[usize], repeats: u64) -> Result<Batch, String> {
        let of = self.entries[entry];
        run_batch(&of, &mut **self.runner(entry)?, window, repeats)
    }
}

/// Runs one batch over a window of samples.
pub(super) fn run_batch(
    entry: &Entry,
    runner: &mut dyn Runner,
    window: &[usize],
    repeats: u64,
) -> Result<Batch, String> {
    // The injected slowdown must be whole iterations and exact: the reported operations are those
    // that ran, divided by the inflation.
    let executed = (repeats as f64 * entry.inflation).round().max(1.0);
    let start = Stopwatch::start();
    runner.run(entry.operation, window, executed as u64)?;
    let (wall_ns, cpu_ns) = start.elapsed();
    Ok(Batch {
        operations: executed * window.len() as f64 / entry.inflation,
        wall_ns,
        cpu_ns,
        collections: None,
    })
}

/// Wall-clock and CPU time at one moment.
pub(super) struct Stopwatch {
    wall: Instant,
    cpu_ns: Option<u64>,
}

impl Stopwatch {
    /// Starts now. The CPU clock is read outside the span of the wall clock, because it takes a
    /// system call.
    #[inline]
    pub(super) fn start() -> Stopwatch {
        let cpu_ns = cpu_ns();
        Stopwatch { wall: Instant::now(), cpu_ns }
    }

    /// Returns the wall-clock and CPU nanoseconds since the start.
    #[inline]
    pub(super) fn elapsed(&self) -> (f64, Option<f64>) {
        let wall = self.wall.elapsed().as_nanos() as f64;
        let cpu = self.cpu_ns.zip(cpu_ns()).map(|(start, end)| end.saturating_sub(start) as f64);
        (wall, cpu)
    }
}

/// Returns the smallest observed step of the wall clock, in nanoseconds.
pub(super) fn resolution_ns() -> u64 {
    let smallest = (0..100).filter_map(|_| {
        let start = Instant::now();
        // A coarse clock may stand still for many reads.
        (0..1_000_000).map(|_| start.elapsed().as_nanos()).find(|&elapsed| elapsed > 0)
    });
    smallest.min().and_then(|ns| u64::try_from(ns).ok()).unwrap_or(1_000_000)
}

/// Returns the number of involuntary context switches of this process, if the system reports it.
pub(super) fn preemptions() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"))?;
    line.trim().parse().ok()
}
