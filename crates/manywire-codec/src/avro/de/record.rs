//! Records.

use std::slice;

use serde::de::{DeserializeSeed, SeqAccess};

use super::{Decoder, Place};
use crate::avro::plan::Field;
use crate::core::error::{Error, Result};

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

impl<'de> SeqAccess<'de> for &mut FieldValues<'_, 'de> {
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
