mod container;
mod extension;
mod key;

use manywire_shape::extension::NAME;
use serde::ser::{self, Serialize};

use self::container::{Array, Document};
use self::key::push_key;
use super::element;
use crate::core::extension as core_extension;
use crate::{Category, Error, Result};

/// Writes one value into a `Vec`.
///
/// The type of an element stands before its key, but is known only with its value: the byte is
/// left blank with the key, and filled in by whatever the value turns out to be. Lengths, which
/// stand before what they measure, are filled in the same way.
///
/// On an error the `Vec` is left with what was written so far; [`encode`](super::encode) takes
/// that back.
pub struct Serializer<'o> {
    out: &'o mut Vec<u8>,
    /// Where the blank for the type is, or [`TOP`].
    blank: usize,
}

/// In place of a blank: the document at the top has no type.
const TOP: usize = usize::MAX;

impl<'o> Serializer<'o> {
    /// A serializer that appends a document to `out`.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Serializer { out, blank: TOP }
    }

    /// Fills in the type of an element, for a value that cannot stand at the top.
    #[inline]
    fn scalar(&mut self, kind: u8) -> Result<()> {
        match self.out.get_mut(self.blank) {
            Some(blank) => {
                *blank = kind;
                Ok(())
            }
            None => Err(scalar_at_top(kind)),
        }
    }

    #[inline]
    fn fixed<const N: usize>(mut self, kind: u8, bytes: [u8; N]) -> Result<()> {
        self.scalar(kind)?;
        self.out.extend_from_slice(&bytes);
        Ok(())
    }

    #[inline]
    fn text(&mut self, kind: u8, text: &str) -> Result<()> {
        self.scalar(kind)?;
        self.push_text(text);
        Ok(())
    }

    /// Length, text, NUL. A length beyond `i32` makes its document too long, which is found out
    /// where that ends.
    #[inline]
    fn push_text(&mut self, text: &str) {
        self.out.reserve(text.len() + 5);
        self.out.extend_from_slice(&(text.len() as u32).wrapping_add(1).to_le_bytes());
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(0);
    }

    fn binary(&mut self, subtype: u8, bytes: &[u8]) -> Result<()> {
        self.scalar(element::BINARY)?;
        self.out.reserve(bytes.len() + 5);
        self.out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.out.push(subtype);
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// Leaves the blanks of a container's type and length; the length is at the returned place.
    #[inline]
    fn open(&mut self, kind: u8) -> usize {
        if let Some(blank) = self.out.get_mut(self.blank) {
            *blank = kind;
        }
        let start = self.out.len();
        self.out.extend_from_slice(&[0; 4]);
        start
    }

    #[inline]
    fn document(mut self) -> Document<'o> {
        let start = self.open(element::DOCUMENT);
        Document::new(self.out, start)
    }

    #[inline]
    fn array(mut self) -> Array<'o> {
        let start = self.open(element::ARRAY);
        Array::new(self.out, start)
    }

    /// Begins the document of one entry that holds a variant; gives the place of its length, and
    /// the serializer of its content.
    fn variant(mut self, name: &'static str) -> Result<(usize, Self)> {
        let start = self.open(element::DOCUMENT);
        let blank = push_key(self.out, name)?;
        Ok((start, Serializer { out: self.out, blank }))
    }
}

#[cold]
#[inline(never)]
fn scalar_at_top(kind: u8) -> Error {
    let name = element::name(kind);
    Error::new(
        Category::Unsupported,
        format_args!("BSON holds a document at the top, and cannot hold a scalar there: {name}"),
    )
}

#[cold]
#[inline(never)]
fn beyond_int64(value: impl std::fmt::Display) -> Error {
    Error::new(Category::Unsupported, format_args!("BSON has no integer as large as {value}"))
}

impl<'o> ser::Serializer for Serializer<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Array<'o>;
    type SerializeTuple = Array<'o>;
    type SerializeTupleStruct = Array<'o>;
    type SerializeTupleVariant = Array<'o>;
    type SerializeMap = Document<'o>;
    type SerializeStruct = Document<'o>;
    type SerializeStructVariant = Document<'o>;

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.fixed(element::BOOLEAN, [u8::from(value)])
    }

    #[inline]
    fn serialize_i8(self, value: i8) -> Result<()> {
        self.serialize_i32(value.into())
    }

    #[inline]
    fn serialize_i16(self, value: i16) -> Result<()> {
        self.serialize_i32(value.into())
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<()> {
        self.fixed(element::INT32, value.to_le_bytes())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        self.fixed(element::INT64, value.to_le_bytes())
    }

    #[inline]
    fn serialize_u8(self, value: u8) -> Result<()> {
        self.serialize_i32(value.into())
    }

    #[inline]
    fn serialize_u16(self, value: u16) -> Result<()> {
        self.serialize_i32(value.into())
    }

    #[inline]
    fn serialize_u32(self, value: u32) -> Result<()> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => Err(beyond_int64(value)),
        }
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => Err(beyond_int64(value)),
        }
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => Err(beyond_int64(value)),
        }
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.serialize_f64(value.into())
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.fixed(element::DOUBLE, value.to_le_bytes())
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(mut self, value: &str) -> Result<()> {
        self.text(element::STRING, value)
    }

    #[inline]
    fn serialize_bytes(mut self, value: &[u8]) -> Result<()> {
        self.binary(element::GENERIC, value)
    }

    #[inline]
    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<()> {
        self.fixed(element::NULL, [])
    }

    #[inline]
    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        if name == NAME { core_extension::write(&mut self, value) } else { value.serialize(self) }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let (start, content) = self.variant(variant)?;
        let out = &mut *content.out;
        value
            .serialize(Serializer { out, blank: content.blank })
            .map_err(|error| error.under_key(variant))?;
        container::close(content.out, start)
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Array<'o>> {
        Ok(self.array())
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Array<'o>> {
        Ok(self.array())
    }

    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Array<'o>> {
        Ok(self.array())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Array<'o>> {
        let (start, content) = self.variant(variant)?;
        Ok(content.array().inside(variant, start))
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Document<'o>> {
        Ok(self.document())
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Document<'o>> {
        Ok(self.document())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Document<'o>> {
        let (start, content) = self.variant(variant)?;
        Ok(content.document().inside(variant, start))
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }
}
