//! Detects what disturbed a measurement: other programs that kept it waiting, and a machine whose
//! speed changed.
//!
//! Before each launch nothing of the command runs, so every runnable thread belongs to another
//! program. A limit on CPU time, such as that of a container, does not show in the number of
//! threads; it shows in batches that take longer by the clock than in CPU time.

use crate::weigh::host;
use crate::weigh::report::number;
use crate::weigh::statistics::{speed_range, two_speeds};

/// The minimum ratio of wall-clock time to CPU time at which batches count as kept waiting.
/// Runtimes that collect garbage or compile in other threads have more CPU time than wall-clock
/// time.
const WAITING: f64 = 1.25;

/// The minimum number of launches that show a change of speed. Fewer launches may differ together
/// by chance.
const LAUNCHES_MIN: usize = 10;

/// Readings of the load, of the wall clock and of the CPU clock.
#[derive(Debug, Default)]
pub(crate) struct Contention {
    loads: Vec<f64>,
    wall_ns: f64,
    cpu_ns: f64,
}

impl Contention {
    /// Reads the load, while nothing of this command runs.
    pub(crate) fn sample(&mut self) {
        self.loads.extend(host::sample_load());
    }

    /// Adds the time of a batch by the clock and in CPU time, in nanoseconds.
    pub(crate) fn add(&mut self, wall_ns: f64, cpu_ns: f64) {
        self.wall_ns += wall_ns;
        self.cpu_ns += cpu_ns;
    }

    /// Returns the mean load; `None` if the system does not report it.
    pub(crate) fn load(&self) -> Option<f64> {
        let count = self.loads.len();
        (count > 0).then(|| self.loads.iter().sum::<f64>() / count as f64)
    }

    /// Returns the sign that a machine with this many processors is busy, in words; `None` if there
    /// is no sign.
    pub(crate) fn sign(&self, processors: Option<usize>) -> Option<String> {
        if let (Some(load), Some(processors)) = (self.load(), processors)
            && load >= host::BUSY_LOAD * processors as f64
        {
            let cores = if processors == 1 { "core" } else { "cores" };
            return Some(format!("load {} on {processors} {cores}", load_text(load)));
        }
        let waiting = self.wall_ns / self.cpu_ns;
        (self.cpu_ns > 0.0 && waiting >= WAITING)
            .then(|| format!("{waiting:.1} s by the clock for each second of CPU time"))
    }
}

/// Formats a load, with one decimal below ten.
pub(crate) fn load_text(load: f64) -> String {
    if load < 9.95 { format!("{load:.1}") } else { format!("{load:.0}") }
}

/// Returns the sentence about a busy machine. It names the sign that the machine is busy, the clock
/// that verdicts compare instead of the wall clock, and the number of comparisons (called `noun`)
/// that have no figures by that clock.
pub(crate) fn busy_note(sign: &str, clock: &str, noun: &str, missing: usize) -> String {
    let mut note = format!(
        "the machine was busy, {sign}: times include waiting for other programs, so verdicts compare {clock}"
    );
    if missing > 0 {
        let (s, have) = if missing == 1 { ("", "has") } else { ("s", "have") };
        note.push_str(&format!("; {missing} {noun}{s} {have} no CPU time and no verdict"));
    }
    note
}

/// Returns a sentence if at least [`LAUNCHES_MIN`] launches show that the machine ran at two or
/// more speeds that differ by more than δ; `None` otherwise. The groups are those of
/// [`two_speeds`].
pub(crate) fn speeds_note(groups: &[Vec<Vec<f64>>], delta: f64) -> Option<String> {
    let two = two_speeds(groups, delta).filter(|speeds| speeds.launches >= LAUNCHES_MIN);
    if let Some(speeds) = two {
        return Some(format!(
            "the machine ran at two speeds: times of {} of {} launches are {} times as long; absolute times mix both speeds, ratios hold",
            number::count(speeds.slow as u64),
            number::count(speeds.launches as u64),
            number::significant(speeds.ratio)
        ));
    }
    let range = speed_range(groups, delta).filter(|range| range.launches >= LAUNCHES_MIN)?;
    Some(format!(
        "the machine changed its speed: times of the slowest tenth of {} launches are {} times those of the fastest tenth; absolute times mix all speeds, ratios hold",
        number::count(range.launches as u64),
        number::significant(range.ratio)
    ))
}

#[cfg(test)]
mod tests {
    use super::Contention;

    fn sign(loads: &[f64], clocks: &[(f64, f64)], processors: usize) -> Option<String> {
        let mut contention = Contention { loads: loads.to_vec(), ..Contention::default() };
        clocks.iter().for_each(|&(wall_ns, cpu_ns)| contention.add(wall_ns, cpu_ns));
        contention.sign(Some(processors))
    }

    #[test]
    fn load_and_waiting_are_signs_of_a_busy_machine() {
        let quiet = [(100.0, 98.0), (100.0, 120.0)];
        assert_eq!(sign(&[0.0, 0.4], &quiet, 2), None);
        assert_eq!(sign(&[11.0, 13.0], &quiet, 2).as_deref(), Some("load 12 on 2 cores"));
        assert_eq!(sign(&[0.4, 0.8], &quiet, 1).as_deref(), Some("load 0.6 on 1 core"));
        assert_eq!(sign(&[3.0], &quiet, 8), None);
        assert_eq!(
            sign(&[], &[(150.0, 90.0), (150.0, 110.0)], 2).as_deref(),
            Some("1.5 s by the clock for each second of CPU time")
        );
        // Nothing is known of lanes without a CPU clock.
        assert_eq!(sign(&[], &[(0.0, 0.0)], 2), None);
    }
}
