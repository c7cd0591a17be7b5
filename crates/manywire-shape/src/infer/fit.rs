use std::fmt;

use super::counts::is_exact;
use crate::{
    Array, Enum, Field, Int, Node, NodeId, Presence, Record, Shape, Tagging, Value, Variant,
    VariantKind,
};

/// Values nested deeper than this fit no shape but [`Node::Any`](crate::Node::Any).
pub(super) const DEPTH_MAX: usize = 512;

/// Where a value parts from a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The place in the value: `$.hotels[3].name`.
    pub path: String,
    /// What the shape says.
    pub expected: String,
    /// What the value has.
    pub found: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.path, self.expected, self.found)
    }
}

impl std::error::Error for Misfit {}

/// Whether a value fits a shape; if not, the first place where it does not.
///
/// Strict about names: an entry that is no field of a record fits only a record with a rest. An
/// integer fits a float that holds it exactly, a 64-bit float fits a 32-bit one within its range
/// (what rounding it loses is not judged here), and text fits the keys of a map of numbers if it
/// is one, as JSON has no other keys.
///
/// # Errors
///
/// The first misfit, in the order of the value.
pub fn fits(shape: &Shape, value: &Value<'_>) -> Result<(), Misfit> {
    let fit = Fit { shape, limit: None };
    fit.node(shape.root(), value, 0).map_err(|faults| faults.first().misfit())
}

/// Every place where a value does not fit a shape, as [`fits`] judges it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Misfits {
    /// The first of them, in the order of the value.
    pub named: Vec<Misfit>,
    /// How many more there are.
    pub more: u64,
}

impl Misfits {
    /// The misfits of a value; no more than so many, and at least one, are named.
    ///
    /// A value that fits none of the branches of a union counts once, or as often as the first
    /// branch of its kind finds something wrong in it.
    pub fn of(shape: &Shape, value: &Value<'_>, named_max: usize) -> Misfits {
        let fit = Fit { shape, limit: Some(named_max.max(1)) };
        match fit.node(shape.root(), value, 0) {
            Ok(()) => Misfits::default(),
            Err(faults) => {
                let Faults { named, more } = *faults;
                Misfits { named: named.into_iter().map(Fault::misfit).collect(), more }
            }
        }
    }

    /// Whether there is none: the value fits.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// How many there are in all.
    pub fn count(&self) -> u64 {
        self.named.len() as u64 + self.more
    }
}

type Result<T, E = Box<Faults>> = std::result::Result<T, E>;

/// Tries values against a shape.
#[derive(Clone, Copy)]
struct Fit<'s> {
    shape: &'s Shape,
    /// How many faults are named; nothing if the first is all that is asked for.
    limit: Option<usize>,
}

impl<'s> Fit<'s> {
    /// Tries a value that is nested this deep against a node.
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
fn holds(int: Int, value: &Value<'_>) -> bool {
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
        Value::I64(number) => test(number.into()),
        Value::U64(number) => test(number.into()),
        _ => false,
    }
}

fn is_exact_single(number: i128) -> bool {
    (number as f32) as i128 == number
}

fn is_char(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some() && chars.next().is_none()
}

/// Which fields of a record were met.
enum Met {
    /// A bit for each field of the first 64: no record that people write has more.
    Few(u64),
    Many(Vec<bool>),
}

impl Met {
    fn new(fields: usize) -> Self {
        if fields <= 64 { Met::Few(0) } else { Met::Many(vec![false; fields]) }
    }

    #[inline]
    fn mark(&mut self, at: usize) {
        match self {
            Met::Few(bits) => *bits |= 1 << at,
            Met::Many(flags) => flags[at] = true,
        }
    }

    fn has(&self, at: usize) -> bool {
        match self {
            Met::Few(bits) => bits & (1 << at) != 0,
            Met::Many(flags) => flags[at],
        }
    }
}

impl Fit<'_> {
    fn record(
        self,
        record: &Record,
        entries: &[(Value<'_>, Value<'_>)],
        depth: usize,
    ) -> Result<()> {
        self.tagged_record(record, entries, None, depth)
    }

    /// Tries a record whose map holds one entry more: the tag of the variant it is.
    fn tagged_record(
        self,
        record: &Record,
        entries: &[(Value<'_>, Value<'_>)],
        tag: Option<&str>,
        depth: usize,
    ) -> Result<()> {
        let fields = &record.fields;
        let mut met = Met::new(fields.len());
        let mut next = 0;
        let mut gathered = Gathered::default();
        for (key, value) in entries {
            let name = match key {
                Value::Str(name) => *name,
                _ => {
                    let found = found(key);
                    gathered.add(self, Faults::new("a key that is text", found))?;
                    continue;
                }
            };
            let node = if let Some(at) = find_field(fields, next, name) {
                met.mark(at);
                next = at + 1;
                fields[at].node
            } else if tag == Some(name) {
                continue;
            } else if let Some(rest) = record.rest {
                rest
            } else {
                gathered.add(self, unknown(record, name))?;
                continue;
            };
            if let Err(faults) = self.node(node, value, depth + 1) {
                gathered.add(self, faults.under_key(name))?;
            }
        }
        for (at, field) in fields.iter().enumerate() {
            if field.presence == Presence::Required && !met.has(at) {
                gathered.add(self, absent(&field.name))?;
            }
        }
        gathered.end()
    }
}

/// The field of this name, looked for from where it is expected: entries mostly come in order.
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

impl Fit<'_> {
    /// Tries a value against a sum type, tagged as serde tags it.
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
                        match self.shape.node(inner) {
                            Node::Record(record) => {
                                self.tagged_record(record, entries, Some(tag), depth)
                            }
                            _ => self.node(inner, value, depth + 1),
                        }
                    }
                }
            }
            (Tagging::Adjacent { tag, content }, Value::Map(_)) => {
                let variant = find_variant(sum, tag_of(tag, value)?)?;
                match (value.get(content), &variant.kind) {
                    (None, VariantKind::Unit) => Ok(()),
                    (None, _) => Err(absent(content)),
                    (Some(held), _) => self
                        .content(variant, &held, depth)
                        .map_err(|fault| fault.under_key(content)),
                }
            }
            _ => Err(self.mismatch(id, value)),
        }
    }

    fn content(self, variant: &Variant, content: &Value<'_>, depth: usize) -> Result<()> {
        match (&variant.kind, content) {
            (VariantKind::Unit, Value::Null) => Ok(()),
            (VariantKind::Unit, _) => Err(Faults::new("null", found(content))),
            (VariantKind::Newtype(inner) | VariantKind::Struct(inner), _) => {
                self.node(*inner, content, depth + 1)
            }
            (VariantKind::Tuple(parts), Value::Array(items)) => self.tuple(parts, items, depth + 1),
            (VariantKind::Tuple(_), _) => Err(Faults::new("an array", found(content))),
        }
    }
}

fn find_variant<'e>(sum: &'e Enum, name: &str) -> Result<&'e Variant> {
    let named = |variant: &&Variant| {
        variant.name == name || variant.aliases.iter().any(|alias| alias == name)
    };
    let unknown = || Faults::new(format!("a variant of {}", sum.name), format!("{name:?}"));
    sum.variants.iter().find(named).ok_or_else(unknown)
}

/// The tag of a value that is a map.
fn tag_of<'v>(tag: &str, value: &Value<'v>) -> Result<&'v str> {
    match value.get(tag) {
        Some(Value::Str(name)) => Ok(name),
        Some(other) => Err(Faults::new("the name of a variant", found(&other)).under_key(tag)),
        None => Err(absent(tag)),
    }
}

impl Fit<'_> {
    /// Tries the key of a map. In JSON every key is text, so text may stand for a number.
    fn key(self, id: NodeId, key: &Value<'_>, depth: usize) -> Result<()> {
        let fits = match (self.shape.node(id), key) {
            (Node::Str | Node::Any, Value::Str(_)) => true,
            (Node::Int(int), Value::Str(text)) => holds_text(*int, text),
            (Node::Bool, Value::Str(text)) => matches!(*text, "true" | "false"),
            _ => return self.node(id, key, depth + 1),
        };
        if fits { Ok(()) } else { Err(Faults::new(self.expected(id), found(key))) }
    }
}

/// A misfit that is gathering its path.
struct Fault {
    path: Vec<String>,
    expected: String,
    found: String,
}

/// Those of a part of a value, in its order; never none.
struct Faults {
    named: Vec<Fault>,
    /// How many there are beyond those that are named.
    more: u64,
}

impl Faults {
    #[cold]
    fn new(expected: impl Into<String>, found: impl Into<String>) -> Box<Self> {
        let fault = Fault { path: Vec::new(), expected: expected.into(), found: found.into() };
        Box::new(Faults { named: vec![fault], more: 0 })
    }

    #[cold]
    fn step(mut self: Box<Self>, step: &str) -> Box<Self> {
        self.named.iter_mut().for_each(|fault| fault.path.push(step.to_owned()));
        self
    }

    #[cold]
    fn under_key(self: Box<Self>, key: &str) -> Box<Self> {
        self.step(&step(key))
    }

    #[cold]
    fn under(self: Box<Self>, key: &Value<'_>) -> Box<Self> {
        match key {
            Value::Str(name) => self.under_key(name),
            other => self.under_key(&found(other)),
        }
    }

    #[cold]
    fn under_index(self: Box<Self>, index: usize) -> Box<Self> {
        self.step(&format!("[{index}]"))
    }

    /// Whether the value itself was as expected, and something in it was not.
    fn are_inside(&self) -> bool {
        self.named.iter().any(|fault| !fault.path.is_empty())
    }

    fn first(self) -> Fault {
        let first = self.named.into_iter().next();
        first.unwrap_or(Fault { path: Vec::new(), expected: String::new(), found: String::new() })
    }
}

/// The faults of the parts that were looked at so far.
#[derive(Default)]
struct Gathered(Option<Box<Faults>>);

impl Gathered {
    /// Adds what was found in a part; where the first fault is all that is asked for, there is no
    /// need to look on.
    #[cold]
    fn add(&mut self, fit: Fit<'_>, faults: Box<Faults>) -> Result<()> {
        let Some(limit) = fit.limit else { return Err(faults) };
        match &mut self.0 {
            None => self.0 = Some(faults),
            Some(all) => {
                let room = limit.saturating_sub(all.named.len());
                all.more += faults.more + faults.named.len().saturating_sub(room) as u64;
                all.named.extend(faults.named.into_iter().take(room));
            }
        }
        Ok(())
    }

    fn end(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

impl Fault {
    fn misfit(self) -> Misfit {
        let steps = self.path.iter().rev().map(String::as_str);
        let path = std::iter::once("$").chain(steps).collect();
        Misfit { path, expected: self.expected, found: self.found }
    }
}

/// Longer numbers and texts are cut, in characters.
const FOUND_CHARS_MAX: usize = 40;

impl Fit<'_> {
    #[cold]
    fn mismatch(self, id: NodeId, value: &Value<'_>) -> Box<Faults> {
        Faults::new(self.expected(id), found(value))
    }

    /// What a node calls for, in words.
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

    /// What a node calls for, without looking into it: types may contain themselves.
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

/// What a value is, in words: its kind, and the value where it is short.
#[cold]
fn found(value: &Value<'_>) -> String {
    let cut = |text: &str| -> String { text.chars().take(FOUND_CHARS_MAX).collect() };
    match value {
        Value::Bool(value) => value.to_string(),
        Value::I64(value) => format!("the integer {value}"),
        Value::U64(value) => format!("the integer {value}"),
        Value::Number(text) => format!("the number {}", cut(text)),
        Value::F32(value) => format!("the float {value:?}"),
        Value::F64(value) => format!("the float {value:?}"),
        Value::Str(text) if text.len() <= FOUND_CHARS_MAX => format!("the string {text:?}"),
        other => other.kind().to_owned(),
    }
}

/// One step of a path: `.name`, or `["any text"]`.
pub(super) fn step(key: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
    if !key.is_empty() && key.chars().all(plain) { format!(".{key}") } else { format!("[{key:?}]") }
}
