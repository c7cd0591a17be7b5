//! Merges the branches of an untagged enum into one node.

use super::fields::Fields;
use super::{
    Array, ArrayFault, Int, IntEncoding, Name, Node, NodeId, Record, ShapeBuilder, Tagging,
    VariantKind,
};

/// The property that distinguishes the branches of a [`Node::Union`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BranchKind {
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
    /// Returns the node that every value of any of these nodes fits: the type of an untagged enum.
    ///
    /// On the wire, only the kind of a value identifies its branch, so branches of the same kind
    /// are merged. Two integers or floats become the wider type. Text beside text is text, but the
    /// unit variants of a single enum stay an enum. Tuples of one length become a tuple, and other
    /// tuples and arrays become an array of all their items. Maps alone become a map. Records and
    /// enums with content, and maps beside them, become one record in which every field may be
    /// absent. Null makes the result an option. If no other node fits all branches, the result is
    /// [`Node::Any`]. This happens for [`Node::Any`] among the branches, for maps whose keys are
    /// not text beside records, and for a type that is still being built beside another of its
    /// kind.
    pub fn union(&mut self, branches: &[NodeId]) -> NodeId {
        if let [only] = branches {
            return *only;
        }
        let mut flat = FlatBranches::default();
        for branch in branches {
            flat.add(self, *branch);
        }
        let (nullable, array_fault) = (flat.null, flat.array_fault);
        let node = if flat.any { None } else { self.union_of_kinds(flat.branches) };
        let id = match node {
            None if flat.any => self.add(Node::Any),
            None => self.add(Node::Null),
            Some(id) if nullable && *self.node(id) != Node::Any => self.add(Node::Option(id)),
            Some(id) => id,
        };
        if let Some(fault) = array_fault {
            self.add_array_fault(id, fault);
        }
        id
    }

    fn union_of_kinds(&mut self, branches: Vec<NodeId>) -> Option<NodeId> {
        // An enum with unit variants and others has two kinds. It stays whole if no other branch
        // has either kind.
        let mut groups: Vec<(Vec<BranchKind>, Vec<NodeId>)> = Vec::new();
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
            // An outline holds too little of a type to merge it with another.
            if members.iter().any(|id| self.is_open(*id)) {
                return Some(self.add(Node::Any));
            }
            for kind in [
                BranchKind::Bool,
                BranchKind::Int,
                BranchKind::Float,
                BranchKind::Text,
                BranchKind::Bytes,
                BranchKind::Timestamp,
                BranchKind::Array,
                BranchKind::Map,
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

    /// Returns the kinds that a value of this node may have, at least one.
    fn kinds(&self, id: NodeId) -> Vec<BranchKind> {
        vec![match self.node(id) {
            Node::Bool => BranchKind::Bool,
            Node::Int(_) => BranchKind::Int,
            Node::F32 | Node::F64 => BranchKind::Float,
            Node::Char | Node::Str => BranchKind::Text,
            Node::Bytes => BranchKind::Bytes,
            Node::Timestamp => BranchKind::Timestamp,
            Node::Array(_) | Node::Tuple(_) => BranchKind::Array,
            Node::Enum(sum) if sum.tagging == Tagging::External => {
                let units =
                    sum.variants.iter().filter(|variant| variant.kind == VariantKind::Unit).count();
                // An enum that is still being built has no variants yet and may get both kinds.
                match (units, sum.variants.len() - units) {
                    (0, 0) => return vec![BranchKind::Text, BranchKind::Map],
                    (0, _) => BranchKind::Map,
                    (_, 0) => BranchKind::Text,
                    _ => return vec![BranchKind::Text, BranchKind::Map],
                }
            }
            _ => BranchKind::Map,
        }]
    }
}

/// The branches of a union, with nested unions and options flattened.
#[derive(Default)]
struct FlatBranches {
    branches: Vec<NodeId>,
    null: bool,
    any: bool,
    array_fault: Option<ArrayFault>,
}

impl FlatBranches {
    fn add(&mut self, builder: &ShapeBuilder, id: NodeId) {
        self.array_fault = self.array_fault.or_else(|| builder.array_fault(id));
        match builder.node(id) {
            // Nothing is known of an alias type until it is built.
            Node::Null if builder.is_open(id) => self.any = true,
            Node::Null => self.null = true,
            Node::Any => self.any = true,
            Node::Option(inner) => {
                self.null = true;
                self.add(builder, *inner);
            }
            Node::Union(branches) => branches.iter().for_each(|branch| self.add(builder, *branch)),
            node => {
                // Scalars have a new node at every use, so they are compared by value. Other types
                // are compared by id.
                let same = |known: &NodeId| {
                    *known == id
                        || (node.is_scalar()
                            && builder.node(*known) == node
                            && builder.have_same_constraints(*known, id))
                };
                if !self.branches.iter().any(same) {
                    self.branches.push(id);
                }
            }
        }
    }
}

impl ShapeBuilder {
    /// Returns one node for all members of one kind. There are at least two members.
    fn merge(&mut self, kind: BranchKind, members: &[NodeId]) -> NodeId {
        let nodes: Vec<Node> = members.iter().map(|id| self.node(*id).clone()).collect();
        match kind {
            BranchKind::Bool => self.add(Node::Bool),
            BranchKind::Text => {
                let text = text(nodes);
                self.add(text)
            }
            BranchKind::Bytes => self.add(Node::Bytes),
            BranchKind::Timestamp => self.add(Node::Timestamp),
            BranchKind::Float => {
                let wide = nodes.contains(&Node::F64);
                self.add(if wide { Node::F64 } else { Node::F32 })
            }
            BranchKind::Int => {
                let ints = nodes.iter().filter_map(|node| match node {
                    Node::Int(int) => Some(*int),
                    _ => None,
                });
                let merged = ints.reduce(wider).unwrap_or(Int::signed(64));
                self.add(Node::Int(merged))
            }
            BranchKind::Array => self.merge_once(members, Node::Tuple(Vec::new()), merge_arrays),
            BranchKind::Map => {
                self.merge_once(members, Node::Record(Record::default()), merge_maps)
            }
        }
    }

    /// Merges a set of members once. Recursive types return to the same set eventually and then
    /// find its merged node.
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
        let id = self.reserve(outline);
        self.merged.insert(key, id);
        let node = merge(self, members);
        self.fill(id, node);
        id
    }
}

/// Returns the node for the text among values of these nodes: the unit variants of an enum, if there
/// is no other text.
fn text(nodes: Vec<Node>) -> Node {
    let mut texts = nodes.into_iter().filter_map(|node| match node {
        Node::Str | Node::Char => Some(Node::Str),
        Node::Enum(mut sum) if sum.tagging == Tagging::External => {
            sum.variants.retain(|variant| variant.kind == VariantKind::Unit);
            (!sum.variants.is_empty()).then_some(Node::Enum(sum))
        }
        _ => None,
    });
    match (texts.next(), texts.next()) {
        (Some(only), None) => only,
        _ => Node::Str,
    }
}

/// Returns the integer type that holds both types. For an `i128` and a `u128` the result is `i128`,
/// and the codec checks the range.
fn wider(left: Int, right: Int) -> Int {
    let signed = left.signed || right.signed;
    // An unsigned integer needs one bit more if the other integer is signed.
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
    let mut never_seen_empty = true;
    for node in nodes {
        match node {
            Node::Array(array) => {
                items.push(array.item);
                lens.push(array.len);
                non_empty &= array.non_empty;
                never_seen_empty &= array.non_empty || array.never_seen_empty;
            }
            Node::Tuple(parts) => {
                lens.push(u32::try_from(parts.len()).ok());
                non_empty &= !parts.is_empty();
                never_seen_empty &= !parts.is_empty();
                items.extend(parts);
            }
            _ => {}
        }
    }
    let len = lens[0].filter(|_| lens.iter().all(|len| *len == lens[0]));
    let item = if items.is_empty() { builder.add(Node::Any) } else { builder.union(&items) };
    never_seen_empty &= !non_empty;
    Node::Array(Array { item, len, non_empty, never_seen_empty })
}

/// Returns the parts of the tuples by position, if all nodes are tuples of the same length.
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
            // The unit variants of an enum are text; the others are added as `flatten` writes them.
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
    // The keys of a record are text, so a map merged with it must have text keys.
    if keys.iter().any(|key| !matches!(builder.node(*key), Node::Str | Node::Char)) {
        return Node::Any;
    }
    Node::Record(fields.finish(builder, name, Name::default()))
}
