//! All that a visitor of maps may be given, as one type: with a type for each, every visitor would
//! be compiled once for each, although most of them meet only one.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, MapAccess, Visitor};

use super::super::plan::{Field, Kind};
use super::decoder::Decoder;
use super::fields::Fields;
use super::index::Entry;
use super::place::FieldDeserializer;
use super::repeated::Entries;
use crate::{Category, Error, Result};

/// The entries of something, one after the other.
pub(super) struct Members<'a, 'de> {
    decoder: &'a mut Decoder<'de>,
    of: Of<'a, 'de>,
    /// The entry that comes first, although it is not in the message: the tag, and the variant.
    tag: Option<(&'de str, &'de str)>,
    value: Value<'de>,
}

/// What has entries.
pub(super) enum Of<'a, 'de> {
    /// A record. Its rest, the entries that are no named field, follow the fields as if they were
    /// some.
    Record { fields: &'a mut Fields<'de>, rest: Option<Entries<'de>> },
    /// A map field.
    Map { entries: Entries<'de>, more: &'a [Entry<'de>] },
    /// One field, under a name that need not be its own.
    Member { name: &'de str, field: &'de Field, wire: u8, more: &'a [Entry<'de>] },
    /// Nothing.
    Nothing,
}

/// What is read next: a name of the schema, or a field.
#[derive(Clone, Copy)]
enum Next<'de> {
    Name(&'de str),
    Field(&'de Field, u8),
}

/// What the value behind the last key is read from.
#[derive(Clone, Copy)]
enum Value<'de> {
    Is(Next<'de>),
    /// The second field of an entry, which comes behind its key.
    OfEntry,
    /// No key was asked for.
    None,
}

impl<'a, 'de> Of<'a, 'de> {
    #[inline]
    pub(super) fn record(fields: &'a mut Fields<'de>) -> Self {
        Of::Record { fields, rest: None }
    }

    /// Further entries of the field that is being read.
    #[inline]
    fn more(&self, wire: u8) -> &[Entry<'de>] {
        match self {
            Of::Record { fields, rest: None } => fields.further(wire),
            Of::Record { rest: Some(entries), .. } | Of::Map { entries, .. } => {
                entries.further(wire)
            }
            Of::Member { more, .. } => more,
            Of::Nothing => &[],
        }
    }

    /// The entries of a map, where those are being read.
    #[inline]
    fn entries(&mut self) -> Option<&mut Entries<'de>> {
        match self {
            Of::Record { rest: Some(entries), .. } | Of::Map { entries, .. } => Some(entries),
            _ => None,
        }
    }
}

impl<'a, 'de> Members<'a, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'a mut Decoder<'de>, of: Of<'a, 'de>) -> Self {
        Members { decoder, of, tag: None, value: Value::None }
    }

    /// The same with the variant that they belong to before them.
    pub(super) fn tagged(mut self, tag: &'de str, variant: &'de str) -> Self {
        self.tag = Some((tag, variant));
        self
    }

    /// Gives them to a visitor.
    #[inline]
    pub(super) fn give<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let value = visitor.visit_map(&mut self)?;
        self.finish()?;
        Ok(value)
    }

    /// Fails if the value took fewer entries of a map than there are. What is left of a record,
    /// leaving its message looks at.
    #[inline]
    pub(super) fn finish(mut self) -> Result<()> {
        if let Of::Map { entries, more } = &mut self.of
            && entries.advance(self.decoder, more)?
        {
            return Err(self.decoder.error(Category::Data, "the map has more entries"));
        }
        Ok(())
    }

    /// Moves on to the next entry: what its key is read from.
    #[inline]
    fn advance(&mut self) -> Result<Option<Next<'de>>> {
        if let Some((tag, variant)) = self.tag.take() {
            self.value = Value::Is(Next::Name(variant));
            return Ok(Some(Next::Name(tag)));
        }
        if let Of::Record { fields, rest: rest @ None } = &mut self.of {
            let Some((field, wire)) = fields.advance(self.decoder)? else { return Ok(None) };
            let message = fields.message;
            let is_rest = field.kind == Kind::Map
                && message.rest().is_some_and(|rest| std::ptr::eq(field, &message.fields[rest]));
            if !is_rest {
                self.value = Value::Is(Next::Field(field, wire));
                return Ok(Some(Next::Name(&field.name)));
            }
            *rest = Some(Entries::new(field, wire));
        }
        self.next_entry()
    }

    /// The same where it is no field of a record.
    fn next_entry(&mut self) -> Result<Option<Next<'de>>> {
        let (entries, more) = match &mut self.of {
            Of::Record { fields, rest: Some(entries) } => {
                let more = fields.further(entries.wire());
                (entries, more)
            }
            Of::Map { entries, more } => (entries, *more),
            Of::Member { name, field, wire, .. } => {
                return Ok(match self.value {
                    // It was the one.
                    Value::Is(Next::Field(..)) => None,
                    _ => {
                        self.value = Value::Is(Next::Field(field, *wire));
                        Some(Next::Name(name))
                    }
                });
            }
            Of::Record { rest: None, .. } | Of::Nothing => return Ok(None),
        };
        let Some((field, wire)) = entries.next_key(self.decoder, more)? else { return Ok(None) };
        self.value = Value::OfEntry;
        Ok(Some(Next::Field(field, wire)))
    }

    /// What the value is read from.
    #[inline]
    fn begin_value(&mut self) -> Result<Next<'de>> {
        match self.value {
            Value::Is(next) => Ok(next),
            Value::OfEntry => match self.of.entries() {
                Some(entries) => {
                    let (field, wire) = entries.next_value(self.decoder)?;
                    Ok(Next::Field(field, wire))
                }
                None => Err(no_key(self.decoder)),
            },
            Value::None => Err(no_key(self.decoder)),
        }
    }

    /// Leaves the entry whose value was read.
    #[inline]
    fn end_value(&mut self) -> Result<()> {
        match (self.value, self.of.entries()) {
            (Value::OfEntry, Some(entries)) => entries.leave(self.decoder),
            _ => Ok(()),
        }
    }

    /// Says where an error happened in a key.
    #[cold]
    #[inline(never)]
    fn placed_key(&mut self, error: Error) -> Error {
        match self.of.entries() {
            Some(entries) => error.under_index(entries.count()),
            None => error,
        }
    }

    /// Says where an error happened in a value.
    #[cold]
    #[inline(never)]
    fn placed(&mut self, error: Error, field: &Field) -> Error {
        match &mut self.of {
            Of::Record { rest: Some(entries), .. } | Of::Map { entries, .. } => {
                entries.under_entry(error)
            }
            Of::Member { name, .. } => error.under_key(*name),
            _ => error.under_key(&field.name),
        }
    }
}

impl<'de> MapAccess<'de> for &mut Members<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let (field, wire) = match self.advance()? {
            None => return Ok(None),
            Some(Next::Name(name)) => {
                return seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some);
            }
            Some(Next::Field(field, wire)) => (field, wire),
        };
        let more = self.of.more(wire);
        match seed.deserialize(FieldDeserializer { decoder: self.decoder, field, wire, more }) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(self.placed_key(error)),
        }
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let (field, wire) = match self.begin_value()? {
            Next::Field(field, wire) => (field, wire),
            Next::Name(name) => return seed.deserialize(BorrowedStrDeserializer::new(name)),
        };
        let more = self.of.more(wire);
        match seed.deserialize(FieldDeserializer { decoder: self.decoder, field, wire, more }) {
            Ok(value) => {
                self.end_value()?;
                Ok(value)
            }
            Err(error) => Err(self.placed(error, field)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        match &self.of {
            Of::Map { entries, .. } => entries.is_ended().then_some(0),
            _ => None,
        }
    }
}

#[cold]
#[inline(never)]
pub(super) fn no_key(decoder: &Decoder<'_>) -> Error {
    decoder.error(Category::Data, "a value without a key")
}
