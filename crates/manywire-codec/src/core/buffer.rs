//! Copies of a few bytes.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// Appends a head of one byte and at most 31 bytes of content, more of which are cut off: the whole
/// place they may need is made at once, and filled by two stores that may overlap, where a copy of
/// unknown length is a call.
#[inline]
pub(crate) fn append_short(out: &mut Vec<u8>, head: u8, content: &[u8]) {
    let start = out.len();
    out.extend_from_slice(&[head; 32]);
    if let Some(place) = out.last_chunk_mut::<32>()
        && let Some(place) = place.get_mut(1..=content.len())
    {
        short(place, content);
    }
    out.truncate(start + 1 + content.len());
}

/// Appends a head of one byte and text that is known when the program is compiled, as the names of
/// fields and variants are.
///
/// Inlined there, the chain becomes one check of the capacity and constants stored where they
/// belong; a `push` and a copy check twice, and going through an array on the stack waits for it.
#[inline(always)]
pub(crate) fn append_name(out: &mut Vec<u8>, head: u8, name: &'static str) {
    out.extend(std::iter::once(head).chain(name.bytes()));
}

/// Fills `place` with as many bytes, at most 31: by two stores that may overlap, where a copy of
/// unknown length is a call. Places of another length are left as they are.
#[inline]
pub(crate) fn short(place: &mut [u8], bytes: &[u8]) {
    let _ = fill::<16>(place, bytes)
        || fill::<8>(place, bytes)
        || fill::<4>(place, bytes)
        || fill::<2>(place, bytes)
        || fill::<1>(place, bytes);
}

/// Copies between `N` and 2 `N` bytes; says no if there are fewer.
#[inline(always)]
fn fill<const N: usize>(place: &mut [u8], bytes: &[u8]) -> bool {
    let (Some(first), Some(last)) = (bytes.first_chunk::<N>(), bytes.last_chunk::<N>()) else {
        return false;
    };
    if let Some(place) = place.first_chunk_mut::<N>() {
        *place = *first;
    }
    if let Some(place) = place.last_chunk_mut::<N>() {
        *place = *last;
    }
    true
}

// Room for what is about to be written.

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
