use std::cell::OnceCell;
use std::collections::HashMap;

use super::duplicates::KeyText;
use super::{Losses, Path, Step, Tolerance, number};
use crate::Value;

/// Compares the values at a place before and after.
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
        _ if tolerance.numbers && number::is_same(before, after) => {}
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
    let (came, went) = (Entries::of(right), Entries::of(left));
    for (index, (key, value)) in left.iter().enumerate() {
        path.push(Step::Key(*key));
        match came.find(index, key) {
            Some(returned) => values(tolerance, value, returned, path, losses),
            None if tolerance.absence && is_nothing(value) => {}
            None if matches!(value, Value::Null) => losses.add(path, "null came back as absent"),
            None => losses.add(path, format!("{} did not come back", value.kind())),
        }
        path.pop();
    }
    for (index, (key, value)) in right.iter().enumerate() {
        let tolerated = tolerance.absence && is_nothing(value);
        if tolerated || went.find(index, key).is_some() {
            continue;
        }
        path.push(Step::Key(*key));
        losses.add(path, format!("absent came back as {}", value.kind()));
        path.pop();
    }
}

/// Whether a value is what the absence of a field stands for in Protocol Buffers and Avro: null,
/// zero, nothing in it.
fn is_nothing(value: &Value<'_>) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::I64(0) => true,
        Value::F64(number) => *number == 0.0,
        Value::F32(number) => *number == 0.0,
        Value::Str(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Map(entries) => entries.iter().all(|entry| is_nothing(&entry.1)),
        _ => false,
    }
}

/// The entries of a map, found by key.
struct Entries<'m, 'a> {
    entries: &'m [(Value<'a>, Value<'a>)],
    // Made when the first key is not where it was: formats that keep the order never pay for it.
    places: OnceCell<HashMap<KeyText<'a>, usize>>,
}

impl<'m, 'a> Entries<'m, 'a> {
    fn of(entries: &'m [(Value<'a>, Value<'a>)]) -> Self {
        Entries { entries, places: OnceCell::new() }
    }

    /// The value of a key that stood at `index` on the other side.
    fn find(&self, index: usize, key: &Value<'a>) -> Option<&'m Value<'a>> {
        if let Some((_, value)) = self.entries.get(index).filter(|entry| entry.0 == *key) {
            return Some(value);
        }
        let places = self.places.get_or_init(|| {
            let places = self.entries.iter().enumerate().rev();
            places.map(|(place, (key, _))| (KeyText::of(key), place)).collect()
        });
        Some(&self.entries[*places.get(&KeyText::of(key))?].1)
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
