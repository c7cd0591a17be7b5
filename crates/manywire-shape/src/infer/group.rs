use std::collections::HashMap;
use std::fmt;

use super::counts::{Counts, Kind};
use super::profile::{Open, Place};
use super::{MAP_ENTRIES_MIN, MAP_IDS_MIN, MAP_KEYS_MIN, MAP_OBJECTS_MIN};

/// Several places taken as one: the values of a map, the levels of a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Group<'a>(pub(super) Vec<&'a Place>);

/// The objects of a group.
#[derive(Debug)]
pub(super) struct Objects<'a> {
    /// How many there were.
    pub(super) count: u64,
    /// Their keys, in the order of their first appearance.
    pub(super) keys: Vec<Key<'a>>,
    /// The entries of those known to be maps.
    pub(super) open: Vec<&'a Open>,
}

/// One key of the objects of a group.
#[derive(Debug)]
pub(super) struct Key<'a> {
    pub(super) name: &'a str,
    pub(super) group: Group<'a>,
    /// In how many objects it stood.
    pub(super) present: u64,
    /// How often an object had it again.
    pub(super) repeats: u64,
}

impl<'a> Group<'a> {
    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.0.iter().for_each(|place| counts.tally(&place.counts));
        counts
    }

    pub(super) fn items(&self) -> Group<'a> {
        Group(self.0.iter().filter_map(|place| place.item.as_deref()).collect())
    }

    pub(super) fn objects(&self) -> Objects<'a> {
        let count = self.0.iter().map(|place| place.counts.of(Kind::Map)).sum();
        let mut objects = Objects { count, keys: Vec::new(), open: Vec::new() };
        let mut index: HashMap<&str, usize> = HashMap::new();
        for entries in self.0.iter().filter_map(|place| place.entries.as_deref()) {
            objects.open.extend(entries.open.as_deref());
            for slot in entries.slots() {
                let at = *index.entry(&*slot.name).or_insert(objects.keys.len());
                if at == objects.keys.len() {
                    let group = Group::default();
                    objects.keys.push(Key { name: &slot.name, group, present: 0, repeats: 0 });
                }
                let key = &mut objects.keys[at];
                key.group.0.push(&slot.place);
                key.present += slot.present();
                key.repeats += slot.repeats;
            }
        }
        objects
    }
}

impl<'a> Objects<'a> {
    /// The values of all entries.
    pub(super) fn values(&self) -> Group<'a> {
        let slots = self.keys.iter().flat_map(|key| key.group.0.iter().copied());
        Group(slots.chain(self.open.iter().map(|open| &open.values)).collect())
    }

    /// What the keys of open entries were.
    pub(super) fn open_keys(&self) -> Group<'a> {
        Group(self.open.iter().map(|open| &open.keys).collect())
    }
}

/// Why objects are a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A key was no text.
    NonTextKeys,
    /// There were more keys, longer ones or more places than are kept.
    BeyondBounds,
    /// Every key is a number.
    Numbers,
    /// The keys look like identifiers.
    Identifiers,
    /// Many keys were seen once, so that more are to be expected.
    Churn,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::NonTextKeys => "keys that are no text",
            Why::BeyondBounds => "too many keys to be fields",
            Why::Numbers => "keys that are numbers",
            Why::Identifiers => "keys that look like identifiers",
            Why::Churn => "keys that come and go",
        })
    }
}

impl Objects<'_> {
    /// Why the objects are a map, if they are one.
    pub(super) fn why_map(&self) -> Option<Why> {
        if self.open.iter().any(|open| open.non_text) {
            return Some(Why::NonTextKeys);
        }
        if !self.open.is_empty() {
            return Some(Why::BeyondBounds);
        }
        let why = self.why_keys_churn()?;
        self.values().agrees().then_some(why)
    }

    /// What about the keys alone speaks for a map.
    fn why_keys_churn(&self) -> Option<Why> {
        let keys = self.keys.len();
        if keys > 0 && self.keys.iter().all(|key| is_number(key.name)) {
            return Some(Why::Numbers);
        }
        let varied = self.keys.iter().all(|key| key.present < self.count);
        let identifiers = self.keys.iter().filter(|key| is_identifier(key.name)).count();
        // Nine in ten, because one id in many has no digit by chance.
        if identifiers * 10 >= keys * 9
            && (varied && keys >= MAP_IDS_MIN || self.count == 1 && keys >= MAP_ENTRIES_MIN)
        {
            return Some(Why::Identifiers);
        }
        let new: f64 = self.keys.iter().map(|key| newness(key.present)).sum();
        (varied
            && self.count >= MAP_OBJECTS_MIN
            && keys >= MAP_KEYS_MIN
            && new >= keys as f64 / 6.0)
            .then_some(Why::Churn)
    }
}

/// The chance that a key is new to the last third of the objects, when they come in any order:
/// each of the objects that have it must fall into that third.
fn newness(present: u64) -> f64 {
    3f64.powi(-i32::try_from(present).unwrap_or(i32::MAX))
}

fn is_number(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a key looks like an identifier rather than a word: it has a digit.
fn is_identifier(key: &str) -> bool {
    key.bytes().any(|byte| byte.is_ascii_digit())
}

impl Group<'_> {
    /// Whether all places are of one kind, null aside, so that they may be the values of one map.
    fn agrees(&self) -> bool {
        let counts = self.counts();
        let numbers = [Kind::Int, Kind::Number, Kind::F32, Kind::F64];
        let kinds = Kind::ALL
            .iter()
            .filter(|kind| **kind != Kind::Null && counts.of(**kind) > 0)
            .map(|kind| if numbers.contains(kind) { Kind::F64 } else { *kind });
        let mut kinds: Vec<Kind> = kinds.collect();
        kinds.dedup();
        if kinds.len() > 1 {
            return false;
        }
        match kinds.first() {
            Some(Kind::Array) => self.items().agrees(),
            Some(Kind::Map) => self.objects().agree(),
            _ => true,
        }
    }
}

impl Objects<'_> {
    /// Whether the objects are alike: on average each has half of all keys, or they are maps.
    fn agree(&self) -> bool {
        let present: u64 = self.keys.iter().map(|key| key.present).sum();
        present * 2 >= self.count * self.keys.len() as u64 || self.why_map().is_some()
    }
}
