use super::{Ext, Value};

/// Sameness, not arithmetic: floats are compared by their bits, so a NaN equals itself, `0.0`
/// differs from `-0.0`, and `1` differs from `1.0`. The order of entries counts.
impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::I64(left), Value::I64(right)) => left == right,
            (Value::U64(left), Value::U64(right)) => left == right,
            (Value::Number(left), Value::Number(right)) => left == right,
            (Value::F32(left), Value::F32(right)) => left.to_bits() == right.to_bits(),
            (Value::F64(left), Value::F64(right)) => left.to_bits() == right.to_bits(),
            (Value::Str(left), Value::Str(right)) => left == right,
            (Value::Bytes(left), Value::Bytes(right)) => left == right,
            (Value::Array(left), Value::Array(right)) => left == right,
            (Value::Map(left), Value::Map(right)) => left == right,
            (Value::Timestamp(left), Value::Timestamp(right)) => left == right,
            (Value::Ext(left), Value::Ext(right)) => left == right,
            _ => false,
        }
    }
}

impl Eq for Value<'_> {}

impl PartialEq for Ext<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.space == other.space && self.code == other.code && self.content == other.content
    }
}

impl Eq for Ext<'_> {}
