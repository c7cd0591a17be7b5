use super::{Node, NodeId, Shape, VariantKind};

impl Shape {
    /// This shape without the nodes that nothing refers to (a flattened record leaves one
    /// behind), numbered in the order they are reached from the root, which becomes node 0.
    pub fn reachable(&self) -> Shape {
        let mut numbers = vec![None; self.nodes.len()];
        let mut reached = vec![self.root];
        numbers[self.root.index()] = Some(NodeId(0));
        let mut nodes = Vec::new();
        while let Some(id) = reached.get(nodes.len()) {
            let mut node = self.node(*id).clone();
            for part in parts_mut(&mut node) {
                let number = numbers[part.index()].get_or_insert_with(|| {
                    reached.push(*part);
                    // No more nodes are reached than there were, and those were numbered in 32 bits.
                    NodeId((reached.len() - 1) as u32)
                });
                *part = *number;
            }
            nodes.push(node);
        }
        Shape { nodes, root: NodeId(0) }
    }
}

/// The nodes that a node refers to, in order.
pub(super) fn parts_mut(node: &mut Node) -> Vec<&mut NodeId> {
    match node {
        Node::Option(inner) => vec![inner],
        Node::Array(array) => vec![&mut array.item],
        Node::Tuple(items) | Node::Union(items) => items.iter_mut().collect(),
        Node::Map { key, value } => vec![key, value],
        Node::Record(record) => {
            record.fields.iter_mut().map(|field| &mut field.node).chain(&mut record.rest).collect()
        }
        Node::Enum(sum) => sum
            .variants
            .iter_mut()
            .flat_map(|variant| match &mut variant.kind {
                VariantKind::Unit => vec![],
                VariantKind::Newtype(inner) | VariantKind::Struct(inner) => vec![inner],
                VariantKind::Tuple(items) => items.iter_mut().collect(),
            })
            .collect(),
        Node::Null
        | Node::Bool
        | Node::Int(_)
        | Node::F32
        | Node::F64
        | Node::Char
        | Node::Str
        | Node::Bytes
        | Node::Timestamp
        | Node::Any => vec![],
    }
}
