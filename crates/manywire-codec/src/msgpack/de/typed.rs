//! What serde asks for by type: the way nearly every byte of a typed value takes.

use manywire_shape::extension;
use serde::de::value::SeqDeserializer;
use serde::de::{self, Visitor};

use super::Deserializer;
use super::variant::{Entry, Name};
use crate::msgpack::marker::*;
use crate::{Category, Error, Result};

impl<'de> Deserializer<'de> {
    /// An integer of any width: small ones here, the others, and what is no integer, out of line.
    #[inline]
    fn integer<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        if marker <= FIXINT_MAX {
            return visitor.visit_u8(marker);
        }
        self.any(marker, visitor)
    }

    /// The bytes of an integer beyond 64 bits.
    #[cold]
    #[inline(never)]
    fn wide(&mut self, marker: u8) -> Result<Option<[u8; 16]>> {
        let Some(length) = self.bytes_length(marker)? else { return Ok(None) };
        let offset = self.reader.offset();
        let bytes = self.reader.take(length, "bytes")?;
        bytes.try_into().map(Some).map_err(|_| {
            Error::at(
                Category::Data,
                offset,
                format_args!("expected an integer, or 16 bytes of one, found {length} bytes"),
            )
        })
    }

    /// Text, and nothing else: not even bytes that happen to be UTF-8.
    #[inline]
    fn only_text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        match self.text_length(marker)? {
            Some(length) => visitor.visit_borrowed_str(self.text(length)?),
            None if matches!(marker, BIN8..=BIN32) => Err(self.unexpected(marker, "a string")),
            None => self.any(marker, visitor),
        }
    }

    #[cold]
    #[inline(never)]
    fn unexpected(&self, marker: u8, expected: &str) -> Error {
        let found = describe(marker);
        Error::new(Category::Data, format_args!("expected {expected}, found {found}"))
    }
}

macro_rules! integers {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.integer(visitor)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        // Half of the values of a document are short text, the keys alone nearly so.
        if let FIXSTR..=FIXSTR_MAX = marker {
            return visitor.visit_borrowed_str(self.text(usize::from(marker & 0x1f))?);
        }
        self.any(marker, visitor)
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.marker()? {
            FALSE => visitor.visit_bool(false),
            TRUE => visitor.visit_bool(true),
            marker => self.any(marker, visitor),
        }
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        match self.wide(marker)? {
            Some(bytes) => visitor.visit_i128(i128::from_be_bytes(bytes)),
            None => self.any(marker, visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        match self.wide(marker)? {
            Some(bytes) => visitor.visit_u128(u128::from_be_bytes(bytes)),
            None => self.any(marker, visitor),
        }
    }

    #[inline]
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.marker()? {
            F32 => visitor.visit_f32(f32::from_bits(self.u32()?)),
            marker => self.any(marker, visitor),
        }
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.marker()? {
            F64 => visitor.visit_f64(f64::from_bits(self.u64()?)),
            marker => self.any(marker, visitor),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.only_text(visitor)
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.only_text(visitor)
    }

    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.only_text(visitor)
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        let length = match self.bytes_length(marker)? {
            Some(length) => Some(length),
            // Writers of the format as it was before 2013 know text only, for bytes too, so
            // whether it is UTF-8 does not matter here.
            None => self.text_length(marker)?,
        };
        match length {
            Some(length) => visitor.visit_borrowed_bytes(self.reader.take(length, "bytes")?),
            None => self.any(marker, visitor),
        }
    }

    #[inline]
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.reader.peek() == Some(NIL) {
            self.marker()?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    /// `nil`, or the empty array that rmp-serde writes.
    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        match self.marker()? {
            NIL | FIXARRAY => visitor.visit_unit(),
            marker => self.any(marker, visitor),
        }
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == extension::NAME {
            return self.deserialize_any(visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    /// An array; `bin` is read as the array of its bytes, which is what a `Vec<u8>` without
    /// `serde_bytes` asks for.
    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        if let BIN8..=BIN32 = marker
            && let Some(length) = self.bytes_length(marker)?
        {
            let bytes = self.reader.take(length, "bytes")?;
            return visitor.visit_seq(SeqDeserializer::new(bytes.iter().copied()));
        }
        self.array(marker, visitor)
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        self.array(marker, visitor)
    }

    #[inline]
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_tuple(length, visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        self.map(marker, visitor)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let marker = self.marker()?;
        match self.array_length(marker)? {
            Some(length) => self.record(length, visitor),
            None => self.map(marker, visitor),
        }
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if let Some(FIXSTR..=FIXSTR_MAX | STR8..=STR32) = self.reader.peek() {
            return visitor.visit_enum(Name(self));
        }
        let marker = self.marker()?;
        match self.map_length(marker)? {
            Some(1) => {
                self.enter()?;
                let value = visitor.visit_enum(Entry::new(self))?;
                self.leave();
                Ok(value)
            }
            _ => Err(self.unexpected(marker, "a variant: its name, or a map of one entry")),
        }
    }

    #[inline]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.marker()?;
        match self.text_length(marker)? {
            Some(length) => visitor.visit_borrowed_str(self.text(length)?),
            // A number would be taken for the place of a field in the source of the program.
            None => Err(self.unexpected(marker, "a name")),
        }
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }
}
