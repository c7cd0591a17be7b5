//! Members of a map, whose keys may turn out to be anything.

use manywire_shape::{Arena, ValueSeed};
use serde::ser::{Serialize, SerializeMap};

use super::Members;
use crate::avro::de::Decoder;
use crate::avro::plan::{Op, Plan};
use crate::avro::ser::items::Block;
use crate::avro::ser::key::{not_text, with_key};
use crate::avro::ser::whole::ANY;
use crate::avro::ser::{Place, Writer};
use crate::core::error::{Category, Error, Result};
use crate::core::limits::Limits;

/// An Avro map being written.
pub(in crate::avro::ser) struct MapWriter<'w, 'p> {
    pub(super) writer: &'w mut Writer,
    pub(super) plan: &'p Plan,
    pub(super) value: Op,
    pub(super) block: Block,
    /// Where the union that it is a branch of starts, and the branch that takes any key.
    pub(super) entries: Option<(usize, u32, u32)>,
}

impl<'w, 'p> MapWriter<'w, 'p> {
    pub(super) fn entry<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        self.block.count += 1;
        self.writer.sized(key.as_bytes());
        value
            .serialize(Place { writer: self.writer, plan: self.plan, op: self.value })
            .map_err(|error| error.under_key(key))
    }

    /// Writes the entries so far again, for a key came that is not text.
    #[cold]
    pub(super) fn with_any_keys(self) -> Result<Members<'w, 'p>> {
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

/// A map. Serde may give its keys and values apart, so a key waits here for its value.
pub(in crate::avro::ser) struct MapMembers<'w, 'p> {
    pub(in crate::avro::ser) members: Members<'w, 'p>,
    pub(in crate::avro::ser) key: Option<Key>,
}

/// A key whose value is still to come.
pub(in crate::avro::ser) enum Key {
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
