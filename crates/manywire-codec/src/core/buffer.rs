//! Output buffers: copies of a few bytes, formatted text, and a guess of the capacity that the next
//! encoding needs.

use std::fmt::{Display, Write};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::error::{Error, Result};

/// Appends a head of one byte and `content`, which must have at most 31 bytes: longer content is
/// not copied. The buffer grows once and is filled by two stores that may overlap. A copy of
/// unknown length would be a call.
#[inline]
pub(crate) fn append_short(out: &mut Vec<u8>, head: u8, content: &[u8]) {
    let start = out.len();
    out.extend_from_slice(&[head; 32]);
    if let Some(target) = out.last_chunk_mut::<32>()
        && let Some(target) = target.get_mut(1..=content.len())
    {
        copy_short(target, content);
    }
    out.truncate(start + 1 + content.len());
}

/// Appends a head of one byte and text known at compile time, such as names of fields and variants.
///
/// After inlining, the chain is one check of the capacity and stores of constants. A `push` and a
/// copy check twice, and an array on the stack stalls the stores.
#[inline(always)]
pub(crate) fn append_name(out: &mut Vec<u8>, head: u8, name: &'static str) {
    out.extend(std::iter::once(head).chain(name.bytes()));
}

/// Copies `bytes`, at most 31, to `target`, which must have the same length, by two stores that may
/// overlap. A copy of unknown length would be a call.
#[inline]
pub(crate) fn copy_short(target: &mut [u8], bytes: &[u8]) {
    let _ = fill::<16>(target, bytes)
        || fill::<8>(target, bytes)
        || fill::<4>(target, bytes)
        || fill::<2>(target, bytes)
        || fill::<1>(target, bytes);
}

/// Copies `bytes` if there are `N` to 2 `N` of them. Returns false if there are fewer than `N`.
#[inline(always)]
fn fill<const N: usize>(target: &mut [u8], bytes: &[u8]) -> bool {
    let (Some(first), Some(last)) = (bytes.first_chunk::<N>(), bytes.last_chunk::<N>()) else {
        return false;
    };
    if let Some(target) = target.first_chunk_mut::<N>() {
        *target = *first;
    }
    if let Some(target) = target.last_chunk_mut::<N>() {
        *target = *last;
    }
    true
}

/// Appends the text of a `Display` value.
pub(crate) fn append_display<T: Display + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<()> {
    write!(TextAppender(out), "{value}").map_err(|_| not_formatted())
}

#[cold]
fn not_formatted() -> Error {
    Error::unsupported("the value failed to format itself")
}

struct TextAppender<'o>(&'o mut Vec<u8>);

impl Write for TextAppender<'_> {
    #[inline]
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

// Capacity of new output buffers.

/// The capacity of a buffer for an encoding of unknown size, in bytes: allocators serve it from
/// their cache, and it is enough for an ordinary record.
pub(crate) const INITIAL_CAPACITY: usize = 512;

/// The largest capacity guessed from earlier encodings, in bytes.
const GUESS_MAX: usize = 64 * 1024;

/// Remembers the sizes of a plan's recent encodings, because the next one is likely to be similar.
/// A vector that starts small copies its content repeatedly.
#[derive(Debug, Default)]
pub(crate) struct CapacityHint {
    /// A decaying average in bytes. Threads may overwrite each other's values, because the average
    /// only serves as a guess.
    average: AtomicUsize,
}

impl CapacityHint {
    /// Returns what `encode` appends to a new vector, and records its size.
    #[inline]
    pub(crate) fn fill(&self, encode: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<Vec<u8>> {
        let mut out = self.new_vec();
        encode(&mut out)?;
        self.record(out.len());
        Ok(out)
    }

    /// Creates a vector with a capacity a quarter above the average, from `INITIAL_CAPACITY` to
    /// `GUESS_MAX`.
    #[inline]
    fn new_vec(&self) -> Vec<u8> {
        let average = self.average.load(Relaxed).min(GUESS_MAX);
        Vec::with_capacity((average + average / 4).clamp(INITIAL_CAPACITY, GUESS_MAX))
    }

    /// Records the size of an encoding. Nothing is stored while sizes stay about the same, so that
    /// threads that share a plan do not contend for its cache line.
    #[inline]
    fn record(&self, len: usize) {
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
    fn capacity_follows_sizes_up_to_a_bound() {
        let hint = CapacityHint::default();
        assert_eq!(hint.new_vec().capacity(), INITIAL_CAPACITY);
        hint.record(9_000);
        assert_eq!(hint.new_vec().capacity(), 11_250);
        for _ in 0..100 {
            hint.record(10);
        }
        assert_eq!(hint.new_vec().capacity(), INITIAL_CAPACITY);
        for _ in 0..100 {
            hint.record(usize::MAX);
        }
        assert_eq!(hint.new_vec().capacity(), GUESS_MAX);
    }
}
