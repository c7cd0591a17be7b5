//! Scalars where the schema does not have just their type: through unions, into enums, and floats
//! of the other width. None of this is generic, so it is compiled once.

use super::integer::Integer;
use super::{Writer, mismatch};
use crate::avro::plan::{Form, Kind, Op, Plan};
use crate::core::error::{Category, Error, Result};
use crate::core::float::narrowed;

impl Writer {
    /// Writes the branches of unions down to the place that takes a kind of value.
    #[inline(never)]
    pub(super) fn descend(&mut self, plan: &Plan, mut op: Op, kind: Kind) -> Result<Op> {
        loop {
            op = match op {
                Op::Maybe(_) if kind == Kind::Null => {
                    self.index(0);
                    Op::Null
                }
                Op::MaybeLast(_) if kind == Kind::Null => {
                    self.index(1);
                    Op::Null
                }
                Op::Maybe(_) | Op::MaybeLast(_) => self.descend_one(plan, op),
                Op::Union(_) => self.branch(plan, op, kind)?,
                op => return Ok(op),
            }
        }
    }

    /// Takes the branch of a union for a kind of value.
    pub(super) fn branch(&mut self, plan: &Plan, op: Op, kind: Kind) -> Result<Op> {
        let Op::Union(index) = op else { return Ok(op) };
        let union = plan.union(index);
        let branch = union.kinds[kind as usize].ok_or_else(|| no_branch(plan, op, kind.found()))?;
        self.index(branch);
        Ok(union.branches[branch as usize])
    }

    pub(super) fn null(&mut self, plan: &Plan, op: Op) -> Result<()> {
        match self.descend(plan, op, Kind::Null)? {
            Op::Null => Ok(()),
            op => Err(mismatch(op, "null")),
        }
    }

    #[inline(never)]
    pub(super) fn boolean(&mut self, plan: &Plan, op: Op, value: bool) -> Result<()> {
        match self.descend(plan, op, Kind::Boolean)? {
            Op::Boolean => self.byte(value.into()),
            op => return Err(mismatch(op, "a boolean")),
        }
        Ok(())
    }

    /// A float of 32 bits, which any double holds. Where there is a place for it as it is, not even
    /// the bits of a NaN change.
    #[inline(never)]
    pub(super) fn single(&mut self, plan: &Plan, op: Op, value: f32) -> Result<()> {
        match self.descend_float(plan, op, Op::Float)? {
            Op::Float => self.bytes.extend_from_slice(&value.to_le_bytes()),
            Op::Double => self.bytes.extend_from_slice(&f64::from(value).to_le_bytes()),
            op => return Err(mismatch(op, "a float")),
        }
        Ok(())
    }

    /// A float of 64 bits; in a place for one of 32, if it is the same number there.
    #[inline(never)]
    pub(super) fn double(&mut self, plan: &Plan, op: Op, value: f64) -> Result<()> {
        match self.descend_float(plan, op, Op::Double)? {
            Op::Double => self.bytes.extend_from_slice(&value.to_le_bytes()),
            Op::Float => {
                let float = narrowed(value).ok_or_else(|| {
                    Error::new(
                        Category::Unsupported,
                        format_args!("{value} does not fit a float of 32 bits"),
                    )
                })?;
                self.bytes.extend_from_slice(&float.to_le_bytes());
            }
            op => return Err(mismatch(op, "a float")),
        }
        Ok(())
    }

    /// A union may have both floats, and then the width decides.
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
                        None => return self.descend(plan, op, Kind::Float),
                    }
                }
                op => return Ok(op),
            }
        }
    }

    #[inline(never)]
    pub(super) fn binary(&mut self, plan: &Plan, op: Op, value: &[u8]) -> Result<()> {
        match self.descend(plan, op, Kind::Bytes)? {
            Op::Bytes => self.sized(value),
            // The digits of an integer, from one who has them at hand.
            Op::Integer if (1..=16).contains(&value.len()) => self.sized(value),
            Op::Fixed(size) if value.len() == size as usize => self.bytes.extend_from_slice(value),
            Op::Fixed(size) => {
                return Err(Error::new(
                    Category::Unsupported,
                    format_args!("the schema has {size} bytes here, found {}", value.len()),
                ));
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

    /// Takes the branch of an option that is not null.
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

    /// The branch that text goes to: a unit variant or a symbol of that name, or a string.
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
        let other = || union.kinds[Kind::Text as usize];
        symbol.or_else(string).map(|branch| branch as u32).or_else(other)
    }

    /// A number that no 64-bit type holds, as text.
    #[inline(never)]
    pub(super) fn number(&mut self, plan: &Plan, op: Op, text: &str) -> Result<()> {
        if let Some(value) = Integer::parse(text)
            && !matches!(op, Op::Number)
        {
            return self.integer(plan, op, value);
        }
        match self.descend(plan, op, Kind::Number)? {
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
    Error::new(
        Category::Unsupported,
        format_args!("no branch of the union takes {found}; there are {names}"),
    )
}

#[cold]
#[inline(never)]
fn no_symbol(name: &str) -> Error {
    Error::new(Category::Unsupported, format_args!("the enum of the schema has no symbol `{name}`"))
}
