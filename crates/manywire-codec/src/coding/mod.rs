//! Content codings: bytes made smaller for the way, and back.
//!
//! An [`Encoder`] or [`Decoder`] is made once and used for many messages: the working memory of
//! gzip, deflate and zstd is kept, which at the size of an API's messages is most of the cost.
//! brotli's is made anew each time, because its library offers no way to reset it.
//!
//! [`stream`] does the same for streams of any length.
//!
//! What is decoded comes from outside: see [`DecodeLimits`]. Input that ends early, or goes on
//! after its end, is an error. Offsets in errors are those of the coded bytes.

mod decode;
mod encode;
mod limits;
pub mod stream;

#[cfg(feature = "br")]
mod brotli;
#[cfg(feature = "gzip")]
mod deflate;
#[cfg(feature = "gzip")]
mod gzip;
#[cfg(feature = "zstd")]
mod zstd;

pub use decode::Decoder;
#[cfg(feature = "gzip")]
pub(crate) use deflate::{Deflating, Inflating};
pub use encode::Encoder;
pub use limits::DecodeLimits;

use manywire_format::Coding;

use crate::core::error::{Category, Error};

/// The library has no code for this coding: its feature is off.
#[allow(dead_code, reason = "not called when every coding is compiled in")]
#[cold]
#[inline(never)]
fn not_compiled_in(coding: Coding) -> Error {
    Error::new(
        Category::Unsupported,
        format_args!("the content coding {coding} was not compiled in"),
    )
}

/// Coded bytes that break the rules of their coding.
#[cold]
#[inline(never)]
fn corrupt(coding: Coding, offset: usize, what: impl std::fmt::Display) -> Error {
    Error::at(Category::Syntax, offset, format_args!("these bytes are not {coding}: {what}"))
}

/// Coded bytes that end before their end.
#[cold]
#[inline(never)]
fn truncated(offset: usize, coding: Coding) -> Error {
    Error::at(Category::Eof, offset, format_args!("the bytes end here, in the middle of {coding}"))
}
