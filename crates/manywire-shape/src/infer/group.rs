//! Decides whether objects are records or maps, over groups of profiles that are taken as one. The
//! rules are in the documentation of [`infer`](super).

use std::collections::HashMap;

use super::counts::{Counts, SampleKind};
use super::evidence::MapReason;
use super::profile::{MapProfile, Profile};
use super::{MAP_ENTRIES_MIN, MAP_IDS_MIN, MAP_KEYS_MIN, MAP_OBJECTS_MIN};

/// Several profiles taken as one: the values of a map, or the levels of a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Group<'a>(pub(super) Vec<&'a Profile>);

/// The objects of a group.
#[derive(Debug)]
pub(super) struct ObjectGroup<'a> {
    /// The number of objects.
    pub(super) count: u64,
    /// The keys, in the order of their first appearance.
    pub(super) keys: Vec<KeyGroup<'a>>,
    /// The entries of the objects that are known to be maps.
    pub(super) maps: Vec<&'a MapProfile>,
}

/// One key of the objects of a group.
#[derive(Debug)]
pub(super) struct KeyGroup<'a> {
    pub(super) name: &'a str,
    pub(super) group: Group<'a>,
    /// The number of objects that had the key.
    pub(super) present: u64,
    /// The number of duplicates of the key within objects.
    pub(super) repeats: u64,
}

impl<'a> Group<'a> {
    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.0.iter().for_each(|profile| counts.merge(&profile.counts));
        counts
    }

    pub(super) fn items(&self) -> Group<'a> {
        Group(self.0.iter().filter_map(|profile| profile.item.as_deref()).collect())
    }

    pub(super) fn objects(&self) -> ObjectGroup<'a> {
        let count = self.0.iter().map(|profile| profile.counts.get(SampleKind::Map)).sum();
        let mut objects = ObjectGroup { count, keys: Vec::new(), maps: Vec::new() };
        let mut index: HashMap<&str, usize> = HashMap::new();
        for entries in self.0.iter().filter_map(|profile| profile.entries.as_deref()) {
            objects.maps.extend(entries.map.as_deref());
            for slot in entries.slots() {
                let at = *index.entry(&*slot.name).or_insert(objects.keys.len());
                if at == objects.keys.len() {
                    let group = Group::default();
                    objects.keys.push(KeyGroup { name: &slot.name, group, present: 0, repeats: 0 });
                }
                let key = &mut objects.keys[at];
                key.group.0.push(&slot.profile);
                key.present += slot.present();
                key.repeats += slot.repeats;
            }
        }
        objects
    }

    /// Returns whether all values have one kind apart from null, so that they may be the values of
    /// one map.
    fn has_one_kind(&self) -> bool {
        let counts = self.counts();
        let numbers = [SampleKind::Int, SampleKind::Number, SampleKind::F32, SampleKind::F64];
        let kinds = SampleKind::ALL
            .iter()
            .filter(|kind| **kind != SampleKind::Null && counts.get(**kind) > 0)
            .map(|kind| if numbers.contains(kind) { SampleKind::F64 } else { *kind });
        let mut kinds: Vec<SampleKind> = kinds.collect();
        kinds.dedup();
        if kinds.len() > 1 {
            return false;
        }
        match kinds.first() {
            Some(SampleKind::Array) => self.items().has_one_kind(),
            Some(SampleKind::Map) => self.objects().are_similar(),
            _ => true,
        }
    }
}

impl<'a> ObjectGroup<'a> {
    /// Returns the values of all entries.
    pub(super) fn values(&self) -> Group<'a> {
        let slots = self.keys.iter().flat_map(|key| key.group.0.iter().copied());
        Group(slots.chain(self.maps.iter().map(|map| &map.values)).collect())
    }

    /// Returns the keys of the objects that are known to be maps.
    pub(super) fn map_keys(&self) -> Group<'a> {
        Group(self.maps.iter().map(|map| &map.keys).collect())
    }

    /// Returns the reason why the objects are a map, if they are one.
    pub(super) fn map_reason(&self) -> Option<MapReason> {
        if self.maps.iter().any(|map| map.non_text) {
            return Some(MapReason::NonTextKeys);
        }
        if !self.maps.is_empty() {
            return Some(MapReason::BeyondBounds);
        }
        let reason = self.map_reason_of_keys()?;
        self.values().has_one_kind().then_some(reason)
    }

    /// Returns the reason that the keys alone give for a map.
    fn map_reason_of_keys(&self) -> Option<MapReason> {
        let keys = self.keys.len();
        if keys > 0 && self.keys.iter().all(|key| is_number(key.name)) {
            return Some(MapReason::Numbers);
        }
        let varied = self.keys.iter().all(|key| key.present < self.count);
        let identifiers = self.keys.iter().filter(|key| is_identifier(key.name)).count();
        // Nine in ten suffice, because a few identifiers have no digit by chance.
        if identifiers * 10 >= keys * 9
            && (varied && keys >= MAP_IDS_MIN || self.count == 1 && keys >= MAP_ENTRIES_MIN)
        {
            return Some(MapReason::Identifiers);
        }
        let new: f64 = self.keys.iter().map(|key| newness(key.present)).sum();
        (varied
            && self.count >= MAP_OBJECTS_MIN
            && keys >= MAP_KEYS_MIN
            && new >= keys as f64 / 6.0)
            .then_some(MapReason::Churn)
    }

    /// Returns whether the objects are similar: on average each object has at least half of all
    /// keys, or the objects are maps.
    fn are_similar(&self) -> bool {
        let present: u64 = self.keys.iter().map(|key| key.present).sum();
        present * 2 >= self.count * self.keys.len() as u64 || self.map_reason().is_some()
    }
}

/// Returns the probability that, in a random order of the objects, a key is new to the last third
/// of them: every object that has the key must be in that third.
fn newness(present: u64) -> f64 {
    3f64.powi(-i32::try_from(present).unwrap_or(i32::MAX))
}

fn is_number(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a key looks like an identifier rather than a word: whether it has a digit.
fn is_identifier(key: &str) -> bool {
    key.bytes().any(|byte| byte.is_ascii_digit())
}
