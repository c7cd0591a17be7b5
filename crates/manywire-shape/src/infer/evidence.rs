//! The evidence for each node of an inferred shape: counts, ranges, lengths, examples, and the reasons
//! why objects are maps.

use std::fmt;

use super::counts::{Counts, Lengths, SampleKind};
use crate::Value;

/// The maximum length of an example text, in characters. Longer texts are cut.
const EXAMPLE_CHARS_MAX: usize = 32;

/// The evidence for one node of an inferred shape: the statistics that it was derived from.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The path as a JSONPath (RFC 9535): `$.hotels[*].name`, and `.*` for the values of a map.
    pub path: String,
    /// The number of values, including nulls.
    pub seen: u64,
    /// The number of objects that lacked the field; 0 for other nodes.
    pub absent: u64,
    /// The number of duplicates of the field within objects; 0 for other nodes.
    pub repeats: u64,
    /// The number of values of each kind, in the order of [`SampleKind::ALL`], without kinds that did not
    /// occur.
    pub kinds: Vec<(SampleKind, u64)>,
    /// The smallest and the largest integer.
    pub integers: Option<(i128, i128)>,
    /// The number of integers that no 64-bit float holds exactly.
    pub inexact: u64,
    /// Lengths of texts, in bytes.
    pub text: Option<Lengths>,
    /// Lengths of byte strings.
    pub bytes: Option<Lengths>,
    /// Lengths of arrays, in items.
    pub items: Option<Lengths>,
    /// The keys of objects.
    pub objects: Option<Objects>,
    /// True if some values were not profiled, because they were nested too deep or were too many.
    pub truncated: bool,
    /// The first value of each kind.
    pub examples: Vec<Example>,
}

/// The keys of the objects of one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Objects {
    /// The number of distinct keys; `None` if there were too many to keep.
    pub keys: Option<usize>,
    /// The number of keys that only one object had; `None` if the keys were not kept.
    pub once: Option<usize>,
    /// The reason why the objects are a map, if they are.
    pub map: Option<MapReason>,
}

/// The reason why objects are a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapReason {
    /// A key was not text.
    NonTextKeys,
    /// The keys were too many or too long, or the profiles too many.
    BeyondBounds,
    /// Every key is a number.
    Numbers,
    /// The keys look like identifiers.
    Identifiers,
    /// Many keys were seen once, so further keys are likely.
    Churn,
}

impl fmt::Display for MapReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MapReason::NonTextKeys => "keys that are not text",
            MapReason::BeyondBounds => "too many keys to be fields",
            MapReason::Numbers => "keys that are numbers",
            MapReason::Identifiers => "keys that look like identifiers",
            MapReason::Churn => "keys that differ between objects",
        })
    }
}

/// The first value of a kind at one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The kind of the value.
    pub kind: SampleKind,
    /// The index of its sample, from 0.
    pub sample: u64,
    /// The value as text, shortened; empty for containers.
    pub text: String,
}

impl Example {
    #[cold]
    pub(super) fn new(kind: SampleKind, sample: u64, value: &Value<'_>) -> Self {
        let text = match value {
            Value::Null => String::from("null"),
            Value::Bool(value) => value.to_string(),
            Value::I64(value) | Value::Long(value) => value.to_string(),
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
        let lengths = |kind, lengths: Lengths| (counts.get(kind) > 0).then_some(lengths);
        examples.sort_by_key(|example| (example.kind, example.sample));
        examples.dedup_by_key(|example| example.kind);
        let kinds = SampleKind::ALL.iter().map(|kind| (*kind, counts.get(*kind)));
        Evidence {
            path: path.to_owned(),
            seen: counts.total(),
            absent: 0,
            repeats: 0,
            kinds: kinds.filter(|(_, count)| *count > 0).collect(),
            integers: (counts.get(SampleKind::Int) > 0).then(|| counts.ints.range()),
            inexact: counts.ints.inexact,
            text: lengths(SampleKind::Str, counts.text),
            bytes: lengths(SampleKind::Bytes, counts.bytes),
            items: lengths(SampleKind::Array, counts.items),
            objects: None,
            truncated: counts.unknown,
            examples,
        }
    }
}

/// Writes one line: the path, the kinds of values, and how often the field was missing.
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
        for (what, unit, lengths) in [
            ("texts", "bytes", self.text),
            ("bytes", "bytes", self.bytes),
            ("arrays", "items", self.items),
        ] {
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
            f.write_str("; some values were not examined")?;
        }
        for example in self.examples.iter().filter(|example| !example.text.is_empty()) {
            write!(f, "; sample {}: {}", example.sample, example.text)?;
        }
        Ok(())
    }
}
