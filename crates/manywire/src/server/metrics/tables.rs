//! Counters and histograms of fixed size, updated without a lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The key of a counter within its endpoint. It packs into a word that is never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SeriesKey {
    /// The index of the method.
    pub(super) method: u8,
    /// The status code, or nothing if the client disconnected before the response.
    pub(super) status: Option<u16>,
    /// The index of the format.
    pub(super) format: u8,
    /// The index of the coding.
    pub(super) coding: u8,
}

/// A bit that is set in every key, so that no key equals the word of an empty slot.
const TAKEN: u64 = 1 << 63;

impl SeriesKey {
    fn pack(self) -> u64 {
        let [method, format, coding] = [self.method, self.format, self.coding].map(u64::from);
        let status = self.status.map_or(0, u64::from);
        TAKEN | status << 24 | method << 16 | format << 8 | coding
    }

    fn unpack(label: u64) -> Option<SeriesKey> {
        let byte = |shift: u32| (label >> shift) as u8;
        let status = (label >> 24) as u16;
        (label & TAKEN != 0).then(|| SeriesKey {
            method: byte(16),
            status: (status != 0).then_some(status),
            format: byte(8),
            coding: byte(0),
        })
    }
}

/// A table of counters by key. Its size is fixed, so that clients cannot make it grow, and it has
/// no lock, so that no request waits for another.
#[derive(Debug)]
pub(super) struct Series {
    slots: Box<[Slot]>,
    /// The number of counts whose key has no slot, because the table was full.
    other: AtomicU64,
}

#[derive(Debug, Default)]
struct Slot {
    key: AtomicU64,
    count: AtomicU64,
}

impl Series {
    /// Creates a table with room for this many keys, rounded up to a power of two.
    pub(super) fn with_capacity(keys: usize) -> Self {
        let slots = (0..keys.next_power_of_two()).map(|_| Slot::default()).collect();
        Series { slots, other: AtomicU64::new(0) }
    }

    /// Increments the counter of a key.
    #[inline]
    pub(super) fn count(&self, key: SeriesKey) {
        let key = key.pack();
        let mask = self.slots.len() - 1;
        // Multiplication by an odd constant carries differences in low bits into the high ones.
        let first = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize;
        for step in 0..self.slots.len() {
            let Some(slot) = self.slots.get((first + step) & mask) else { break };
            let known = match slot.key.load(Ordering::Relaxed) {
                0 => {
                    // The first thread takes the slot. The others see it as occupied.
                    let taken =
                        slot.key.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed);
                    taken.map_or_else(|other| other, |_| key)
                }
                known => known,
            };
            if known == key {
                slot.count.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
        self.other.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns all counters, ordered by key.
    pub(super) fn all(&self) -> Vec<(SeriesKey, u64)> {
        let counted = |slot: &Slot| {
            let key = SeriesKey::unpack(slot.key.load(Ordering::Relaxed))?;
            Some((key, slot.count.load(Ordering::Relaxed)))
        };
        let mut all: Vec<_> = self.slots.iter().filter_map(counted).collect();
        all.sort();
        all
    }

    /// Returns the number of counts whose key has no slot.
    pub(super) fn other(&self) -> u64 {
        self.other.load(Ordering::Relaxed)
    }
}

/// The upper bounds of the buckets, in nanoseconds. The last bucket has no upper bound. The bounds
/// range from a tenth of a millisecond, which a service without a database takes, to the ten
/// seconds that OpenTelemetry advises for `http.server.request.duration`.
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

/// A histogram of durations.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    buckets: [AtomicU64; BOUNDS_NS.len() + 1],
    sum_ns: AtomicU64,
}

/// A snapshot of a histogram.
#[derive(Debug)]
pub(super) struct Durations {
    /// The number of durations up to each bound, and the number of all.
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

    /// Returns a snapshot. Its count is the sum of its buckets, so that both always agree.
    pub(super) fn durations(&self) -> Durations {
        let mut count = 0;
        let up_to = std::array::from_fn(|index| {
            count += self.buckets.get(index).map_or(0, |it| it.load(Ordering::Relaxed));
            count
        });
        Durations { up_to, sum_ns: self.sum_ns.load(Ordering::Relaxed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(status: u16, format: u8) -> SeriesKey {
        SeriesKey { method: 1, status: (status != 0).then_some(status), format, coding: 3 }
    }

    #[test]
    fn counts_keys_separately_and_overflow_together() {
        let series = Series::with_capacity(4);
        for (status, times) in [(200, 5), (404, 2), (0, 1), (500, 1)] {
            (0..times).for_each(|_| series.count(key(status, 0)));
        }
        (0..3).for_each(|_| series.count(key(200, 9)));
        let counts = [(key(0, 0), 1), (key(200, 0), 5), (key(404, 0), 2), (key(500, 0), 1)];
        assert_eq!(series.all(), counts);
        assert_eq!(series.other(), 3);
    }

    #[test]
    fn counts_across_threads_without_loss() {
        let series = Series::with_capacity(64);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    (0..40_000).for_each(|index| series.count(key(200 + index % 40, 0)));
                });
            }
        });
        let all = series.all();
        assert_eq!(all.len(), 40);
        assert!(all.iter().all(|(_, count)| *count == 4_000), "{all:?}");
        assert_eq!(series.other(), 0);
    }
}
