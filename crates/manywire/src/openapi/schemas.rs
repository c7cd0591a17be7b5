//! The JSON Schemas of all types of an API.

use std::collections::HashMap;

use manywire_shape::json_schema::JsonSchema;
use manywire_shape::{Literal, Node, NodeId, Shape, ShapeBuilder};

use crate::content::{Type, TypeKey};

/// The JSON Schema of every type of an API, written together so that a type that several
/// endpoints carry is one component, and no two share a name.
#[derive(Debug)]
pub(super) struct Schemas {
    shape: Shape,
    nodes: HashMap<TypeKey, NodeId>,
    written: HashMap<NodeId, Literal>,
    /// The components that the schemas refer to.
    pub(super) components: Vec<(String, Literal)>,
}

impl Schemas {
    /// The schemas of content, and of parameters with their parts.
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
                // The fields of a query stand for themselves.
                Node::Record(record) => roots.extend(record.fields.iter().map(|field| field.node)),
                _ => roots.push(node),
            }
        }
        // A parameter that may be left out is not there; it is never null. Of a list that is sent
        // item by item, the item has a schema of its own.
        let mut at = 0;
        while let Some(root) = roots.get(at) {
            match builder.node(*root) {
                Node::Option(inner) => roots.push(*inner),
                Node::Array(array) => roots.push(array.item),
                _ => {}
            }
            at += 1;
        }
        // One value that holds them all has one set of definitions.
        let all = builder.add(Node::Tuple(roots.clone()));
        let shape = builder.finish(all);
        let schema = JsonSchema::referring_to(&shape, "#/components/schemas/");
        let written = roots.into_iter().zip(parts(schema.root)).collect();
        Schemas { shape, nodes, written, components: schema.definitions }
    }

    /// The schema of a type, or the reference to it; what is not known is anything.
    pub(super) fn schema(&self, ty: &Type) -> Literal {
        self.node(ty).map_or(Literal::Boolean(true), |node| self.schema_at(node))
    }

    /// The schema of a place within a type.
    pub(super) fn schema_at(&self, node: NodeId) -> Literal {
        self.written.get(&node).cloned().unwrap_or(Literal::Boolean(true))
    }

    /// The node of a type within [`Schemas::shape`].
    pub(super) fn node(&self, ty: &Type) -> Option<NodeId> {
        self.nodes.get(&ty.key()).copied()
    }

    /// The shape of them all.
    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }
}

/// What stands at each place of a tuple.
fn parts(tuple: Literal) -> Vec<Literal> {
    let Literal::Object(keywords) = tuple else { return Vec::new() };
    let mut parts = keywords.into_iter().filter(|(name, _)| name == "prefixItems");
    match parts.next() {
        Some((_, Literal::Array(parts))) => parts,
        _ => Vec::new(),
    }
}
