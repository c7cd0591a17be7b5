//! Maps that must be seen whole before a union can say whose they are.
//!
//! They are written by the schema of anything, read back as a value, and written again to the
//! branch that it belongs to. That costs twice, but only where a tag comes late or where several
//! branches are records.

use std::sync::LazyLock;

use manywire_shape::{Arena, Node, ShapeBuilder, Tagging, Value, ValueSeed};
use serde::Serialize;

use super::choose::no_branch;
use super::members::Members;
use super::{Place, Writer};
use crate::avro::plan::{Absent, Kind, Op, Plan, Record, Variant};
use crate::core::error::Result;
use crate::core::limits::Limits;

/// The schema of anything.
pub(super) static ANY: LazyLock<Plan> = LazyLock::new(|| {
    let mut shape = ShapeBuilder::default();
    let root = shape.add(Node::Any);
    Plan::from_shape(&shape.finish(root)).expect("anything has a schema")
});

/// A map on its way to a branch of a union.
pub(super) struct Whole<'w, 'p> {
    members: Box<Members<'w, 'static>>,
    start: usize,
    plan: &'p Plan,
    union: u32,
}

impl<'w, 'p> Whole<'w, 'p> {
    #[cold]
    pub(super) fn open(writer: &'w mut Writer, plan: &'p Plan, union: u32) -> Result<Self> {
        let start = writer.bytes.len();
        let members = Members::open(Place { writer, plan: &ANY, op: ANY.root }, None)?;
        Ok(Whole { members: Box::new(members), start, plan, union })
    }

    pub(super) fn members(&mut self) -> &mut Members<'w, 'static> {
        &mut self.members
    }

    #[cold]
    pub(super) fn close(self) -> Result<&'w mut Writer> {
        let writer = self.members.close()?;
        let bytes = writer.bytes.split_off(self.start);
        let arena = Arena::new();
        // What was written was as deep as a serializer made it, and so its own business.
        let limits = Limits::DEFAULT.with_depth(usize::MAX);
        let value = ANY.decode_seed(&mut ValueSeed::new(&arena), &bytes, limits)?;
        write(writer, self.plan, self.union, value)?;
        Ok(writer)
    }
}

fn write(writer: &mut Writer, plan: &Plan, index: u32, value: Value<'_>) -> Result<()> {
    let union = plan.union(index);
    let Value::Map(entries) = value else {
        return value.serialize(Place { writer, plan, op: Op::Union(index) });
    };
    for (&branch, number) in union.branches.iter().zip(0..) {
        if let Op::Variant(variant) = branch
            && let variant = plan.variant(variant)
            && let Some(named) = named_by(variant, entries)
        {
            writer.index(number);
            return write_variant(writer, plan, variant, entries, named);
        }
    }
    let record = union.branches.iter().position(|branch| match branch {
        Op::Record(record) => holds(plan.record(*record), entries),
        _ => false,
    });
    let branch = record
        .map(|branch| branch as u32)
        .or(union.kinds[Kind::Map as usize])
        .filter(|&branch| !matches!(union.branches[branch as usize], Op::Variant(_)))
        .ok_or_else(|| no_branch(plan, Op::Union(index), "a map of these keys"))?;
    writer.index(branch);
    value.serialize(Place { writer, plan, op: union.branches[branch as usize] })
}

/// The entry that says that a map is of a variant.
fn named_by(variant: &Variant, entries: &[(Value<'_>, Value<'_>)]) -> Option<usize> {
    match &variant.tagging {
        Tagging::External => match entries {
            [(Value::Str(name), _)] if **name == *variant.name => Some(0),
            _ => None,
        },
        Tagging::Internal { tag } | Tagging::Adjacent { tag, .. } => {
            entries.iter().rposition(|(key, value)| match (key, value) {
                (Value::Str(key), Value::Str(name)) => **key == **tag && **name == *variant.name,
                _ => false,
            })
        }
    }
}

fn write_variant(
    writer: &mut Writer,
    plan: &Plan,
    variant: &Variant,
    entries: &[(Value<'_>, Value<'_>)],
    named: usize,
) -> Result<()> {
    if variant.tagging == Tagging::External {
        let place = Place { writer, plan, op: variant.content };
        return entries[named].1.serialize(place).map_err(|error| error.under_key(&variant.name));
    }
    let mut members = Members::of_variant(writer, plan, variant)?;
    for (_, (key, value)) in entries.iter().enumerate().filter(|(index, _)| *index != named) {
        members.entry(key, value)?;
    }
    members.close().map(drop)
}

/// Whether a record has all of these keys, and they all that the record requires.
fn holds(record: &Record, entries: &[(Value<'_>, Value<'_>)]) -> bool {
    let mut found = vec![false; record.fields.len()];
    for (key, _) in entries {
        match key {
            Value::Str(name) => match record.names.find(name) {
                Some(field) => found[field as usize] = true,
                None if record.rest.is_some() => {}
                None => return false,
            },
            _ => return false,
        }
    }
    record.fields.iter().zip(found).all(|(field, found)| found || field.absent != Absent::Refused)
}
