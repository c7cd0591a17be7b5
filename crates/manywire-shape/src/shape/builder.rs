//! Builds a shape node by node, including types that contain themselves.

use std::collections::HashMap;

use super::{ArrayFault, Name, Node, NodeId, Presence, Shape};
use crate::constraints::Constraints;

/// Collects nodes into a [`Shape`].
#[derive(Debug, Default)]
pub struct ShapeBuilder {
    pub(super) nodes: Vec<Node>,
    named: HashMap<&'static str, TypeState>,
    // Nodes whose parts are still being built. Until then they hold only an outline.
    open: Vec<NodeId>,
    // Merged nodes by the nodes that they were merged from, so that merging recursive types
    // terminates.
    pub(super) merged: HashMap<Vec<NodeId>, NodeId>,
    human_readable: bool,
    pub(super) array_faults: Vec<(NodeId, ArrayFault)>,
    // Records that serde writes as maps because they have flattened fields.
    written_as_map: Vec<NodeId>,
    // Options whose null is the unit variant of an untagged enum.
    unit_variants: Vec<NodeId>,
    denies_unknown_fields: bool,
    pub(super) constraints: Vec<(NodeId, Constraints)>,
    pub(super) unchecked: Vec<(NodeId, Name)>,
}

/// The progress of a type in the shape.
#[derive(Clone, Copy, Debug)]
enum TypeState {
    /// The type has this node.
    Built(NodeId),
    /// The inner type is being built, and nothing has referred to this type so far.
    Pending,
}

impl ShapeBuilder {
    /// Returns a builder for [`Shape::of_readable`].
    pub fn human_readable() -> Self {
        ShapeBuilder { human_readable: true, ..ShapeBuilder::default() }
    }

    /// Returns whether types add the shape that they have in human-readable formats, as
    /// [`serde::Serializer::is_human_readable`] tells `Serialize`.
    pub fn is_human_readable(&self) -> bool {
        self.human_readable
    }

    /// Adds a node.
    pub fn add(&mut self, node: Node) -> NodeId {
        let id =
            NodeId(u32::try_from(self.nodes.len()).expect("a shape has fewer than 2^32 nodes"));
        self.nodes.push(node);
        id
    }

    /// Returns the node of a type that may contain itself, and builds it on the first call.
    ///
    /// `type_name` is [`std::any::type_name`] of the type. Unlike a `TypeId`, it does not require
    /// `'static`, so borrowed types have shapes too.
    pub fn named(
        &mut self,
        type_name: &'static str,
        build: impl FnOnce(&mut Self) -> Node,
    ) -> NodeId {
        self.outlined(type_name, Node::Null, build)
    }

    /// Returns the node of a type as [`ShapeBuilder::named`] does. Until `build` returns, the types
    /// inside it see `outline`.
    pub fn outlined(
        &mut self,
        type_name: &'static str,
        outline: Node,
        build: impl FnOnce(&mut Self) -> Node,
    ) -> NodeId {
        if let Some(TypeState::Built(id)) = self.named.get(type_name) {
            return *id;
        }
        let id = self.reserve(outline);
        self.named.insert(type_name, TypeState::Built(id));
        let node = build(self);
        self.fill(id, node);
        id
    }

    /// Returns the node of a type that is written as another type. The type may contain itself.
    pub fn alias(
        &mut self,
        type_name: &'static str,
        build: impl FnOnce(&mut Self) -> NodeId,
    ) -> NodeId {
        match self.named.get(type_name) {
            Some(TypeState::Built(id)) => return *id,
            Some(TypeState::Pending) => {
                // The type contains itself, so it needs a separate node.
                let id = self.reserve(Node::Null);
                self.named.insert(type_name, TypeState::Built(id));
                return id;
            }
            None => {}
        }
        self.named.insert(type_name, TypeState::Pending);
        let inner = build(self);
        if let Some(TypeState::Built(id)) = self.named.get(type_name).copied() {
            let node = self.node(inner).clone();
            self.fill(id, node);
            self.copy_properties(inner, id);
            return id;
        }
        self.named.insert(type_name, TypeState::Built(inner));
        inner
    }

    /// Returns the node with this id; for a type still being built, its outline.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Reserves a node for a type that may contain itself. Until the node is
    /// [filled](Self::fill), the types inside it see `outline`.
    pub fn reserve(&mut self, outline: Node) -> NodeId {
        let id = self.add(outline);
        self.open.push(id);
        id
    }

    /// Sets a reserved node.
    pub fn fill(&mut self, id: NodeId, node: Node) {
        self.nodes[id.index()] = node;
        self.open.retain(|open| *open != id);
    }

    /// Returns whether the type at this node is still being built.
    pub fn is_open(&self, id: NodeId) -> bool {
        self.open.contains(&id)
    }

    /// Returns the finished shape.
    pub fn finish(self, root: NodeId) -> Shape {
        Shape {
            nodes: self.nodes,
            root,
            array_faults: self.array_faults,
            denies_unknown_fields: self.denies_unknown_fields,
            constraints: self.constraints,
            unchecked: self.unchecked,
        }
    }

    /// Returns a node like this one whose values also have constraints. The constraints of an option
    /// belong to the value inside it. [`Shape::invalid_constraint`] finds constraints that do not
    /// suit the node.
    ///
    /// ```
    /// use manywire_shape::{Constraints, Node, ShapeBuilder};
    ///
    /// let mut builder = ShapeBuilder::default();
    /// let text = builder.add(Node::Str);
    /// let name = builder.constrain(text, Constraints::new().length(1..=40));
    /// let shape = builder.finish(name);
    /// assert_eq!(shape.invalid_constraint(), None);
    /// ```
    pub fn constrain(&mut self, id: NodeId, constraints: Constraints) -> NodeId {
        let node = match self.node(id).clone() {
            // An option of an option is not entered, because a type may be an option of itself.
            Node::Option(inner) if !matches!(self.node(inner), Node::Option(_)) => {
                Node::Option(self.constrain(inner, constraints))
            }
            node => {
                // Other uses of the node must not get the constraints, so a copy gets them.
                let constrained = self.add(node);
                self.copy_constraints(id, constrained);
                self.constraints.push((constrained, constraints));
                return constrained;
            }
        };
        let option = self.add(node);
        if self.unit_variants.contains(&id) {
            self.unit_variants.push(option);
        }
        option
    }

    /// Records that the values of a node are not checked, since a Rust type or field of this name is
    /// written as the node.
    pub(super) fn set_unchecked(&mut self, id: NodeId, name: Name) {
        let is_scalar = matches!(
            self.node(id),
            Node::Bool | Node::Int(_) | Node::F32 | Node::F64 | Node::Str | Node::Bytes
        );
        let is_constrained = self.constraints.iter().any(|(known, _)| *known == id);
        // A scalar without constraints has nothing to check. Constraints of other types may still
        // be added while these types are being built.
        if !is_scalar || is_constrained {
            self.unchecked.push((id, name));
        }
    }

    /// Returns whether two nodes have the same constraints.
    pub(super) fn have_same_constraints(&self, left: NodeId, right: NodeId) -> bool {
        let of = |id: NodeId| {
            self.constraints.iter().filter(move |(known, _)| *known == id).map(|(_, it)| it)
        };
        of(left).eq(of(right))
    }

    /// Gives a copy of a node everything that is recorded beside the node.
    fn copy_properties(&mut self, from: NodeId, to: NodeId) {
        if let Some(fault) = self.array_fault(from) {
            self.add_array_fault(to, fault);
        }
        if self.written_as_map.contains(&from) {
            self.written_as_map.push(to);
        }
        if self.unit_variants.contains(&from) {
            self.unit_variants.push(to);
        }
        let unchecked = self.unchecked.iter().filter(|(known, _)| *known == from);
        let unchecked: Vec<_> = unchecked.map(|(_, name)| (to, name.clone())).collect();
        self.unchecked.extend(unchecked);
        self.copy_constraints(from, to);
    }

    fn copy_constraints(&mut self, from: NodeId, to: NodeId) {
        let copies = self.constraints.iter().filter(|(known, _)| *known == from);
        let copies: Vec<_> = copies.map(|(_, constraints)| (to, constraints.clone())).collect();
        self.constraints.extend(copies);
    }

    /// Makes [`Shape::denies_unknown_fields`] true.
    pub(super) fn deny_unknown_fields(&mut self) {
        self.denies_unknown_fields = true;
    }

    /// Adds an entry to [`Shape::array_faults`].
    pub(super) fn add_array_fault(&mut self, id: NodeId, fault: ArrayFault) {
        if self.array_fault(id).is_none() {
            self.array_faults.push((id, fault));
        }
    }

    pub(super) fn array_fault(&self, id: NodeId) -> Option<ArrayFault> {
        self.array_faults.iter().find(|(known, _)| *known == id).map(|(_, fault)| *fault)
    }

    /// Records that serde writes this record as a map.
    pub(super) fn set_written_as_map(&mut self, id: NodeId) {
        self.written_as_map.push(id);
    }

    /// Records that the null of this option is the unit variant of an untagged enum, which serde reads
    /// from a null only, and not from an absent field.
    pub(super) fn set_unit_variant(&mut self, id: NodeId) {
        self.unit_variants.push(id);
    }

    /// Returns whether serde reads the null of this node only if it is written.
    pub(super) fn reads_written_null(&self, id: NodeId) -> bool {
        self.unit_variants.contains(&id)
    }

    /// Returns whether a record at or below one of these nodes has a field that serde may skip and
    /// whose type does not accept null. Records that serde writes as maps and types that are still
    /// being built do not count.
    pub(super) fn may_skip_values(&self, nodes: &[NodeId]) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut waiting = nodes.to_vec();
        while let Some(id) = waiting.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            let node = self.node(id);
            if let Node::Record(record) = node
                && !self.written_as_map.contains(&id)
            {
                let nullable =
                    |id: NodeId| matches!(self.node(id), Node::Option(_) | Node::Null | Node::Any);
                let skips = |field: &super::Field| {
                    field.presence == Presence::Optional && !nullable(field.node)
                };
                if record.fields.iter().any(skips) {
                    return true;
                }
            }
            waiting.extend(node.parts());
        }
        false
    }

    /// Returns whether a record among these branches is written as an array by some formats, and
    /// another branch is, too.
    pub(super) fn has_records_like_others(&self, branches: &[NodeId]) -> bool {
        let mut waiting = branches.to_vec();
        let (mut records, mut arrays) = (Vec::new(), false);
        while let Some(id) = waiting.pop() {
            match self.node(id) {
                Node::Option(inner) => waiting.push(*inner),
                Node::Union(inner) => waiting.extend(inner),
                Node::Array(_) | Node::Tuple(_) => arrays = true,
                Node::Record(_) if self.written_as_map.contains(&id) => {}
                Node::Record(_) if !records.contains(&id) => records.push(id),
                _ => {}
            }
        }
        records.len() > 1 || arrays && !records.is_empty()
    }
}
