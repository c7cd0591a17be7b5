//! One launch: group after group, the subjects of a group interleaved.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::statistics::{Shuffle, median};
use crate::targets::Target;
use crate::{Subject, clock};

/// The length of a batch: long enough to hide the cost of reading the clock, short enough to avoid
/// interruptions.
const BATCH: Duration = Duration::from_micros(500);

/// The length of the warm-up, for caches and branch predictors.
const WARM_UP: Duration = Duration::from_millis(10);

const ROUNDS: usize = 40;

/// The results of one process.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Launch {
    /// The median over the rounds by subject, in nanoseconds of CPU time per operation.
    pub median_ns: BTreeMap<String, f64>,
    /// The median over the rounds of ln(peer / ours), by target.
    pub log_ratio: BTreeMap<String, f64>,
}

/// Measures the subjects, group by group.
pub fn launch(subjects: Vec<Subject>, targets: &[Target], seed: u64) -> Launch {
    let mut groups: BTreeMap<String, Vec<Subject>> = BTreeMap::new();
    for subject in subjects {
        groups.entry(subject.group.clone()).or_default().push(subject);
    }
    let mut shuffle = Shuffle::new(seed);
    let mut groups: Vec<Vec<Subject>> = groups.into_values().collect();
    shuffle.shuffle(&mut groups);
    let mut launch = Launch::default();
    for group in &mut groups {
        measure(group, targets, &mut shuffle, &mut launch);
    }
    launch
}

fn measure(group: &mut [Subject], targets: &[Target], shuffle: &mut Shuffle, launch: &mut Launch) {
    let times: Vec<u64> = group.iter_mut().map(operations_a_batch).collect();
    let mut rounds = vec![Vec::with_capacity(ROUNDS); group.len()];
    let mut order: Vec<usize> = (0..group.len()).collect();
    for _ in 0..ROUNDS {
        shuffle.shuffle(&mut order);
        for &at in &order {
            let start = clock::now();
            group[at].run(times[at]);
            let elapsed = clock::now().saturating_sub(start);
            rounds[at].push(elapsed.as_nanos() as f64 / times[at] as f64);
        }
    }
    for target in targets.iter().filter(|target| !target.instructions) {
        let find = |name: &str| {
            group.iter().position(|subject| subject.group == target.group && subject.name == name)
        };
        if let (Some(ours), Some(peer)) = (find(target.ours), find(target.peer)) {
            let pairs = rounds[ours].iter().zip(&rounds[peer]);
            let mut logs: Vec<f64> = pairs.map(|(ours, peer)| (peer / ours).ln()).collect();
            launch.log_ratio.insert(target.id(), median(&mut logs));
        }
    }
    for (subject, rounds) in group.iter().zip(&mut rounds) {
        launch.median_ns.insert(subject.id(), median(rounds));
    }
}

/// Returns the number of operations of a batch, determined during the warm-up.
fn operations_a_batch(subject: &mut Subject) -> u64 {
    let mut times = 1;
    let begin = Instant::now();
    loop {
        let start = Instant::now();
        subject.run(times);
        let elapsed = start.elapsed();
        if begin.elapsed() >= WARM_UP && elapsed >= BATCH / 4 {
            let exact = times as f64 * BATCH.as_secs_f64() / elapsed.as_secs_f64();
            return (exact as u64).max(1);
        }
        if elapsed < BATCH {
            times *= 2;
        }
    }
}
