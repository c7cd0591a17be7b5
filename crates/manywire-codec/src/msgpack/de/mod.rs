//! Bytes to values.

mod access;
mod any;
mod head;
mod nil;
mod positional;
mod skip;
mod typed;
mod variant;

use serde::de::{Deserialize, DeserializeSeed};

use super::Layout;
use crate::core::reader::Reader;
use crate::{Error, Limits, Result};

pub(super) use head::key_text;

/// Reads values that stand behind each other in a slice.
///
/// `&mut Deserializer` is the serde deserializer; [`read`](Deserializer::read) is the way in that
/// says in every error which format it was and where.
pub struct Deserializer<'de> {
    input: &'de [u8],
    reader: Reader<'de>,
    limits: Limits,
    layout: Layout,
    // How many more containers may be entered.
    depth: usize,
}

impl<'de> Deserializer<'de> {
    /// A deserializer of these bytes, within [`Limits::DEFAULT`].
    pub fn new(bytes: &'de [u8]) -> Self {
        Deserializer {
            input: bytes,
            reader: Reader::new(bytes),
            limits: Limits::DEFAULT,
            layout: Layout::Map,
            depth: Limits::DEFAULT.depth,
        }
    }

    /// The same within other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self.depth = limits.depth;
        self
    }

    /// The same, naming this layout's format in its errors; either layout is read anyway.
    #[must_use]
    pub fn with_layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Reads the next value.
    #[inline]
    pub fn read<T: Deserialize<'de>>(&mut self) -> Result<T> {
        self.read_seed(std::marker::PhantomData)
    }

    /// Reads the next value by a seed.
    #[inline]
    pub fn read_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        self.depth = self.limits.depth;
        let start = self.reader.remaining();
        seed.deserialize(&mut *self).map_err(|error| self.placed(error, start))
    }

    /// How many bytes have been read.
    pub fn offset(&self) -> usize {
        self.reader.offset()
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.reader.remaining()
    }

    /// Fails unless everything was read.
    pub fn finish(&self) -> Result<()> {
        self.reader.finish().map_err(|error| error.with_format(self.layout.format()))
    }

    /// Goes into a container.
    #[inline]
    fn enter(&mut self) -> Result<()> {
        match self.depth.checked_sub(1) {
            Some(depth) => {
                self.depth = depth;
                Ok(())
            }
            None => Err(self.too_deep()),
        }
    }

    #[inline]
    fn leave(&mut self) {
        self.depth += 1;
    }

    #[cold]
    #[inline(never)]
    fn too_deep(&self) -> Error {
        Error::depth(self.reader.offset(), self.limits.depth)
    }

    /// Says where a value began, by how many bytes were left there.
    #[cold]
    #[inline(never)]
    fn placed(&self, error: Error, remaining: usize) -> Error {
        error.with_offset(self.input.len() - remaining).with_format(self.layout.format())
    }
}
