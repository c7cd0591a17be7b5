use super::clock::Moment;
use super::job::{Batch, Entry};
use crate::weigh::subject::Runner;

/// Runs one batch over a window of samples.
pub(super) fn run(
    entry: &Entry,
    runner: &mut dyn Runner,
    window: &[usize],
    repeats: u64,
) -> Result<Batch, String> {
    // The injected slowness must be whole iterations, and exact: what is reported is what ran,
    // divided by the inflation.
    let executed = (repeats as f64 * entry.inflation).round().max(1.0);
    let start = Moment::start();
    runner.run(entry.operation, window, executed as u64)?;
    let (wall_ns, cpu_ns) = start.elapsed();
    Ok(Batch {
        operations: executed * window.len() as f64 / entry.inflation,
        wall_ns,
        cpu_ns,
        collections: None,
    })
}
