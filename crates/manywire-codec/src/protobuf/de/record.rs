//! The fields of a record as serde's derive takes them from a format without names.

use serde::de::{DeserializeSeed, SeqAccess};

use super::decoder::Decoder;
use super::fields::Fields;
use crate::{Error, Result};

/// The values of a record without their names, for a type that has the same in the same order: it
/// is saved a look at each name, and its slots for values that may come in any order.
pub(super) struct RecordValues<'a, 'de> {
    pub(super) decoder: &'a mut Decoder<'de>,
    pub(super) fields: &'a mut Fields<'de>,
}

impl<'de> SeqAccess<'de> for RecordValues<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some((field, wire)) = self.fields.advance(self.decoder)? else { return Ok(None) };
        match seed.deserialize(self.fields.place(self.decoder, field, wire)) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.under_key(&field.name)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.fields.message.fields.len())
    }
}
