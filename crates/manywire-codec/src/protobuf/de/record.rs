//! Passes the fields of a message to serde's visitors: with names, by order, or values alone.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::Decoder;
use super::fields::Fields;
use super::repeated::{Entries, no_key};
use crate::protobuf::plan::{Field, FieldKind};
use crate::{Error, Result};

/// A record as a map from names to values. The rest of a record, its entries that are not named
/// fields, follows the fields in the same map.
pub(super) struct RecordAccess<'a, 'de> {
    pub(super) decoder: &'a mut Decoder<'de>,
    pub(super) fields: &'a mut Fields<'de>,
    current: Option<(&'de Field, u8)>,
    rest: Option<Entries<'de>>,
}

impl<'a, 'de> RecordAccess<'a, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'a mut Decoder<'de>, fields: &'a mut Fields<'de>) -> Self {
        RecordAccess { decoder, fields, current: None, rest: None }
    }

    #[inline(never)]
    fn next_rest<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let Some((field, wire)) = self.current else { return Ok(None) };
        let entries = self.rest.get_or_insert_with(|| Entries::new(field, wire));
        let more = self.fields.more_entries(wire);
        entries.next_key(self.decoder, more, seed)
    }
}

impl<'de> MapAccess<'de> for RecordAccess<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.rest.is_some() {
            return self.next_rest(seed);
        }
        self.current = self.fields.advance(self.decoder)?;
        match self.current {
            None => Ok(None),
            Some((field, _))
                if field.kind == FieldKind::Map
                    && self.fields.message.rest().is_some_and(|rest| {
                        std::ptr::eq(field, &self.fields.message.fields[rest])
                    }) =>
            {
                self.next_rest(seed)
            }
            Some((field, _)) => {
                seed.deserialize(BorrowedStrDeserializer::new(&field.name)).map(Some)
            }
        }
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        if let Some(entries) = &mut self.rest {
            return entries.next_value(self.decoder, seed);
        }
        let Some((field, wire)) = self.current else { return Err(no_key(self.decoder)) };
        seed.deserialize(self.fields.deserializer(self.decoder, field, wire))
            .map_err(|error| error.under_key(&field.name))
    }
}

/// A tuple: the fields of a message in order.
pub(super) struct TupleAccess<'a, 'de> {
    pub(super) decoder: &'a mut Decoder<'de>,
    pub(super) fields: &'a mut Fields<'de>,
}

impl<'de> SeqAccess<'de> for TupleAccess<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some((field, wire)) = self.fields.advance(self.decoder)? else { return Ok(None) };
        let at = self.fields.next - 1;
        seed.deserialize(self.fields.deserializer(self.decoder, field, wire))
            .map(Some)
            .map_err(|error| error.under_index(at))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(
            self.fields.message.fields.len()
                - self.fields.next.min(self.fields.message.fields.len()),
        )
    }
}

/// The values of a record without their names, for a type with the same fields in the same order.
/// The type then compares no names and needs no slots for values out of order.
pub(super) struct RecordValues<'a, 'de> {
    pub(super) decoder: &'a mut Decoder<'de>,
    pub(super) fields: &'a mut Fields<'de>,
}

impl<'de> SeqAccess<'de> for RecordValues<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some((field, wire)) = self.fields.advance(self.decoder)? else { return Ok(None) };
        match seed.deserialize(self.fields.deserializer(self.decoder, field, wire)) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.under_key(&field.name)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.message.fields.len())
    }
}
