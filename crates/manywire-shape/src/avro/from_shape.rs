//! How a shape becomes a schema; the table is in the documentation of the module above.

mod record;
mod union;

use std::collections::{HashMap, HashSet, VecDeque};

use super::any::Any;
use super::knots::knots;
use super::name::{Names, original};
use super::{
    Enum, Field, FullName, Logical, Node, NodeId, Record, Role, Schema, SchemaBuilder, SchemaError,
    Symbol, Type, VariantOf,
};
use crate::{self as shape, Int, Shape, Tagging, Variant, VariantKind};

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
