//! JSON by a `.proto`: ProtoJSON (<https://protobuf.dev/programming-guides/json/>) writes some values
//! of Protocol Buffers as text, has several names for a field and for a value of an enum, and leaves
//! out fields that are zero or empty, or has null for them. The text is replaced by the value, and each
//! name by the one that our own JSON has.

use std::collections::HashSet;
use std::fmt::Display;

use manywire_codec::json::ValueReader;
use manywire_schema::Language;
use manywire_shape::path::{Path, Step};
use manywire_shape::{
    Arena, Enum, Field, Node, NodeId, Presence, Record, Shape, Timestamp, Value, Variant, proto,
};

use crate::payload::text::base64;
use crate::payload::{Halt, LIMITS, Schema};

/// The rules by which ProtoJSON is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtoJsonRules {
    /// True if text that is invalid for its field is refused. Otherwise it stays as it is.
    refuses_invalid: bool,
    /// True if a field gets the name that our own JSON has in place of another of its names.
    renames: bool,
    /// True if a number that is text keeps its digits beyond those of a double.
    keeps_digits: bool,
    /// True if absent fields that are zero or empty are added.
    adds_zeros: bool,
}

impl ProtoJsonRules {
    /// Refuses text that is invalid for its field.
    pub const STRICT: ProtoJsonRules = ProtoJsonRules {
        refuses_invalid: true,
        renames: true,
        keeps_digits: true,
        adds_zeros: false,
    };

    /// Leaves text that is invalid for its field as it is, for codecs that refuse it.
    pub(crate) const TOLERANT: ProtoJsonRules =
        ProtoJsonRules { refuses_invalid: false, ..ProtoJsonRules::STRICT };

    /// Leaves names, and text that is invalid for its field, as they are, so that a check against the
    /// schema finds what does not fit at its path in the text. Rounds fractions as
    /// [`Input::with_rounded_fractions`](crate::payload::Input::with_rounded_fractions) does.
    pub const IN_PLACE: ProtoJsonRules = ProtoJsonRules {
        refuses_invalid: false,
        renames: false,
        keeps_digits: false,
        adds_zeros: false,
    };

    /// Adds absent fields that are zero or empty, for formats that have no absent fields. Not for
    /// [`ProtoJsonRules::IN_PLACE`], which may leave a field under another name.
    pub(crate) fn with_zeros(self) -> Self {
        ProtoJsonRules { adds_zeros: true, ..self }
    }
}

/// Reads values of JSON by the shape of a `.proto`.
pub(crate) struct ProtoJson<'s> {
    shape: &'s Shape,
    /// The enums of the `.proto`. Only they have negative numbers: those of a shape are unsigned.
    enums: &'s [proto::Enum],
    rules: ProtoJsonRules,
}

type Result<T> = std::result::Result<T, Halt>;

/// The entries of a map.
type Entries<'a> = &'a [(Value<'a>, Value<'a>)];

impl<'s> ProtoJson<'s> {
    /// Returns the reader for a schema, or `None` if the schema is not a `.proto`.
    pub(crate) fn of(schema: &'s Schema, rules: ProtoJsonRules) -> Option<Self> {
        let Some(Language::Proto(proto)) = &schema.language else { return None };
        Some(ProtoJson { shape: &schema.shape, enums: &proto.enums, rules })
    }

    /// Returns the reader for the schema and the rules, if there are both.
    pub(crate) fn by(schema: Option<&'s Schema>, rules: Option<ProtoJsonRules>) -> Option<Self> {
        let (schema, rules) = schema.zip(rules)?;
        ProtoJson::of(schema, rules)
    }

    /// Returns the value that a value of JSON stands for.
    ///
    /// # Errors
    /// Fails for text that is invalid for its field, with the path of the text, if the rules refuse it.
    pub(crate) fn read<'a>(&self, value: Value<'a>, arena: &'a Arena) -> Result<Value<'a>> {
        let read = self.part(self.shape.root(), value, arena, &mut Path::default())?;
        Ok(read.unwrap_or(value))
    }

    /// Returns the value that a part stands for, or `None` if the part stays as it is. Unions stay:
    /// they come from our own schemas, where text may be one of the branches.
    fn part<'a>(
        &self,
        id: NodeId,
        value: Value<'a>,
        arena: &'a Arena,
        path: &mut Path<'a>,
    ) -> Result<Option<Value<'a>>> {
        match (self.shape.node(id), value) {
            // No message of a `.proto` is an option of itself.
            (Node::Option(inner), _) => self.part(*inner, value, arena, path),
            (Node::Array(array), Value::Array(items)) => self.items(array.item, items, arena, path),
            (Node::Map { value: inner, .. }, Value::Map(entries)) => {
                let read = self.entries(|_, _| Some((*inner, None)), entries, arena, path)?;
                Ok(read.map(Value::Map))
            }
            (Node::Record(record), Value::Map(entries)) => {
                self.record(record, entries, arena, path)
            }
            // google.protobuf.Empty, a message without fields.
            (Node::Null, Value::Map([])) => Ok(Some(Value::Null)),
            (Node::Record(record), Value::Str(text)) if record.name == DURATION => {
                match duration(text) {
                    Some(parts) => Ok(Some(Value::Map(arena.alloc_slice_copy(&parts)))),
                    None => self.invalid(path, INVALID_DURATION),
                }
            }
            (Node::Bytes, Value::Str("")) => Ok(Some(Value::Bytes(&[]))),
            (Node::Bytes, Value::Str(text)) => match bytes(text) {
                Some(bytes) => Ok(Some(Value::Bytes(arena.alloc_slice_copy(&bytes)))),
                None => self.invalid(path, INVALID_BYTES),
            },
            (Node::Timestamp, Value::Str(text)) => match text.parse::<Timestamp>() {
                Ok(time) => Ok(Some(Value::Timestamp(time))),
                Err(error) => self.invalid(path, error),
            },
            (Node::Int(_), Value::Str(text)) => Ok(self.number(text, arena)),
            (Node::F32 | Node::F64, Value::Str(text)) => {
                Ok(non_finite(text).or_else(|| self.number(text, arena)))
            }
            (Node::Enum(names), Value::Str(_) | Value::I64(_)) => {
                let name = self.enum_name(names, value).filter(|name| Value::Str(name) != value);
                Ok(name.map(|name| Value::Str(arena.alloc_str(name))))
            }
            _ => Ok(None),
        }
    }

    /// Returns the result for text that is invalid for its field.
    #[cold]
    fn invalid<'a>(&self, path: &Path<'_>, message: impl Display) -> Result<Option<Value<'a>>> {
        match self.rules.refuses_invalid {
            true => Err(Halt::Refused { path: path.text(), message: message.to_string() }),
            false => Ok(None),
        }
    }

    /// Returns the number that JSON has without the quotes around this text, or `None` for other text,
    /// which does not fit its field.
    fn number<'a>(&self, text: &'a str, arena: &'a Arena) -> Option<Value<'a>> {
        // The reader accepts white space around the number, and other values.
        let is_number = text.starts_with(|it: char| it == '-' || it.is_ascii_digit())
            && text.ends_with(|it: char| it.is_ascii_digit());
        let reader = ValueReader::new(LIMITS);
        let mut reader =
            if self.rules.keeps_digits { reader.with_exact_fractions() } else { reader };
        is_number.then(|| reader.read(text.as_bytes(), arena).ok()).flatten()
    }

    fn items<'a>(
        &self,
        item: NodeId,
        items: &'a [Value<'a>],
        arena: &'a Arena,
        path: &mut Path<'a>,
    ) -> Result<Option<Value<'a>>> {
        let mut changed: Option<&'a mut [Value<'a>]> = None;
        for (index, value) in items.iter().enumerate() {
            path.push(Step::Index(index));
            if let Some(value) = self.part(item, *value, arena, path)? {
                changed.get_or_insert_with(|| arena.alloc_slice_copy(items))[index] = value;
            }
            path.pop();
        }
        let Some(items) = changed else { return Ok(None) };
        Ok(Some(Value::Array(items)))
    }

    /// Reads the entries of a map. `place` returns the node of the value at an index, if the shape has
    /// one for its key, and the name of the field if the key is another of its names.
    fn entries<'a>(
        &self,
        place: impl Fn(usize, &Value<'a>) -> Option<(NodeId, Option<&'s str>)>,
        entries: Entries<'a>,
        arena: &'a Arena,
        path: &mut Path<'a>,
    ) -> Result<Option<Entries<'a>>> {
        let mut changed: Option<&'a mut [(Value<'a>, Value<'a>)]> = None;
        for (index, (key, value)) in entries.iter().enumerate() {
            let Some((id, name)) = place(index, key) else { continue };
            path.push(Step::Key(*key));
            let read = self.part(id, *value, arena, path)?;
            path.pop();
            if name.is_some() || read.is_some() {
                let key = name.map_or(*key, |name| Value::Str(arena.alloc_str(name)));
                let entry = (key, read.unwrap_or(*value));
                changed.get_or_insert_with(|| arena.alloc_slice_copy(entries))[index] = entry;
            }
        }
        let Some(entries) = changed else { return Ok(None) };
        Ok(Some(entries))
    }

    /// Reads the fields of a message.
    fn record<'a>(
        &self,
        record: &'s Record,
        entries: Entries<'a>,
        arena: &'a Arena,
        path: &mut Path<'a>,
    ) -> Result<Option<Value<'a>>> {
        let set = self.set_fields(record, entries, arena);
        let place = |index: usize, key: &Value<'a>| {
            let (field, name) = field_of(record, index, key)?;
            Some((field.node, name.filter(|_| self.rules.renames)))
        };
        let read = self.entries(place, set, arena, path)?.unwrap_or(set);
        let all = if self.rules.adds_zeros { self.with_zeros(record, read, arena) } else { read };
        Ok((!std::ptr::eq(all, entries)).then_some(Value::Map(all)))
    }

    /// Returns the entries without those that are null although their field has no null that differs
    /// from absence: such a field counts as absent. Duplicates stay.
    fn set_fields<'a>(
        &self,
        record: &'s Record,
        entries: Entries<'a>,
        arena: &'a Arena,
    ) -> Entries<'a> {
        let takes_null = |field: &Field| match self.shape.node(field.node) {
            Node::Null | Node::Any | Node::Union(_) => true,
            // A message without fields is null in our own JSON.
            Node::Option(inner) => {
                field.presence != Presence::Optional
                    || matches!(self.shape.node(*inner), Node::Null)
            }
            _ => false,
        };
        let is_set = |index: usize| {
            let (key, value) = &entries[index];
            let field = || field_of(record, index, key);
            !matches!(value, Value::Null) || field().is_none_or(|(field, _)| takes_null(field))
        };
        if (0..entries.len()).all(is_set) {
            return entries;
        }
        // Without its null, a duplicate key would not be found, and an earlier entry would count. The
        // names of a field are one key.
        let name = |index: usize| {
            let key = &entries[index].0;
            let field_name = field_of(record, index, key).and_then(|(_, name)| name);
            field_name.or_else(|| name_of(key))
        };
        let mut seen = HashSet::new();
        let names = (0..entries.len()).filter_map(name);
        let repeated: HashSet<&str> = names.filter(|name| !seen.insert(*name)).collect();
        let is_repeated = |index: usize| name(index).is_some_and(|name| repeated.contains(name));
        let kept = (0..entries.len()).filter(|index| is_set(*index) || is_repeated(*index));
        let kept: Vec<_> = kept.map(|index| entries[index]).collect();
        arena.alloc_slice_copy(&kept)
    }

    /// Returns the entries with those of the absent fields that are zero or empty. The keys must be the
    /// names of fields.
    fn with_zeros<'a>(
        &self,
        record: &Record,
        entries: Entries<'a>,
        arena: &'a Arena,
    ) -> Entries<'a> {
        let present: HashSet<&str> = entries.iter().filter_map(|(key, _)| name_of(key)).collect();
        let mut all = entries.to_vec();
        for field in &record.fields {
            if field.presence == Presence::Defaulted
                && !present.contains(&*field.name)
                && let Some(zero) = self.zero(field.node, arena)
            {
                all.push((Value::Str(arena.alloc_str(&field.name)), zero));
            }
        }
        if all.len() == entries.len() { entries } else { arena.alloc_slice_copy(&all) }
    }

    /// Returns the value of an absent field with implicit presence.
    fn zero<'a>(&self, id: NodeId, arena: &'a Arena) -> Option<Value<'a>> {
        Some(match self.shape.node(id) {
            Node::Bool => Value::Bool(false),
            Node::Int(_) => Value::I64(0),
            Node::F32 => Value::F32(0.0),
            Node::F64 => Value::F64(0.0),
            Node::Str => Value::Str(""),
            Node::Bytes => Value::Bytes(&[]),
            Node::Array(_) => Value::Array(&[]),
            Node::Map { .. } => Value::Map(&[]),
            Node::Option(_) => Value::Null,
            Node::Enum(names) => Value::Str(arena.alloc_str(self.enum_name(names, Value::I64(0))?)),
            _ => return None,
        })
    }

    /// Returns the name of the value of an enum that has this name, alias or number.
    fn enum_name(&self, names: &'s Enum, value: Value<'_>) -> Option<&'s str> {
        match value {
            Value::Str(name) => {
                let found = names.variants.iter().find(|variant| variant.is_named(name));
                found.map(|variant| &*variant.name)
            }
            Value::I64(number) => {
                let found = match u32::try_from(number) {
                    Ok(number) => names.variants.iter().find(|it| it.number == Some(number)),
                    Err(_) => self.negative(names, number),
                };
                found.map(|variant| &*variant.name)
            }
            _ => None,
        }
    }

    /// Returns the value of an enum that has this negative number in the `.proto`. The shape has the name
    /// of the enum without the package that the name of an imported enum begins with.
    fn negative(&self, names: &'s Enum, number: i64) -> Option<&'s Variant> {
        let is_same = |it: &&proto::Enum| it.name.rsplit('.').next() == Some(&*names.name);
        let values = self.enums.iter().filter(is_same).flat_map(|it| &it.values);
        let mut values = values.filter(|it| i64::from(it.number) == number);
        values.find_map(|value| names.variants.iter().find(|it| it.name == value.name))
    }
}

/// Returns the field with this key, which is often the field at this index, and its name if the key is
/// another of its names: the name in the `.proto`. Two names of one field are then a duplicate key,
/// which the adapter finds.
fn field_of<'s>(
    record: &'s Record,
    index: usize,
    key: &Value<'_>,
) -> Option<(&'s Field, Option<&'s str>)> {
    let name = name_of(key)?;
    let next = record.fields.get(index).filter(|field| field.is_named(name));
    let field = next.or_else(|| record.fields.iter().find(|field| field.is_named(name)))?;
    Some((field, (*field.name != *name).then_some(&*field.name)))
}

/// Returns the name of a field that a key is.
fn name_of<'a>(key: &Value<'a>) -> Option<&'a str> {
    match key {
        Value::Str(name) => Some(*name),
        _ => None,
    }
}

/// Returns the bytes in base64 text.
fn bytes(text: &str) -> Option<Vec<u8>> {
    // The decoder accepts white space around the text, as files have it.
    base64(text).filter(|_| text.trim() == text)
}

/// Returns the float that JSON has no number for.
fn non_finite<'a>(text: &str) -> Option<Value<'a>> {
    match text {
        "NaN" => Some(Value::F64(f64::NAN)),
        "Infinity" => Some(Value::F64(f64::INFINITY)),
        "-Infinity" => Some(Value::F64(f64::NEG_INFINITY)),
        _ => None,
    }
}

/// The name of the message that is text such as `1.5s`.
const DURATION: &str = "google.protobuf.Duration";

/// The most seconds in a duration, of either sign: about 10,000 years
/// (`google/protobuf/duration.proto`).
const DURATION_SECONDS_MAX: i64 = 315_576_000_000;

/// The number of decimals of a second in nanoseconds.
const DECIMALS_MAX: usize = 9;

/// Returns the fields of the duration in a text.
fn duration(text: &str) -> Option<[(Value<'static>, Value<'static>); 2]> {
    let number = text.strip_suffix('s')?;
    let (sign, number) = number.strip_prefix('-').map_or((1, number), |number| (-1, number));
    let (seconds, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    if !are_digits(seconds) || !are_digits(decimals) || decimals.len() > DECIMALS_MAX {
        return None;
    }
    let seconds = seconds.parse::<i64>().ok().filter(|it| *it <= DURATION_SECONDS_MAX)?;
    let nanoseconds = format!("{decimals:0<DECIMALS_MAX$}").parse::<i64>().ok()?;
    Some([
        (Value::Str("seconds"), Value::I64(sign * seconds)),
        (Value::Str("nanos"), Value::I64(sign * nanoseconds)),
    ])
}

const INVALID_BYTES: &str = "invalid base64: JSON has the bytes of a .proto as base64 text";

const INVALID_DURATION: &str = "invalid duration: expected seconds with at most nine decimals and an \
                                s, such as \"1.5s\"";
