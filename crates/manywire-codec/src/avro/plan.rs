//! Compiles a schema to the flat tables that the codec works with.
//!
//! Each position of the schema is an [`Op`] of eight bytes in one table. Records, unions, variants
//! and enums are in separate tables, which operations refer to by index.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use manywire_shape::avro::{NodeId, Role, Schema, Type};
use manywire_shape::{Shape, Tagging, avro};

use crate::core::buffer::CapacityHint;
use crate::core::error::{Error, Result};

pub(super) use manywire_shape::avro::Form;

/// A schema compiled for reading and writing.
///
/// Create a plan once for a type or an endpoint and share it. Decoders return names borrowed from
/// the plan. The [module](super) documents the codec.
#[derive(Debug)]
pub struct Plan {
    pub(super) ops: Vec<Op>,
    pub(super) records: Vec<Record>,
    pub(super) unions: Vec<Union>,
    pub(super) variants: Vec<Variant>,
    pub(super) enums: Vec<Symbols>,
    pub(super) root: Op,
    /// The capacity of new output, for [`Plan::to_vec`].
    pub(super) capacity: CapacityHint,
}

/// An index into [`Plan::ops`].
pub(super) type OpIndex = u32;

/// The operation that reads and writes one position of a datum: eight bytes, copied from table to
/// cursor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    Null,
    /// A null within a record, which differs from the null branch of the union around it.
    Unit,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Bytes,
    String,
    /// A fixed number of bytes.
    Fixed(u32),
    /// A decimal of scale 0: big-endian two's complement of minimal length.
    Integer,
    /// An index into [`Plan::enums`].
    Enum(u32),
    /// Items of one operation.
    Array(OpIndex),
    /// Items without bytes, whose number is not bounded by the bytes left.
    Empties(OpIndex),
    /// Text keys and values of one operation.
    Map(OpIndex),
    /// An array of entries, an index into [`Plan::records`].
    Entries(u32),
    /// An index into [`Plan::records`].
    Record(u32),
    /// A record whose fields have no names in the data.
    Tuple(u32),
    /// Seconds and nanoseconds.
    Timestamp,
    /// Decimal text.
    Number,
    /// Space, code and content.
    Extension(OpIndex),
    /// A union of null, branch 0, and one other type, branch 1.
    Maybe(OpIndex),
    /// A union of one other type, branch 0, and null, branch 1.
    MaybeLast(OpIndex),
    /// An index into [`Plan::unions`].
    Union(u32),
    /// An index into [`Plan::variants`], for a known branch of a union.
    Variant(u32),
}

impl Op {
    /// Checks whether the index of a branch comes first.
    #[inline]
    pub(super) fn is_union(self) -> bool {
        matches!(self, Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_))
    }

    /// Describes the expected type, for error messages.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Op::Null | Op::Unit => "null",
            Op::Boolean => "a boolean",
            Op::Int => "an integer of 32 bits",
            Op::Long => "an integer of 64 bits",
            Op::Float => "a float",
            Op::Double => "a double",
            Op::Bytes => "bytes",
            Op::String => "a string",
            Op::Fixed(_) => "a fixed number of bytes",
            Op::Integer => "an integer",
            Op::Enum(_) => "a symbol of an enum",
            Op::Array(_) | Op::Empties(_) => "an array",
            Op::Map(_) | Op::Entries(_) => "a map",
            Op::Record(_) => "a record",
            Op::Tuple(_) => "a tuple",
            Op::Timestamp => "a timestamp",
            Op::Number => "a number beyond 64 bits",
            Op::Extension(_) => "an extension",
            Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_) => "a branch of a union",
            Op::Variant(_) => "a variant",
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) fields: Vec<Field>,
    /// The indices of fields by name and alias.
    pub(super) names: NameIndex,
    /// The operation of the entries that are not fields.
    pub(super) rest: Option<OpIndex>,
    /// True if every value takes no bytes.
    pub(super) empty: bool,
    /// The address of the names of a type that has exactly these fields in order.
    pub(super) positional: AtomicUsize,
}

impl Record {
    /// Checks whether a type with the fields `names` may get the values alone. A field that the
    /// type leaves out would have no value, and a name that is not a field would have no position.
    ///
    /// Serde passes the same list at the same address for each type, so the result is cached by
    /// address.
    #[inline]
    pub(super) fn is_positional(&self, names: &'static [&'static str]) -> bool {
        let address = names.as_ptr().addr();
        names.len() == self.fields.len()
            && (self.positional.load(Ordering::Relaxed) == address || self.compare(names, address))
    }

    #[inline(never)]
    fn compare(&self, names: &[&str], address: usize) -> bool {
        let same = self.rest.is_none()
            && self
                .fields
                .iter()
                .zip(names)
                .all(|(field, name)| *field.name == **name && !field.optional);
        if same {
            self.positional.store(address, Ordering::Relaxed);
        }
        same
    }
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: Box<str>,
    pub(super) op: Op,
    pub(super) absent: AbsentField,
    /// True if null is read as an absent field.
    pub(super) optional: bool,
}

/// The encoding of an absent field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AbsentField {
    /// The field is required.
    Required,
    /// Null, which takes no bytes.
    Null,
    /// The null branch of a union.
    Branch(u32),
}

#[derive(Debug)]
pub(super) struct Union {
    pub(super) branches: Vec<Op>,
    /// The first branch for each kind of value. In the union of an optional field, an explicit null
    /// goes to the first branch that holds one, because the null branch represents an absent field.
    pub(super) kinds: [Option<u32>; BranchKind::COUNT],
    /// The branch of [`None`], if it is not that of an explicit null.
    pub(super) none: Option<u32>,
    /// The branches that are variants, by name.
    pub(super) variants: NameIndex,
    pub(super) maps: MapBranch,
}

/// The rule by which a union chooses a branch for a map or a struct.
#[derive(Debug, PartialEq)]
pub(super) enum MapBranch {
    /// The branch of its kind, if there is one.
    Plain,
    /// The branch of its kind if all its keys are text, otherwise the branch `entries`.
    Keys { entries: u32 },
    /// The only key is the name of a variant.
    External,
    /// The entry with this key names a variant.
    Tagged { tag: Box<str> },
    /// The whole map must be buffered first.
    Buffered,
}

#[derive(Debug)]
pub(super) struct Variant {
    pub(super) name: Box<str>,
    pub(super) form: Form,
    pub(super) tagging: Tagging,
    /// The content of the variant: the fields of a struct, the items of a tuple, the value of a
    /// newtype.
    pub(super) content: Op,
    /// The slot of `content`, from which `Compiler::link` copies the operation.
    pub(super) slot: OpIndex,
}

#[derive(Debug)]
pub(super) struct Symbols {
    pub(super) symbols: Vec<Box<str>>,
    pub(super) names: NameIndex,
}

/// Names sorted for lookup.
#[derive(Debug, Default)]
pub(super) struct NameIndex(Vec<(Box<str>, u32)>);

impl NameIndex {
    /// Creates the index. The first of equal names counts.
    pub(super) fn new(names: impl IntoIterator<Item = (Box<str>, u32)>) -> Self {
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort_by(|left, right| left.0.cmp(&right.0));
        names.dedup_by(|later, first| later.0 == first.0);
        NameIndex(names)
    }

    pub(super) fn find(&self, name: &str) -> Option<u32> {
        let found = self.0.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        Some(self.0[found].1)
    }
}

/// The kinds of values that a union distinguishes when it chooses a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub(super) enum BranchKind {
    Null,
    Boolean,
    Integer,
    Float,
    Text,
    Bytes,
    Seq,
    Map,
    Timestamp,
    Number,
    Extension,
}

impl BranchKind {
    pub(super) const COUNT: usize = BranchKind::Extension as usize + 1;

    /// Describes a value of this kind, for error messages.
    pub(super) fn describe(self) -> &'static str {
        match self {
            BranchKind::Null => "null",
            BranchKind::Boolean => "a boolean",
            BranchKind::Integer => "an integer",
            BranchKind::Float => "a float",
            BranchKind::Text => "a string",
            BranchKind::Bytes => "bytes",
            BranchKind::Seq => "an array",
            BranchKind::Map => "a map",
            BranchKind::Timestamp => "a timestamp",
            BranchKind::Number => "a number beyond 64 bits",
            BranchKind::Extension => "an extension",
        }
    }
}

impl Plan {
    #[inline]
    pub(super) fn op(&self, slot: OpIndex) -> Op {
        self.ops[slot as usize]
    }

    #[inline]
    pub(super) fn record(&self, index: u32) -> &Record {
        &self.records[index as usize]
    }

    #[inline]
    pub(super) fn union(&self, index: u32) -> &Union {
        &self.unions[index as usize]
    }

    #[inline]
    pub(super) fn variant(&self, index: u32) -> &Variant {
        &self.variants[index as usize]
    }
}

// Compilation: from the graph of a schema to flat tables.

impl Plan {
    /// Compiles a schema.
    ///
    /// # Errors
    ///
    /// Fails for a schema that is too large for the tables: with a `fixed` of 4 GiB or more.
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
                capacity: CapacityHint::default(),
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
    /// Fails for a shape that [has no schema](Schema::from_shape).
    pub fn from_shape(shape: &Shape) -> Result<Plan> {
        let schema =
            Schema::from_shape(shape).map_err(|error| avro_error(Error::unsupported(error)))?;
        Plan::new(&schema)
    }
}

fn avro_error(error: Error) -> Error {
    error.with_format(manywire_format::Format::Avro)
}

struct Compiler<'s> {
    schema: &'s Schema,
    plan: Plan,
    slots: HashMap<NodeId, OpIndex>,
    /// For each record, the slots of its fields; `link` copies the operations from the slots to the
    /// fields.
    fields: Vec<Vec<OpIndex>>,
    /// For each union, the slots of its branches; `link` copies the operations as well.
    branches: Vec<Vec<OpIndex>>,
    empty: HashMap<NodeId, bool>,
}

impl Compiler<'_> {
    fn slot(&mut self, id: NodeId) -> Result<OpIndex> {
        if let Some(&slot) = self.slots.get(&id) {
            return Ok(slot);
        }
        let slot = self.plan.ops.len() as OpIndex;
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
                avro_error(Error::unsupported(format_args!(
                    "fixed {} is {} bytes, too many",
                    fixed.name, fixed.size
                )))
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
                Role::Transparent => match self.op(record.fields[0].node)? {
                    Op::Null => Op::Unit,
                    op => op,
                },
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
        let names = NameIndex::new(symbols.iter().cloned().zip(0..).chain(aliases));
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
        let names = NameIndex::new(names);
        self.plan.records[index] = Record { names, fields, rest, empty, ..Record::default() };
        self.fields[index] = slots;
        Ok(index as u32)
    }

    fn absent(&self, field: &avro::Field) -> AbsentField {
        match self.schema.ty(field.node) {
            Type::Null => AbsentField::Null,
            Type::Union(branches) => branches
                .iter()
                .position(|&branch| *self.schema.ty(branch) == Type::Null)
                .map_or(AbsentField::Required, |index| AbsentField::Branch(index as u32)),
            _ => AbsentField::Required,
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
                self.plan.ops.len() as OpIndex - 1
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
            kinds: [None; BranchKind::COUNT],
            none: None,
            variants: NameIndex::default(),
            maps: MapBranch::Plain,
        });
        self.branches.push(Vec::new());
        let slots = branches.iter().map(|&branch| self.slot(branch)).collect::<Result<Vec<_>>>()?;
        self.branches[index] = slots;
        Ok(Op::Union(index as u32))
    }

    /// Checks whether every value of a type takes no bytes.
    fn is_empty(&mut self, id: NodeId) -> bool {
        if let Some(&known) = self.empty.get(&id) {
            return known;
        }
        let schema = self.schema;
        let empty = match schema.ty(id) {
            Type::Null => true,
            Type::Fixed(fixed) => fixed.size == 0,
            // A record can only contain itself inside a union or a block, so this terminates.
            Type::Record(record) => record.fields.iter().all(|field| self.is_empty(field.node)),
            _ => false,
        };
        self.empty.insert(id, empty);
        empty
    }

    /// Copies the operations from their slots to fields, variants and branches, and builds the
    /// unions' lookup tables.
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
            let (kinds, variants, maps) =
                build_union(&self.plan, &self.plan.unions[index].branches);
            let union = &mut self.plan.unions[index];
            (union.kinds, union.variants, union.maps) = (kinds, variants, maps);
        }
        self.separate_null_from_absent();
    }

    /// Gives each optional field whose value may be an explicit null, such as a value of any type, a
    /// union that writes this null to the branch of the value: the null branch would be read as an
    /// absent field.
    fn separate_null_from_absent(&mut self) {
        let plan = &mut self.plan;
        for record in 0..plan.records.len() {
            for field in 0..plan.records[record].fields.len() {
                let Field { op, optional: true, .. } = plan.records[record].fields[field] else {
                    continue;
                };
                let branches = match op {
                    Op::Maybe(slot) => vec![Op::Null, plan.op(slot)],
                    Op::MaybeLast(slot) => vec![plan.op(slot), Op::Null],
                    Op::Union(index) => plan.union(index).branches.clone(),
                    _ => continue,
                };
                let takes_null = |&branch: &Op| {
                    branch != Op::Null
                        && kinds_of(plan, branch, &mut Vec::new()) & 1 << BranchKind::Null as u8
                            != 0
                };
                let Some(explicit) = branches.iter().position(takes_null) else { continue };
                let (mut kinds, variants, maps) = build_union(plan, &branches);
                let none = branches.iter().position(|&branch| branch == Op::Null);
                kinds[BranchKind::Null as usize] = Some(explicit as u32);
                let none = none.map(|branch| branch as u32);
                plan.records[record].fields[field].op = Op::Union(plan.unions.len() as u32);
                plan.unions.push(Union { branches, kinds, none, variants, maps });
            }
        }
    }
}

// Unions: the kinds of values that each branch accepts.

/// Builds the table by which a union finds the branch of a value.
pub(super) fn build_union(
    plan: &Plan,
    branches: &[Op],
) -> ([Option<u32>; BranchKind::COUNT], NameIndex, MapBranch) {
    let mut kinds = [None; BranchKind::COUNT];
    let mut names = Vec::new();
    let mut taggings: Vec<&Tagging> = Vec::new();
    let (mut maps, mut entries) = (Vec::new(), None);
    for (&branch, index) in branches.iter().zip(0..) {
        let taken = kinds_of(plan, branch, &mut Vec::new());
        for (kind, slot) in kinds.iter_mut().enumerate() {
            if taken & (1 << kind) != 0 && slot.is_none() {
                *slot = Some(index);
            }
        }
        match branch {
            Op::Variant(variant) => {
                let variant = plan.variant(variant);
                names.push((variant.name.clone(), index));
                if !taggings.contains(&&variant.tagging) {
                    taggings.push(&variant.tagging);
                }
            }
            Op::Entries(_) => entries = Some(index),
            _ if taken & (1 << BranchKind::Map as u8) != 0 => maps.push(branch),
            _ => {}
        }
    }
    let maps = match (&maps[..], entries, &taggings[..]) {
        ([], _, [Tagging::External]) => MapBranch::External,
        ([], None, [Tagging::Internal { tag } | Tagging::Adjacent { tag, .. }]) => {
            MapBranch::Tagged { tag: (**tag).into() }
        }
        ([Op::Map(_)], Some(entries), []) => MapBranch::Keys { entries },
        ([] | [_], None, []) | ([], Some(_), []) => MapBranch::Plain,
        _ => MapBranch::Buffered,
    };
    // A map comes before entries, which accept any key.
    if let MapBranch::Keys { .. } = maps {
        let map = branches.iter().position(|branch| matches!(branch, Op::Map(_)));
        kinds[BranchKind::Map as usize] = map.map(|index| index as u32);
    }
    (kinds, NameIndex::new(names), maps)
}

/// Returns the kinds of values that can be written at a position, as bits.
fn kinds_of(plan: &Plan, op: Op, above: &mut Vec<u32>) -> u16 {
    let bit = |kind: BranchKind| 1u16 << kind as u8;
    match op {
        Op::Null | Op::Unit => bit(BranchKind::Null),
        Op::Boolean => bit(BranchKind::Boolean),
        Op::Int | Op::Long => bit(BranchKind::Integer),
        Op::Integer => bit(BranchKind::Integer) | bit(BranchKind::Number),
        Op::Float | Op::Double => bit(BranchKind::Float),
        Op::String => bit(BranchKind::Text),
        // Symbols are text that must be looked up: only matching text is accepted.
        Op::Enum(_) => bit(BranchKind::Text),
        Op::Bytes | Op::Fixed(_) => bit(BranchKind::Bytes),
        Op::Array(_) | Op::Empties(_) | Op::Tuple(_) => bit(BranchKind::Seq),
        Op::Map(_) | Op::Entries(_) | Op::Record(_) => bit(BranchKind::Map),
        Op::Timestamp => bit(BranchKind::Timestamp),
        Op::Number => bit(BranchKind::Number),
        Op::Extension(_) => bit(BranchKind::Extension),
        Op::Maybe(slot) | Op::MaybeLast(slot) => {
            if above.contains(&slot) {
                return 0;
            }
            above.push(slot);
            bit(BranchKind::Null) | kinds_of(plan, plan.op(slot), above)
        }
        Op::Union(index) => {
            let key = u32::MAX - index;
            if above.contains(&key) {
                return 0;
            }
            above.push(key);
            let branches = &plan.union(index).branches;
            branches.iter().fold(0, |kinds, &branch| kinds | kinds_of(plan, branch, above))
        }
        // A variant is text or a map, depending on its tagging.
        Op::Variant(index) => match plan.variant(index).tagging {
            Tagging::External => 0,
            Tagging::Internal { .. } | Tagging::Adjacent { .. } => bit(BranchKind::Map),
        },
    }
}
