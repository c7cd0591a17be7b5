//! Maps and structs: whatever the schema makes of members with keys.

mod map;
mod variant;

use serde::ser::{Serialize, SerializeStruct};

pub(super) use self::map::MapMembers;
use self::map::MapWriter;
pub(super) use self::variant::VariantMembers;
use super::choose::no_branch;
use super::items::Block;
use super::key::{not_text, with_key};
use super::record::RecordWriter;
use super::whole::Whole;
use super::{Place, Writer, mismatch};
use crate::avro::plan::{Kind, Maps, Op, Plan};
use crate::core::error::{Category, Error, Result};

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
