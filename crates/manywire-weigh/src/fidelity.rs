//! What a value lost on its way through a format and back.

use std::cell::OnceCell;
use std::collections::HashMap;

use manywire_shape::{Arena, Value};
use serde::{Deserialize, Serialize};

/// One thing that did not come back as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// Where it was first seen: `$.hotels[3].name`.
    pub path: String,
    /// What was lost there, in words.
    pub lost: String,
    /// At how many places of that kind, whatever their indices.
    pub places: u64,
}

/// Different kinds of loss listed for one format; a format that loses more has lost the document.
const LOSSES_MAX: usize = 100;

/// Compares a value with what came back. The order of a map's entries does not count: no format
/// promises it.
pub fn losses(before: &Value<'_>, after: &Value<'_>) -> Vec<Loss> {
    let mut comparison = Comparison::default();
    comparison.compare(before, after, &mut Path::default());
    comparison.losses
}

/// Adds the losses of one more payload to those of the ones before it: what was lost in the same
/// way at the same place, whatever its indices, becomes one entry.
pub fn merge(all: &mut Vec<Loss>, more: Vec<Loss>) {
    for loss in more {
        let generic = generic(&loss.path);
        let known = all
            .iter()
            .position(|known| known.lost == loss.lost && self::generic(&known.path) == generic);
        match known {
            Some(index) => all[index].places += loss.places,
            None if all.len() < LOSSES_MAX => all.push(loss),
            None => {}
        }
    }
}

/// A path with every index written `[*]`.
fn generic(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(open) = rest.find('[') {
        let (before, bracket) = rest.split_at(open);
        text.push_str(before);
        let digits = bracket[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        if digits > 0 && bracket[1 + digits..].starts_with(']') {
            text.push_str("[*]");
            rest = &bracket[digits + 2..];
        } else {
            text.push('[');
            rest = &bracket[1..];
        }
    }
    text + rest
}

/// The steps to a place, turned into text only where something was lost.
#[derive(Default)]
struct Path<'a>(Vec<Step<'a>>);

enum Step<'a> {
    Key(Value<'a>),
    Index(usize),
}

impl Path<'_> {
    fn text(&self, indices: bool) -> String {
        let mut text = String::from("$");
        for step in &self.0 {
            match step {
                Step::Index(index) if indices => text.push_str(&format!("[{index}]")),
                Step::Index(_) => text.push_str("[*]"),
                Step::Key(Value::Str(key))
                    if key.chars().all(|c| c.is_alphanumeric() || c == '_') =>
                {
                    text.extend([".", key]);
                }
                Step::Key(Value::Str(key)) => text.push_str(&format!("[{key:?}]")),
                Step::Key(Value::I64(key)) => text.push_str(&format!("{{{key}}}")),
                Step::Key(Value::Bool(key)) => text.push_str(&format!("{{{key}}}")),
                Step::Key(key) => text.push_str(&format!("{{{key:?}}}")),
            }
        }
        text
    }
}

#[derive(Default)]
struct Comparison {
    losses: Vec<Loss>,
    seen: HashMap<(String, String), usize>,
}

impl Comparison {
    fn compare<'a>(&mut self, before: &Value<'a>, after: &Value<'a>, path: &mut Path<'a>) {
        match (before, after) {
            (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
                for (index, (left, right)) in left.iter().zip(*right).enumerate() {
                    path.0.push(Step::Index(index));
                    self.compare(left, right, path);
                    path.0.pop();
                }
            }
            (Value::Array(left), Value::Array(right)) => {
                self.lose(path, format!("{} items came back as {}", left.len(), right.len()));
            }
            (Value::Map(left), Value::Map(right)) => self.compare_entries(left, right, path),
            _ if before == after => {}
            _ => self.lose(path, describe(before, after)),
        }
    }

    fn compare_entries<'a>(
        &mut self,
        left: &[(Value<'a>, Value<'a>)],
        right: &[(Value<'a>, Value<'a>)],
        path: &mut Path<'a>,
    ) {
        let (came, went) = (Entries::of(right), Entries::of(left));
        for (index, (key, value)) in left.iter().enumerate() {
            path.0.push(Step::Key(*key));
            match came.find(index, key) {
                Some(returned) => self.compare(value, returned, path),
                None if matches!(value, Value::Null) => {
                    self.lose(path, "null came back as absent".to_owned())
                }
                None => self.lose(path, format!("{} did not come back", value.kind())),
            }
            path.0.pop();
        }
        for (index, (key, value)) in right.iter().enumerate() {
            if went.find(index, key).is_some() {
                continue;
            }
            path.0.push(Step::Key(*key));
            self.lose(path, format!("absent came back as {}", value.kind()));
            path.0.pop();
        }
    }

    fn lose(&mut self, path: &Path<'_>, lost: String) {
        let key = (path.text(false), lost);
        if let Some(&index) = self.seen.get(&key) {
            self.losses[index].places += 1;
        } else if self.losses.len() < LOSSES_MAX {
            self.losses.push(Loss { path: path.text(true), lost: key.1.clone(), places: 1 });
            self.seen.insert(key, self.losses.len() - 1);
        }
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

/// A value in which every key of a map stands once, the last of its entries winning as readers of
/// JSON have it, with what that lost.
pub(crate) fn without_duplicates<'a>(value: Value<'a>, arena: &'a Arena) -> (Value<'a>, Vec<Loss>) {
    let mut comparison = Comparison::default();
    let value = deduplicate(value, arena, &mut comparison, &mut Path::default());
    (value, comparison.losses)
}

fn deduplicate<'a>(
    value: Value<'a>,
    arena: &'a Arena,
    losses: &mut Comparison,
    path: &mut Path<'a>,
) -> Value<'a> {
    match value {
        Value::Array(items) => {
            let mut changed = Vec::new();
            for (index, item) in items.iter().enumerate() {
                path.0.push(Step::Index(index));
                let once = deduplicate(*item, arena, losses, path);
                path.0.pop();
                if !same_slice(item, &once) {
                    changed.push((index, once));
                }
            }
            if changed.is_empty() {
                return value;
            }
            let items = arena.alloc_slice_copy(items);
            for (index, item) in changed {
                items[index] = item;
            }
            Value::Array(items)
        }
        Value::Map(entries) => deduplicate_entries(value, entries, arena, losses, path),
        other => other,
    }
}

fn deduplicate_entries<'a>(
    value: Value<'a>,
    entries: &'a [(Value<'a>, Value<'a>)],
    arena: &'a Arena,
    losses: &mut Comparison,
    path: &mut Path<'a>,
) -> Value<'a> {
    let last = last_places(entries);
    let mut kept = Vec::with_capacity(entries.len());
    let mut changed = false;
    for (index, (key, inner)) in entries.iter().enumerate() {
        path.0.push(Step::Key(*key));
        if last.as_ref().is_some_and(|last| last[index] != index) {
            losses.lose(path, "duplicate key: the last one was kept".to_owned());
            changed = true;
        } else {
            let once = deduplicate(*inner, arena, losses, path);
            changed |= !same_slice(inner, &once);
            kept.push((*key, once));
        }
        path.0.pop();
    }
    if changed { Value::Map(arena.alloc_slice_copy(&kept)) } else { value }
}

/// For each entry the place of the last entry with its key; `None` if every key stands once.
fn last_places(entries: &[(Value<'_>, Value<'_>)]) -> Option<Vec<usize>> {
    if entries.len() <= FEW_ENTRIES
        && !entries.iter().enumerate().any(|(i, entry)| entries[..i].iter().any(|e| e.0 == entry.0))
    {
        return None;
    }
    let mut last_of = HashMap::with_capacity(entries.len());
    for (index, (key, _)) in entries.iter().enumerate() {
        last_of.insert(KeyText::of(key), index);
    }
    (last_of.len() < entries.len())
        .then(|| entries.iter().map(|(key, _)| last_of[&KeyText::of(key)]).collect())
}

/// Up to this many entries, comparing each with each beats hashing them.
const FEW_ENTRIES: usize = 16;

/// A key as something that hashes.
#[derive(PartialEq, Eq, Hash)]
enum KeyText<'a> {
    Str(&'a str),
    Other(String),
}

impl<'a> KeyText<'a> {
    fn of(key: &Value<'a>) -> Self {
        match key {
            Value::Str(text) => KeyText::Str(text),
            other => KeyText::Other(format!("{other:?}")),
        }
    }
}

/// Whether deduplication left a value as it was: its parts then still stand at the same address.
fn same_slice(before: &Value<'_>, after: &Value<'_>) -> bool {
    match (before, after) {
        (Value::Array(left), Value::Array(right)) => std::ptr::eq(*left, *right),
        (Value::Map(left), Value::Map(right)) => std::ptr::eq(*left, *right),
        _ => true,
    }
}
