//! The two passes over a lane: [`examine`] round-trips each subject, [`time`] times batches.
//!
//! Both drive the lane's process through a [`Session`].

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use manywire_format::CodingLevel;
use manywire_shape::Arena;
use manywire_shape::fidelity::{self, Loss};

use super::digest::digest;
use super::doubles::read_in_doubles;
use super::findings::{Findings, SubjectError};
use super::lane::BuiltLane;
use super::lane_input::{Encoded, LaneInput, ReadDigestError, read_digest};
use super::session::{Answer, Description, Memory, Session};
use super::typed::TypesError;
use crate::weigh::launch::{
    Batch, BatchRunner, BenchOptions, BenchResult, LaunchError, Refusal, Timing, measure,
};
use crate::weigh::payload::Sample;
use crate::weigh::subject::{Operation, Subject, ValueKind};

/// The result of the first pass over a lane.
#[derive(Debug)]
pub struct LaneExamination {
    /// The runtime and its version; empty if no process described itself.
    pub runtime: String,
    /// The names of the content codings that batches of the lane may have, with any level.
    pub codings: Vec<String>,
    /// The result of each subject.
    pub subjects: Vec<LaneSubjectResult>,
}

/// The result of the first pass for one subject.
#[derive(Debug)]
pub struct LaneSubjectResult {
    /// The subject.
    pub subject: Subject,
    /// The version of the subject's library.
    pub version: String,
    /// Sizes, fidelity and memory, with the bytes that the subject wrote; or the reason why they
    /// are missing.
    pub result: Result<(Examination, Vec<Vec<u8>>), SubjectError>,
}

/// The figures of the first pass for one subject.
#[derive(Clone, Debug)]
pub struct Examination {
    /// The bytes of each payload.
    pub sizes: Vec<u64>,
    /// The bytes of each payload under each coding.
    pub coded_sizes: BTreeMap<String, Vec<u64>>,
    /// The data that did not survive the round trip.
    pub losses: Vec<Loss>,
    /// Memory of one encoding; `None` if the runtime does not count it.
    pub encode_memory: Option<Memory>,
    /// Memory of one decoding; `None` if the runtime does not count it.
    pub decode_memory: Option<Memory>,
}

/// The payloads, their schema and the options of an examination.
#[derive(Clone, Copy, Debug)]
pub struct ExaminationInput<'a> {
    /// The payloads.
    pub samples: &'a [Sample<'a>],
    /// The payloads as lanes receive them.
    pub lane_input: &'a LaneInput,
    /// The codings under which sizes are measured.
    pub codings: &'a [CodingLevel],
    /// The reason that types of the payloads are missing, if they were needed.
    pub types_error: Option<&'a TypesError>,
}

/// Examines some subjects of a lane. One process examines all of them. A process that dies or hangs
/// is replaced by a new one, so that only the subject at fault has no figures.
pub fn examine(
    built: &BuiltLane,
    wanted: impl Fn(&Subject) -> bool,
    input: &ExaminationInput<'_>,
    interrupted: &AtomicBool,
    mut say: impl FnMut(&str),
) -> LaneExamination {
    let mut description: Option<Description> = None;
    let mut session: Option<Session<'_>> = None;
    let mut all = Vec::new();
    let subjects = built.lane.subjects();
    for subject in subjects.into_iter().filter(wanted) {
        say(&format!("{}: {} by {}", built.lane.name(), subject.format, subject.library));
        let types_error = input.types_error.filter(|_| subject.target == ValueKind::Typed);
        let result = match (interrupted.load(Ordering::Relaxed), types_error) {
            (true, _) => Err(SubjectError::Launch(LaunchError::Interrupted)),
            (false, Some(TypesError::Unsupported(why))) => {
                Err(SubjectError::Unsupported(why.clone()))
            }
            (false, Some(TypesError::Failed(why))) => Err(SubjectError::Broken(why.clone())),
            (false, None) => examine_subject(built, &mut session, &subject, input, interrupted)
                .map_err(SubjectError::in_one_line),
        };
        if let Some(session) = &session {
            description.get_or_insert_with(|| session.description.clone());
        }
        if let Err(SubjectError::Launch(_)) = result {
            session = None;
        }
        let known = built.lane.known_failures().iter().find(|known| known.covers(&subject));
        let result = result.map_err(|error| error.listed(known));
        // The version is filled in below, because the lane may not have described itself yet.
        all.push(LaneSubjectResult { subject, version: String::new(), result });
    }
    if let Some(session) = session {
        // All answers have been received, so a failure to exit is ignored here. The next launch
        // reports it.
        drop(session.finish());
    }
    let Some(description) = description else {
        return LaneExamination { runtime: String::new(), codings: Vec::new(), subjects: all };
    };
    for found in &mut all {
        description.version(&found.subject).clone_into(&mut found.version);
    }
    let Description { runtime, codings, .. } = description;
    LaneExamination { runtime, codings, subjects: all }
}

fn examine_subject<'i>(
    built: &BuiltLane,
    session: &mut Option<Session<'i>>,
    subject: &Subject,
    input: &ExaminationInput<'_>,
    interrupted: &'i AtomicBool,
) -> Result<(Examination, Vec<Vec<u8>>), SubjectError> {
    let encoded = input.lane_input.format(subject.format);
    let encoded = encoded.map_err(|error| SubjectError::Unsupported(error.to_string()))?;
    let lane = match session {
        Some(session) => session,
        None => {
            let bytes = input.lane_input.bytes_max();
            let mut started = Session::start(built, bytes, interrupted)?;
            started.schema(input.lane_input)??;
            session.insert(started)
        }
    };
    lane.load(subject, &encoded.bytes)??;
    let read = digests(lane, subject, encoded)??;
    let written = lane.encode(subject)??;
    if written.len() != encoded.bytes.len() {
        let why = format!("wrote {} payloads of {}", written.len(), encoded.bytes.len());
        return Err(SubjectError::Broken(why));
    }
    // The subject now reads the bytes that it wrote, as its program would.
    let mut returned = read.clone();
    if written != encoded.bytes {
        if let Err(why) = lane.load(subject, &written)? {
            let why = format!("the library cannot read the bytes that it wrote: {why}");
            return Err(SubjectError::Broken(why));
        }
        returned = digests(lane, subject, encoded)??;
    }
    let findings = encoded.findings(&written, input.samples, input.codings)?;
    let mut rounded = Vec::new();
    if let (Some(read), Some(returned)) = (read, returned) {
        rounded = check_digests(encoded, input, &findings.losses, [&read, &returned], &written)?;
    }
    let encode_memory = lane.memory(subject, Operation::Encode)??;
    let decode_memory = lane.memory(subject, Operation::Decode)??;
    let sizes = written.iter().map(|bytes| bytes.len() as u64).collect();
    let Findings { mut losses, coded_sizes } = findings;
    fidelity::merge(&mut losses, rounded);
    let found = Examination { sizes, coded_sizes, losses, encode_memory, decode_memory };
    Ok((found, written))
}

/// Returns the digests of the values that a subject read; `None` if a value has no digest. The
/// bytes that the subject writes from such values are still compared exactly.
fn digests(
    lane: &mut Session<'_>,
    subject: &Subject,
    encoded: &Encoded,
) -> Answer<Option<Vec<String>>> {
    match encoded.digests() {
        Some(_) => Ok(lane.digests(subject)?.map(Some)),
        None => Ok(Ok(None)),
    }
}

/// Checks that the subject's digests match those of our codecs, for the bytes it received and the
/// bytes it wrote. `losses` are those that the bytes it wrote show. If there are any, its digests
/// for the bytes it received are not checked, because they may differ by these losses.
///
/// Returns the losses of integers that a runtime whose only numbers are doubles has rounded, though
/// the bytes that it wrote do not show them.
fn check_digests(
    encoded: &Encoded,
    input: &ExaminationInput<'_>,
    losses: &[Loss],
    [read, returned]: [&[String]; 2],
    written: &[Vec<u8>],
) -> Result<Vec<Loss>, SubjectError> {
    // If the payloads have no digests, the digests of the subject were not requested.
    let Some(received) = encoded.digests() else { return Ok(Vec::new()) };
    let differs = |payload: &str, other: &str| {
        let why = format!("{payload}: the decoded value differs from {other} (digests differ)");
        Err(SubjectError::Broken(why))
    };
    let mut rounded = Vec::new();
    for (index, bytes) in written.iter().enumerate() {
        let sample = &input.samples[index];
        let (first, again) = (read.get(index), returned.get(index));
        if losses.is_empty() && first != received.get(index) {
            let arena = Arena::new();
            let found = read_in_doubles(&encoded.codec, &encoded.bytes[index], &arena);
            let found = found.map_err(ReadDigestError::Codec)?;
            if first != Some(&digest(&found).map_err(ReadDigestError::Digest)?) {
                return differs(sample.name, "the input");
            }
            let value = sample.value_in(encoded.format);
            fidelity::merge(&mut rounded, fidelity::losses(&value, &found));
        }
        let expected = match *bytes == encoded.bytes[index] {
            true => received[index].clone(),
            false => read_digest(&encoded.codec, bytes)?,
        };
        if again != Some(&expected) {
            let arena = Arena::new();
            let found = read_in_doubles(&encoded.codec, bytes, &arena);
            let found = digest(&found.map_err(ReadDigestError::Codec)?);
            if again != Some(&found.map_err(ReadDigestError::Digest)?) {
                return differs(sample.name, "the encoded one");
            }
        }
    }
    Ok(rounded)
}

/// An operation of a lane's subject, with the payloads that the subject wrote itself.
pub struct TimedOperation<'a> {
    /// The subject.
    pub subject: &'a Subject,
    /// The operation.
    pub operation: Operation,
    /// The payloads in the subject's format.
    pub bytes: &'a [Vec<u8>],
    /// The number of iterations to run for each reported iteration. It is 1 except in the
    /// self-test, which injects a known slowdown.
    pub inflation: f64,
}

/// The settings of one launch.
#[derive(Clone, Copy, Debug)]
pub struct LaneLaunch {
    /// The seed of every random order.
    pub seed: u64,
    /// The time budget of the rounds.
    pub budget: Duration,
    /// The longest warm-up. A runtime that has not settled by then is measured anyway and marked.
    pub warm_up_max: Duration,
}

/// Launches a lane once: one new process that runs every entry, in a new random order each round.
///
/// # Errors
///
/// Returns an error if the process cannot be started, dies, hangs, or sends an invalid answer, or
/// if the user interrupts.
pub fn time(
    built: &BuiltLane,
    entries: &[TimedOperation<'_>],
    lane_input: &LaneInput,
    launch: &LaneLaunch,
    interrupted: &AtomicBool,
) -> Result<Timing, LaunchError> {
    let bytes = entries.iter().flat_map(|entry| entry.bytes).map(Vec::len).sum();
    let mut session = Session::start(built, bytes, interrupted)?;
    session.schema(lane_input)?.map_err(|Refusal(words)| LaunchError::InvalidAnswer(words))?;
    let samples = entries.first().map_or(0, |entry| entry.bytes.len());
    let ready = load(&mut session, entries, launch.seed)?;
    let manifest = built.lane.manifest();
    let warm_up = Duration::from_millis(manifest.warm_up_ms);
    let options = BenchOptions {
        seed: launch.seed,
        budget: launch.budget,
        samples,
        clock_resolution_ns: session.description.clock_resolution_ns,
        warm_up,
        warm_up_max: match manifest.settles {
            true => launch.warm_up_max.max(warm_up),
            false => warm_up,
        },
    };
    let mut runner = LaneRunner {
        session,
        entries,
        compiled_ms: None,
        before: None,
        preemptions: None,
        failure: None,
    };
    let BenchResult { entries, window, steady } = measure(&mut runner, ready, &options);
    match runner.failure {
        Some(failure) => return Err(failure),
        None => runner.session.finish()?,
    }
    let spent = runner.before.zip(runner.compiled_ms).map(|(before, after)| after - before);
    Ok(Timing { entries, window, preemptions: runner.preemptions, steady, compiled_ms: spent })
}

/// Loads the payloads of each entry's subject, once for all its operations, in random order, so
/// that no subject always gets the same memory.
fn load(
    session: &mut Session<'_>,
    entries: &[TimedOperation<'_>],
    seed: u64,
) -> Result<Vec<Result<(), Refusal>>, LaunchError> {
    // The index of the first entry of each entry's subject.
    let first = |entry: &TimedOperation<'_>| {
        entries.iter().position(|other| other.subject.is_same(entry.subject)).unwrap_or(0)
    };
    let firsts: Vec<usize> = entries.iter().map(first).collect();
    let mut order: Vec<usize> =
        (0..entries.len()).filter(|&index| firsts[index] == index).collect();
    fastrand::Rng::with_seed(!seed).shuffle(&mut order);
    let mut ready: Vec<Result<(), Refusal>> = vec![Ok(()); entries.len()];
    for index in order {
        ready[index] = session.load(entries[index].subject, entries[index].bytes)?;
    }
    Ok(firsts.into_iter().map(|index| ready[index].clone()).collect())
}

/// Runs batches in a lane's process.
struct LaneRunner<'a, 'i> {
    session: Session<'i>,
    entries: &'a [TimedOperation<'a>],
    compiled_ms: Option<f64>,
    before: Option<f64>,
    preemptions: Option<u64>,
    failure: Option<LaunchError>,
}

impl BatchRunner for LaneRunner<'_, '_> {
    fn run(&mut self, entry: usize, window: &[usize], repeats: u64) -> Result<Batch, Refusal> {
        if let Some(failure) = &self.failure {
            return Err(Refusal(failure.to_string()));
        }
        let TimedOperation { subject, operation, inflation, .. } = self.entries[entry];
        // The injected slowdown must be whole iterations and exact: the reported operations are
        // those that ran, divided by the inflation.
        let executed = (repeats as f64 * inflation).round().max(1.0);
        match self.session.run(subject, operation, window, executed as u64) {
            Ok(Ok(ran)) => {
                self.compiled_ms = ran.compiled_ms.or(self.compiled_ms);
                if let Some(count) = ran.preemptions {
                    *self.preemptions.get_or_insert(0) += count;
                }
                Ok(Batch {
                    operations: executed * window.len() as f64 / inflation,
                    wall_ns: ran.wall_ns,
                    cpu_ns: ran.cpu_ns,
                    collections: ran.collections,
                })
            }
            Ok(Err(refusal)) => Err(refusal),
            Err(failure) => {
                let words = failure.to_string();
                self.failure = Some(failure);
                Err(Refusal(words))
            }
        }
    }

    fn compiled_ms(&self) -> Option<f64> {
        self.compiled_ms
    }

    fn start_counting(&mut self) {
        self.before = self.compiled_ms;
        self.preemptions = self.preemptions.map(|_| 0);
    }
}
