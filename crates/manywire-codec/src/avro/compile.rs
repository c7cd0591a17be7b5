//! From the graph of a schema to flat tables.

use std::collections::HashMap;

use manywire_shape::Shape;
use manywire_shape::avro::{self, NodeId, Role, Schema, Type};

use super::branch::tell_apart;
use super::plan::{
    Absent, Field, Kind, Maps, Names, Op, Plan, Record, Slot, Symbols, Union, Variant,
};
use crate::core::error::{Category, Error, Result};
use crate::core::room::Room;

impl Plan {
    /// Compiles a schema.
    ///
    /// # Errors
    ///
    /// A schema too large for the tables: `fixed` of 4 GiB or more.
    pub fn new(schema: &Schema) -> Result<Plan> {
        let mut compiler = Compiler {
            schema,
            plan: Plan {
                ops: Vec::new(),
                records: Vec::new(),
                unions: Vec::new(),
                variants: Vec::new(),
                enums: Vec::new(),
                root: Op::Null,
                room: Room::default(),
            },
            slots: HashMap::new(),
            fields: Vec::new(),
            branches: Vec::new(),
            empty: HashMap::new(),
        };
        let root = compiler.slot(schema.root())?;
        compiler.link();
        compiler.plan.root = compiler.plan.op(root);
        Ok(compiler.plan)
    }

    /// Compiles the schema of a shape.
    ///
    /// # Errors
    ///
    /// A shape that [has no schema](Schema::from_shape).
    pub fn from_shape(shape: &Shape) -> Result<Plan> {
        let schema = Schema::from_shape(shape)
            .map_err(|error| avro_error(Error::new(Category::Unsupported, error)))?;
        Plan::new(&schema)
    }
}

fn avro_error(error: Error) -> Error {
    error.with_format(manywire_format::Format::Avro)
}

struct Compiler<'s> {
    schema: &'s Schema,
    plan: Plan,
    slots: HashMap<NodeId, Slot>,
    /// The slots of each record's fields, until everything has its operation.
    fields: Vec<Vec<Slot>>,
    /// The same for the branches of unions.
    branches: Vec<Vec<Slot>>,
    empty: HashMap<NodeId, bool>,
}

impl Compiler<'_> {
    fn slot(&mut self, id: NodeId) -> Result<Slot> {
        if let Some(&slot) = self.slots.get(&id) {
            return Ok(slot);
        }
        let slot = self.plan.ops.len() as Slot;
        self.plan.ops.push(Op::Null);
        self.slots.insert(id, slot);
        let op = self.op(id)?;
        self.plan.ops[slot as usize] = op;
        Ok(slot)
    }

    fn op(&mut self, id: NodeId) -> Result<Op> {
        let node = self.schema.node(id);
        Ok(match &node.ty {
            Type::Null => Op::Null,
            Type::Boolean => Op::Boolean,
            Type::Int => Op::Int,
            Type::Long => Op::Long,
            Type::Float => Op::Float,
            Type::Double => Op::Double,
            Type::Bytes => match &node.logical {
                Some(logical) if logical.name == "decimal" && logical.scale.unwrap_or(0) == 0 => {
                    Op::Integer
                }
                _ => Op::Bytes,
            },
            Type::String => Op::String,
            Type::Fixed(fixed) => Op::Fixed(u32::try_from(fixed.size).map_err(|_| {
                avro_error(Error::new(
                    Category::Unsupported,
                    format_args!("fixed {} is {} bytes, too many", fixed.name, fixed.size),
                ))
            })?),
            Type::Enum(symbols) => self.symbols(symbols),
            Type::Map(values) => Op::Map(self.slot(*values)?),
            Type::Array(items) => match self.schema.ty(*items) {
                Type::Record(entry) if entry.role == Role::Entry => {
                    Op::Entries(self.fields_of(entry)?)
                }
                _ if self.is_empty(*items) => Op::Empties(self.slot(*items)?),
                _ => Op::Array(self.slot(*items)?),
            },
            Type::Record(record) => match &record.role {
                Role::Record => Op::Record(self.fields_of(record)?),
                Role::Tuple | Role::Entry => Op::Tuple(self.fields_of(record)?),
                Role::Transparent => self.op(record.fields[0].node)?,
                Role::Timestamp => Op::Timestamp,
                Role::Number => Op::Number,
                Role::Extension => Op::Extension(self.slot(record.fields[2].node)?),
                Role::Variant(variant) => self.variant(record, variant)?,
            },
            Type::Union(branches) => self.union(branches)?,
        })
    }

    fn symbols(&mut self, of: &avro::Enum) -> Op {
        let symbols: Vec<Box<str>> = of.symbols.iter().map(|symbol| symbol.key().into()).collect();
        let aliases = of.symbols.iter().zip(0..).flat_map(|(symbol, index)| {
            symbol.aliases.iter().map(move |alias| (alias.as_str().into(), index))
        });
        let names = Names::new(symbols.iter().cloned().zip(0..).chain(aliases));
        self.plan.enums.push(Symbols { symbols, names });
        Op::Enum(self.plan.enums.len() as u32 - 1)
    }

    fn fields_of(&mut self, of: &avro::Record) -> Result<u32> {
        let index = self.plan.records.len();
        let empty = of.fields.iter().all(|field| self.is_empty(field.node));
        self.plan.records.push(Record::default());
        self.fields.push(Vec::new());
        let mut slots = Vec::new();
        let mut rest = None;
        let mut fields = Vec::new();
        for field in &of.fields {
            match self.schema.ty(field.node) {
                Type::Map(values) if field.rest => rest = Some(self.slot(*values)?),
                _ => {
                    slots.push(self.slot(field.node)?);
                    fields.push(Field {
                        name: field.key().into(),
                        op: Op::Null,
                        absent: self.absent(field),
                        optional: field.optional,
                    });
                }
            }
        }
        let aliases = of.fields.iter().zip(0..).flat_map(|(field, index)| {
            field.aliases.iter().map(move |alias| (alias.as_str().into(), index))
        });
        let names = fields.iter().map(|field| field.name.clone()).zip(0..).chain(aliases);
        let names = Names::new(names);
        self.plan.records[index] = Record { names, fields, rest, empty, ..Record::default() };
        self.fields[index] = slots;
        Ok(index as u32)
    }

    fn absent(&self, field: &avro::Field) -> Absent {
        match self.schema.ty(field.node) {
            Type::Null => Absent::Nothing,
            Type::Union(branches) => branches
                .iter()
                .position(|&branch| *self.schema.ty(branch) == Type::Null)
                .map_or(Absent::Refused, |index| Absent::Branch(index as u32)),
            _ => Absent::Refused,
        }
    }

    fn variant(&mut self, record: &avro::Record, of: &avro::VariantOf) -> Result<Op> {
        let index = self.plan.variants.len() as u32;
        self.plan.variants.push(Variant {
            name: record.key().into(),
            form: of.form,
            tagging: of.tagging.clone(),
            content: Op::Null,
            slot: 0,
        });
        let slot = match of.form {
            avro::Form::Newtype => self.slot(record.fields[0].node)?,
            form => {
                let content = match form {
                    avro::Form::Unit => Op::Null,
                    avro::Form::Tuple => Op::Tuple(self.fields_of(record)?),
                    _ => Op::Record(self.fields_of(record)?),
                };
                self.plan.ops.push(content);
                self.plan.ops.len() as Slot - 1
            }
        };
        self.plan.variants[index as usize].slot = slot;
        Ok(Op::Variant(index))
    }

    fn union(&mut self, branches: &[NodeId]) -> Result<Op> {
        let is_null = |id| *self.schema.ty(id) == Type::Null;
        let is_variant = |id| matches!(self.schema.ty(id), Type::Record(record) if matches!(record.role, Role::Variant(_)));
        match *branches {
            [null, other] if is_null(null) && !is_variant(other) => {
                return Ok(Op::Maybe(self.slot(other)?));
            }
            [other, null] if is_null(null) && !is_variant(other) => {
                return Ok(Op::MaybeLast(self.slot(other)?));
            }
            _ => {}
        }
        let index = self.plan.unions.len();
        self.plan.unions.push(Union {
            branches: Vec::new(),
            kinds: [None; Kind::COUNT],
            variants: Names::default(),
            maps: Maps::Plain,
        });
        self.branches.push(Vec::new());
        let slots = branches.iter().map(|&branch| self.slot(branch)).collect::<Result<Vec<_>>>()?;
        self.branches[index] = slots;
        Ok(Op::Union(index as u32))
    }

    /// Whether a value takes no bytes whatever it is.
    fn is_empty(&mut self, id: NodeId) -> bool {
        if let Some(&known) = self.empty.get(&id) {
            return known;
        }
        let schema = self.schema;
        let empty = match schema.ty(id) {
            Type::Null => true,
            Type::Fixed(fixed) => fixed.size == 0,
            // Records that contain themselves do so behind a union or a block, so this ends.
            Type::Record(record) => record.fields.iter().all(|field| self.is_empty(field.node)),
            _ => false,
        };
        self.empty.insert(id, empty);
        empty
    }

    /// Puts operations where slots were noted, and tells the branches of unions apart.
    fn link(&mut self) {
        for (record, slots) in self.plan.records.iter_mut().zip(&self.fields) {
            for (field, &slot) in record.fields.iter_mut().zip(slots) {
                field.op = self.plan.ops[slot as usize];
            }
        }
        for variant in &mut self.plan.variants {
            variant.content = self.plan.ops[variant.slot as usize];
        }
        for (union, slots) in self.plan.unions.iter_mut().zip(&self.branches) {
            union.branches = slots.iter().map(|&slot| self.plan.ops[slot as usize]).collect();
        }
        for index in 0..self.plan.unions.len() {
            let (kinds, variants, maps) = tell_apart(&self.plan, &self.plan.unions[index].branches);
            let union = &mut self.plan.unions[index];
            (union.kinds, union.variants, union.maps) = (kinds, variants, maps);
        }
    }
}
