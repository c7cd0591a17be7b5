//! User-defined formats in a build without the feature `own-format`: a type without values, with the
//! signatures of `erased`, so that callers need no `cfg`.

use std::convert::Infallible;

use manywire_codec::{Limits, Result};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

use crate::content::Type;

/// User-defined formats in a build without the feature `own-format`: a type without values, so that
/// callers need no `cfg`.
#[derive(Clone, Copy)]
pub(in crate::content) struct ErasedFormat(Infallible);

impl ErasedFormat {
    pub(in crate::content::own) fn name(self) -> &'static str {
        match self.0 {}
    }

    pub(in crate::content::own) fn media_types(self) -> &'static [&'static str] {
        match self.0 {}
    }

    pub(in crate::content::own) fn is_text(self) -> bool {
        match self.0 {}
    }

    pub(in crate::content::own) fn holds(self, _: &Type) -> Result<()> {
        match self.0 {}
    }

    pub(in crate::content) fn has_empty_delimiter(self) -> bool {
        match self.0 {}
    }

    pub(in crate::content::own) fn encode<T: Serialize>(
        self,
        _: &T,
        _: &mut Vec<u8>,
    ) -> Result<()> {
        match self.0 {}
    }

    pub(in crate::content::own) fn decode_seed<'de, S: DeserializeSeed<'de>>(
        self,
        _: S,
        _: &'de [u8],
        _: Limits,
        _: bool,
    ) -> Result<S::Value> {
        match self.0 {}
    }

    pub(in crate::content::own) fn decode<'de, T: Deserialize<'de>>(
        self,
        _: &'de [u8],
        _: Limits,
    ) -> Result<T> {
        match self.0 {}
    }
}
