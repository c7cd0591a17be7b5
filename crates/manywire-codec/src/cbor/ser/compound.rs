//! Arrays and maps, item by item.

use serde::ser::{Serialize, SerializeMap, SerializeStruct, SerializeStructVariant};

use super::Serializer;
use crate::cbor::de::key_text;
use crate::cbor::head::{ARRAY, ARRAY_INDEFINITE, BREAK, MAP, MAP_INDEFINITE};
use crate::core::items::serialize_items;
use crate::{Category, Error, Result};

/// The items of an array.
pub struct Items<'s, 'o> {
    ser: &'s mut Serializer<'o>,
    length: Option<usize>,
    written: usize,
    variant: Option<&'static str>,
}

impl<'s, 'o> Items<'s, 'o> {
    #[inline]
    pub(super) fn begin(ser: &'s mut Serializer<'o>, length: Option<usize>) -> Self {
        match length {
            Some(length) => ser.head(ARRAY, length as u64),
            None => ser.out.push(ARRAY_INDEFINITE),
        }
        Items { ser, length, written: 0, variant: None }
    }

    /// The same as the content of a variant, which then is part of the path of an error.
    #[inline]
    pub(super) fn of_variant(mut self, name: &'static str) -> Self {
        self.variant = Some(name);
        self
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match value.serialize(&mut *self.ser) {
            Ok(()) => {
                self.written += 1;
                Ok(())
            }
            Err(error) => Err(self.place(error)),
        }
    }

    #[inline]
    fn finish(self) -> Result<()> {
        close(self.ser.out, self.length, self.written)
    }

    #[cold]
    #[inline(never)]
    fn place(&self, error: Error) -> Error {
        under_variant(error.under_index(self.written), self.variant)
    }
}

/// The entries of a map.
pub struct Entries<'s, 'o> {
    ser: &'s mut Serializer<'o>,
    length: Option<usize>,
    written: usize,
    // Where the last key of a map begins in what was written: its text is only needed for an
    // error.
    key: usize,
    variant: Option<&'static str>,
}

impl<'s, 'o> Entries<'s, 'o> {
    #[inline]
    pub(super) fn begin(ser: &'s mut Serializer<'o>, length: Option<usize>) -> Self {
        match length {
            Some(length) => ser.head(MAP, length as u64),
            None => ser.out.push(MAP_INDEFINITE),
        }
        Entries { ser, length, written: 0, key: 0, variant: None }
    }

    /// The same as the content of a variant, which then is part of the path of an error.
    #[inline]
    pub(super) fn of_variant(mut self, name: &'static str) -> Self {
        self.variant = Some(name);
        self
    }

    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        self.ser.name(name);
        match value.serialize(&mut *self.ser) {
            Ok(()) => {
                self.written += 1;
                Ok(())
            }
            Err(error) => Err(under_variant(error.under_key(name), self.variant)),
        }
    }

    #[inline]
    fn finish(self) -> Result<()> {
        close(self.ser.out, self.length, self.written)
    }

    #[cold]
    #[inline(never)]
    fn place(&self, error: Error) -> Error {
        error.under_key(key_text(&self.ser.out[self.key..]))
    }
}

#[cold]
#[inline(never)]
fn under_variant(error: Error, variant: Option<&'static str>) -> Error {
    match variant {
        Some(name) => error.under_key(name),
        None => error,
    }
}

/// Ends a container: by a break if it has no length, and by holding its `Serialize` to the length
/// it gave, because every item after it would otherwise belong to the wrong container.
#[inline]
fn close(out: &mut Vec<u8>, length: Option<usize>, written: usize) -> Result<()> {
    match length {
        None => out.push(BREAK),
        Some(length) if length != written => return Err(miscounted(length, written)),
        Some(_) => {}
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn miscounted(length: usize, written: usize) -> Error {
    Error::new(
        Category::Unsupported,
        format_args!("a value that says it has {length} items, but writes {written}"),
    )
}

serialize_items! {
    Items<'_, '_>:
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}

impl SerializeMap for Entries<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.key = self.ser.out.len();
        key.serialize(&mut *self.ser)
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match value.serialize(&mut *self.ser) {
            Ok(()) => {
                self.written += 1;
                Ok(())
            }
            Err(error) => Err(self.place(error)),
        }
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl SerializeStruct for Entries<'_, '_> {
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
    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl SerializeStructVariant for Entries<'_, '_> {
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
    fn end(self) -> Result<()> {
        self.finish()
    }
}
