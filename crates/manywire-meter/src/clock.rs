//! The clocks of the process: a stopwatch by both clocks, and what is known of them.

use std::time::Instant;

/// Returns the CPU time of all threads of the process so far, in nanoseconds, or `None` if the
/// system has no such clock. Work that a runtime moves to another thread counts too.
#[cfg(unix)]
pub fn cpu_ns() -> Option<u64> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Some(u64::try_from(time.tv_sec).ok()? * 1_000_000_000 + u64::try_from(time.tv_nsec).ok()?)
}

/// Returns `None`: this system has no clock of the CPU time of a process.
#[cfg(not(unix))]
pub fn cpu_ns() -> Option<u64> {
    None
}

/// A stopwatch by the wall clock and by the CPU clock.
///
/// ```
/// let stopwatch = manywire_meter::Stopwatch::start();
/// let elapsed = stopwatch.stop();
/// assert!(elapsed.wall_ns < 1_000_000_000);
/// ```
#[derive(Debug)]
pub struct Stopwatch {
    cpu_ns: Option<u64>,
    wall: Instant,
}

/// The time between the start and the stop of a [`Stopwatch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed {
    /// Wall-clock time, in nanoseconds.
    pub wall_ns: u64,
    /// CPU time of the process, in nanoseconds; `None` if the system has no such clock.
    pub cpu_ns: Option<u64>,
}

impl Stopwatch {
    /// Starts now. The CPU clock is read outside the span of the wall clock, because it takes a
    /// system call.
    #[inline]
    pub fn start() -> Stopwatch {
        let cpu_ns = cpu_ns();
        Stopwatch { cpu_ns, wall: Instant::now() }
    }

    /// Returns the time since the start.
    #[inline]
    pub fn stop(self) -> Elapsed {
        let wall = self.wall.elapsed();
        let cpu_ns = self.cpu_ns.zip(cpu_ns());
        Elapsed {
            wall_ns: u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX),
            cpu_ns: cpu_ns.map(|(start, now)| now.saturating_sub(start)),
        }
    }
}

/// Returns how often the system has taken the processor from this process (involuntary context
/// switches), or `None` if the system does not report it.
pub fn preemptions() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"))?;
    line.trim().parse().ok()
}

/// Returns the smallest observed step of the wall clock, in nanoseconds; 1,000,000 if no step was
/// observed.
pub fn wall_resolution_ns() -> u64 {
    let smallest = (0..100).filter_map(|_| {
        let start = Instant::now();
        // A coarse clock may stand still for many reads.
        (0..1_000_000).map(|_| start.elapsed().as_nanos()).find(|&elapsed| elapsed > 0)
    });
    smallest.min().and_then(|ns| u64::try_from(ns).ok()).unwrap_or(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::{Stopwatch, preemptions, wall_resolution_ns};

    #[test]
    fn a_busy_process_uses_time_by_both_clocks() {
        let stopwatch = Stopwatch::start();
        let sum: u64 = std::hint::black_box((0..1_000_000).sum());
        let elapsed = stopwatch.stop();
        assert_eq!(sum, 499_999_500_000);
        assert!(elapsed.wall_ns > 0);
        assert_eq!(elapsed.cpu_ns.is_some(), cfg!(unix));
    }

    #[test]
    fn linux_reports_preemptions() {
        assert_eq!(preemptions().is_some(), cfg!(target_os = "linux"));
    }

    #[test]
    fn the_wall_clock_has_a_resolution() {
        assert!(wall_resolution_ns() > 0);
    }
}
