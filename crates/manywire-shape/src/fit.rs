//! Checks whether values fit a shape, and reports where they do not.

use std::fmt;

use crate::path::KeyStep;
use crate::{
    Array, Enum, Field, Int, Node, NodeId, Presence, Record, Shape, Tagging, Value, Variant,
    VariantKind,
};

/// The maximum nesting depth of values. Deeper values fit only [`Node::Any`].
const DEPTH_MAX: usize = 512;

/// One part of a value that does not fit a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The path in the value: `$.hotels[3].name`.
    pub path: String,
    /// The type that the shape requires.
    pub expected: String,
    /// The value that was found.
    pub found: String,
    /// True if an array was found where a record or a tagged variant is required: the value may be
    /// in a layout that has arrays of fields.
    pub is_positional: bool,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.path, self.expected, self.found)
    }
}

impl std::error::Error for Misfit {}

/// Checks that a value fits a shape.
///
/// Names are checked strictly: an entry that is not a field of a record fits only a record with
/// `rest`. An integer fits a float that holds it exactly. A 64-bit float fits a 32-bit float within
/// its range; rounding is not checked. The text of an integer or a boolean fits the keys of a map
/// of such keys, because JSON has no other keys; see [`Value::from_key_text`].
///
/// # Errors
///
/// Returns the first misfit, in the order of the value.
pub fn fits(shape: &Shape, value: &Value<'_>) -> Result<(), Misfit> {
    let matcher = Matcher { shape, limit: None };
    matcher.node(shape.root(), value, 0).map_err(|faults| faults.first().misfit())
}

/// Returns whether a value fits a node of a shape, by the rules of [`fits`].
pub(crate) fn fits_node(shape: &Shape, id: NodeId, value: &Value<'_>) -> bool {
    Matcher { shape, limit: None }.node(id, value, 0).is_ok()
}

/// All misfits of a value, by the rules of [`fits`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Misfits {
    /// The first misfits, in the order of the value.
    pub named: Vec<Misfit>,
    /// The number of further misfits.
    pub more: u64,
}

impl Misfits {
    /// Returns the misfits of a value. At most `named_max` of them, but at least one, are in
    /// `named`.
    ///
    /// A value that fits no branch of a union counts as one misfit, or as the misfits inside it by
    /// the first branch of its kind.
    pub fn of(shape: &Shape, value: &Value<'_>, named_max: usize) -> Misfits {
        let matcher = Matcher { shape, limit: Some(named_max.max(1)) };
        match matcher.node(shape.root(), value, 0) {
            Ok(()) => Misfits::default(),
            Err(faults) => {
                let Faults { named, more } = *faults;
                Misfits { named: named.into_iter().map(Fault::misfit).collect(), more }
            }
        }
    }

    /// Returns whether the value fits.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// Returns the number of all misfits.
    pub fn count(&self) -> u64 {
        self.named.len() as u64 + self.more
    }
}

type Result<T, E = Box<Faults>> = std::result::Result<T, E>;

/// Checks values against a shape.
#[derive(Clone, Copy)]
struct Matcher<'s> {
    shape: &'s Shape,
    /// The number of faults to collect; `None` stops at the first.
    limit: Option<usize>,
}

impl<'s> Matcher<'s> {
    /// Checks a value at this depth against a node.
    fn node(self, id: NodeId, value: &Value<'_>, depth: usize) -> Result<()> {
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
            // Beyond the range of an `f32` the value would become infinite.
            (Node::F32, Value::F64(float)) if !float.is_finite() || (*float as f32).is_finite() => {
                Ok(())
            }
            (Node::Char, Value::Str(text)) if is_char(text) => Ok(()),
            // Options count as levels, because a type may be an option of itself.
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
            (Node::Record(record), Value::Map(entries)) => {
                self.record(record, entries, None, depth)
            }
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

    /// Checks each item against the node at the same index. There must be as many items as nodes.
    fn tuple(self, parts: &[NodeId], items: &[Value<'_>], depth: usize) -> Result<()> {
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
        let mut faults_so_far = FaultCollector::default();
        for (at, item) in items.iter().enumerate() {
            if let Err(faults) = self.node(node(at), item, depth + 1) {
                faults_so_far.add(self, faults.under_index(at))?;
            }
        }
        faults_so_far.end()
    }

    fn map(
        self,
        key: NodeId,
        value: NodeId,
        entries: &[(Value<'_>, Value<'_>)],
        depth: usize,
    ) -> Result<()> {
        let mut faults_so_far = FaultCollector::default();
        for (name, content) in entries {
            if let Err(faults) = self.key(key, name, depth) {
                faults_so_far.add(self, faults)?;
            }
            if let Err(faults) = self.node(value, content, depth + 1) {
                faults_so_far.add(self, faults.under(name))?;
            }
        }
        faults_so_far.end()
    }

    /// Checks a value against the branches of a union. No two branches have the same kind, but a
    /// float may also hold an integer, and an enum may be text or a map.
    fn union(self, id: NodeId, branches: &[NodeId], value: &Value<'_>, depth: usize) -> Result<()> {
        let mut closest = None;
        for branch in branches {
            match self.node(*branch, value, depth + 1) {
                Ok(()) => return Ok(()),
                // A fault inside the value comes from the branch of its kind, and is more precise
                // than a list of all branches.
                Err(faults) if faults.are_nested() => closest = closest.or(Some(faults)),
                Err(_) => {}
            }
        }
        Err(closest.unwrap_or_else(|| self.mismatch(id, value)))
    }

    /// Checks the map of a record. `tag` is the key of one more entry, which names the variant.
    fn record(
        self,
        record: &Record,
        entries: &[(Value<'_>, Value<'_>)],
        tag: Option<&str>,
        depth: usize,
    ) -> Result<()> {
        let fields = &record.fields;
        let mut seen = SeenFields::new(fields.len());
        let mut next = 0;
        let mut faults_so_far = FaultCollector::default();
        for (key, value) in entries {
            let name = match key {
                Value::Str(name) => *name,
                _ => {
                    let found = describe(key);
                    faults_so_far.add(self, Faults::new("a key that is text", found))?;
                    continue;
                }
            };
            let node = if let Some(at) = find_field(fields, next, name) {
                seen.mark(at);
                next = at + 1;
                fields[at].node
            } else if tag == Some(name) {
                continue;
            } else if let Some(rest) = record.rest {
                rest
            } else {
                faults_so_far.add(self, unknown(record, name))?;
                continue;
            };
            if let Err(faults) = self.node(node, value, depth + 1) {
                faults_so_far.add(self, faults.under_key(name))?;
            }
        }
        for (at, field) in fields.iter().enumerate() {
            if field.presence == Presence::Required && !seen.has(at) {
                faults_so_far.add(self, absent(&field.name))?;
            }
        }
        faults_so_far.end()
    }

    /// Checks a value against an enum, tagged as serde tags it.
    fn sum(self, id: NodeId, sum: &Enum, value: &Value<'_>, depth: usize) -> Result<()> {
        match (&sum.tagging, value) {
            (Tagging::External, Value::Str(name)) => {
                let variant = find_variant(sum, name)?;
                match variant.kind {
                    VariantKind::Unit => Ok(()),
                    _ => Err(Faults::new(format!("the content of {name:?}"), "its name alone")),
                }
            }
            (Tagging::External, Value::Map([(key @ Value::Str(name), content)])) => {
                let variant = find_variant(sum, name)?;
                self.content(variant, content, depth).map_err(|fault| fault.under(key))
            }
            (Tagging::Internal { tag }, Value::Map(entries)) => {
                let variant = find_variant(sum, tag_of(tag, value)?)?;
                match variant.kind {
                    VariantKind::Unit | VariantKind::Tuple(_) => Ok(()),
                    VariantKind::Newtype(inner) | VariantKind::Struct(inner) => {
                        let node = self.shape.node(inner);
                        if let Node::Record(record) = node {
                            return self.record(record, entries, Some(tag), depth);
                        }
                        let content = without_tag(tag, entries);
                        match node {
                            // Serde writes nothing but the tag for a newtype of the unit.
                            Node::Null if content.is_empty() => Ok(()),
                            _ => self.node(inner, &Value::Map(&content), depth + 1),
                        }
                    }
                }
            }
            (Tagging::Adjacent { tag, content }, Value::Map(_)) => {
                let variant = find_variant(sum, tag_of(tag, value)?)?;
                match (value.get(content), &variant.kind) {
                    (None, VariantKind::Unit) => Ok(()),
                    (None, _) => Err(absent(content)),
                    (Some(inner), _) => self
                        .content(variant, &inner, depth)
                        .map_err(|fault| fault.under_key(content)),
                }
            }
            _ => Err(self.mismatch(id, value)),
        }
    }

    fn content(self, variant: &Variant, content: &Value<'_>, depth: usize) -> Result<()> {
        match (&variant.kind, content) {
            (VariantKind::Unit, Value::Null) => Ok(()),
            (VariantKind::Unit, _) => Err(Faults::new("null", describe(content))),
            (VariantKind::Newtype(inner) | VariantKind::Struct(inner), _) => {
                self.node(*inner, content, depth + 1)
            }
            (VariantKind::Tuple(parts), Value::Array(items)) => self.tuple(parts, items, depth + 1),
            (VariantKind::Tuple(_), _) => Err(Faults::new("an array", describe(content))),
        }
    }

    /// Checks the key of a map. In JSON every key is text, so text may represent an integer or a
    /// boolean.
    fn key(self, id: NodeId, key: &Value<'_>, depth: usize) -> Result<()> {
        let fits = match (self.shape.node(id), key) {
            (Node::Str | Node::Any, Value::Str(_)) => true,
            (Node::Int(int), Value::Str(text)) => {
                Value::from_key_text(text).is_some_and(|number| holds(*int, &number))
            }
            (Node::Bool, Value::Str(text)) => {
                matches!(Value::from_key_text(text), Some(Value::Bool(_)))
            }
            _ => return self.node(id, key, depth + 1),
        };
        if fits { Ok(()) } else { Err(Faults::new(self.expected(id), describe(key))) }
    }

    #[cold]
    fn mismatch(self, id: NodeId, value: &Value<'_>) -> Box<Faults> {
        let mut faults = Faults::new(self.expected(id), describe(value));
        let is_positional = matches!(value, Value::Array(_)) && self.takes_fields(id);
        faults.named.iter_mut().for_each(|fault| fault.is_positional = is_positional);
        faults
    }

    /// Returns whether a node or a branch of it is a record or a tagged variant. The options above
    /// it were resolved already.
    fn takes_fields(self, id: NodeId) -> bool {
        let takes = |id: &NodeId| match self.shape.node(*id) {
            Node::Record(_) => true,
            Node::Enum(sum) => sum.tagging != Tagging::External,
            _ => false,
        };
        match self.shape.node(id) {
            Node::Union(branches) => branches.iter().any(takes),
            _ => takes(&id),
        }
    }

    /// Describes the type that a node requires.
    #[cold]
    fn expected(self, id: NodeId) -> String {
        match self.shape.node(id) {
            Node::Option(inner) => format!("{} or null", self.word(*inner)),
            Node::Union(branches) => {
                let words: Vec<String> = branches.iter().map(|id| self.word(*id)).collect();
                words.join(" or ")
            }
            _ => self.word(id),
        }
    }

    /// Describes the type of a node without its parts: types may contain themselves.
    fn word(self, id: NodeId) -> String {
        let word = match self.shape.node(id) {
            Node::Null => "null",
            Node::Bool => "a boolean",
            Node::Int(Int { signed, bits, .. }) => {
                let sign = if *signed { "a signed" } else { "an unsigned" };
                return format!("{sign} integer of {bits} bits");
            }
            Node::F32 => "a 32-bit float",
            Node::F64 => "a float",
            Node::Char => "a single character",
            Node::Str => "a string",
            Node::Bytes => "bytes",
            Node::Timestamp => "a timestamp",
            Node::Any => "any value",
            Node::Option(_) => "null",
            Node::Array(_) | Node::Tuple(_) => "an array",
            Node::Map { .. } => "a map",
            Node::Union(_) => "one of several",
            Node::Record(record) => return format!("the record {}", record.name),
            Node::Enum(sum) => return format!("a variant of {}", sum.name),
        };
        word.to_owned()
    }
}

/// The set of fields of a record that were seen.
enum SeenFields {
    /// One bit per field, for records of up to 64 fields, which is almost every record.
    Bits(u64),
    Flags(Vec<bool>),
}

impl SeenFields {
    fn new(fields: usize) -> Self {
        if fields <= 64 { SeenFields::Bits(0) } else { SeenFields::Flags(vec![false; fields]) }
    }

    #[inline]
    fn mark(&mut self, at: usize) {
        match self {
            SeenFields::Bits(bits) => *bits |= 1 << at,
            SeenFields::Flags(flags) => flags[at] = true,
        }
    }

    fn has(&self, at: usize) -> bool {
        match self {
            SeenFields::Bits(bits) => bits & (1 << at) != 0,
            SeenFields::Flags(flags) => flags[at],
        }
    }
}

/// Finds the field with this name, beginning with the next one: entries mostly come in order.
#[inline]
fn find_field(fields: &[Field], next: usize, name: &str) -> Option<usize> {
    if let Some(field) = fields.get(next)
        && field.name == name
    {
        return Some(next);
    }
    let (before, after) = fields.split_at(next);
    let position = |fields: &[Field]| fields.iter().position(|field| field.name == name);
    let found = position(after).map(|at| next + at).or_else(|| position(before));
    found.or_else(|| by_alias(fields, name))
}

fn find_variant<'e>(sum: &'e Enum, name: &str) -> Result<&'e Variant> {
    let unknown = || Faults::new(format!("a variant of {}", sum.name), format!("{name:?}"));
    sum.variants.iter().find(|variant| variant.is_named(name)).ok_or_else(unknown)
}

/// A misfit whose path is still being collected, innermost step first.
struct Fault {
    path: Vec<String>,
    expected: String,
    found: String,
    is_positional: bool,
}

impl Fault {
    fn new(expected: String, found: String) -> Self {
        Fault { path: Vec::new(), expected, found, is_positional: false }
    }

    fn misfit(self) -> Misfit {
        let steps = self.path.iter().rev().map(String::as_str);
        let path: String = std::iter::once("$").chain(steps).collect();
        let Fault { expected, found, is_positional, .. } = self;
        Misfit { path, expected, found, is_positional }
    }
}

/// The faults of a part of a value, in the order of the value; at least one.
struct Faults {
    named: Vec<Fault>,
    /// The number of faults beyond those in `named`.
    more: u64,
}

impl Faults {
    #[cold]
    fn new(expected: impl Into<String>, found: impl Into<String>) -> Box<Self> {
        let fault = Fault::new(expected.into(), found.into());
        Box::new(Faults { named: vec![fault], more: 0 })
    }

    #[cold]
    fn step(mut self: Box<Self>, step: &str) -> Box<Self> {
        self.named.iter_mut().for_each(|fault| fault.path.push(step.to_owned()));
        self
    }

    #[cold]
    fn under_key(self: Box<Self>, key: &str) -> Box<Self> {
        self.step(&KeyStep(key).to_string())
    }

    #[cold]
    fn under(self: Box<Self>, key: &Value<'_>) -> Box<Self> {
        match key {
            Value::Str(name) => self.under_key(name),
            other => self.under_key(&describe(other)),
        }
    }

    #[cold]
    fn under_index(self: Box<Self>, index: usize) -> Box<Self> {
        self.step(&format!("[{index}]"))
    }

    /// Returns whether some fault is inside the value and not the value itself.
    fn are_nested(&self) -> bool {
        self.named.iter().any(|fault| !fault.path.is_empty())
    }

    fn first(self) -> Fault {
        let first = self.named.into_iter().next();
        first.unwrap_or_else(|| Fault::new(String::new(), String::new()))
    }
}

/// Collects the faults of the parts of a value.
#[derive(Default)]
struct FaultCollector(Option<Box<Faults>>);

impl FaultCollector {
    /// Adds the faults of a part. If only the first fault is wanted, returns it as the error to
    /// stop the check.
    #[cold]
    fn add(&mut self, matcher: Matcher<'_>, faults: Box<Faults>) -> Result<()> {
        let Some(limit) = matcher.limit else { return Err(faults) };
        match &mut self.0 {
            None => self.0 = Some(faults),
            Some(all) => {
                let remaining = limit.saturating_sub(all.named.len());
                all.more += faults.more + faults.named.len().saturating_sub(remaining) as u64;
                all.named.extend(faults.named.into_iter().take(remaining));
            }
        }
        Ok(())
    }

    fn end(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

#[cold]
fn wrong_length(expected: usize, items: &[Value<'_>]) -> Box<Faults> {
    Faults::new(format!("{expected} items"), items.len().to_string())
}

/// Returns whether an integer type holds the value.
#[inline]
fn holds(int: Int, value: &Value<'_>) -> bool {
    match *value {
        Value::I64(number) | Value::Long(number) => {
            let bits = u32::from(int.bits.min(64));
            if int.signed {
                number >> (bits - 1) == number >> 63
            } else {
                number >= 0 && (bits == 64 || number >> bits == 0)
            }
        }
        // A `U64` is always above `i64::MAX`.
        Value::U64(_) => int.bits > 64 || int.bits == 64 && !int.signed,
        Value::Number(text) if int.bits > 64 => holds_text(int, text),
        _ => false,
    }
}

/// Returns whether an integer type holds the number in a text.
#[cold]
fn holds_text(int: Int, text: &str) -> bool {
    let (bits, signed) = (u32::from(int.bits), int.signed);
    match (text.parse::<i128>(), text.parse::<u128>()) {
        (Ok(number), _) if signed => number >> (bits - 1) == number >> 127,
        (_, Ok(number)) if !signed => bits == 128 || number >> bits == 0,
        _ => false,
    }
}

fn is_integer_where(value: &Value<'_>, test: fn(i128) -> bool) -> bool {
    match *value {
        Value::I64(number) | Value::Long(number) => test(number.into()),
        Value::U64(number) => test(number.into()),
        _ => false,
    }
}

/// Returns whether an `f64` holds this integer exactly.
pub(crate) fn is_exact(number: i128) -> bool {
    (number as f64) as i128 == number
}

fn is_exact_single(number: i128) -> bool {
    (number as f32) as i128 == number
}

fn is_char(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some() && chars.next().is_none()
}

#[cold]
fn by_alias(fields: &[Field], name: &str) -> Option<usize> {
    fields.iter().position(|field| field.aliases.iter().any(|alias| alias == name))
}

#[cold]
fn unknown(record: &Record, name: &str) -> Box<Faults> {
    Faults::new(format!("a field of {}", record.name), format!("the key {name:?}"))
}

#[cold]
fn absent(name: &str) -> Box<Faults> {
    Faults::new(format!("the field {name:?}"), "none")
}

/// Returns the name of the variant, which a map has under the key `tag`.
fn tag_of<'v>(tag: &str, value: &Value<'v>) -> Result<&'v str> {
    match value.get(tag) {
        Some(Value::Str(name)) => Ok(name),
        Some(other) => Err(Faults::new("the name of a variant", describe(&other)).under_key(tag)),
        None => Err(absent(tag)),
    }
}

/// Returns the entries of the content of an internally tagged variant: those of its map without the
/// tag.
pub(crate) fn without_tag<'v>(
    tag: &str,
    entries: &[(Value<'v>, Value<'v>)],
) -> Vec<(Value<'v>, Value<'v>)> {
    let is_tag = |key: &Value<'_>| matches!(key, Value::Str(name) if *name == tag);
    entries.iter().filter(|(key, _)| !is_tag(key)).copied().collect()
}

/// The maximum length of a number or a text in a message, in characters. Longer ones are cut.
const FOUND_CHARS_MAX: usize = 40;

/// Describes a value: its kind, and the value if it is short.
#[cold]
fn describe(value: &Value<'_>) -> String {
    let cut = |text: &str| -> String { text.chars().take(FOUND_CHARS_MAX).collect() };
    match value {
        Value::Bool(value) => value.to_string(),
        Value::I64(value) | Value::Long(value) => format!("the integer {value}"),
        Value::U64(value) => format!("the integer {value}"),
        Value::Number(text) => format!("the number {}", cut(text)),
        Value::F32(value) => format!("the float {value:?}"),
        Value::F64(value) => format!("the float {value:?}"),
        Value::Str(text) if text.len() <= FOUND_CHARS_MAX => format!("the string {text:?}"),
        other => other.kind().to_owned(),
    }
}
