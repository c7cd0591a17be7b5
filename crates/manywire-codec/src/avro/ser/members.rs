//! Writes maps and structs to an Avro map, a record or a variant of a union, and the keys of maps.

use std::fmt;
use std::sync::LazyLock;

use manywire_shape::{Arena, Node, ShapeBuilder, Tagging, Value, ValueSeed};
use serde::ser::{Impossible, Serialize, SerializeMap, SerializeStruct, SerializeStructVariant};

use super::block::Block;
use super::branch::{Enclosing, no_branch};
use super::record::RecordWriter;
use super::{DatumSerializer, Writer, mismatch};
use crate::avro::de::Decoder;
use crate::avro::plan::{AbsentField, BranchKind, MapBranch, Op, Plan, Record, Variant};
use crate::core::error::{Error, Result, entry_key};
use crate::core::limits::Limits;
use crate::core::partial::{Accept, PartialSerializer};

/// The members of a map or a struct.
pub(super) enum Members<'w, 'p> {
    Record(RecordWriter<'w, 'p>),
    Map(MapWriter<'w, 'p>),
    Entries {
        writer: &'w mut Writer,
        plan: &'p Plan,
        key: Op,
        value: Op,
        block: Block,
    },
    /// A variant to be chosen by the first key.
    Open {
        writer: &'w mut Writer,
        plan: &'p Plan,
        union: u32,
    },
    /// The only member left to write, under its key, or `None` once it is written.
    Content {
        writer: &'w mut Writer,
        plan: &'p Plan,
        name: &'p str,
        content: Option<Op>,
    },
    /// No branch can be chosen before the map is complete.
    Buffered(BufferedMap<'w, 'p>),
    /// A placeholder while the state changes.
    Taken,
}

impl<'w, 'p> Members<'w, 'p> {
    #[inline]
    pub(super) fn open(serializer: DatumSerializer<'w, 'p>, len: Option<usize>) -> Result<Self> {
        let DatumSerializer { writer, plan, op } = serializer;
        match op {
            Op::Record(index) => {
                Ok(Members::Record(RecordWriter::new(writer, plan, plan.record(index))))
            }
            _ => Members::open_other(DatumSerializer { writer, plan, op }, len),
        }
    }

    #[inline(never)]
    fn open_other(serializer: DatumSerializer<'w, 'p>, len: Option<usize>) -> Result<Self> {
        let DatumSerializer { writer, plan, mut op } = serializer;
        loop {
            op = match op {
                Op::Record(index) => {
                    let record = plan.record(index);
                    return Ok(Members::Record(RecordWriter::new(writer, plan, record)));
                }
                Op::Map(slot) => {
                    let value = plan.op(slot);
                    return Ok(Members::Map(MapWriter::open(writer, plan, value, len, None)));
                }
                Op::Entries(index) => {
                    let block = Block::open(writer, len);
                    let fields = &plan.record(index).fields;
                    let (key, value) = (fields[0].op, fields[1].op);
                    return Ok(Members::Entries { writer, plan, key, value, block });
                }
                Op::Maybe(_) | Op::MaybeLast(_) => writer.descend_one(plan, op),
                Op::Union(index) => match &plan.union(index).maps {
                    MapBranch::Plain => writer.branch(plan, op, BranchKind::Map)?,
                    MapBranch::Keys { entries } => {
                        let entries = Some((writer.bytes.len(), index, *entries));
                        let Op::Map(slot) = writer.branch(plan, op, BranchKind::Map)? else {
                            return Err(mismatch(op, "a map"));
                        };
                        let map = MapWriter::open(writer, plan, plan.op(slot), len, entries);
                        return Ok(Members::Map(map));
                    }
                    MapBranch::External | MapBranch::Tagged { .. } => {
                        return Ok(Members::Open { writer, plan, union: index });
                    }
                    MapBranch::Buffered => {
                        return BufferedMap::open(writer, plan, index).map(Members::Buffered);
                    }
                },
                op => return Err(mismatch(op, "a map")),
            }
        }
    }

    /// Writes a member whose key is text.
    #[inline]
    pub(super) fn member<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        match self {
            Members::Record(record) => record.field(key, value),
            _ => self.other_member(key, value),
        }
    }

    #[inline(never)]
    fn other_member<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        match self {
            Members::Record(record) => record.field(key, value),
            Members::Map(map) => map.entry(key, value),
            Members::Entries { writer, plan, key: key_op, value: value_op, block } => {
                block.count += 1;
                writer.text(plan, *key_op, key)?;
                value
                    .serialize(DatumSerializer { writer, plan, op: *value_op })
                    .map_err(|error| error.under_key(key))
            }
            Members::Open { .. } => self.decide(key, value),
            Members::Content { writer, plan, name, content } => {
                let op = content
                    .take()
                    .filter(|_| key == *name)
                    .ok_or_else(|| key_not_in_schema(key))?;
                value
                    .serialize(DatumSerializer { writer, plan, op })
                    .map_err(|error| error.under_key(key))
            }
            Members::Buffered(map) => map.members().member(key, value),
            Members::Taken => Err(key_not_in_schema(key)),
        }
    }

    /// Writes a member with any key.
    pub(super) fn entry<K, V>(&mut self, key: &K, value: &V) -> Result<()>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        if !self.takes_any_key() && with_key(key, |key| self.member(key, value))?.is_some() {
            return Ok(());
        }
        self.any_entry(key, value)
    }

    fn takes_any_key(&self) -> bool {
        matches!(self, Members::Entries { .. })
    }

    #[inline(never)]
    fn any_entry<K, V>(&mut self, key: &K, value: &V) -> Result<()>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        match self {
            Members::Entries { writer, plan, key: key_op, value: value_op, block } => {
                block.count += 1;
                let index = block.count - 1;
                key.serialize(DatumSerializer { writer, plan, op: *key_op })
                    .or_else(|error| {
                        with_key(key, |text| writer.typed_key(plan, *key_op, text))?.ok_or(error)
                    })
                    .and_then(|()| value.serialize(DatumSerializer { writer, plan, op: *value_op }))
                    .map_err(|error| match entry_key(key) {
                        Some(key) => error.under_key(key),
                        None => error.under_index(index),
                    })
            }
            Members::Map(MapWriter { entries: Some(_), .. }) => {
                let Members::Map(map) = std::mem::replace(self, Members::Taken) else {
                    return Err(key_not_text());
                };
                *self = map.with_any_keys()?;
                self.any_entry(key, value)
            }
            Members::Buffered(map) => map.members().any_entry(key, value),
            _ => Err(key_not_text()),
        }
    }

    #[inline]
    pub(super) fn close(self) -> Result<&'w mut Writer> {
        match self {
            Members::Record(record) => record.end(),
            other => other.close_other(),
        }
    }

    #[inline(never)]
    fn close_other(self) -> Result<&'w mut Writer> {
        match self {
            Members::Record(record) => record.end(),
            Members::Map(MapWriter { writer, block, .. })
            | Members::Entries { writer, block, .. } => {
                block.close(writer);
                Ok(writer)
            }
            Members::Open { plan, union, .. } => {
                Err(no_branch(plan, Op::Union(union), "an empty map"))
            }
            // Content that is null may be left out.
            Members::Content { writer, plan, content: Some(op), .. } => {
                writer.null(plan, op)?;
                Ok(writer)
            }
            Members::Content { writer, content: None, .. } => Ok(writer),
            Members::Buffered(map) => map.close(),
            Members::Taken => Err(key_not_in_schema("")),
        }
    }
}

#[cold]
#[inline(never)]
fn key_not_in_schema(key: &str) -> Error {
    Error::unsupported(format_args!("the schema does not allow the key `{key}` here"))
}

impl SerializeStruct for Members<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.member(key, value)
    }
    #[inline]
    fn end(self) -> Result<()> {
        self.close().map(drop)
    }
}

// Members of a map, whose keys may be of any type.

/// An Avro map being written.
pub(super) struct MapWriter<'w, 'p> {
    writer: &'w mut Writer,
    plan: &'p Plan,
    value: Op,
    block: Block,
    /// The start in the output of the union around this map, the index of the union, and its branch
    /// that accepts any key.
    entries: Option<(usize, u32, u32)>,
}

impl<'w, 'p> MapWriter<'w, 'p> {
    fn open(
        writer: &'w mut Writer,
        plan: &'p Plan,
        value: Op,
        len: Option<usize>,
        entries: Option<(usize, u32, u32)>,
    ) -> Self {
        let block = Block::open(writer, len);
        MapWriter { writer, plan, value, block, entries }
    }

    fn entry<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        self.block.count += 1;
        self.writer.sized(key.as_bytes());
        value
            .serialize(DatumSerializer { writer: self.writer, plan: self.plan, op: self.value })
            .map_err(|error| error.under_key(key))
    }

    /// Writes the entries so far again, because a key is not text.
    #[cold]
    fn with_any_keys(self) -> Result<Members<'w, 'p>> {
        let MapWriter { writer, plan, value, block, entries } = self;
        let Some((start, union, branch)) = entries else { return Err(key_not_text()) };
        let written = writer.bytes.split_off(start);
        let items = &written[block.items_start() - start..];
        writer.index(branch);
        let Op::Entries(index) = plan.union(union).branches[branch as usize] else {
            return Err(key_not_text());
        };
        let fields = &plan.record(index).fields;
        let (key_op, value_op) = (fields[0].op, fields[1].op);
        let mut again = Block::open(writer, None);
        let mut decoder = Decoder::over(plan, items);
        for _ in 0..block.count {
            again.count += 1;
            let key = decoder.text()?;
            writer.text(plan, key_op, key)?;
            let value_start = decoder.offset();
            decoder.skip(value)?;
            writer.bytes.extend_from_slice(&items[value_start..decoder.offset()]);
        }
        Ok(Members::Entries { writer, plan, key: key_op, value: value_op, block: again })
    }
}

/// A map. Serde may pass keys and values separately, so a key waits here for its value.
pub(super) struct MapMembers<'w, 'p> {
    pub(super) members: Members<'w, 'p>,
    pub(super) key: Option<PendingKey>,
}

/// A key whose value has not been written yet.
pub(super) enum PendingKey {
    Text(String),
    /// The encoding of the key with the schema of any value.
    Other(Vec<u8>),
}

impl SerializeMap for MapMembers<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let text = with_key(key, |text| Ok(text.to_owned()))?;
        self.key = Some(match text {
            Some(text) => PendingKey::Text(text),
            None => {
                let mut bytes = Vec::new();
                ANY.encode(key, &mut bytes)?;
                PendingKey::Other(bytes)
            }
        });
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match self.key.take() {
            Some(PendingKey::Text(key)) => self.members.entry(&key, value),
            Some(PendingKey::Other(bytes)) => {
                let arena = Arena::new();
                let key = ANY.decode_seed(&mut ValueSeed::new(&arena), &bytes, Limits::DEFAULT)?;
                self.members.entry(&key, value)
            }
            None => Err(Error::unsupported("a value came without its key")),
        }
    }

    #[inline]
    fn serialize_entry<K, V>(&mut self, key: &K, value: &V) -> Result<()>
    where
        K: Serialize + ?Sized,
        V: Serialize + ?Sized,
    {
        self.members.entry(key, value)
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.members.close().map(drop)
    }
}

// Members of a variant: its tag, and the members after the tag.

impl<'w, 'p> Members<'w, 'p> {
    /// Chooses the branch that the first member names.
    fn decide<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        let Members::Open { writer, plan, union: index } = std::mem::replace(self, Members::Taken)
        else {
            return Err(key_not_in_schema(key));
        };
        let union = plan.union(index);
        let MapBranch::Tagged { tag } = &union.maps else {
            let (branch, variant) = named(plan, index, key)?;
            writer.index(branch);
            value
                .serialize(DatumSerializer { writer, plan, op: variant.content })
                .map_err(|error| error.under_key(key))?;
            *self = Members::Content { writer, plan, name: "", content: None };
            return Ok(());
        };
        if **tag != *key {
            // The tag may still come, so the branch of this member is unknown until then.
            *self = Members::Buffered(BufferedMap::open(writer, plan, index)?);
            return self.member(key, value);
        }
        let found = with_key(value, |name| named(plan, index, name))
            .and_then(|found| found.ok_or_else(key_not_text))
            .map_err(|error| error.under_key(key))?;
        let (branch, variant) = found;
        writer.index(branch);
        *self = Members::of_variant(writer, plan, variant)?;
        Ok(())
    }

    /// Returns the members after the tag of a variant.
    pub(super) fn of_variant(
        writer: &'w mut Writer,
        plan: &'p Plan,
        variant: &'p Variant,
    ) -> Result<Self> {
        Ok(match (&variant.tagging, variant.form) {
            // The content of a unit variant is null, which `close` writes.
            (Tagging::Adjacent { content, .. }, _) => {
                Members::Content { writer, plan, name: content, content: Some(variant.content) }
            }
            _ if variant.content == Op::Null => {
                Members::Content { writer, plan, name: "", content: None }
            }
            _ => Members::open(DatumSerializer { writer, plan, op: variant.content }, None)?,
        })
    }
}

/// Returns the variant `name` among the branches of a union.
fn named<'p>(plan: &'p Plan, union: u32, name: &str) -> Result<(u32, &'p Variant)> {
    let of = plan.union(union);
    let branch = of.variants.find(name);
    match branch.map(|branch| (branch, of.branches[branch as usize])) {
        Some((branch, Op::Variant(index))) => Ok((branch, plan.variant(index))),
        _ => Err(no_branch(plan, Op::Union(union), &format!("`{name}`"))),
    }
}

/// The fields of a struct variant, and what is open around them.
pub(super) struct VariantMembers<'w, 'p> {
    pub(super) members: Members<'w, 'p>,
    pub(super) name: &'static str,
    pub(super) enclosing: Enclosing<'p>,
}

impl SerializeStructVariant for VariantMembers<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.members.member(key, value).map_err(|error| error.under_key(self.name))
    }

    fn end(self) -> Result<()> {
        let writer = self.members.close().map_err(|error| error.under_key(self.name))?;
        self.enclosing.close(writer)
    }
}

// Maps that must be complete before a union can choose their branch.
//
// Such a map is written with the schema of any value, read back as a value, and written again to
// its branch. This costs twice the work, but is only needed if a tag comes late or several branches
// are records.

/// The schema of any value.
static ANY: LazyLock<Plan> = LazyLock::new(|| {
    let mut shape = ShapeBuilder::default();
    let root = shape.add(Node::Any);
    Plan::from_shape(&shape.finish(root)).expect("anything has a schema")
});

/// A map that is buffered until a branch of a union can be chosen.
pub(super) struct BufferedMap<'w, 'p> {
    members: Box<Members<'w, 'static>>,
    start: usize,
    plan: &'p Plan,
    union: u32,
}

impl<'w, 'p> BufferedMap<'w, 'p> {
    #[cold]
    pub(super) fn open(writer: &'w mut Writer, plan: &'p Plan, union: u32) -> Result<Self> {
        let start = writer.bytes.len();
        let members = Members::open(DatumSerializer { writer, plan: &ANY, op: ANY.root }, None)?;
        Ok(BufferedMap { members: Box::new(members), start, plan, union })
    }

    pub(super) fn members(&mut self) -> &mut Members<'w, 'static> {
        &mut self.members
    }

    #[cold]
    pub(super) fn close(self) -> Result<&'w mut Writer> {
        let writer = self.members.close()?;
        let bytes = writer.bytes.split_off(self.start);
        let arena = Arena::new();
        // The buffered bytes are our serializer's own output, so no depth limit applies.
        let limits = Limits::DEFAULT.with_depth(usize::MAX);
        let value = ANY.decode_seed(&mut ValueSeed::new(&arena), &bytes, limits)?;
        write(writer, self.plan, self.union, value)?;
        Ok(writer)
    }
}

fn write(writer: &mut Writer, plan: &Plan, index: u32, value: Value<'_>) -> Result<()> {
    let union = plan.union(index);
    let Value::Map(entries) = value else {
        return value.serialize(DatumSerializer { writer, plan, op: Op::Union(index) });
    };
    for (&branch, number) in union.branches.iter().zip(0..) {
        if let Op::Variant(variant) = branch
            && let variant = plan.variant(variant)
            && let Some(named) = tag_entry(variant, entries)
        {
            writer.index(number);
            return write_variant(writer, plan, variant, entries, named);
        }
    }
    let record = union.branches.iter().position(|branch| match branch {
        Op::Record(record) => matches_keys(plan.record(*record), entries),
        _ => false,
    });
    let branch = record
        .map(|branch| branch as u32)
        .or(union.kinds[BranchKind::Map as usize])
        .filter(|&branch| !matches!(union.branches[branch as usize], Op::Variant(_)))
        .ok_or_else(|| no_branch(plan, Op::Union(index), "a map of these keys"))?;
    writer.index(branch);
    value.serialize(DatumSerializer { writer, plan, op: union.branches[branch as usize] })
}

/// Returns the entry that names the map's variant.
fn tag_entry(variant: &Variant, entries: &[(Value<'_>, Value<'_>)]) -> Option<usize> {
    match &variant.tagging {
        Tagging::External => match entries {
            [(Value::Str(name), _)] if **name == *variant.name => Some(0),
            _ => None,
        },
        Tagging::Internal { tag } | Tagging::Adjacent { tag, .. } => {
            entries.iter().rposition(|(key, value)| match (key, value) {
                (Value::Str(key), Value::Str(name)) => **key == **tag && **name == *variant.name,
                _ => false,
            })
        }
    }
}

fn write_variant(
    writer: &mut Writer,
    plan: &Plan,
    variant: &Variant,
    entries: &[(Value<'_>, Value<'_>)],
    named: usize,
) -> Result<()> {
    if variant.tagging == Tagging::External {
        let serializer = DatumSerializer { writer, plan, op: variant.content };
        return entries[named]
            .1
            .serialize(serializer)
            .map_err(|error| error.under_key(&variant.name));
    }
    let mut members = Members::of_variant(writer, plan, variant)?;
    for (_, (key, value)) in entries.iter().enumerate().filter(|(index, _)| *index != named) {
        members.entry(key, value)?;
    }
    members.close().map(drop)
}

/// Checks whether a record has all of these keys, and the keys include all required fields.
fn matches_keys(record: &Record, entries: &[(Value<'_>, Value<'_>)]) -> bool {
    let mut found = vec![false; record.fields.len()];
    for (key, _) in entries {
        match key {
            Value::Str(name) => match record.names.find(name) {
                Some(field) => found[field as usize] = true,
                None if record.rest.is_some() => {}
                None => return false,
            },
            _ => return false,
        }
    }
    record
        .fields
        .iter()
        .zip(found)
        .all(|(field, found)| found || field.absent != AbsentField::Required)
}

// Keys of maps and names of variants: values that serialize to text.

/// Calls `take` with the text that `key` serializes to. Returns `None` if the key is not text.
#[inline]
pub(super) fn with_key<T, R>(key: &T, take: impl FnOnce(&str) -> Result<R>) -> Result<Option<R>>
where
    T: Serialize + ?Sized,
{
    match key.serialize(PartialSerializer(KeyText(take))) {
        Ok(taken) => Ok(Some(taken)),
        Err(KeyError::NotText) => Ok(None),
        Err(KeyError::Failed(error)) => Err(error),
    }
}

/// Builds the error for a key that is not text where text is required.
#[cold]
#[inline(never)]
pub(super) fn key_not_text() -> Error {
    Error::unsupported("only text can be a key here, found another key")
}

/// The reason why a key's text was not passed.
#[derive(Debug)]
enum KeyError {
    NotText,
    Failed(Error),
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::NotText => f.write_str("the key is not text"),
            KeyError::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for KeyError {}

impl serde::ser::Error for KeyError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        KeyError::Failed(serde::ser::Error::custom(message))
    }
}

struct KeyText<F>(F);

impl<R, F: FnOnce(&str) -> Result<R>> Accept for KeyText<F> {
    type Ok = R;
    type Error = KeyError;
    type Tuple = Impossible<R, KeyError>;

    #[inline]
    fn text(self, text: &str) -> std::result::Result<R, KeyError> {
        (self.0)(text).map_err(KeyError::Failed)
    }
    /// Rejects an optional key, whose schema has null beside text.
    fn some<T: Serialize + ?Sized>(self, _: &T) -> std::result::Result<R, KeyError> {
        Err(KeyError::NotText)
    }
    fn reject<T>(self, _: &dyn fmt::Display) -> std::result::Result<T, KeyError> {
        Err(KeyError::NotText)
    }
}
