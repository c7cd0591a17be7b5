//! What a value lost on its way through a format and back.
//!
//! [`losses`] compares a value with what came back; [`Losses`] gathers what is found, folded by
//! place and kind, so that a document of a million items that all lose the same thing has one
//! line to show for it.

mod compare;
mod duplicates;
mod gather;
mod path;

use serde::{Deserialize, Serialize};

use crate::Value;

pub use duplicates::without_duplicates;
pub use gather::{Losses, merge};
pub use path::{Path, Step};

/// One thing that did not come back as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// Where it was first seen: `$.hotels[3].name`.
    pub path: String,
    /// What was lost there, in words.
    pub lost: String,
    /// At how many places of that kind, whatever their indices.
    pub places: u64,
}

/// Compares a value with what came back. The order of a map's entries does not count: no format
/// promises it.
pub fn losses(before: &Value<'_>, after: &Value<'_>) -> Vec<Loss> {
    let mut found = Losses::default();
    compare::values(before, after, &mut Path::default(), &mut found);
    found.into_vec()
}
