//! Trees: records that hold records of their own kind.

use std::collections::HashSet;

use super::group::{Group, Objects};
use super::kind::Kind;
use super::place::Place;

impl<'a> Group<'a> {
    /// This group's objects together with the objects of the same kind below them, if there are
    /// any: under a key that they have themselves, perhaps in arrays, with much the same keys.
    pub(super) fn with_descendants(&self) -> Option<Group<'a>> {
        let mut whole = self.clone();
        loop {
            let found = whole.next_level();
            if found.0.is_empty() {
                return (whole.0.len() > self.0.len()).then_some(whole);
            }
            whole.0.extend(found.0);
        }
    }

    /// Whether all objects of another group are among ours.
    pub(super) fn contains_objects_of(&self, other: &Group<'a>) -> bool {
        let ours = self.addresses();
        other.with_objects().0.iter().all(|place| ours.contains(&std::ptr::from_ref(*place)))
    }

    /// Objects of the same kind below that are not in the group yet.
    fn next_level(&self) -> Group<'a> {
        let objects = self.objects();
        let ours = self.addresses();
        let known = |place: &&Place| ours.contains(&std::ptr::from_ref(*place));
        let mut found = Group::default();
        for key in &objects.keys {
            let below = key.group.through_arrays().with_objects();
            let (known, new): (Vec<_>, Vec<_>) = below.0.into_iter().partition(known);
            let new = Group(new);
            if new.0.is_empty() {
                continue;
            }
            let theirs = new.objects();
            let again = theirs.keys.iter().any(|theirs| theirs.name == key.name);
            // Under a key that is known to lead to our kind, one key in common is enough.
            let alike = if known.is_empty() {
                again && objects.resemble(&theirs)
            } else {
                objects.shared_with(&theirs) * 2 >= theirs.keys.len()
            };
            if theirs.open.is_empty() && alike {
                found.0.extend(new.0);
            }
        }
        found
    }

    fn addresses(&self) -> HashSet<*const Place> {
        self.0.iter().map(|place| std::ptr::from_ref(*place)).collect()
    }

    fn with_objects(&self) -> Group<'a> {
        let has = |place: &&Place| place.counts.of(Kind::Map) > 0;
        Group(self.0.iter().copied().filter(has).collect())
    }

    /// The places themselves and the items of their arrays, however deep.
    fn through_arrays(&self) -> Group<'a> {
        let mut all = self.clone();
        let mut items = self.items();
        while !items.0.is_empty() {
            all.0.extend(&items.0);
            items = items.items();
        }
        all
    }
}

impl Objects<'_> {
    /// Whether at least two keys, and half of all, are shared.
    fn resemble(&self, other: &Objects<'_>) -> bool {
        let shared = self.shared_with(other);
        let all = self.keys.len() + other.keys.len() - shared;
        shared >= 2 && shared * 2 >= all
    }

    /// How many keys both have.
    fn shared_with(&self, other: &Objects<'_>) -> usize {
        let ours: HashSet<&str> = self.keys.iter().map(|key| key.name).collect();
        other.keys.iter().filter(|key| ours.contains(key.name)).count()
    }
}
