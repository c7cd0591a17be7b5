//! Profiles: a tree of statistics with one node for every path of the samples.

use std::collections::HashMap;
use std::sync::Arc;

use super::counts::{Counts, SampleKind};
use super::evidence::Example;
use super::{Budget, DEPTH_MAX, KEY_BYTES_MAX, KEYS_MAX, PROFILES_MAX};
use crate::Value;

/// The limits that `shrink` tries in turn: records of more keys become maps.
const SHRINKING_KEYS_MAX: [usize; 4] = [64, 16, 4, 1];

/// The maximum number of keys for which a scan is faster than the index.
const SCANNED_KEYS_MAX: usize = 8;

/// The index that marks the absence of a slot.
const NONE: u32 = u32::MAX;

/// The statistics of one path of the samples, and the profiles of the paths below it.
#[derive(Debug, Default)]
pub(super) struct Profile {
    pub(super) counts: Counts,
    /// The first value of each kind.
    pub(super) examples: Vec<Example>,
    pub(super) item: Option<Box<Profile>>,
    pub(super) entries: Option<Box<ObjectProfile>>,
}

/// The entries of the objects of one path: a profile for each key, or one profile of all values
/// once the objects are known to be maps.
#[derive(Debug)]
pub(super) struct ObjectProfile {
    slots: Vec<Slot>,
    index: HashMap<Arc<str>, u32>,
    first: u32,
    /// Set once the objects are known to be maps; there are no slots from then on.
    pub(super) map: Option<Box<MapProfile>>,
}

/// One key of the objects of a profile.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) name: Arc<str>,
    pub(super) profile: Profile,
    /// The slot that followed this one last time, which is the best guess for the next key.
    next: u32,
    /// The ordinal of the object that last had this key, to detect duplicates. Ordinals start at 1.
    last: u64,
    /// The number of duplicates of the key within objects.
    pub(super) repeats: u64,
}

/// The entries of a map: one profile for all keys and one for all values.
#[derive(Debug, Default)]
pub(super) struct MapProfile {
    pub(super) keys: Profile,
    pub(super) values: Profile,
    pub(super) non_text: bool,
}

/// The position in the walk of an object: the slot of its last key, which predicts the next.
struct Cursor {
    ordinal: u64,
    slot: u32,
}

impl Profile {
    /// Counts a scalar. Containers are counted by `add_array` and `add_map`.
    #[inline]
    fn add_scalar(&mut self, value: &Value<'_>, sample: u64) {
        let counts = &mut self.counts;
        let kind = match *value {
            Value::Str(text) => {
                counts.text.count(text.len());
                SampleKind::Str
            }
            Value::I64(number) | Value::Long(number) => {
                counts.ints.count(number);
                SampleKind::Int
            }
            Value::F64(_) => SampleKind::F64,
            Value::Bool(_) => SampleKind::Bool,
            Value::Null => SampleKind::Null,
            Value::U64(number) => {
                counts.ints.count_unsigned(number);
                SampleKind::Int
            }
            Value::F32(_) => SampleKind::F32,
            Value::Bytes(bytes) => {
                counts.bytes.count(bytes.len());
                SampleKind::Bytes
            }
            Value::Number(_) => SampleKind::Number,
            Value::Timestamp(_) => SampleKind::Timestamp,
            Value::Ext(_) => SampleKind::Ext,
            Value::Array(_) => SampleKind::Array,
            Value::Map(_) => SampleKind::Map,
        };
        if counts.increment(kind) {
            self.add_example(kind, sample, value);
        }
    }

    #[cold]
    #[inline(never)]
    fn add_example(&mut self, kind: SampleKind, sample: u64, value: &Value<'_>) {
        self.examples.push(Example::new(kind, sample, value));
    }

    /// Counts a value and everything in it.
    #[inline]
    pub(super) fn add(&mut self, value: &Value<'_>, depth: usize, budget: &mut Budget) {
        match value {
            Value::Array(items) => self.add_array(items, depth, budget),
            Value::Map(entries) => self.add_map(entries, depth, budget),
            scalar => self.add_scalar(scalar, budget.sample),
        }
    }

    fn add_array(&mut self, items: &[Value<'_>], depth: usize, budget: &mut Budget) {
        if self.counts.increment(SampleKind::Array) {
            self.add_example(SampleKind::Array, budget.sample, &Value::Array(items));
        }
        self.counts.items.count(items.len());
        if items.is_empty() {
            return;
        }
        if self.item.is_none() && depth < DEPTH_MAX && budget.take() {
            self.item = Some(Box::default());
        }
        match &mut self.item {
            Some(profile) => {
                for item in items {
                    profile.add(item, depth + 1, budget);
                }
            }
            None => self.counts.unknown = true,
        }
    }

    fn add_map(&mut self, entries: &[(Value<'_>, Value<'_>)], depth: usize, budget: &mut Budget) {
        if self.counts.increment(SampleKind::Map) {
            self.add_example(SampleKind::Map, budget.sample, &Value::Map(entries));
        }
        let ordinal = self.counts.get(SampleKind::Map);
        if self.entries.is_none() && depth < DEPTH_MAX && budget.take() {
            self.entries = Some(Box::default());
        }
        match &mut self.entries {
            Some(known) => known.add(entries, ordinal, depth + 1, budget),
            None => self.counts.unknown = true,
        }
    }

    /// Adds another profile to this one; its sample numbers increase by `shift`. Returns one
    /// profile to the budget for each path that both trees have, except for the path of `other`
    /// itself, which the caller counts.
    pub(super) fn merge(&mut self, other: Profile, shift: u64, budget: &mut Budget) {
        for example in other.examples {
            self.add_earlier_example(example.later(shift));
        }
        self.counts.merge(&other.counts);
        if let Some(theirs) = other.item {
            budget.profiles += usize::from(self.item.is_some());
            self.item.get_or_insert_default().merge(*theirs, shift, budget);
        }
        if let Some(theirs) = other.entries {
            budget.profiles += usize::from(self.entries.is_some());
            self.entries.get_or_insert_default().merge(*theirs, shift, budget);
        }
    }

    fn add_earlier_example(&mut self, example: Example) {
        match self.examples.iter_mut().find(|ours| ours.kind == example.kind) {
            Some(ours) if ours.sample <= example.sample => {}
            Some(ours) => *ours = example,
            None => self.examples.push(example),
        }
    }

    /// Drops detail, the widest records first, until the budget has [`PROFILES_MAX`] profiles.
    pub(super) fn shrink(&mut self, budget: &mut Budget) {
        for keys in SHRINKING_KEYS_MAX {
            if budget.profiles >= PROFILES_MAX {
                return;
            }
            self.convert_wide_records(keys, budget);
        }
        for depth in (0..DEPTH_MAX).rev() {
            if budget.profiles >= PROFILES_MAX {
                return;
            }
            self.truncate(depth, budget);
        }
    }

    /// Converts all records with more than `keys_max` keys to maps.
    fn convert_wide_records(&mut self, keys_max: usize, budget: &mut Budget) {
        for profile in self.children_mut() {
            profile.convert_wide_records(keys_max, budget);
        }
        if let Some(entries) = &mut self.entries
            && entries.slots().len() > keys_max
        {
            entries.merge_keys(budget);
        }
    }

    /// Drops the profiles more than `depth` levels below this one.
    fn truncate(&mut self, depth: usize, budget: &mut Budget) {
        if depth > 0 {
            self.children_mut().for_each(|profile| profile.truncate(depth - 1, budget));
            return;
        }
        let taken = self.profiles_below();
        if taken > 0 {
            self.counts.unknown = true;
            self.item = None;
            self.entries = None;
            budget.profiles += taken;
        }
    }

    /// Returns the number of profiles below this one.
    fn profiles_below(&self) -> usize {
        let item = self.item.as_ref().map_or(0, |profile| 1 + profile.profiles_below());
        let entries = self.entries.as_ref().map_or(0, |entries| {
            let slots = entries.slots().iter().map(|slot| 1 + slot.profile.profiles_below());
            let map = entries.map.iter().flat_map(|map| [&map.keys, &map.values]);
            1 + slots.sum::<usize>() + map.map(Profile::profiles_below).sum::<usize>()
        });
        item + entries
    }

    fn children_mut(&mut self) -> impl Iterator<Item = &mut Profile> {
        let entries = self.entries.iter_mut().flat_map(|entries| entries.profiles_mut());
        self.item.as_deref_mut().into_iter().chain(entries)
    }
}

impl Default for ObjectProfile {
    fn default() -> Self {
        ObjectProfile { slots: Vec::new(), index: HashMap::new(), first: NONE, map: None }
    }
}

impl ObjectProfile {
    /// Counts the entries of the object with this ordinal.
    fn add(
        &mut self,
        entries: &[(Value<'_>, Value<'_>)],
        ordinal: u64,
        depth: usize,
        budget: &mut Budget,
    ) {
        let mut cursor = Cursor { ordinal, slot: NONE };
        for (key, value) in entries {
            if let Value::Str(text) = key
                && let Some(profile) = self.profile(&mut cursor, text, budget)
            {
                profile.add(value, depth, budget);
            } else {
                self.add_to_map(key, value, depth, budget);
            }
        }
    }

    /// Counts an entry of a map, whose key names no field.
    #[inline(never)]
    fn add_to_map(
        &mut self,
        key: &Value<'_>,
        value: &Value<'_>,
        depth: usize,
        budget: &mut Budget,
    ) {
        let map = match &mut self.map {
            Some(map) => map,
            None => self.merge_keys(budget),
        };
        map.non_text |= !matches!(key, Value::Str(_));
        map.keys.add(key, depth, budget);
        map.values.add(value, depth, budget);
    }

    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Returns the profile of a key, or `None` if the objects are maps; this key may have made them
    /// maps.
    ///
    /// Similar objects have their keys in the same order, so the slot that followed last time is
    /// compared first. The walk of a record then neither hashes nor searches.
    #[inline]
    fn profile(
        &mut self,
        cursor: &mut Cursor,
        key: &str,
        budget: &mut Budget,
    ) -> Option<&mut Profile> {
        let guess = match self.slots.get(cursor.slot as usize) {
            Some(slot) => slot.next,
            None => self.first,
        };
        let at = match self.slots.get(guess as usize) {
            Some(slot) if *slot.name == *key => guess,
            _ => self.search(cursor.slot, key, budget)?,
        };
        cursor.slot = at;
        let slot = &mut self.slots[at as usize];
        slot.repeats += u64::from(slot.last == cursor.ordinal);
        slot.last = cursor.ordinal;
        Some(&mut slot.profile)
    }

    /// Finds or adds the slot of a key that was not predicted, and predicts it from now on.
    #[inline(never)]
    fn search(&mut self, previous: u32, key: &str, budget: &mut Budget) -> Option<u32> {
        if self.map.is_some() {
            return None;
        }
        let at = match self.find(key) {
            Some(at) => at,
            None => self.insert(key, budget)?,
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
    fn insert(&mut self, key: &str, budget: &mut Budget) -> Option<u32> {
        if self.slots.len() >= KEYS_MAX || key.len() > KEY_BYTES_MAX || !budget.take() {
            self.merge_keys(budget);
            return None;
        }
        Some(self.push(Arc::from(key), Profile::default(), 0))
    }

    fn push(&mut self, name: Arc<str>, profile: Profile, repeats: u64) -> u32 {
        let at = self.slots.len() as u32;
        self.slots.push(Slot { name, profile, next: NONE, last: 0, repeats });
        if self.slots.len() > SCANNED_KEYS_MAX {
            let known = self.index.len();
            let rest = self.slots[known..].iter().map(|slot| Arc::clone(&slot.name));
            self.index.extend(rest.zip(known as u32..));
        }
        at
    }

    /// Turns the objects into maps: merges the profiles of all keys into one.
    fn merge_keys(&mut self, budget: &mut Budget) -> &mut MapProfile {
        let slots = std::mem::take(&mut self.slots);
        self.index = HashMap::new();
        let map = self.map.get_or_insert_default();
        for slot in slots {
            map.keys.counts.add_texts(slot.name.len(), slot.profile.counts.total());
            map.values.merge(slot.profile, 0, budget);
            budget.profiles += 1;
        }
        map
    }

    /// Adds the entries of another profile; their sample numbers increase by `shift`.
    fn merge(&mut self, mut other: ObjectProfile, shift: u64, budget: &mut Budget) {
        if self.map.is_some() || other.map.is_some() {
            let theirs = std::mem::take(other.merge_keys(budget));
            let ours = self.merge_keys(budget);
            ours.keys.merge(theirs.keys, shift, budget);
            ours.values.merge(theirs.values, shift, budget);
            ours.non_text |= theirs.non_text;
            return;
        }
        for slot in other.slots {
            match self.find(&slot.name) {
                Some(at) => {
                    let ours = &mut self.slots[at as usize];
                    ours.repeats += slot.repeats;
                    ours.profile.merge(slot.profile, shift, budget);
                    budget.profiles += 1;
                }
                None => {
                    let mut profile = Profile::default();
                    profile.merge(slot.profile, shift, budget);
                    self.push(slot.name, profile, slot.repeats);
                }
            }
        }
        if self.slots.len() > KEYS_MAX {
            self.merge_keys(budget);
        }
    }

    /// Returns the profiles of all values and map keys.
    fn profiles_mut(&mut self) -> impl Iterator<Item = &mut Profile> {
        let map = self.map.as_deref_mut().map(|map| [&mut map.keys, &mut map.values]);
        let slots = self.slots.iter_mut().map(|slot| &mut slot.profile);
        slots.chain(map.into_iter().flatten())
    }
}

impl Slot {
    /// Returns the number of objects that had the key.
    pub(super) fn present(&self) -> u64 {
        self.profile.counts.total() - self.repeats
    }
}
