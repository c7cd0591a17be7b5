//! The cursor: the bytes of the message being read, and what is around it.

use std::fmt;

use super::super::plan::{Field, Kind, Message, Plan};
use super::super::wire::{self, VARINT_BYTES_MAX};
use super::index::{Entry, Index};
use crate::core::text;
use crate::{Category, Error, Limits, Result};

/// A cursor over the message being read.
pub(super) struct Decoder<'de> {
    pub(super) plan: &'de Plan,
    /// What is left of the message being read.
    pub(super) rest: &'de [u8],
    /// The whole input, from which offsets are counted.
    input: &'de [u8],
    depth: usize,
    depth_max: usize,
    /// Whether each message is looked through before it is read, and indexed where its fields are
    /// not in order. Where not, fields out of order are an error.
    pub(super) checked: bool,
}

/// A message that was entered, and what comes after it.
pub(super) struct Frame<'de> {
    after: &'de [u8],
    pub(super) index: Option<Box<Index<'de>>>,
}

impl<'de> Decoder<'de> {
    pub(super) fn new(plan: &'de Plan, input: &'de [u8], limits: Limits, checked: bool) -> Self {
        Decoder { plan, rest: input, input, depth: 0, depth_max: limits.depth, checked }
    }

    /// How many bytes of the input have been read.
    #[cold]
    pub(super) fn offset(&self) -> usize {
        // Everything that is read is a slice of the input.
        (self.rest.as_ptr() as usize).wrapping_sub(self.input.as_ptr() as usize)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn error(&self, category: Category, message: impl fmt::Display) -> Error {
        Error::at(category, self.offset(), message)
    }

    /// Goes one container deeper.
    #[inline]
    pub(super) fn deeper(&mut self) -> Result<()> {
        if self.depth == self.depth_max {
            return Err(Error::depth(self.offset(), self.depth_max));
        }
        self.depth += 1;
        Ok(())
    }

    /// Comes back out of a container.
    #[inline]
    pub(super) fn back(&mut self) {
        self.depth -= 1;
    }

    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64> {
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
                // The tenth byte has room for one bit.
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
    pub(super) fn fixed<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N]> {
        match self.rest.split_first_chunk() {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(*bytes)
            }
            None => Err(Error::eof(self.offset(), expected)),
        }
    }

    /// A length and that many bytes.
    #[inline]
    pub(super) fn bytes(&mut self) -> Result<&'de [u8]> {
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
    pub(super) fn str(&mut self) -> Result<&'de str> {
        let bytes = self.bytes()?;
        match text::utf8(bytes) {
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

    /// The number and wire type of the next field.
    #[inline]
    pub(super) fn tag(&mut self) -> Result<(u32, u8)> {
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

    /// Leaves a value behind that nobody asked for. Groups within groups cost a number each, and
    /// no recursion.
    #[inline]
    pub(super) fn skip(&mut self, number: u32, wire: u8) -> Result<()> {
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
        let mut open = vec![number];
        while let Some(&group) = open.last() {
            if self.rest.is_empty() {
                return Err(Error::eof(self.offset(), "the end of a group"));
            }
            match self.tag()? {
                (number, wire::START_GROUP) => open.push(number),
                (number, wire::END_GROUP) if number == group => drop(open.pop()),
                (number, wire::END_GROUP) => {
                    return Err(self.error(
                        Category::Syntax,
                        format_args!("group {group} is closed as group {number}"),
                    ));
                }
                (number, wire) => self.skip(number, wire)?,
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn no_wire_type(&self, number: u32, wire: u8) -> Error {
        let message = match wire {
            wire::END_GROUP => format!("the end of group {number}, which was not open"),
            _ => format!("field {number} has wire type {wire}, which there is not"),
        };
        self.error(Category::Syntax, message)
    }

    /// Enters the message that a field holds: sets the cursor on its content.
    #[inline]
    pub(super) fn enter(
        &mut self,
        field: &'de Field,
        wire: u8,
        more: &[Entry<'de>],
    ) -> Result<Frame<'de>> {
        let (body, after) = if wire == wire::LEN && field.tag_len != 0 {
            let body = self.bytes()?;
            (body, self.rest)
        } else if wire == wire::ABSENT {
            (&self.rest[..0], self.rest)
        } else if field.number == 0 {
            // The root is all there is.
            (self.rest, &self.rest[self.rest.len()..])
        } else {
            return Err(self.unexpected_wire(field, wire));
        };
        self.rest = body;
        let index = match more {
            [] if !self.checked => None,
            _ => self.look_through(self.plan.message(field), body, more)?,
        };
        Ok(Frame { after, index })
    }

    /// Leaves a message, of which nothing is left to read.
    #[inline]
    pub(super) fn leave(&mut self, after: &'de [u8]) {
        self.rest = after;
    }

    /// An index of a message, if one is needed to read it.
    #[inline(never)]
    fn look_through(
        &mut self,
        message: &'de Message,
        body: &'de [u8],
        more: &[Entry<'de>],
    ) -> Result<Option<Box<Index<'de>>>> {
        if more.is_empty() && self.in_order(message) {
            self.rest = body;
            return Ok(None);
        }
        let mut index = Index::default();
        self.rest = body;
        index.add(self, message)?;
        for entry in more {
            self.rest = entry.bytes;
            if entry.wire != wire::LEN {
                return Err(self.error(Category::Data, "expected a message"));
            }
            self.rest = self.bytes()?;
            index.add(self, message)?;
        }
        index.arrange(message);
        self.rest = &self.rest[self.rest.len()..];
        Ok(Some(Box::new(index)))
    }

    /// Whether the fields of a message come in the order of the schema, each in one piece. Of bytes
    /// that are malformed the order up to there counts: reading them says what is wrong, and where.
    fn in_order(&mut self, message: &'de Message) -> bool {
        let mut next = 0;
        // Whether the field before was a repeated one that may go on.
        let mut repeats = false;
        let mut oneofs = Vec::new();
        while !self.rest.is_empty() {
            let Ok((number, wire)) = self.tag() else { return true };
            if let Some(index) = message.numbered(number, next) {
                if index + usize::from(repeats) < next {
                    return false;
                }
                let field = &message.fields[index];
                if let Some(oneof) = field.oneof {
                    if oneofs.contains(&oneof) {
                        return false;
                    }
                    oneofs.push(oneof);
                }
                repeats = matches!(field.kind, Kind::Repeated | Kind::Packed | Kind::Map);
                next = index + 1;
            } else {
                repeats = false;
            }
            if self.skip(number, wire).is_err() {
                return true;
            }
        }
        true
    }

    #[cold]
    #[inline(never)]
    pub(super) fn unexpected_wire(&self, field: &Field, wire: u8) -> Error {
        if wire == wire::END_GROUP || wire > wire::I32 {
            return self.no_wire_type(field.number, wire);
        }
        self.error(
            Category::Data,
            format_args!("field {} has wire type {wire}, expected {}", field.number, field.wire),
        )
    }
}

impl<'de> Frame<'de> {
    #[inline]
    pub(super) fn after(&self) -> &'de [u8] {
        self.after
    }
}
