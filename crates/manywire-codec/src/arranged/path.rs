//! From places in arrays to the names of fields.

use manywire_shape::{Node, NodeId, Shape, Tagging, VariantKind};

use super::Place;
use super::union::{Container, place_of_container};
use crate::Segment;

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
