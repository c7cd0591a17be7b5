//! Collects losses.

use std::collections::HashMap;

use super::Loss;
use crate::path::{Path, fold_indexes};

/// The maximum number of different losses listed for one format. A longer list would not help the
/// reader.
pub const LOSSES_MAX: usize = 100;

/// A collection of losses: equal losses at paths that differ only in indices are one entry with a
/// count.
#[derive(Debug, Default)]
pub struct Losses {
    list: Vec<Loss>,
    /// The indexes of the listed losses, by their paths without indexes and by what was lost.
    seen: HashMap<(String, String), usize>,
    unlisted: u64,
}

impl Losses {
    /// Adds a loss at a path.
    pub fn add(&mut self, path: &Path<'_>, lost: impl Into<String>) {
        self.insert(Loss { path: path.text(), lost: lost.into(), places: 1 });
    }

    /// Adds the losses of another collection.
    pub fn append(&mut self, more: Losses) {
        self.unlisted += more.unlisted;
        more.list.into_iter().for_each(|loss| self.insert(loss));
    }

    fn insert(&mut self, loss: Loss) {
        let key = (fold_indexes(&loss.path), loss.lost.clone());
        if let Some(&index) = self.seen.get(&key) {
            self.list[index].places += loss.places;
        } else if self.list.len() < LOSSES_MAX {
            self.seen.insert(key, self.list.len());
            self.list.push(loss);
        } else {
            self.unlisted += loss.places;
        }
    }

    /// Returns whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the first hundred different losses, in the order found.
    pub fn list(&self) -> &[Loss] {
        &self.list
    }

    /// Returns the number of losses that are not in the list because it was full.
    pub fn unlisted(&self) -> u64 {
        self.unlisted
    }

    /// Returns the list of losses.
    pub fn into_vec(self) -> Vec<Loss> {
        self.list
    }
}

/// Adds the losses of another payload to `all`. Equal losses at paths that differ only in indices
/// become one entry. Other losses are left out once `all` has [`LOSSES_MAX`].
pub fn merge(all: &mut Vec<Loss>, more: Vec<Loss>) {
    for loss in more {
        let generic = fold_indexes(&loss.path);
        let known = all
            .iter()
            .position(|known| known.lost == loss.lost && fold_indexes(&known.path) == generic);
        match known {
            Some(index) => all[index].places += loss.places,
            None if all.len() < LOSSES_MAX => all.push(loss),
            None => {}
        }
    }
}
