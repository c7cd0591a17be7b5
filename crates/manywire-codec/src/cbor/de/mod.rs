//! Bytes to values.

mod access;
mod any;
mod extension;
mod head;
mod identifier;
mod skip;
mod string;
mod through;
mod typed;
mod variant;

use manywire_format::Format;
use serde::de::{Deserialize, DeserializeSeed};

use crate::core::reader::Reader;
use crate::{Error, Limits, Result};

pub(super) use identifier::key_text;

/// Reads values that stand behind each other in a slice: a CBOR sequence (RFC 8742).
///
/// `&mut Deserializer` is the serde deserializer; [`read`](Deserializer::read) is the way in that
/// says in every error which format it was and where.
pub struct Deserializer<'de> {
    input: &'de [u8],
    reader: Reader<'de>,
    limits: Limits,
    // How many more containers and tags may be entered.
    depth: usize,
}

impl<'de> Deserializer<'de> {
    /// A deserializer of these bytes, within [`Limits::DEFAULT`].
    pub fn new(bytes: &'de [u8]) -> Self {
        Deserializer {
            input: bytes,
            reader: Reader::new(bytes),
            limits: Limits::DEFAULT,
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

    /// Reads the next value.
    ///
    /// # Errors
    /// With the offset and the path: bytes that are not well formed or not the type's, containers
    /// and tags deeper than the limit. What is read after an error is not defined.
    #[inline]
    pub fn read<T: Deserialize<'de>>(&mut self) -> Result<T> {
        self.read_seed(std::marker::PhantomData)
    }

    /// Reads the next value by a seed.
    ///
    /// # Errors
    /// As [`read`](Deserializer::read).
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
    ///
    /// # Errors
    /// [`Category::Syntax`](crate::Category) with the number of bytes left over.
    pub fn finish(&self) -> Result<()> {
        self.reader.finish().map_err(|error| error.with_format(Format::Cbor))
    }

    /// Goes into a container or a tag.
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
        error.with_offset(self.input.len() - remaining).with_format(Format::Cbor)
    }
}
