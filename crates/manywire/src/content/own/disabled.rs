//! User-defined formats in a build without the feature `own-format`: types without values, with the
//! signatures of `erased` and `format`, so that callers need no `cfg`.

use std::convert::Infallible;

use manywire_codec::{Limits, Result};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

use super::AnyFormat;
use crate::content::Type;
use crate::content::splitter::Splitter;
use crate::negotiate::Offer;

/// User-defined formats in a build without the feature `own-format`: a type without values, so that
/// callers need no `cfg`.
#[derive(Clone, Copy)]
pub(super) struct ErasedFormat(Infallible);

impl ErasedFormat {
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

    pub(super) fn framing(self) -> Option<OwnFraming> {
        match self.0 {}
    }

    pub(super) fn has_empty_delimiter(self) -> bool {
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

    #[cfg(feature = "multipart")]
    pub(super) fn decode_seed_with_path<'de, S: DeserializeSeed<'de>>(
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

/// The framing of a user-defined format, which cannot exist.
#[derive(Clone, Copy)]
pub(crate) struct OwnFraming(Infallible);

impl OwnFraming {
    pub(crate) fn format(self) -> AnyFormat {
        match self.0 {}
    }

    pub(crate) fn is_text(self) -> bool {
        match self.0 {}
    }

    pub(crate) fn media_types(self) -> &'static [&'static str] {
        match self.0 {}
    }

    pub(crate) fn offer(self) -> Offer {
        match self.0 {}
    }

    pub(crate) fn write(
        self,
        _: bool,
        _: impl FnOnce(&mut Vec<u8>) -> Result<()>,
        _: &mut Vec<u8>,
    ) -> Result<()> {
        match self.0 {}
    }

    pub(in crate::content) fn splitter(self) -> Splitter {
        match self.0 {}
    }
}
