//! Names of records, from the keys they stand under.

use std::collections::HashSet;

use crate::Name;

/// Plurals that no rule below undoes.
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

/// The names given so far.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// A name that no other record has: that of the key, with its parent's in front if it is
    /// taken, with a number behind if that is taken too.
    pub(super) fn claim(&mut self, key: &str, parent: &str) -> Name {
        let name = pascal(key);
        let with_parent = format!("{parent}{name}");
        let numbered = (2..).map(|number| format!("{with_parent}{number}"));
        let free = [name.clone(), with_parent.clone()]
            .into_iter()
            .chain(numbered)
            .find(|name| !self.0.contains(name))
            .unwrap_or(name);
        self.0.insert(free.clone());
        free.into()
    }

    /// Gives a name back.
    pub(super) fn release(&mut self, name: &str) {
        self.0.remove(name);
    }
}

/// The words of a key, each with a capital, of ASCII letters and digits, beginning with a letter.
fn pascal(key: &str) -> String {
    let mut name = String::new();
    for word in key.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.extend(letters);
    }
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("Record{name}") }
}

/// One of what the key names several of, where English makes that simple: `rooms` is `room`.
pub(super) fn singular(key: &str) -> String {
    let lower = key.to_ascii_lowercase();
    for (plural, singular) in IRREGULAR {
        if let Some(head) = lower.strip_suffix(plural)
            && (head.is_empty() || !head.ends_with(|c: char| c.is_ascii_lowercase()))
        {
            let kept = &key[..key.len() - plural.len() + 1];
            return format!("{kept}{}", &singular[1..]);
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
