use super::super::counts::is_exact;
use super::faults::{Faults, Gathered};
use super::{DEPTH_MAX, Result};
use crate::{Array, Int, Node, NodeId, Shape, Value};

/// Tries values against a shape.
#[derive(Clone, Copy)]
pub(super) struct Fit<'s> {
    pub(super) shape: &'s Shape,
    /// How many faults are named; nothing if the first is all that is asked for.
    pub(super) limit: Option<usize>,
}

impl<'s> Fit<'s> {
    /// Tries a value that is nested this deep against a node.
    pub(super) fn node(self, id: NodeId, value: &Value<'_>, depth: usize) -> Result<()> {
        match (self.shape.node(id), value) {
            (Node::Str, Value::Str(_))
            | (Node::Bool, Value::Bool(_))
            | (Node::F64, Value::F64(_) | Value::F32(_))
            | (Node::F32, Value::F32(_))
            | (Node::Null | Node::Option(_), Value::Null)
            | (Node::Bytes, Value::Bytes(_))
            | (Node::Timestamp, Value::Timestamp(_))
            | (Node::Any, _) => Ok(()),
            (Node::Int(int), _) if holds(*int, value) => Ok(()),
            (Node::F64, _) if is_integer_where(value, is_exact) => Ok(()),
            (Node::F32, _) if is_integer_where(value, is_exact_single) => Ok(()),
            // Beyond the range of a single the value would turn into infinity.
            (Node::F32, Value::F64(float)) if !float.is_finite() || (*float as f32).is_finite() => {
                Ok(())
            }
            (Node::Char, Value::Str(text)) if is_char(text) => Ok(()),
            // Options count as levels, because a type may be an option of itself and nothing else.
            _ if depth >= DEPTH_MAX => {
                Err(Faults::new(format!("at most {DEPTH_MAX} levels"), "more"))
            }
            (Node::Option(inner), _) => self.node(*inner, value, depth + 1),
            (Node::Union(branches), _) => self.union(id, branches, value, depth),
            (Node::Enum(sum), _) => self.sum(id, sum, value, depth),
            (Node::Array(array), Value::Array(items)) => self.array(array, items, depth),
            (Node::Tuple(parts), Value::Array(items)) => self.tuple(parts, items, depth),
            (Node::Map { key, value }, Value::Map(entries)) => {
                self.map(*key, *value, entries, depth)
            }
            (Node::Record(record), Value::Map(entries)) => self.record(record, entries, depth),
            _ => Err(self.mismatch(id, value)),
        }
    }

    fn array(self, array: &Array, items: &[Value<'_>], depth: usize) -> Result<()> {
        if array.non_empty && items.is_empty() {
            return Err(Faults::new("an array that is not empty", "an empty one"));
        }
        match array.len {
            Some(len) if len as usize != items.len() => Err(wrong_length(len as usize, items)),
            _ => self.items(items, |_| array.item, depth),
        }
    }

    /// Tries items against a node for each place, of which there are as many.
    pub(super) fn tuple(self, parts: &[NodeId], items: &[Value<'_>], depth: usize) -> Result<()> {
        if parts.len() != items.len() {
            return Err(wrong_length(parts.len(), items));
        }
        self.items(items, |at| parts[at], depth)
    }

    fn items(
        self,
        items: &[Value<'_>],
        node: impl Fn(usize) -> NodeId,
        depth: usize,
    ) -> Result<()> {
        let mut gathered = Gathered::default();
        for (at, item) in items.iter().enumerate() {
            if let Err(faults) = self.node(node(at), item, depth + 1) {
                gathered.add(self, faults.under_index(at))?;
            }
        }
        gathered.end()
    }

    fn map(
        self,
        key: NodeId,
        value: NodeId,
        entries: &[(Value<'_>, Value<'_>)],
        depth: usize,
    ) -> Result<()> {
        let mut gathered = Gathered::default();
        for (name, held) in entries {
            if let Err(faults) = self.key(key, name, depth) {
                gathered.add(self, faults)?;
            }
            if let Err(faults) = self.node(value, held, depth + 1) {
                gathered.add(self, faults.under(name))?;
            }
        }
        gathered.end()
    }

    /// The branch of the value's kind must hold it; no two branches are of one kind, but a float
    /// may hold an integer too, and an enum may be text or a map.
    fn union(self, id: NodeId, branches: &[NodeId], value: &Value<'_>, depth: usize) -> Result<()> {
        let mut closest = None;
        for branch in branches {
            match self.node(*branch, value, depth + 1) {
                Ok(()) => return Ok(()),
                // A fault inside the value comes from the branch of its kind, and says more than
                // a list of all branches would.
                Err(faults) if faults.are_inside() => closest = closest.or(Some(faults)),
                Err(_) => {}
            }
        }
        Err(closest.unwrap_or_else(|| self.mismatch(id, value)))
    }
}

#[cold]
fn wrong_length(expected: usize, items: &[Value<'_>]) -> Box<Faults> {
    Faults::new(format!("{expected} items"), items.len().to_string())
}

/// Whether an integer's type holds the value.
#[inline]
pub(super) fn holds(int: Int, value: &Value<'_>) -> bool {
    match *value {
        Value::I64(number) => {
            let bits = u32::from(int.bits.min(64));
            if int.signed {
                number >> (bits - 1) == number >> 63
            } else {
                number >= 0 && (bits == 64 || number >> bits == 0)
            }
        }
        // Always above `i64::MAX`.
        Value::U64(_) => int.bits > 64 || int.bits == 64 && !int.signed,
        Value::Number(text) if int.bits > 64 => holds_text(int, text),
        _ => false,
    }
}

/// Whether an integer's type holds the number that a text says.
#[cold]
pub(super) fn holds_text(int: Int, text: &str) -> bool {
    let (bits, signed) = (u32::from(int.bits), int.signed);
    match (text.parse::<i128>(), text.parse::<u128>()) {
        (Ok(number), _) if signed => number >> (bits - 1) == number >> 127,
        (_, Ok(number)) if !signed => bits == 128 || number >> bits == 0,
        _ => false,
    }
}

fn is_integer_where(value: &Value<'_>, test: fn(i128) -> bool) -> bool {
    match *value {
        Value::I64(number) => test(number.into()),
        Value::U64(number) => test(number.into()),
        _ => false,
    }
}

fn is_exact_single(number: i128) -> bool {
    (number as f32) as i128 == number
}

pub(super) fn is_char(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some() && chars.next().is_none()
}
