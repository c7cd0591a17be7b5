//! Stand-in for the type of `own` without the feature `own-format`, so that callers need no `cfg`.

use std::convert::Infallible;

use manywire_codec::Result;

use crate::content::own::{AnyFormat, ErasedFormat};
use crate::content::splitter::{BoundarySplitter, Splitter};
use crate::negotiate::Offer;

/// The framing of a user-defined format, which cannot exist.
#[derive(Clone, Copy)]
pub(crate) struct OwnFraming(Infallible);

impl OwnFraming {
    pub(in crate::content) fn of(_: ErasedFormat) -> Option<OwnFraming> {
        None
    }

    pub(super) fn format(self) -> AnyFormat {
        match self.0 {}
    }

    pub(super) fn is_text(self) -> bool {
        match self.0 {}
    }

    pub(super) fn media_types(self) -> &'static [&'static str] {
        match self.0 {}
    }

    pub(super) fn offer(self) -> Offer {
        match self.0 {}
    }

    pub(super) fn write(
        self,
        _: bool,
        _: impl FnOnce(&mut Vec<u8>) -> Result<()>,
        _: &mut Vec<u8>,
    ) -> Result<()> {
        match self.0 {}
    }

    pub(super) fn splitter(self) -> Splitter {
        Splitter::Boundaries(BoundarySplitter(self.0))
    }
}
