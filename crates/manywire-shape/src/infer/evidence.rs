use std::fmt;

use super::counts::{Counts, Kind};
use super::group::Why;
use crate::Value;

/// Longer texts are cut, in characters.
const EXAMPLE_CHARS_MAX: usize = 32;

/// What was seen in one place of a shape: why its node is what it is.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Where, as a JSONPath (RFC 9535): `$.hotels[*].name`, and `.*` for the values of a map.
    pub path: String,
    /// How many values were seen, nulls among them.
    pub seen: u64,
    /// For a field: how many objects lacked it. For other places 0.
    pub absent: u64,
    /// For a field: how many objects had it more than once. For other places 0.
    pub repeats: u64,
    /// How many values of each kind were seen, in the order of [`Kind::ALL`], none of them 0.
    pub kinds: Vec<(Kind, u64)>,
    /// The least and the greatest integer.
    pub integers: Option<(i128, i128)>,
    /// How many integers are no 64-bit float exactly.
    pub inexact: u64,
    /// Lengths of texts, in bytes.
    pub text: Option<Lengths>,
    /// Lengths of byte strings.
    pub bytes: Option<Lengths>,
    /// Lengths of arrays, in items.
    pub items: Option<Lengths>,
    /// The keys of objects.
    pub objects: Option<Objects>,
    /// Whether something was nested too deep or was too much to be looked into.
    pub truncated: bool,
    /// The first value of each kind.
    pub examples: Vec<Example>,
}

/// How long texts, bytes or arrays were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// The shortest; what passes 2³² - 1 counts as that.
    pub min: u32,
    /// The longest; what passes 2³² - 1 counts as that.
    pub max: u32,
    /// All together.
    pub total: u64,
}

/// The keys of the objects of one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Objects {
    /// Distinct keys; none where they were too many to be kept.
    pub keys: Option<usize>,
    /// Keys that one object alone had; none where they were not kept.
    pub once: Option<usize>,
    /// Why the objects are a map, if they are.
    pub map: Option<Why>,
}

/// The first value of a kind in a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its kind.
    pub kind: Kind,
    /// The sample it stood in, counted from 0.
    pub sample: u64,
    /// The value as text, shortened; empty for containers.
    pub text: String,
}

impl Example {
    #[cold]
    pub(super) fn new(kind: Kind, sample: u64, value: &Value<'_>) -> Self {
        let text = match value {
            Value::Null => String::from("null"),
            Value::Bool(value) => value.to_string(),
            Value::I64(value) => value.to_string(),
            Value::U64(value) => value.to_string(),
            Value::F32(value) => format!("{value:?}"),
            Value::F64(value) => format!("{value:?}"),
            Value::Number(text) => text.chars().take(EXAMPLE_CHARS_MAX).collect(),
            Value::Str(text) => {
                let head: String = text.chars().take(EXAMPLE_CHARS_MAX).collect();
                let more = if head.len() < text.len() { "…" } else { "" };
                format!("{head:?}{more}")
            }
            Value::Timestamp(time) => format!("{}.{:09} s", time.seconds, time.nanoseconds),
            Value::Bytes(_) | Value::Ext(_) | Value::Array(_) | Value::Map(_) => String::new(),
        };
        Example { kind, sample, text }
    }

    pub(super) fn later(self, samples: u64) -> Self {
        Example { sample: self.sample + samples, ..self }
    }
}

impl Evidence {
    pub(super) fn new(path: &str, counts: &Counts, mut examples: Vec<Example>) -> Self {
        let lengths = |kind, range: &super::counts::Range| {
            let Range { min, max, total } = *range;
            (counts.of(kind) > 0).then_some(Lengths { min, max, total })
        };
        use super::counts::Range;
        examples.sort_by_key(|example| (example.kind, example.sample));
        examples.dedup_by_key(|example| example.kind);
        let kinds = Kind::ALL.iter().map(|kind| (*kind, counts.of(*kind)));
        Evidence {
            path: path.to_owned(),
            seen: counts.seen(),
            absent: 0,
            repeats: 0,
            kinds: kinds.filter(|(_, count)| *count > 0).collect(),
            integers: (counts.of(Kind::Int) > 0).then(|| counts.ints.range()),
            inexact: counts.ints.inexact,
            text: lengths(Kind::Str, &counts.text),
            bytes: lengths(Kind::Bytes, &counts.bytes),
            items: lengths(Kind::Array, &counts.items),
            objects: None,
            truncated: counts.unknown,
            examples,
        }
    }
}

/// One line: the path, what was seen, how often it was missing.
impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} seen", self.path, self.seen)?;
        for (index, (kind, count)) in self.kinds.iter().enumerate() {
            write!(f, "{} {count} {}", if index == 0 { ":" } else { "," }, kind.word())?;
        }
        if self.absent > 0 {
            write!(f, "; absent {} times", self.absent)?;
        }
        if self.repeats > 0 {
            write!(f, "; repeated {} times", self.repeats)?;
        }
        if let Some((min, max)) = self.integers {
            write!(f, "; integers {min} to {max}")?;
        }
        let lengths = [("texts", "bytes", self.text), ("bytes", "bytes", self.bytes)];
        for (what, unit, lengths) in lengths.into_iter().chain([("arrays", "items", self.items)]) {
            if let Some(Lengths { min, max, .. }) = lengths {
                write!(f, "; {what} of {min} to {max} {unit}")?;
            }
        }
        if let Some(objects) = self.objects {
            match objects.keys {
                Some(keys) => write!(f, "; {keys} keys")?,
                None => f.write_str("; keys not kept")?,
            }
            if let Some(why) = objects.map {
                write!(f, "; a map: {why}")?;
            }
        }
        if self.truncated {
            f.write_str("; not all of it was looked into")?;
        }
        for example in self.examples.iter().filter(|example| !example.text.is_empty()) {
            write!(f, "; sample {}: {}", example.sample, example.text)?;
        }
        Ok(())
    }
}
