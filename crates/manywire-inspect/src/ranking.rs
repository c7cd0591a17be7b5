//! The bytes that each path takes, over all events of walks.
//!
//! Paths are folded: `$.a[0].b` and `$.a[1].b` are both `$.a[*].b`.

use std::collections::HashMap;

use manywire_shape::path::fold_indexes;

use crate::{Event, Role};

/// The largest number of separate paths. Keys that are data, such as user names, could make any
/// number of paths.
const PATHS_MAX: usize = 100_000;

/// The label of all paths beyond [`PATHS_MAX`].
const OTHERS: &str = "(other paths)";

/// The bytes at a folded path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathBytes {
    /// The folded path.
    pub path: String,
    /// Bytes of keys, with their heads.
    pub keys: usize,
    /// Bytes of heads, lengths and separators of values.
    pub heads: usize,
    /// Bytes of the content of values.
    pub values: usize,
    /// The number of values at the path.
    pub times: usize,
}

impl PathBytes {
    /// Returns the sum of all bytes at the path.
    pub fn bytes(&self) -> usize {
        self.keys + self.heads + self.values
    }
}

/// Adds up the bytes at each path.
#[derive(Debug, Default)]
pub struct PathRanking {
    paths: HashMap<String, PathBytes>,
    /// The path of the last span, and its folded form: successive spans often have the same path.
    last: (String, String),
}

impl PathRanking {
    /// Adds an event. Only spans that take bytes of the input count.
    pub fn add(&mut self, event: &Event<'_>) {
        let Event::Span(span) = event else { return };
        // Decompressed bytes take no space in the input.
        if span.inside.is_some() {
            return;
        }
        if self.last.0 != span.path {
            span.path.clone_into(&mut self.last.0);
            self.last.1 = fold_indexes(span.path);
        }
        let known = self.paths.contains_key(&self.last.1) || self.paths.len() < PATHS_MAX;
        let path = if known { self.last.1.as_str() } else { OTHERS };
        if !self.paths.contains_key(path) {
            let entry = PathBytes { path: path.to_owned(), ..PathBytes::default() };
            self.paths.insert(path.to_owned(), entry);
        }
        let Some(entry) = self.paths.get_mut(path) else { return };
        let length = span.bytes.len();
        match span.role {
            Role::Key => entry.keys += length,
            _ => {
                entry.heads += span.head;
                entry.values += length - span.head;
            }
        }
        entry.times += usize::from(matches!(span.role, Role::Value | Role::Fixed));
    }

    /// Returns the paths, the one with the most bytes first, and those with equal bytes by name.
    pub fn into_sorted(self) -> Vec<PathBytes> {
        let mut paths: Vec<PathBytes> = self.paths.into_values().collect();
        paths.sort_by(|one, other| {
            other.bytes().cmp(&one.bytes()).then_with(|| one.path.cmp(&other.path))
        });
        paths
    }
}
