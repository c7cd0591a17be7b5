//! The clocks of the built-in lane.

use std::time::Instant;

use manywire_meter::cpu_ns;

/// Wall-clock and CPU time at one moment.
pub(super) struct Stopwatch {
    wall: Instant,
    cpu_ns: Option<u64>,
}

impl Stopwatch {
    /// Starts now. The CPU clock is read outside the span of the wall clock, because it takes a
    /// system call.
    #[inline]
    pub(super) fn start() -> Stopwatch {
        let cpu_ns = cpu_ns();
        Stopwatch { wall: Instant::now(), cpu_ns }
    }

    /// Returns the wall-clock and CPU nanoseconds since the start.
    #[inline]
    pub(super) fn elapsed(&self) -> (f64, Option<f64>) {
        let wall = self.wall.elapsed().as_nanos() as f64;
        let cpu = self.cpu_ns.zip(cpu_ns()).map(|(start, end)| end.saturating_sub(start) as f64);
        (wall, cpu)
    }
}

/// Returns the smallest observed step of the wall clock, in nanoseconds.
pub(super) fn resolution_ns() -> u64 {
    let smallest = (0..100).filter_map(|_| {
        let start = Instant::now();
        // A coarse clock may stand still for many reads.
        (0..1_000_000).map(|_| start.elapsed().as_nanos()).find(|&elapsed| elapsed > 0)
    });
    smallest.min().and_then(|ns| u64::try_from(ns).ok()).unwrap_or(1_000_000)
}

/// Returns the number of involuntary context switches of this process, if the system reports it.
pub(super) fn preemptions() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"))?;
    line.trim().parse().ok()
}
