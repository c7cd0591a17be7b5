//! Launches: each process is one sample of the effects that vary between processes. A launch
//! measures group after group, with the subjects of a group interleaved.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::Subject;
use crate::statistics::{Shuffle, median};
use crate::targets::Target;

/// The argument that makes a process a launch; a seed follows.
pub const LAUNCH: &str = "--launch";

/// Runs this program `launches` times, one after the other.
///
/// # Errors
///
/// Returns an error if a launch fails, or prints anything other than its figures.
pub fn run(launches: u64, filter: &str) -> io::Result<Vec<Launch>> {
    let mut done = Vec::new();
    for seed in 1..=launches {
        eprint!("\rlaunch {seed} of {launches} ");
        io::stderr().flush()?;
        let output = Command::new(env::current_exe()?)
            .args(["--bench", LAUNCH, &seed.to_string(), filter])
            // The size of the environment shifts the stack, and with it the alignment.
            .env("MANYWIRE_BENCHES_PADDING", "x".repeat((seed as usize * 397) % 4096))
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            return Err(io::Error::other(format!("launch {seed}: {}", output.status)));
        }
        done.push(serde_json::from_slice(&output.stdout)?);
    }
    eprintln!();
    Ok(done)
}

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
pub fn measure(subjects: Vec<Subject>, targets: &[Target], seed: u64) -> Launch {
    let mut groups: BTreeMap<String, Vec<Subject>> = BTreeMap::new();
    for subject in subjects {
        groups.entry(subject.group.clone()).or_default().push(subject);
    }
    let mut shuffle = Shuffle::new(seed);
    let mut groups: Vec<Vec<Subject>> = groups.into_values().collect();
    shuffle.shuffle(&mut groups);
    let mut launch = Launch::default();
    for group in &mut groups {
        measure_group(group, targets, &mut shuffle, &mut launch);
    }
    launch
}

fn measure_group(
    group: &mut [Subject],
    targets: &[Target],
    shuffle: &mut Shuffle,
    launch: &mut Launch,
) {
    let times: Vec<u64> = group.iter_mut().map(operations_a_batch).collect();
    let mut rounds = vec![Vec::with_capacity(ROUNDS); group.len()];
    let mut order: Vec<usize> = (0..group.len()).collect();
    for _ in 0..ROUNDS {
        shuffle.shuffle(&mut order);
        for &at in &order {
            let start = cpu_time();
            group[at].run(times[at]);
            let elapsed = cpu_time().saturating_sub(start);
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

/// Returns the CPU time of this thread.
#[cfg(target_os = "linux")]
fn cpu_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // The clock starts at zero with the thread, and its nanoseconds are below a second.
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Returns the wall time since the first call, because this system has no CPU clock for threads.
#[cfg(not(target_os = "linux"))]
fn cpu_time() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
