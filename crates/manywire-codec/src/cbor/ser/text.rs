//! Text whose length is known only when it has been written.

use std::fmt::{Display, Write};

use super::head;
use crate::cbor::head::{DIRECT, TEXT};
use crate::{Category, Error, Result};

/// Writes what a value displays. It goes straight behind a first byte for a short text; a longer
/// one is moved up to make room for its length.
pub(super) fn collect<T: Display + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<()> {
    let start = out.len();
    out.push(TEXT << 5);
    write!(Appended(out), "{value}").map_err(|_| refused())?;
    let end = out.len();
    let length = end - start - 1;
    if length < usize::from(DIRECT) {
        out[start] |= length as u8;
        return Ok(());
    }
    head::write(out, TEXT, length as u64);
    let head = out.len() - end;
    out[start..].rotate_right(head);
    // The first byte that was there before the text stands between it and the new one.
    out.remove(start + head);
    Ok(())
}

struct Appended<'o>(&'o mut Vec<u8>);

impl Write for Appended<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

#[cold]
fn refused() -> Error {
    Error::new(Category::Unsupported, "a value that refuses to be displayed")
}
