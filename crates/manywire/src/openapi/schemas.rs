//! The JSON Schemas of all types of an API.

use std::collections::HashMap;

use manywire_shape::json_schema::JsonSchema;
use manywire_shape::{Literal, Node, NodeId, Shape, ShapeBuilder};

use crate::types::{Type, TypeKey};

/// The JSON Schema of every type of an API. The schemas are written together, so that a type of
/// several endpoints is one component, and no two components share a name.
#[derive(Debug)]
pub(super) struct Schemas {
    shape: Shape,
    nodes: HashMap<TypeKey, NodeId>,
    written: HashMap<NodeId, Literal>,
    /// The components that the schemas refer to.
    pub(super) components: Vec<(String, Literal)>,
}

impl Schemas {
    /// Writes the schemas of content, and of parameters with their fields.
    pub(super) fn new(content: &[Type], parameters: &[Type]) -> Schemas {
        let mut builder = ShapeBuilder::human_readable();
        let mut nodes = HashMap::new();
        let mut roots = Vec::new();
        for ty in content {
            roots.push(*nodes.entry(ty.key()).or_insert_with(|| ty.node(&mut builder)));
        }
        for ty in parameters {
            let node = *nodes.entry(ty.key()).or_insert_with(|| ty.node(&mut builder));
            match builder.node(node) {
                // Each field of a query is a parameter.
                Node::Record(record) => roots.extend(record.fields.iter().map(|field| field.node)),
                _ => roots.push(node),
            }
        }
        // The inner type of an option has a schema as well, because a missing parameter is absent
        // and never null. So has the item of a list, because a form of parts sends each item as a
        // part.
        let mut at = 0;
        while let Some(root) = roots.get(at) {
            match builder.node(*root) {
                Node::Option(inner) => roots.push(*inner),
                Node::Array(array) => roots.push(array.item),
                _ => {}
            }
            at += 1;
        }
        // One tuple of all roots gives one set of definitions.
        let all = builder.add(Node::Tuple(roots.clone()));
        let shape = builder.finish(all);
        let schema = JsonSchema::for_openapi(&shape);
        let written = roots.into_iter().zip(parts(schema.root)).collect();
        Schemas { shape, nodes, written, components: schema.definitions }
    }

    /// Returns the schema of a type, or a reference to it. The schema of an unknown type allows
    /// anything.
    pub(super) fn schema(&self, ty: &Type) -> Literal {
        self.node(ty).map_or_else(anything, |node| self.schema_at(node))
    }

    /// Returns the schema of a type without its outermost option, and whether the type has such an
    /// option. A parameter or a member of a problem may be absent, but is never null.
    pub(super) fn unwrapped(&self, ty: &Type) -> (Literal, bool) {
        let Some(node) = self.node(ty) else { return (anything(), true) };
        match self.shape.node(node) {
            Node::Option(inner) => (self.schema_at(*inner), true),
            _ => (self.schema_at(node), false),
        }
    }

    /// Returns whether a type is a list.
    pub(super) fn is_list(&self, ty: &Type) -> bool {
        let node = self.node(ty).map(|node| self.shape.node(node));
        matches!(node, Some(Node::Array(_)))
    }

    /// Returns the schema of a node.
    pub(super) fn schema_at(&self, node: NodeId) -> Literal {
        self.written.get(&node).cloned().unwrap_or_else(anything)
    }

    /// Returns the node of a type within [`Schemas::shape`].
    pub(super) fn node(&self, ty: &Type) -> Option<NodeId> {
        self.nodes.get(&ty.key()).copied()
    }

    /// Returns the shape of all types.
    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }
}

/// Returns the schema that allows anything. The schema is an empty object, because generators do
/// not support `true`.
fn anything() -> Literal {
    Literal::Object(Vec::new())
}

/// Returns the schemas of a tuple's items.
fn parts(tuple: Literal) -> Vec<Literal> {
    let Literal::Object(keywords) = tuple else { return Vec::new() };
    let mut parts = keywords.into_iter().filter(|(name, _)| name == "prefixItems");
    match parts.next() {
        Some((_, Literal::Array(parts))) => parts,
        _ => Vec::new(),
    }
}
