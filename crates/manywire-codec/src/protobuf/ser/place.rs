//! A value where it stands: in a field, or as an item of one.

use manywire_shape::extension::{self as shape_extension, Kind as Extension};
use serde::ser::{Serialize, Serializer};

use super::super::plan::{Field, Form, Kind};
use super::compound::{Entries, Fields, Incoming, Inner, Items};
use super::conversion::Scalar;
use super::mismatch::{mismatch, unknown_variant, unsuitable};
use super::writer::{Open, Writer};
use crate::core::extension::{self, WriteExtension};
use crate::{Error, Result};

/// Writes one value into one field.
pub(super) struct FieldSerializer<'w, 'p> {
    pub(super) writer: &'w mut Writer<'p>,
    pub(super) field: &'p Field,
}

impl<'w, 'p> Serializer for FieldSerializer<'w, 'p> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'w, 'p>;
    type SerializeTuple = Items<'w, 'p>;
    type SerializeTupleStruct = Items<'w, 'p>;
    type SerializeTupleVariant = Items<'w, 'p>;
    type SerializeMap = Entries<'w, 'p>;
    type SerializeStruct = Fields<'w, 'p>;
    type SerializeStructVariant = Fields<'w, 'p>;

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<()> {
        self.writer.bool(self.field, value)
    }
    #[inline]
    fn serialize_i8(self, value: i8) -> Result<()> {
        self.writer.signed(self.field, value.into())
    }
    #[inline]
    fn serialize_i16(self, value: i16) -> Result<()> {
        self.writer.signed(self.field, value.into())
    }
    #[inline]
    fn serialize_i32(self, value: i32) -> Result<()> {
        self.writer.signed(self.field, value.into())
    }
    #[inline]
    fn serialize_i64(self, value: i64) -> Result<()> {
        self.writer.signed(self.field, value)
    }
    fn serialize_i128(self, value: i128) -> Result<()> {
        self.writer.scalar(self.field, Scalar::Int(value))
    }
    #[inline]
    fn serialize_u8(self, value: u8) -> Result<()> {
        self.writer.unsigned(self.field, value.into())
    }
    #[inline]
    fn serialize_u16(self, value: u16) -> Result<()> {
        self.writer.unsigned(self.field, value.into())
    }
    #[inline]
    fn serialize_u32(self, value: u32) -> Result<()> {
        self.writer.unsigned(self.field, value.into())
    }
    #[inline]
    fn serialize_u64(self, value: u64) -> Result<()> {
        self.writer.unsigned(self.field, value)
    }
    fn serialize_u128(self, value: u128) -> Result<()> {
        let scalar = i128::try_from(value).map_or(Scalar::Uint128(value), Scalar::Int);
        self.writer.scalar(self.field, scalar)
    }
    #[inline]
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.writer.f32(self.field, value)
    }
    #[inline]
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.writer.f64(self.field, value)
    }
    fn serialize_char(self, value: char) -> Result<()> {
        self.writer.str(self.field, value.encode_utf8(&mut [0; 4]))
    }
    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        self.writer.str(self.field, value)
    }
    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.writer.blob(self.field, value)
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
        if self.field.nullable {
            return Ok(());
        }
        self.writer.scalar(self.field, Scalar::Null)
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<()> {
        match self.field.kind {
            Kind::Enum => self.writer.enumerator(self.field, variant, index as usize),
            _ => self.writer.scalar(self.field, Scalar::Str(variant)),
        }
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        if name == shape_extension::NAME {
            return extension::write(&mut self, value);
        }
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let FieldSerializer { writer, field } = self;
        let mut open = Open::NONE;
        let content = writer.open_variant(field, index as usize, variant, &mut open)?;
        writer.deeper()?;
        value
            .serialize(FieldSerializer { writer, field: content })
            .map_err(|error| error.under_key(variant))?;
        writer.back();
        writer.close(open);
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'w, 'p>> {
        Items::enter(self.writer, self.field, Open::NONE)
    }
    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Items<'w, 'p>> {
        Items::enter(self.writer, self.field, Open::NONE)
    }
    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'w, 'p>> {
        Items::enter(self.writer, self.field, Open::NONE)
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'w, 'p>> {
        let mut open = Open::NONE;
        let field = self.writer.open_variant(self.field, index as usize, variant, &mut open)?;
        Items::enter(self.writer, field, open)
    }
    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Entries<'w, 'p>> {
        Entries::enter(self.writer, self.field)
    }
    #[inline(always)]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields<'w, 'p>> {
        Fields::enter(self.writer, self.field)
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Fields<'w, 'p>> {
        let mut open = Open::NONE;
        let field = self.writer.open_variant(self.field, index as usize, variant, &mut open)?;
        Fields::enter_within(self.writer, field, open)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

impl<'p> Writer<'p> {
    /// Opens everything around the content of a variant, and returns the field it goes into. Where
    /// nothing is known of the value, a variant is an entry of a map, as in JSON.
    fn open_variant(
        &mut self,
        field: &'p Field,
        index: usize,
        variant: &str,
        open: &mut Open,
    ) -> Result<&'p Field> {
        match self.enter(field, Incoming::Variant, open)? {
            Inner::Variants(message) if message.form == Form::External => message
                .named(variant, index)
                .map(|index| &message.fields[index])
                .ok_or_else(|| unknown_variant(&message.name, variant)),
            Inner::Map(entry) => {
                let message = self.plan.message(entry);
                self.open(entry, open);
                self.str(&message.fields[0], variant)?;
                Ok(&message.fields[1])
            }
            _ => Err(mismatch(field, self.plan, format_args!("the variant {variant:?}"))),
        }
    }
}

impl WriteExtension for FieldSerializer<'_, '_> {
    fn write_extension<T: Serialize + ?Sized>(
        &mut self,
        kind: Extension,
        code: u64,
        content: &T,
    ) -> Result<()> {
        match kind {
            Extension::Timestamp => {
                let seconds = extension::i64_of(content)?;
                let nanoseconds = u32::try_from(code)
                    .map_err(|_| unsuitable("more nanoseconds than a second has"))?;
                self.writer.scalar(self.field, Scalar::Timestamp { seconds, nanoseconds })
            }
            Extension::Number => extension::with_str(content, |text| {
                self.writer.scalar(self.field, Scalar::Number(text))
            }),
            _ => Err(unsuitable(format_args!("{kind:?} {code} is another format's own"))),
        }
    }
}
