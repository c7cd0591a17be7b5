//! Values that later ones replace.

use manywire_shape::{Arena, ValueSeed};
use serde::de::DeserializeSeed;

use super::super::plan::Message;
use super::decoder::Decoder;
use super::index::Entry;
use super::place::FieldDeserializer;
use crate::Result;

impl<'de> Decoder<'de> {
    /// Reads each as if it counted, and keeps nothing of it.
    ///
    /// Other readers parse fields as they come, and drop what is there when the next comes
    /// (<https://protobuf.dev/programming-guides/encoding/#last-one-wins>): a message is malformed
    /// by what is malformed in it, whatever stands behind that.
    #[cold]
    #[inline(never)]
    pub(super) fn read_replaced(
        &mut self,
        message: &'de Message,
        replaced: &[Entry<'de>],
    ) -> Result<()> {
        let arena = Arena::new();
        let is_one =
            |one: &Entry<'de>, next: &Entry<'de>| one.field == next.field && one.joins(message);
        for pieces in replaced.chunk_by(is_one) {
            let Some((&Entry { field, wire, bytes }, more)) = pieces.split_first() else {
                continue;
            };
            let field = &message.fields[field];
            self.rest = bytes;
            let place = FieldDeserializer { decoder: self, field, wire, more };
            ValueSeed::new(&arena)
                .deserialize(place)
                .map_err(|error| error.under_key(&field.name))?;
        }
        Ok(())
    }
}
