//! Compares a value with its copy that went through a format and back, and reports the losses.
//!
//! [`losses()`] compares a value with the value that came back. [`Losses`] collects the differences
//! and groups them by path and kind, so a document of a million items with the same loss has one
//! entry for it.

mod compare;
mod duplicates;
mod exact;
mod losses;

use serde::{Deserialize, Serialize};

use crate::Value;
use crate::path::Path;

pub use duplicates::{earlier_duplicates, has_duplicate_keys, without_duplicates};
pub use exact::{is_exact_double, with_doubles};
pub use losses::{LOSSES_MAX, Losses, merge};

/// One difference between a value and the value that came back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// The path of the first occurrence: `$.hotels[3].name`.
    pub path: String,
    /// A description of the loss.
    pub lost: String,
    /// The number of occurrences at this path, with any indices.
    pub places: u64,
}

/// Compares a value with the value that came back. The order of a map's entries is ignored: no
/// format guarantees it.
pub fn losses(before: &Value<'_>, after: &Value<'_>) -> Vec<Loss> {
    let mut found = Losses::default();
    losses_beyond(Tolerance::default(), before, after, &mut found);
    found.into_vec()
}

/// Differences that are not reported as losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tolerance {
    /// A number of another type with the same value: `2` and `2.0`, or an `f32` and an `f64` with
    /// the same value or the same shortest decimal digits.
    pub numbers: bool,
    /// An absent field instead of one that is null, zero or empty, and vice versa, as in schemas
    /// without field presence.
    pub absence: bool,
    /// The integer or boolean that a schema has in place of a key's text; see
    /// [`Value::from_key_text`].
    pub keys: bool,
    /// The value that a schema gives to a field that was absent, such as the first value of an enum.
    pub defaults: bool,
}

/// Compares as [`losses()`] does, and adds the differences beyond a tolerance to `found`.
pub fn losses_beyond(
    tolerance: Tolerance,
    before: &Value<'_>,
    after: &Value<'_>,
    found: &mut Losses,
) {
    compare::values(tolerance, before, after, &mut Path::default(), found);
}
