use std::collections::HashMap;
use std::sync::Arc;

use super::counts::{Counts, Kind};
use super::evidence::Example;
use super::{DEPTH_MAX, KEY_BYTES_MAX, KEYS_MAX, Room};
use crate::Value;

/// One place of the samples: what was seen there, and the places below.
#[derive(Debug, Default)]
pub(super) struct Place {
    pub(super) counts: Counts,
    /// The first of each kind.
    pub(super) examples: Vec<Example>,
    pub(super) item: Option<Box<Place>>,
    pub(super) entries: Option<Box<Entries>>,
}

impl Place {
    /// Counts a value that holds no others; the containers are counted by their walk.
    #[inline]
    pub(super) fn add_scalar(&mut self, value: &Value<'_>, sample: u64) {
        let counts = &mut self.counts;
        let kind = match *value {
            Value::Str(text) => {
                counts.text.count(text.len());
                Kind::Str
            }
            Value::I64(number) => {
                counts.ints.count(number);
                Kind::Int
            }
            Value::F64(_) => Kind::F64,
            Value::Bool(_) => Kind::Bool,
            Value::Null => Kind::Null,
            Value::U64(number) => {
                counts.ints.count_unsigned(number);
                Kind::Int
            }
            Value::F32(_) => Kind::F32,
            Value::Bytes(bytes) => {
                counts.bytes.count(bytes.len());
                Kind::Bytes
            }
            Value::Number(_) => Kind::Number,
            Value::Timestamp(_) => Kind::Timestamp,
            Value::Ext(_) => Kind::Ext,
            Value::Array(_) => Kind::Array,
            Value::Map(_) => Kind::Map,
        };
        if counts.bump(kind) {
            self.keep_example(kind, sample, value);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn keep_example(&mut self, kind: Kind, sample: u64, value: &Value<'_>) {
        self.examples.push(Example::new(kind, sample, value));
    }
}

impl Place {
    /// Counts a value and everything in it.
    #[inline]
    pub(super) fn add(&mut self, value: &Value<'_>, depth: usize, room: &mut Room) {
        match value {
            Value::Array(items) => self.add_array(items, depth, room),
            Value::Map(entries) => self.add_map(entries, depth, room),
            scalar => self.add_scalar(scalar, room.sample),
        }
    }

    fn add_array(&mut self, items: &[Value<'_>], depth: usize, room: &mut Room) {
        if self.counts.bump(Kind::Array) {
            self.keep_example(Kind::Array, room.sample, &Value::Array(items));
        }
        self.counts.items.count(items.len());
        if items.is_empty() {
            return;
        }
        if self.item.is_none() && depth < DEPTH_MAX && room.take() {
            self.item = Some(Box::default());
        }
        match &mut self.item {
            Some(place) => {
                for item in items {
                    place.add(item, depth + 1, room);
                }
            }
            None => self.counts.unknown = true,
        }
    }

    fn add_map(&mut self, entries: &[(Value<'_>, Value<'_>)], depth: usize, room: &mut Room) {
        if self.counts.bump(Kind::Map) {
            self.keep_example(Kind::Map, room.sample, &Value::Map(entries));
        }
        let ordinal = self.counts.of(Kind::Map);
        if self.entries.is_none() && depth < DEPTH_MAX && room.take() {
            self.entries = Some(Box::default());
        }
        match &mut self.entries {
            Some(known) => known.add(entries, ordinal, depth + 1, room),
            None => self.counts.unknown = true,
        }
    }
}

impl Entries {
    /// Counts the entries of the object with this ordinal.
    fn add(
        &mut self,
        entries: &[(Value<'_>, Value<'_>)],
        ordinal: u64,
        depth: usize,
        room: &mut Room,
    ) {
        self.widest = self.widest.max(entries.len());
        let mut cursor = self.object(ordinal);
        for (key, value) in entries {
            if let Value::Str(text) = key
                && let Some(place) = self.place(&mut cursor, text, room)
            {
                place.add(value, depth, room);
            } else {
                self.add_to_map(key, value, depth, room);
            }
        }
    }

    /// Counts an entry whose key is no field's name.
    #[inline(never)]
    fn add_to_map(&mut self, key: &Value<'_>, value: &Value<'_>, depth: usize, room: &mut Room) {
        let open = match &mut self.open {
            Some(open) => open,
            None => self.open(room),
        };
        open.non_text |= !matches!(key, Value::Str(_));
        open.keys.add(key, depth, room);
        open.values.add(value, depth, room);
    }
}

/// Records of more keys than this become maps, by turns, when merging leaves too many places.
const SHRINKING_KEYS_MAX: [usize; 4] = [64, 16, 4, 1];

impl Place {
    /// Adds everything another place has seen to ours; its samples come `shift` later than they
    /// say. Gives back the room of what both held, but not of the other place itself: that is for
    /// whoever held it.
    pub(super) fn absorb(&mut self, other: Place, shift: u64, room: &mut Room) {
        for example in other.examples {
            self.keep_earlier(example.later(shift));
        }
        self.counts.tally(&other.counts);
        if let Some(theirs) = other.item {
            room.places += usize::from(self.item.is_some());
            self.item.get_or_insert_default().absorb(*theirs, shift, room);
        }
        if let Some(theirs) = other.entries {
            room.places += usize::from(self.entries.is_some());
            self.entries.get_or_insert_default().absorb(*theirs, shift, room);
        }
    }

    fn keep_earlier(&mut self, example: Example) {
        match self.examples.iter_mut().find(|ours| ours.kind == example.kind) {
            Some(ours) if ours.sample <= example.sample => {}
            Some(ours) => *ours = example,
            None => self.examples.push(example),
        }
    }

    /// Gives up detail, the widest records first, until this much room is left.
    pub(super) fn shrink(&mut self, left: usize, room: &mut Room) {
        for keys in SHRINKING_KEYS_MAX {
            if room.places >= left {
                return;
            }
            self.open_wide(keys, room);
        }
        for depth in (0..DEPTH_MAX).rev() {
            if room.places >= left {
                return;
            }
            self.cut(depth, room);
        }
    }

    /// Makes maps of all records with more keys than this.
    fn open_wide(&mut self, keys_max: usize, room: &mut Room) {
        for place in self.below_mut() {
            place.open_wide(keys_max, room);
        }
        if let Some(entries) = &mut self.entries
            && entries.slots().len() > keys_max
        {
            entries.open(room);
        }
    }

    /// Forgets what lies deeper than this.
    fn cut(&mut self, depth: usize, room: &mut Room) {
        if depth > 0 {
            self.below_mut().for_each(|place| place.cut(depth - 1, room));
            return;
        }
        let taken = self.places_below();
        if taken > 0 {
            self.counts.unknown = true;
            self.item = None;
            self.entries = None;
            room.places += taken;
        }
    }

    /// How much room the places below take.
    fn places_below(&self) -> usize {
        let item = self.item.as_ref().map_or(0, |place| 1 + place.places_below());
        let entries = self.entries.as_ref().map_or(0, |entries| {
            let slots = entries.slots().iter().map(|slot| 1 + slot.place.places_below());
            let open = entries.open.iter().flat_map(|open| [&open.keys, &open.values]);
            1 + slots.sum::<usize>() + open.map(Place::places_below).sum::<usize>()
        });
        item + entries
    }

    fn below_mut(&mut self) -> impl Iterator<Item = &mut Place> {
        let entries = self.entries.iter_mut().flat_map(|entries| entries.places_mut());
        self.item.as_deref_mut().into_iter().chain(entries)
    }
}

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
