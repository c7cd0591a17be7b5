/// CPU time of the process so far, in nanoseconds, of all of its threads: work that a runtime moves
/// to another thread counts, too. `None` where there is no such clock.
#[cfg(unix)]
pub fn cpu_ns() -> Option<u64> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Some(u64::try_from(time.tv_sec).ok()? * 1_000_000_000 + u64::try_from(time.tv_nsec).ok()?)
}

/// CPU time of the process so far; there is no such clock here.
#[cfg(not(unix))]
pub fn cpu_ns() -> Option<u64> {
    None
}
