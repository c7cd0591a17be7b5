//! Decodes binary formats through trait objects (`manywire_codec::erased`): the code of a type is
//! compiled once for all formats, and the code of each format once for all types. The feature
//! `fast-compile` selects this module instead of `direct`. Both modules return the same values and
//! errors.

use std::marker::PhantomData;

use manywire_codec::{Limits, Result, erased};
use manywire_format::Format;
use serde::Deserialize;
use serde::de::DeserializeSeed;

use super::Codecs;

impl Codecs {
    /// Decodes any format but JSON.
    pub(super) fn decode_binary<'de, T: Deserialize<'de>>(
        &'de self,
        format: Format,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<T> {
        self.decode_binary_seed(format, PhantomData::<T>, bytes, limits)
    }

    /// Decodes any format but JSON with a seed.
    pub(super) fn decode_binary_seed<'de, S: DeserializeSeed<'de>>(
        &'de self,
        format: Format,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        erased::read(seed, |seed| self.decode_erased(format, seed, bytes, limits))
    }

    /// Decodes into a type-erased seed, so that the code of each format is compiled here.
    #[inline(never)]
    fn decode_erased<'de>(
        &'de self,
        format: Format,
        seed: erased::Seed<'_, 'de>,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<()> {
        self.decode_format(format, seed, bytes, limits)
    }
}
