//! Choices made before: clients send the same few fields again and again.
//!
//! A table a thread, so that nothing is shared, of fixed size, so that no client can fill the
//! memory: a field has one place, and whoever comes later takes it.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many choices a thread keeps.
const ENTRIES: usize = 64;

/// Longer fields are read each time. A browser's `Accept` has about 140 bytes.
const FIELD_BYTES_MAX: usize = 256;

struct Entry {
    /// Whose choice it is; zero for nobody's.
    question: u32,
    length: u16,
    choice: u8,
    field: [u8; FIELD_BYTES_MAX],
}

thread_local! {
    static TABLE: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
}

/// A list of offers that choices are made from, for as long as the process lives.
#[derive(Debug)]
pub(super) struct Question(u32);

impl Question {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        // After four billion lists two might share a number; more than that are not made.
        Question(NEXT.fetch_add(1, Ordering::Relaxed).max(1))
    }

    /// The choice for a field: remembered, or else made and kept.
    #[inline]
    pub(super) fn answer(&self, field: &[u8], choose: impl FnOnce() -> u8) -> u8 {
        if field.len() > FIELD_BYTES_MAX {
            return choose();
        }
        TABLE.with_borrow_mut(|table| {
            if table.is_empty() {
                *table = empty();
            }
            let place = place(self.0, field);
            let Some(entry) = table.get_mut(place) else { return choose() };
            if entry.question == self.0
                && entry.field.get(..usize::from(entry.length)) == Some(field)
            {
                return entry.choice;
            }
            entry.choice = choose();
            entry.question = self.0;
            entry.length = field.len() as u16;
            entry.field[..field.len()].copy_from_slice(field);
            entry.choice
        })
    }
}

#[cold]
fn empty() -> Vec<Entry> {
    let entry = || Entry { question: 0, length: 0, choice: 0, field: [0; FIELD_BYTES_MAX] };
    std::iter::repeat_with(entry).take(ENTRIES).collect()
}

/// The place of a field. Its length and a few of its bytes tell the fields of real clients apart;
/// a clash costs one more reading.
#[inline]
fn place(question: u32, field: &[u8]) -> usize {
    let word = |at: usize| {
        let bytes = field.get(at..).and_then(|rest| rest.first_chunk::<8>());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    let length = field.len();
    let mixed = word(length / 2) ^ word(length.saturating_sub(8)).rotate_left(23);
    let mixed = mixed ^ (u64::from(question) << 32) ^ length as u64;
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - ENTRIES.trailing_zeros())) as usize
}
