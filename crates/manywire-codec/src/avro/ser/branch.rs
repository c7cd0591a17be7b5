//! Chooses branches of unions, and writes scalars and variants whose type is not exactly the
//! schema's. Most of this code is not generic, so it is compiled once.

use manywire_shape::Value;

use super::record::unknown_field;
use super::{DatumSerializer, Integer, Writer, mismatch};
use crate::avro::plan::{BranchKind, Field, Form, Op, Plan, Record};
use crate::core::error::{Error, Result};
use crate::core::float::narrow_to_f32;
use crate::core::variant::VariantName;

impl Writer {
    /// Writes the branches of unions down to the position that accepts a kind of value.
    #[inline(never)]
    pub(super) fn descend(&mut self, plan: &Plan, mut op: Op, kind: BranchKind) -> Result<Op> {
        loop {
            op = match op {
                Op::Maybe(slot) if kind == BranchKind::Null && plan.op(slot) != Op::Unit => {
                    self.index(0);
                    Op::Null
                }
                Op::MaybeLast(slot) if kind == BranchKind::Null && plan.op(slot) != Op::Unit => {
                    self.index(1);
                    Op::Null
                }
                Op::Maybe(_) | Op::MaybeLast(_) => self.descend_one(plan, op),
                Op::Union(_) => self.branch(plan, op, kind)?,
                op => return Ok(op),
            }
        }
    }

    /// Writes the branch of a union for a kind of value.
    pub(super) fn branch(&mut self, plan: &Plan, op: Op, kind: BranchKind) -> Result<Op> {
        let Op::Union(index) = op else { return Ok(op) };
        let union = plan.union(index);
        let branch =
            union.kinds[kind as usize].ok_or_else(|| no_branch(plan, op, kind.describe()))?;
        self.index(branch);
        Ok(union.branches[branch as usize])
    }

    /// Writes [`None`]. Only the union of an optional field distinguishes `None` from an explicit
    /// null.
    #[inline(never)]
    pub(super) fn none(&mut self, plan: &Plan, op: Op) -> Result<()> {
        if let Op::Union(index) = op
            && let Some(branch) = plan.union(index).none
        {
            self.index(branch);
            return Ok(());
        }
        self.null(plan, op)
    }

    pub(super) fn null(&mut self, plan: &Plan, op: Op) -> Result<()> {
        match self.descend(plan, op, BranchKind::Null)? {
            Op::Null | Op::Unit => Ok(()),
            op => Err(mismatch(op, "null")),
        }
    }

    #[inline(never)]
    pub(super) fn boolean(&mut self, plan: &Plan, op: Op, value: bool) -> Result<()> {
        match self.descend(plan, op, BranchKind::Boolean)? {
            Op::Boolean => self.byte(value.into()),
            op => return Err(mismatch(op, "a boolean")),
        }
        Ok(())
    }

    /// Writes a 32-bit float. A double represents every 32-bit float; at a 32-bit position no bit
    /// changes, not even of a NaN.
    #[inline(never)]
    pub(super) fn single(&mut self, plan: &Plan, op: Op, value: f32) -> Result<()> {
        match self.descend_float(plan, op, Op::Float)? {
            Op::Float => self.bytes.extend_from_slice(&value.to_le_bytes()),
            Op::Double => self.bytes.extend_from_slice(&f64::from(value).to_le_bytes()),
            op => return Err(mismatch(op, "a float")),
        }
        Ok(())
    }

    /// Writes a 64-bit float, also at a 32-bit position if the number is the same.
    #[inline(never)]
    pub(super) fn double(&mut self, plan: &Plan, op: Op, value: f64) -> Result<()> {
        match self.descend_float(plan, op, Op::Double)? {
            Op::Double => self.bytes.extend_from_slice(&value.to_le_bytes()),
            Op::Float => {
                let float = narrow_to_f32(value).ok_or_else(|| {
                    Error::unsupported(format_args!("{value} does not fit a float of 32 bits"))
                })?;
                self.bytes.extend_from_slice(&float.to_le_bytes());
            }
            op => return Err(mismatch(op, "a float")),
        }
        Ok(())
    }

    /// Descends to a float. If a union has floats of both widths, the width of the value decides.
    /// The same rule applies in a union within a union, such as the union for a value of any type.
    fn descend_float(&mut self, plan: &Plan, mut op: Op, wanted: Op) -> Result<Op> {
        loop {
            op = match op {
                Op::Maybe(_) | Op::MaybeLast(_) => self.descend_one(plan, op),
                Op::Union(index) => {
                    let union = plan.union(index);
                    match union.branches.iter().position(|&branch| branch == wanted) {
                        Some(branch) => {
                            self.index(branch as u32);
                            return Ok(wanted);
                        }
                        None => self.branch(plan, op, BranchKind::Float)?,
                    }
                }
                op => return Ok(op),
            }
        }
    }

    #[inline(never)]
    pub(super) fn binary(&mut self, plan: &Plan, op: Op, value: &[u8]) -> Result<()> {
        match self.descend(plan, op, BranchKind::Bytes)? {
            Op::Bytes => self.sized(value),
            // The digits of an integer, provided by a caller that has them.
            Op::Integer if (1..=16).contains(&value.len()) => self.sized(value),
            Op::Fixed(size) if value.len() == size as usize => self.bytes.extend_from_slice(value),
            Op::Fixed(size) => {
                return Err(Error::unsupported(format_args!(
                    "the schema has {size} bytes here, found {}",
                    value.len()
                )));
            }
            op => return Err(mismatch(op, "bytes")),
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn text(&mut self, plan: &Plan, mut op: Op, value: &str) -> Result<()> {
        loop {
            op = match op {
                Op::String => {
                    self.sized(value.as_bytes());
                    return Ok(());
                }
                Op::Enum(index) => {
                    let symbols = &plan.enums[index as usize];
                    let symbol = symbols.names.find(value).ok_or_else(|| no_symbol(value))?;
                    self.index(symbol);
                    return Ok(());
                }
                Op::Union(index) => {
                    let union = plan.union(index);
                    let branch = self
                        .text_branch(plan, op, value)
                        .ok_or_else(|| no_branch(plan, op, &format!("`{value}`")))?;
                    self.index(branch);
                    match union.branches[branch as usize] {
                        Op::Variant(_) => return Ok(()),
                        op => op,
                    }
                }
                Op::Maybe(_) | Op::MaybeLast(_) => self.descend_one(plan, op),
                op => return Err(mismatch(op, "a string")),
            }
        }
    }

    /// Writes an integer or boolean key of which formats with text keys only, such as JSON, have the
    /// text.
    #[cold]
    #[inline(never)]
    pub(super) fn typed_key(&mut self, plan: &Plan, op: Op, text: &str) -> Result<()> {
        match (op, Value::from_key_text(text)) {
            (Op::Boolean, Some(Value::Bool(value))) => self.boolean(plan, op, value),
            (
                Op::Int | Op::Long | Op::Integer,
                Some(Value::I64(_) | Value::U64(_) | Value::Number(_)),
            ) => self.number(plan, op, text),
            _ => Err(mismatch(op, "a string")),
        }
    }

    /// Writes the branch of an option that is not null.
    pub(super) fn descend_one(&mut self, plan: &Plan, op: Op) -> Op {
        match op {
            Op::Maybe(slot) => {
                self.index(1);
                plan.op(slot)
            }
            Op::MaybeLast(slot) => {
                self.index(0);
                plan.op(slot)
            }
            op => op,
        }
    }

    /// Returns the branch for text: a unit variant or a symbol with that name, or a string.
    fn text_branch(&self, plan: &Plan, op: Op, value: &str) -> Option<u32> {
        let Op::Union(index) = op else { return None };
        let union = plan.union(index);
        if let Some(branch) = union.variants.find(value)
            && let Op::Variant(variant) = union.branches[branch as usize]
            && plan.variant(variant).form == Form::Unit
            && plan.variant(variant).tagging == manywire_shape::Tagging::External
        {
            return Some(branch);
        }
        let symbol = union.branches.iter().position(|branch| match branch {
            Op::Enum(index) => plan.enums[*index as usize].names.find(value).is_some(),
            _ => false,
        });
        let string = || union.branches.iter().position(|&branch| branch == Op::String);
        let other = || union.kinds[BranchKind::Text as usize];
        symbol.or_else(string).map(|branch| branch as u32).or_else(other)
    }

    /// Writes a number beyond 64 bits, given as text.
    #[inline(never)]
    pub(super) fn number(&mut self, plan: &Plan, op: Op, text: &str) -> Result<()> {
        if let Some(value) = Integer::parse(text)
            && !matches!(op, Op::Number)
        {
            return self.integer(plan, op, value);
        }
        match self.descend(plan, op, BranchKind::Number)? {
            Op::Number => self.sized(text.as_bytes()),
            op => return Err(mismatch(op, &format!("the number {text}"))),
        }
        Ok(())
    }
}

#[cold]
#[inline(never)]
pub(super) fn no_branch(plan: &Plan, op: Op, found: &str) -> Error {
    let names = match op {
        Op::Union(index) => {
            let branches = plan.union(index).branches.iter().map(|&branch| match branch {
                Op::Variant(variant) => format!("variant `{}`", plan.variant(variant).name),
                branch => branch.expected().to_owned(),
            });
            branches.collect::<Vec<_>>().join(", ")
        }
        op => op.expected().to_owned(),
    };
    Error::unsupported(format_args!("no branch of the union takes {found}; there are {names}"))
}

#[cold]
#[inline(never)]
fn no_symbol(name: &str) -> Error {
    Error::unsupported(format_args!("the enum of the schema has no symbol `{name}`"))
}

// Variants are written as variants of the schema, or as an entry of a map or a record, as in JSON.

/// The map or record that is open around the content of a variant.
pub(super) enum Enclosing<'p> {
    /// The schema has variants here.
    Nothing,
    /// A map whose only entry is the variant: a map of the schema, or the map of a record's other
    /// entries.
    Map,
    /// A record that is still to be completed.
    Record {
        /// The fields after the one that holds the content.
        after: &'p [Field],
        /// True if other entries follow the fields.
        has_rest: bool,
    },
}

impl Enclosing<'_> {
    /// Completes the map or record.
    #[inline]
    pub(super) fn close(self, writer: &mut Writer) -> Result<()> {
        match self {
            Enclosing::Nothing => {}
            Enclosing::Map => writer.byte(0),
            Enclosing::Record { after, has_rest } => {
                after.iter().try_for_each(|field| writer.absent(field))?;
                if has_rest {
                    writer.byte(0);
                }
            }
        }
        Ok(())
    }
}

impl<'w, 'p> DatumSerializer<'w, 'p> {
    /// Returns the branch of a variant if the schema has variants here: its index, and the
    /// operation of its content. serde's variant number is usually the number of the branch.
    #[inline]
    fn variant(&self, name: &str, number: u32) -> Option<(u32, Op)> {
        let Op::Union(index) = self.op else { return None };
        let union = self.plan.union(index);
        let branch = match union.branches.get(number as usize) {
            Some(&Op::Variant(variant)) if *self.plan.variant(variant).name == *name => number,
            _ => union.variants.find(name)?,
        };
        match union.branches[branch as usize] {
            Op::Variant(variant) => Some((branch, self.plan.variant(variant).content)),
            _ => None,
        }
    }

    /// Returns the serializer for a variant's content, and what is open around it.
    #[inline]
    pub(super) fn into_variant(
        self,
        of: VariantName,
    ) -> Result<(DatumSerializer<'w, 'p>, Enclosing<'p>)> {
        let Some((branch, content)) = self.variant(of.name, of.index) else {
            return self.into_entry(of.name);
        };
        self.writer.index(branch);
        Ok((DatumSerializer { op: content, ..self }, Enclosing::Nothing))
    }

    /// Finds a variant inside other unions, or opens a map or a record of one entry, which
    /// represents a variant if the schema has none.
    #[inline(never)]
    fn into_entry(self, name: &str) -> Result<(DatumSerializer<'w, 'p>, Enclosing<'p>)> {
        let DatumSerializer { writer, plan, mut op } = self;
        loop {
            op = match op {
                Op::Map(slot) => {
                    writer.len(1);
                    writer.sized(name.as_bytes());
                    let content = DatumSerializer { writer, plan, op: plan.op(slot) };
                    return Ok((content, Enclosing::Map));
                }
                Op::Record(index) => {
                    let (op, enclosing) = writer.open_field(plan, plan.record(index), name)?;
                    return Ok((DatumSerializer { writer, plan, op }, enclosing));
                }
                Op::Maybe(_) | Op::MaybeLast(_) => writer.descend_one(plan, op),
                Op::Union(_) => {
                    let serializer = DatumSerializer { writer: &mut *writer, plan, op };
                    match serializer.variant(name, 0) {
                        Some((branch, content)) => {
                            writer.index(branch);
                            let content = DatumSerializer { writer, plan, op: content };
                            return Ok((content, Enclosing::Nothing));
                        }
                        None => writer.branch(plan, op, BranchKind::Map)?,
                    }
                }
                op => return Err(mismatch(op, &format!("variant `{name}`"))),
            }
        }
    }
}

impl Writer {
    /// Opens a record whose only entry is `name`: a variant of an enum that the branches of a union
    /// were merged with. Returns the operation of the entry.
    fn open_field<'p>(
        &mut self,
        plan: &Plan,
        record: &'p Record,
        name: &str,
    ) -> Result<(Op, Enclosing<'p>)> {
        let has_rest = record.rest.is_some();
        match (record.names.find(name), record.rest) {
            (Some(index), _) => {
                let (before, from) = record.fields.split_at(index as usize);
                before.iter().try_for_each(|field| self.absent(field))?;
                Ok((from[0].op, Enclosing::Record { after: &from[1..], has_rest }))
            }
            (None, Some(rest)) => {
                record.fields.iter().try_for_each(|field| self.absent(field))?;
                self.len(1);
                self.sized(name.as_bytes());
                Ok((plan.op(rest), Enclosing::Map))
            }
            (None, None) => Err(unknown_field(name)),
        }
    }
}
