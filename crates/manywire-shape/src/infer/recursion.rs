//! Finds recursive types: objects that contain similar objects, which become one record.

use std::collections::HashSet;

use super::counts::SampleKind;
use super::group::{Group, ObjectGroup};
use super::profile::Profile;

impl<'a> Group<'a> {
    /// Returns this group's objects together with similar objects below them, if there are any:
    /// objects under one of their keys, directly or in arrays, that have this key and mostly the
    /// same other keys. Such objects form a tree.
    pub(super) fn with_descendants(&self) -> Option<Group<'a>> {
        let mut tree = self.clone();
        loop {
            let next = tree.next_level();
            if next.0.is_empty() {
                return (tree.0.len() > self.0.len()).then_some(tree);
            }
            tree.0.extend(next.0);
        }
    }

    /// Returns whether this group contains all objects of another group.
    pub(super) fn contains_objects_of(&self, other: &Group<'a>) -> bool {
        let ours = self.addresses();
        other.with_objects().0.iter().all(|profile| ours.contains(&std::ptr::from_ref(*profile)))
    }

    /// Returns the similar objects below that are not in the group yet.
    fn next_level(&self) -> Group<'a> {
        let objects = self.objects();
        let ours = self.addresses();
        let known = |profile: &&Profile| ours.contains(&std::ptr::from_ref(*profile));
        let mut next = Group::default();
        for key in &objects.keys {
            let children = key.group.through_arrays().with_objects();
            let (known, new): (Vec<_>, Vec<_>) = children.0.into_iter().partition(known);
            let new = Group(new);
            if new.0.is_empty() {
                continue;
            }
            let theirs = new.objects();
            let again = theirs.keys.iter().any(|theirs| theirs.name == key.name);
            // Under a key that already leads to objects of the group, it is enough that the new
            // objects share half of their keys.
            let alike = if known.is_empty() {
                again && objects.resemble(&theirs)
            } else {
                objects.shared_with(&theirs) * 2 >= theirs.keys.len()
            };
            if theirs.maps.is_empty() && alike {
                next.0.extend(new.0);
            }
        }
        next
    }

    fn addresses(&self) -> HashSet<*const Profile> {
        self.0.iter().map(|profile| std::ptr::from_ref(*profile)).collect()
    }

    fn with_objects(&self) -> Group<'a> {
        let has = |profile: &&Profile| profile.counts.get(SampleKind::Map) > 0;
        Group(self.0.iter().copied().filter(has).collect())
    }

    /// Returns the profiles and the items of their arrays, at any depth.
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

impl ObjectGroup<'_> {
    /// Returns whether at least two keys, and at least half of all keys, are shared.
    fn resemble(&self, other: &ObjectGroup<'_>) -> bool {
        let shared = self.shared_with(other);
        let all = self.keys.len() + other.keys.len() - shared;
        shared >= 2 && shared * 2 >= all
    }

    /// Returns the number of keys that both have.
    fn shared_with(&self, other: &ObjectGroup<'_>) -> usize {
        let ours: HashSet<&str> = self.keys.iter().map(|key| key.name).collect();
        other.keys.iter().filter(|key| ours.contains(key.name)).count()
    }
}
