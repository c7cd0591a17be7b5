use std::collections::HashMap;

use super::{Node, NodeId, Shape};

/// Collects nodes into a [`Shape`].
#[derive(Debug, Default)]
pub struct ShapeBuilder {
    pub(super) nodes: Vec<Node>,
    named: HashMap<&'static str, Place>,
    // Nodes whose parts are still being built: what stands there is only their outline.
    open: Vec<NodeId>,
    // Merged nodes by what they were merged from, so that merging recursive types ends.
    pub(super) merged: HashMap<Vec<NodeId>, NodeId>,
    human_readable: bool,
}

/// Where a type is in the shape.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// At this node.
    At(NodeId),
    /// Wherever its inner type turns out to be; nobody has asked for it so far.
    Pending,
}

impl ShapeBuilder {
    /// A builder for [`Shape::of_readable`].
    pub fn human_readable() -> Self {
        ShapeBuilder { human_readable: true, ..ShapeBuilder::default() }
    }

    /// Whether types should give the shape they have in formats for people: what their
    /// `Serialize` learns from [`serde::Serializer::is_human_readable`].
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

    /// The node of a type that may contain itself, built the first time it is asked for.
    ///
    /// `type_name` is [`std::any::type_name`] of the type: it stands for the type without asking
    /// for `'static`, so borrowed types have shapes too.
    pub fn named(
        &mut self,
        type_name: &'static str,
        build: impl FnOnce(&mut Self) -> Node,
    ) -> NodeId {
        self.outlined(type_name, Node::Null, build)
    }

    /// [`ShapeBuilder::named`] for a type of which something is known without its parts: until
    /// `build` returns, the types inside it see `outline`.
    pub fn outlined(
        &mut self,
        type_name: &'static str,
        outline: Node,
        build: impl FnOnce(&mut Self) -> Node,
    ) -> NodeId {
        if let Some(Place::At(id)) = self.named.get(type_name) {
            return *id;
        }
        let id = self.open(outline);
        self.named.insert(type_name, Place::At(id));
        let node = build(self);
        self.close(id, node);
        id
    }

    /// The node of a type that is written as another type is, and may contain itself.
    pub fn alias(
        &mut self,
        type_name: &'static str,
        build: impl FnOnce(&mut Self) -> NodeId,
    ) -> NodeId {
        match self.named.get(type_name) {
            Some(Place::At(id)) => return *id,
            Some(Place::Pending) => {
                // The type contains itself: it gets a node of its own after all.
                let id = self.open(Node::Null);
                self.named.insert(type_name, Place::At(id));
                return id;
            }
            None => {}
        }
        self.named.insert(type_name, Place::Pending);
        let inner = build(self);
        if let Some(Place::At(id)) = self.named.get(type_name).copied() {
            let node = self.node(inner).clone();
            self.close(id, node);
            return id;
        }
        self.named.insert(type_name, Place::At(inner));
        inner
    }

    /// The node added under this id; for a type still being built, its outline.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// A node for a type that may contain itself and has no Rust type; until it is
    /// [filled](Self::fill), the types inside it see `outline`.
    pub fn reserve(&mut self, outline: Node) -> NodeId {
        self.open(outline)
    }

    /// Puts a node in the place reserved for it.
    pub fn fill(&mut self, id: NodeId, node: Node) {
        self.close(id, node);
    }

    /// Whether the type at this node is still being built.
    pub fn is_open(&self, id: NodeId) -> bool {
        self.open.contains(&id)
    }

    /// The finished shape.
    pub fn finish(self, root: NodeId) -> Shape {
        Shape { nodes: self.nodes, root }
    }

    pub(super) fn open(&mut self, outline: Node) -> NodeId {
        let id = self.add(outline);
        self.open.push(id);
        id
    }

    pub(super) fn close(&mut self, id: NodeId, node: Node) {
        self.nodes[id.index()] = node;
        self.open.retain(|open| *open != id);
    }
}
