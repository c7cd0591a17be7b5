//! Bytes to text.

use ascii::AsAsciiStr;

/// From this length on the vectorised check wins over the word-by-word one.
const VECTORISED_FROM: usize = 64;

/// The bytes as text, if they are UTF-8.
///
/// Names and most short texts are ASCII, and the test for that inlines to a few words' worth of
/// instructions where `str::from_utf8` is a call that walks byte by byte up to alignment.
#[inline]
pub(crate) fn utf8(bytes: &[u8]) -> Option<&str> {
    if bytes.len() < VECTORISED_FROM
        && let Ok(text) = bytes.slice_ascii(..)
    {
        return Some(text.as_str());
    }
    checked(bytes)
}

#[inline(never)]
fn checked(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}
