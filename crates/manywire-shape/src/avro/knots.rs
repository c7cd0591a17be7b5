use std::collections::HashSet;

use crate::{Node, NodeId, Shape, VariantKind};

/// The nodes that contain themselves through types that have no name in Avro. Avro refers to a
/// type by its name alone, so one node on each such cycle is wrapped in a record.
pub(super) fn knots(shape: &Shape) -> HashSet<NodeId> {
    fn unnamed_children(shape: &Shape, id: NodeId) -> Vec<NodeId> {
        match shape.node(id) {
            Node::Option(inner) => vec![*inner],
            Node::Array(array) => vec![array.item],
            Node::Map { value, .. } => vec![*value],
            Node::Union(branches) => branches.clone(),
            _ => Vec::new(),
        }
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        Above,
        Done,
    }

    let mut knots = HashSet::new();
    let mut seen = vec![Seen::Not; shape.nodes().len()];
    // Shapes have no list of their ids; everything is reached from the root.
    for start in reach(shape) {
        if seen[start.index()] != Seen::Not {
            continue;
        }
        seen[start.index()] = Seen::Above;
        let mut path = vec![(start, unnamed_children(shape, start))];
        while let Some((id, children)) = path.last_mut() {
            let id = *id;
            match children.pop() {
                None => {
                    seen[id.index()] = Seen::Done;
                    path.pop();
                }
                Some(child) => match seen[child.index()] {
                    Seen::Above => drop(knots.insert(child)),
                    Seen::Done => {}
                    Seen::Not => {
                        seen[child.index()] = Seen::Above;
                        path.push((child, unnamed_children(shape, child)));
                    }
                },
            }
        }
    }
    knots
}

/// Every node that the root of a shape leads to.
fn reach(shape: &Shape) -> Vec<NodeId> {
    let mut seen = HashSet::from([shape.root()]);
    let mut reached = vec![shape.root()];
    let mut next = 0;
    while let Some(&id) = reached.get(next) {
        next += 1;
        let children: Vec<NodeId> = match shape.node(id) {
            Node::Option(inner) => vec![*inner],
            Node::Array(array) => vec![array.item],
            Node::Map { key, value } => vec![*key, *value],
            Node::Tuple(items) => items.clone(),
            Node::Union(branches) => branches.clone(),
            Node::Record(record) => {
                record.fields.iter().map(|field| field.node).chain(record.rest).collect()
            }
            Node::Enum(sum) => sum
                .variants
                .iter()
                .flat_map(|variant| match &variant.kind {
                    VariantKind::Unit => Vec::new(),
                    VariantKind::Newtype(inner) | VariantKind::Struct(inner) => vec![*inner],
                    VariantKind::Tuple(items) => items.clone(),
                })
                .collect(),
            _ => Vec::new(),
        };
        reached.extend(children.into_iter().filter(|&child| seen.insert(child)));
    }
    reached
}
