//! Reads messages to values: the entry points, and the cursor over the bytes.
//!
//! `fields` walks the fields of a message in the order of the schema, and `record` passes them to
//! serde's visitors. `value` is the serde deserializer for one field, `repeated` reads items and
//! entries, and `variant` reads enums. These modules call each other because values nest.

mod fields;
mod record;
mod repeated;
mod strict;
mod value;
mod variant;

use std::fmt;
use std::marker::PhantomData;

use manywire_format::Format;
use serde::de::{Deserialize, DeserializeSeed};

use self::value::FieldDeserializer;
use super::plan::Plan;
use super::wire;
use super::wire::VARINT_BYTES_MAX;
use crate::core::reader;
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
        let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        self.rest = &bytes[valid..];
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
        self.error(Category::Syntax, format_args!("{} is no field number", tag >> 3))
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
