//! The fields of a message whose fields are in no order.

use super::super::plan::{Kind, Message};
use super::decoder::Decoder;
use crate::Result;

/// One field of a message, as it stands there.
#[derive(Clone, Copy)]
pub(super) struct Entry<'de> {
    /// The index of the field in the schema.
    pub(super) field: usize,
    pub(super) wire: u8,
    /// The value, with its length where it has one.
    pub(super) bytes: &'de [u8],
}

/// The known fields of a message, those alike together and in the order of the schema.
#[derive(Default)]
pub(super) struct Index<'de> {
    pub(super) entries: Vec<Entry<'de>>,
    /// How many were read.
    pub(super) at: usize,
}

impl<'de> Index<'de> {
    /// Adds the fields of what the cursor stands on.
    pub(super) fn add(&mut self, decoder: &mut Decoder<'de>, message: &'de Message) -> Result<()> {
        while !decoder.rest.is_empty() {
            let (number, wire) = decoder.tag()?;
            let before = decoder.rest;
            let known = message.numbered(number, 0);
            decoder.skip(number, wire).map_err(|error| match known {
                Some(field) => error.under_key(&message.fields[field].name),
                None => error,
            })?;
            if let Some(field) = known {
                let bytes = &before[..before.len() - decoder.rest.len()];
                self.entries.push(Entry { field, wire, bytes });
            }
        }
        Ok(())
    }

    /// Puts entries of one field together, once all are added, and takes out those that a later one
    /// replaces: a member of a oneof before another member, a scalar before the same again.
    pub(super) fn arrange(&mut self, message: &'de Message) -> Vec<Entry<'de>> {
        let mut replaced = Vec::new();
        if message.has_oneof {
            self.take_replaced_members(message, &mut replaced);
        }
        self.entries.sort_by_key(|entry| entry.field);
        self.entries.dedup_by(|later, earlier| {
            let replaces = later.field == earlier.field && !earlier.joins(message);
            if replaces {
                replaced.push(std::mem::replace(earlier, *later));
            }
            replaces
        });
        replaced
    }

    /// Those of one oneof together, in the order in which they came.
    fn take_replaced_members(&mut self, message: &'de Message, replaced: &mut Vec<Entry<'de>>) {
        // For each oneof the member that won, and whether another was met before it.
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

impl Entry<'_> {
    /// Whether it is one piece of a value with others of its field: items add up, messages merge;
    /// of anything else the last counts.
    pub(super) fn joins(&self, message: &Message) -> bool {
        let kind = message.fields[self.field].kind;
        matches!(kind, Kind::Repeated | Kind::Packed | Kind::Map | Kind::Message)
    }
}
