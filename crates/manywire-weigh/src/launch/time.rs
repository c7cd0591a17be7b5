use std::time::{Duration, Instant};

use super::batch;
use super::clock;
use super::job::{Batch, Entry, Timing};
use crate::payload::Corpus;
use crate::schema::Schema;
use crate::subject::{Runner, Subject};

/// How long a batch should last, so that reading the clock is a thousandth of it.
const BATCH_NS: f64 = 500_000.0;

/// A batch lasts at least this many steps of the clock.
const BATCH_CLOCK_STEPS: f64 = 1_000.0;

/// A whole turn through the samples longer than this is divided into windows.
const WINDOW_NS: f64 = 2_000_000.0;

/// Machine code needs no compiler to settle, but caches, page tables and the clock speed do.
const WARM_UP: Duration = Duration::from_millis(50);

/// More launches tell more than more rounds: about thirty is where another round stops paying.
const ROUNDS: u64 = 30;

/// Fewer rounds than this make no median.
const ROUNDS_MIN: u64 = 3;

/// Times every entry, in a new random order each round.
pub(super) fn time(
    entries: &[Entry],
    seed: u64,
    budget_ns: u64,
    corpus: &Corpus<'_>,
    schema: &Schema,
) -> Timing {
    let mut random = fastrand::Rng::with_seed(seed);
    let clock_resolution_ns = clock::resolution_ns();
    let batch_ns = BATCH_NS.max(BATCH_CLOCK_STEPS * clock_resolution_ns as f64);
    let mut bench = Bench::prepare(entries, corpus, schema, &mut random);
    bench.calibrate(batch_ns);
    let before = clock::preemptions();
    bench.measure(budget_ns, &mut random);
    let preemptions =
        before.zip(clock::preemptions()).map(|(before, after)| after.saturating_sub(before));
    Timing {
        window: bench.window,
        entries: bench.entries.into_iter().map(|timed| timed.result).collect(),
        preemptions,
        clock_resolution_ns,
    }
}

struct Bench<'a> {
    runners: Vec<(Subject, Box<dyn Runner + 'a>)>,
    entries: Vec<Timed>,
    // The samples in a random order, twice over, so that a window may begin anywhere.
    order: Vec<usize>,
    window: usize,
}

struct Timed {
    entry: Entry,
    runner: Option<usize>,
    repeats: u64,
    cost_ns: f64,
    result: Result<Vec<Batch>, String>,
}

impl<'a> Bench<'a> {
    /// Makes every subject once, in random order, so that no subject always gets the same memory.
    fn prepare(
        entries: &[Entry],
        corpus: &Corpus<'a>,
        schema: &Schema,
        random: &mut fastrand::Rng,
    ) -> Self {
        let mut subjects: Vec<Subject> = Vec::new();
        for entry in entries {
            if !subjects.contains(&entry.subject) {
                subjects.push(entry.subject);
            }
        }
        random.shuffle(&mut subjects);
        let mut runners = Vec::new();
        let mut failures = Vec::new();
        for subject in subjects {
            match subject.prepare(corpus, schema) {
                Ok(runner) => runners.push((subject, runner)),
                Err(failure) => failures.push((subject, failure)),
            }
        }
        let timed = |entry: &Entry| {
            let failure = failures.iter().find(|failed| failed.0 == entry.subject);
            Timed {
                entry: *entry,
                runner: runners.iter().position(|runner| runner.0 == entry.subject),
                repeats: 1,
                cost_ns: 0.0,
                result: failure.map_or(Ok(Vec::new()), |failed| Err(failed.1.clone())),
            }
        };
        let entries = entries.iter().map(timed).collect();
        let mut order: Vec<usize> = (0..corpus.samples.len()).collect();
        random.shuffle(&mut order);
        let window = order.len();
        order.extend_from_within(..);
        Bench { runners, entries, order, window }
    }

    /// Finds how many samples a window takes and how often each entry repeats it, and warms up.
    fn calibrate(&mut self, batch_ns: f64) {
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
        let start = Instant::now();
        while start.elapsed() < WARM_UP && self.entries.iter().any(|timed| timed.result.is_ok()) {
            for index in 0..self.entries.len() {
                self.run(index, 0, 1.0);
            }
        }
        for timed in &mut self.entries {
            if let Ok(batches) = &mut timed.result {
                batches.clear();
            }
        }
    }

    /// Doubles the repeats until a batch is long enough, then scales them.
    fn grow(&mut self, index: usize, batch_ns: f64) {
        self.entries[index].repeats = 1;
        loop {
            let Some(batch) = self.run(index, 0, 1.0) else { return };
            let timed = &mut self.entries[index];
            timed.cost_ns = batch.wall_ns / timed.repeats as f64;
            if batch.wall_ns >= batch_ns / 4.0 || timed.repeats >= 1 << 30 {
                timed.repeats = ((batch_ns / timed.cost_ns.max(0.1)).round() as u64).max(1);
                return;
            }
            timed.repeats *= 2;
        }
    }

    /// As many rounds as the budget allows, each entry once a round.
    fn measure(&mut self, budget_ns: u64, random: &mut fastrand::Rng) {
        let start = Instant::now();
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        for round in 0..ROUNDS {
            if round >= ROUNDS_MIN && start.elapsed().as_nanos() > u128::from(budget_ns) {
                break;
            }
            random.shuffle(&mut order);
            let begin = random.usize(..self.order.len() / 2);
            for &index in &order {
                // Varying the length keeps batches from falling in step with anything periodic,
                // and gives the fit of time against iterations something to fit.
                self.run(index, begin, 0.9 + 0.2 * random.f64());
            }
        }
    }

    fn run(&mut self, index: usize, begin: usize, jitter: f64) -> Option<Batch> {
        let timed = &mut self.entries[index];
        let (Ok(batches), Some(runner)) = (&mut timed.result, timed.runner) else { return None };
        let window = &self.order[begin..begin + self.window];
        let repeats = ((timed.repeats as f64 * jitter).round() as u64).max(1);
        match batch::run(&timed.entry, &mut *self.runners[runner].1, window, repeats) {
            Ok(batch) => {
                batches.push(batch);
                Some(batch)
            }
            Err(failure) => {
                timed.result = Err(failure);
                None
            }
        }
    }
}
