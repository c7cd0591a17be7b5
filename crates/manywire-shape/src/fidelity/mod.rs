//! What a value lost on its way through a format and back.
//!
//! [`losses`] compares a value with what came back; [`Losses`] gathers what is found, folded by
//! place and kind, so that a document of a million items that all lose the same thing has one
//! line to show for it.

mod compare;
mod duplicates;
mod losses;

use serde::{Deserialize, Serialize};

use crate::Value;

pub use duplicates::{has_duplicate_keys, without_duplicates};
pub use losses::{Losses, Path, Step, merge};

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
    losses_beyond(Tolerance::default(), before, after, &mut found);
    found.into_vec()
}

/// What is no loss, although it came back as something else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tolerance {
    /// A number of another type that is the same number: `2` and `2.0`, a float and the wider one
    /// of the same value or the same shortest decimal digits.
    pub numbers: bool,
    /// A field that is absent, for one that is null, zero or empty, and the other way round: what
    /// a schema says is one, is one.
    pub absence: bool,
}

/// Compares as [`losses`] does, and gathers what goes beyond a tolerance.
pub fn losses_beyond(
    tolerance: Tolerance,
    before: &Value<'_>,
    after: &Value<'_>,
    found: &mut Losses,
) {
    compare::values(tolerance, before, after, &mut Path::default(), found);
}
