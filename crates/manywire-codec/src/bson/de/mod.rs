//! Documents to values.

mod container;
mod content;
mod extension;
mod key;
mod scan;
mod typed;

use self::container::{Entries, Items};
pub(super) use self::content::Content;
use super::{Top, element};
use crate::core::reader::Reader;
use crate::{Limits, Result};
use manywire_format::Format;
use serde::de::{self, DeserializeSeed, Unexpected, Visitor};

/// Reads one document; within it, the value that stands next.
///
/// Every document is read by a deserializer of its own over just its elements, so nothing inside
/// can reach past its end whatever lengths it claims.
pub struct Deserializer<'de> {
    reader: Reader<'de>,
    /// The type of the value that stands next.
    kind: u8,
    /// How many more containers may be entered.
    depth: usize,
    limit: usize,
}

impl<'de> Deserializer<'de> {
    /// A deserializer of the one document that `bytes` hold, within [`Limits::DEFAULT`].
    pub fn new(bytes: &'de [u8]) -> Self {
        Deserializer {
            reader: Reader::new(bytes),
            kind: element::DOCUMENT,
            depth: Limits::DEFAULT.depth,
            limit: Limits::DEFAULT.depth,
        }
    }

    /// Says what the document stands for where the target does not.
    #[must_use]
    pub fn with_top(mut self, top: Top) -> Self {
        self.kind = match top {
            Top::Document => element::DOCUMENT,
            Top::Array => element::ARRAY,
            Top::ByKeys if self.is_numbered() => element::ARRAY,
            Top::ByKeys => element::DOCUMENT,
        };
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.depth = limits.depth;
        self.limit = limits.depth;
        self
    }

    /// Reads the document by a seed.
    ///
    /// # Errors
    ///
    /// Unlike those of serde's `deserialize`, errors about the document as a whole say which
    /// format and which byte.
    pub fn read_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let start = self.reader.offset();
        seed.deserialize(self).map_err(|error| error.with_offset(start).with_format(Format::Bson))
    }

    /// Fails unless everything was read.
    pub fn finish(&self) -> Result<()> {
        self.reader.finish().map_err(|error| error.with_format(Format::Bson))
    }

    /// Whether nothing has been entered yet, so that the target may say what the document is.
    #[inline]
    fn at_top(&self) -> bool {
        self.depth == self.limit
    }

    #[inline]
    fn visit_document<V: Visitor<'de>>(&mut self, is_record: bool, visitor: V) -> Result<V::Value> {
        let mut entries = Entries::new(self.enter()?, is_record);
        let value = visitor.visit_map(&mut entries)?;
        entries.finish()?;
        Ok(value)
    }

    #[inline]
    fn visit_array<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let numbered = self.kind == element::DOCUMENT;
        let mut items = Items::new(self.enter()?, numbered);
        let value = visitor.visit_seq(&mut items)?;
        items.finish()?;
        Ok(value)
    }

    /// What stands here, for a target that takes anything, or that asked for something else and
    /// may take this or say why not.
    #[inline(never)]
    fn visit_any<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::DOUBLE => visitor.visit_f64(self.double()?),
            element::STRING => visitor.visit_borrowed_str(self.text()?),
            element::DOCUMENT => self.visit_document(false, visitor),
            element::ARRAY => self.visit_array(visitor),
            element::BOOLEAN => visitor.visit_bool(self.boolean()?),
            element::NULL => visitor.visit_unit(),
            element::INT32 => visitor.visit_i32(self.int32()?),
            element::INT64 => visitor.visit_i64(self.int64()?),
            _ => self.visit_extension(visitor),
        }
    }

    /// A target asked for something else than what stands here.
    #[cold]
    #[inline(never)]
    fn visit_other<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::DOUBLE
            | element::STRING
            | element::DOCUMENT
            | element::ARRAY
            | element::BINARY
            | element::BOOLEAN
            | element::NULL
            | element::INT32
            | element::INT64 => self.visit_any(visitor),
            kind => Err(de::Error::invalid_type(Unexpected::Other(element::name(kind)), &visitor)),
        }
    }

    #[inline]
    fn visit_integer<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.kind {
            element::INT32 => visitor.visit_i32(self.int32()?),
            element::INT64 => visitor.visit_i64(self.int64()?),
            _ => self.visit_other(visitor),
        }
    }
}
