//! Counters and histograms of fixed size, updated without a lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What tells the counters of one endpoint apart, packed into a word that is never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SeriesKey {
    /// A number of the table of methods.
    pub(super) method: u8,
    /// The status code; nothing where the client went away before it had one.
    pub(super) status: Option<u16>,
    /// A number of the table of formats.
    pub(super) format: u8,
    /// A number of the table of codings.
    pub(super) coding: u8,
}

/// Set in every key, so that none is the word of an empty slot.
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

/// Counters by their keys: a table of fixed size, so that nothing a client does takes memory, and
/// without a lock, so that no request waits for another.
#[derive(Debug)]
pub(super) struct Series {
    slots: Box<[Slot]>,
    /// What is counted of keys that came when the table was full.
    other: AtomicU64,
}

#[derive(Debug, Default)]
struct Slot {
    key: AtomicU64,
    count: AtomicU64,
}

impl Series {
    /// A table with room for this many keys, rounded up.
    pub(super) fn with_capacity(keys: usize) -> Self {
        let slots = (0..keys.next_power_of_two()).map(|_| Slot::default()).collect();
        Series { slots, other: AtomicU64::new(0) }
    }

    /// Counts one more.
    #[inline]
    pub(super) fn count(&self, key: SeriesKey) {
        let key = key.pack();
        let mask = self.slots.len() - 1;
        // Multiplied by an odd constant, what differs in low bits differs in the high ones.
        let first = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize;
        for step in 0..self.slots.len() {
            let Some(slot) = self.slots.get((first + step) & mask) else { break };
            let known = match slot.key.load(Ordering::Relaxed) {
                0 => {
                    // Whoever takes the slot first has it; to the others it is any taken one.
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

    /// All that was counted, in the order of their keys.
    pub(super) fn all(&self) -> Vec<(SeriesKey, u64)> {
        let counted = |slot: &Slot| {
            let key = SeriesKey::unpack(slot.key.load(Ordering::Relaxed))?;
            Some((key, slot.count.load(Ordering::Relaxed)))
        };
        let mut all: Vec<_> = self.slots.iter().filter_map(counted).collect();
        all.sort();
        all
    }

    /// What was counted beyond the table.
    pub(super) fn other(&self) -> u64 {
        self.other.load(Ordering::Relaxed)
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn key(status: u16, format: u8) -> SeriesKey {
        SeriesKey { method: 1, status: (status != 0).then_some(status), format, coding: 3 }
    }

    #[test]
    fn keys_are_counted_apart_and_what_does_not_fit_together() {
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
    fn nothing_is_lost_between_threads() {
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
