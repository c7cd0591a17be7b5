//! Compares two values part by part.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use super::duplicates::KeyText;
use super::{Losses, Tolerance, is_exact_double};
use crate::Value;
use crate::path::{Path, Step};

/// Compares the values before and after at one path.
pub(super) fn values<'a>(
    tolerance: Tolerance,
    before: &Value<'a>,
    after: &Value<'a>,
    path: &mut Path<'a>,
    losses: &mut Losses,
) {
    match (before, after) {
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(*right).enumerate() {
                path.push(Step::Index(index));
                values(tolerance, left, right, path, losses);
                path.pop();
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            losses.add(path, format!("{} items came back as {}", left.len(), right.len()));
        }
        (Value::Map(left), Value::Map(right)) => entries(tolerance, left, right, path, losses),
        _ if before == after => {}
        _ if tolerance.numbers && is_same(before, after) => {}
        _ => losses.add(path, describe(before, after)),
    }
}

fn entries<'a>(
    tolerance: Tolerance,
    left: &[(Value<'a>, Value<'a>)],
    right: &[(Value<'a>, Value<'a>)],
    path: &mut Path<'a>,
    losses: &mut Losses,
) {
    let (after, before) = (Entries::of(right), Entries::of(left));
    for (index, (key, value)) in left.iter().enumerate() {
        path.push(Step::Key(*key));
        let returned = after.find(index, key).or_else(|| {
            let (typed, returned) = after.find_typed(key)?;
            if before.find_anywhere(&KeyText::of(&typed)).is_some() {
                losses.add(path, "a key that is text came back as another key");
            } else if !tolerance.keys {
                losses.add(path, format!("a key that is text came back as {}", typed.kind()));
            }
            Some(returned)
        });
        match returned {
            Some(returned) => values(tolerance, value, returned, path, losses),
            // Only fields may be absent, and their names are text.
            None if tolerance.absence && is_text(key) && is_empty_value(value) => {}
            None if matches!(value, Value::Null) => losses.add(path, "null came back as absent"),
            None => losses.add(path, format!("{} did not come back", value.kind())),
        }
        path.pop();
    }
    for (index, (key, value)) in right.iter().enumerate() {
        let tolerated = tolerance.defaults || tolerance.absence && is_empty_value(value);
        if tolerated || before.find(index, key).is_some() || before.has_text_of(key) {
            continue;
        }
        path.push(Step::Key(*key));
        losses.add(path, format!("absent came back as {}", value.kind()));
        path.pop();
    }
}

fn is_text(key: &Value<'_>) -> bool {
    matches!(key, Value::Str(_))
}

/// Returns whether Protocol Buffers or Avro may write the value as an absent field: whether it is
/// null, false, zero or empty, or a map of only such values.
fn is_empty_value(value: &Value<'_>) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::I64(0) | Value::Long(0) => true,
        Value::F64(number) => *number == 0.0,
        Value::F32(number) => *number == 0.0,
        Value::Str(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Map(entries) => entries.iter().all(|entry| is_empty_value(&entry.1)),
        _ => false,
    }
}

/// The entries of a map, with lookup by key.
struct Entries<'m, 'a> {
    entries: &'m [(Value<'a>, Value<'a>)],
    // The index is built when the first key is not at its former index, so formats that keep the
    // order build none.
    index_of: OnceCell<HashMap<KeyText<'a>, usize>>,
}

impl<'m, 'a> Entries<'m, 'a> {
    fn of(entries: &'m [(Value<'a>, Value<'a>)]) -> Self {
        Entries { entries, index_of: OnceCell::new() }
    }

    /// Returns the value of a key that is at `index` on the other side.
    fn find(&self, index: usize, key: &Value<'a>) -> Option<&'m Value<'a>> {
        if let Some((_, value)) = self.entries.get(index).filter(|entry| entry.0 == *key) {
            return Some(value);
        }
        self.find_anywhere(&KeyText::of(key))
    }

    fn find_anywhere(&self, key: &KeyText<'_>) -> Option<&'m Value<'a>> {
        let indexes: &HashMap<KeyText<'_>, usize> = self.index_of.get_or_init(|| {
            let indexes = self.entries.iter().enumerate().rev();
            indexes.map(|(index, (key, _))| (KeyText::of(key), index)).collect()
        });
        Some(&self.entries[*indexes.get(key)?].1)
    }

    /// Returns the integer or boolean that a key's text stands for, and its value.
    #[cold]
    fn find_typed(&self, key: &Value<'a>) -> Option<(Value<'a>, &'m Value<'a>)> {
        let Value::Str(text) = key else { return None };
        let typed = Value::from_key_text(text)?;
        let found = self.find_anywhere(&KeyText::of(&typed))?;
        Some((typed, found))
    }

    /// Returns whether there is a key that is the text of this one.
    #[cold]
    fn has_text_of(&self, key: &Value<'a>) -> bool {
        let text = match key {
            Value::Str(_) => None,
            Value::Number(text) => Some(Cow::Borrowed(*text)),
            other => other.key_text(),
        };
        text.is_some_and(|text| self.find_anywhere(&KeyText::Str(&text)).is_some())
    }
}

fn describe(before: &Value<'_>, after: &Value<'_>) -> String {
    match (before, after) {
        (Value::F32(left), Value::F64(right)) if f64::from(*left).to_bits() == right.to_bits() => {
            "a 32-bit float came back as 64-bit".to_owned()
        }
        (Value::F64(_), Value::F64(_)) | (Value::F32(_), Value::F32(_)) => {
            "a float came back changed".to_owned()
        }
        (left, right) if left.kind() == right.kind() => {
            format!("{} came back changed", left.kind())
        }
        (left, right) => format!("{} came back as {}", left.kind(), right.kind()),
    }
}

/// Returns whether two values are the same number, of any types. The sign of zero matters.
pub(super) fn is_same(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (*left, *right) {
        (Value::F32(narrow), Value::F64(wide)) | (Value::F64(wide), Value::F32(narrow)) => {
            f64::from(narrow).to_bits() == wide.to_bits()
                || (narrow.is_nan() && wide.is_nan())
                // Rust writes the shortest digits that read back as the same float.
                || narrow.to_string() == wide.to_string()
        }
        (Value::F64(left), Value::F64(right)) => left.is_nan() && right.is_nan(),
        (Value::F32(left), Value::F32(right)) => left.is_nan() && right.is_nan(),
        (Value::Number(left), Value::Number(right)) => {
            decimal(left).is_some_and(|left| decimal(right).is_some_and(|right| left == right))
        }
        (Value::Number(text), Value::F64(float)) | (Value::F64(float), Value::Number(text)) => {
            text.parse().is_ok_and(|nearest: f64| nearest.to_bits() == float.to_bits())
                && is_exact_double(text)
        }
        (left, right) => {
            let integer = integer_of(left).or(integer_of(right));
            let float = float_of(left).or(float_of(right));
            integer.zip(float).is_some_and(|(integer, float)| is_exactly(float, integer))
        }
    }
}

fn integer_of(value: Value<'_>) -> Option<i128> {
    match value {
        Value::I64(number) | Value::Long(number) => Some(number.into()),
        Value::U64(number) => Some(number.into()),
        _ => None,
    }
}

fn float_of(value: Value<'_>) -> Option<f64> {
    match value {
        Value::F64(number) => Some(number),
        Value::F32(number) => Some(number.into()),
        _ => None,
    }
}

fn is_exactly(float: f64, integer: i128) -> bool {
    // The cast saturates far beyond 64 bits, and is exact for numbers without a fraction.
    float.fract() == 0.0 && float as i128 == integer && (integer != 0 || float.is_sign_positive())
}

/// Parses decimal text: returns whether it is negative, its digits from the first to the last that
/// is not zero, and the power of ten of the last digit. Returns `None` if the exponent overflows.
fn decimal(text: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat();
    let digits = digits.trim_start_matches(['-', '+']).trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len() - significant.len()).ok()?;
    let exponent: i64 = exponent.parse().ok()?;
    let exponent = exponent.checked_add(zeros)?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let exponent = if significant.is_empty() { 0 } else { exponent };
    Some((text.starts_with('-'), significant.to_owned(), exponent))
}
