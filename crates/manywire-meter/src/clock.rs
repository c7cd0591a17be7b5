//! The CPU clock of the process.

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
