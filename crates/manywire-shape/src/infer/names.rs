//! Names the records of an inferred shape, by the keys that lead to them.

use std::collections::HashSet;

use crate::Name;
use crate::names::{pascal, unique};

/// Plurals that the rules of `singular` do not cover.
const IRREGULAR: [(&str, &str); 8] = [
    ("people", "person"),
    ("children", "child"),
    ("men", "man"),
    ("women", "woman"),
    ("indices", "index"),
    ("statuses", "status"),
    ("series", "series"),
    ("news", "news"),
];

/// The names in use.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Returns an unused name for a record: the key's name; if that is taken, with the parent's
    /// name in front; if that is taken too, with a number appended.
    pub(super) fn claim(&mut self, key: &str, parent: &str) -> Name {
        let mut name = pascal(key);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert_str(0, "Record");
        }
        if self.0.insert(name.clone()) {
            return name.into();
        }
        unique(format!("{parent}{name}"), &mut self.0, "").into()
    }

    /// Makes a name available again.
    pub(super) fn release(&mut self, name: &str) {
        self.0.remove(name);
    }
}

/// Returns the singular of an English plural by simple rules: `rooms` becomes `room`.
pub(super) fn singular(key: &str) -> String {
    let lower = key.to_ascii_lowercase();
    for (plural, singular) in IRREGULAR {
        let Some(head) = lower.strip_suffix(plural) else { continue };
        let (before, word) = key.split_at(head.len());
        // In camelCase, a capital letter after a small one begins a word.
        let is_camel_case = before.ends_with(|c: char| c.is_ascii_lowercase())
            && word.starts_with(|c: char| c.is_ascii_uppercase());
        if is_camel_case || !head.ends_with(|c: char| c.is_ascii_lowercase()) {
            return format!("{before}{}{}", &word[..1], &singular[1..]);
        }
    }
    let stem = |suffix: usize| &key[..key.len() - suffix];
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| lower.ends_with(suffix));
    if ends(&["ies"]) && key.len() > 4 {
        format!("{}y", stem(3))
    } else if ends(&["sses", "shes", "ches", "xes", "zes"]) {
        stem(2).to_owned()
    } else if ends(&["s"]) && !ends(&["ss", "us", "is"]) && key.len() > 2 {
        stem(1).to_owned()
    } else {
        key.to_owned()
    }
}
