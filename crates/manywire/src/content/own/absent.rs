use std::convert::Infallible;

use manywire_codec::{Limits, Result};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

use super::super::Type;

/// A format of one's own, without the feature: there is none.
#[derive(Clone, Copy)]
pub(super) struct Own(Infallible);

impl Own {
    pub(super) fn name(self) -> &'static str {
        match self.0 {}
    }

    pub(super) fn media_types(self) -> &'static [&'static str] {
        match self.0 {}
    }

    pub(super) fn is_text(self) -> bool {
        match self.0 {}
    }

    pub(super) fn holds(self, _: &Type) -> Result<()> {
        match self.0 {}
    }

    pub(super) fn encode<T: Serialize>(self, _: &T, _: &mut Vec<u8>) -> Result<()> {
        match self.0 {}
    }

    pub(super) fn decode_seed<'de, S: DeserializeSeed<'de>>(
        self,
        _: S,
        _: &'de [u8],
        _: Limits,
    ) -> Result<S::Value> {
        match self.0 {}
    }

    pub(super) fn decode<'de, T: Deserialize<'de>>(self, _: &'de [u8], _: Limits) -> Result<T> {
        match self.0 {}
    }
}
