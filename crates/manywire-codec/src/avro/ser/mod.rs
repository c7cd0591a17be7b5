//! Writing a value where a schema has a place for it.

mod choose;
mod extension;
mod integer;
mod items;
mod key;
mod members;
mod record;
mod typed;
mod variant;
mod whole;

use manywire_format::Format;
use serde::Serialize;

use super::plan::{Op, Plan};
use super::wire::{EMPTY_ITEMS_MAX, write_len, write_long};
use crate::core::error::{Category, Error, Result};

impl Plan {
    /// The encoding of a value, in a vector with room for what this plan has written lately.
    ///
    /// # Errors
    ///
    /// As [`encode`](Plan::encode).
    pub fn to_vec<T: Serialize + ?Sized>(&self, value: &T) -> Result<Vec<u8>> {
        let mut out = self.room.vec();
        self.encode(value, &mut out)?;
        self.room.note(out.len());
        Ok(out)
    }

    /// Appends the encoding of a value.
    ///
    /// # Errors
    ///
    /// A value that the schema has no place for, with the path to it. What was written of it is
    /// taken back, so that `out` is as it was.
    pub fn encode<T: Serialize + ?Sized>(&self, value: &T, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let mut writer = Writer { bytes: std::mem::take(out), empty_items_left: EMPTY_ITEMS_MAX };
        let result = value.serialize(Place { writer: &mut writer, plan: self, op: self.root });
        *out = writer.bytes;
        result.map_err(|error| {
            out.truncate(start);
            error.with_format(Format::Avro)
        })
    }
}

/// The output.
struct Writer {
    bytes: Vec<u8>,
    empty_items_left: u64,
}

impl Writer {
    #[inline]
    fn long(&mut self, value: i64) {
        write_long(&mut self.bytes, value);
    }

    #[inline]
    fn len(&mut self, len: usize) {
        write_len(&mut self.bytes, len);
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// A length and as many bytes, with one look at the capacity.
    #[inline]
    fn sized(&mut self, bytes: &[u8]) {
        self.bytes.reserve(bytes.len() + 10);
        self.len(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    /// The index of a branch, a symbol or a variant.
    #[inline]
    fn index(&mut self, index: u32) {
        self.long(index.into());
    }
}

/// A place in the schema, to which one value is to be written.
struct Place<'w, 'p> {
    writer: &'w mut Writer,
    plan: &'p Plan,
    op: Op,
}

#[cold]
#[inline(never)]
fn mismatch(op: Op, found: &str) -> Error {
    Error::new(
        Category::Unsupported,
        format_args!("the schema has {} here, found {found}", op.expected()),
    )
}
