//! Infers a shape from samples, with the evidence for it.
//!
//! [`Inference`] keeps one *profile* for every path of the samples: the root, each field, and the
//! items of each array. A profile counts how often its values were null, integers, text …, how
//! large they were and how long. Adding a value whose fields are known allocates nothing and costs
//! about as much as walking the value. Only [`Inference::shape`] decides from the counts whether an
//! object is a record or a map, whether a field is optional and which width an integer has. So the
//! order of the samples decides nothing but the order of the fields.
//!
//! | values of one path | node |
//! |---|---|
//! | null only, or nothing (items of arrays that were all empty) | [`Node::Null`] |
//! | null and something else | [`Node::Option`] of the rest |
//! | integers | `i64`, zigzag if one was negative; `u64` only above `i64::MAX`; 128 bits if both |
//! | integers and floats | [`Node::F64`] if an `f64` holds every integer exactly, else a union |
//! | 32-bit floats alone | [`Node::F32`] |
//! | a number that no 64-bit type holds, an extension, something nested deeper than [`DEPTH_MAX`] | [`Node::Any`] |
//! | several kinds | [`Node::Union`], the most frequent first |
//! | objects | [`Node::Record`], or [`Node::Map`] if the keys vary (see below) |
//!
//! A field that some objects lack is [`Presence::Optional`]; that is independent of being null.
//!
//! **Maps.** Objects are a map, not a record, if a key was not text, or if their values have one
//! kind and any of these holds. First, every key is a number. Second, no key is in every one of at
//! least [`MAP_OBJECTS_MIN`] objects, and in a random order of the objects a sixth of at least
//! [`MAP_KEYS_MIN`] keys would be new to the last third of them. (A key in *m* objects counts 3⁻ᵐ:
//! if half of the keys were seen once, that is enough.) Third, the keys look like identifiers, and
//! either a single object holds [`MAP_ENTRIES_MIN`] of them or several objects hold
//! [`MAP_IDS_MIN`], none of which is in every object. The rules use counts alone, so the order of
//! the samples has no effect.
//!
//! **Bounds.** Inference keeps at most [`PROFILES_MAX`] profiles, of at most [`KEYS_MAX`] keys
//! each, and each key has at most [`KEY_BYTES_MAX`] bytes. Objects that exceed a bound become a map
//! permanently, so an endless stream of new keys takes a few megabytes at most.
//!
//! [`Shape`]: crate::Shape
//! [`Node::Null`]: crate::Node::Null
//! [`Node::Option`]: crate::Node::Option
//! [`Node::F64`]: crate::Node::F64
//! [`Node::F32`]: crate::Node::F32
//! [`Node::Any`]: crate::Node::Any
//! [`Node::Union`]: crate::Node::Union
//! [`Node::Record`]: crate::Node::Record
//! [`Node::Map`]: crate::Node::Map
//! [`Presence::Optional`]: crate::Presence::Optional

mod build;
mod counts;
mod evidence;
mod group;
mod hold_out;
mod names;
mod profile;
mod recursion;

use crate::{Shape, Value};
use profile::Profile;

pub use counts::{Lengths, SampleKind};
pub use evidence::{Evidence, Example, MapReason, Objects};
pub use hold_out::{HoldOut, hold_out, is_held_out, is_held_out_of};

/// The minimum nesting depth at which containers become [`Node::Any`](crate::Node::Any).
pub const DEPTH_MAX: usize = 128;

/// The maximum number of profiles kept in all. A profile takes about 300 bytes.
pub const PROFILES_MAX: usize = 16_384;

/// The maximum number of distinct keys kept for the objects of one profile. More keys make the
/// objects a map.
pub const KEYS_MAX: usize = 1_024;

/// The length of the longest key that may name a field, in bytes.
pub const KEY_BYTES_MAX: usize = 256;

/// The minimum number of objects that changing keys make a map. Fewer objects do not predict
/// further keys.
pub const MAP_OBJECTS_MIN: u64 = 5;

/// The minimum number of distinct keys at which changing keys make the objects a map.
pub const MAP_KEYS_MIN: usize = 5;

/// The minimum number of entries at which keys that look like identifiers make a single object a
/// map.
pub const MAP_ENTRIES_MIN: usize = 20;

/// The minimum number of distinct keys at which keys that look like identifiers make several
/// objects maps, if no key is in every object.
pub const MAP_IDS_MIN: usize = 8;

/// Collects statistics of samples and derives their shape.
///
/// ```
/// use manywire_shape::{Node, Value, infer::Inference};
///
/// let mut inference = Inference::new();
/// inference.add(&Value::I64(12));
/// inference.add(&Value::Null);
/// let shape = inference.shape();
/// assert!(matches!(shape.node(shape.root()), Node::Option(_)));
/// ```
#[derive(Debug, Default)]
pub struct Inference {
    root: Profile,
    samples: u64,
    budget: Budget,
}

/// The number of profiles that may still be added, and the index of the current sample.
#[derive(Debug)]
struct Budget {
    profiles: usize,
    sample: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { profiles: PROFILES_MAX, sample: 0 }
    }
}

impl Budget {
    /// Takes one profile from the budget; returns false if none is left.
    fn take(&mut self) -> bool {
        let left = self.profiles.checked_sub(1);
        self.profiles = left.unwrap_or(0);
        left.is_some()
    }
}

impl Inference {
    /// Returns an inference without samples.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one sample.
    #[inline]
    pub fn add(&mut self, value: &Value<'_>) {
        self.budget.sample = self.samples;
        self.samples += 1;
        self.root.add(value, 0, &mut self.budget);
    }

    /// Adds the statistics of another inference, as if its samples had been added after ours.
    pub fn merge(&mut self, other: Inference) {
        // Both may hold the full number of profiles. Merging returns the budget of the profiles
        // that both have, and `shrink` drops detail beyond the bound.
        let mut budget =
            Budget { profiles: self.budget.profiles + other.budget.profiles, sample: 0 };
        self.root.merge(other.root, self.samples, &mut budget);
        self.samples += other.samples;
        self.root.shrink(&mut budget);
        self.budget.profiles = budget.profiles.saturating_sub(PROFILES_MAX);
    }

    /// Returns the number of samples added.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Returns the shape that every sample fits. A record at the root is named `Root`.
    pub fn shape(&self) -> Shape {
        self.shape_named("Root")
    }

    /// Returns the shape that every sample fits, with a name for a record at the root.
    pub fn shape_named(&self, root: &str) -> Shape {
        build::Builder::build(&self.root, root).0
    }

    /// Returns the evidence for each node of the shape, in the order of the shape: a container
    /// before its contents.
    pub fn evidence(&self) -> Vec<Evidence> {
        build::Builder::build(&self.root, "Root").1
    }
}
