use std::collections::HashMap;

use super::counts::Counts;
use super::entries::Open;
use super::kind::Kind;
use super::place::Place;

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
