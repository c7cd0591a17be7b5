//! Writes arrays and tuples.

use serde::ser::{Serialize, SerializeTupleVariant};

use super::block::Block;
use super::branch::Enclosing;
use super::{DatumSerializer, Writer, mismatch};
use crate::avro::plan::{BranchKind, Field, Op, Plan};
use crate::avro::wire::EMPTY_ITEMS_MAX;
use crate::core::error::{Category, Error, Result};
use crate::core::forward::serialize_items;

/// The items of an array, a tuple, or bytes passed one by one.
pub(super) enum Items<'w, 'p> {
    Array { writer: &'w mut Writer, plan: &'p Plan, item: Op, block: Block },
    Empties { writer: &'w mut Writer, plan: &'p Plan, item: Op, block: Block },
    Tuple { writer: &'w mut Writer, plan: &'p Plan, fields: &'p [Field], next: usize },
    Bytes { writer: &'w mut Writer, plan: &'p Plan, op: Op, bytes: Vec<u8> },
}

impl<'w, 'p> Items<'w, 'p> {
    #[inline]
    pub(super) fn open(serializer: DatumSerializer<'w, 'p>, len: Option<usize>) -> Result<Self> {
        let DatumSerializer { writer, plan, op } = serializer;
        match op {
            Op::Array(slot) => {
                let block = Block::open(writer, len);
                Ok(Items::Array { writer, plan, item: plan.op(slot), block })
            }
            _ => Items::open_other(DatumSerializer { writer, plan, op }, len),
        }
    }

    #[inline(never)]
    fn open_other(serializer: DatumSerializer<'w, 'p>, len: Option<usize>) -> Result<Self> {
        let DatumSerializer { writer, plan, op } = serializer;
        // Bytes passed as a sequence are written as bytes if the union has no closer branch.
        let kind = match op {
            Op::Union(index) if plan.union(index).kinds[BranchKind::Seq as usize].is_none() => {
                BranchKind::Bytes
            }
            _ => BranchKind::Seq,
        };
        match writer.descend(plan, op, kind)? {
            Op::Array(slot) => {
                let block = Block::open(writer, len);
                Ok(Items::Array { writer, plan, item: plan.op(slot), block })
            }
            Op::Empties(slot) => {
                let block = Block::open(writer, len);
                Ok(Items::Empties { writer, plan, item: plan.op(slot), block })
            }
            Op::Tuple(index) => {
                Ok(Items::Tuple { writer, plan, fields: &plan.record(index).fields, next: 0 })
            }
            op @ (Op::Bytes | Op::Fixed(_)) => {
                Ok(Items::Bytes { writer, plan, op, bytes: Vec::new() })
            }
            op => Err(mismatch(op, "an array")),
        }
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match self {
            Items::Array { writer, plan, item, block } => {
                block.count += 1;
                value
                    .serialize(DatumSerializer { writer, plan, op: *item })
                    .map_err(|error| error.under_index(block.count - 1))
            }
            Items::Tuple { writer, plan, fields, next } => {
                let Some(field) = fields.get(*next) else { return Err(too_many(fields.len())) };
                *next += 1;
                value
                    .serialize(DatumSerializer { writer, plan, op: field.op })
                    .map_err(|error| error.under_index(*next - 1))
            }
            Items::Empties { writer, plan, item, block } => {
                block.count += 1;
                writer.empty_items_left =
                    writer.empty_items_left.checked_sub(1).ok_or_else(too_many_empties)?;
                value
                    .serialize(DatumSerializer { writer, plan, op: *item })
                    .map_err(|error| error.under_index(block.count - 1))
            }
            Items::Bytes { bytes, .. } => {
                let index = bytes.len();
                let byte = crate::core::extension::i64_of(value)
                    .ok()
                    .and_then(|byte| u8::try_from(byte).ok())
                    .ok_or_else(|| mismatch(Op::Bytes, "an item that is not a byte"))
                    .map_err(|error| error.under_index(index))?;
                bytes.push(byte);
                Ok(())
            }
        }
    }

    #[inline]
    fn finish(self) -> Result<()> {
        self.close().map(drop)
    }

    #[inline]
    pub(super) fn close(self) -> Result<&'w mut Writer> {
        match self {
            Items::Array { writer, block, .. } | Items::Empties { writer, block, .. } => {
                block.close(writer);
                Ok(writer)
            }
            // Items missing at the end of a tuple are null if the schema allows it.
            Items::Tuple { writer, fields, next, .. } => {
                for field in &fields[next..] {
                    writer.absent(field)?;
                }
                Ok(writer)
            }
            Items::Bytes { writer, plan, op, bytes } => {
                writer.binary(plan, op, &bytes)?;
                Ok(writer)
            }
        }
    }
}

#[cold]
#[inline(never)]
fn too_many(len: usize) -> Error {
    Error::unsupported(format_args!("the schema has a tuple of {len} here, found more items"))
}

#[cold]
#[inline(never)]
fn too_many_empties() -> Error {
    Error::new(
        Category::Limit,
        format_args!("more than {EMPTY_ITEMS_MAX} items that take no bytes"),
    )
}

serialize_items! { Items<'_, '_>:
    SerializeSeq SerializeTuple => serialize_element;
    SerializeTupleStruct => serialize_field;
}

/// The items of a tuple variant, and what is open around them.
pub(super) struct VariantItems<'w, 'p> {
    pub(super) items: Items<'w, 'p>,
    pub(super) name: &'static str,
    pub(super) enclosing: Enclosing<'p>,
}

impl SerializeTupleVariant for VariantItems<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.items.item(value).map_err(|error| error.under_key(self.name))
    }

    fn end(self) -> Result<()> {
        self.enclosing.close(self.items.close()?)
    }
}
