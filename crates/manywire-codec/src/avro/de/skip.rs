//! Passing over values, without recursion: what is still to be passed over waits on a stack as
//! deep as the limits allow.

use super::Decoder;
use crate::avro::plan::{Field, Op};
use crate::avro::wire::{Blocks, read_bytes, read_int, read_long};
use crate::core::error::{Category, Error, Result};

enum Rest<'de> {
    Fields(&'de [Field]),
    Items {
        blocks: Blocks,
        item: Op,
        empty: bool,
    },
    Entries {
        blocks: Blocks,
        value: Op,
    },
    /// After the named fields of a record, the entries that are no field.
    Map(Op),
}

impl<'de> Decoder<'de> {
    /// Passes over a value.
    pub(in crate::avro) fn skip(&mut self, op: Op) -> Result<()> {
        let depth_left = self.depth_left;
        let mut stack: Vec<Rest<'de>> = Vec::new();
        let mut next = Some(op);
        loop {
            if let Some(op) = next.take() {
                self.step(op, &mut stack, &mut next)?;
                continue;
            }
            let Some(top) = stack.last_mut() else { break };
            next = self.advance(top)?;
            if next.is_none() {
                stack.pop();
                self.leave();
            }
        }
        self.depth_left = depth_left;
        Ok(())
    }

    /// Passes over a scalar, or puts the contents of a container on the stack.
    fn step(&mut self, op: Op, stack: &mut Vec<Rest<'de>>, next: &mut Option<Op>) -> Result<()> {
        let plan = self.plan;
        match op {
            Op::Null => {}
            Op::Boolean => drop(self.boolean()?),
            Op::Int => drop(read_int(&mut self.reader)?),
            Op::Long => drop(read_long(&mut self.reader, "a long")?),
            Op::Float => self.reader.skip(4, "a float")?,
            Op::Double => self.reader.skip(8, "a double")?,
            Op::Bytes | Op::Integer => drop(read_bytes(&mut self.reader, "bytes")?),
            Op::String | Op::Number => drop(read_bytes(&mut self.reader, "a string")?),
            Op::Fixed(size) => self.reader.skip(size as usize, "fixed bytes")?,
            Op::Enum(index) => {
                self.index(plan.enums[index as usize].symbols.len(), "a symbol")?;
            }
            Op::Timestamp => drop(self.timestamp()?),
            Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_) => *next = Some(self.branch(op)?),
            Op::Variant(index) => {
                self.enter()?;
                stack.push(Rest::Fields(&[]));
                *next = Some(plan.variant(index).content);
            }
            Op::Extension(slot) => {
                self.enter()?;
                stack.push(Rest::Fields(&[]));
                self.extension_head()?;
                *next = Some(plan.op(slot));
            }
            Op::Record(index) | Op::Tuple(index) => {
                self.enter()?;
                let record = plan.record(index);
                if let Some(rest) = record.rest {
                    // One level for the two of them: `leave` is called for each.
                    self.enter()?;
                    stack.push(Rest::Map(plan.op(rest)));
                }
                stack.push(Rest::Fields(&record.fields));
            }
            Op::Array(slot) | Op::Empties(slot) => {
                self.enter()?;
                let empty = matches!(op, Op::Empties(_));
                stack.push(Rest::Items { blocks: Blocks::START, item: plan.op(slot), empty });
            }
            Op::Entries(index) => {
                self.enter()?;
                let empty = plan.record(index).empty;
                stack.push(Rest::Items { blocks: Blocks::START, item: Op::Tuple(index), empty });
            }
            Op::Map(slot) => {
                self.enter()?;
                stack.push(Rest::Entries { blocks: Blocks::START, value: plan.op(slot) });
            }
        }
        Ok(())
    }

    /// The next value within a container, if there is one.
    fn advance(&mut self, rest: &mut Rest<'de>) -> Result<Option<Op>> {
        let Decoder { reader, empty_items_left, .. } = self;
        Ok(match rest {
            Rest::Fields(fields) => match fields.split_first() {
                Some((field, left)) => {
                    *fields = left;
                    Some(field.op)
                }
                None => None,
            },
            Rest::Map(value) => {
                *rest = Rest::Entries { blocks: Blocks::START, value: *value };
                return self.advance(rest);
            }
            Rest::Items { blocks, item, empty } => {
                // Items without bytes are behind us once they are counted.
                while blocks.remaining() == 0 && !blocks.is_done() {
                    blocks.open(reader, empty.then_some(&mut *empty_items_left))?;
                    if *empty {
                        blocks.clear();
                    }
                    blocks.skip_block(reader)?;
                }
                blocks.take().then_some(*item)
            }
            Rest::Entries { blocks, value } => {
                while blocks.remaining() == 0 && !blocks.is_done() {
                    blocks.open(reader, None)?;
                    blocks.skip_block(reader)?;
                }
                match blocks.take() {
                    true => {
                        read_bytes(reader, "a key")?;
                        Some(*value)
                    }
                    false => None,
                }
            }
        })
    }

    /// Reads a boolean.
    #[inline]
    pub(super) fn boolean(&mut self) -> Result<bool> {
        let start = self.offset();
        match self.reader.byte("a boolean")? {
            0 => Ok(false),
            1 => Ok(true),
            byte => Err(Error::at(
                Category::Syntax,
                start,
                format_args!("a boolean is 0 or 1, found 0x{byte:02x}"),
            )),
        }
    }

    /// Reads the index of a branch and answers with what the branch is.
    #[inline]
    pub(super) fn branch(&mut self, op: Op) -> Result<Op> {
        Ok(match op {
            Op::Maybe(slot) | Op::MaybeLast(slot) => {
                if self.is_some(op)? {
                    self.plan.op(slot)
                } else {
                    Op::Null
                }
            }
            Op::Union(index) => {
                let branches = &self.plan.union(index).branches;
                branches[self.index(branches.len(), "a branch")?]
            }
            op => op,
        })
    }
}
