use std::collections::HashMap;
use std::sync::Arc;

use super::place::Place;
use super::{KEY_BYTES_MAX, KEYS_MAX, Room};

/// Up to this many keys a scan is faster than the index.
const SCANNED_KEYS_MAX: usize = 8;

/// No slot follows.
const NONE: u32 = u32::MAX;

/// The entries of the objects of one place, by key while the keys are few.
#[derive(Debug)]
pub(super) struct Entries {
    slots: Vec<Slot>,
    index: HashMap<Arc<str>, u32>,
    first: u32,
    /// The most entries that one object had.
    pub(super) widest: usize,
    /// Set once the keys are known to be no fields; the slots are then empty for good.
    pub(super) open: Option<Box<Open>>,
}

/// One key of the objects of a place.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) name: Arc<str>,
    pub(super) place: Place,
    /// The slot that followed this one when it was last seen, which is the best guess for the next.
    next: u32,
    /// The ordinal of the object that last had this key, to tell duplicates; ordinals start at 1.
    last: u64,
    /// How often an object had the key again.
    pub(super) repeats: u64,
}

/// The entries of a map, all taken together.
#[derive(Debug, Default)]
pub(super) struct Open {
    pub(super) keys: Place,
    pub(super) values: Place,
    pub(super) non_text: bool,
}

impl Default for Entries {
    fn default() -> Self {
        Entries { slots: Vec::new(), index: HashMap::new(), first: NONE, widest: 0, open: None }
    }
}

impl Slot {
    /// In how many objects the key stood.
    pub(super) fn present(&self) -> u64 {
        self.place.counts.seen() - self.repeats
    }
}

/// Where an object's walk stands: which slot its next key is expected in.
pub(super) struct Cursor {
    ordinal: u64,
    slot: u32,
}

impl Entries {
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Starts the walk of the object with this ordinal.
    #[inline]
    pub(super) fn object(&mut self, ordinal: u64) -> Cursor {
        Cursor { ordinal, slot: NONE }
    }

    /// The place of a key, or none if the entries are open, perhaps only from now on.
    ///
    /// Objects of one kind have their keys in the same order, and the slot that followed the last
    /// time is compared first: a record's walk neither hashes nor searches.
    #[inline]
    pub(super) fn place(
        &mut self,
        cursor: &mut Cursor,
        key: &str,
        room: &mut Room,
    ) -> Option<&mut Place> {
        let guess = match self.slots.get(cursor.slot as usize) {
            Some(slot) => slot.next,
            None => self.first,
        };
        let at = match self.slots.get(guess as usize) {
            Some(slot) if *slot.name == *key => guess,
            _ => self.search(cursor.slot, key, room)?,
        };
        cursor.slot = at;
        let slot = &mut self.slots[at as usize];
        slot.repeats += u64::from(slot.last == cursor.ordinal);
        slot.last = cursor.ordinal;
        Some(&mut slot.place)
    }

    /// Finds or makes the slot of a key that was not the expected one, and expects it from now on.
    #[inline(never)]
    fn search(&mut self, previous: u32, key: &str, room: &mut Room) -> Option<u32> {
        if self.open.is_some() {
            return None;
        }
        let at = match self.find(key) {
            Some(at) => at,
            None => self.insert(key, room)?,
        };
        match self.slots.get_mut(previous as usize) {
            Some(slot) => slot.next = at,
            None => self.first = at,
        }
        Some(at)
    }

    fn find(&self, key: &str) -> Option<u32> {
        if self.index.is_empty() {
            let at = self.slots.iter().position(|slot| *slot.name == *key)?;
            return Some(at as u32);
        }
        self.index.get(key).copied()
    }

    #[cold]
    fn insert(&mut self, key: &str, room: &mut Room) -> Option<u32> {
        if self.slots.len() >= KEYS_MAX || key.len() > KEY_BYTES_MAX || !room.take() {
            self.open(room);
            return None;
        }
        Some(self.push(Arc::from(key), Place::default(), 0))
    }

    fn push(&mut self, name: Arc<str>, place: Place, repeats: u64) -> u32 {
        let at = self.slots.len() as u32;
        self.slots.push(Slot { name, place, next: NONE, last: 0, repeats });
        if self.slots.len() > SCANNED_KEYS_MAX {
            let known = self.index.len();
            let rest = self.slots[known..].iter().map(|slot| Arc::clone(&slot.name));
            self.index.extend(rest.zip(known as u32..));
        }
        at
    }

    /// Takes all keys together from now on: what their places counted becomes one place.
    pub(super) fn open(&mut self, room: &mut Room) -> &mut Open {
        let slots = std::mem::take(&mut self.slots);
        self.index = HashMap::new();
        let open = self.open.get_or_insert_default();
        for slot in slots {
            open.keys.counts.add_texts(slot.name.len(), slot.place.counts.seen());
            open.values.absorb(slot.place, 0, room);
            room.places += 1;
        }
        open
    }

    /// Adds another place's entries to ours; their samples come `shift` later than they say.
    pub(super) fn absorb(&mut self, mut other: Entries, shift: u64, room: &mut Room) {
        self.widest = self.widest.max(other.widest);
        if self.open.is_some() || other.open.is_some() {
            let theirs = std::mem::take(other.open(room));
            let ours = self.open(room);
            ours.keys.absorb(theirs.keys, shift, room);
            ours.values.absorb(theirs.values, shift, room);
            ours.non_text |= theirs.non_text;
            return;
        }
        for slot in other.slots {
            match self.find(&slot.name) {
                Some(at) => {
                    let ours = &mut self.slots[at as usize];
                    ours.repeats += slot.repeats;
                    ours.place.absorb(slot.place, shift, room);
                    room.places += 1;
                }
                None => {
                    let mut place = Place::default();
                    place.absorb(slot.place, shift, room);
                    self.push(slot.name, place, slot.repeats);
                }
            }
        }
        if self.slots.len() > KEYS_MAX {
            self.open(room);
        }
    }

    /// The places below, to be shrunk.
    pub(super) fn places_mut(&mut self) -> impl Iterator<Item = &mut Place> {
        let open = self.open.as_deref_mut().map(|open| [&mut open.keys, &mut open.values]);
        let slots = self.slots.iter_mut().map(|slot| &mut slot.place);
        slots.chain(open.into_iter().flatten())
    }
}
