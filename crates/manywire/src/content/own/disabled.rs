//! User-defined formats in a build without the feature `own-format`: types without values, with the
//! signatures of `erased` and `format`, so that callers need no `cfg`.

use std::convert::Infallible;

use manywire_codec::{Limits, Result};
use serde::de::DeserializeSeed;
use serde::{Deserialize, Serialize};

use super::AnyFormat;
use crate::content::Type;
use crate::content::splitter::{Split, Splitter};
use crate::negotiate::Offer;

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

    pub(in crate::content::own) fn framing(self) -> Option<OwnFraming> {
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
        Splitter::Boundaries(BoundarySplitter(self.0))
    }
}

/// The splitter of a user-defined format, which cannot exist.
#[derive(Debug)]
pub(in crate::content) struct BoundarySplitter(Infallible);

impl BoundarySplitter {
    pub(in crate::content) fn next(&mut self, _: &[u8], _: bool) -> Result<Split> {
        match self.0 {}
    }
}
