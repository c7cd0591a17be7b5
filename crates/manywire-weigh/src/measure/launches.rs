use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Weighed;
use crate::launch::{Batch, Entry, LaunchError, Launcher, Task, Timing};
use crate::options::{Effort, Options};
use crate::payload::Payload;
use crate::statistics::{Interval, LOOKS, QUICK_LAUNCHES, median};
use crate::subject::{Library, Operation, Subject};

/// Told what is going on, for whoever waits; from any thread.
pub trait Progress: Send {
    /// One line that replaces the one before it.
    fn say(&mut self, line: &str);

    /// Nothing more is coming.
    fn finish(&mut self) {}
}

/// Silence.
impl Progress for () {
    fn say(&mut self, _: &str) {}
}

/// The launches of one group.
#[derive(Default)]
pub(super) struct Launches {
    /// What was timed.
    pub(super) entries: Vec<Entry>,
    /// The answers, one a launch.
    pub(super) timings: Vec<Timing>,
    /// Why measuring stopped early, if a launch failed by itself.
    pub(super) failure: Option<LaunchError>,
}

/// A launch may take this long beyond the time limit before it counts as hung.
const GRACE: Duration = Duration::from_secs(60);

/// A launch's rounds may take this share of the time limit, so that ten launches fit into it.
const LAUNCHES_IN_LIMIT: u32 = 14;

impl Launches {
    /// The entry that others are compared with: ours, in the reference format, doing the same.
    pub(super) fn reference_of(&self, entry: &Entry, options: &Options) -> Option<usize> {
        let subject = Subject { library: Library::Manywire, format: options.reference };
        self.entries
            .iter()
            .position(|other| other.subject == subject && other.operation == entry.operation)
    }

    /// The logarithm of an entry's time per operation, one median a launch.
    pub(super) fn log_times(&self, entry: usize, time: impl Fn(&Batch) -> Option<f64>) -> Vec<f64> {
        let of_launch = |timing: &Timing| {
            let batches = timing.entries[entry].as_ref().ok()?;
            let logs: Option<Vec<f64>> =
                batches.iter().map(|batch| Some((time(batch)? / batch.operations).ln())).collect();
            median(&logs?)
        };
        self.timings.iter().filter_map(of_launch).collect()
    }

    /// The logarithm of the ratio of two entries, one median over rounds a launch.
    pub(super) fn log_ratios(&self, entry: usize, reference: usize) -> Vec<f64> {
        log_ratios(&self.timings, entry, reference)
    }

    /// The widest interval of any ratio, as a half-width around 1; `None` before there is one.
    fn widest(&self, options: &Options) -> Option<f64> {
        let widths = self.entries.iter().enumerate().filter_map(|(index, entry)| {
            let reference = self.reference_of(entry, options)?;
            Some(Interval::of(&self.log_ratios(index, reference))?.half_width.exp_m1())
        });
        widths.reduce(f64::max)
    }
}

/// The logarithm of the ratio of two entries' times: for each launch the median over its rounds,
/// because what disturbs a round disturbs both.
pub(crate) fn log_ratios(timings: &[Timing], entry: usize, reference: usize) -> Vec<f64> {
    let per_operation = |batch: &Batch| batch.wall_ns / batch.operations;
    let of_launch = |timing: &Timing| {
        let (mine, theirs) =
            (timing.entries[entry].as_ref().ok()?, timing.entries[reference].as_ref().ok()?);
        let rounds = mine.iter().zip(theirs);
        let logs: Vec<f64> = rounds
            .map(|(mine, theirs)| (per_operation(mine) / per_operation(theirs)).ln())
            .collect();
        median(&logs)
    };
    timings.iter().filter_map(of_launch).collect()
}

/// Launches until the intervals are narrow enough, looking only where looking is allowed for.
pub(super) fn measure(
    weighed: &mut Weighed<'_>,
    options: &Options,
    launcher: &Launcher,
    limit: Duration,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) {
    let start = Instant::now();
    let payloads: Vec<&Payload> = weighed.group.payloads();
    let launches = &mut weighed.launches;
    launches.entries = entries(&weighed.examined, options);
    if launches.entries.is_empty() {
        return;
    }
    let budget = limit / LAUNCHES_IN_LIMIT;
    let most =
        if options.effort == Effort::Quick { QUICK_LAUNCHES } else { LOOKS[LOOKS.len() - 1] };
    let hung = limit + GRACE + hang_allowance(&payloads);
    for number in 1..=most {
        // Two launches make the first interval, so two are owed; another must fit as the ones
        // before it did.
        let done = launches.timings.len() as u32;
        let a_launch = start.elapsed() / done.max(1);
        if interrupted.load(Ordering::Relaxed) || (done >= 2 && start.elapsed() + a_launch > limit)
        {
            return;
        }
        let width =
            launches.widest(options).map(|width| format!(", intervals ±{:.1} %", width * 100.0));
        progress.say(&format!(
            "{}: launch {number}{}",
            weighed.group.label,
            width.unwrap_or_default()
        ));
        let task = Task::Time {
            entries: launches.entries.clone(),
            seed: options.seed.wrapping_add(number as u64),
            budget_ns: u64::try_from(budget.as_nanos()).unwrap_or(u64::MAX),
        };
        match launcher.launch(&payloads, options.schema.as_ref(), task, hung, interrupted) {
            Ok(timing) => launches.timings.push(timing),
            Err(LaunchError::Interrupted) => return,
            Err(failure) => {
                launches.failure = Some(failure);
                return;
            }
        }
        // With nothing but the reference there is no ratio to settle.
        let settled =
            || launches.widest(options).is_none_or(|width| width <= options.target_half_width());
        if options.effort != Effort::Quick && LOOKS.contains(&number) && settled() {
            return;
        }
    }
}

/// A second for every megabyte: what is merely large does not hang.
pub(super) fn hang_allowance(payloads: &[&Payload]) -> Duration {
    let bytes: usize = payloads.iter().map(|payload| payload.bytes.len()).sum();
    Duration::from_micros(bytes as u64)
}

fn entries(examined: &[super::Examined], options: &Options) -> Vec<Entry> {
    let ready =
        examined.iter().filter(|examined| examined.result.is_ok()).map(|examined| examined.subject);
    ready
        .flat_map(|subject| {
            let coded = (subject.library == Library::Manywire).then_some(&options.timed_codings);
            let coded = coded.into_iter().flatten();
            [Operation::Encode, Operation::Decode]
                .into_iter()
                .chain(
                    coded.flat_map(|&level| {
                        [Operation::Compress(level), Operation::Decompress(level)]
                    }),
                )
                .map(move |operation| Entry { subject, operation, inflation: 1.0 })
        })
        .collect()
}
