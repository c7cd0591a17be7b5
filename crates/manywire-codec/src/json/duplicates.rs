//! Detects keys that occur more than once in an object.

use std::collections::HashMap;

use manywire_shape::Value;
use manywire_shape::fidelity::has_duplicate_keys;

use crate::core::error::Segment;

/// A key that an object has more than once. [`Value::get`] finds the last of its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The steps from the whole value to the object.
    pub path: Vec<Segment>,
    /// The key.
    pub key: String,
    /// The number of entries with the key.
    pub count: usize,
}

/// Returns the keys that occur more than once in an object, for every object in `value`, in
/// document order.
pub fn duplicate_keys(value: &Value<'_>) -> Vec<DuplicateKey> {
    let mut duplicates = Vec::new();
    // Steps and values still to be visited, the deepest on top.
    let mut open = vec![Pending::Value(value)];
    let mut path: Vec<Step<'_>> = Vec::new();
    while let Some(next) = open.pop() {
        match next {
            Pending::Leave => drop(path.pop()),
            Pending::Enter(step, value) => {
                path.push(step);
                open.extend([Pending::Leave, Pending::Value(value)]);
            }
            Pending::Value(Value::Array(items)) => {
                let containers = items.iter().enumerate().filter(|(_, item)| is_container(item));
                open.extend(
                    containers.rev().map(|(index, item)| Pending::Enter(Step::Index(index), item)),
                );
            }
            Pending::Value(Value::Map(entries)) => {
                if has_duplicate_keys(entries) {
                    collect_duplicates(entries, &path, &mut duplicates);
                }
                let containers = entries.iter().filter(|(_, value)| is_container(value));
                open.extend(
                    containers.rev().map(|(key, value)| Pending::Enter(Step::Key(key), value)),
                );
            }
            Pending::Value(_) => {}
        }
    }
    duplicates
}

enum Pending<'v> {
    Value(&'v Value<'v>),
    Enter(Step<'v>, &'v Value<'v>),
    Leave,
}

enum Step<'v> {
    Key(&'v Value<'v>),
    Index(usize),
}

fn is_container(value: &Value<'_>) -> bool {
    matches!(value, Value::Array([_, ..]) | Value::Map([_, ..]))
}

fn text<'v>(key: &Value<'v>) -> Option<&'v str> {
    match key {
        Value::Str(text) => Some(text),
        _ => None,
    }
}

#[cold]
fn collect_duplicates(
    entries: &[(Value<'_>, Value<'_>)],
    path: &[Step<'_>],
    duplicates: &mut Vec<DuplicateKey>,
) {
    let mut counts = HashMap::new();
    for key in entries.iter().filter_map(|(key, _)| text(key)) {
        *counts.entry(key).or_insert(0) += 1;
    }
    for key in entries.iter().filter_map(|(key, _)| text(key)) {
        // Removed, so that each key is listed once, at its first occurrence.
        if let Some(count @ 2..) = counts.remove(key) {
            let path = path.iter().map(Step::segment).collect();
            duplicates.push(DuplicateKey { path, key: key.to_owned(), count });
        }
    }
}

impl Step<'_> {
    fn segment(&self) -> Segment {
        match self {
            Step::Index(index) => Segment::Index(*index),
            Step::Key(Value::Str(key)) => Segment::Key((*key).to_owned()),
            Step::Key(key) => Segment::Key(format!("{key:?}")),
        }
    }
}
