use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds of the buckets, in nanoseconds, but for the last, which has none. From a tenth
/// of a millisecond, which a service without a database takes, to the ten seconds of OpenTelemetry's
/// advice for `http.server.request.duration`.
pub(super) const BOUNDS_NS: [u64; 16] = [
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000,
    5_000_000_000,
    10_000_000_000,
];

/// How long requests took.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    buckets: [AtomicU64; BOUNDS_NS.len() + 1],
    sum_ns: AtomicU64,
}

/// A histogram at one moment.
#[derive(Debug)]
pub(super) struct Durations {
    /// How many took at most as long as each bound, and how many there were at all.
    pub(super) up_to: [u64; BOUNDS_NS.len() + 1],
    pub(super) sum_ns: u64,
}

impl Histogram {
    #[inline]
    pub(super) fn observe(&self, took: Duration) {
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let index = BOUNDS_NS.iter().position(|bound| ns <= *bound).unwrap_or(BOUNDS_NS.len());
        if let Some(bucket) = self.buckets.get(index) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.sum_ns.fetch_add(ns, Ordering::Relaxed);
    }

    /// What was observed: the count is that of the buckets, so that both always agree.
    pub(super) fn durations(&self) -> Durations {
        let mut count = 0;
        let up_to = std::array::from_fn(|index| {
            count += self.buckets.get(index).map_or(0, |it| it.load(Ordering::Relaxed));
            count
        });
        Durations { up_to, sum_ns: self.sum_ns.load(Ordering::Relaxed) }
    }
}
