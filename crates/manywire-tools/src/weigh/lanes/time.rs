use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::given::Given;
use super::lane::Built;
use super::manifest::Subject;
use super::session::Session;
use crate::weigh::launch::{Batch, LaunchError, Measured, Plan, Stage, Timing, measure};
use crate::weigh::subject::Operation;

/// The step of a clock that a lane does not tell, in nanoseconds: that of every one so far, or less.
const CLOCK_RESOLUTION_NS: u64 = 100;

/// An operation of a lane's subject, and the payloads for it: what it wrote itself.
pub struct Timed<'a> {
    /// The subject.
    pub subject: &'a Subject,
    /// The operation.
    pub operation: Operation,
    /// The payloads in the subject's format.
    pub bytes: &'a [Vec<u8>],
}

/// How one launch differs from others.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// The seed of every random order.
    pub seed: u64,
    /// How long its rounds may take, in nanoseconds.
    pub budget_ns: u64,
    /// A runtime that has not settled after this long may never: it is measured as it is, and
    /// said so.
    pub warm_up_max: Duration,
}

/// One launch of a lane: a new process, every entry in it, in a new random order each round.
///
/// # Errors
///
/// A process that cannot be started, dies, hangs, or answers with something else than expected.
pub fn time(
    built: &Built,
    entries: &[Timed<'_>],
    given: &Given,
    round: &Round,
    interrupted: &AtomicBool,
) -> Result<Timing, LaunchError> {
    let bytes = entries.iter().flat_map(|entry| entry.bytes).map(Vec::len).sum();
    let mut session = Session::start(built, bytes, interrupted)?;
    session.schema(given)?.map_err(LaunchError::Garbage)?;
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
    let plan = Plan {
        seed: round.seed,
        budget_ns: round.budget_ns,
        samples,
        clock_resolution_ns: CLOCK_RESOLUTION_NS,
        warm_up,
        warm_up_max: match manifest.settles {
            true => round.warm_up_max.max(warm_up),
            false => warm_up,
        },
    };
    let mut stage = Remote { session, entries, compiled_ms: None, before: None, failure: None };
    let Measured { entries, window, steady } = measure(&mut stage, ready, &plan);
    match stage.failure {
        Some(failure) => return Err(failure),
        None => stage.session.finish()?,
    }
    let spent = stage.before.zip(stage.compiled_ms).map(|(before, after)| after - before);
    Ok(Timing {
        entries,
        window,
        preemptions: None,
        clock_resolution_ns: CLOCK_RESOLUTION_NS,
        steady,
        compiled_ms: spent,
    })
}

/// The subjects of another process.
struct Remote<'a, 'i> {
    session: Session<'i>,
    entries: &'a [Timed<'a>],
    compiled_ms: Option<f64>,
    before: Option<f64>,
    failure: Option<LaunchError>,
}

impl Stage for Remote<'_, '_> {
    fn run(&mut self, entry: usize, window: &[usize], repeats: u64) -> Result<Batch, String> {
        if let Some(failure) = &self.failure {
            return Err(failure.to_string());
        }
        let Timed { subject, operation, .. } = self.entries[entry];
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

    fn counting(&mut self) {
        self.before = self.compiled_ms;
    }
}
