use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};

/// The system's allocator, which reports to [`tally`](crate::tally) what it is asked for. Outside of
/// that a call costs a load and a branch more.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counting;

// SAFETY: every call is passed on to the system's allocator unchanged, so its guarantees hold;
// the meter only touches atomics and never allocates.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        allocated(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        freed(layout.size());
        allocated(new_size);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        freed(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

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
fn allocated(size: usize) {
    if COUNTING.load(Relaxed) {
        count(size);
    }
}

/// Reports memory given back.
#[inline]
fn freed(size: usize) {
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
