//! Decodes binary formats straight into each type: the code of each pair of type and format is
//! compiled separately.

use std::marker::PhantomData;

use manywire_codec::{Limits, Result};
use manywire_format::Format;
use serde::Deserialize;

use super::{Codecs, require_plan};

impl Codecs {
    /// Decodes any format but JSON.
    #[inline]
    pub(super) fn decode_binary<'de, T: Deserialize<'de>>(
        &'de self,
        format: Format,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<T> {
        // With default limits, the plan does not need to scan each message for its depth first.
        if format == Format::Protobuf && limits == Limits::DEFAULT {
            return require_plan(&self.protobuf, format)?.decode(bytes);
        }
        self.decode_format(format, PhantomData::<T>, bytes, limits)
    }

    /// Decodes any format but JSON with a seed.
    #[cfg(feature = "multipart")]
    #[inline]
    pub(super) fn decode_binary_seed<'de, S: serde::de::DeserializeSeed<'de>>(
        &'de self,
        format: Format,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        self.decode_format(format, seed, bytes, limits)
    }
}
