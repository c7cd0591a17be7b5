//! Keys of maps and names of variants: whatever serializes to text.

use std::fmt;

use serde::ser::{Impossible, Serialize, Serializer};

use crate::core::error::{Category, Error, Result};

/// Lends the text that a key serializes to. `None` is a key that is not text.
#[inline]
pub(super) fn with_key<T, R>(key: &T, take: impl FnOnce(&str) -> Result<R>) -> Result<Option<R>>
where
    T: Serialize + ?Sized,
{
    match key.serialize(KeyText(take)) {
        Ok(taken) => Ok(Some(taken)),
        Err(NotTaken::NotText) => Ok(None),
        Err(NotTaken::Failed(error)) => Err(error),
    }
}

/// A key that is no text where only text can be a key.
#[cold]
#[inline(never)]
pub(super) fn not_text() -> Error {
    Error::new(Category::Unsupported, "only text can be a key here, found another key")
}

/// Why a key's text was not taken.
#[derive(Debug)]
enum NotTaken {
    NotText,
    Failed(Error),
}

impl fmt::Display for NotTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotTaken::NotText => f.write_str("the key is not text"),
            NotTaken::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotTaken {}

impl serde::ser::Error for NotTaken {
    fn custom<T: fmt::Display>(message: T) -> Self {
        NotTaken::Failed(serde::ser::Error::custom(message))
    }
}

type Taken<R> = std::result::Result<R, NotTaken>;

struct KeyText<F>(F);

impl<R, F: FnOnce(&str) -> Result<R>> KeyText<F> {
    #[inline]
    fn take(self, text: &str) -> Taken<R> {
        (self.0)(text).map_err(NotTaken::Failed)
    }
}

impl<R, F: FnOnce(&str) -> Result<R>> Serializer for KeyText<F> {
    type Ok = R;
    type Error = NotTaken;
    type SerializeSeq = Impossible<R, NotTaken>;
    type SerializeTuple = Impossible<R, NotTaken>;
    type SerializeTupleStruct = Impossible<R, NotTaken>;
    type SerializeTupleVariant = Impossible<R, NotTaken>;
    type SerializeMap = Impossible<R, NotTaken>;
    type SerializeStruct = Impossible<R, NotTaken>;
    type SerializeStructVariant = Impossible<R, NotTaken>;

    #[inline]
    fn serialize_str(self, text: &str) -> Taken<R> {
        self.take(text)
    }
    fn serialize_char(self, value: char) -> Taken<R> {
        self.take(value.encode_utf8(&mut [0; 4]))
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Taken<R> {
        self.take(name)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Taken<R> {
        // An extension is a key of its own kind.
        match name {
            manywire_shape::extension::NAME => Err(NotTaken::NotText),
            _ => value.serialize(self),
        }
    }

    fn serialize_bool(self, _: bool) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_i8(self, _: i8) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_i16(self, _: i16) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_i32(self, _: i32) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_i64(self, _: i64) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_i128(self, _: i128) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_u8(self, _: u8) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_u16(self, _: u16) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_u32(self, _: u32) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_u64(self, _: u64) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_u128(self, _: u128) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_f32(self, _: f32) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_f64(self, _: f64) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_bytes(self, _: &[u8]) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_none(self) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_unit(self) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_unit_struct(self, _: &'static str) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Taken<R> {
        Err(NotTaken::NotText)
    }
    fn serialize_seq(self, _: Option<usize>) -> Taken<Self::SerializeSeq> {
        Err(NotTaken::NotText)
    }
    fn serialize_tuple(self, _: usize) -> Taken<Self::SerializeTuple> {
        Err(NotTaken::NotText)
    }
    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Taken<Self::SerializeTupleStruct> {
        Err(NotTaken::NotText)
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Taken<Self::SerializeTupleVariant> {
        Err(NotTaken::NotText)
    }
    fn serialize_map(self, _: Option<usize>) -> Taken<Self::SerializeMap> {
        Err(NotTaken::NotText)
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Taken<Self::SerializeStruct> {
        Err(NotTaken::NotText)
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Taken<Self::SerializeStructVariant> {
        Err(NotTaken::NotText)
    }
}
