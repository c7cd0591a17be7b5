use std::time::Instant;

use manywire_meter::cpu_ns;

/// Wall-clock and CPU time at one moment.
pub(super) struct Moment {
    wall: Instant,
    cpu_ns: Option<u64>,
}

impl Moment {
    /// Now. The CPU clock is read outside the span of the wall clock: a system call longer.
    #[inline]
    pub(super) fn start() -> Moment {
        let cpu_ns = cpu_ns();
        Moment { wall: Instant::now(), cpu_ns }
    }

    /// Wall-clock and CPU nanoseconds since then.
    #[inline]
    pub(super) fn elapsed(&self) -> (f64, Option<f64>) {
        let wall = self.wall.elapsed().as_nanos() as f64;
        let cpu = self.cpu_ns.zip(cpu_ns()).map(|(start, end)| end.saturating_sub(start) as f64);
        (wall, cpu)
    }
}

/// The smallest step the wall clock is seen to take, in nanoseconds.
pub(super) fn resolution_ns() -> u64 {
    let smallest = (0..100).filter_map(|_| {
        let start = Instant::now();
        // The clock may stand still for a while where it is coarse.
        (0..1_000_000).map(|_| start.elapsed().as_nanos()).find(|&elapsed| elapsed > 0)
    });
    smallest.min().and_then(|ns| u64::try_from(ns).ok()).unwrap_or(1_000_000)
}

/// How often this process was made to give up its core so far, where the system tells.
pub(super) fn preemptions() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"))?;
    line.trim().parse().ok()
}
