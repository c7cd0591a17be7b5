//! Unions, options and sum types: which branches they have, and what tells these apart.

use std::collections::HashSet;

use super::{Mapping, Work, integer, is_names, record};
use crate::avro::{Field, Form, FullName, NodeId, Role, SchemaError, Type, VariantOf};
use crate::{self as shape, VariantKind};

impl<'s> Mapping<'s> {
    /// A union of the branches of a node, with null in front if the node or the field allows it.
    pub(super) fn union(
        &mut self,
        id: shape::NodeId,
        optional: bool,
    ) -> Result<NodeId, SchemaError> {
        let mut branches = Branches { null: optional, rest: Vec::new() };
        self.flatten(id, true, &mut branches);
        let mut places = Vec::new();
        if branches.null {
            places.push(self.builder.add(Type::Null));
        }
        let mut unnamed = HashSet::new();
        let mut has_variants = false;
        for branch in branches.rest {
            let place = match branch {
                Branch::Variant(place) => {
                    has_variants = true;
                    place
                }
                Branch::Node(node) => {
                    let place = self.place(node)?;
                    let alike = self.unnamed(node).is_some_and(|kind| !unnamed.insert(kind));
                    if alike { self.wrap(place) } else { place }
                }
            };
            if !places.contains(&place) {
                places.push(place);
            }
        }
        match places[..] {
            [] => Err(SchemaError::new("a sum type without variants has no values to write")),
            // One branch alone needs no index, but a variant has its name from the union only.
            [only] if !has_variants => Ok(only),
            _ => Ok(self.builder.add(Type::Union(places))),
        }
    }

    /// Collects the branches of unions within unions, since Avro has no such thing.
    fn flatten(&mut self, id: shape::NodeId, outermost: bool, branches: &mut Branches) {
        if self.knots.contains(&id) && !outermost {
            return branches.rest.push(Branch::Node(id));
        }
        match self.shape.node(id) {
            shape::Node::Null => branches.null = true,
            shape::Node::Option(inner) => {
                branches.null = true;
                self.flatten(*inner, false, branches);
            }
            shape::Node::Union(inner) => {
                for &branch in inner {
                    self.flatten(branch, false, branches);
                }
            }
            shape::Node::Enum(sum) if !is_names(sum) => {
                branches.rest.extend(self.variants(id, sum).into_iter().map(Branch::Variant));
            }
            _ => branches.rest.push(Branch::Node(id)),
        }
    }

    /// The records of a sum type's variants.
    fn variants(&mut self, id: shape::NodeId, sum: &'s shape::Enum) -> Vec<NodeId> {
        if let Some(variants) = self.variants.get(&id) {
            return variants.clone();
        }
        let name = if sum.name.is_empty() { "Enum" } else { &*sum.name };
        let name = self.names.give(name);
        let mut variants = Vec::new();
        for variant in &sum.variants {
            let place = self.builder.reserve();
            let record = if self.names.is_free(&variant.name) {
                self.names.give(&variant.name)
            } else {
                self.names.give(&format!("{name}_{}", variant.name))
            };
            let form = match variant.kind {
                VariantKind::Unit => Form::Unit,
                VariantKind::Newtype(_) => Form::Newtype,
                VariantKind::Tuple(_) => Form::Tuple,
                VariantKind::Struct(_) => Form::Struct,
            };
            let of = VariantOf { sum: name.clone(), tagging: sum.tagging.clone(), form };
            self.open.push_back(Work::Variant(place, FullName::bare(record), variant, of));
            variants.push(place);
        }
        self.variants.insert(id, variants.clone());
        variants
    }

    /// What a union tells a branch apart by, for types without a name.
    fn unnamed(&self, id: shape::NodeId) -> Option<&'static str> {
        if self.knots.contains(&id) {
            return None;
        }
        Some(match self.shape.node(id) {
            shape::Node::Bool => "boolean",
            shape::Node::Int(int) if int.bits > 64 => "bytes",
            shape::Node::Int(int) if integer(*int).ty == Type::Int => "int",
            shape::Node::Int(_) => "long",
            shape::Node::F32 => "float",
            shape::Node::F64 => "double",
            shape::Node::Char | shape::Node::Str => "string",
            shape::Node::Bytes => "bytes",
            shape::Node::Array(_) => "array",
            shape::Node::Map { key, .. } if self.is_text(*key) => "map",
            shape::Node::Map { .. } => "array",
            _ => return None,
        })
    }

    /// A record of one field, which gives a type a name of its own.
    fn wrap(&mut self, inner: NodeId) -> NodeId {
        let name = FullName::bare(self.names.give("Wrapped"));
        let fields = vec![Field::new("value", inner)];
        self.builder.add(Type::Record(record(name, fields, Role::Transparent)))
    }
}

/// The branches of a union, null apart since it goes first.
struct Branches {
    null: bool,
    rest: Vec<Branch>,
}

enum Branch {
    Node(shape::NodeId),
    Variant(NodeId),
}
