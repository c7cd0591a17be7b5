//! Errors of content codings: invalid and truncated data, and codings that are not compiled in.

use std::fmt::Display;

use manywire_format::Coding;

use crate::core::error::{Category, Error};

/// The message for bytes after the end of a message or stream.
#[cfg(any(feature = "gzip", feature = "br"))]
pub(super) const TRAILING_BYTES: &str = "unexpected bytes after the end of the compressed data";

/// Builds the error for a coding whose feature is off.
#[allow(dead_code, reason = "not called when every coding is compiled in")]
#[cold]
#[inline(never)]
pub(super) fn not_compiled_in(coding: Coding) -> Error {
    Error::unsupported(format_args!("the content coding {coding} was not compiled in"))
}

/// Builds the error for bytes that are invalid in their coding.
#[cold]
#[inline(never)]
pub(super) fn corrupt(coding: Coding, offset: usize, what: impl Display) -> Error {
    Error::syntax(offset, format_args!("invalid {coding} data: {what}"))
}

/// Builds the error for coded bytes that end early.
#[cold]
#[inline(never)]
pub(super) fn truncated(offset: usize, coding: Coding) -> Error {
    Error::at(Category::Eof, offset, format_args!("truncated {coding} data"))
}
