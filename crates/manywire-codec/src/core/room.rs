//! Room for what is about to be written.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The room that an encoding starts with if nothing is known of it: what an allocator hands out
/// from its cache, and enough for an ordinary record.
pub(crate) const INITIAL_CAPACITY: usize = 512;

/// The most room that is made beforehand because others needed it.
const GUESS_MAX: usize = 64 * 1024;

/// How much room the values written by one plan have needed lately, which the next likely needs,
/// too: a vector that grows from little copies its content over and over.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// A decaying average in bytes. Threads may overwrite each other's: it is a guess.
    average: AtomicUsize,
}

impl Room {
    /// A vector with room for what is expected, a quarter more than the average.
    #[inline]
    pub(crate) fn vec(&self) -> Vec<u8> {
        let average = self.average.load(Relaxed).min(GUESS_MAX);
        Vec::with_capacity((average + average / 4).clamp(INITIAL_CAPACITY, GUESS_MAX))
    }

    /// Takes note of how long an encoding was. Nothing is stored while sizes stay about the same,
    /// so that threads which share a plan do not take its cache line from each other.
    #[inline]
    pub(crate) fn note(&self, len: usize) {
        let average = self.average.load(Relaxed);
        if len.abs_diff(average) > average / 8 {
            self.average
                .store(if average == 0 { len } else { average - average / 8 + len / 8 }, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_follows_the_sizes_and_stops_at_a_bound() {
        let room = Room::default();
        assert_eq!(room.vec().capacity(), INITIAL_CAPACITY);
        room.note(9_000);
        assert_eq!(room.vec().capacity(), 11_250);
        for _ in 0..100 {
            room.note(10);
        }
        assert_eq!(room.vec().capacity(), INITIAL_CAPACITY);
        for _ in 0..100 {
            room.note(usize::MAX);
        }
        assert_eq!(room.vec().capacity(), GUESS_MAX);
    }
}
