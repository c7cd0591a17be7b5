//! Builds a schema node by node, and checks the finished one.

use super::check::check;
use super::{Node, NodeId, Schema, SchemaError, Type};

/// Collects nodes into a [`Schema`].
#[derive(Debug, Default)]
pub struct SchemaBuilder {
    nodes: Vec<Node>,
}

impl SchemaBuilder {
    /// Adds a node.
    pub fn add(&mut self, node: impl Into<Node>) -> NodeId {
        let id = u32::try_from(self.nodes.len()).expect("a schema has fewer than 2^32 nodes");
        self.nodes.push(node.into());
        NodeId(id)
    }

    /// Reserves a node that is not known yet. The node is null until [`set`](Self::set) replaces
    /// it.
    pub fn reserve(&mut self) -> NodeId {
        self.add(Type::Null)
    }

    /// Sets a reserved node.
    pub fn set(&mut self, id: NodeId, node: impl Into<Node>) {
        self.nodes[id.index()] = node.into();
    }

    /// Returns the type of a node that was added.
    pub fn ty(&self, id: NodeId) -> &Type {
        &self.nodes[id.index()].ty
    }

    /// Checks and returns the finished schema.
    ///
    /// # Errors
    ///
    /// Fails if the specification forbids the schema: for an invalid or duplicate name, a union
    /// with two branches of one type, or a record that contains itself on every path.
    pub fn finish(self, root: NodeId) -> Result<Schema, SchemaError> {
        let schema = Schema { nodes: self.nodes, root };
        check(&schema)?;
        Ok(schema)
    }
}
