use std::time::Duration;

use super::bench::{self, Measured, Plan, Stage};
use super::job::{Batch, Entry, Timing};
use super::{batch, clock};
use crate::weigh::payload::Corpus;
use crate::weigh::schema::Schema;
use crate::weigh::subject::{Runner, Subject};

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
    let clock_resolution_ns = clock::resolution_ns();
    let plan = Plan {
        seed,
        budget_ns,
        samples: corpus.samples.len(),
        clock_resolution_ns,
        warm_up: WARM_UP,
        warm_up_max: WARM_UP,
    };
    let mut stage = Resident::prepare(entries, corpus, schema, seed);
    let ready = stage.ready();
    let before = clock::preemptions();
    let Measured { entries, window, steady } = bench::measure(&mut stage, ready, &plan);
    let preemptions =
        before.zip(clock::preemptions()).map(|(before, after)| after.saturating_sub(before));
    Timing { window, entries, preemptions, clock_resolution_ns, steady, compiled_ms: None }
}

/// A subject made ready, or why it cannot be.
type Prepared<'a> = Result<Box<dyn Runner + 'a>, String>;

/// The subjects of this process.
struct Resident<'a> {
    entries: &'a [Entry],
    runners: Vec<(Subject, Prepared<'a>)>,
}

impl<'a> Resident<'a> {
    /// Makes every subject once, in random order, so that no subject always gets the same memory.
    fn prepare(entries: &'a [Entry], corpus: &Corpus<'a>, schema: &Schema, seed: u64) -> Self {
        let mut subjects: Vec<Subject> = Vec::new();
        for entry in entries {
            if !subjects.contains(&entry.subject) {
                subjects.push(entry.subject);
            }
        }
        fastrand::Rng::with_seed(!seed).shuffle(&mut subjects);
        let prepare = |subject: Subject| (subject, subject.prepare(corpus, schema));
        Resident { entries, runners: subjects.into_iter().map(prepare).collect() }
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

impl Stage for Resident<'_> {
    fn run(&mut self, entry: usize, window: &[usize], repeats: u64) -> Result<Batch, String> {
        let of = self.entries[entry];
        batch::run(&of, &mut **self.runner(entry)?, window, repeats)
    }
}
