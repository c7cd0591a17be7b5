//! Records.

use std::slice;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::blocks::{Access, MapEntries, left_over};
use super::{Decoder, Place};
use crate::avro::plan::{Field, Op, Record};
use crate::core::error::{Error, Result};

/// The fields of a record, under names that the plan lends.
pub(super) struct RecordAccess<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    fields: slice::Iter<'de, Field>,
    name: &'de str,
    op: Op,
}

impl<'d, 'de> RecordAccess<'d, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'de>, record: &'de Record) -> Self {
        RecordAccess { decoder, fields: record.fields.iter(), name: "", op: Op::Null }
    }

    /// Moves on to the next field that is there.
    #[inline]
    fn settle(&mut self) -> Result<bool> {
        loop {
            let Some(field) = self.fields.next() else { return Ok(false) };
            self.name = &field.name;
            self.op = if field.optional {
                match self.decoder.branch(field.op)? {
                    Op::Null => continue,
                    op => op,
                }
            } else {
                field.op
            };
            return Ok(true);
        }
    }
}

impl<'de> MapAccess<'de> for RecordAccess<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.settle()? {
            return Ok(None);
        }
        seed.deserialize(BorrowedStrDeserializer::new(self.name)).map(Some)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let start = self.decoder.offset();
        match seed.deserialize(Place { decoder: self.decoder, op: self.op }) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.with_offset(start).under_key(self.name)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.len())
    }
}

impl<'de> Access<'de> for RecordAccess<'_, 'de> {
    #[inline]
    fn end(&mut self) -> Result<()> {
        for field in self.fields.by_ref() {
            self.decoder.skip(field.op)?;
        }
        Ok(())
    }
}

/// The fields of a record without their names, for a visitor that has the same in the same order.
pub(super) struct FieldValues<'d, 'de> {
    decoder: &'d mut Decoder<'de>,
    fields: slice::Iter<'de, Field>,
}

impl<'d, 'de> FieldValues<'d, 'de> {
    #[inline]
    pub(super) fn new(decoder: &'d mut Decoder<'de>, fields: &'de [Field]) -> Self {
        FieldValues { decoder, fields: fields.iter() }
    }

    /// Skips what the visitor did not ask for.
    #[inline]
    pub(super) fn end(&mut self) -> Result<()> {
        for field in self.fields.by_ref() {
            self.decoder.skip(field.op)?;
        }
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for FieldValues<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(field) = self.fields.next() else { return Ok(None) };
        let start = self.decoder.offset();
        match seed.deserialize(Place { decoder: self.decoder, op: field.op }) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.with_offset(start).under_key(&field.name)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.len())
    }
}

/// A record with a rest: its fields, and then the entries that are no field.
pub(super) struct RestAccess<'d, 'de> {
    state: State<'d, 'de>,
    rest: Op,
}

enum State<'d, 'de> {
    Fields(RecordAccess<'d, 'de>),
    Rest(MapEntries<'d, 'de>),
    Gone,
}

impl<'d, 'de> RestAccess<'d, 'de> {
    pub(super) fn new(decoder: &'d mut Decoder<'de>, record: &'de Record, rest: Op) -> Self {
        RestAccess { state: State::Fields(RecordAccess::new(decoder, record)), rest }
    }

    /// Moves on from the fields to the rest.
    fn rest(&mut self) -> Result<&mut MapEntries<'d, 'de>> {
        self.state = match std::mem::replace(&mut self.state, State::Gone) {
            State::Fields(mut fields) => {
                fields.end()?;
                State::Rest(MapEntries::new(fields.decoder, self.rest))
            }
            other => other,
        };
        match &mut self.state {
            State::Rest(entries) => Ok(entries),
            _ => Err(left_over(0, 0)),
        }
    }
}

impl<'de> Access<'de> for RestAccess<'_, 'de> {
    fn end(&mut self) -> Result<()> {
        self.rest()?.end()
    }
}

impl<'de> MapAccess<'de> for RestAccess<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        // A seed is good for one key, so whether a field is left must be known beforehand.
        if let State::Fields(fields) = &mut self.state
            && fields.settle()?
        {
            return seed.deserialize(BorrowedStrDeserializer::new(fields.name)).map(Some);
        }
        self.rest()?.next_key_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        match &mut self.state {
            State::Fields(fields) => fields.next_value_seed(seed),
            State::Rest(entries) => entries.next_value_seed(seed),
            State::Gone => Err(left_over(0, 0)),
        }
    }
}

impl<'de> Place<'_, 'de> {
    /// Gives a record to a visitor of maps.
    #[inline]
    pub(super) fn record<V: Visitor<'de>>(self, index: u32, visitor: V) -> Result<V::Value> {
        let decoder = self.decoder;
        let record = decoder.plan.record(index);
        decoder.enter()?;
        let value = match record.rest {
            None => {
                let mut access = RecordAccess::new(decoder, record);
                let value = visitor.visit_map(&mut access)?;
                access.end()?;
                value
            }
            Some(rest) => Place::record_with_rest(decoder, record, rest, visitor)?,
        };
        decoder.leave();
        Ok(value)
    }

    #[inline(never)]
    fn record_with_rest<V: Visitor<'de>>(
        decoder: &mut Decoder<'de>,
        record: &'de Record,
        rest: u32,
        visitor: V,
    ) -> Result<V::Value> {
        let rest = decoder.plan.op(rest);
        let mut access = RestAccess::new(decoder, record, rest);
        let value = visitor.visit_map(&mut access)?;
        access.end()?;
        Ok(value)
    }
}
