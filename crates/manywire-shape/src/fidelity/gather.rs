use std::collections::HashMap;

use super::path::folded;
use super::{Loss, Path};

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
