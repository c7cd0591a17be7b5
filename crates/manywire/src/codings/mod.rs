//! Content codings (gzip, deflate, zstd, brotli) of whole messages and of streams, in both
//! directions.

#[cfg_attr(not(any(feature = "gzip", feature = "zstd", feature = "br")), path = "disabled.rs")]
mod enabled;
mod stream_decoder;

use manywire_format::Coding;

pub(crate) use enabled::{StreamEncoder, decode, encode};
pub(crate) use stream_decoder::{DecodeFailure, DecodeStep, StreamDecoder, StreamDecoderLimits};

/// The largest number of codings of a message. Two are enough for every legitimate sender.
pub(crate) const CODINGS_MAX: usize = 2;

/// Returns the coding with this name, if its library is compiled in.
pub(crate) fn parse(name: &str) -> Option<Coding> {
    name.parse().ok().filter(|coding| is_compiled_in(*coding))
}

/// Returns the codings that request bodies are decoded from.
pub(crate) fn supported() -> impl Iterator<Item = Coding> {
    Coding::ALL.into_iter().filter(|coding| is_compiled_in(*coding))
}

/// Returns whether the library of a coding is compiled in.
pub(crate) fn is_compiled_in(coding: Coding) -> bool {
    match coding {
        Coding::Gzip | Coding::Deflate => cfg!(feature = "gzip"),
        Coding::Zstd => cfg!(feature = "zstd"),
        Coding::Brotli => cfg!(feature = "br"),
    }
}
