use serde::ser::{Serialize, SerializeMap, SerializeStruct, SerializeStructVariant};

use super::Serializer;
use super::key::{KeySerializer, key_text, push_index, push_key};
use crate::core::items::serialize_items;
use crate::{Category, Error, Result};

/// Ends a document and fills in the length it began with.
#[inline]
pub(super) fn close(out: &mut Vec<u8>, start: usize) -> Result<()> {
    out.push(0);
    let len = out.len() - start;
    match (i32::try_from(len), out.get_mut(start..).and_then(<[u8]>::first_chunk_mut)) {
        (Ok(len), Some(blank)) => {
            *blank = len.to_le_bytes();
            Ok(())
        }
        _ => Err(too_long(len)),
    }
}

#[cold]
#[inline(never)]
fn too_long(len: usize) -> Error {
    Error::new(
        Category::Unsupported,
        format_args!("BSON holds documents of at most {} bytes, this has {len}", i32::MAX),
    )
}

/// The document of one entry around a variant that is itself a container.
#[derive(Clone, Copy)]
struct Variant {
    name: &'static str,
    start: usize,
}

impl Variant {
    #[cold]
    #[inline(never)]
    fn place(this: Option<Self>, error: Error) -> Error {
        match this {
            Some(variant) => error.under_key(variant.name),
            None => error,
        }
    }
}

/// A document being written: a map or the fields of a struct.
pub struct Document<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
    /// Where the key begins whose value comes next, with the blank of its type.
    blank: usize,
    variant: Option<Variant>,
}

impl<'o> Document<'o> {
    #[inline]
    pub(super) fn new(out: &'o mut Vec<u8>, start: usize) -> Self {
        Document { out, start, blank: start, variant: None }
    }

    pub(super) fn inside(self, name: &'static str, start: usize) -> Self {
        Document { variant: Some(Variant { name, start }), ..self }
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<()> {
        let blank = match push_key(self.out, key) {
            Ok(blank) => blank,
            Err(error) => return Err(Variant::place(self.variant, error)),
        };
        value
            .serialize(Serializer { out: self.out, blank })
            .map_err(|error| Variant::place(self.variant, error.under_key(key)))
    }

    #[inline]
    fn finish(self) -> Result<()> {
        close(self.out, self.start)?;
        match self.variant {
            None => Ok(()),
            Some(variant) => close(self.out, variant.start),
        }
    }
}

impl SerializeStruct for Document<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(key, value)
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl SerializeStructVariant for Document<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(key, value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl SerializeMap for Document<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.blank = key.serialize(KeySerializer(self.out))?;
        Ok(())
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let (blank, key_end) = (self.blank, self.out.len());
        value
            .serialize(Serializer { out: self.out, blank })
            .map_err(|error| error.under_key(key_text(self.out, blank, key_end)))
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.finish()
    }
}

/// An array being written: a document whose keys count up.
pub struct Array<'o> {
    out: &'o mut Vec<u8>,
    start: usize,
    count: usize,
    variant: Option<Variant>,
}

impl<'o> Array<'o> {
    #[inline]
    pub(super) fn new(out: &'o mut Vec<u8>, start: usize) -> Self {
        Array { out, start, count: 0, variant: None }
    }

    pub(super) fn inside(self, name: &'static str, start: usize) -> Self {
        Array { variant: Some(Variant { name, start }), ..self }
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let index = self.count;
        self.count += 1;
        let blank = push_index(self.out, index);
        value
            .serialize(Serializer { out: self.out, blank })
            .map_err(|error| Variant::place(self.variant, error.under_index(index)))
    }

    #[inline]
    fn finish(self) -> Result<()> {
        close(self.out, self.start)?;
        match self.variant {
            None => Ok(()),
            Some(variant) => close(self.out, variant.start),
        }
    }
}

serialize_items! {
    Array<'_>:
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}
