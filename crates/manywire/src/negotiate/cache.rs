//! A cache of choices: clients send the same few fields again and again.
//!
//! Each thread has its own table, so that nothing is shared. The table has a fixed size, so that
//! clients cannot fill the memory: each field has one slot, and a later field with the same slot
//! replaces it.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

/// The maximum number of choices that a thread keeps.
const ENTRIES: usize = 64;

/// The maximum size, in bytes, of a cached field. Longer fields are parsed each time. A browser's
/// `Accept` has about 140 bytes.
const FIELD_BYTES_MAX: usize = 256;

struct CachedChoice {
    /// The number of the cache that the choice belongs to, or zero for an empty slot.
    owner: u32,
    length: u16,
    choice: u8,
    field: [u8; FIELD_BYTES_MAX],
}

impl CachedChoice {
    const EMPTY: CachedChoice =
        CachedChoice { owner: 0, length: 0, choice: 0, field: [0; FIELD_BYTES_MAX] };

    #[inline]
    fn matches(&self, owner: u32, field: &[u8]) -> bool {
        self.owner == owner
            && usize::from(self.length) == field.len()
            && self.field.get(..field.len()) == Some(field)
    }
}

thread_local! {
    static TABLE: RefCell<[CachedChoice; ENTRIES]> = const { RefCell::new([CachedChoice::EMPTY; ENTRIES]) };
}

/// The identity of a list of offers within the tables, for the lifetime of the process.
#[derive(Debug)]
pub(super) struct ChoiceCache(u32);

impl ChoiceCache {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        // The number wraps after four billion lists, which no process creates.
        ChoiceCache(NEXT.fetch_add(1, Ordering::Relaxed).max(1))
    }

    /// Returns the cached choice for a field. Without one, calls `choose` and caches the result,
    /// unless the field is longer than [`FIELD_BYTES_MAX`].
    #[inline]
    pub(super) fn get_or_choose(&self, field: &[u8], choose: impl FnOnce() -> u8) -> u8 {
        if field.len() > FIELD_BYTES_MAX {
            return choose();
        }
        TABLE.with_borrow_mut(|table| {
            let entry = &mut table[slot(self.0, field)];
            if !entry.matches(self.0, field) {
                entry.choice = choose();
                entry.owner = self.0;
                entry.length = field.len() as u16;
                entry.field[..field.len()].copy_from_slice(field);
            }
            entry.choice
        })
    }
}

/// Returns the slot of a field. The length and the last 16 bytes distinguish the fields that real
/// clients send. A collision costs one more parse.
#[inline]
fn slot(owner: u32, field: &[u8]) -> usize {
    let end = match field.last_chunk::<16>() {
        Some(end) => {
            let [low, high] =
                [u128::from_le_bytes(*end) as u64, (u128::from_le_bytes(*end) >> 64) as u64];
            low ^ high.rotate_left(29)
        }
        None => field.iter().fold(0, |mixed: u64, byte| mixed.rotate_left(5) ^ u64::from(*byte)),
    };
    let mixed = end ^ (u64::from(owner) << 32) ^ field.len() as u64;
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - ENTRIES.trailing_zeros())) as usize
}
