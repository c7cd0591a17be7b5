//! Maps and structs: whatever the schema makes of members with keys.

use manywire_shape::{Arena, Tagging, ValueSeed};
use serde::ser::{Serialize, SerializeMap, SerializeStruct, SerializeStructVariant};

use super::choose::no_branch;
use super::items::Block;
use super::key::{not_text, with_key};
use super::record::RecordWriter;
use super::whole::{ANY, Whole};
use super::{Place, Writer, mismatch};
use crate::avro::de::Decoder;
use crate::avro::plan::{Kind, Maps, Op, Plan, Variant};
use crate::core::error::{Category, Error, Result};
use crate::core::limits::Limits;

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
    /// The first key decides: it is that of the variant.
    Open {
        writer: &'w mut Writer,
        plan: &'p Plan,
        union: u32,
    },
    /// The one member left to write, under its key; none once it is written.
    Content {
        writer: &'w mut Writer,
        plan: &'p Plan,
        name: &'p str,
        content: Option<Op>,
    },
    /// Nothing can be decided before all is seen.
    Whole(Whole<'w, 'p>),
    /// Only while one state gives way to another.
    Gone,
}

/// An Avro map being written.
pub(super) struct MapWriter<'w, 'p> {
    writer: &'w mut Writer,
    plan: &'p Plan,
    value: Op,
    block: Block,
    /// Where the union that it is a branch of starts, and the branch that takes any key.
    entries: Option<(usize, u32, u32)>,
}

impl<'w, 'p> Members<'w, 'p> {
    #[inline]
    pub(super) fn open(place: Place<'w, 'p>, len: Option<usize>) -> Result<Self> {
        let Place { writer, plan, op } = place;
        match op {
            Op::Record(index) => {
                Ok(Members::Record(RecordWriter::new(writer, plan, plan.record(index))))
            }
            _ => Members::open_other(Place { writer, plan, op }, len),
        }
    }

    #[inline(never)]
    fn open_other(place: Place<'w, 'p>, len: Option<usize>) -> Result<Self> {
        let Place { writer, plan, mut op } = place;
        loop {
            op = match op {
                Op::Record(index) => {
                    return Ok(Members::Record(RecordWriter::new(
                        writer,
                        plan,
                        plan.record(index),
                    )));
                }
                Op::Map(slot) => {
                    let block = Block::open(writer, len);
                    let value = plan.op(slot);
                    return Ok(Members::Map(MapWriter {
                        writer,
                        plan,
                        value,
                        block,
                        entries: None,
                    }));
                }
                Op::Entries(index) => {
                    let block = Block::open(writer, len);
                    let fields = &plan.record(index).fields;
                    let (key, value) = (fields[0].op, fields[1].op);
                    return Ok(Members::Entries { writer, plan, key, value, block });
                }
                Op::Maybe(_) | Op::MaybeLast(_) => writer.descend_one(plan, op),
                Op::Union(index) => match &plan.union(index).maps {
                    Maps::Plain => writer.branch(plan, op, Kind::Map)?,
                    Maps::Keys { entries } => {
                        let entries = Some((writer.bytes.len(), index, *entries));
                        let Op::Map(slot) = writer.branch(plan, op, Kind::Map)? else {
                            return Err(mismatch(op, "a map"));
                        };
                        let block = Block::open(writer, len);
                        let value = plan.op(slot);
                        return Ok(Members::Map(MapWriter { writer, plan, value, block, entries }));
                    }
                    Maps::External | Maps::Tagged { .. } => {
                        return Ok(Members::Open { writer, plan, union: index });
                    }
                    Maps::Whole => {
                        return Whole::open(writer, plan, index).map(Members::Whole);
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
                    .serialize(Place { writer, plan, op: *value_op })
                    .map_err(|error| error.under_key(key))
            }
            Members::Open { .. } => self.decide(key, value),
            Members::Content { writer, plan, name, content } => {
                let op = content.take().filter(|_| key == *name).ok_or_else(|| extra(key))?;
                value.serialize(Place { writer, plan, op }).map_err(|error| error.under_key(key))
            }
            Members::Whole(whole) => whole.members().member(key, value),
            Members::Gone => Err(extra(key)),
        }
    }

    /// Takes the branch that the first member names.
    fn decide<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        let Members::Open { writer, plan, union: index } = std::mem::replace(self, Members::Gone)
        else {
            return Err(extra(key));
        };
        let union = plan.union(index);
        let Maps::Tagged { tag } = &union.maps else {
            let (branch, variant) = named(plan, index, key)?;
            writer.index(branch);
            value
                .serialize(Place { writer, plan, op: variant.content })
                .map_err(|error| error.under_key(key))?;
            *self = Members::Content { writer, plan, name: "", content: None };
            return Ok(());
        };
        if **tag != *key {
            // The tag may still come: until then there is no telling what this member is.
            *self = Members::Whole(Whole::open(writer, plan, index)?);
            return self.member(key, value);
        }
        let found = with_key(value, |name| named(plan, index, name))
            .and_then(|found| found.ok_or_else(not_text))
            .map_err(|error| error.under_key(key))?;
        let (branch, variant) = found;
        writer.index(branch);
        *self = Members::of_variant(writer, plan, variant)?;
        Ok(())
    }

    /// The members that follow the tag of a variant.
    pub(super) fn of_variant(
        writer: &'w mut Writer,
        plan: &'p Plan,
        variant: &'p Variant,
    ) -> Result<Self> {
        Ok(match (&variant.tagging, variant.form) {
            // A unit variant's content is null, which close takes for granted.
            (Tagging::Adjacent { content, .. }, _) => {
                Members::Content { writer, plan, name: content, content: Some(variant.content) }
            }
            _ if variant.content == Op::Null => {
                Members::Content { writer, plan, name: "", content: None }
            }
            _ => Members::open(Place { writer, plan, op: variant.content }, None)?,
        })
    }

    /// Writes a member whose key may be anything.
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
                key.serialize(Place { writer, plan, op: *key_op })
                    .and_then(|()| value.serialize(Place { writer, plan, op: *value_op }))
                    .map_err(|error| error.under_index(index))
            }
            Members::Map(MapWriter { entries: Some(_), .. }) => {
                let Members::Map(map) = std::mem::replace(self, Members::Gone) else {
                    return Err(not_text());
                };
                *self = map.with_any_keys()?;
                self.any_entry(key, value)
            }
            Members::Whole(whole) => whole.members().any_entry(key, value),
            _ => Err(not_text()),
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
            Members::Whole(whole) => whole.close(),
            Members::Gone => Err(extra("")),
        }
    }
}

impl<'w, 'p> MapWriter<'w, 'p> {
    fn entry<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        self.block.count += 1;
        self.writer.sized(key.as_bytes());
        value
            .serialize(Place { writer: self.writer, plan: self.plan, op: self.value })
            .map_err(|error| error.under_key(key))
    }

    /// Writes the entries so far again, for a key came that is not text.
    #[cold]
    fn with_any_keys(self) -> Result<Members<'w, 'p>> {
        let MapWriter { writer, plan, value, block, entries } = self;
        let Some((start, union, branch)) = entries else { return Err(not_text()) };
        let written = writer.bytes.split_off(start);
        let items = &written[block.items_start() - start..];
        writer.index(branch);
        let Op::Entries(index) = plan.union(union).branches[branch as usize] else {
            return Err(not_text());
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

/// The variant of a name among the branches of a union.
pub(super) fn named<'p>(plan: &'p Plan, union: u32, name: &str) -> Result<(u32, &'p Variant)> {
    let of = plan.union(union);
    let branch = of.variants.find(name);
    match branch.map(|branch| (branch, of.branches[branch as usize])) {
        Some((branch, Op::Variant(index))) => Ok((branch, plan.variant(index))),
        _ => Err(no_branch(plan, Op::Union(union), &format!("`{name}`"))),
    }
}

#[cold]
#[inline(never)]
fn extra(key: &str) -> Error {
    Error::new(Category::Unsupported, format_args!("the schema has no place for `{key}` here"))
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

/// The fields of a struct variant, and the map around them where variants are keys of a map.
pub(super) struct VariantMembers<'w, 'p> {
    pub(super) members: Members<'w, 'p>,
    pub(super) name: &'static str,
    pub(super) in_map: bool,
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
        if self.in_map {
            // The one entry of the map ends together with its value.
            writer.byte(0);
        }
        Ok(())
    }
}

/// A map. Serde may give its keys and values apart, so a key waits here for its value.
pub(super) struct MapMembers<'w, 'p> {
    pub(super) members: Members<'w, 'p>,
    pub(super) key: Option<Key>,
}

/// A key whose value is still to come.
pub(super) enum Key {
    Text(String),
    /// The encoding of the key by the schema of anything.
    Other(Vec<u8>),
}

impl SerializeMap for MapMembers<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let text = with_key(key, |text| Ok(text.to_owned()))?;
        self.key = Some(match text {
            Some(text) => Key::Text(text),
            None => {
                let mut bytes = Vec::new();
                ANY.encode(key, &mut bytes)?;
                Key::Other(bytes)
            }
        });
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match self.key.take() {
            Some(Key::Text(key)) => self.members.entry(&key, value),
            Some(Key::Other(bytes)) => {
                let arena = Arena::new();
                let key = ANY.decode_seed(&mut ValueSeed::new(&arena), &bytes, Limits::DEFAULT)?;
                self.members.entry(&key, value)
            }
            None => Err(Error::new(Category::Unsupported, "a value came without its key")),
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
