//! Converts an Avro schema to the shape of its data.

use std::collections::HashMap;

use manywire_shape::avro::{self, Form, Role, Schema, Type, UNSIGNED_64_DIGITS, VariantOf};
use manywire_shape::{
    Array, Enum, Field, Int, IntEncoding, Name, Node, NodeId, Presence, Record, Shape,
    ShapeBuilder, Tagging, Variant, VariantKind,
};

/// Returns the shape of the data of a schema.
pub(super) fn shape(schema: &Schema) -> Shape {
    let mut conversion = Conversion {
        schema,
        builder: ShapeBuilder::default(),
        records: HashMap::new(),
        maps: HashMap::new(),
        sums: HashMap::new(),
    };
    let root = conversion.convert(schema.root());
    conversion.builder.finish(root).reachable()
}

struct Conversion<'s> {
    schema: &'s Schema,
    builder: ShapeBuilder,
    records: HashMap<avro::NodeId, NodeId>,
    /// Maps by the record of their entries, which may contain the map itself.
    maps: HashMap<avro::NodeId, NodeId>,
    /// Enums by the records of their variants, which may contain the enum itself.
    sums: HashMap<Vec<avro::NodeId>, NodeId>,
}

impl<'s> Conversion<'s> {
    fn convert(&mut self, id: avro::NodeId) -> NodeId {
        let node = match self.schema.ty(id) {
            Type::Null => Node::Null,
            Type::Boolean => Node::Bool,
            Type::Int => Node::Int(Int::signed(32)),
            Type::Long => Node::Int(Int::signed(64)),
            Type::Float => Node::F32,
            Type::Double => Node::F64,
            Type::Bytes => self.integer(id).map_or(Node::Bytes, Node::Int),
            Type::Fixed(_) => Node::Bytes,
            Type::String => Node::Str,
            Type::Array(items) => match self.schema.ty(*items) {
                Type::Record(record) if record.role == Role::Entry => {
                    return self.entries(*items, record);
                }
                _ => Node::Array(Array::new(self.convert(*items))),
            },
            Type::Map(values) => {
                let key = self.builder.add(Node::Str);
                Node::Map { key, value: self.convert(*values) }
            }
            Type::Enum(symbols) => Node::Enum(units(symbols)),
            Type::Union(branches) => return self.union(branches),
            Type::Record(record) => return self.named(id, record),
        };
        self.builder.add(node)
    }

    /// Returns the type of the integers that the codec reads from bytes: those of decimals of scale 0,
    /// up to 128 bits. One precision is our representation of a `u64`.
    fn integer(&self, id: avro::NodeId) -> Option<Int> {
        let logical = self.schema.node(id).logical.as_ref()?;
        if logical.name != "decimal" || logical.scale.unwrap_or(0) != 0 {
            return None;
        }
        Some(match logical.precision {
            Some(UNSIGNED_64_DIGITS) => {
                Int { signed: false, bits: 64, encoding: IntEncoding::Fixed }
            }
            _ => Int::signed(128),
        })
    }

    /// Returns the map whose entries are records of a key and a value. Its node is reserved, as that
    /// of a record is.
    fn entries(&mut self, id: avro::NodeId, record: &'s avro::Record) -> NodeId {
        let [key, value] = &record.fields[..] else { return self.builder.add(Node::Any) };
        if let Some(known) = self.maps.get(&id) {
            return *known;
        }
        let any = self.builder.add(Node::Any);
        let reserved = self.builder.reserve(Node::Map { key: any, value: any });
        self.maps.insert(id, reserved);
        let node = Node::Map { key: self.convert(key.node), value: self.convert(value.node) };
        self.builder.fill(reserved, node);
        reserved
    }

    /// Returns the node of a record, which is reserved before its fields are converted, because it
    /// may contain itself.
    fn named(&mut self, id: avro::NodeId, record: &'s avro::Record) -> NodeId {
        if let Some(known) = self.records.get(&id) {
            return *known;
        }
        let outline = match record.role {
            Role::Transparent => Node::Null,
            _ => Node::Record(Record::default()),
        };
        let reserved = self.builder.reserve(outline);
        self.records.insert(id, reserved);
        let node = match &record.role {
            Role::Record | Role::Variant(_) | Role::Entry => Node::Record(self.record(record)),
            Role::Tuple => {
                Node::Tuple(record.fields.iter().map(|field| self.convert(field.node)).collect())
            }
            Role::Timestamp => Node::Timestamp,
            Role::Number | Role::Extension => Node::Any,
            Role::Transparent => match &record.fields[..] {
                [only] if !self.holds_anything(only.node) => {
                    let inner = self.convert(only.node);
                    self.builder.node(inner).clone()
                }
                _ => Node::Any,
            },
        };
        self.builder.fill(reserved, node);
        reserved
    }

    /// Returns whether this is the union of all types, which has a branch for extensions.
    fn holds_anything(&self, id: avro::NodeId) -> bool {
        let extension = |branch: &avro::NodeId| matches!(self.schema.ty(*branch), Type::Record(record) if record.role == Role::Extension);
        matches!(self.schema.ty(id), Type::Union(branches) if branches.iter().any(extension))
    }

    fn record(&mut self, record: &'s avro::Record) -> Record {
        let mut rest = None;
        let mut fields = Vec::new();
        for field in &record.fields {
            match self.schema.ty(field.node) {
                Type::Map(values) if field.rest => rest = Some(self.convert(*values)),
                _ => fields.push(self.field(field)),
            }
        }
        Record { name: owned(record.key()), doc: owned(&record.doc), fields, rest }
    }

    fn field(&mut self, field: &'s avro::Field) -> Field {
        let mut node = self.convert(field.node);
        let mut presence = Presence::Required;
        if field.optional {
            // Null represents absence, so it is not a value of the field.
            presence = Presence::Optional;
            if let Node::Option(inner) = self.builder.node(node) {
                node = *inner;
            }
        } else if field.default.is_some() {
            presence = Presence::Defaulted;
        }
        let mut read = Field::new(field.key().to_owned(), node);
        read.doc = owned(&field.doc);
        read.aliases = field.aliases.iter().map(|alias| owned(alias)).collect();
        read.presence = presence;
        read
    }

    /// Returns the node of a union: the enum of its variants, if any, together with its other
    /// branches.
    fn union(&mut self, branches: &'s [avro::NodeId]) -> NodeId {
        let mut variants = Vec::new();
        let mut nodes = Vec::new();
        for branch in branches {
            match self.schema.ty(*branch) {
                Type::Record(record @ avro::Record { role: Role::Variant(of), .. }) => {
                    variants.push((*branch, record, of));
                }
                _ => nodes.push(self.convert(*branch)),
            }
        }
        nodes.extend(self.sum(&variants));
        self.builder.union(&nodes)
    }

    /// Returns the enum of variants, if there are any. Its node is reserved, as that of a record is.
    fn sum(
        &mut self,
        variants: &[(avro::NodeId, &'s avro::Record, &'s VariantOf)],
    ) -> Option<NodeId> {
        let (_, _, of) = variants.first()?;
        let records: Vec<_> = variants.iter().map(|(id, _, _)| *id).collect();
        if let Some(known) = self.sums.get(&records) {
            return Some(*known);
        }
        let mut sum = Enum {
            name: owned(&of.sum),
            doc: Name::default(),
            tagging: of.tagging.clone(),
            variants: Vec::new(),
        };
        let reserved = self.builder.reserve(Node::Enum(sum.clone()));
        self.sums.insert(records, reserved);
        sum.variants =
            variants.iter().map(|(id, record, of)| self.variant(*id, record, of)).collect();
        self.builder.fill(reserved, Node::Enum(sum));
        Some(reserved)
    }

    fn variant(&mut self, id: avro::NodeId, record: &'s avro::Record, of: &VariantOf) -> Variant {
        let kind = match (of.form, &record.fields[..]) {
            (Form::Unit, _) => VariantKind::Unit,
            (Form::Newtype, [only]) => VariantKind::Newtype(self.convert(only.node)),
            (Form::Tuple, fields) => {
                VariantKind::Tuple(fields.iter().map(|field| self.convert(field.node)).collect())
            }
            (Form::Newtype | Form::Struct, _) => VariantKind::Struct(self.named(id, record)),
        };
        Variant {
            aliases: record.aliases.iter().map(|alias| owned(alias)).collect(),
            doc: owned(&record.doc),
            ..Variant::new(owned(record.key()), kind)
        }
    }
}

fn owned(text: &str) -> Name {
    Name::Owned(text.to_owned())
}

fn units(symbols: &avro::Enum) -> Enum {
    let unit = |symbol: &avro::Symbol| Variant {
        aliases: symbol.aliases.iter().map(|alias| owned(alias)).collect(),
        ..Variant::new(owned(symbol.key()), VariantKind::Unit)
    };
    Enum {
        name: owned(symbols.original.as_deref().unwrap_or(&symbols.name.name)),
        doc: owned(&symbols.doc),
        tagging: Tagging::External,
        variants: symbols.symbols.iter().map(unit).collect(),
    }
}
