//! Places in a shape: the nodes that belong to one part of a value.

use manywire_shape::{Node, NodeId, Shape, Tagging, Value, Variant, VariantKind};

/// The nodes of one part of a value. There are several only inside a union, and none for a part
/// that the shape does not have.
pub(super) struct Place<'s> {
    shape: &'s Shape,
    /// The nodes. Options and unions are replaced by the nodes inside them.
    nodes: Vec<NodeId>,
    /// The nodes of the items, if the part is the content of a tuple variant.
    tuple: &'s [NodeId],
}

impl<'s> Place<'s> {
    /// Returns the place of the whole value.
    pub(super) fn root(shape: &'s Shape) -> Self {
        Place::of(shape, shape.root())
    }

    fn of(shape: &'s Shape, id: NodeId) -> Self {
        let (mut waiting, mut seen, mut nodes) = (vec![id], Vec::new(), Vec::new());
        while let Some(id) = waiting.pop() {
            // A type may be an option of itself.
            if seen.contains(&id) {
                continue;
            }
            match shape.node(id) {
                Node::Option(inner) => waiting.push(*inner),
                Node::Union(branches) => waiting.extend(branches),
                _ => nodes.push(id),
            }
            seen.push(id);
        }
        Place { shape, nodes, tuple: &[] }
    }

    /// Returns whether any value may be here.
    pub(super) fn is_any(&self) -> bool {
        matches!(self.nodes[..], [id] if *self.shape.node(id) == Node::Any)
    }

    /// Returns the place of the item at an index.
    pub(super) fn item(&self, index: usize) -> Place<'s> {
        let item = self.nodes.iter().find_map(|&id| match self.shape.node(id) {
            Node::Any => Some(id),
            Node::Array(array) => Some(array.item),
            Node::Tuple(parts) => parts.get(index).copied(),
            _ => None,
        });
        self.inner(item.or_else(|| self.tuple.get(index).copied()))
    }

    /// Returns the place of the keys.
    pub(super) fn key(&self) -> Place<'s> {
        self.inner(self.nodes.iter().find_map(|&id| match self.shape.node(id) {
            Node::Any => Some(id),
            Node::Map { key, .. } => Some(*key),
            _ => None,
        }))
    }

    /// Returns the place of the value under a key. `map` is the value that has the key.
    pub(super) fn entry(&self, map: &Value<'_>, key: &Value<'_>) -> Place<'s> {
        let place = self.nodes.iter().find_map(|&id| self.entry_of(id, map, key));
        place.unwrap_or_else(|| self.inner(None))
    }

    fn entry_of(&self, id: NodeId, map: &Value<'_>, key: &Value<'_>) -> Option<Place<'s>> {
        let (node, name) = match (self.shape.node(id), key) {
            (Node::Any, _) => return Some(self.inner(Some(id))),
            (Node::Map { value, .. }, _) => return Some(self.inner(Some(*value))),
            (node, Value::Str(name)) => (node, *name),
            _ => return None,
        };
        match node {
            Node::Record(record) => {
                let field = record.fields.iter().find(|field| field.is_named(name));
                Some(self.inner(Some(field.map(|field| field.node).or(record.rest)?)))
            }
            Node::Enum(sum) => {
                let find = |name: &str| sum.variants.iter().find(|it| it.is_named(name));
                let tagged = |tag: &str| match map.get(tag) {
                    Some(Value::Str(name)) => find(name),
                    _ => None,
                };
                match &sum.tagging {
                    Tagging::External => find(name).map(|variant| self.content(variant)),
                    Tagging::Internal { tag } => match tagged(tag)?.kind {
                        VariantKind::Newtype(inner) | VariantKind::Struct(inner)
                            // An enum could be its own content, without end.
                            if !matches!(self.shape.node(inner), Node::Enum(_)) =>
                        {
                            self.entry_of(inner, map, key)
                        }
                        _ => None,
                    },
                    Tagging::Adjacent { tag, content } if *content == *name => {
                        tagged(tag).map(|variant| self.content(variant))
                    }
                    Tagging::Adjacent { .. } => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the place of the content of a variant.
    fn content(&self, variant: &'s Variant) -> Place<'s> {
        match &variant.kind {
            VariantKind::Unit => self.inner(None),
            VariantKind::Newtype(id) | VariantKind::Struct(id) => self.inner(Some(*id)),
            VariantKind::Tuple(parts) => Place { tuple: parts, ..self.inner(None) },
        }
    }

    fn inner(&self, id: Option<NodeId>) -> Place<'s> {
        match id {
            Some(id) => Place::of(self.shape, id),
            None => Place { shape: self.shape, nodes: Vec::new(), tuple: &[] },
        }
    }
}
