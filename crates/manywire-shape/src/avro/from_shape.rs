//! How a shape becomes a schema; the table is in the documentation of the module above.

use std::collections::{HashMap, HashSet, VecDeque};

use super::any::Any;
use super::schema::{Names, original};
use super::{
    Enum, Field, Form, FullName, Literal, Logical, Node, NodeId, Record, Role, Schema,
    SchemaBuilder, SchemaError, Symbol, Type, VariantOf,
};
use crate::{self as shape, Int, Presence, Shape, Tagging, Variant, VariantKind};

impl Schema {
    /// The schema of the values of a shape.
    ///
    /// # Errors
    ///
    /// What Avro has no type for: a sum type without variants, an internally tagged variant around
    /// something that has no fields to put the tag beside, a record that always contains itself.
    pub fn from_shape(shape: &Shape) -> Result<Schema, SchemaError> {
        let mut mapping = Mapping {
            shape,
            builder: SchemaBuilder::default(),
            places: HashMap::new(),
            optional: HashMap::new(),
            variants: HashMap::new(),
            knots: knots(shape),
            names: Names::of_types(),
            any: Any::default(),
            open: VecDeque::new(),
        };
        let root = mapping.place(shape.root())?;
        while let Some(work) = mapping.open.pop_front() {
            mapping.fill(work)?;
        }
        mapping.builder.finish(root)
    }
}

struct Mapping<'s> {
    shape: &'s Shape,
    builder: SchemaBuilder,
    places: HashMap<shape::NodeId, NodeId>,
    /// Nodes once more, with the null of a field that may be left out.
    optional: HashMap<shape::NodeId, NodeId>,
    /// The records of the variants of sum types that are unions.
    variants: HashMap<shape::NodeId, Vec<NodeId>>,
    knots: HashSet<shape::NodeId>,
    names: Names,
    any: Any,
    /// Named types that were given a place and a name, but no contents yet.
    open: VecDeque<Work<'s>>,
}

/// A record whose contents are still to be filled in.
enum Work<'s> {
    Record(NodeId, FullName, &'s shape::Record, Role),
    Tuple(NodeId, FullName, &'s [shape::NodeId], Role),
    Variant(NodeId, FullName, &'s Variant, VariantOf),
    Entry(NodeId, FullName, shape::NodeId, shape::NodeId),
    Knot(NodeId, FullName, shape::NodeId),
}

impl<'s> Mapping<'s> {
    /// The node of the schema that stands for a node of the shape.
    fn place(&mut self, id: shape::NodeId) -> Result<NodeId, SchemaError> {
        if let Some(&place) = self.places.get(&id) {
            return Ok(place);
        }
        let place = if self.knots.contains(&id) {
            let place = self.builder.reserve();
            let name = FullName::bare(self.names.give("Nested"));
            self.open.push_back(Work::Knot(place, name, id));
            place
        } else {
            self.build(id)?
        };
        self.places.insert(id, place);
        Ok(place)
    }

    /// Adds what a node of the shape is to Avro.
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
                let item = self.place(array.item)?;
                self.builder.add(Type::Array(item))
            }
            shape::Node::Map { key, value } if self.is_text(*key) => {
                let value = self.place(*value)?;
                self.builder.add(Type::Map(value))
            }
            shape::Node::Map { key, value } => {
                let entry = self.builder.reserve();
                let name = FullName::bare(self.names.give("Entry"));
                self.open.push_back(Work::Entry(entry, name, *key, *value));
                self.builder.add(Type::Array(entry))
            }
            shape::Node::Tuple(items) => {
                let place = self.builder.reserve();
                let name = FullName::bare(self.names.give("Tuple"));
                self.open.push_back(Work::Tuple(place, name, items, Role::Tuple));
                place
            }
            shape::Node::Record(record) => {
                let place = self.builder.reserve();
                let wanted = if record.name.is_empty() { "Record" } else { &*record.name };
                let name = FullName::bare(self.names.give(wanted));
                self.open.push_back(Work::Record(place, name, record, Role::Record));
                place
            }
            shape::Node::Enum(sum) if is_names(sum) => {
                let symbols = self.symbols(sum);
                self.builder.add(Type::Enum(symbols))
            }
            shape::Node::Enum(_) => self.union(id, false)?,
        })
    }

    fn symbols(&mut self, sum: &shape::Enum) -> Enum {
        let wanted = if sum.name.is_empty() { "Enum" } else { &*sum.name };
        let name = FullName::bare(self.names.give(wanted));
        let mut names = Names::default();
        let symbols = sum.variants.iter().map(|variant| {
            let name = names.give(&variant.name);
            let aliases = variant.aliases.iter().map(|alias| alias.to_string()).collect();
            Symbol { original: original(&variant.name, &name), name, aliases }
        });
        Enum {
            symbols: symbols.collect(),
            original: original(wanted, &name.name),
            name,
            doc: sum.doc.to_string(),
            aliases: Vec::new(),
            default: None,
        }
    }

    /// Whether the keys of a map are text to serde: then Avro's own map holds them.
    fn is_text(&self, key: shape::NodeId) -> bool {
        match self.shape.node(key) {
            shape::Node::Str | shape::Node::Char => true,
            shape::Node::Enum(sum) => is_names(sum),
            _ => false,
        }
    }
}

fn record(name: FullName, fields: Vec<Field>, role: Role) -> Record {
    Record { name, original: None, doc: String::new(), aliases: Vec::new(), fields, role }
}

/// Whether a sum type is no more than names, which is what Avro calls an enum.
fn is_names(sum: &shape::Enum) -> bool {
    sum.tagging == Tagging::External
        && !sum.variants.is_empty()
        && sum.variants.iter().all(|variant| variant.kind == VariantKind::Unit)
}

fn integer(int: Int) -> Node {
    match (int.signed, int.bits) {
        (true, ..=32) | (false, ..=16) => Type::Int.into(),
        (_, ..=64) => Type::Long.into(),
        // 39 digits hold both i128 and u128; decimals are big-endian two's complement.
        _ => Node {
            ty: Type::Bytes,
            logical: Some(Logical {
                name: "decimal".to_owned(),
                precision: Some(39),
                scale: Some(0),
            }),
        },
    }
}

impl<'s> Mapping<'s> {
    fn fill(&mut self, work: Work<'s>) -> Result<(), SchemaError> {
        match work {
            Work::Record(place, name, of, role) => {
                let fields = self.fields(of)?;
                let filled = Record {
                    original: original(&of.name, &name.name).filter(|text| !text.is_empty()),
                    doc: of.doc.to_string(),
                    ..record(name, fields, role)
                };
                self.builder.set(place, Type::Record(filled));
            }
            Work::Tuple(place, name, items, role) => {
                let fields = self.items(items)?;
                self.builder.set(place, Type::Record(record(name, fields, role)));
            }
            Work::Entry(place, name, key, value) => {
                let (key, value) = (self.place(key)?, self.place(value)?);
                let fields = vec![Field::new("key", key), Field::new("value", value)];
                self.builder.set(place, Type::Record(record(name, fields, Role::Entry)));
            }
            Work::Knot(place, name, id) => {
                let inner = self.build(id)?;
                let fields = vec![Field::new("value", inner)];
                self.builder.set(place, Type::Record(record(name, fields, Role::Transparent)));
            }
            Work::Variant(place, name, variant, of) => {
                let fields = match &variant.kind {
                    VariantKind::Unit => Vec::new(),
                    VariantKind::Newtype(inner) => {
                        self.check_tag(&of, variant, *inner)?;
                        vec![Field::new("value", self.place(*inner)?)]
                    }
                    VariantKind::Tuple(items) => self.items(items)?,
                    VariantKind::Struct(inner) => match self.shape.node(*inner) {
                        shape::Node::Record(inner) => self.fields(inner)?,
                        _ => {
                            return Err(SchemaError::new(format_args!(
                                "variant {} of {} has fields, but its node is no record",
                                variant.name, of.sum
                            )));
                        }
                    },
                };
                let filled = Record {
                    original: original(&variant.name, &name.name),
                    doc: variant.doc.to_string(),
                    aliases: variant.aliases.iter().map(|alias| alias.to_string()).collect(),
                    ..record(name, fields, Role::Variant(of))
                };
                self.builder.set(place, Type::Record(filled));
            }
        }
        Ok(())
    }

    /// A tag stands among fields, so an internally tagged variant must have some.
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
                "variant {} of {} has no fields that the tag `{tag}` could stand beside",
                variant.name, of.sum
            ))),
        }
    }

    fn items(&mut self, items: &[shape::NodeId]) -> Result<Vec<Field>, SchemaError> {
        let items = items.iter().enumerate();
        items.map(|(index, &item)| Ok(Field::new(format!("_{index}"), self.place(item)?))).collect()
    }

    fn fields(&mut self, of: &shape::Record) -> Result<Vec<Field>, SchemaError> {
        let mut names = Names::default();
        let mut fields = Vec::with_capacity(of.fields.len() + 1);
        for field in &of.fields {
            let optional = field.presence == Presence::Optional;
            let node = if optional { self.optional(field.node)? } else { self.place(field.node)? };
            let name = names.give(&field.name);
            fields.push(Field {
                original: original(&field.name, &name),
                doc: field.doc.to_string(),
                aliases: field.aliases.iter().map(|alias| alias.to_string()).collect(),
                default: self.may_be_null(field.node, optional).then_some(Literal::Null),
                optional,
                ..Field::new(name, node)
            });
        }
        if let Some(rest) = of.rest {
            let value = self.place(rest)?;
            let map = self.builder.add(Type::Map(value));
            fields.push(Field { rest: true, ..Field::new(names.give("rest"), map) });
        }
        Ok(fields)
    }

    /// The node of a field that may be left out.
    fn optional(&mut self, id: shape::NodeId) -> Result<NodeId, SchemaError> {
        if let Some(&place) = self.optional.get(&id) {
            return Ok(place);
        }
        let place = if self.knots.contains(&id) {
            let branches = vec![self.builder.add(Type::Null), self.place(id)?];
            self.builder.add(Type::Union(branches))
        } else {
            self.union(id, true)?
        };
        self.optional.insert(id, place);
        Ok(place)
    }

    /// Whether null is the first branch of a field's type, and so may be its default.
    fn may_be_null(&self, id: shape::NodeId, optional: bool) -> bool {
        let inner_null = |id| match self.shape.node(id) {
            shape::Node::Option(_) => true,
            shape::Node::Union(branches) => branches.iter().any(|&branch| {
                matches!(self.shape.node(branch), shape::Node::Null | shape::Node::Option(_))
            }),
            _ => false,
        };
        optional || (!self.knots.contains(&id) && inner_null(id))
    }
}

impl<'s> Mapping<'s> {
    /// A union of the branches of a node, with null in front if the node or the field allows it.
    fn union(&mut self, id: shape::NodeId, optional: bool) -> Result<NodeId, SchemaError> {
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

/// The nodes that contain themselves through types that have no name in Avro. Avro refers to a
/// type by its name alone, so one node on each such cycle is wrapped in a record.
pub(super) fn knots(shape: &Shape) -> HashSet<shape::NodeId> {
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
    enum Seen {
        Not,
        Above,
        Done,
    }

    let mut knots = HashSet::new();
    let mut seen = vec![Seen::Not; shape.nodes().len()];
    // Shapes have no list of their ids; everything is reached from the root.
    for start in reach(shape) {
        if seen[start.index()] != Seen::Not {
            continue;
        }
        seen[start.index()] = Seen::Above;
        let mut path = vec![(start, unnamed_children(shape, start))];
        while let Some((id, children)) = path.last_mut() {
            let id = *id;
            match children.pop() {
                None => {
                    seen[id.index()] = Seen::Done;
                    path.pop();
                }
                Some(child) => match seen[child.index()] {
                    Seen::Above => drop(knots.insert(child)),
                    Seen::Done => {}
                    Seen::Not => {
                        seen[child.index()] = Seen::Above;
                        path.push((child, unnamed_children(shape, child)));
                    }
                },
            }
        }
    }
    knots
}

/// Every node that the root of a shape leads to.
fn reach(shape: &Shape) -> Vec<shape::NodeId> {
    let mut seen = HashSet::from([shape.root()]);
    let mut reached = vec![shape.root()];
    let mut next = 0;
    while let Some(&id) = reached.get(next) {
        next += 1;
        let children: Vec<shape::NodeId> = match shape.node(id) {
            shape::Node::Option(inner) => vec![*inner],
            shape::Node::Array(array) => vec![array.item],
            shape::Node::Map { key, value } => vec![*key, *value],
            shape::Node::Tuple(items) => items.clone(),
            shape::Node::Union(branches) => branches.clone(),
            shape::Node::Record(record) => {
                record.fields.iter().map(|field| field.node).chain(record.rest).collect()
            }
            shape::Node::Enum(sum) => sum
                .variants
                .iter()
                .flat_map(|variant| match &variant.kind {
                    VariantKind::Unit => Vec::new(),
                    VariantKind::Newtype(inner) | VariantKind::Struct(inner) => vec![*inner],
                    VariantKind::Tuple(items) => items.clone(),
                })
                .collect(),
            _ => Vec::new(),
        };
        reached.extend(children.into_iter().filter(|&child| seen.insert(child)));
    }
    reached
}
