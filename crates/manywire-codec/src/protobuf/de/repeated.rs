//! Repeated fields: items and entries, packed or not, in one piece or several.

use serde::de::{DeserializeSeed, SeqAccess};

use super::super::plan::Field;
use super::super::wire::{ABSENT, LEN};
use super::decoder::Decoder;
use super::fields::Fields;
use super::index::Entry;
use super::members::no_key;
use super::place::FieldDeserializer;
use crate::core::limits::PREALLOCATED_ITEMS_MAX;
use crate::core::text;
use crate::{Category, Error, Result};

/// Walks the values of one repeated field.
struct Values<'de> {
    field: &'de Field,
    item: &'de Field,
    /// The wire type of the value that the cursor is on, or [`ABSENT`] where it is on none.
    wire: u8,
    /// What comes after the packed values that the cursor is on.
    after: Option<&'de [u8]>,
    /// How many of the further entries were read.
    read: usize,
}

impl<'de> Values<'de> {
    #[inline]
    fn new(field: &'de Field, wire: u8) -> Self {
        Values { field, item: field.item(), wire, after: None, read: 0 }
    }

    /// Sets the cursor on the next value, if there is one.
    #[inline]
    fn advance(&mut self, decoder: &mut Decoder<'de>, more: &[Entry<'de>]) -> Result<bool> {
        loop {
            if let Some(after) = self.after {
                if !decoder.rest.is_empty() {
                    return Ok(true);
                }
                decoder.rest = after;
                self.after = None;
            }
            if self.wire == ABSENT && !self.next_entry(decoder, more)? {
                return Ok(false);
            }
            let wire = std::mem::replace(&mut self.wire, ABSENT);
            if wire == self.item.wire {
                return Ok(true);
            }
            if wire != LEN {
                return Err(decoder.unexpected_wire(self.field, wire));
            }
            // Numbers may be packed whatever the schema says.
            let packed = decoder.bytes()?;
            self.after = Some(decoder.rest);
            decoder.rest = packed;
        }
    }

    /// How many values there are at least: those that follow without a break. Counting them is
    /// much cheaper than moving items each time a collection grows.
    #[inline]
    fn count_ahead(&self, decoder: &Decoder<'de>) -> Option<usize> {
        if self.item.wire != LEN || self.wire != LEN {
            return None;
        }
        let mut rest = decoder.rest;
        let mut count = 0;
        while count < PREALLOCATED_ITEMS_MAX {
            let (len, after) = match *rest {
                [len, ref after @ ..] if len < 0x80 => (usize::from(len), after),
                [low, high, ref after @ ..] if high < 0x80 => {
                    (usize::from(low & 0x7f) | usize::from(high) << 7, after)
                }
                _ => break,
            };
            let Some(after) = after.get(len..) else { break };
            count += 1;
            let Some(after) = self.item.strip_tag(after) else { break };
            rest = after;
        }
        Some(count)
    }

    /// Reads the tag of the next entry of this field: the one that follows, or the next indexed.
    #[inline]
    fn next_entry(&mut self, decoder: &mut Decoder<'de>, more: &[Entry<'de>]) -> Result<bool> {
        if decoder.rest.is_empty() {
            let Some(entry) = more.get(self.read) else { return Ok(false) };
            self.read += 1;
            decoder.rest = entry.bytes;
            self.wire = entry.wire;
            return Ok(true);
        }
        // Nearly always the tag is written as we would write it.
        if let Some(rest) = self.item.strip_tag(decoder.rest) {
            decoder.rest = rest;
            self.wire = self.item.wire;
            return Ok(true);
        }
        let before = decoder.rest;
        let (number, wire) = decoder.tag()?;
        if number != self.field.number {
            decoder.rest = before;
            return Ok(false);
        }
        self.wire = wire;
        Ok(true)
    }
}

/// An array, the values of a repeated field; or a tuple, the fields of a message in order. One type
/// for both: see [`members`](super::members).
pub(super) struct Items<'a, 'de> {
    decoder: &'a mut Decoder<'de>,
    of: Of<'a, 'de>,
    count: usize,
}

enum Of<'a, 'de> {
    Array { values: Values<'de>, more: &'a [Entry<'de>], ended: bool },
    Tuple(&'a mut Fields<'de>),
}

impl<'a, 'de> Items<'a, 'de> {
    #[inline]
    pub(super) fn new(
        decoder: &'a mut Decoder<'de>,
        field: &'de Field,
        wire: u8,
        more: &'a [Entry<'de>],
    ) -> Self {
        let of = Of::Array { values: Values::new(field, wire), more, ended: wire == ABSENT };
        Items { decoder, of, count: 0 }
    }

    #[inline]
    pub(super) fn of_tuple(decoder: &'a mut Decoder<'de>, fields: &'a mut Fields<'de>) -> Self {
        Items { decoder, of: Of::Tuple(fields), count: 0 }
    }

    /// Moves on to the next item: its field, and its wire type.
    #[inline]
    fn advance(&mut self) -> Result<Option<(&'de Field, u8)>> {
        match &mut self.of {
            Of::Array { values, more, ended } => {
                if *ended || !values.advance(self.decoder, more)? {
                    *ended = true;
                    return Ok(None);
                }
                Ok(Some((values.item, values.item.wire)))
            }
            Of::Tuple(fields) => fields.advance(self.decoder),
        }
    }

    /// Fails if the value took fewer items of an array than there are. What is left of a tuple,
    /// leaving its message looks at.
    #[inline]
    pub(super) fn finish(mut self) -> Result<()> {
        if let Of::Array { .. } = self.of
            && self.advance()?.is_some()
        {
            let message = format_args!("expected {} items, found more", self.count);
            return Err(self.decoder.error(Category::Data, message));
        }
        Ok(())
    }

    /// Says in which item an error happened: of a tuple by its place in the message, where the
    /// fields that are not there count, too.
    #[cold]
    #[inline(never)]
    fn placed(&self, error: Error) -> Error {
        error.under_index(match &self.of {
            Of::Array { .. } => self.count,
            Of::Tuple(fields) => fields.next - 1,
        })
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some((field, wire)) = self.advance()? else { return Ok(None) };
        let more = match &self.of {
            Of::Array { .. } => &[],
            Of::Tuple(fields) => fields.further(wire),
        };
        match seed.deserialize(FieldDeserializer { decoder: self.decoder, field, wire, more }) {
            Ok(value) => {
                self.count += 1;
                Ok(Some(value))
            }
            Err(error) => Err(self.placed(error)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        match &self.of {
            Of::Array { ended: true, .. } => Some(0),
            Of::Array { values, .. } => values.count_ahead(self.decoder),
            Of::Tuple(fields) => Some(fields.message.fields.len().saturating_sub(fields.next)),
        }
    }
}

/// A map: the entries of a repeated field.
pub(super) struct Entries<'de> {
    values: Values<'de>,
    /// The wire type of the first value.
    wire: u8,
    ended: bool,
    /// The entry whose key was read.
    fields: Option<Fields<'de>>,
    /// The bytes of that entry.
    body: &'de [u8],
    count: usize,
}

impl<'de> Entries<'de> {
    pub(super) fn new(field: &'de Field, wire: u8) -> Self {
        Entries {
            values: Values::new(field, wire),
            wire,
            ended: wire == ABSENT,
            fields: None,
            body: &[],
            count: 0,
        }
    }

    /// The wire type of the first entry.
    #[inline]
    pub(super) fn wire(&self) -> u8 {
        self.wire
    }

    /// How many were read.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn is_ended(&self) -> bool {
        self.ended
    }

    /// Further entries of the key or value that was just presented.
    #[inline]
    pub(super) fn further(&self, wire: u8) -> &[Entry<'de>] {
        self.fields.as_ref().map_or(&[], |fields| fields.further(wire))
    }

    /// Sets the cursor on the next entry, if there is one.
    pub(super) fn advance(
        &mut self,
        decoder: &mut Decoder<'de>,
        more: &[Entry<'de>],
    ) -> Result<bool> {
        self.ended = self.ended || !self.values.advance(decoder, more)?;
        Ok(!self.ended)
    }

    /// Enters the next entry, if there is one: the field of its key, and its wire type.
    pub(super) fn next_key(
        &mut self,
        decoder: &mut Decoder<'de>,
        more: &[Entry<'de>],
    ) -> Result<Option<(&'de Field, u8)>> {
        if !self.advance(decoder, more)? {
            return Ok(None);
        }
        let entry = self.values.item;
        let frame = decoder.enter(entry, entry.wire, &[])?;
        self.body = decoder.rest;
        let fields = self.fields.insert(Fields::new(decoder.plan.message(entry), frame));
        match fields.advance(decoder)? {
            None => Err(no_key(decoder)),
            key => Ok(key),
        }
    }

    /// Says in which entry an error happened: by its key where that is text and comes first, as
    /// every writer sends it, else by its place.
    #[cold]
    #[inline(never)]
    pub(super) fn under_entry(&self, error: Error) -> Error {
        let key = match *self.body {
            [0x0a, len, ref rest @ ..] if len < 0x80 => rest.get(..usize::from(len)),
            _ => None,
        };
        match key.and_then(text::utf8) {
            Some(key) => error.under_key(key),
            None => error.under_index(self.count),
        }
    }

    /// The field of the value of the entry that was entered, and its wire type.
    pub(super) fn next_value(&mut self, decoder: &mut Decoder<'de>) -> Result<(&'de Field, u8)> {
        let value = match &mut self.fields {
            Some(fields) => fields.advance(decoder)?,
            None => None,
        };
        value.ok_or_else(|| no_key(decoder))
    }

    /// Leaves the entry that was entered.
    pub(super) fn leave(&mut self, decoder: &mut Decoder<'de>) -> Result<()> {
        let Some(fields) = self.fields.take() else { return Err(no_key(decoder)) };
        fields.leave(decoder)?;
        self.count += 1;
        Ok(())
    }
}
