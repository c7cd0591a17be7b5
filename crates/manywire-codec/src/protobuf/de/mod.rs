//! Messages to values.

mod access;
mod decoder;
mod fields;
mod frame;
mod index;
mod place;
mod repeated;
mod replaced;
mod skip;
mod variant;

use std::marker::PhantomData;

use manywire_format::Format;
use serde::de::{Deserialize, DeserializeSeed};

use self::decoder::Decoder;
use self::place::FieldDeserializer;
use super::plan::Plan;
use crate::{Limits, Result};

impl Plan {
    /// Reads a value out of a message.
    ///
    /// Text and bytes may be borrowed from the input, names from the plan. Fails on bytes that are
    /// not a message, and on a message that is not of the schema or not of the type.
    pub fn decode<'de, T: Deserialize<'de>>(&'de self, bytes: &'de [u8]) -> Result<T> {
        // Nearly every message has its fields in order. The first attempt relies on it; whatever
        // it trips over, the second says what is really the matter, or reads the message.
        let mut hopeful = Decoder::new(self, bytes, Limits::DEFAULT, false);
        let seed = PhantomData::<T>;
        match hopeful.whole(seed) {
            Ok(value) => Ok(value),
            Err(_) => self.decode_seed(PhantomData::<T>, bytes, Limits::DEFAULT),
        }
    }

    /// Reads a value out of a message with a seed, within limits.
    ///
    /// A seed can be used only once, so each message is looked through before it is read. The
    /// depth that is limited is that of the value: messages that only wrap one do not count.
    pub fn decode_seed<'de, S: DeserializeSeed<'de>>(
        &'de self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        Decoder::new(self, bytes, limits, true)
            .whole(seed)
            .map_err(|error| error.with_format(Format::Protobuf))
    }
}

impl<'de> Decoder<'de> {
    fn whole<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let field = &self.plan.whole;
        let place = FieldDeserializer { decoder: self, field, wire: field.wire, more: &[] };
        seed.deserialize(place)
    }
}
