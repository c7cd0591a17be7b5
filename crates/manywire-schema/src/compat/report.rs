//! The report of a comparison: the differences between two schemas.

use std::fmt;

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

/// The change is compatible in both directions.
pub(super) const BOTH: (bool, bool) = (true, true);
/// The change is incompatible in both directions.
pub(super) const NEITHER: (bool, bool) = (false, false);

/// Returns the path to a member: `.name`, or `["any text"]`.
pub(super) fn member_path(path: &str, key: &str) -> String {
    format!("{path}{}", KeyStep(key))
}
