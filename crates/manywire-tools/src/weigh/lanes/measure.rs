//! The two passes over a lane: [`examine`] round-trips each subject, [`time`] times batches.
//!
//! Both drive the lane's process through a [`Session`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use manywire_format::{CodingLevel, Format};
use manywire_shape::fidelity::Loss;
use manywire_shape::{Arena, fidelity};

use super::lane::BuiltLane;
use super::lane_input::{LaneInput, read_digest};
use super::manifest::Subject;
use super::session::{Answer, Session};
use super::typed::TypesError;
use crate::weigh::launch::{
    Batch, BatchRunner, BenchOptions, BenchResult, Examination, LaunchError, Memory, SchemaText,
    Timing, measure, sizes_under,
};
use crate::weigh::payload::{Corpus, LIMITS, Payload};
use crate::weigh::schema::Schema;
use crate::weigh::subject::{Operation, ValueKind};

/// The result of the first pass for a lane's subject.
#[derive(Debug)]
pub struct LaneSubjectResult {
    /// The subject.
    pub subject: Subject,
    /// The version of its library.
    pub version: String,
    /// Sizes, fidelity and memory, with the bytes that the subject wrote; or the reason why they
    /// are missing.
    pub result: Result<(Examination, Vec<Vec<u8>>), String>,
    /// True if the subject is at fault, rather than unable to hold the payloads.
    pub broken: bool,
}

/// The payloads, their schema and the options of an examination.
#[derive(Clone, Copy, Debug)]
pub struct ExaminationInput<'a> {
    /// The payloads.
    pub payloads: &'a [Payload],
    /// The schema, if one was given.
    pub schema: Option<&'a SchemaText>,
    /// The payloads as lanes receive them.
    pub lane_input: &'a LaneInput,
    /// Codings to take sizes under.
    pub codings: &'a [CodingLevel],
    /// The reason that types of the payloads are missing, if they were needed.
    pub types_error: Option<&'a TypesError>,
}

/// Examines some subjects of a lane and returns the name of its runtime with the results. A process
/// that dies is restarted, so that no other subject suffers.
pub fn examine(
    built: &BuiltLane,
    wanted: impl Fn(&Subject) -> bool,
    input: &ExaminationInput<'_>,
    interrupted: &AtomicBool,
    mut say: impl FnMut(&str),
) -> (String, Vec<LaneSubjectResult>) {
    let mut runtime = String::new();
    let mut session: Option<Session<'_>> = None;
    let mut all = Vec::new();
    let subjects = built.lane.subjects();
    for subject in subjects.into_iter().filter(wanted) {
        say(&format!("{}: {} by {}", built.lane.name(), subject.format, subject.library));
        let types_error = input.types_error.filter(|_| subject.target == ValueKind::Typed);
        let answer = match (interrupted.load(Ordering::Relaxed), types_error) {
            (true, _) => Err(LaunchError::Interrupted),
            (false, Some(TypesError::Unsupported(why))) => {
                Ok(Err(ExaminationFailure::Unsupported(why.clone())))
            }
            (false, Some(TypesError::Failed(why))) => {
                Ok(Err(ExaminationFailure::Broken(why.clone())))
            }
            (false, None) => examine_subject(built, &mut session, &subject, input, interrupted),
        };
        let version = session.as_ref().map(|session| session.version(&subject)).unwrap_or_default();
        if let Some(session) = &session {
            runtime.clone_from(&session.description.runtime);
        }
        let known = built.lane.known_failures().iter().find(|known| known.covers(&subject));
        let (result, broken) = match answer {
            Ok(Ok(found)) => (Ok(found), false),
            Ok(Err(ExaminationFailure::Unsupported(why))) => (Err(why), false),
            Ok(Err(ExaminationFailure::Broken(why))) => (Err(why), known.is_none()),
            Err(error) => {
                session = None;
                let interrupted = error == LaunchError::Interrupted;
                (Err(error.to_string()), known.is_none() && !interrupted)
            }
        };
        let result = match known {
            Some(known) => result.map_err(|why| format!("{} ({why})", known.reason)),
            None => result,
        };
        all.push(LaneSubjectResult { subject, version, result, broken });
    }
    if let Some(session) = session {
        // Every answer is in. The next launch reports a lane that cannot exit.
        drop(session.finish());
    }
    (runtime, all)
}

/// The reason that a subject has no figures.
enum ExaminationFailure {
    /// The format or the library cannot hold the payloads.
    Unsupported(String),
    /// The library lost data without an entry in `failing.txt`.
    Broken(String),
}

type ExaminationResult = Result<(Examination, Vec<Vec<u8>>), ExaminationFailure>;

/// Returns early with a lane's refusal; an outer error returns from the caller.
macro_rules! try_reply {
    ($answer:expr) => {
        match $answer? {
            Ok(answer) => answer,
            Err(refusal) => return Ok(Err(ExaminationFailure::Unsupported(refusal))),
        }
    };
}

fn examine_subject<'i>(
    built: &BuiltLane,
    session: &mut Option<Session<'i>>,
    subject: &Subject,
    input: &ExaminationInput<'_>,
    interrupted: &'i AtomicBool,
) -> Result<ExaminationResult, LaunchError> {
    let encoded = match input.lane_input.format(subject.format) {
        Ok(encoded) => encoded,
        Err(why) => return Ok(Err(ExaminationFailure::Unsupported(why))),
    };
    let lane = match session {
        Some(session) => session,
        None => {
            let bytes = input.payloads.iter().map(|payload| payload.bytes.len()).sum();
            let mut started = Session::start(built, bytes, interrupted)?;
            try_reply!(started.schema(input.lane_input));
            session.insert(started)
        }
    };
    try_reply!(lane.load(subject, &encoded.bytes));
    let read = try_reply!(lane.digests(subject));
    let written = try_reply!(lane.encode(subject));
    if written.len() != encoded.bytes.len() {
        let why = format!("wrote {} payloads of {}", written.len(), encoded.bytes.len());
        return Ok(Err(ExaminationFailure::Broken(why)));
    }
    // From here on the subject reads what it wrote, as its program would.
    match lane.load(subject, &written)? {
        Ok(()) => {}
        Err(why) => {
            return Ok(Err(ExaminationFailure::Broken(format!(
                "cannot read what it wrote: {why}"
            ))));
        }
    }
    let returned = try_reply!(lane.digests(subject));
    let losses = match losses(subject.format, input, &written) {
        Ok(losses) => losses,
        Err(why) => return Ok(Err(ExaminationFailure::Broken(why))),
    };
    if let Err(why) = check_digests(subject.format, input, &losses, [&read, &returned], &written) {
        return Ok(Err(ExaminationFailure::Broken(why)));
    }
    let encode_memory = try_reply!(memory(lane, subject, Operation::Encode));
    let decode_memory = try_reply!(memory(lane, subject, Operation::Decode));
    let views: Vec<&[u8]> = written.iter().map(Vec::as_slice).collect();
    let mut coded_sizes = std::collections::BTreeMap::new();
    for &level in input.codings {
        match sizes_under(level, &views) {
            Ok(sizes) => coded_sizes.insert(level.to_string(), sizes),
            Err(why) => return Ok(Err(ExaminationFailure::Unsupported(why))),
        };
    }
    let sizes = written.iter().map(|bytes| bytes.len() as u64).collect();
    let found = Examination { sizes, coded_sizes, losses, encode_memory, decode_memory };
    Ok(Ok((found, written)))
}

fn memory(
    lane: &mut Session<'_>,
    subject: &Subject,
    operation: Operation,
) -> Answer<Option<Memory>> {
    lane.memory(subject, operation)
}

/// Returns the losses in the bytes that a subject wrote, as our own codec reads them.
fn losses(
    format: Format,
    input: &ExaminationInput<'_>,
    written: &[Vec<u8>],
) -> Result<Vec<Loss>, String> {
    let arena = Arena::new();
    let (corpus, _) = Corpus::load(input.payloads, &arena);
    let schema = Schema::of(input.schema, &corpus)?;
    let codec = schema.codec(format)?;
    let mut all = Vec::new();
    for (sample, bytes) in corpus.samples.iter().zip(written) {
        fidelity::merge(&mut all, sample.losses.clone());
        let arena = Arena::new();
        let returned = codec
            .decode_with(bytes, &arena, LIMITS)
            .map_err(|error| format!("{}: it wrote invalid {format}: {error}", sample.name))?;
        fidelity::merge(&mut all, fidelity::losses(&sample.value, &returned));
    }
    Ok(all)
}

/// Checks that the subject's digests match those of our codecs, for the bytes it received and the
/// bytes it wrote. If its bytes show a loss, its first reading may differ by that loss.
fn check_digests(
    format: Format,
    input: &ExaminationInput<'_>,
    losses: &[Loss],
    [read, returned]: [&[String]; 2],
    written: &[Vec<u8>],
) -> Result<(), String> {
    let encoded = input.lane_input.format(format)?;
    let arena = Arena::new();
    let (corpus, _) = Corpus::load(input.payloads, &arena);
    let schema = Schema::of(input.schema, &corpus)?;
    for (index, bytes) in written.iter().enumerate() {
        let name = &input.payloads[index].name;
        if losses.is_empty() && read.get(index) != encoded.digests.get(index) {
            return Err(format!(
                "{name}: the decoded value differs from the input (digests differ)"
            ));
        }
        let expected = read_digest(format, &schema, bytes)?;
        if returned.get(index) != Some(&expected) {
            return Err(format!(
                "{name}: the decoded value differs from the encoded one (digests differ)"
            ));
        }
    }
    Ok(())
}

/// The assumed resolution of a lane's clock, in nanoseconds. The clocks of all present lanes have
/// at least this resolution.
const CLOCK_RESOLUTION_NS: u64 = 100;

/// An operation of a lane's subject, with the payloads that the subject wrote itself.
pub struct TimedOperation<'a> {
    /// The subject.
    pub subject: &'a Subject,
    /// The operation.
    pub operation: Operation,
    /// The payloads in the subject's format.
    pub bytes: &'a [Vec<u8>],
}

/// The settings of one launch.
#[derive(Clone, Copy, Debug)]
pub struct LaneLaunch {
    /// The seed of every random order.
    pub seed: u64,
    /// The time budget of its rounds, in nanoseconds.
    pub budget_ns: u64,
    /// The longest warm-up. A runtime that has not settled by then is measured anyway and marked.
    pub warm_up_max: Duration,
}

/// Launches a lane once: one new process that runs every entry, in a new random order each round.
///
/// # Errors
///
/// Returns an error if the process cannot be started, dies, hangs, or sends an invalid answer.
pub fn time(
    built: &BuiltLane,
    entries: &[TimedOperation<'_>],
    lane_input: &LaneInput,
    launch: &LaneLaunch,
    interrupted: &AtomicBool,
) -> Result<Timing, LaunchError> {
    let bytes = entries.iter().flat_map(|entry| entry.bytes).map(Vec::len).sum();
    let mut session = Session::start(built, bytes, interrupted)?;
    session.schema(lane_input)?.map_err(LaunchError::Garbage)?;
    let samples = entries.first().map_or(0, |entry| entry.bytes.len());
    let mut ready: Vec<Result<(), String>> = vec![Ok(()); entries.len()];
    for index in 0..entries.len() {
        // Both operations of a subject share what is loaded.
        let twin =
            entries[..index].iter().position(|other| other.subject.is_same(entries[index].subject));
        ready[index] = match twin {
            Some(twin) => ready[twin].clone(),
            None => session.load(entries[index].subject, entries[index].bytes)?,
        };
    }
    let manifest = built.lane.manifest();
    let warm_up = Duration::from_millis(manifest.warm_up_ms);
    let options = BenchOptions {
        seed: launch.seed,
        budget_ns: launch.budget_ns,
        samples,
        clock_resolution_ns: CLOCK_RESOLUTION_NS,
        warm_up,
        warm_up_max: match manifest.settles {
            true => launch.warm_up_max.max(warm_up),
            false => warm_up,
        },
    };
    let mut runner =
        LaneRunner { session, entries, compiled_ms: None, before: None, failure: None };
    let BenchResult { entries, window, steady } = measure(&mut runner, ready, &options);
    match runner.failure {
        Some(failure) => return Err(failure),
        None => runner.session.finish()?,
    }
    let spent = runner.before.zip(runner.compiled_ms).map(|(before, after)| after - before);
    Ok(Timing {
        entries,
        window,
        preemptions: None,
        clock_resolution_ns: CLOCK_RESOLUTION_NS,
        steady,
        compiled_ms: spent,
    })
}

/// Runs batches in a lane's process.
struct LaneRunner<'a, 'i> {
    session: Session<'i>,
    entries: &'a [TimedOperation<'a>],
    compiled_ms: Option<f64>,
    before: Option<f64>,
    failure: Option<LaunchError>,
}

impl BatchRunner for LaneRunner<'_, '_> {
    fn run(&mut self, entry: usize, window: &[usize], repeats: u64) -> Result<Batch, String> {
        if let Some(failure) = &self.failure {
            return Err(failure.to_string());
        }
        let TimedOperation { subject, operation, .. } = self.entries[entry];
        match self.session.run(subject, operation, window, repeats) {
            Ok(Ok(ran)) => {
                self.compiled_ms = ran.compiled_ms.or(self.compiled_ms);
                Ok(Batch {
                    operations: repeats as f64 * window.len() as f64,
                    wall_ns: ran.wall_ns,
                    cpu_ns: ran.cpu_ns,
                    collections: ran.collections,
                })
            }
            Ok(Err(refusal)) => Err(refusal),
            Err(failure) => {
                let words = failure.to_string();
                self.failure = Some(failure);
                Err(words)
            }
        }
    }

    fn compiled_ms(&self) -> Option<f64> {
        self.compiled_ms
    }

    fn start_counting(&mut self) {
        self.before = self.compiled_ms;
    }
}
