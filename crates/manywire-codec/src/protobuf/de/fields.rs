//! Reads the fields of a message in the order of the schema.

use std::ops::Range;

use manywire_shape::proto::Absent;
use manywire_shape::{Arena, ValueSeed};
use serde::de::DeserializeSeed;

use super::{Decoder, FieldDeserializer};
use crate::protobuf::plan::{Field, FieldKind, Message};
use crate::protobuf::wire;
use crate::protobuf::wire::ABSENT;
use crate::{Category, Error, Result};

/// Walks the fields of one message. Absent fields are presented in their order, too.
pub(super) struct Fields<'de> {
    pub(super) message: &'de Message,
    /// The index of the next field to present.
    pub(super) next: usize,
    /// The index of the field whose tag was read, or past the last field.
    pending: usize,
    wire: u8,
    /// The entries in the index that belong to the field presented last, after its first entry.
    more: Range<usize>,
    index: Option<Box<FieldIndex<'de>>>,
    after: &'de [u8],
    /// The oneofs of which a member was read, a bit each.
    oneofs: u64,
}

/// No tag has been read yet.
const UNREAD: usize = usize::MAX;

impl<'de> Fields<'de> {
    #[inline]
    pub(super) fn new(message: &'de Message, frame: MessageFrame<'de>) -> Self {
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

    /// Returns the next field to present and its wire type. The cursor is on its value.
    #[inline]
    pub(super) fn advance(
        &mut self,
        decoder: &mut Decoder<'de>,
    ) -> Result<Option<(&'de Field, u8)>> {
        // A fast path: usually the next field is present, with its tag in minimal form.
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
        self.advance_out_of_line(decoder)
    }

    #[inline(never)]
    fn advance_out_of_line(
        &mut self,
        decoder: &mut Decoder<'de>,
    ) -> Result<Option<(&'de Field, u8)>> {
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

    /// Reads up to the next known field and returns its index, or past the last field at the end.
    #[inline]
    fn read(&mut self, decoder: &mut Decoder<'de>) -> Result<usize> {
        if self.index.is_some() {
            return Ok(self.read_index(decoder));
        }
        loop {
            if decoder.rest.is_empty() {
                return Ok(self.message.fields.len());
            }
            let tag = decoder.rest;
            let (number, wire) = decoder.tag()?;
            match self.message.numbered(number, self.next) {
                Some(index) if index >= self.next => {
                    if let Some(oneof) = self.message.fields[index].oneof {
                        self.record_oneof(oneof, decoder)?;
                    }
                    self.wire = wire;
                    return Ok(index);
                }
                Some(_) => return Err(out_of_order(decoder)),
                None => decoder.skip_unknown(tag, number, wire)?,
            }
        }
    }

    /// Records a member of a oneof. If the message has two members, only a scan of the whole
    /// message finds the member that wins, so reading without a scan fails. A scan has removed the
    /// other members.
    #[inline]
    fn record_oneof(&mut self, oneof: u16, decoder: &Decoder<'de>) -> Result<()> {
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

    /// Returns the deserializer of the field that was just presented.
    #[inline]
    pub(super) fn deserializer<'a>(
        &'a self,
        decoder: &'a mut Decoder<'de>,
        field: &'de Field,
        wire: u8,
    ) -> FieldDeserializer<'a, 'de> {
        let more = self.more_entries(wire);
        FieldDeserializer { decoder, field, wire, more }
    }

    /// Returns further entries of the field that was just presented.
    #[inline]
    pub(super) fn more_entries(&self, wire: u8) -> &[FieldEntry<'de>] {
        match &self.index {
            Some(index) if wire != ABSENT => &index.entries[self.more.clone()],
            _ => &[],
        }
    }

    /// Leaves the message after the value has read its fields. Fails if a field that is present was
    /// left unread.
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
                    .error(Category::Data, "the target has no field for this data")
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

// Entering and leaving messages.

/// An open message, and the bytes after it.
pub(super) struct MessageFrame<'de> {
    after: &'de [u8],
    pub(super) index: Option<Box<FieldIndex<'de>>>,
}

impl<'de> Decoder<'de> {
    /// Enters the message in a field: sets the cursor on its content.
    #[inline]
    pub(super) fn enter(
        &mut self,
        field: &'de Field,
        wire: u8,
        more: &[FieldEntry<'de>],
    ) -> Result<MessageFrame<'de>> {
        let (body, after) = if wire == wire::LEN && field.tag_len != 0 {
            let body = self.bytes()?;
            (body, self.rest)
        } else if wire == wire::ABSENT {
            (&self.rest[..0], self.rest)
        } else if field.number == 0 {
            // The root extends over the whole input.
            (self.rest, &self.rest[self.rest.len()..])
        } else if wire == wire::START_GROUP && field.wire == wire::START_GROUP {
            (self.group(field.number)?, self.rest)
        } else {
            return Err(self.unexpected_wire(field, wire));
        };
        self.rest = body;
        let index = match more {
            [] if !self.checked => None,
            _ => self.index_if_needed(field, body, more)?,
        };
        Ok(MessageFrame { after, index })
    }

    /// Leaves a message that has been read completely.
    #[inline]
    pub(super) fn leave(&mut self, after: &'de [u8]) {
        self.rest = after;
    }

    /// Builds an index of a message, if reading it needs one.
    #[inline(never)]
    fn index_if_needed(
        &mut self,
        of: &'de Field,
        body: &'de [u8],
        more: &[FieldEntry<'de>],
    ) -> Result<Option<Box<FieldIndex<'de>>>> {
        let message = self.plan.message(of);
        if more.is_empty() && !message.is_strict && self.in_order(message) {
            self.rest = body;
            return Ok(None);
        }
        let mut index = FieldIndex::default();
        self.rest = body;
        index.add(self, message)?;
        for entry in more {
            self.rest = entry.bytes;
            self.rest = match entry.wire {
                wire::LEN => self.bytes()?,
                wire::START_GROUP if of.wire == wire::START_GROUP => self.group(of.number)?,
                _ => return Err(self.error(Category::Data, "expected a message")),
            };
            index.add(self, message)?;
        }
        if message.is_strict {
            index.remove_unknown(self, message)?;
            index.check_required(self, message)?;
        }
        let replaced = index.arrange(message);
        if !replaced.is_empty() {
            self.read_replaced(message, &replaced)?;
        }
        self.rest = &self.rest[self.rest.len()..];
        Ok(Some(Box::new(index)))
    }

    /// Checks whether the fields of a message come in the order of the schema, each in one piece.
    /// In malformed bytes only the order up to the fault counts: reading reports the fault.
    fn in_order(&mut self, message: &'de Message) -> bool {
        let mut next = 0;
        // True if the previous field was a repeated one that may continue.
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
                repeats =
                    matches!(field.kind, FieldKind::Repeated | FieldKind::Packed | FieldKind::Map);
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

impl<'de> MessageFrame<'de> {
    #[inline]
    pub(super) fn after(&self) -> &'de [u8] {
        self.after
    }
}

// An index for messages whose fields are out of order.

/// One field of a message, as encoded.
#[derive(Clone, Copy)]
pub(super) struct FieldEntry<'de> {
    /// The index of the field in the schema.
    pub(super) field: usize,
    pub(super) wire: u8,
    /// The value, with its length if it has one.
    pub(super) bytes: &'de [u8],
}

/// The known fields of a message, sorted by the order of the schema.
#[derive(Default)]
pub(super) struct FieldIndex<'de> {
    pub(super) entries: Vec<FieldEntry<'de>>,
    /// The number of entries read.
    pub(super) at: usize,
}

impl<'de> FieldIndex<'de> {
    /// Adds the fields of the message at the cursor.
    pub(super) fn add(&mut self, decoder: &mut Decoder<'de>, message: &'de Message) -> Result<()> {
        while !decoder.rest.is_empty() {
            let tag = decoder.rest;
            let (number, wire) = decoder.tag()?;
            let before = decoder.rest;
            let Some(field) = message.numbered(number, 0) else {
                decoder.skip_unknown(tag, number, wire)?;
                continue;
            };
            let known = &message.fields[field];
            // Without this check, a fault inside the group would be reported before the wire type.
            let skipped = match wire == wire::START_GROUP && known.item().wire != wire {
                true => Err(decoder.unexpected_wire(known.item(), wire)),
                false => decoder.skip(number, wire),
            };
            skipped.map_err(|error| error.under_key(&known.name))?;
            let bytes = &before[..before.len() - decoder.rest.len()];
            self.entries.push(FieldEntry { field, wire, bytes });
        }
        Ok(())
    }

    /// Sorts the entries by field after all have been added, and returns those that a later one
    /// replaces: a member of a oneof before another member, a scalar before the same scalar.
    pub(super) fn arrange(&mut self, message: &'de Message) -> Vec<FieldEntry<'de>> {
        let mut replaced = Vec::new();
        if message.has_oneof {
            self.take_replaced_members(message, &mut replaced);
        }
        self.entries.sort_by_key(|entry| entry.field);
        self.entries.dedup_by(|later, earlier| {
            let replaces = later.field == earlier.field && !earlier.is_combined(message);
            if replaces {
                replaced.push(std::mem::replace(earlier, *later));
            }
            replaces
        });
        replaced
    }

    /// Removes the replaced members of oneofs and appends them to `replaced`, grouped by oneof and
    /// in order of arrival within each group.
    fn take_replaced_members(
        &mut self,
        message: &'de Message,
        replaced: &mut Vec<FieldEntry<'de>>,
    ) {
        // For each oneof: the member that won, and whether another was read before it.
        let mut won: Vec<(u16, usize, bool)> = Vec::new();
        let mut keep = vec![true; self.entries.len()];
        for (entry, keep) in self.entries.iter().zip(&mut keep).rev() {
            let Some(oneof) = message.fields[entry.field].oneof else { continue };
            match won.iter_mut().find(|winner| winner.0 == oneof) {
                None => won.push((oneof, entry.field, false)),
                Some((_, member, replaced)) => {
                    *replaced |= *member != entry.field;
                    *keep = !*replaced;
                }
            }
        }
        let mut keep = keep.into_iter();
        replaced.extend(self.entries.extract_if(.., |_| !keep.next().unwrap_or(true)));
        replaced.sort_by_key(|entry| message.fields[entry.field].oneof);
    }
}

impl FieldEntry<'_> {
    /// Checks whether the entry is combined with others of its field: items are appended, messages
    /// are merged. For all other types the last one counts.
    pub(super) fn is_combined(&self, message: &Message) -> bool {
        let kind = message.fields[self.field].kind;
        matches!(
            kind,
            FieldKind::Repeated | FieldKind::Packed | FieldKind::Map | FieldKind::Message
        )
    }
}

// Values that later ones replace.

impl<'de> Decoder<'de> {
    /// Reads each entry and discards the value.
    ///
    /// Other readers parse fields in the order of arrival and drop each when the next comes
    /// (<https://protobuf.dev/programming-guides/encoding/#last-one-wins>): a fault in a replaced
    /// entry makes the message malformed.
    #[cold]
    #[inline(never)]
    pub(super) fn read_replaced(
        &mut self,
        message: &'de Message,
        replaced: &[FieldEntry<'de>],
    ) -> Result<()> {
        let arena = Arena::new();
        let is_one = |one: &FieldEntry<'de>, next: &FieldEntry<'de>| {
            one.field == next.field && one.is_combined(message)
        };
        for pieces in replaced.chunk_by(is_one) {
            let Some((&FieldEntry { field, wire, bytes }, more)) = pieces.split_first() else {
                continue;
            };
            let field = &message.fields[field];
            self.rest = bytes;
            let deserializer = FieldDeserializer { decoder: self, field, wire, more };
            ValueSeed::new(&arena)
                .deserialize(deserializer)
                .map_err(|error| error.under_key(&field.name))?;
        }
        Ok(())
    }
}
