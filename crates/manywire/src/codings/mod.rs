//! Content codings on their way in and out: of messages that are there whole, and of streams.

#[cfg(not(any(feature = "gzip", feature = "zstd", feature = "br")))]
mod absent;
#[cfg(any(feature = "gzip", feature = "zstd", feature = "br"))]
mod coded;
mod inflating;
#[cfg(any(feature = "gzip", feature = "zstd", feature = "br"))]
mod whole;

use manywire_format::Coding;

#[cfg(not(any(feature = "gzip", feature = "zstd", feature = "br")))]
pub(crate) use absent::{Coded, decode, encode};
#[cfg(any(feature = "gzip", feature = "zstd", feature = "br"))]
pub(crate) use coded::Coded;
pub(crate) use inflating::{InflateLimits, Inflated, Inflating, Refused};
#[cfg(any(feature = "gzip", feature = "zstd", feature = "br"))]
pub(crate) use whole::{decode, encode};

/// The codings that bodies are read in.
pub(crate) fn read() -> impl Iterator<Item = Coding> {
    Coding::ALL.into_iter().filter(|coding| is_compiled_in(*coding))
}

/// Whether the library of a coding is there.
pub(crate) fn is_compiled_in(coding: Coding) -> bool {
    match coding {
        Coding::Gzip | Coding::Deflate => cfg!(feature = "gzip"),
        Coding::Zstd => cfg!(feature = "zstd"),
        Coding::Brotli => cfg!(feature = "br"),
    }
}
