//! Removes duplicate keys from maps.

use std::collections::{HashMap, HashSet};

use super::{Loss, Losses};
use crate::path::{Path, Step};
use crate::{Arena, Value};

/// Returns the value without duplicate keys in maps, and the losses. The last entry of a key stays,
/// as in readers of JSON.
pub fn without_duplicates<'a>(value: Value<'a>, arena: &'a Arena) -> (Value<'a>, Vec<Loss>) {
    let mut losses = Losses::default();
    let value = deduplicate(value, arena, &mut losses, &mut Path::default());
    (value, losses.into_vec())
}

fn deduplicate<'a>(
    value: Value<'a>,
    arena: &'a Arena,
    losses: &mut Losses,
    path: &mut Path<'a>,
) -> Value<'a> {
    match value {
        Value::Array(items) => {
            let mut changed = Vec::new();
            for (index, item) in items.iter().enumerate() {
                path.push(Step::Index(index));
                let deduplicated = deduplicate(*item, arena, losses, path);
                path.pop();
                if !same_slice(item, &deduplicated) {
                    changed.push((index, deduplicated));
                }
            }
            if changed.is_empty() {
                return value;
            }
            let items = arena.alloc_slice_copy(items);
            for (index, item) in changed {
                items[index] = item;
            }
            Value::Array(items)
        }
        Value::Map(entries) => deduplicate_entries(value, entries, arena, losses, path),
        other => other,
    }
}

fn deduplicate_entries<'a>(
    value: Value<'a>,
    entries: &'a [(Value<'a>, Value<'a>)],
    arena: &'a Arena,
    losses: &mut Losses,
    path: &mut Path<'a>,
) -> Value<'a> {
    let last = last_places(entries);
    let mut unique = Vec::with_capacity(entries.len());
    let mut changed = false;
    for (index, (key, inner)) in entries.iter().enumerate() {
        path.push(Step::Key(*key));
        if last.as_ref().is_some_and(|last| last[index] != index) {
            losses.add(path, "duplicate key: the last one was kept");
            changed = true;
        } else {
            let deduplicated = deduplicate(*inner, arena, losses, path);
            changed |= !same_slice(inner, &deduplicated);
            unique.push((*key, deduplicated));
        }
        path.pop();
    }
    if changed { Value::Map(arena.alloc_slice_copy(&unique)) } else { value }
}

/// Returns for each entry the index of the last entry with its key, or `None` if no key is
/// duplicated.
fn last_places(entries: &[(Value<'_>, Value<'_>)]) -> Option<Vec<usize>> {
    if entries.len() <= FEW_ENTRIES && !has_duplicate_keys(entries) {
        return None;
    }
    let mut last_of = HashMap::with_capacity(entries.len());
    for (index, (key, _)) in entries.iter().enumerate() {
        last_of.insert(KeyText::of(key), index);
    }
    (last_of.len() < entries.len())
        .then(|| entries.iter().map(|(key, _)| last_of[&KeyText::of(key)]).collect())
}

/// Returns the indexes of the entries whose key a later entry has, too.
pub fn earlier_duplicates(entries: &[(Value<'_>, Value<'_>)]) -> Vec<usize> {
    let last = last_places(entries).unwrap_or_default();
    (0..last.len()).filter(|&index| last[index] != index).collect()
}

/// The maximum number of entries for which comparing similar keys is faster than hashing all keys.
const FEW_ENTRIES: usize = 32;

/// Returns whether a map has duplicate keys.
pub fn has_duplicate_keys(entries: &[(Value<'_>, Value<'_>)]) -> bool {
    if entries.len() > FEW_ENTRIES {
        let mut seen = HashSet::with_capacity(entries.len());
        return !entries.iter().all(|(key, _)| seen.insert(KeyText::of(key)));
    }
    // One bit per signature: most keys of a record have a signature that no other key has.
    let mut seen = 0_u64;
    entries.iter().enumerate().any(|(index, (key, _))| {
        let bit = 1 << signature(key);
        let alike = seen & bit != 0;
        seen |= bit;
        alike && entries[..index].iter().any(|entry| entry.0 == *key)
    })
}

/// Returns a signature of six bits that differs for most keys, from the length and the first and
/// last byte.
#[inline]
fn signature(key: &Value<'_>) -> u32 {
    let Value::Str(text) = key else { return 0 };
    let bytes = text.as_bytes();
    let ends = match bytes {
        [first, .., last] => u32::from(*first) * 5 + u32::from(*last) * 11,
        [only] => u32::from(*only),
        [] => 0,
    };
    (ends + bytes.len() as u32 * 17) % 64
}

/// A key that can be hashed.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum KeyText<'a> {
    Str(&'a str),
    Other(String),
}

impl<'a> KeyText<'a> {
    pub(super) fn of(key: &Value<'a>) -> Self {
        match key {
            Value::Str(text) => KeyText::Str(text),
            Value::Long(number) => KeyText::of(&Value::I64(*number)),
            other => KeyText::Other(format!("{other:?}")),
        }
    }
}

/// Returns whether deduplication did not change a value: its parts are then at the same address.
fn same_slice(before: &Value<'_>, after: &Value<'_>) -> bool {
    match (before, after) {
        (Value::Array(left), Value::Array(right)) => std::ptr::eq(*left, *right),
        (Value::Map(left), Value::Map(right)) => std::ptr::eq(*left, *right),
        _ => true,
    }
}
