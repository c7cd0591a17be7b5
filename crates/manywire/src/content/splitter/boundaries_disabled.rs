//! Stand-in for the type of `boundaries` without the feature `own-format`, so that callers need no
//! `cfg`.

use std::convert::Infallible;

use manywire_codec::Result;

use super::Split;

/// The splitter of a user-defined format, which cannot exist.
#[derive(Debug)]
pub(in crate::content) struct BoundarySplitter(pub(in crate::content) Infallible);

impl BoundarySplitter {
    pub(super) fn next(&mut self, _: &[u8], _: bool) -> Result<Split> {
        match self.0 {}
    }
}
