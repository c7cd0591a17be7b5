//! Inference: the shape that fits samples, and the counts that say why.
//!
//! [`Inference`] keeps one *place* for every place of the samples (the root, each field, the items
//! of each array) and, in each place, counts: how often it held null, an integer, text …, how
//! large, how long. Adding a value allocates nothing once its fields are known, and costs about as
//! much as walking it. Whether an object is a record or a map, whether a field is optional, which
//! width an integer has: all of it is decided from the counts when the [`Shape`] is asked for, so
//! the order of the samples never matters, save for the order of the fields.
//!
//! | seen in one place | node |
//! |---|---|
//! | null only, or nothing (items of arrays that were all empty) | [`Node::Null`] |
//! | null and something else | [`Node::Option`] of the rest |
//! | integers | `i64`, zigzag if one was negative; `u64` only above `i64::MAX`; 128 bits if both |
//! | integers and floats | [`Node::F64`] if every integer is one exactly, else a union |
//! | 32-bit floats alone | [`Node::F32`] |
//! | a number beyond 64 bits, an extension, something nested deeper than [`DEPTH_MAX`] | [`Node::Any`] |
//! | several kinds | [`Node::Union`], the most frequent first |
//! | objects | [`Node::Record`], or [`Node::Map`] if their keys churn (see below) |
//!
//! A field that some objects lack is [`Presence::Optional`], which is apart from holding null.
//!
//! **Maps.** Objects are a map, not a record, if a key was not text, or if their values agree in
//! kind and any of these holds: every key is a number; no key stands in every one of at least
//! [`MAP_OBJECTS_MIN`] objects, and a sixth of at least [`MAP_KEYS_MIN`] keys would be new to the
//! last third of the objects, came they in a random order (a key in *m* objects counts 3⁻ᵐ: half
//! of the keys being seen once is enough); the keys look like identifiers, and a single object
//! holds [`MAP_ENTRIES_MIN`] of them or several hold [`MAP_IDS_MIN`], none of them in every one.
//! Counts alone decide, so the order of the samples does not.
//!
//! **Bounds.** At most [`PLACES_MAX`] places of at most [`KEYS_MAX`] keys are kept, each key at most
//! [`KEY_BYTES_MAX`] long; what goes beyond becomes a map for good, so an endless stream of new
//! keys stays within a few megabytes.
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
mod fit;
mod group;
mod hold_out;
mod profile;

use crate::{Shape, Value};
use profile::Place;

pub use counts::Kind;
pub use evidence::{Evidence, Example, Lengths, Objects};
pub use fit::{Misfit, Misfits, fits};
pub use group::Why;
pub use hold_out::{HoldOut, hold_out, is_held_out, is_held_out_of};

/// Containers nested deeper than this are [`Node::Any`](crate::Node::Any).
pub const DEPTH_MAX: usize = 128;

/// Places kept in all. A place takes about 300 bytes.
pub const PLACES_MAX: usize = 16_384;

/// Distinct keys kept for the objects of one place; more make them a map.
pub const KEYS_MAX: usize = 1_024;

/// The length of the longest key that may name a field, in bytes.
pub const KEY_BYTES_MAX: usize = 256;

/// Objects seen before churning keys make them a map: fewer say nothing about keys to come.
pub const MAP_OBJECTS_MIN: u64 = 5;

/// Distinct keys seen before churning keys make the objects a map.
pub const MAP_KEYS_MIN: usize = 5;

/// Entries of one object from which keys that look like identifiers make it a map.
pub const MAP_ENTRIES_MIN: usize = 20;

/// Distinct keys from which keys that look like identifiers, none of them in every object, make
/// the objects maps.
pub const MAP_IDS_MIN: usize = 8;

/// What samples have in common, as counts.
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
    root: Place,
    samples: u64,
    room: Room,
}

/// What may still be kept, and which sample is being looked at.
#[derive(Debug)]
struct Room {
    places: usize,
    sample: u64,
}

impl Default for Room {
    fn default() -> Self {
        Room { places: PLACES_MAX, sample: 0 }
    }
}

impl Room {
    /// Takes the room of one place, if there is any left.
    fn take(&mut self) -> bool {
        let left = self.places.checked_sub(1);
        self.places = left.unwrap_or(0);
        left.is_some()
    }
}

impl Inference {
    /// Nothing seen yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one sample.
    #[inline]
    pub fn add(&mut self, value: &Value<'_>) {
        self.room.sample = self.samples;
        self.samples += 1;
        self.root.add(value, 0, &mut self.room);
    }

    /// Counts everything another inference has seen, as if its samples had been added after ours.
    pub fn merge(&mut self, other: Inference) {
        // Both may hold the full number of places; absorbing gives back the room of those they
        // share, and what still exceeds the bound is given up.
        let mut room = Room { places: self.room.places + other.room.places, sample: 0 };
        self.root.absorb(other.root, self.samples, &mut room);
        self.samples += other.samples;
        self.root.shrink(PLACES_MAX, &mut room);
        self.room.places = room.places.saturating_sub(PLACES_MAX);
    }

    /// How many samples were added.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The shape that every sample fits; a record at the root is named `Root`.
    pub fn shape(&self) -> Shape {
        self.shape_named("Root")
    }

    /// The shape that every sample fits, with a name for a record at the root.
    pub fn shape_named(&self, root: &str) -> Shape {
        self::build::Builder::build(&self.root, root).0
    }

    /// Why each place of the shape is what it is, in the order of the shape: a container before
    /// what it holds.
    pub fn evidence(&self) -> Vec<Evidence> {
        self::build::Builder::build(&self.root, "Root").1
    }
}
