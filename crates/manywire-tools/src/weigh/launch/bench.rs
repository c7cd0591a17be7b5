//! Times batches: calibration, warm-up, and rounds in random order.
//!
//! The process of a lane runs the batches, through [`BatchRunner`].

use std::time::{Duration, Instant};

use super::process::Refusal;
use super::timing::Batch;

/// The length of a batch. Reading the clock takes about a thousandth of it.
const BATCH_NS: f64 = 500_000.0;

/// A batch lasts at least this many steps of the clock.
const BATCH_CLOCK_STEPS: f64 = 1_000.0;

/// A batch holds at least this many garbage collections, if the runtime has a collector.
/// Collections come every few milliseconds. If most batches ended before the next one, their median
/// would leave out its cost.
const BATCH_COLLECTIONS: f64 = 2.0;

/// No batch is made longer than this to hold collections. If no collection has come by then,
/// collections are rare enough to cost little.
const BATCH_COLLECTED_NS: f64 = 16_000_000.0;

/// If the runtime has a collector, an uncounted run of this share of a batch comes before each
/// batch that counts. The run restores the heap that the entry itself produces: after another
/// entry, spans of different sizes have to be freed and split again, and garbage of that entry is
/// swept. In Go this costs 5 % of a batch of decoding with goccy/go-json after other entries. Real
/// programs, and other harnesses, do not change their work every few milliseconds.
const LEAD_IN: f64 = 0.5;

/// The number of repeats at which calibration stops doubling. An operation that needs more repeats
/// takes too little time to be measured.
const REPEATS_MAX: u64 = 1 << 30;

/// The maximum time of a pass over all samples, in nanoseconds. If a pass takes longer, each batch
/// has only a window of the samples.
const WINDOW_NS: f64 = 2_000_000.0;

/// The maximum number of rounds. After about thirty, more launches add more information than more
/// rounds.
const ROUNDS: u64 = 30;

/// The minimum number of rounds for a median.
const ROUNDS_MIN: u64 = 3;

/// The number of rounds in a window of the warm-up. Medians of windows are compared to see whether
/// a runtime has settled.
const WINDOW_ROUNDS: usize = 20;

/// The number of windows that must agree.
const STEADY_WINDOWS: usize = 3;

/// The maximum difference between windows that agree, as a mean over entries on the logarithmic
/// scale.
const STEADY_WITHIN: f64 = 0.02;

/// Runs batches, in a process behind a pipe.
pub(crate) trait BatchRunner {
    /// Runs an entry over a window of samples, `repeats` times over.
    ///
    /// # Errors
    ///
    /// Returns the reason that the entry cannot be run. The entry is not run again.
    fn run(&mut self, entry: usize, window: &[usize], repeats: u64) -> Result<Batch, Refusal>;

    /// Returns the time that the runtime's compiler has spent so far, in milliseconds, if known.
    fn compiled_ms(&self) -> Option<f64> {
        None
    }

    /// Signals that the warm-up is over and batches count.
    fn start_counting(&mut self) {}
}

/// The settings of one measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BenchOptions {
    /// The seed of the order within each round.
    pub(crate) seed: u64,
    /// The time budget of all rounds.
    pub(crate) budget: Duration,
    /// The number of samples.
    pub(crate) samples: usize,
    /// The smallest step of the clock, in nanoseconds.
    pub(crate) clock_resolution_ns: u64,
    /// Rounds run at least this long before any is counted.
    pub(crate) warm_up: Duration,
    /// Rounds run at most this long before they are counted, settled or not. If this is no longer
    /// than `warm_up`, the runtime does not have to settle.
    pub(crate) warm_up_max: Duration,
}

/// The batches of every entry, with the conditions of the measurement.
#[derive(Debug)]
pub(crate) struct BenchResult {
    /// For each entry, one batch per round, or the reason of its failure.
    pub(crate) entries: Vec<Result<Vec<Batch>, Refusal>>,
    /// The number of samples in the window of a batch.
    pub(crate) window: usize,
    /// True if times had settled when counting began.
    pub(crate) steady: bool,
}

/// Times every entry, in a new random order each round.
pub(crate) fn measure(
    runner: &mut dyn BatchRunner,
    entries: Vec<Result<(), Refusal>>,
    options: &BenchOptions,
) -> BenchResult {
    let mut random = fastrand::Rng::with_seed(options.seed);
    let mut bench = Bench::new(runner, entries, options.samples, &mut random);
    let batch_ns = BATCH_NS.max(BATCH_CLOCK_STEPS * options.clock_resolution_ns as f64);
    bench.calibrate(batch_ns);
    let steady = bench.warm_up(options, batch_ns);
    // Calibrates again, because operations have become faster: caches are warm, and a compiler may
    // have been at work. Without this, the first entry of a cold process had batches of two or
    // three operations.
    bench.calibrate(batch_ns);
    // Batches become longer only after the warm-up, since a runtime settles in many short batches,
    // not in a few long ones.
    bench.hold_collections();
    bench.forget();
    bench.runner.start_counting();
    bench.rounds(options.budget, &mut random);
    BenchResult {
        window: bench.window,
        steady,
        entries: bench.entries.into_iter().map(|timed| timed.result).collect(),
    }
}

struct Bench<'s> {
    runner: &'s mut dyn BatchRunner,
    entries: Vec<EntryState>,
    // The samples in a random order, twice over, so that a window may begin anywhere.
    order: Vec<usize>,
    window: usize,
}

struct EntryState {
    repeats: u64,
    /// The uncounted repeats before each batch that counts.
    lead_in: u64,
    cost_ns: f64,
    result: Result<Vec<Batch>, Refusal>,
}

impl EntryState {
    /// Keeps the length of batches while code becomes faster. In a program that is compiled as it
    /// runs, the first operation takes hundreds of times as long as later ones. Batches sized by it
    /// would hold one operation for seconds: steady, but too few for the optimising compiler to
    /// start.
    fn follow(&mut self, batch: &Batch, batch_ns: f64) {
        let turn_ns = (batch.wall_ns / self.repeats as f64).max(0.1);
        self.repeats = ((batch_ns / turn_ns).round() as u64).clamp(1, 2 * self.repeats);
    }
}

impl<'s> Bench<'s> {
    fn new(
        runner: &'s mut dyn BatchRunner,
        entries: Vec<Result<(), Refusal>>,
        samples: usize,
        random: &mut fastrand::Rng,
    ) -> Self {
        let timed = |ready: Result<(), Refusal>| EntryState {
            repeats: 1,
            lead_in: 0,
            cost_ns: 0.0,
            result: ready.map(|()| Vec::new()),
        };
        let mut order: Vec<usize> = (0..samples).collect();
        random.shuffle(&mut order);
        let window = order.len();
        order.extend_from_within(..);
        Bench { runner, entries: entries.into_iter().map(timed).collect(), order, window }
    }

    /// Finds the window of samples and the repeats of each entry.
    fn calibrate(&mut self, batch_ns: f64) {
        self.window = self.order.len() / 2;
        for index in 0..self.entries.len() {
            self.grow(index, batch_ns);
        }
        let slowest_turn = self.entries.iter().map(|timed| timed.cost_ns).fold(0.0, f64::max);
        if slowest_turn > WINDOW_NS && self.window > 1 {
            let share = WINDOW_NS / slowest_turn;
            self.window = ((self.window as f64 * share) as usize).max(1);
            for index in 0..self.entries.len() {
                self.grow(index, batch_ns);
            }
        }
    }

    /// Makes batches longer if few of them would hold a collection, and sets the lead-in of each
    /// entry.
    fn hold_collections(&mut self) {
        for index in 0..self.entries.len() {
            self.hold_collections_of(index);
            let timed = &mut self.entries[index];
            let collects = timed.result.as_ref().is_ok_and(|batches| {
                batches.last().is_some_and(|batch| batch.collections.is_some())
            });
            if collects {
                timed.lead_in = ((timed.repeats as f64 * LEAD_IN).round() as u64).max(1);
            }
        }
    }

    fn hold_collections_of(&mut self, index: usize) {
        let short = self.entries[index].repeats;
        while let Some(batch) = self.run(index, 0, 1.0) {
            let collections = batch.collections.unwrap_or(0.0);
            if collections >= BATCH_COLLECTIONS {
                return;
            }
            let longest = 2.0 * batch.wall_ns > BATCH_COLLECTED_NS;
            if batch.collections.is_none() || (longest && collections == 0.0) {
                self.entries[index].repeats = short;
                return;
            }
            if longest {
                return;
            }
            self.entries[index].repeats *= 2;
        }
    }

    /// Runs rounds for the minimum time and, if the runtime has to settle, until windows agree and
    /// its compiler is idle. Returns `false` if the runtime did not settle within the maximum time.
    fn warm_up(&mut self, options: &BenchOptions, batch_ns: f64) -> bool {
        let start = Instant::now();
        let settles = options.warm_up_max > options.warm_up;
        let mut compiled = Vec::new();
        loop {
            if self.entries.iter().all(|timed| timed.result.is_err()) {
                return true;
            }
            for index in 0..self.entries.len() {
                let batch = self.run(index, 0, 1.0);
                if let Some(batch) = batch.filter(|_| settles) {
                    self.entries[index].follow(&batch, batch_ns);
                }
            }
            compiled.push(self.runner.compiled_ms());
            let elapsed = start.elapsed();
            if elapsed < options.warm_up {
                continue;
            }
            if !settles || self.is_steady(&compiled) {
                return true;
            }
            if elapsed >= options.warm_up_max {
                return false;
            }
        }
    }

    /// Returns whether the last windows agree and nothing was compiled during them.
    fn is_steady(&self, compiled: &[Option<f64>]) -> bool {
        let rounds = WINDOW_ROUNDS * STEADY_WINDOWS;
        let Some(first) = compiled.len().checked_sub(rounds) else { return false };
        if compiled[first] != compiled[compiled.len() - 1] {
            return false;
        }
        // A disturbance of the machine affects a window of all entries, so their levels are
        // compared: the mean of the logarithms of their medians.
        let mut levels = [0.0; STEADY_WINDOWS];
        let mut count = 0.0;
        for batches in self.entries.iter().filter_map(|timed| timed.result.as_ref().ok()) {
            let Some(last) = batches.len().checked_sub(rounds) else { return false };
            for (level, window) in levels.iter_mut().zip(batches[last..].chunks(WINDOW_ROUNDS)) {
                *level += median_ns(window).max(f64::MIN_POSITIVE).ln();
            }
            count += 1.0;
        }
        let low = levels.iter().copied().fold(f64::MAX, f64::min);
        let high = levels.iter().copied().fold(f64::MIN, f64::max);
        (high - low) / f64::max(count, 1.0) <= STEADY_WITHIN
    }

    fn forget(&mut self) {
        for timed in &mut self.entries {
            if let Ok(batches) = &mut timed.result {
                batches.clear();
            }
        }
    }

    /// Doubles the repeats until a batch is long enough, then scales them. A few operations are slower
    /// than many, because the first one finds cold caches, so a much larger number is measured again.
    fn grow(&mut self, index: usize, batch_ns: f64) {
        self.entries[index].repeats = 1;
        loop {
            let Some(batch) = self.run(index, 0, 1.0) else { return };
            let timed = &mut self.entries[index];
            timed.cost_ns = batch.wall_ns / timed.repeats as f64;
            let measured = timed.repeats;
            if batch.wall_ns < batch_ns / 4.0 && measured < REPEATS_MAX {
                timed.repeats = 2 * measured;
                continue;
            }
            timed.repeats = ((batch_ns / timed.cost_ns.max(0.1)).round() as u64).max(1);
            if timed.repeats <= 2 * measured || measured >= REPEATS_MAX {
                return;
            }
        }
    }

    /// Runs as many rounds as the budget allows, with each entry once per round.
    fn rounds(&mut self, budget: Duration, random: &mut fastrand::Rng) {
        let start = Instant::now();
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        for round in 0..ROUNDS {
            if round >= ROUNDS_MIN && start.elapsed() > budget {
                break;
            }
            random.shuffle(&mut order);
            let begin = random.usize(..self.order.len() / 2);
            for &index in &order {
                self.lead_in(index, begin);
                // Varying lengths keep batches from synchronising with periodic events, and give
                // the fit of time against iterations different points.
                self.run(index, begin, 0.9 + 0.2 * random.f64());
            }
        }
    }

    /// Runs an entry's lead-in without counting it.
    fn lead_in(&mut self, index: usize, begin: usize) {
        let repeats = self.entries[index].lead_in;
        if repeats > 0 {
            self.batch(index, begin, repeats);
        }
    }

    fn run(&mut self, index: usize, begin: usize, jitter: f64) -> Option<Batch> {
        let repeats = self.entries[index].repeats as f64 * jitter;
        let batch = self.batch(index, begin, (repeats.round() as u64).max(1))?;
        if let Ok(batches) = &mut self.entries[index].result {
            batches.push(batch);
        }
        Some(batch)
    }

    /// Runs a batch; `None` once the entry has failed.
    fn batch(&mut self, index: usize, begin: usize, repeats: u64) -> Option<Batch> {
        let timed = &mut self.entries[index];
        if timed.result.is_err() {
            return None;
        }
        let window = &self.order[begin..begin + self.window];
        match self.runner.run(index, window, repeats) {
            Ok(batch) => Some(batch),
            Err(failure) => {
                timed.result = Err(failure);
                None
            }
        }
    }
}

fn median_ns(batches: &[Batch]) -> f64 {
    let times: Vec<f64> = batches.iter().map(|batch| batch.wall_ns / batch.operations).collect();
    crate::weigh::statistics::median(&times).unwrap_or(0.0)
}

#[cfg(test)]
mod tests;
