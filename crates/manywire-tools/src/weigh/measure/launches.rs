//! The second pass: launches of one group until its intervals are narrow enough.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use manywire_format::CodingLevel;

use super::{GroupMeasurement, RowKey, SubjectResult};
use crate::weigh::contention::Contention;
use crate::weigh::lanes;
use crate::weigh::lanes::{LaneLaunch, TimedOperation};
use crate::weigh::launch::{Batch, LaunchError, Timing};
use crate::weigh::options::{Effort, Options};
use crate::weigh::progress::Progress;
use crate::weigh::report::Clock;
use crate::weigh::report::words::list;
use crate::weigh::statistics::{Interval, LOOKS, QUICK_LAUNCHES, median};
use crate::weigh::subject::Operation;

/// One operation of one row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The row.
    pub(super) key: RowKey,
    /// The operation.
    pub(super) operation: Operation,
}

/// The launches of one group.
#[derive(Default)]
pub(super) struct Launches {
    /// The timed operations.
    pub(super) entries: Vec<Entry>,
    /// The results, one per launch.
    pub(super) timings: Vec<Timing>,
    /// The failure that stopped measuring early.
    pub(super) failure: Option<LaunchError>,
}

/// The rounds of a launch may take the time limit divided by this number, so that ten launches fit.
const LAUNCHES_IN_LIMIT: u32 = 14;

impl Launches {
    /// Returns the index of an operation of a row.
    pub(super) fn index_of(&self, key: &RowKey, operation: Operation) -> Option<usize> {
        self.entries.iter().position(|entry| entry.key == *key && entry.operation == operation)
    }

    /// Returns the index of an entry's reference: the same operation in the reference format,
    /// ranked by [`RowKey::rank_as_reference`]. `None` if no entry has this operation in the
    /// reference format.
    pub(super) fn reference_of(&self, entry: &Entry, options: &Options) -> Option<usize> {
        let ranked = self.entries.iter().enumerate().filter_map(|(index, other)| {
            let rank = other.key.rank_as_reference(&entry.key, options.reference)?;
            (other.operation == entry.operation).then_some((rank, std::cmp::Reverse(index)))
        });
        Some(ranked.max()?.1.0)
    }

    /// Returns the index of each entry that has another entry as its reference, with the index of
    /// the reference.
    pub(super) fn references(&self, options: &Options) -> impl Iterator<Item = (usize, usize)> {
        let entries = self.entries.iter().enumerate();
        let pairs =
            entries.filter_map(|(index, entry)| Some((index, self.reference_of(entry, options)?)));
        pairs.filter(|(index, reference)| index != reference)
    }

    /// Returns the logarithm of an entry's time per operation, one median per launch. Launches in
    /// which the entry failed, or without this clock, are left out.
    pub(super) fn log_times(&self, entry: usize, clock: Clock) -> Vec<f64> {
        let of_launch = |timing: &Timing| {
            let batches = timing.entries[entry].as_ref().ok()?;
            let logs: Option<Vec<f64>> =
                batches.iter().map(|batch| Some(operation_ns(batch, clock)?.ln())).collect();
            median(&logs?)
        };
        self.timings.iter().filter_map(of_launch).collect()
    }

    /// Returns the logarithm of the ratio of two entries, one median per launch.
    pub(super) fn log_ratios(&self, entry: usize, reference: usize, clock: Clock) -> Vec<f64> {
        log_ratios(&self.timings, entry, reference, clock)
    }

    /// Returns the widest interval of any ratio, as a half-width around 1; `None` if there is no
    /// interval yet.
    fn widest(&self, options: &Options) -> Option<f64> {
        let widths = self.entries.iter().enumerate().filter_map(|(index, entry)| {
            let reference = self.reference_of(entry, options)?;
            Some(Interval::of(&self.log_ratios(index, reference, Clock::Wall))?.half_width.exp_m1())
        });
        widths.reduce(f64::max)
    }
}

/// Returns the logarithm of the ratio of two entries' times: for each launch the median over its
/// rounds, because a disturbance of a round affects both. Launches in which an entry failed, or
/// without this clock, are left out.
pub(crate) fn log_ratios(
    timings: &[Timing],
    entry: usize,
    reference: usize,
    clock: Clock,
) -> Vec<f64> {
    let of_launch = |timing: &Timing| {
        let (mine, theirs) =
            (timing.entries[entry].as_ref().ok()?, timing.entries[reference].as_ref().ok()?);
        let rounds = mine.iter().zip(theirs);
        let log = |(mine, theirs): (&Batch, &Batch)| {
            Some((operation_ns(mine, clock)? / operation_ns(theirs, clock)?).ln())
        };
        let logs: Option<Vec<f64>> = rounds.map(log).collect();
        median(&logs?)
    };
    timings.iter().filter_map(of_launch).collect()
}

/// Returns the time of an operation of a batch, in nanoseconds; `None` if the runtime has no such clock.
fn operation_ns(batch: &Batch, clock: Clock) -> Option<f64> {
    let whole = match clock {
        Clock::Wall => Some(batch.wall_ns),
        Clock::Cpu => batch.cpu_ns,
    };
    whole.map(|ns| ns / batch.operations)
}

/// Runs launches until the intervals are narrow enough, the maximum number of launches is reached,
/// a third or later launch would not fit `limit`, a launch fails, or `interrupted` is true. Widths
/// are checked only after the numbers of launches in [`LOOKS`], and not for [`Effort::Quick`].
pub(super) fn measure(
    measurement: &mut GroupMeasurement<'_>,
    options: &Options,
    limit: Duration,
    contention: &mut Contention,
    progress: &mut dyn Progress,
    interrupted: &AtomicBool,
) {
    let start = Instant::now();
    let target = measurement.delta(options) / 2.0;
    let launches = &mut measurement.launches;
    launches.entries = entries(&measurement.examined, &measurement.codings, options);
    if launches.entries.is_empty() {
        return;
    }
    let budget = limit / LAUNCHES_IN_LIMIT;
    let most =
        if options.effort == Effort::Quick { QUICK_LAUNCHES } else { LOOKS[LOOKS.len() - 1] };
    for number in 1..=most {
        // Two launches always run, because an interval needs two. A further one runs only if it
        // fits the limit, judged by the mean of the earlier ones.
        let done = launches.timings.len() as u32;
        let a_launch = start.elapsed() / done.max(1);
        if interrupted.load(Ordering::Relaxed) || (done >= 2 && start.elapsed() + a_launch > limit)
        {
            return;
        }
        let width =
            launches.widest(options).map(|width| format!(", intervals ±{:.1} %", width * 100.0));
        progress.say(&format!(
            "{}: {} launch {number}{}",
            measurement.group.name,
            launches.entries[0].key.lane,
            width.unwrap_or_default()
        ));
        let seed = options.seed.wrapping_add(number as u64);
        let entries: Vec<TimedOperation<'_>> = launches
            .entries
            .iter()
            .filter_map(|entry| timed_operation(entry, &measurement.examined))
            .collect();
        let launch = LaneLaunch { seed, budget, warm_up_max: warm_up_max(options) };
        let lane = &measurement.lane.built;
        contention.sample();
        let timing = lanes::time(lane, &entries, measurement.lane_input, &launch, interrupted);
        match timing {
            Ok(timing) => {
                let batches = timing.entries.iter().flatten().flatten();
                let clocks = batches.filter_map(|batch| Some((batch.wall_ns, batch.cpu_ns?)));
                clocks.for_each(|(wall_ns, cpu_ns)| contention.add(wall_ns, cpu_ns));
                launches.timings.push(timing);
            }
            Err(LaunchError::Interrupted) => return,
            Err(failure) => {
                launches.failure = Some(failure);
                return;
            }
        }
        // If no entry has a reference, there is no ratio to settle.
        let settled = || launches.widest(options).is_none_or(|width| width <= target);
        if options.effort != Effort::Quick && LOOKS.contains(&number) && settled() {
            return;
        }
    }
}

/// Returns the longest warm-up of a runtime. Its compiler needs seconds; `--quick` allows fewer.
fn warm_up_max(options: &Options) -> Duration {
    match options.effort {
        Effort::Quick => Duration::from_secs(2),
        Effort::Normal | Effort::Precise => Duration::from_secs(5),
    }
}

/// Returns the operations to time. Compression is timed for the reference library of a lane, in the
/// content codings that the lane describes.
fn entries(examined: &[SubjectResult], codings: &[String], options: &Options) -> Vec<Entry> {
    let is_described =
        |level: &&CodingLevel| codings.iter().any(|coding| coding == level.coding().name());
    let levels: Vec<&CodingLevel> = options.timed_codings.iter().filter(is_described).collect();
    let mut entries = Vec::new();
    for SubjectResult { key, .. } in examined.iter().filter(|examined| examined.result.is_ok()) {
        let mut operations = vec![Operation::Encode, Operation::Decode];
        if key.subject.reference {
            for &&level in &levels {
                operations.extend([Operation::Compress(level), Operation::Decompress(level)]);
            }
        }
        let of_row = operations.into_iter().map(|operation| Entry { key: key.clone(), operation });
        entries.extend(of_row);
    }
    entries
}

/// Returns a sentence for each coding that was requested but is not timed in some lanes. Takes the
/// title of each lane and the content codings that it describes.
pub(super) fn untimed_notes(timed: &[CodingLevel], lanes: &[(&str, &[String])]) -> Vec<String> {
    let note = |level: &CodingLevel| {
        let coding = level.coding().name();
        let without =
            lanes.iter().filter(|(_, codings)| !codings.iter().any(|name| name == coding));
        let titles: Vec<&str> = without.map(|(title, _)| *title).collect();
        (!titles.is_empty()).then(|| {
            format!("no times with {level} in {}: the lane has no {coding}", list(&titles))
        })
    };
    timed.iter().filter_map(note).collect()
}

/// Returns the operation as the lane runs it.
fn timed_operation<'a>(entry: &Entry, examined: &'a [SubjectResult]) -> Option<TimedOperation<'a>> {
    let examined = examined.iter().find(|examined| examined.key == entry.key)?;
    let SubjectResult { key, written, .. } = examined;
    let operation = entry.operation;
    Some(TimedOperation { subject: &key.subject, operation, bytes: written, inflation: 1.0 })
}

#[cfg(test)]
mod tests {
    use super::{Batch, Clock, CodingLevel, Timing, log_ratios, untimed_notes};

    fn timing(entries: Vec<Vec<(f64, Option<f64>)>>) -> Timing {
        let batch =
            |(wall_ns, cpu_ns)| Batch { operations: 1.0, wall_ns, cpu_ns, collections: None };
        let batches = |all: Vec<_>| Ok(all.into_iter().map(batch).collect());
        Timing {
            entries: entries.into_iter().map(batches).collect(),
            window: 1,
            preemptions: None,
            steady: true,
            compiled_ms: None,
        }
    }

    #[test]
    fn ratios_of_cpu_time_leave_waiting_out() {
        let waited = timing(vec![
            vec![(100.0, Some(100.0)), (100.0, Some(100.0))],
            vec![(900.0, Some(200.0)), (700.0, Some(200.0))],
        ]);
        let ratio = |timing: &Timing, clock| log_ratios(std::slice::from_ref(timing), 1, 0, clock);
        assert!((ratio(&waited, Clock::Cpu)[0].exp() - 2.0).abs() < 1e-9);
        assert!((ratio(&waited, Clock::Wall)[0].exp() - 63.0_f64.sqrt()).abs() < 1e-9);
        let without_clock = timing(vec![vec![(100.0, None)], vec![(200.0, None)]]);
        assert!(ratio(&without_clock, Clock::Cpu).is_empty());
    }

    #[test]
    fn lanes_that_do_not_time_a_coding_are_named() {
        let timed: [CodingLevel; 2] =
            ["gzip:6", "br:4"].map(|level| level.parse().expect("a level"));
        let (both, gzip) = (["br", "gzip"].map(str::to_owned), ["gzip".to_owned()]);
        let lanes: [(&str, &[String]); 3] = [("Rust", &both), ("Go", &gzip), ("Java", &[])];
        assert_eq!(
            untimed_notes(&timed, &lanes),
            [
                "no times with gzip:6 in Java: the lane has no gzip",
                "no times with br:4 in Go and Java: the lane has no br",
            ]
        );
        assert!(untimed_notes(&timed, &lanes[..1]).is_empty());
    }
}
