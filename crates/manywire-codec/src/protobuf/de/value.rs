//! Reads one value: of a field, an item of a field, or an absent field.

use manywire_shape::extension as shape_extension;
use manywire_shape::extension::Kind as Extension;
use manywire_shape::proto::Absent;
use serde::de::value::{BorrowedStrDeserializer, I32Deserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};

use super::fields::{FieldEntry, Fields};
use super::record::{RecordAccess, RecordValues, TupleAccess};
use super::repeated::{Entries, EntriesAccess, ItemsAccess};
use super::{Decoder, variant};
use crate::core::extension;
use crate::core::forward::forward_deserialize;
use crate::protobuf::plan::{Field, FieldKind, Form, Message};
use crate::protobuf::wire::{ABSENT, unzigzag};
use crate::{Category, Error, Result};

/// Reads the value of one field. The cursor is on the value, unless `wire` is [`ABSENT`].
pub(super) struct FieldDeserializer<'a, 'de> {
    pub(super) decoder: &'a mut Decoder<'de>,
    pub(super) field: &'de Field,
    pub(super) wire: u8,
    /// Further entries of the field, if the message is read through an index.
    pub(super) more: &'a [FieldEntry<'de>],
}

impl FieldDeserializer<'_, '_> {
    /// Checks whether the value is a null that was not written.
    #[inline]
    fn is_null(&self) -> bool {
        self.wire == ABSENT && self.field.absent == Absent::Null
    }

    /// Checks whether a scalar is present. If it is absent, it has its default.
    #[inline]
    fn is_present(&self) -> Result<bool> {
        if self.wire == self.field.wire {
            return Ok(true);
        }
        self.is_absent()
    }

    #[cold]
    #[inline(never)]
    fn is_absent(&self) -> Result<bool> {
        match self.wire {
            ABSENT if self.is_null() => {
                Err(self.decoder.error(Category::Data, "expected a value, found null"))
            }
            ABSENT => Ok(false),
            wire => Err(self.decoder.unexpected_wire(self.field, wire)),
        }
    }
}

// The deserializer methods that serde calls for each type.

impl<'de> Deserializer<'de> for FieldDeserializer<'_, 'de> {
    type Error = Error;

    #[inline(never)]
    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        if self.is_null() {
            return visitor.visit_unit();
        }
        match self.field.kind {
            FieldKind::Bool => visitor.visit_bool(self.varint()? != 0),
            FieldKind::Float => visitor.visit_f32(f32::from_le_bytes(self.fixed32()?)),
            FieldKind::Double => visitor.visit_f64(f64::from_le_bytes(self.fixed64()?)),
            FieldKind::String => visitor.visit_borrowed_str(self.str()?),
            FieldKind::Bytes => visitor.visit_borrowed_bytes(self.bytes()?),
            FieldKind::BigInt => self.deserialize_big(visitor),
            FieldKind::Number => {
                let text = self.str()?;
                extension::visit(visitor, Extension::Number, 0, BorrowedStrDeserializer::new(text))
            }
            FieldKind::Enum => match self.enumerator()? {
                Ok(name) => visitor.visit_borrowed_str(name),
                Err(number) => visitor.visit_i64(number.into()),
            },
            FieldKind::Repeated | FieldKind::Packed => self.items(visitor),
            FieldKind::Map => self.entries(visitor),
            FieldKind::Message => {
                let message = self.decoder.plan.message(self.field);
                match message.form {
                    Form::Record { .. } => self.record(message, visitor),
                    Form::Tuple | Form::Entry => self.tuple(message, visitor),
                    Form::Wrapper | Form::Union(_) => {
                        self.with_inner(message, |inner| inner.deserialize_any(visitor))
                    }
                    Form::External | Form::Internal { .. } | Form::Adjacent { .. } => {
                        variant::any(self, message, visitor)
                    }
                    Form::Null => {
                        self.null()?;
                        visitor.visit_unit()
                    }
                    Form::Timestamp => self.timestamp(message, visitor),
                }
            }
            _ => match self.integer()? {
                Some(Integer::Signed(value)) => visitor.visit_i64(value),
                Some(Integer::Unsigned(value)) => visitor.visit_u64(value),
                None => Err(self.decoder.error(Category::Data, "a field of no kind")),
            },
        }
    }

    forward_deserialize! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 => deserialize_integer;
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 => deserialize_integer;
        deserialize_i128 deserialize_u128 deserialize_char deserialize_identifier => deserialize_any;
        deserialize_unit deserialize_unit_struct deserialize_map => deserialize_any;
        deserialize_string => deserialize_str;
        deserialize_byte_buf => deserialize_bytes;
        deserialize_tuple deserialize_tuple_struct => deserialize_seq;
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.field.kind {
            FieldKind::Bool => visitor.visit_bool(self.varint()? != 0),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_f32<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.field.kind {
            FieldKind::Float => visitor.visit_f32(f32::from_le_bytes(self.fixed32()?)),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.field.kind {
            FieldKind::Double => visitor.visit_f64(f64::from_le_bytes(self.fixed64()?)),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.field.kind {
            FieldKind::String => visitor.visit_borrowed_str(self.str()?),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.field.kind {
            FieldKind::Bytes => visitor.visit_borrowed_bytes(self.bytes()?),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.is_null() {
            return visitor.visit_none();
        }
        if self.field.nullable || !self.may_wrap_null() {
            return visitor.visit_some(self);
        }
        let message = self.decoder.plan.message(self.field);
        if message.form == Form::Null {
            self.null()?;
            return visitor.visit_none();
        }
        self.with_inner(message, |inner| inner.deserialize_option(visitor))
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == shape_extension::NAME {
            return self.deserialize_any(visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.field.kind {
            FieldKind::Repeated | FieldKind::Packed if !self.is_null() => self.items(visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    /// At the first attempt of `Plan::decode`, a type with exactly the schema's fields, in the same
    /// order and without aliases, gets the values without names. Derived types accept values with
    /// and without names; any other type gets the names at the second attempt.
    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.message() {
            Some(message) if matches!(message.form, Form::Record { .. }) && !self.is_null() => {
                if !self.decoder.checked && message.is_positional(names) {
                    return self.values(message, visitor);
                }
                self.record(message, visitor)
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if self.is_null() {
            return self.deserialize_any(visitor);
        }
        match self.field.kind {
            FieldKind::Enum => match self.enumerator()? {
                Ok(name) => visitor.visit_enum(BorrowedStrDeserializer::new(name)),
                Err(number) => {
                    let number: I32Deserializer<Error> = number.into_deserializer();
                    number.deserialize_enum(name, variants, visitor)
                }
            },
            FieldKind::String => visitor.visit_enum(BorrowedStrDeserializer::new(self.str()?)),
            FieldKind::Message => {
                let message = self.decoder.plan.message(self.field);
                match message.form {
                    Form::External => variant::external(self, message, visitor),
                    Form::Wrapper | Form::Union(_) => self.with_inner(message, |inner| {
                        inner.deserialize_enum(name, variants, visitor)
                    }),
                    _ => self.deserialize_any(visitor),
                }
            }
            FieldKind::Map => variant::single_entry(self, visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    /// Reads all pieces of the value, because the position after it must be known.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let FieldDeserializer { decoder, field, wire, .. } = self;
        if wire != ABSENT {
            match field.kind {
                FieldKind::Repeated | FieldKind::Packed | FieldKind::Map => {
                    let mut wire = wire;
                    loop {
                        decoder.skip(field.number, wire)?;
                        let before = decoder.rest;
                        if before.is_empty() {
                            break;
                        }
                        let (number, next) = decoder.tag()?;
                        if number != field.number {
                            decoder.rest = before;
                            break;
                        }
                        wire = next;
                    }
                }
                _ if field.number == 0 => decoder.rest = &decoder.rest[decoder.rest.len()..],
                _ => decoder.skip(field.number, wire)?,
            }
        }
        visitor.visit_unit()
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

// Compound values: items, entries, and the forms that a message may have.

impl<'de> FieldDeserializer<'_, 'de> {
    #[inline]
    fn items<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.decoder.enter_container()?;
        let mut access = ItemsAccess::new(&mut *self.decoder, self.field, self.wire, self.more);
        let value = visitor.visit_seq(&mut access)?;
        access.finish()?;
        self.decoder.leave_container();
        Ok(value)
    }

    #[inline(never)]
    fn entries<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.decoder.enter_container()?;
        let mut access = EntriesAccess {
            entries: Entries::new(self.field, self.wire),
            decoder: &mut *self.decoder,
            more: self.more,
        };
        let value = visitor.visit_map(&mut access)?;
        access.finish()?;
        self.decoder.leave_container();
        Ok(value)
    }

    /// Returns the message type of the field.
    #[inline]
    fn message(&self) -> Option<&'de Message> {
        (self.field.kind == FieldKind::Message).then(|| self.decoder.plan.message(self.field))
    }

    #[inline]
    fn record<V: Visitor<'de>>(self, message: &'de Message, visitor: V) -> Result<V::Value> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        decoder.enter_container()?;
        let frame = decoder.enter(field, wire, more)?;
        let mut fields = Fields::new(message, frame);
        let value = visitor.visit_map(RecordAccess::new(decoder, &mut fields))?;
        fields.leave(decoder)?;
        decoder.leave_container();
        Ok(value)
    }

    /// Passes the values of a record to a visitor that knows their names.
    #[inline]
    fn values<V: Visitor<'de>>(self, message: &'de Message, visitor: V) -> Result<V::Value> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        decoder.enter_container()?;
        let frame = decoder.enter(field, wire, more)?;
        let mut fields = Fields::new(message, frame);
        let value = visitor.visit_seq(RecordValues { decoder, fields: &mut fields })?;
        fields.leave(decoder)?;
        decoder.leave_container();
        Ok(value)
    }

    fn tuple<V: Visitor<'de>>(self, message: &'de Message, visitor: V) -> Result<V::Value> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        decoder.enter_container()?;
        let frame = decoder.enter(field, wire, more)?;
        let mut fields = Fields::new(message, frame);
        let value = visitor.visit_seq(TupleAccess { decoder, fields: &mut fields })?;
        fields.leave(decoder)?;
        decoder.leave_container();
        Ok(value)
    }

    /// Reads the value that a message wraps, or the set branch of a union.
    #[inline]
    fn with_inner<R>(
        self,
        message: &'de Message,
        read: impl FnOnce(FieldDeserializer<'_, 'de>) -> Result<R>,
    ) -> Result<R> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        if wire == ABSENT && field.absent == Absent::Null {
            return Err(decoder.error(Category::Data, "expected a value, found null"));
        }
        let frame = decoder.enter(field, wire, more)?;
        let mut fields = Fields::new(message, frame);
        let Some((inner, wire)) = fields.advance(decoder)? else {
            return Err(nothing_set(decoder, message));
        };
        let value = read(fields.deserializer(decoder, inner, wire))?;
        fields.leave(decoder)?;
        Ok(value)
    }

    /// Reads a message without fields.
    pub(super) fn null(self) -> Result<()> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        if wire == ABSENT {
            return Ok(());
        }
        let message = decoder.plan.message(field);
        let frame = decoder.enter(field, wire, more)?;
        Fields::new(message, frame).leave(decoder)
    }

    fn timestamp<V: Visitor<'de>>(self, message: &'de Message, visitor: V) -> Result<V::Value> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        let frame = decoder.enter(field, wire, more)?;
        let mut fields = Fields::new(message, frame);
        let mut parts = [0; 2];
        for part in &mut parts {
            if let Some((field, wire)) = fields.advance(decoder)?
                && let Some(Integer::Signed(value)) =
                    fields.deserializer(decoder, field, wire).integer()?
            {
                *part = value;
            }
        }
        fields.leave(decoder)?;
        let [seconds, nanoseconds] = parts;
        match u64::try_from(nanoseconds) {
            Ok(code) if code < 1_000_000_000 => {
                let content = extension::seconds(seconds);
                extension::visit(visitor, Extension::Timestamp, code, content)
            }
            _ => {
                let message = format_args!("{nanoseconds} is no part of a second in nanoseconds");
                Err(decoder.error(Category::Data, message))
            }
        }
    }

    /// Checks whether the message may contain null.
    fn may_wrap_null(&self) -> bool {
        self.message().is_some_and(|message| match &message.form {
            Form::Wrapper => message.fields[0].nullable,
            Form::Union(branches) => branches.null.is_some(),
            Form::Null => true,
            _ => false,
        })
    }
}

#[cold]
#[inline(never)]
pub(super) fn nothing_set(decoder: &Decoder<'_>, message: &Message) -> Error {
    decoder.error(Category::Data, format_args!("no member of {} is set", message.name))
}

// Scalars in the types of their fields.

/// An integer in the type of its field.
enum Integer {
    Signed(i64),
    Unsigned(u64),
}

impl<'de> FieldDeserializer<'_, 'de> {
    #[inline]
    fn varint(&mut self) -> Result<u64> {
        if self.is_present()? { self.decoder.varint() } else { Ok(0) }
    }

    #[inline]
    fn fixed32(&mut self) -> Result<[u8; 4]> {
        if self.is_present()? { self.decoder.fixed("four bytes") } else { Ok([0; 4]) }
    }

    #[inline]
    fn fixed64(&mut self) -> Result<[u8; 8]> {
        if self.is_present()? { self.decoder.fixed("eight bytes") } else { Ok([0; 8]) }
    }

    #[inline]
    fn str(&mut self) -> Result<&'de str> {
        if self.is_present()? { self.decoder.str() } else { Ok("") }
    }

    #[inline]
    fn bytes(&mut self) -> Result<&'de [u8]> {
        if self.is_present()? { self.decoder.bytes() } else { Ok(&[]) }
    }

    /// Reads an integer, if the field holds one. A varint too long for a 32-bit field loses its
    /// upper bits, as the encoding's specification requires.
    #[inline]
    fn integer(&mut self) -> Result<Option<Integer>> {
        Ok(Some(match self.field.kind {
            FieldKind::Int64 => Integer::Signed(self.varint()?.cast_signed()),
            FieldKind::Int32 => Integer::Signed((self.varint()? as u32).cast_signed().into()),
            FieldKind::Uint64 => Integer::Unsigned(self.varint()?),
            FieldKind::Uint32 => Integer::Unsigned((self.varint()? as u32).into()),
            FieldKind::Sint64 => Integer::Signed(unzigzag(self.varint()?)),
            FieldKind::Sint32 => Integer::Signed(unzigzag((self.varint()? as u32).into())),
            FieldKind::Fixed32 => Integer::Unsigned(u32::from_le_bytes(self.fixed32()?).into()),
            FieldKind::Fixed64 => Integer::Unsigned(u64::from_le_bytes(self.fixed64()?)),
            FieldKind::Sfixed32 => Integer::Signed(i32::from_le_bytes(self.fixed32()?).into()),
            FieldKind::Sfixed64 => Integer::Signed(i64::from_le_bytes(self.fixed64()?)),
            _ => return Ok(None),
        }))
    }

    #[inline]
    fn deserialize_integer<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        match self.integer()? {
            Some(Integer::Signed(value)) => visitor.visit_i64(value),
            Some(Integer::Unsigned(value)) => visitor.visit_u64(value),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_big<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let text = match self.str()? {
            "" => "0",
            text => text,
        };
        if let Ok(value) = text.parse::<i64>() {
            return visitor.visit_i64(value);
        }
        if let Ok(value) = text.parse::<u64>() {
            return visitor.visit_u64(value);
        }
        if let Ok(value) = text.parse::<i128>() {
            return visitor.visit_i128(value);
        }
        match text.parse::<u128>() {
            Ok(value) => visitor.visit_u128(value),
            Err(_) => {
                let message = format_args!("{text:?} is not an integer of 128 bits");
                Err(self.decoder.error(Category::Data, message))
            }
        }
    }

    /// Reads the name of an enum's value, or its number if it has no name and the enum is open.
    fn enumerator(&mut self) -> Result<std::result::Result<&'de str, i32>> {
        let each = &self.decoder.plan.enums[self.field.target as usize];
        let number = match self.is_present()? {
            true => (self.decoder.varint()? as u32).cast_signed(),
            false => each.default_number(),
        };
        match each.name_of(number) {
            Some(name) => Ok(Ok(name)),
            None if each.open => Ok(Err(number)),
            None => {
                let message = format_args!("{} has no value {number}", each.name);
                Err(self.decoder.error(Category::Data, message))
            }
        }
    }
}
