//! Branches of one kind become one.

use super::Kind;
use crate::shape::fields::Fields;
use crate::shape::{
    Array, Int, IntEncoding, Name, Node, NodeId, Record, ShapeBuilder, Tagging, VariantKind,
};

impl ShapeBuilder {
    /// One node for all of one kind among the members, of which there are at least two.
    pub(super) fn merge(&mut self, kind: Kind, members: &[NodeId]) -> NodeId {
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
