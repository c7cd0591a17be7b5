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
mod read;
mod write;

#[cfg(doc)]
use manywire_shape::Presence;
use manywire_shape::{Arena, Node, NodeId, Shape, Tagging, Value, VariantKind};

use self::fit::{Container, place_of_container};
use crate::{Error, Segment};

pub use self::read::ArrangedSeed;

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

// From places in arrays to the names of fields.

/// Follows a path through bytes in the array layout, and names the fields on the way, as far as the
/// shape alone tells it.
pub struct Names<'s> {
    shape: &'s Shape,
    at: Option<Place>,
    // The items of a variant stand in an array of their own below its name.
    items: Option<&'s [NodeId]>,
}

impl<'s> Names<'s> {
    /// At the root of the shape.
    pub fn new(shape: &'s Shape) -> Self {
        Names { shape, at: Some(Place::of(shape.root())), items: None }
    }

    /// One step: the name of a field where the codec counted, otherwise the segment as it is.
    pub fn name(&mut self, segment: Segment) -> Segment {
        if let (Some(items), Segment::Index(index)) = (self.items.take(), &segment) {
            self.at = items.get(*index).copied().map(Place::of);
            return segment;
        }
        let Some(place) = self.at.take() else { return segment };
        let container = match segment {
            Segment::Index(_) => Container::Array,
            Segment::Key(_) => Container::Map,
        };
        let place = place_of_container(self.shape, place, container);
        let (node, named) = self.step(self.shape.node(place.node), &segment);
        self.at = node.map(|node| Place { node, ..place });
        named.unwrap_or(segment)
    }

    fn step(&mut self, node: &'s Node, segment: &Segment) -> (Option<NodeId>, Option<Segment>) {
        match (node, segment) {
            (Node::Array(array), Segment::Index(_)) => (Some(array.item), None),
            (Node::Tuple(items), Segment::Index(index)) => (items.get(*index).copied(), None),
            (Node::Map { value, .. }, Segment::Key(_)) => (Some(*value), None),
            (Node::Record(record), Segment::Index(index)) => match record.fields.get(*index) {
                Some(field) => (Some(field.node), Some(Segment::Key(field.name.to_string()))),
                None => (None, None),
            },
            (Node::Record(record), Segment::Key(key)) => {
                let field = record.fields.iter().find(|field| field.name == *key);
                (field.map(|field| field.node).or(record.rest), None)
            }
            (Node::Enum(sum), Segment::Key(key)) if sum.tagging == Tagging::External => {
                let variant = sum.variants.iter().find(|variant| variant.name == *key);
                match variant.map(|variant| &variant.kind) {
                    Some(VariantKind::Newtype(inner) | VariantKind::Struct(inner)) => {
                        (Some(*inner), None)
                    }
                    Some(VariantKind::Tuple(items)) => {
                        self.items = Some(items);
                        (None, None)
                    }
                    _ => (None, None),
                }
            }
            _ => (None, None),
        }
    }
}
