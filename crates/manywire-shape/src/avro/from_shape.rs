//! Converts a shape to an Avro schema, by the table in the documentation of [`avro`](super).

use std::collections::{HashMap, HashSet, VecDeque};

use super::any::AnyRecords;
use super::schema::{Names, original};
use super::{
    Enum, Field, Form, FullName, Literal, Logical, Node, NodeId, Record, Role, Schema,
    SchemaBuilder, SchemaError, Symbol, Type, UNSIGNED_64_DIGITS, VariantOf, WIDE_DIGITS,
};
use crate::{self as shape, Int, IntEncoding, Presence, Shape, Tagging, Variant, VariantKind};

impl Schema {
    /// Returns the schema of the values of a shape.
    ///
    /// # Errors
    ///
    /// Fails for shapes that Avro has no type for: an enum without variants, an internally tagged
    /// variant whose content has no fields, and a record that always contains itself.
    pub fn from_shape(shape: &Shape) -> Result<Schema, SchemaError> {
        let mut conversion = Conversion {
            shape,
            builder: SchemaBuilder::default(),
            converted: HashMap::new(),
            optional: HashMap::new(),
            variants: HashMap::new(),
            cycle_nodes: cycle_nodes(shape),
            names: Names::of_types(),
            any: AnyRecords::default(),
            pending: VecDeque::new(),
        };
        let root = conversion.convert(shape.root())?;
        while let Some(pending) = conversion.pending.pop_front() {
            conversion.fill(pending)?;
        }
        conversion.builder.finish(root)
    }
}

struct Conversion<'s> {
    shape: &'s Shape,
    builder: SchemaBuilder,
    converted: HashMap<shape::NodeId, NodeId>,
    /// The converted nodes of optional fields, which have an additional null.
    optional: HashMap<shape::NodeId, NodeId>,
    /// The records of the variants of enums that become unions.
    variants: HashMap<shape::NodeId, Vec<NodeId>>,
    cycle_nodes: HashSet<shape::NodeId>,
    names: Names,
    any: AnyRecords,
    pending: VecDeque<PendingRecord<'s>>,
}

/// A record that has a node and a name, but no contents yet.
struct PendingRecord<'s> {
    node_id: NodeId,
    name: FullName,
    contents: Contents<'s>,
}

/// The part of the shape that the fields of a record come from.
enum Contents<'s> {
    Record(&'s shape::Record),
    Tuple(&'s [shape::NodeId]),
    Variant(&'s Variant, VariantOf),
    /// The key and the value of a map's entries.
    Entry(shape::NodeId, shape::NodeId),
    /// The node of a cycle of types without names.
    Cycle(shape::NodeId),
}

impl<'s> Conversion<'s> {
    /// Returns the schema node of a node of the shape.
    fn convert(&mut self, id: shape::NodeId) -> Result<NodeId, SchemaError> {
        if let Some(&node_id) = self.converted.get(&id) {
            return Ok(node_id);
        }
        let node_id = if self.cycle_nodes.contains(&id) {
            self.reserve("Nested", Contents::Cycle(id))
        } else {
            self.build(id)?
        };
        self.converted.insert(id, node_id);
        Ok(node_id)
    }

    /// Reserves the node of a record with a name like this one. Its fields are filled in later.
    fn reserve(&mut self, name: &str, contents: Contents<'s>) -> NodeId {
        let node_id = self.builder.reserve();
        let name = FullName::bare(self.names.give(name));
        self.pending.push_back(PendingRecord { node_id, name, contents });
        node_id
    }

    /// Adds the Avro type of a node of the shape.
    fn build(&mut self, id: shape::NodeId) -> Result<NodeId, SchemaError> {
        Ok(match self.shape.node(id) {
            shape::Node::Null => self.builder.add(Type::Null),
            shape::Node::Bool => self.builder.add(Type::Boolean),
            shape::Node::Int(int) => self.builder.add(integer(*int)),
            shape::Node::F32 => self.builder.add(Type::Float),
            shape::Node::F64 => self.builder.add(Type::Double),
            shape::Node::Char | shape::Node::Str => self.builder.add(Type::String),
            shape::Node::Bytes => self.builder.add(Type::Bytes),
            shape::Node::Timestamp => self.any.timestamp(&mut self.builder, &mut self.names),
            shape::Node::Any => self.any.value(&mut self.builder, &mut self.names),
            shape::Node::Option(_) | shape::Node::Union(_) => self.union(id, false)?,
            shape::Node::Array(array) => {
                let item = self.convert(array.item)?;
                self.builder.add(Type::Array(item))
            }
            shape::Node::Map { key, value } if self.is_text(*key) => {
                let value = self.convert(*value)?;
                self.builder.add(Type::Map(value))
            }
            shape::Node::Map { key, value } => {
                let entry = self.reserve("Entry", Contents::Entry(*key, *value));
                self.builder.add(Type::Array(entry))
            }
            shape::Node::Tuple(items) => self.reserve("Tuple", Contents::Tuple(items)),
            shape::Node::Record(record) => {
                let name = if record.name.is_empty() { "Record" } else { &*record.name };
                self.reserve(name, Contents::Record(record))
            }
            shape::Node::Enum(sum) if is_names(sum) => {
                let symbols = self.symbols(sum);
                self.builder.add(Type::Enum(symbols))
            }
            shape::Node::Enum(_) => self.union(id, false)?,
        })
    }

    fn symbols(&mut self, sum: &shape::Enum) -> Enum {
        let type_name = if sum.name.is_empty() { "Enum" } else { &*sum.name };
        let name = FullName::bare(self.names.give(type_name));
        let mut names = Names::default();
        let symbols = sum.variants.iter().map(|variant| {
            let name = names.give(&variant.name);
            let aliases = variant.aliases.iter().map(|alias| alias.to_string()).collect();
            Symbol { original: original(&variant.name, &name), name, aliases }
        });
        Enum {
            symbols: symbols.collect(),
            original: original(type_name, &name.name),
            name,
            doc: sum.doc.to_string(),
            aliases: Vec::new(),
            default: None,
        }
    }

    /// Returns whether the keys of a map are text, characters or names of unit variants, which an
    /// Avro map can hold.
    fn is_text(&self, key: shape::NodeId) -> bool {
        match self.shape.node(key) {
            shape::Node::Str | shape::Node::Char => true,
            shape::Node::Enum(sum) => is_names(sum),
            _ => false,
        }
    }

    fn fill(&mut self, pending: PendingRecord<'s>) -> Result<(), SchemaError> {
        let PendingRecord { node_id, name, contents } = pending;
        let filled = match contents {
            Contents::Record(of) => {
                let fields = self.fields(of)?;
                Record {
                    original: original(&of.name, &name.name).filter(|text| !text.is_empty()),
                    doc: of.doc.to_string(),
                    ..Record::new(name, fields, Role::Record)
                }
            }
            Contents::Tuple(items) => Record::new(name, self.items(items)?, Role::Tuple),
            Contents::Entry(key, value) => {
                let (key, value) = (self.convert(key)?, self.convert(value)?);
                let fields = vec![Field::new("key", key), Field::new("value", value)];
                Record::new(name, fields, Role::Entry)
            }
            Contents::Cycle(id) => {
                let inner = self.build(id)?;
                Record::new(name, vec![Field::new("value", inner)], Role::Transparent)
            }
            Contents::Variant(variant, of) => {
                let fields = self.variant_fields(variant, &of)?;
                Record {
                    original: original(&variant.name, &name.name),
                    doc: variant.doc.to_string(),
                    aliases: variant.aliases.iter().map(|alias| alias.to_string()).collect(),
                    ..Record::new(name, fields, Role::Variant(of))
                }
            }
        };
        self.builder.set(node_id, Type::Record(filled));
        Ok(())
    }

    fn variant_fields(
        &mut self,
        variant: &Variant,
        of: &VariantOf,
    ) -> Result<Vec<Field>, SchemaError> {
        match &variant.kind {
            VariantKind::Unit => Ok(Vec::new()),
            VariantKind::Newtype(inner) => {
                self.check_tag(of, variant, *inner)?;
                Ok(vec![Field::new("value", self.convert(*inner)?)])
            }
            VariantKind::Tuple(items) => self.items(items),
            VariantKind::Struct(inner) => match self.shape.node(*inner) {
                shape::Node::Record(inner) => self.fields(inner),
                _ => Err(SchemaError::new(format_args!(
                    "variant {} of {} has fields, but its node is no record",
                    variant.name, of.sum
                ))),
            },
        }
    }

    /// Checks that an internally tagged variant has fields, because the tag is written among them.
    fn check_tag(
        &self,
        of: &VariantOf,
        variant: &Variant,
        inner: shape::NodeId,
    ) -> Result<(), SchemaError> {
        let Tagging::Internal { tag } = &of.tagging else { return Ok(()) };
        match self.shape.node(inner) {
            shape::Node::Record(_) | shape::Node::Null => Ok(()),
            shape::Node::Map { key, .. } if self.is_text(*key) => Ok(()),
            _ => Err(SchemaError::new(format_args!(
                "variant {} of {} has no fields beside which the tag `{tag}` could be written",
                variant.name, of.sum
            ))),
        }
    }

    fn items(&mut self, items: &[shape::NodeId]) -> Result<Vec<Field>, SchemaError> {
        let items = items.iter().enumerate();
        items
            .map(|(index, &item)| Ok(Field::new(format!("_{index}"), self.convert(item)?)))
            .collect()
    }

    fn fields(&mut self, of: &shape::Record) -> Result<Vec<Field>, SchemaError> {
        let mut names = Names::default();
        let mut fields = Vec::with_capacity(of.fields.len() + 1);
        for field in &of.fields {
            let optional = field.presence == Presence::Optional;
            if optional && self.is_nullable_variant(field.node) {
                return Err(SchemaError::new(format_args!(
                    "field `{}` of {} is in one of several variants that are merged into one record \
                     and may be null, which Avro cannot tell from an absent field: put the content \
                     in a struct, or neither flatten the enum nor leave it untagged",
                    field.name, of.name
                )));
            }
            let node =
                if optional { self.optional(field.node)? } else { self.convert(field.node)? };
            let name = names.give(&field.name);
            fields.push(Field {
                original: original(&field.name, &name),
                doc: field.doc.to_string(),
                aliases: field.aliases.iter().map(|alias| alias.to_string()).collect(),
                default: self.has_null_first(field.node, optional).then_some(Literal::Null),
                optional,
                ..Field::new(name, node)
            });
        }
        if let Some(rest) = of.rest {
            let value = self.convert(rest)?;
            let map = self.builder.add(Type::Map(value));
            fields.push(Field { rest: true, ..Field::new(names.give("rest"), map) });
        }
        Ok(fields)
    }

    /// Returns the node of an optional field.
    fn optional(&mut self, id: shape::NodeId) -> Result<NodeId, SchemaError> {
        if let Some(&node_id) = self.optional.get(&id) {
            return Ok(node_id);
        }
        let node_id = if self.cycle_nodes.contains(&id) {
            let branches = vec![self.builder.add(Type::Null), self.convert(id)?];
            self.builder.add(Type::Union(branches))
        } else if *self.shape.node(id) == shape::Node::Null {
            // A present null needs a name beside the null that represents absence.
            let null = self.builder.add(Type::Null);
            let branches = vec![self.builder.add(Type::Null), self.wrap(null)];
            self.builder.add(Type::Union(branches))
        } else {
            self.union(id, true)?
        };
        self.optional.insert(id, node_id);
        Ok(node_id)
    }

    /// Returns whether this is the content of a flattened variant that may be null.
    fn is_nullable_variant(&self, id: shape::NodeId) -> bool {
        matches!(self.shape.node(id), shape::Node::Union(branches)
            if matches!(branches[..], [only] if matches!(self.shape.node(only), shape::Node::Option(_))))
    }

    /// Returns whether null is the first branch of a field's type, so that it may be the default.
    fn has_null_first(&self, id: shape::NodeId, optional: bool) -> bool {
        let inner_null = |id| match self.shape.node(id) {
            shape::Node::Option(_) => true,
            shape::Node::Union(branches) => branches.iter().any(|&branch| {
                matches!(self.shape.node(branch), shape::Node::Null | shape::Node::Option(_))
            }),
            _ => false,
        };
        optional || (!self.cycle_nodes.contains(&id) && inner_null(id))
    }

    /// Returns a union of the branches of a node. Null comes first if a branch is null or if the
    /// field is `optional`. Returns a single branch without a union, unless it is a variant, whose
    /// name is written only in a union. Fails if there is no branch.
    fn union(&mut self, id: shape::NodeId, optional: bool) -> Result<NodeId, SchemaError> {
        let mut branches = Branches { null: optional, rest: Vec::new() };
        self.flatten(id, true, &mut branches);
        let mut nodes = Vec::new();
        if branches.null {
            nodes.push(self.builder.add(Type::Null));
        }
        let mut unnamed = HashSet::new();
        let mut has_variants = false;
        for branch in branches.rest {
            let node_id = match branch {
                Branch::Variant(node_id) => {
                    has_variants = true;
                    node_id
                }
                Branch::Node(node) => {
                    let node_id = self.convert(node)?;
                    let alike = self.unnamed_type(node).is_some_and(|kind| !unnamed.insert(kind));
                    if alike { self.wrap(node_id) } else { node_id }
                }
            };
            if !nodes.contains(&node_id) {
                nodes.push(node_id);
            }
        }
        match nodes[..] {
            [] => Err(SchemaError::new("a sum type without variants has no values to write")),
            // A single branch needs no union, unless it is a variant, whose name is written only in
            // a union.
            [only] if !has_variants => Ok(only),
            _ => Ok(self.builder.add(Type::Union(nodes))),
        }
    }

    /// Flattens nested unions, which Avro does not allow.
    fn flatten(&mut self, id: shape::NodeId, outermost: bool, branches: &mut Branches) {
        if self.cycle_nodes.contains(&id) && !outermost {
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

    /// Returns the records of the variants of an enum.
    fn variants(&mut self, id: shape::NodeId, sum: &'s shape::Enum) -> Vec<NodeId> {
        if let Some(variants) = self.variants.get(&id) {
            return variants.clone();
        }
        let name = if sum.name.is_empty() { "Enum" } else { &*sum.name };
        let name = self.names.give(name);
        let mut variants = Vec::new();
        for variant in &sum.variants {
            let record = match self.names.is_free(&variant.name) {
                true => variant.name.clone(),
                false => format!("{name}_{}", variant.name).into(),
            };
            let form = match variant.kind {
                VariantKind::Unit => Form::Unit,
                VariantKind::Newtype(_) => Form::Newtype,
                VariantKind::Tuple(_) => Form::Tuple,
                VariantKind::Struct(_) => Form::Struct,
            };
            let of = VariantOf { sum: name.clone(), tagging: sum.tagging.clone(), form };
            variants.push(self.reserve(&record, Contents::Variant(variant, of)));
        }
        self.variants.insert(id, variants.clone());
        variants
    }

    /// Returns the type name that distinguishes a branch in a union, for unnamed types.
    fn unnamed_type(&self, id: shape::NodeId) -> Option<&'static str> {
        if self.cycle_nodes.contains(&id) {
            return None;
        }
        Some(match self.shape.node(id) {
            shape::Node::Bool => "boolean",
            shape::Node::Int(int) => integer(*int).ty.keyword(),
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

    /// Wraps a type in a record with one field, which gives it a name.
    fn wrap(&mut self, inner: NodeId) -> NodeId {
        let name = FullName::bare(self.names.give("Wrapped"));
        let fields = vec![Field::new("value", inner)];
        self.builder.add(Type::Record(Record::new(name, fields, Role::Transparent)))
    }
}

/// The branches of a union; null is separate because it comes first.
struct Branches {
    null: bool,
    rest: Vec<Branch>,
}

enum Branch {
    Node(shape::NodeId),
    Variant(NodeId),
}

/// Returns whether an enum becomes an Avro enum, which has at least one symbol.
fn is_names(sum: &shape::Enum) -> bool {
    sum.is_names() && !sum.variants.is_empty()
}

fn integer(int: Int) -> Node {
    match (int.signed, int.bits) {
        (true, ..=32) | (false, ..=16) => Type::Int.into(),
        (false, 33..=64) if int.encoding == IntEncoding::Fixed => decimal(UNSIGNED_64_DIGITS),
        (_, ..=64) => Type::Long.into(),
        _ => decimal(WIDE_DIGITS),
    }
}

/// Returns the type of integers of at most this many digits: big-endian two's complement.
fn decimal(digits: u32) -> Node {
    let (name, precision, scale) = ("decimal".to_owned(), Some(digits), Some(0));
    Node { ty: Type::Bytes, logical: Some(Logical { name, precision, scale }) }
}

/// Returns one node of each cycle of types that have no name in Avro. Avro refers to a type only by
/// its name, so these nodes are wrapped in records.
fn cycle_nodes(shape: &Shape) -> HashSet<shape::NodeId> {
    fn unnamed_children(shape: &Shape, id: shape::NodeId) -> Vec<shape::NodeId> {
        match shape.node(id) {
            shape::Node::Option(inner) => vec![*inner],
            shape::Node::Array(array) => vec![array.item],
            shape::Node::Map { value, .. } => vec![*value],
            shape::Node::Union(branches) => branches.clone(),
            _ => Vec::new(),
        }
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        Not,
        OnPath,
        Done,
    }

    let mut cycle_nodes = HashSet::new();
    let mut seen = vec![Visit::Not; shape.nodes().len()];
    // A shape does not list its ids, so the search starts at each node that the root reaches.
    for start in reach(shape) {
        if seen[start.index()] != Visit::Not {
            continue;
        }
        seen[start.index()] = Visit::OnPath;
        let mut path = vec![(start, unnamed_children(shape, start))];
        while let Some((id, children)) = path.last_mut() {
            let id = *id;
            match children.pop() {
                None => {
                    seen[id.index()] = Visit::Done;
                    path.pop();
                }
                Some(child) => match seen[child.index()] {
                    Visit::OnPath => drop(cycle_nodes.insert(child)),
                    Visit::Done => {}
                    Visit::Not => {
                        seen[child.index()] = Visit::OnPath;
                        path.push((child, unnamed_children(shape, child)));
                    }
                },
            }
        }
    }
    cycle_nodes
}

/// Returns every node that is reachable from the root of a shape.
fn reach(shape: &Shape) -> Vec<shape::NodeId> {
    let mut seen = HashSet::from([shape.root()]);
    let mut reached = vec![shape.root()];
    let mut next = 0;
    while let Some(&id) = reached.get(next) {
        next += 1;
        reached.extend(shape.node(id).parts().into_iter().filter(|&part| seen.insert(part)));
    }
    reached
}
