//! Entering a message and leaving it.

use super::super::plan::{Field, Kind, Message};
use super::super::wire;
use super::decoder::Decoder;
use super::index::{Entry, Index};
use crate::{Category, Error, Result};

/// A message that was entered, and what comes after it.
pub(super) struct Frame<'de> {
    after: &'de [u8],
    pub(super) index: Option<Box<Index<'de>>>,
}

impl<'de> Decoder<'de> {
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
        let replaced = index.arrange(message);
        if !replaced.is_empty() {
            self.read_replaced(message, &replaced)?;
        }
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
