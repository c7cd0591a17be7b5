//! The counting allocator and its counters.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};

/// The system allocator with counters for [`tally`]. Outside of `tally`, a call costs an additional
/// load and branch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counting;

// SAFETY: every call is passed to the system allocator unchanged, so its guarantees hold. Counting
// uses only atomics and never allocates.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_allocation(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count_allocation(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count_deallocation(layout.size());
        count_allocation(new_size);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count_deallocation(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

static COUNTING: AtomicBool = AtomicBool::new(false);
static ALLOCS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// The allocations of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The number of allocations and reallocations.
    pub allocs: u64,
    /// The number of bytes requested; a reallocation requests its whole new size.
    pub bytes: u64,
    /// The largest number of bytes in use at once, beyond those in use before.
    pub peak: u64,
}

/// Counts an allocation.
#[inline]
fn count_allocation(size: usize) {
    if COUNTING.load(Relaxed) {
        count(size);
    }
}

/// Counts a deallocation.
#[inline]
fn count_deallocation(size: usize) {
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

/// Runs `work` and counts the allocations of all threads. Returns `None` for the tally if
/// [`Counting`] is not the global allocator. Calls must not overlap, because they share the
/// counters.
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
