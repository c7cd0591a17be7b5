//! Values to bytes.

mod compound;
mod write;

use std::fmt::{Display, Write as _};

use manywire_shape::extension::{self as triple, Kind};
use serde::ser::{self, Serialize};

use self::compound::{Compound, Entries, VariantContent};
use self::write::Container;
use super::{Layout, extension};
use crate::core::extension::{self as core_extension, WriteExtension};
use crate::{Category, Error, Result};

/// Writes values behind each other into a `Vec`.
///
/// `&mut Serializer` is the serde serializer; [`write`](Serializer::write) is the way in that
/// leaves nothing half written and says in every error which format it was.
pub struct Serializer<'o> {
    out: &'o mut Vec<u8>,
    layout: Layout,
}

impl<'o> Serializer<'o> {
    /// A serializer that appends to `out`.
    pub fn new(out: &'o mut Vec<u8>, layout: Layout) -> Self {
        Serializer { out, layout }
    }

    /// Appends one value, or nothing if it fails.
    #[inline]
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let start = self.out.len();
        value.serialize(&mut *self).map_err(|error| self.give_up(start, error))
    }

    #[cold]
    #[inline(never)]
    fn give_up(&mut self, start: usize, error: Error) -> Error {
        self.out.truncate(start);
        error.with_format(self.layout.format())
    }

    /// Integers beyond 64 bits: big-endian bytes, as rmp-serde writes them.
    #[cold]
    fn wide(&mut self, bytes: [u8; 16]) -> Result<()> {
        write::bytes(self.out, &bytes)
    }
}

impl<'s, 'o> ser::Serializer for &'s mut Serializer<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'s, 'o>;
    type SerializeTuple = Compound<'s, 'o>;
    type SerializeTupleStruct = Compound<'s, 'o>;
    type SerializeTupleVariant = VariantContent<'s, 'o>;
    type SerializeMap = Entries<'s, 'o>;
    type SerializeStruct = Compound<'s, 'o>;
    type SerializeStructVariant = VariantContent<'s, 'o>;

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }
    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        write::boolean(self.out, value);
        Ok(())
    }
    #[inline]
    fn serialize_i8(self, value: i8) -> Result<()> {
        self.serialize_i64(value.into())
    }
    #[inline]
    fn serialize_i16(self, value: i16) -> Result<()> {
        self.serialize_i64(value.into())
    }
    #[inline]
    fn serialize_i32(self, value: i32) -> Result<()> {
        self.serialize_i64(value.into())
    }
    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        write::signed(self.out, value);
        Ok(())
    }
    fn serialize_i128(self, value: i128) -> Result<()> {
        match (u64::try_from(value), i64::try_from(value)) {
            (Ok(small), _) => self.serialize_u64(small),
            (_, Ok(small)) => self.serialize_i64(small),
            _ => self.wide(value.to_be_bytes()),
        }
    }
    #[inline]
    fn serialize_u8(self, value: u8) -> Result<()> {
        self.serialize_u64(value.into())
    }
    #[inline]
    fn serialize_u16(self, value: u16) -> Result<()> {
        self.serialize_u64(value.into())
    }
    #[inline]
    fn serialize_u32(self, value: u32) -> Result<()> {
        self.serialize_u64(value.into())
    }
    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        write::unsigned(self.out, value);
        Ok(())
    }
    fn serialize_u128(self, value: u128) -> Result<()> {
        match u64::try_from(value) {
            Ok(small) => self.serialize_u64(small),
            Err(_) => self.wide(value.to_be_bytes()),
        }
    }
    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        write::float32(self.out, value);
        Ok(())
    }
    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        write::float64(self.out, value);
        Ok(())
    }
    #[inline]
    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }
    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        write::text(self.out, value)
    }
    /// Text that is only known as it is formatted goes straight into the output.
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        let start = self.out.len();
        self.out.push(0);
        if write!(Formatted(self.out), "{value}").is_err() {
            return Err(Error::new(Category::Data, "the value failed to format itself"));
        }
        write::correct_text(self.out, start)
    }
    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        write::bytes(self.out, value)
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
        write::nil(self.out);
        Ok(())
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
        self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        if name == triple::NAME {
            return core_extension::write(self, value);
        }
        value.serialize(self)
    }
    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        write::head_and_name(self.out, 1, variant)?;
        value.serialize(self).map_err(|error| error.under_key(variant))
    }
    #[inline]
    fn serialize_seq(self, len: Option<usize>) -> Result<Compound<'s, 'o>> {
        Compound::begin(self, Container::Array, len.unwrap_or(0))
    }
    #[inline]
    fn serialize_tuple(self, len: usize) -> Result<Compound<'s, 'o>> {
        Compound::begin(self, Container::Array, len)
    }
    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Compound<'s, 'o>> {
        Compound::begin(self, Container::Array, len)
    }
    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<VariantContent<'s, 'o>> {
        VariantContent::begin(self, len, variant)
    }
    #[inline]
    fn serialize_map(self, len: Option<usize>) -> Result<Entries<'s, 'o>> {
        Entries::begin(self, len.unwrap_or(0))
    }
    #[inline]
    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Compound<'s, 'o>> {
        Compound::begin_record(self, len)
    }
    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<VariantContent<'s, 'o>> {
        VariantContent::begin_record(self, len, variant)
    }
}

impl WriteExtension for Serializer<'_> {
    fn write_extension<T: Serialize + ?Sized>(
        &mut self,
        kind: Kind,
        code: u64,
        content: &T,
    ) -> Result<()> {
        match kind {
            Kind::MessagePack => {
                let code = extension::type_of(code)?;
                core_extension::with_bytes(content, |content| {
                    extension::check(code, content)?;
                    write::extension(self.out, code, content)
                })
            }
            Kind::Timestamp => {
                let seconds = core_extension::i64_of(content)?;
                extension::with_timestamp(seconds, code, |content| {
                    write::extension(self.out, extension::TIMESTAMP, content)
                })
            }
            Kind::Number => core_extension::with_str(content, |text| match text.parse::<i128>() {
                Ok(number) => ser::Serializer::serialize_i128(&mut *self, number),
                Err(_) => Err(Error::new(
                    Category::Unsupported,
                    format_args!("MessagePack has no place for the number {text}"),
                )),
            }),
            Kind::CborTag | Kind::CborSimple => Err(foreign("CBOR")),
            Kind::Bson => Err(foreign("BSON")),
        }
    }
}

#[cold]
#[inline(never)]
fn foreign(format: &str) -> Error {
    Error::new(
        Category::Unsupported,
        format_args!("MessagePack has no place for an extension of {format}"),
    )
}

struct Formatted<'o>(&'o mut Vec<u8>);

impl std::fmt::Write for Formatted<'_> {
    #[inline]
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
