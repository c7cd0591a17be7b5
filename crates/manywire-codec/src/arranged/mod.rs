//! Dynamic values laid out by their shape: records as arrays in the order of the fields.
//!
//! What serde's derive does for a typed value in the array layout, [`Arranged`] does for a
//! [`Value`] and [`ArrangedSeed`] undoes, over any codec that says itself what it holds. A record
//! becomes an array of its fields, and maps stay maps. A field that is absent is null in its
//! place, so absent and null are one: read back, null is left out where the field may be
//! ([`Presence::Optional`]) and kept where it may not.
//!
//! | shape | layout |
//! |---|---|
//! | record | array of its fields; a map by name if it has a rest |
//! | enum, externally tagged | the name, or a map from the name to the arranged content |
//! | enum, internally tagged | array of the tag and the fields |
//! | enum, adjacently tagged | array of the tag and the content, whose fields keep their names |
//! | union | the branch of the value's kind; a record keeps its names where another branch is an array |
//! | everything else | as it is |

mod fit;
mod path;
mod read;
mod union;
mod write;

use manywire_shape::{Arena, NodeId, Shape, Value};

use crate::Error;

pub use path::Names;
pub use read::ArrangedSeed;

#[cfg(doc)]
use manywire_shape::Presence;

/// A value to be written as its shape arranges it.
///
/// Serializing fails where the value does not fit: a field that the shape does not have, one that
/// it requires and the value lacks, a value of another kind.
#[derive(Clone, Copy)]
pub struct Arranged<'v> {
    shape: &'v Shape,
    place: Place,
    value: &'v Value<'v>,
}

impl<'v> Arranged<'v> {
    /// A value of this shape.
    pub fn new(shape: &'v Shape, value: &'v Value<'v>) -> Self {
        Arranged { shape, place: Place::of(shape.root()), value }
    }
}

impl<'a> ArrangedSeed<'a> {
    /// A seed for values of this shape, which allocates from this arena and lends the names of
    /// fields from the shape.
    pub fn new(shape: &'a Shape, arena: &'a Arena) -> Self {
        ArrangedSeed::at(shape, Place::of(shape.root()), arena)
    }
}

/// Names the fields in the path of an error that was made of an arranged value, where the codec
/// could only count them.
#[cold]
pub fn placed(shape: &Shape, error: Error) -> Error {
    let mut names = Names::new(shape);
    error.with_segments(|segment| names.name(segment))
}

/// A node, and whether records there keep their names.
#[derive(Clone, Copy)]
struct Place {
    node: NodeId,
    named: bool,
}

impl Place {
    fn of(node: NodeId) -> Self {
        Place { node, named: false }
    }
}
