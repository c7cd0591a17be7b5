//! Dynamic values arranged by their shape: records become arrays of their fields in order.
//!
//! [`Arranged`] writes a [`Value`] as serde's derive writes a typed value in the array layout, and
//! [`ArrangedSeed`] reads it back. Both work over any self-describing codec. A record becomes an
//! array of its fields; maps stay maps. An absent field is written as null in its position, so
//! absent and null are the same on the wire. The reader leaves null out where the field is optional
//! ([`Presence::Optional`]) and keeps it elsewhere.
//!
//! A field or variant may have an alias instead of its name. Both sides replace the alias by the
//! name, except in a tagged variant that keeps its names.
//!
//! Keys that the shape declares as integers or booleans may also be their canonical text, such as
//! `"7"`, as formats whose keys are text write it. Both sides refuse any other text.
//!
//! | shape | layout |
//! |---|---|
//! | record | array of its fields; a map by name if it has a rest |
//! | enum, externally tagged | the name, or a map from the name to the arranged content |
//! | enum, internally tagged | array of the tag and the fields |
//! | enum, adjacently tagged | array of the tag and the content, whose fields keep their names |
//! | union | the branch of the value's type; a record keeps its names if another branch is an array |
//! | everything else | unchanged |

mod fit;
mod read;
mod write;

#[cfg(doc)]
use manywire_shape::Presence;
use manywire_shape::{Arena, Node, NodeId, Shape, Tagging, Value, VariantKind};

use self::fit::{Container, NodePosition, container_position};
use crate::{Error, Segment};

pub use self::read::ArrangedSeed;

/// A value that serializes in the layout of its shape.
///
/// Serialization fails if the value does not fit: if it has a field that the shape lacks, lacks a
/// field that the shape requires, or is of another type.
#[derive(Clone, Copy)]
pub struct Arranged<'v> {
    shape: &'v Shape,
    position: NodePosition,
    value: &'v Value<'v>,
}

impl<'v> Arranged<'v> {
    /// Creates a value to be written by `shape`.
    pub fn new(shape: &'v Shape, value: &'v Value<'v>) -> Self {
        Arranged { shape, position: NodePosition::of(shape.root()), value }
    }
}

impl<'a> ArrangedSeed<'a> {
    /// Creates a seed for values of `shape`. The seed allocates from `arena` and borrows field
    /// names from `shape`.
    pub fn new(shape: &'a Shape, arena: &'a Arena) -> Self {
        ArrangedSeed::at(shape, NodePosition::of(shape.root()), arena)
    }
}

/// Replaces array indices in the error's path by field names where the shape determines them. The
/// codec itself only counts items.
#[cold]
pub fn with_field_names(shape: &Shape, error: Error) -> Error {
    let mut names = FieldNames::new(shape);
    error.with_segments(|segment| names.name(segment))
}

// Paths: array indices to field names.

/// Follows a path through bytes in the array layout and names the fields on it, as far as the shape
/// alone determines them.
pub struct FieldNames<'s> {
    shape: &'s Shape,
    at: Option<NodePosition>,
    // The items of a variant are in an array below the variant's name.
    items: Option<&'s [NodeId]>,
}

impl<'s> FieldNames<'s> {
    /// Starts at the root of the shape.
    pub fn new(shape: &'s Shape) -> Self {
        FieldNames { shape, at: Some(NodePosition::of(shape.root())), items: None }
    }

    /// Follows one step of the path. Returns the field's name if the codec counted an item,
    /// otherwise the segment unchanged.
    pub fn name(&mut self, segment: Segment) -> Segment {
        if let (Some(items), Segment::Index(index)) = (self.items.take(), &segment) {
            self.at = items.get(*index).copied().map(NodePosition::of);
            return segment;
        }
        let Some(position) = self.at.take() else { return segment };
        let container = match segment {
            Segment::Index(_) => Container::Array,
            Segment::Key(_) => Container::Map,
        };
        let position = container_position(self.shape, position, container);
        let (node, named) = self.step(self.shape.node(position.node), &segment);
        self.at = node.map(|node| NodePosition { node, ..position });
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
                (fit::field(record, key).map(|field| field.node).or(record.rest), None)
            }
            (Node::Enum(sum), Segment::Key(key)) if sum.tagging == Tagging::External => {
                match fit::variant(sum, key).map(|variant| &variant.kind) {
                    Ok(VariantKind::Newtype(inner) | VariantKind::Struct(inner)) => {
                        (Some(*inner), None)
                    }
                    Ok(VariantKind::Tuple(items)) => {
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
