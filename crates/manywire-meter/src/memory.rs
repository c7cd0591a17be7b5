//! Counting allocations. Where nothing reports them, that is said rather than zero.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

static COUNTING: AtomicBool = AtomicBool::new(false);
static ALLOCS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// What was allocated in a stretch of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Allocations and reallocations.
    pub allocs: u64,
    /// Bytes asked for; a reallocation asks for its whole new size.
    pub bytes: u64,
    /// The most bytes in use at once, beyond those in use before.
    pub peak: u64,
}

/// Reports memory handed out.
#[inline]
pub(crate) fn allocated(size: usize) {
    if COUNTING.load(Relaxed) {
        count(size);
    }
}

/// Reports memory given back.
#[inline]
pub(crate) fn freed(size: usize) {
    if COUNTING.load(Relaxed) {
        LIVE.fetch_sub(size as i64, Relaxed);
    }
}

#[cold]
fn count(size: usize) {
    ALLOCS.fetch_add(1, Relaxed);
    BYTES.fetch_add(size as u64, Relaxed);
    let live = LIVE.fetch_add(size as i64, Relaxed) + size as i64;
    PEAK.fetch_max(live, Relaxed);
}

/// Does some work and counts what it allocates, on every thread; `None` if nothing reports.
pub fn tally<R>(work: impl FnOnce() -> R) -> (R, Option<Tally>) {
    reset(true);
    drop(std::hint::black_box(Box::new(0_u8)));
    let reported = ALLOCS.load(Relaxed) > 0;
    reset(true);
    let result = work();
    COUNTING.store(false, Relaxed);
    let tally = Tally {
        allocs: ALLOCS.load(Relaxed),
        bytes: BYTES.load(Relaxed),
        peak: PEAK.load(Relaxed).max(0).cast_unsigned(),
    };
    (result, reported.then_some(tally))
}

fn reset(counting: bool) {
    COUNTING.store(false, Relaxed);
    for counter in [&ALLOCS, &BYTES] {
        counter.store(0, Relaxed);
    }
    LIVE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    COUNTING.store(counting, Relaxed);
}
