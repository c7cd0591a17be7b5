//! One node for the branches of an untagged enum.

use super::fields::Fields;
use super::{
    Array, Int, IntEncoding, Name, Node, NodeId, Record, ShapeBuilder, Tagging, VariantKind,
};

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

impl ShapeBuilder {
    /// One node for all of one kind among the members, of which there are at least two.
    fn merge(&mut self, kind: Kind, members: &[NodeId]) -> NodeId {
        let nodes: Vec<Node> = members.iter().map(|id| self.node(*id).clone()).collect();
        match kind {
            Kind::Bool => self.add(Node::Bool),
            Kind::Text => self.add(Node::Str),
            Kind::Bytes => self.add(Node::Bytes),
            Kind::Timestamp => self.add(Node::Timestamp),
            Kind::Float => {
                let wide = nodes.contains(&Node::F64);
                self.add(if wide { Node::F64 } else { Node::F32 })
            }
            Kind::Int => {
                let ints = nodes.iter().filter_map(|node| match node {
                    Node::Int(int) => Some(*int),
                    _ => None,
                });
                let merged = ints.reduce(wider).unwrap_or(Int::signed(64));
                self.add(Node::Int(merged))
            }
            Kind::Array => self.merge_once(members, Node::Tuple(Vec::new()), merge_arrays),
            Kind::Map => {
                let outline = Record {
                    name: Name::default(),
                    doc: Name::default(),
                    fields: vec![],
                    rest: None,
                };
                self.merge_once(members, Node::Record(outline), merge_maps)
            }
        }
    }

    /// Merges these members the first time it is asked to: recursive types come back to the same
    /// set of nodes sooner or later, and then find the node that stands for it.
    fn merge_once(
        &mut self,
        members: &[NodeId],
        outline: Node,
        merge: fn(&mut Self, &[NodeId]) -> Node,
    ) -> NodeId {
        let mut key = members.to_vec();
        key.sort_unstable();
        if let Some(id) = self.merged.get(&key) {
            return *id;
        }
        let id = self.open(outline);
        self.merged.insert(key, id);
        let node = merge(self, members);
        self.close(id, node);
        id
    }
}

/// The integer that holds both; for 128 bits the sign decides, and the codec checks the range.
fn wider(left: Int, right: Int) -> Int {
    let signed = left.signed || right.signed;
    // An unsigned integer needs one bit more where its neighbour is signed.
    let bits = |int: Int| if signed && !int.signed { int.bits.saturating_mul(2) } else { int.bits };
    let encoding =
        if left.encoding == right.encoding { left.encoding } else { IntEncoding::Varint };
    Int { signed, bits: bits(left).max(bits(right)).min(128), encoding }
}

fn merge_arrays(builder: &mut ShapeBuilder, members: &[NodeId]) -> Node {
    let nodes: Vec<Node> = members.iter().map(|id| builder.node(*id).clone()).collect();
    if let Some(columns) = columns(&nodes) {
        return Node::Tuple(columns.iter().map(|column| builder.union(column)).collect());
    }
    let mut items = Vec::new();
    let mut lens = Vec::new();
    let mut non_empty = true;
    for node in nodes {
        match node {
            Node::Array(array) => {
                items.push(array.item);
                lens.push(array.len);
                non_empty &= array.non_empty;
            }
            Node::Tuple(parts) => {
                lens.push(u32::try_from(parts.len()).ok());
                non_empty &= !parts.is_empty();
                items.extend(parts);
            }
            _ => {}
        }
    }
    let len = lens[0].filter(|_| lens.iter().all(|len| *len == lens[0]));
    let item = if items.is_empty() { builder.add(Node::Any) } else { builder.union(&items) };
    Node::Array(Array { item, len, non_empty })
}

/// The parts of tuples place by place, if they are all tuples of one length.
fn columns(nodes: &[Node]) -> Option<Vec<Vec<NodeId>>> {
    let mut columns: Vec<Vec<NodeId>> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let Node::Tuple(parts) = node else { return None };
        if at == 0 {
            columns = vec![Vec::new(); parts.len()];
        }
        if parts.len() != columns.len() {
            return None;
        }
        columns.iter_mut().zip(parts).for_each(|(column, part)| column.push(*part));
    }
    Some(columns)
}

fn merge_maps(builder: &mut ShapeBuilder, members: &[NodeId]) -> Node {
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    let mut name = Name::default();
    let mut fields = Fields::default();
    for id in members {
        match builder.node(*id).clone() {
            Node::Map { key, value } => {
                keys.push(key);
                values.push(value);
                fields.flatten_one_of(builder, *id);
            }
            // The bare variants of an enum are text; the others are what `flatten` makes of them.
            Node::Enum(mut sum) if sum.tagging == Tagging::External => {
                sum.variants.retain(|variant| variant.kind != VariantKind::Unit);
                let filled = builder.add(Node::Enum(sum));
                fields.flatten_one_of(builder, filled);
            }
            Node::Record(record) => {
                if name.is_empty() {
                    name = record.name;
                }
                fields.flatten_one_of(builder, *id);
            }
            _ => fields.flatten_one_of(builder, *id),
        }
    }
    if keys.len() == members.len() {
        return Node::Map { key: builder.union(&keys), value: builder.union(&values) };
    }
    // A record's keys are text, and so must be those of a map it is merged with.
    if keys.iter().any(|key| !matches!(builder.node(*key), Node::Str | Node::Char)) {
        return Node::Any;
    }
    Node::Record(fields.finish(builder, name, Name::default()))
}
