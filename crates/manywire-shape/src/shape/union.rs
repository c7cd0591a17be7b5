//! One node for the branches of an untagged enum.

mod merge;

use super::{Node, NodeId, ShapeBuilder, Tagging, VariantKind};

/// What tells the branches of a [`Node::Union`] apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Float,
    Text,
    Bytes,
    Timestamp,
    Array,
    Map,
}

impl ShapeBuilder {
    /// The node that takes whatever any of these nodes takes: what an untagged enum is.
    ///
    /// Nothing on the wire says which branch it is but its kind, so branches of one kind become
    /// one: integers and floats the wider, tuples and arrays an array of either's items, records
    /// and maps one record in which every field may be absent. Null makes it an option. Where no
    /// node takes both ([`Node::Any`] among the branches, maps with different keys beside records,
    /// a type that is still being built beside another of its kind), the result is [`Node::Any`],
    /// which formats driven by a shape refuse by name.
    pub fn union(&mut self, branches: &[NodeId]) -> NodeId {
        if let [only] = branches {
            return *only;
        }
        let mut flat = Flat::default();
        for branch in branches {
            flat.add(self, *branch);
        }
        if flat.any {
            return self.add(Node::Any);
        }
        let nullable = flat.null;
        let node = self.union_of_kinds(flat.branches);
        match node {
            None => self.add(Node::Null),
            Some(id) if nullable && *self.node(id) != Node::Any => self.add(Node::Option(id)),
            Some(id) => id,
        }
    }

    fn union_of_kinds(&mut self, branches: Vec<NodeId>) -> Option<NodeId> {
        // An enum is of two kinds if it has bare and filled variants; alone in both it stays whole.
        let mut groups: Vec<(Vec<Kind>, Vec<NodeId>)> = Vec::new();
        for branch in branches {
            let mut kinds = self.kinds(branch);
            let mut members = vec![branch];
            while let Some(at) =
                groups.iter().position(|(other, _)| kinds.iter().any(|kind| other.contains(kind)))
            {
                let (other_kinds, others) = groups.remove(at);
                members.splice(0..0, others);
                kinds.extend(other_kinds);
            }
            groups.push((kinds, members));
        }
        let mut nodes = Vec::new();
        for (kinds, members) in groups {
            if let [only] = members[..] {
                nodes.push(only);
                continue;
            }
            // An outline says too little of a type to merge it with another.
            if members.iter().any(|id| self.is_open(*id)) {
                return Some(self.add(Node::Any));
            }
            for kind in [
                Kind::Bool,
                Kind::Int,
                Kind::Float,
                Kind::Text,
                Kind::Bytes,
                Kind::Timestamp,
                Kind::Array,
                Kind::Map,
            ] {
                if kinds.contains(&kind) {
                    nodes.push(self.merge(kind, &members));
                }
            }
        }
        if nodes.iter().any(|id| *self.node(*id) == Node::Any) {
            return Some(self.add(Node::Any));
        }
        match nodes[..] {
            [] => None,
            [only] => Some(only),
            _ => Some(self.add(Node::Union(nodes))),
        }
    }

    /// The kinds that a value at this node may have; never empty.
    fn kinds(&self, id: NodeId) -> Vec<Kind> {
        vec![match self.node(id) {
            Node::Bool => Kind::Bool,
            Node::Int(_) => Kind::Int,
            Node::F32 | Node::F64 => Kind::Float,
            Node::Char | Node::Str => Kind::Text,
            Node::Bytes => Kind::Bytes,
            Node::Timestamp => Kind::Timestamp,
            Node::Array(_) | Node::Tuple(_) => Kind::Array,
            Node::Enum(sum) if sum.tagging == Tagging::External => {
                let units =
                    sum.variants.iter().filter(|variant| variant.kind == VariantKind::Unit).count();
                // An open enum has no variants yet and may come to have both.
                match (units, sum.variants.len() - units) {
                    (0, 0) => return vec![Kind::Text, Kind::Map],
                    (0, _) => Kind::Map,
                    (_, 0) => Kind::Text,
                    _ => return vec![Kind::Text, Kind::Map],
                }
            }
            _ => Kind::Map,
        }]
    }
}

/// The branches of a union without unions and options among them.
#[derive(Default)]
struct Flat {
    branches: Vec<NodeId>,
    null: bool,
    any: bool,
}

impl Flat {
    fn add(&mut self, builder: &ShapeBuilder, id: NodeId) {
        match builder.node(id) {
            // Nothing is known of a type that stands for itself until it is built.
            Node::Null if builder.is_open(id) => self.any = true,
            Node::Null => self.null = true,
            Node::Any => self.any = true,
            Node::Option(inner) => {
                self.null = true;
                self.add(builder, *inner);
            }
            Node::Union(branches) => branches.iter().for_each(|branch| self.add(builder, *branch)),
            node => {
                // Scalars are added anew wherever they occur; types are known by their node.
                let same = |known: &NodeId| {
                    *known == id || (is_leaf(node) && builder.node(*known) == node)
                };
                if !self.branches.iter().any(same) {
                    self.branches.push(id);
                }
            }
        }
    }
}

fn is_leaf(node: &Node) -> bool {
    matches!(
        node,
        Node::Bool
            | Node::Int(_)
            | Node::F32
            | Node::F64
            | Node::Char
            | Node::Str
            | Node::Bytes
            | Node::Timestamp
    )
}
