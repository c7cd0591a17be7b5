use std::collections::HashMap;

use super::Loss;
use crate::Value;

/// Different kinds of loss listed for one format; a format that loses more has lost the document.
const LOSSES_MAX: usize = 100;

/// Losses as they are found: what was lost in the same way at the same place, whatever its
/// indices, is one entry with a count.
#[derive(Debug, Default)]
pub struct Losses {
    list: Vec<Loss>,
    seen: HashMap<(String, String), usize>,
    unlisted: u64,
}

impl Losses {
    /// Counts what was lost at a place.
    pub fn add(&mut self, path: &Path<'_>, lost: impl Into<String>) {
        let lost = lost.into();
        let loss = Loss { path: path.text(), lost: lost.clone(), places: 1 };
        self.insert((path.folded(), lost), loss);
    }

    /// Adds what others gathered.
    pub fn append(&mut self, more: Losses) {
        self.unlisted += more.unlisted;
        for loss in more.list {
            self.insert((folded(&loss.path), loss.lost.clone()), loss);
        }
    }

    fn insert(&mut self, key: (String, String), loss: Loss) {
        if let Some(&index) = self.seen.get(&key) {
            self.list[index].places += loss.places;
        } else if self.list.len() < LOSSES_MAX {
            self.seen.insert(key, self.list.len());
            self.list.push(loss);
        } else {
            self.unlisted += loss.places;
        }
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// What was lost, in the order found; of a hundred kinds.
    pub fn list(&self) -> &[Loss] {
        &self.list
    }

    /// How often something was lost that is not in the list, which was full.
    pub fn unlisted(&self) -> u64 {
        self.unlisted
    }

    /// The list alone.
    pub fn into_vec(self) -> Vec<Loss> {
        self.list
    }
}

/// Adds the losses of one more payload to those of the ones before it: what was lost in the same
/// way at the same place, whatever its indices, becomes one entry.
pub fn merge(all: &mut Vec<Loss>, more: Vec<Loss>) {
    for loss in more {
        let generic = folded(&loss.path);
        let known =
            all.iter().position(|known| known.lost == loss.lost && folded(&known.path) == generic);
        match known {
            Some(index) => all[index].places += loss.places,
            None if all.len() < LOSSES_MAX => all.push(loss),
            None => {}
        }
    }
}

/// The steps from a whole value to a place in it, turned into text only where it is asked for.
#[derive(Clone, Debug, Default)]
pub struct Path<'a>(Vec<Step<'a>>);

/// One step inwards.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// To the value under a key, or to the key.
    Key(Value<'a>),
    /// To the item at an index.
    Index(usize),
}

impl<'a> Path<'a> {
    /// Goes inwards.
    #[inline]
    pub fn push(&mut self, step: Step<'a>) {
        self.0.push(step);
    }

    /// Goes back outwards.
    #[inline]
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// The path as text: `$.hotels[3].name`; a key that is no text stands in braces, `${7}`.
    pub fn text(&self) -> String {
        self.write(|index| format!("[{index}]"))
    }

    /// The same with every index written `[*]`: what places of one kind have in common.
    pub fn folded(&self) -> String {
        self.write(|_| "[*]".to_owned())
    }

    fn write(&self, index: impl Fn(usize) -> String) -> String {
        let mut text = String::from("$");
        for step in &self.0 {
            match step {
                Step::Index(at) => text.push_str(&index(*at)),
                Step::Key(Value::Str(key)) if is_plain(key) => text.extend([".", key]),
                Step::Key(Value::Str(key)) => text.push_str(&format!("[{key:?}]")),
                Step::Key(Value::I64(key)) => text.push_str(&format!("{{{key}}}")),
                Step::Key(Value::Bool(key)) => text.push_str(&format!("{{{key}}}")),
                Step::Key(key) => text.push_str(&format!("{{{key:?}}}")),
            }
        }
        text
    }
}

/// Whether a key can stand in a path without quotes.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// A path, as text, with every index written `[*]`.
pub(super) fn folded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(open) = rest.find('[') {
        let (before, bracket) = rest.split_at(open);
        text.push_str(before);
        let digits = bracket[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        if digits > 0 && bracket[1 + digits..].starts_with(']') {
            text.push_str("[*]");
            rest = &bracket[digits + 2..];
        } else {
            text.push('[');
            rest = &bracket[1..];
        }
    }
    text + rest
}
