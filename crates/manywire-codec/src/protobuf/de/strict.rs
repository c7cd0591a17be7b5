//! The rules of proto2 that need the whole message: closed enums, groups and required fields.
//!
//! These functions work on the index of a message's fields. A message without such rules needs no
//! index for them and has no extra cost.

use super::fields::{FieldEntry, FieldIndex};
use super::{Decoder, UnknownFields};
use crate::protobuf::plan::{Enum, Field, FieldKind, Message};
use crate::protobuf::wire::{I32, I64, LEN, START_GROUP, VARINT, split_varint};
use crate::{Category, Error, Result};

impl<'de> FieldIndex<'de> {
    /// Removes the entries with unknown numbers of closed enums, which are unknown fields.
    ///
    /// # Errors
    ///
    /// Fails if a group has another wire type, and for unknown fields if the decoder refuses them.
    pub(super) fn remove_unknown(
        &mut self,
        decoder: &Decoder<'de>,
        message: &'de Message,
    ) -> Result<()> {
        let mut known = Vec::with_capacity(self.entries.len());
        for entry in self.entries.drain(..) {
            let field = &message.fields[entry.field];
            let item = field.item();
            if item.wire == START_GROUP && entry.wire != START_GROUP {
                let error = decoder.unexpected_wire(item, entry.wire);
                return Err(error.under_key(&field.name));
            }
            let closed = |field: &Field| {
                let is_enum = field.kind == FieldKind::Enum;
                let each = is_enum.then(|| &decoder.plan.enums[field.target as usize]);
                each.filter(|each| each.closed)
            };
            let unknown_of = match (closed(item), field.kind) {
                (Some(each), _) => (!add_known(each, entry, &mut known)).then_some(each),
                (None, FieldKind::Map) => {
                    let fields = &decoder.plan.message(item).fields;
                    let has_unknown =
                        |each: &&Enum| !has_known_value(each, fields[1].number, entry);
                    let unknown_of = fields.get(1).and_then(closed).filter(has_unknown);
                    if unknown_of.is_none() {
                        known.push(entry);
                    }
                    unknown_of
                }
                (None, _) => {
                    known.push(entry);
                    None
                }
            };
            if let Some(each) = unknown_of
                && decoder.unknown_fields == UnknownFields::Refused
            {
                let message = format_args!("{} does not have this number", each.name);
                let at = decoder.offset_of(entry.bytes);
                return Err(Error::data(at, message).under_key(&field.name));
            }
        }
        self.entries = known;
        Ok(())
    }

    /// Checks that every required field is there.
    pub(super) fn check_required(&self, decoder: &Decoder<'de>, message: &Message) -> Result<()> {
        let required = message.fields.iter().enumerate().filter(|(_, field)| field.is_needed());
        for (index, field) in required {
            if !self.entries.iter().any(|entry| entry.field == index) {
                let message = format_args!("the required field {} is missing", field.name);
                return Err(decoder.error(Category::Data, message));
            }
        }
        Ok(())
    }
}

/// Adds an entry of a closed enum without the unknown numbers, and returns whether there were none.
/// If a packed entry has any, its known numbers become entries.
fn add_known<'de>(each: &Enum, entry: FieldEntry<'de>, known: &mut Vec<FieldEntry<'de>>) -> bool {
    match entry.wire {
        VARINT => {
            let number = split_varint(entry.bytes).map(|(number, _)| number);
            let all_known = number.is_none_or(|number| is_known(each, number));
            known.extend(all_known.then_some(entry));
            all_known
        }
        LEN => {
            let mut rest = content(entry.bytes);
            let mut items = Vec::new();
            let mut all_known = true;
            while let Some((number, after)) = split_varint(rest) {
                let bytes = &rest[..rest.len() - after.len()];
                if is_known(each, number) {
                    items.push(FieldEntry { wire: VARINT, bytes, ..entry });
                } else {
                    all_known = false;
                }
                rest = after;
            }
            // Reading reports a number that is cut off.
            let keeps_all = all_known || !rest.is_empty();
            match keeps_all {
                true => known.push(entry),
                false => known.extend(items),
            }
            keeps_all
        }
        _ => {
            known.push(entry);
            true
        }
    }
}

/// Returns whether the last value of a map's entry is a known number of a closed enum. An entry
/// without a value has the default, and counts as known. So does an entry with an invalid wire type
/// or a cut-off number, because reading reports these faults. If anything else is cut off, the
/// values before it decide.
fn has_known_value(each: &Enum, number: u32, entry: FieldEntry<'_>) -> bool {
    let mut rest = if entry.wire == LEN { content(entry.bytes) } else { &[] };
    let mut known = true;
    while let Some((tag, after)) = split_varint(rest) {
        let wire = (tag & 7) as u8;
        rest = match wire {
            VARINT => match split_varint(after) {
                Some((value, after)) => {
                    if tag >> 3 == u64::from(number) {
                        known = is_known(each, value);
                    }
                    after
                }
                None => return true,
            },
            LEN => past(after),
            I64 => after.get(8..).unwrap_or_default(),
            I32 => after.get(4..).unwrap_or_default(),
            _ => return true,
        };
    }
    known
}

fn is_known(each: &Enum, number: u64) -> bool {
    // Protocol Buffers readers use only the low 32 bits of an enum number.
    each.name_of((number as u32).cast_signed()).is_some()
}

/// Returns the content after a length, or nothing if it is cut off.
fn content(bytes: &[u8]) -> &[u8] {
    let found = split_varint(bytes).and_then(|(len, rest)| rest.get(..usize::try_from(len).ok()?));
    found.unwrap_or_default()
}

/// Returns the bytes after a length and its content, or nothing if it is cut off.
fn past(bytes: &[u8]) -> &[u8] {
    let found = split_varint(bytes).and_then(|(len, rest)| rest.get(usize::try_from(len).ok()?..));
    found.unwrap_or_default()
}
