//! Integers where the schema does not have just the width they come in.

use super::Writer;
use crate::avro::plan::{Op, Plan};
use crate::core::error::{Category, Error, Result};

/// An integer of any type that serde has.
#[derive(Clone, Copy)]
pub(super) enum Integer {
    Signed(i128),
    /// Above `i128::MAX`.
    Unsigned(u128),
}

impl From<u128> for Integer {
    fn from(value: u128) -> Self {
        i128::try_from(value).map_or(Integer::Unsigned(value), Integer::Signed)
    }
}

impl std::fmt::Display for Integer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Integer::Signed(value) => value.fmt(f),
            Integer::Unsigned(value) => value.fmt(f),
        }
    }
}

impl Integer {
    /// The integer that this text is, if it is one of up to 128 bits.
    pub(super) fn parse(text: &str) -> Option<Integer> {
        match text.parse() {
            Ok(value) => Some(Integer::Signed(value)),
            Err(_) => text.parse::<u128>().ok().map(Integer::from),
        }
    }

    fn signed(self) -> Option<i128> {
        match self {
            Integer::Signed(value) => Some(value),
            Integer::Unsigned(_) => None,
        }
    }

    /// This as the `int` or the `long` of a place, if it fits.
    fn within(self, op: Op) -> Option<i64> {
        let value = i64::try_from(self.signed()?).ok()?;
        (op != Op::Int || i32::try_from(value).is_ok()).then_some(value)
    }

    /// The double that is equal to this, if there is one.
    fn double(self) -> Option<f64> {
        // The cast saturates, so what came of the largest integers must be kept from passing.
        match self {
            Integer::Signed(value) => {
                let double = value as f64;
                (double as i128 == value && double < i128::MAX as f64).then_some(double)
            }
            Integer::Unsigned(value) => {
                let double = value as f64;
                (double as u128 == value && double < u128::MAX as f64).then_some(double)
            }
        }
    }

    fn float(self) -> Option<f32> {
        self.double()
            .map(|double| double as f32)
            .filter(|&float| Some(f64::from(float)) == self.double())
    }

    /// Two's complement, big-endian, without leading bytes that only repeat the sign.
    fn decimal(self, take: impl FnOnce(&[u8])) {
        match self {
            Integer::Signed(value) => {
                let spare = if value < 0 { value.leading_ones() } else { value.leading_zeros() };
                // One bit of the repeated ones is the sign and stays.
                let len = (136 - spare as usize) / 8;
                take(&value.to_be_bytes()[16 - len..]);
            }
            Integer::Unsigned(value) => {
                let mut bytes = [0; 17];
                bytes[1..].copy_from_slice(&value.to_be_bytes());
                take(&bytes);
            }
        }
    }

    /// How well an operation suits: the lower the better, none if it cannot hold this integer.
    fn fit(self, plan: &Plan, op: Op) -> Option<u8> {
        match op {
            Op::Int => self.within(op).map(|_| 0),
            Op::Long => self.within(op).map(|_| 1),
            Op::Integer => Some(2),
            Op::Number => Some(3),
            Op::Double => self.double().map(|_| 4),
            Op::Float => self.float().map(|_| 5),
            // Only reached through a wrapping record: one level tells enough.
            Op::Maybe(slot) | Op::MaybeLast(slot) => match plan.op(slot) {
                Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_) => None,
                op => self.fit(plan, op),
            },
            Op::Union(index) => {
                let branches = plan.union(index).branches.iter();
                let leaves = branches.filter(|branch| {
                    !matches!(branch, Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_))
                });
                leaves.filter_map(|&branch| self.fit(plan, branch)).min().map(|fit| fit + 6)
            }
            _ => None,
        }
    }
}

impl Writer {
    /// Writes an integer wherever it fits.
    #[inline(never)]
    pub(super) fn integer(&mut self, plan: &Plan, mut op: Op, value: Integer) -> Result<()> {
        loop {
            match op {
                Op::Int | Op::Long => {
                    self.long(value.within(op).ok_or_else(|| does_not_fit(op, value))?);
                    return Ok(());
                }
                Op::Double => {
                    let double = value.double().ok_or_else(|| does_not_fit(op, value))?;
                    self.bytes.extend_from_slice(&double.to_le_bytes());
                    return Ok(());
                }
                Op::Float => {
                    let float = value.float().ok_or_else(|| does_not_fit(op, value))?;
                    self.bytes.extend_from_slice(&float.to_le_bytes());
                    return Ok(());
                }
                Op::Integer => {
                    value.decimal(|bytes| self.sized(bytes));
                    return Ok(());
                }
                Op::Number => {
                    self.sized(value.to_string().as_bytes());
                    return Ok(());
                }
                Op::Maybe(_) | Op::MaybeLast(_) => op = self.descend_one(plan, op),
                Op::Union(index) => {
                    let branches = plan.union(index).branches.iter().zip(0..);
                    let best = branches
                        .filter_map(|(&branch, index)| {
                            Some((value.fit(plan, branch)?, index, branch))
                        })
                        .min_by_key(|&(fit, index, _)| (fit, index));
                    let Some((_, index, branch)) = best else {
                        return Err(does_not_fit(op, value));
                    };
                    self.index(index);
                    op = branch;
                }
                _ => return Err(super::mismatch(op, "an integer")),
            }
        }
    }
}

#[cold]
#[inline(never)]
fn does_not_fit(op: Op, value: Integer) -> Error {
    Error::new(
        Category::Unsupported,
        format_args!("{value} does not fit {} of the schema", op.expected()),
    )
}
