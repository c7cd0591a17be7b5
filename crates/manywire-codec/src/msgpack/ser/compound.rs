//! Arrays, maps and records, item by item.

use serde::ser::{
    Serialize, SerializeMap, SerializeStruct, SerializeStructVariant, SerializeTupleVariant,
};

use super::write::{self, Container};
use super::{Layout, Serializer};
use crate::core::items::serialize_items;
use crate::{Error, Result};

/// A container whose items are being written. Its head is already there and says `claimed`; the
/// head is corrected at the end if it turns out to be wrong, so no `Serialize` can corrupt bytes.
pub struct Compound<'s, 'o> {
    serializer: &'s mut Serializer<'o>,
    start: usize,
    claimed: usize,
    written: usize,
}

impl<'s, 'o> Compound<'s, 'o> {
    #[inline]
    pub(super) fn begin(
        serializer: &'s mut Serializer<'o>,
        container: Container,
        claimed: usize,
    ) -> Result<Self> {
        let start = serializer.out.len();
        container.head(serializer.out, claimed)?;
        Ok(Compound { serializer, start, claimed, written: 0 })
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let index = self.written;
        self.written += 1;
        value.serialize(&mut *self.serializer).map_err(|error| error.under_index(index))
    }

    /// A record. The head of a map waits for the first name, so that both are one store.
    #[inline]
    pub(super) fn begin_record(serializer: &'s mut Serializer<'o>, claimed: usize) -> Result<Self> {
        if serializer.layout == Layout::Array {
            return Compound::begin(serializer, Container::Array, claimed);
        }
        let start = serializer.out.len();
        Ok(Compound { serializer, start, claimed, written: 0 })
    }

    // Always inlined: the name is a constant there.
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        let is_first = self.written == 0;
        self.written += 1;
        match self.serializer.layout {
            Layout::Array => {}
            Layout::Map if is_first => {
                write::head_and_name(self.serializer.out, self.claimed, name)?;
            }
            Layout::Map => write::name(self.serializer.out, name)?,
        }
        value.serialize(&mut *self.serializer).map_err(|error| error.under_key(name))
    }

    /// Keeps the place of a field in an array; in a map there is no place to keep.
    #[inline]
    fn skipped(&mut self) {
        if self.serializer.layout == Layout::Array {
            self.written += 1;
            write::nil(self.serializer.out);
        }
    }

    #[inline]
    fn finish_record(self) -> Result<()> {
        match self.serializer.layout {
            Layout::Array => self.finish_as(Container::Array),
            Layout::Map if self.written == 0 => Container::Map.head(self.serializer.out, 0),
            Layout::Map => self.finish_as(Container::Map),
        }
    }

    #[inline]
    fn finish(self) -> Result<()> {
        self.finish_as(Container::Array)
    }

    #[inline]
    fn finish_as(self, container: Container) -> Result<()> {
        if self.written == self.claimed {
            return Ok(());
        }
        container.correct(self.serializer.out, self.start, self.claimed, self.written)
    }
}

serialize_items! {
    Compound<'_, '_>:
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
}

impl SerializeStruct for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline(always)]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(name, value)
    }
    #[inline]
    fn skip_field(&mut self, _: &'static str) -> Result<()> {
        self.skipped();
        Ok(())
    }
    #[inline]
    fn end(self) -> Result<()> {
        self.finish_record()
    }
}

/// The content of a variant, which stands in a map of one entry under the variant's name.
pub struct VariantContent<'s, 'o> {
    content: Compound<'s, 'o>,
    variant: &'static str,
}

impl<'s, 'o> VariantContent<'s, 'o> {
    #[inline]
    pub(super) fn begin(
        serializer: &'s mut Serializer<'o>,
        count: usize,
        variant: &'static str,
    ) -> Result<Self> {
        write::head_and_name(serializer.out, 1, variant)?;
        let content = Compound::begin(serializer, Container::Array, count)?;
        Ok(VariantContent { content, variant })
    }

    #[inline]
    pub(super) fn begin_record(
        serializer: &'s mut Serializer<'o>,
        count: usize,
        variant: &'static str,
    ) -> Result<Self> {
        write::head_and_name(serializer.out, 1, variant)?;
        let content = Compound::begin_record(serializer, count)?;
        Ok(VariantContent { content, variant })
    }
}

impl SerializeTupleVariant for VariantContent<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.content.item(value).map_err(|error| error.under_key(self.variant))
    }
    #[inline]
    fn end(self) -> Result<()> {
        self.content.finish()
    }
}

impl SerializeStructVariant for VariantContent<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline(always)]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.content.field(name, value).map_err(|error| error.under_key(self.variant))
    }
    #[inline]
    fn skip_field(&mut self, _: &'static str) -> Result<()> {
        self.content.skipped();
        Ok(())
    }
    #[inline]
    fn end(self) -> Result<()> {
        self.content.finish_record()
    }
}

/// A map whose keys are any values.
pub struct Entries<'s, 'o> {
    map: Compound<'s, 'o>,
    // Where the last key was written: the key is read back from there when its value fails.
    key: usize,
}

impl<'s, 'o> Entries<'s, 'o> {
    #[inline]
    pub(super) fn begin(serializer: &'s mut Serializer<'o>, count: usize) -> Result<Self> {
        let map = Compound::begin(serializer, Container::Map, count)?;
        Ok(Entries { map, key: 0 })
    }

    #[cold]
    #[inline(never)]
    fn place(&self, error: Error) -> Error {
        let written = self.map.serializer.out.get(self.key..).unwrap_or_default();
        error.under_key(crate::msgpack::de::key_text(written))
    }
}

impl SerializeMap for Entries<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.key = self.map.serializer.out.len();
        self.map.written += 1;
        key.serialize(&mut *self.map.serializer)
    }
    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(&mut *self.map.serializer).map_err(|error| self.place(error))
    }
    #[inline]
    fn end(self) -> Result<()> {
        self.map.finish_as(Container::Map)
    }
}
