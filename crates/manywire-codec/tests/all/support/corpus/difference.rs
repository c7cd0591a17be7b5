//! Compares a value with its round trip, except for the losses of the format.

use manywire_format::{Format, IntegerRange, SchemaNeeds};
use manywire_shape::{Node, NodeId, Presence, Shape, Value};

/// The losses of a format. Any other difference is a fault.
struct Losses {
    /// Compares a 32-bit float with the double that a format with one width reads back.
    single: fn(f32, f64) -> bool,
    /// Integers beyond 64 bits, up to 128, are read back as 16 bytes, which is how typed ones are
    /// written.
    wide: bool,
    /// Records are read back in the order of the shape's fields, and null in a field that is both
    /// optional and nullable is read back as absent.
    records: bool,
    /// The last of two equal keys is read back, as in JSON readers.
    last_of_two: bool,
    /// Numbers are read back as the shape's float, which represents them exactly.
    numbers: bool,
}

fn losses(format: Format) -> Losses {
    let row = format.row();
    Losses {
        single: match (row.holds.narrow_floats, row.text) {
            (true, _) => |_, _| false,
            // The shortest text of a single may be nearer to another double.
            (false, true) => |single, double| double as f32 == single,
            (false, false) => |single, double| same_float(single.into(), double),
        },
        wide: row.holds.integers == IntegerRange::BytesOf128,
        records: row.schema != SchemaNeeds::InBand,
        last_of_two: row.schema == SchemaNeeds::FieldOrder,
        numbers: row.schema == SchemaNeeds::Shape,
    }
}

/// Returns a description of the first difference beyond the losses of the format.
pub(crate) fn difference(
    format: Format,
    shape: &Shape,
    before: &Value<'_>,
    after: &Value<'_>,
) -> Result<(), String> {
    Comparison { losses: losses(format), shape }.compare(shape.root(), before, after)
}

struct Comparison<'s> {
    losses: Losses,
    shape: &'s Shape,
}

impl Comparison<'_> {
    fn compare(&self, at: NodeId, before: &Value<'_>, after: &Value<'_>) -> Result<(), String> {
        if before == after {
            return Ok(());
        }
        let at = self.branch(at, before);
        let same = match (self.shape.node(at), before, after) {
            (Node::F64, Value::I64(int), Value::F64(float)) if self.losses.numbers => {
                *float as i128 == i128::from(*int) && !(*int == 0 && float.is_sign_negative())
            }
            (Node::F64, Value::U64(int), Value::F64(float)) if self.losses.numbers => {
                *float as i128 == i128::from(*int)
            }
            (Node::F64, Value::F32(single), Value::F64(float)) if self.losses.numbers => {
                same_float(f64::from(*single), *float)
            }
            (_, Value::F32(single), Value::F64(double)) => (self.losses.single)(*single, *double),
            (_, Value::Number(text), Value::Bytes(bytes)) if self.losses.wide => {
                text.parse().map(i128::to_be_bytes).is_ok_and(|wide| *bytes == wide)
            }
            (node, Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
                for (index, (before, after)) in before.iter().zip(*after).enumerate() {
                    let item = match node {
                        Node::Array(array) => array.item,
                        _ => at,
                    };
                    self.compare(item, before, after).map_err(|e| format!("[{index}]{e}"))?;
                }
                true
            }
            (Node::Record(record), Value::Map(before), Value::Map(after))
                // A record that kept its names, in a union, also kept its order.
                if self.losses.records && !have_the_same_keys(before, after) =>
            {
                return self.compare_records(record, before, after);
            }
            (node, Value::Map(before), Value::Map(after)) if before.len() == after.len() => {
                for ((key, before), (returned, after)) in before.iter().zip(*after) {
                    let (keys, values) = match node {
                        Node::Map { key, value } => (*key, *value),
                        Node::Record(record) => {
                            let field = record.fields.iter().find(
                                |field| matches!(key, Value::Str(name) if *name == field.name),
                            );
                            (at, field.map_or(at, |field| field.node))
                        }
                        _ => (at, at),
                    };
                    self.compare(keys, key, returned).map_err(|e| format!(" (a key){e}"))?;
                    self.compare(values, before, after).map_err(|e| format!("[{key:?}]{e}"))?;
                }
                true
            }
            _ => false,
        };
        if same { Ok(()) } else { Err(format!(": {before:?} came back as {after:?}")) }
    }

    fn compare_records(
        &self,
        record: &manywire_shape::Record,
        before: &[(Value<'_>, Value<'_>)],
        after: &[(Value<'_>, Value<'_>)],
    ) -> Result<(), String> {
        let mut left = after;
        for field in &record.fields {
            let held = |entries: &[(Value<'_>, Value<'_>)]| {
                entries.iter().filter(|(key, _)| *key == Value::Str(&field.name)).count()
            };
            let before = match held(before) {
                0 => None,
                count if count == 1 || self.losses.last_of_two => {
                    before.iter().rfind(|(key, _)| *key == Value::Str(&field.name))
                }
                count => return Err(format!(": {count} entries {:?} were taken", field.name)),
            };
            let merged = field.presence == Presence::Optional && self.may_be_null(field.node);
            match (before, left.split_first()) {
                (Some((key, before)), Some(((returned, after), rest))) if key == returned => {
                    self.compare(field.node, before, after)
                        .map_err(|e| format!(".{}{e}", field.name))?;
                    left = rest;
                }
                (Some((_, Value::Null)), _) if merged => {}
                (Some(_), _) => {
                    return Err(format!(": {:?} is not where it belongs in {after:?}", field.name));
                }
                (None, _) => {}
            }
        }
        match left {
            [] => Ok(()),
            more => Err(format!(": {more:?} came back beside what was there")),
        }
    }

    /// Returns the node within options and unions for a value.
    fn branch(&self, at: NodeId, value: &Value<'_>) -> NodeId {
        match self.shape.node(at) {
            Node::Option(inner) => self.branch(*inner, value),
            // An integer is a float only if there is no branch for integers.
            Node::Union(branches) => {
                let branches = || branches.iter().map(|branch| self.branch(*branch, value));
                let float = |at: &NodeId| matches!(self.shape.node(*at), Node::F64);
                let number = matches!(value, Value::I64(_) | Value::U64(_));
                branches()
                    .find(|branch| self.takes(*branch, value))
                    .or_else(|| branches().find(|branch| number && float(branch)))
                    .unwrap_or(at)
            }
            _ => at,
        }
    }

    fn takes(&self, at: NodeId, value: &Value<'_>) -> bool {
        match value {
            Value::I64(_) | Value::U64(_) => matches!(self.shape.node(at), Node::Int(_)),
            Value::F32(_) | Value::F64(_) => matches!(self.shape.node(at), Node::F32 | Node::F64),
            Value::Array(_) => matches!(self.shape.node(at), Node::Array(_)),
            Value::Map(_) => matches!(self.shape.node(at), Node::Map { .. } | Node::Record(_)),
            _ => false,
        }
    }

    fn may_be_null(&self, at: NodeId) -> bool {
        match self.shape.node(at) {
            Node::Null | Node::Option(_) | Node::Any => true,
            Node::Union(branches) => branches.iter().any(|branch| self.may_be_null(*branch)),
            _ => false,
        }
    }
}

fn have_the_same_keys(before: &[(Value<'_>, Value<'_>)], after: &[(Value<'_>, Value<'_>)]) -> bool {
    before.len() == after.len() && before.iter().zip(after).all(|(left, right)| left.0 == right.0)
}

fn same_float(before: f64, after: f64) -> bool {
    before.to_bits() == after.to_bits() || before.is_nan() && after.is_nan()
}
