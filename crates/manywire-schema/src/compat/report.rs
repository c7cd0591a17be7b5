//! The report of a comparison: the differences between two schemas.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::hash::Hash;

use manywire_shape::path::KeyStep;

/// One difference between two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path in values: `$.hotels[*].stars`.
    pub path: String,
    /// A description of the difference.
    pub message: String,
    /// True if readers of the new schema read data of the old one.
    pub backward: bool,
    /// True if readers of the old schema read data of the new one.
    pub forward: bool,
}

/// All differences between two schemas, those of the outermost types first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The differences. The description of a harmless difference gives the reason.
    pub changes: Vec<Change>,
}

impl Report {
    /// Returns whether readers of the new schema read all data of the old one.
    pub fn backward(&self) -> bool {
        self.changes.iter().all(|change| change.backward)
    }

    /// Returns whether readers of the old schema read all data of the new one.
    pub fn forward(&self) -> bool {
        self.changes.iter().all(|change| change.forward)
    }

    pub(super) fn add(
        &mut self,
        path: &str,
        message: impl fmt::Display,
        (backward, forward): (bool, bool),
    ) {
        let message = message.to_string();
        // A type that is used at several paths is one difference at each.
        let change = Change { path: path.to_owned(), message, backward, forward };
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }
}

/// The report of one direction: readers of one schema and data of the other.
pub(super) struct OneWay<'r> {
    report: &'r mut Report,
    /// True if the readers have the new schema.
    is_backward: bool,
}

impl OneWay<'_> {
    /// Compares the schemas in both directions. `compare` gets the report of a direction, the
    /// reader's schema and the writer's.
    pub(super) fn compare<S: Copy>(old: S, new: S, compare: impl Fn(OneWay<'_>, S, S)) -> Report {
        let mut report = Report::default();
        compare(OneWay { report: &mut report, is_backward: true }, new, old);
        compare(OneWay { report: &mut report, is_backward: false }, old, new);
        report
    }

    /// Adds a difference that breaks the readers.
    pub(super) fn broken(&mut self, path: &str, message: impl fmt::Display) {
        let (readers, both) = match self.is_backward {
            true => ("new readers of old data", FORWARD),
            false => ("old readers of new data", BACKWARD),
        };
        self.report.add(path, format_args!("{message} ({readers})"), both);
    }

    /// Adds a field that the writer does not have and the readers do not need.
    pub(super) fn not_needed(&mut self, path: &str, added: &str, removed: &str) {
        self.report.add(path, if self.is_backward { added } else { removed }, BOTH);
    }
}

/// The corresponding parts of two schemas that are still to be compared, each pair once. A queue
/// instead of recursion, because schemas may be deep.
pub(super) struct Pairs<T> {
    seen: HashSet<(T, T)>,
    waiting: VecDeque<(T, T, String)>,
}

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Pairs { seen: HashSet::new(), waiting: VecDeque::new() }
    }
}

impl<T: Copy + Eq + Hash> Pairs<T> {
    /// Adds two parts at a path, unless they were added before.
    pub(super) fn add(&mut self, left: T, right: T, path: String) {
        if self.seen.insert((left, right)) {
            self.waiting.push_back((left, right, path));
        }
    }

    /// Removes and returns the first pair.
    pub(super) fn pop(&mut self) -> Option<(T, T, String)> {
        self.waiting.pop_front()
    }
}

/// The change is backward compatible only.
pub(super) const BACKWARD: (bool, bool) = (true, false);
/// The change is forward compatible only.
pub(super) const FORWARD: (bool, bool) = (false, true);
/// The change is compatible in both directions.
pub(super) const BOTH: (bool, bool) = (true, true);
/// The change is incompatible in both directions.
pub(super) const NEITHER: (bool, bool) = (false, false);

/// Returns the path to a member: `.name`, or `["any text"]`.
pub(super) fn member_path(path: &str, key: &str) -> String {
    format!("{path}{}", KeyStep(key))
}
