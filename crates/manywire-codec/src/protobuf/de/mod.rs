//! Reads messages to values: the entry points, the cursor over the bytes, and the deserializer of a
//! field.
//!
//! `FieldDeserializer` is the serde deserializer for one field. `scalar` reads scalars. `fields`
//! walks the fields of a message in the order of the schema, and `record` passes them to serde's
//! visitors. `repeated` reads items and entries, and `variant` reads enums; like `record`, they read
//! each part with another `FieldDeserializer`. `strict` applies the rules of proto2.

mod fields;
mod record;
mod repeated;
mod scalar;
mod strict;
mod variant;

use std::fmt;
use std::marker::PhantomData;

use manywire_format::Format;
use manywire_shape::extension::Kind as Extension;
use manywire_shape::proto::Absent;
use manywire_shape::{Arena, ValueSeed};
use serde::de::value::{BorrowedStrDeserializer, I32Deserializer};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};

use self::fields::{FieldEntry, Fields};
use self::record::{RecordAccess, RecordValues, TupleAccess};
use self::repeated::{Entries, EntriesAccess, ItemsAccess};
use self::scalar::Integer;
use super::plan::{Field, FieldKind, Form, Message, Plan};
use super::wire;
use super::wire::{ABSENT, VARINT_BYTES_MAX};
use crate::core::error::entry_key;
use crate::core::forward::forward_deserialize;
use crate::core::{extension, reader};
use crate::{Category, Error, Limits, Result};

/// The handling of fields that a schema does not have, and of numbers that a closed enum does not
/// have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownFields {
    /// Skips them: a newer writer has more fields.
    #[default]
    Skipped,
    /// Fails with [`Category::Data`], for readers that must not lose anything.
    Refused,
}

impl Plan {
    /// Reads a value from a message. Unknown fields are skipped.
    ///
    /// Text and bytes may be borrowed from the input, names from the plan. Fails if the bytes are
    /// not a message, or if the message does not fit the schema or the type.
    pub fn decode<'de, T: Deserialize<'de>>(&'de self, bytes: &'de [u8]) -> Result<T> {
        if self.is_strict {
            return self.decode_seed(PhantomData::<T>, bytes, Limits::DEFAULT);
        }
        // Nearly every message has its fields in order. The first attempt relies on that. If it
        // fails for any reason, the second attempt reads the message or reports the fault.
        let mut unchecked = Decoder::new(self, bytes, Limits::DEFAULT);
        unchecked.checked = false;
        let seed = PhantomData::<T>;
        match unchecked.read_root(seed) {
            Ok(value) => Ok(value),
            Err(_) => self.decode_seed(PhantomData::<T>, bytes, Limits::DEFAULT),
        }
    }

    /// Reads a value from a message with a seed, within limits. Unknown fields are skipped.
    ///
    /// A seed can be used only once, so each message is scanned before it is read. The depth limit
    /// applies to the value: messages that only wrap one value do not count.
    pub fn decode_seed<'de, S: DeserializeSeed<'de>>(
        &'de self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
    ) -> Result<S::Value> {
        self.decode_seed_with(seed, bytes, limits, UnknownFields::Skipped)
    }

    /// Reads a value as [`Plan::decode_seed`] does, and skips or refuses unknown fields.
    pub fn decode_seed_with<'de, S: DeserializeSeed<'de>>(
        &'de self,
        seed: S,
        bytes: &'de [u8],
        limits: Limits,
        unknown_fields: UnknownFields,
    ) -> Result<S::Value> {
        let mut decoder = Decoder::new(self, bytes, limits);
        decoder.unknown_fields = unknown_fields;
        decoder.read_root(seed).map_err(|error| error.with_format(Format::Protobuf))
    }

    /// Returns the text of the key of a map's entry, for an error's path, or `None` if the key cannot
    /// be read. `content` starts with the key; without its tag, the key is absent.
    #[cold]
    #[inline(never)]
    pub(super) fn key_text(&self, entry: &Field, content: &[u8]) -> Option<String> {
        let field = &self.message(entry).fields[0];
        match field.strip_tag(content) {
            Some(rest) => self.text_of_key(field, field.wire, rest),
            None => self.text_of_key(field, ABSENT, content),
        }
    }

    /// Returns the text of a key, as [`Plan::key_text`] does. `content` starts after the tag.
    #[cold]
    #[inline(never)]
    fn text_of_key(&self, field: &Field, wire: u8, content: &[u8]) -> Option<String> {
        let mut decoder = Decoder::new(self, content, Limits::DEFAULT);
        let arena = Arena::new();
        let key = FieldDeserializer { decoder: &mut decoder, field, wire, more: &[] };
        let key = ValueSeed::new(&arena).deserialize(key).ok()?;
        entry_key(&key)
    }
}

impl<'de> Decoder<'de> {
    fn read_root<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        let field = &self.plan.whole;
        let deserializer = FieldDeserializer { decoder: self, field, wire: field.wire, more: &[] };
        seed.deserialize(deserializer)
    }
}

// The cursor: the bytes of the current message, and its surroundings.

/// A cursor over the current message.
struct Decoder<'de> {
    plan: &'de Plan,
    /// The bytes left in the current message.
    rest: &'de [u8],
    /// The whole input, from which offsets are counted.
    input: &'de [u8],
    depth: usize,
    depth_max: usize,
    /// True if each message is scanned before it is read, and indexed if its fields are out of
    /// order. If false, fields out of order are an error.
    checked: bool,
    unknown_fields: UnknownFields,
}

impl<'de> Decoder<'de> {
    fn new(plan: &'de Plan, input: &'de [u8], limits: Limits) -> Self {
        Decoder {
            plan,
            rest: input,
            input,
            depth: 0,
            depth_max: limits.depth,
            checked: true,
            unknown_fields: UnknownFields::Skipped,
        }
    }

    /// Returns the number of input bytes read.
    #[cold]
    fn offset(&self) -> usize {
        self.offset_of(self.rest)
    }

    /// Returns the offset of a part of the input.
    #[cold]
    fn offset_of(&self, part: &[u8]) -> usize {
        (part.as_ptr() as usize).wrapping_sub(self.input.as_ptr() as usize)
    }

    #[cold]
    #[inline(never)]
    fn error(&self, category: Category, message: impl fmt::Display) -> Error {
        Error::at(category, self.offset(), message)
    }

    /// Enters a container.
    #[inline]
    fn enter_container(&mut self) -> Result<()> {
        if self.depth == self.depth_max {
            return Err(Error::depth(self.offset(), self.depth_max));
        }
        self.depth += 1;
        Ok(())
    }

    /// Leaves a container.
    #[inline]
    fn leave_container(&mut self) {
        self.depth -= 1;
    }

    #[inline]
    fn varint(&mut self) -> Result<u64> {
        match *self.rest {
            [byte, ref rest @ ..] if byte < 0x80 => {
                self.rest = rest;
                Ok(byte.into())
            }
            [low, high, ref rest @ ..] if high < 0x80 => {
                self.rest = rest;
                Ok(u64::from(low & 0x7f) | u64::from(high) << 7)
            }
            _ => self.long_varint(),
        }
    }

    #[inline(never)]
    fn long_varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for (index, &byte) in self.rest.iter().enumerate().take(VARINT_BYTES_MAX) {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                // The tenth byte holds one bit.
                if index == VARINT_BYTES_MAX - 1 && byte > 1 {
                    break;
                }
                self.rest = &self.rest[index + 1..];
                return Ok(value);
            }
        }
        if self.rest.len() < VARINT_BYTES_MAX {
            return Err(Error::eof(self.offset() + self.rest.len(), "the rest of a varint"));
        }
        Err(self.error(Category::Syntax, "a varint of more than 64 bits"))
    }

    #[inline]
    fn fixed<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N]> {
        match self.rest.split_first_chunk() {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(*bytes)
            }
            None => Err(Error::eof(self.offset(), expected)),
        }
    }

    /// Reads a length and that many bytes.
    #[inline]
    fn bytes(&mut self) -> Result<&'de [u8]> {
        let len = self.varint()?;
        let split = usize::try_from(len).ok().and_then(|len| self.rest.split_at_checked(len));
        match split {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(bytes)
            }
            None => Err(self.too_short(len)),
        }
    }

    #[cold]
    #[inline(never)]
    fn too_short(&self, len: u64) -> Error {
        let left = self.rest.len();
        self.error(Category::Eof, format_args!("a length of {len} bytes, but {left} are left"))
    }

    #[inline]
    fn str(&mut self) -> Result<&'de str> {
        let bytes = self.bytes()?;
        match reader::utf8(bytes) {
            Some(text) => Ok(text),
            None => Err(self.not_utf8(bytes)),
        }
    }

    #[cold]
    #[inline(never)]
    fn not_utf8(&mut self, bytes: &'de [u8]) -> Error {
        self.rest = &bytes[reader::valid_up_to(bytes)..];
        self.error(Category::Syntax, "the text is not UTF-8")
    }

    /// Reads the number and wire type of the next field.
    #[inline]
    fn tag(&mut self) -> Result<(u32, u8)> {
        let before = self.rest;
        let tag = self.varint()?;
        match u32::try_from(tag) {
            Ok(tag) if tag >= 8 => Ok((tag >> 3, (tag & 7) as u8)),
            _ => {
                self.rest = before;
                Err(self.no_tag(tag))
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn no_tag(&self, tag: u64) -> Error {
        self.error(Category::Syntax, format_args!("invalid field number {}", tag >> 3))
    }
}

// Skipped values.

impl<'de> Decoder<'de> {
    /// Skips the value of a field that the schema does not have, or refuses the field. `tag` begins
    /// with its tag.
    #[inline]
    fn skip_unknown(&mut self, tag: &'de [u8], number: u32, wire: u8) -> Result<()> {
        match self.unknown_fields {
            UnknownFields::Skipped => self.skip(number, wire),
            UnknownFields::Refused => {
                self.rest = tag;
                Err(self
                    .error(Category::Data, format_args!("the schema has no field {number} here")))
            }
        }
    }

    /// Skips a value. Nested groups are counted, without recursion.
    #[inline]
    fn skip(&mut self, number: u32, wire: u8) -> Result<()> {
        match wire {
            wire::VARINT => self.varint().map(drop),
            wire::I64 => self.fixed::<8>("eight bytes").map(drop),
            wire::LEN => self.bytes().map(drop),
            wire::I32 => self.fixed::<4>("four bytes").map(drop),
            wire::START_GROUP => self.skip_group(number),
            _ => Err(self.no_wire_type(number, wire)),
        }
    }

    #[inline(never)]
    fn skip_group(&mut self, number: u32) -> Result<()> {
        self.group(number).map(drop)
    }

    /// Reads the content of a group and the tag that ends it.
    #[inline(never)]
    fn group(&mut self, number: u32) -> Result<&'de [u8]> {
        let content = self.rest;
        let mut open = vec![number];
        loop {
            if self.rest.is_empty() {
                return Err(Error::eof(self.offset(), "the end of a group"));
            }
            let group = open.last().copied().unwrap_or(number);
            let before = self.rest.len();
            match self.tag()? {
                (number, wire::START_GROUP) => open.push(number),
                (number, wire::END_GROUP) if number == group => {
                    open.pop();
                    if open.is_empty() {
                        return Ok(&content[..content.len() - before]);
                    }
                }
                (number, wire::END_GROUP) => {
                    return Err(self.error(
                        Category::Syntax,
                        format_args!("group {group} is closed as group {number}"),
                    ));
                }
                (number, wire) => self.skip(number, wire)?,
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn no_wire_type(&self, number: u32, wire: u8) -> Error {
        let message = match wire {
            wire::END_GROUP => format!("the end of group {number}, which was not open"),
            _ => format!("field {number} has the invalid wire type {wire}"),
        };
        self.error(Category::Syntax, message)
    }
}

// The serde deserializer for one field.

/// Reads the value of one field. The cursor is on the value, unless `wire` is [`ABSENT`].
struct FieldDeserializer<'a, 'de> {
    decoder: &'a mut Decoder<'de>,
    field: &'de Field,
    wire: u8,
    /// Further entries of the field, if the message is read through an index.
    more: &'a [FieldEntry<'de>],
}

impl FieldDeserializer<'_, '_> {
    /// Checks whether the value is a null that was not written.
    #[inline]
    fn is_null(&self) -> bool {
        self.wire == ABSENT && self.field.absent == Absent::Null
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
        deserialize_newtype_struct => deserialize_any;
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

    /// Enters the message of the field, reads its fields by `read`, and leaves the message.
    // Always inlined, so that each caller has its own copy of the steps and of `read`.
    #[inline(always)]
    fn in_message<R>(
        self,
        message: &'de Message,
        read: impl FnOnce(&mut Decoder<'de>, &mut Fields<'de>) -> Result<R>,
    ) -> Result<R> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        let frame = decoder.enter(field, wire, more)?;
        let mut fields = Fields::new(message, frame);
        let value = read(decoder, &mut fields)?;
        fields.leave(decoder)?;
        Ok(value)
    }

    /// Does the same for a message that counts as a container.
    #[inline(always)]
    fn in_container<R>(
        self,
        message: &'de Message,
        read: impl FnOnce(&mut Decoder<'de>, &mut Fields<'de>) -> Result<R>,
    ) -> Result<R> {
        let FieldDeserializer { decoder, field, wire, more } = self;
        decoder.enter_container()?;
        let value = FieldDeserializer { decoder: &mut *decoder, field, wire, more }
            .in_message(message, read)?;
        decoder.leave_container();
        Ok(value)
    }

    /// Returns the message type of the field.
    #[inline]
    fn message(&self) -> Option<&'de Message> {
        (self.field.kind == FieldKind::Message).then(|| self.decoder.plan.message(self.field))
    }

    #[inline]
    fn record<V: Visitor<'de>>(self, message: &'de Message, visitor: V) -> Result<V::Value> {
        self.in_container(message, |decoder, fields| {
            visitor.visit_map(RecordAccess::new(decoder, fields))
        })
    }

    /// Passes the values of a record to a visitor that knows their names.
    #[inline]
    fn values<V: Visitor<'de>>(self, message: &'de Message, visitor: V) -> Result<V::Value> {
        self.in_container(message, |decoder, fields| {
            visitor.visit_seq(RecordValues { decoder, fields })
        })
    }

    fn tuple<V: Visitor<'de>>(self, message: &'de Message, visitor: V) -> Result<V::Value> {
        self.in_container(message, |decoder, fields| {
            visitor.visit_seq(TupleAccess { decoder, fields })
        })
    }

    /// Reads the value that a message wraps, or the set branch of a union.
    #[inline]
    fn with_inner<R>(
        self,
        message: &'de Message,
        read: impl FnOnce(FieldDeserializer<'_, 'de>) -> Result<R>,
    ) -> Result<R> {
        if self.is_null() {
            return Err(self.decoder.error(Category::Data, "expected a value, found null"));
        }
        self.in_message(message, |decoder, fields| {
            let Some((inner, wire)) = fields.advance(decoder)? else {
                return Err(nothing_set(decoder, message));
            };
            read(fields.deserializer(decoder, inner, wire))
        })
    }

    /// Reads a message without fields.
    fn null(self) -> Result<()> {
        if self.wire == ABSENT {
            return Ok(());
        }
        let message = self.decoder.plan.message(self.field);
        self.in_message(message, |_, _| Ok(()))
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
                let message =
                    format_args!("invalid nanoseconds {nanoseconds}: expected 0 to 999999999");
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
fn nothing_set(decoder: &Decoder<'_>, message: &Message) -> Error {
    decoder.error(Category::Data, format_args!("no member of {} is set", message.name))
}
