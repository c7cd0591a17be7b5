//! Reads the values of repeated fields and maps. The values may be packed, and may be spread over
//! the message.

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::fields::{FieldEntry, Fields};
use super::{Decoder, FieldDeserializer};
use crate::core::limits::PREALLOCATED_ITEMS_MAX;
use crate::protobuf::plan::Field;
use crate::protobuf::wire::{ABSENT, LEN};
use crate::{Category, Error, Result};

/// Walks the values of one repeated field.
struct Values<'de> {
    field: &'de Field,
    item: &'de Field,
    /// The wire type of the value at the cursor, or [`ABSENT`] if there is none.
    wire: u8,
    /// The bytes after the packed values at the cursor.
    after: Option<&'de [u8]>,
    /// The number of further entries read.
    read: usize,
}

impl<'de> Values<'de> {
    #[inline]
    fn new(field: &'de Field, wire: u8) -> Self {
        Values { field, item: field.item(), wire, after: None, read: 0 }
    }

    /// Moves the cursor to the next value. Returns false if there is none.
    #[inline]
    fn advance(&mut self, decoder: &mut Decoder<'de>, more: &[FieldEntry<'de>]) -> Result<bool> {
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
            // Numbers may be packed regardless of the schema.
            let packed = decoder.bytes()?;
            self.after = Some(decoder.rest);
            decoder.rest = packed;
        }
    }

    /// Returns a lower bound of the number of values: those that follow directly. Counting them is
    /// much cheaper than moving items whenever a collection grows. Returns `None` if the values
    /// have no length of their own, or if the cursor is not at the length of a value.
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

    /// Reads the tag of the next entry of this field: the one that follows directly, or the next in
    /// the index.
    #[inline]
    fn next_entry(&mut self, decoder: &mut Decoder<'de>, more: &[FieldEntry<'de>]) -> Result<bool> {
        if decoder.rest.is_empty() {
            let Some(entry) = more.get(self.read) else { return Ok(false) };
            self.read += 1;
            decoder.rest = entry.bytes;
            self.wire = entry.wire;
            return Ok(true);
        }
        // Usually the tag is in minimal form.
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

/// An array: the values of a repeated field.
pub(super) struct ItemsAccess<'a, 'de> {
    decoder: &'a mut Decoder<'de>,
    more: &'a [FieldEntry<'de>],
    values: Values<'de>,
    count: usize,
    ended: bool,
}

impl<'a, 'de> ItemsAccess<'a, 'de> {
    #[inline]
    pub(super) fn new(
        decoder: &'a mut Decoder<'de>,
        field: &'de Field,
        wire: u8,
        more: &'a [FieldEntry<'de>],
    ) -> Self {
        ItemsAccess {
            decoder,
            more,
            values: Values::new(field, wire),
            count: 0,
            ended: wire == ABSENT,
        }
    }

    /// Fails if the target left items unread.
    #[inline]
    pub(super) fn finish(mut self) -> Result<()> {
        if !self.ended && self.values.advance(self.decoder, self.more)? {
            return Err(Error::unread_items(self.decoder.offset(), self.count, None));
        }
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for ItemsAccess<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.ended || !self.values.advance(self.decoder, self.more)? {
            self.ended = true;
            return Ok(None);
        }
        let item = self.values.item;
        let deserializer =
            FieldDeserializer { decoder: self.decoder, field: item, wire: item.wire, more: &[] };
        let value =
            seed.deserialize(deserializer).map_err(|error| error.under_index(self.count))?;
        self.count += 1;
        Ok(Some(value))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        if self.ended {
            return Some(0);
        }
        self.values.count_ahead(self.decoder)
    }
}

/// A map: the entries of a repeated field.
pub(super) struct Entries<'de> {
    values: Values<'de>,
    ended: bool,
    /// The entry whose key was read.
    fields: Option<Fields<'de>>,
    /// The wire type of the key that was read, and the bytes from the key on.
    key: (u8, &'de [u8]),
    count: usize,
}

impl<'de> Entries<'de> {
    pub(super) fn new(field: &'de Field, wire: u8) -> Self {
        Entries {
            values: Values::new(field, wire),
            ended: wire == ABSENT,
            fields: None,
            key: (ABSENT, &[]),
            count: 0,
        }
    }

    pub(super) fn next_key<K: DeserializeSeed<'de>>(
        &mut self,
        decoder: &mut Decoder<'de>,
        more: &[FieldEntry<'de>],
        seed: K,
    ) -> Result<Option<K::Value>> {
        if self.ended || !self.values.advance(decoder, more)? {
            self.ended = true;
            return Ok(None);
        }
        let entry = self.values.item;
        let frame = decoder.enter(entry, entry.wire, &[])?;
        let mut fields = Fields::new(decoder.plan.message(entry), frame);
        let Some((field, wire)) = fields.advance(decoder)? else { return Err(no_key(decoder)) };
        self.key = (wire, decoder.rest);
        let key = seed
            .deserialize(fields.deserializer(decoder, field, wire))
            .map_err(|error| self.under_entry(decoder, error))?;
        self.fields = Some(fields);
        Ok(Some(key))
    }

    /// Adds the entry to an error's path: by its key, or by its index if the key is invalid. A key
    /// that is absent is zero or empty.
    #[cold]
    #[inline(never)]
    fn under_entry(&self, decoder: &Decoder<'de>, error: Error) -> Error {
        let (wire, content) = self.key;
        // Without a check, the error only leads to a second attempt.
        if !decoder.checked {
            return error.under_index(self.count);
        }
        let plan = decoder.plan;
        let field = &plan.message(self.values.item).fields[0];
        match plan.text_of_key(field, wire, content) {
            Some(key) => error.under_key(key),
            None => error.under_index(self.count),
        }
    }

    pub(super) fn next_value<V: DeserializeSeed<'de>>(
        &mut self,
        decoder: &mut Decoder<'de>,
        seed: V,
    ) -> Result<V::Value> {
        let Some(mut fields) = self.fields.take() else { return Err(no_key(decoder)) };
        let Some((field, wire)) = fields.advance(decoder)? else { return Err(no_key(decoder)) };
        let value = seed
            .deserialize(fields.deserializer(decoder, field, wire))
            .map_err(|error| self.under_entry(decoder, error))?;
        fields.leave(decoder)?;
        self.count += 1;
        Ok(value)
    }
}

#[cold]
#[inline(never)]
pub(super) fn no_key(decoder: &Decoder<'_>) -> Error {
    decoder.error(Category::Data, "a value without a key")
}

/// The entries of a map field.
pub(super) struct EntriesAccess<'a, 'de> {
    pub(super) decoder: &'a mut Decoder<'de>,
    pub(super) more: &'a [FieldEntry<'de>],
    pub(super) entries: Entries<'de>,
}

impl<'de> EntriesAccess<'_, 'de> {
    /// Fails if the target left entries unread.
    pub(super) fn finish(mut self) -> Result<()> {
        if !self.entries.ended && self.entries.values.advance(self.decoder, self.more)? {
            return Err(Error::unread_entries(self.decoder.offset()));
        }
        Ok(())
    }
}

impl<'de> MapAccess<'de> for EntriesAccess<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        self.entries.next_key(self.decoder, self.more, seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        self.entries.next_value(self.decoder, seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.entries.ended.then_some(0)
    }
}
