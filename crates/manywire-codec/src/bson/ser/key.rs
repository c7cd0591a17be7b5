use std::fmt::Display;

use manywire_shape::extension;
use serde::ser::{Impossible, Serialize, Serializer};

use crate::bson::nul;
use crate::{Category, Error, Result};

/// Room made with a key for a small value after it, so that the two grow the `Vec` once.
const VALUE_ROOM: usize = 12;

/// Writes the blank of a type and a key; gives the place of the blank.
#[inline]
pub(super) fn push_key(out: &mut Vec<u8>, key: &str) -> Result<usize> {
    if nul::contains(key.as_bytes()) {
        return Err(nul_in_key(key));
    }
    let blank = out.len();
    out.reserve(key.len() + 2 + VALUE_ROOM);
    out.push(0);
    out.extend_from_slice(key.as_bytes());
    out.push(0);
    Ok(blank)
}

/// Writes the blank of a type and the key of an array's item, its index in decimal.
#[inline]
pub(super) fn push_index(out: &mut Vec<u8>, index: usize) -> usize {
    let blank = out.len();
    match index {
        0..10 => out.extend_from_slice(&[0, digit(index), 0]),
        10..100 => out.extend_from_slice(&[0, digit(index / 10), digit(index), 0]),
        100..1_000 => {
            out.extend_from_slice(&[0, digit(index / 100), digit(index / 10), digit(index), 0])
        }
        _ => push_long_index(out, index),
    }
    blank
}

#[inline]
fn digit(number: usize) -> u8 {
    b'0' + (number % 10) as u8
}

fn push_long_index(out: &mut Vec<u8>, index: usize) {
    out.push(0);
    out.extend_from_slice(itoa::Buffer::new().format(index).as_bytes());
    out.push(0);
}

/// The key written at `blank`, whose terminator ends at `end`.
#[cold]
#[inline(never)]
pub(super) fn key_text(out: &[u8], blank: usize, end: usize) -> String {
    let key = out.get(blank + 1..end.saturating_sub(1)).unwrap_or_default();
    String::from_utf8_lossy(key).into_owned()
}

#[cold]
#[inline(never)]
fn nul_in_key(key: &str) -> Error {
    Error::new(
        Category::Unsupported,
        format_args!("a BSON key ends at its first NUL, and cannot hold one: {key:?}"),
    )
}

#[cold]
#[inline(never)]
fn not_text(found: impl Display) -> Error {
    Error::new(Category::Unsupported, format_args!("BSON keys are strings, found {found}"))
}

/// Writes the key of a map's entry; gives the place of the blank before it.
pub(super) struct KeySerializer<'o>(pub(super) &'o mut Vec<u8>);

impl Serializer for KeySerializer<'_> {
    type Ok = usize;
    type Error = Error;
    type SerializeSeq = Impossible<usize, Error>;
    type SerializeTuple = Impossible<usize, Error>;
    type SerializeTupleStruct = Impossible<usize, Error>;
    type SerializeTupleVariant = Impossible<usize, Error>;
    type SerializeMap = Impossible<usize, Error>;
    type SerializeStruct = Impossible<usize, Error>;
    type SerializeStructVariant = Impossible<usize, Error>;

    #[inline]
    fn serialize_str(self, value: &str) -> Result<usize> {
        push_key(self.0, value)
    }
    fn serialize_char(self, value: char) -> Result<usize> {
        push_key(self.0, value.encode_utf8(&mut [0; 4]))
    }
    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<usize> {
        push_key(self.0, variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<usize> {
        if name == extension::NAME {
            return Err(not_text("an extension"));
        }
        value.serialize(self)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<usize> {
        value.serialize(self)
    }

    fn serialize_bool(self, value: bool) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_i8(self, value: i8) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_i16(self, value: i16) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_i32(self, value: i32) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_i64(self, value: i64) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_i128(self, value: i128) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_u8(self, value: u8) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_u16(self, value: u16) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_u32(self, value: u32) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_u64(self, value: u64) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_u128(self, value: u128) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_f32(self, value: f32) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_f64(self, value: f64) -> Result<usize> {
        Err(not_text(value))
    }
    fn serialize_bytes(self, _: &[u8]) -> Result<usize> {
        Err(not_text("bytes"))
    }
    fn serialize_none(self) -> Result<usize> {
        Err(not_text("null"))
    }
    fn serialize_unit(self) -> Result<usize> {
        Err(not_text("null"))
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<usize> {
        Err(not_text("null"))
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<usize> {
        Err(not_text("a map"))
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        Err(not_text("an array"))
    }
    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple> {
        Err(not_text("an array"))
    }
    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct> {
        Err(not_text("an array"))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        Err(not_text("a map"))
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        Err(not_text("a map"))
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct> {
        Err(not_text("a map"))
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        Err(not_text("a map"))
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}
