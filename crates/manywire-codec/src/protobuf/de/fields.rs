//! The fields of a message, in the order of the schema.

use std::ops::Range;

use super::super::plan::{Field, Message};
use super::super::wire::ABSENT;
use super::decoder::Decoder;
use super::frame::Frame;
use super::index::{Entry, Index};
use super::place::FieldDeserializer;
use crate::{Category, Error, Result};
use manywire_shape::proto::Absent;

/// Walks the fields of one message; those that are not there come up in their place.
pub(super) struct Fields<'de> {
    pub(super) message: &'de Message,
    /// The index of the field that is due.
    pub(super) next: usize,
    /// The index of the field whose tag was read, or that of no field.
    pending: usize,
    wire: u8,
    /// Further entries of that field.
    more: Range<usize>,
    index: Option<Box<Index<'de>>>,
    after: &'de [u8],
    /// The oneofs of which a member was met, a bit each.
    oneofs: u64,
}

/// No tag was read yet.
const UNREAD: usize = usize::MAX;

impl<'de> Fields<'de> {
    #[inline]
    pub(super) fn new(message: &'de Message, frame: Frame<'de>) -> Self {
        let after = frame.after();
        Fields {
            message,
            next: 0,
            pending: UNREAD,
            wire: ABSENT,
            more: 0..0,
            index: frame.index,
            after,
            oneofs: 0,
        }
    }

    /// The next field to present, and its wire type; the cursor is on its value.
    #[inline]
    pub(super) fn advance(
        &mut self,
        decoder: &mut Decoder<'de>,
    ) -> Result<Option<(&'de Field, u8)>> {
        // Nearly always it is the field that is due, with its tag as we would write it.
        if self.pending == UNREAD
            && let Some(field) = self.message.fields.get(self.next)
            && let Some(rest) = field.strip_tag(decoder.rest)
            && field.oneof.is_none()
            && self.index.is_none()
        {
            decoder.rest = rest;
            self.next += 1;
            return Ok(Some((field, field.wire)));
        }
        self.advance_slowly(decoder)
    }

    #[inline(never)]
    fn advance_slowly(&mut self, decoder: &mut Decoder<'de>) -> Result<Option<(&'de Field, u8)>> {
        if self.pending == UNREAD {
            self.pending = self.read(decoder)?;
        }
        while self.next < self.pending {
            let field = &self.message.fields[self.next];
            self.next += 1;
            if field.absent != Absent::Missing {
                return Ok(Some((field, ABSENT)));
            }
        }
        let Some(field) = self.message.fields.get(self.pending) else { return Ok(None) };
        self.next = self.pending + 1;
        self.pending = UNREAD;
        Ok(Some((field, self.wire)))
    }

    /// Reads up to the next known field, and returns its index; past the last at the end.
    #[inline]
    fn read(&mut self, decoder: &mut Decoder<'de>) -> Result<usize> {
        if self.index.is_some() {
            return Ok(self.read_index(decoder));
        }
        loop {
            if decoder.rest.is_empty() {
                return Ok(self.message.fields.len());
            }
            let (number, wire) = decoder.tag()?;
            match self.message.numbered(number, self.next) {
                Some(index) if index >= self.next => {
                    if let Some(oneof) = self.message.fields[index].oneof {
                        self.meet(oneof, decoder)?;
                    }
                    self.wire = wire;
                    return Ok(index);
                }
                Some(_) => return Err(out_of_order(decoder)),
                None => decoder.skip(number, wire)?,
            }
        }
    }

    /// Two members of a oneof: which one wins takes looking through the message first, and where
    /// that was done the others are gone.
    #[inline]
    fn meet(&mut self, oneof: u16, decoder: &Decoder<'de>) -> Result<()> {
        let bit = 1 << (oneof & 63);
        if !decoder.checked && self.oneofs & bit != 0 {
            return Err(out_of_order(decoder));
        }
        self.oneofs |= bit;
        Ok(())
    }

    #[inline(never)]
    fn read_index(&mut self, decoder: &mut Decoder<'de>) -> usize {
        let Some(index) = &mut self.index else { return self.message.fields.len() };
        let Some(first) = index.entries.get(index.at) else { return self.message.fields.len() };
        let field = first.field;
        let run = index.entries[index.at..].iter().take_while(|entry| entry.field == field).count();
        let (start, last) = (index.at, index.at + run);
        let entry = index.entries[start];
        decoder.rest = entry.bytes;
        self.wire = entry.wire;
        self.more = start + 1..last;
        index.at = last;
        field
    }

    /// The place of the field that was just presented.
    #[inline]
    pub(super) fn place<'a>(
        &'a self,
        decoder: &'a mut Decoder<'de>,
        field: &'de Field,
        wire: u8,
    ) -> FieldDeserializer<'a, 'de> {
        let more = self.further(wire);
        FieldDeserializer { decoder, field, wire, more }
    }

    /// Further entries of the field that was just presented.
    #[inline]
    pub(super) fn further(&self, wire: u8) -> &[Entry<'de>] {
        match &self.index {
            Some(index) if wire != ABSENT => &index.entries[self.more.clone()],
            _ => &[],
        }
    }

    /// Leaves the message, of which the value took what it wanted.
    #[inline]
    pub(super) fn leave(mut self, decoder: &mut Decoder<'de>) -> Result<()> {
        let at_end = self.pending >= self.message.fields.len() && decoder.rest.is_empty();
        if !at_end || self.index.is_some() {
            self.leave_rest(decoder)?;
        }
        decoder.leave(self.after);
        Ok(())
    }

    #[inline(never)]
    fn leave_rest(&mut self, decoder: &mut Decoder<'de>) -> Result<()> {
        while let Some((field, wire)) = self.advance(decoder)? {
            if wire != ABSENT {
                return Err(decoder
                    .error(Category::Data, "the value has no place for this field")
                    .under_key(&field.name));
            }
        }
        Ok(())
    }
}

#[cold]
#[inline(never)]
fn out_of_order(decoder: &Decoder<'_>) -> Error {
    decoder.error(Category::Data, "the fields are not in order")
}
