//! Protocol Buffers, <https://protobuf.dev/programming-guides/encoding/>.
//!
//! Numbers and wire types are in the bytes, names and types are in the schema. Without one, and
//! for numbers that it does not have, a field with a length is taken for a message, for text or
//! for bytes by what its content reads as.

mod guess;
mod json_size;
mod named;
mod wire;

use std::collections::HashMap;

use manywire_shape::Value;
use manywire_shape::proto::{Field, Label, Schema};

use crate::trail::{Kind, Opening, Trail, Walked};

use wire::{FIELD_NUMBER_MAX, RESERVED_NUMBERS, WIRE_TYPES};
pub(crate) use wire::{Malformed, varint, zigzag};

pub(crate) fn walk<'b>(
    bytes: &'b [u8],
    schema: Option<&'b Schema>,
    trail: &mut Trail<'_>,
) -> Walked {
    let end = bytes.len();
    let levels = vec![Level::until(end, schema.map(|schema| schema.root))];
    let mut walker = Walker { bytes, at: 0, schema, levels, trail };
    walker.trail.count_json_apart();
    match schema {
        Some(schema) => walker.count_message(schema.root),
        // Names are not in the bytes.
        None => walker.trail.forget_json(),
    }
    walker.trail.enter(Opening::until(Kind::Map, end));
    while let Some(&Level { end, group, .. }) = walker.levels.last() {
        if walker.at < end {
            walker.field(end, group)?;
        } else if group != 0 {
            let expected = format_args!("the end of group {group}");
            return Err(walker.trail.fault(walker.at, expected));
        } else {
            let level = walker.levels.pop();
            if level.is_some_and(|level| level.in_entry && !level.counts.contains_key(&2)) {
                // What stands for the value that is missing depends on its type.
                walker.trail.forget_json();
            }
            walker.trail.close(end..end, format_args!("end of message"));
        }
    }
    Ok(())
}

struct Walker<'b, 't, 's> {
    bytes: &'b [u8],
    at: usize,
    schema: Option<&'b Schema>,
    levels: Vec<Level>,
    trail: &'t mut Trail<'s>,
}

/// An open message.
struct Level {
    /// Where it ends.
    end: usize,
    /// The number of the group that it is, or 0.
    group: u64,
    /// The index of its type in the schema, if that is known.
    message: Option<usize>,
    /// Where the field behind the last one stands in the type: most writers keep the order.
    next: usize,
    /// How many items of each field of the schema there have been.
    counts: HashMap<u32, u64>,
    /// Whether it is the entry of a map.
    in_entry: bool,
}

impl Level {
    fn until(end: usize, message: Option<usize>) -> Self {
        Level { end, group: 0, message, next: 0, counts: HashMap::new(), in_entry: false }
    }
}

impl<'b> Walker<'b, '_, '_> {
    /// A field of the message that ends at `end`; `group` is the number of the group it is in.
    fn field(&mut self, end: usize, group: u64) -> Walked {
        let start = self.at;
        let tag = self.varint(end, "a tag")?;
        let (number, wire_type) = (tag >> 3, tag & 7);
        if number == 0 || number > FIELD_NUMBER_MAX {
            let expected = format_args!("a field number from 1 to 536870911, not {number}");
            return Err(self.trail.fault(start, expected));
        }
        if wire_type == 4 {
            if number != group {
                let expected = format_args!("no end of group {number} here");
                return Err(self.trail.fault(self.at, expected));
            }
            self.levels.pop();
            self.trail.close(start..self.at, format_args!("end of group"));
            return Ok(());
        }
        let Some(name) = WIRE_TYPES.get(wire_type as usize) else {
            let expected = format_args!("a wire type from 0 to 5, not {wire_type}");
            return Err(self.trail.fault(self.at, expected));
        };
        if RESERVED_NUMBERS.contains(&number) {
            let message = format_args!("numbers from 19000 to 19999 are reserved");
            self.trail.remark(start, message);
        }
        let range = start..self.at;
        match self.known(number) {
            Some(field) => self.known_field(field, range, wire_type, end),
            None => {
                let known = self.levels.last().is_some_and(|level| level.message.is_some());
                self.trail.forget_json();
                if known {
                    self.trail.unknown_key(range, format_args!("unknown {name} field"), number);
                } else {
                    let number = Value::from(number);
                    self.trail.field_key(range, format_args!("{name} field"), number, None);
                }
                self.guess(number, wire_type, end)
            }
        }
    }

    /// The field of the innermost message that has this number.
    fn known(&mut self, number: u64) -> Option<&'b Field> {
        let schema = self.schema?;
        let level = self.levels.last_mut()?;
        let fields = &schema.messages[level.message?].fields;
        let (before, behind) = fields.split_at(level.next.min(fields.len()));
        let place =
            |fields: &[Field]| fields.iter().position(|field| u64::from(field.number) == number);
        let index = match place(behind) {
            Some(index) => before.len() + index,
            None => place(before)?,
        };
        // A repeated field may well come again.
        let again = matches!(fields[index].label, Label::Repeated);
        level.next = index + usize::from(!again);
        Some(&fields[index])
    }

    fn varint(&mut self, end: usize, what: &str) -> Walked<u64> {
        let start = self.at;
        match varint(&self.bytes[start..end]) {
            Ok((number, length)) => {
                if length > 1 && self.bytes[start + length - 1] == 0 {
                    self.trail.remark(start, format_args!("a shorter varint would do"));
                }
                self.at += length;
                Ok(number)
            }
            Err(Malformed::Cut) => {
                Err(self.trail.fault(end, format_args!("the last byte of {what}")))
            }
            Err(Malformed::Long) => {
                Err(self.trail.fault(start, format_args!("{what} within 64 bits")))
            }
        }
    }

    fn fixed<const N: usize>(&mut self, end: usize) -> Walked<[u8; N]> {
        match self.bytes[self.at..end].first_chunk::<N>() {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.lack(end, format_args!("{N} bytes of the value"))),
        }
    }

    /// A length and as many bytes.
    fn content(&mut self, end: usize) -> Walked<&'b [u8]> {
        let bytes = self.bytes;
        let length = self.varint(end, "a length")?;
        let rest = &bytes[self.at..end];
        match usize::try_from(length).ok().and_then(|length| rest.get(..length)) {
            Some(content) => {
                self.at += content.len();
                Ok(content)
            }
            None => {
                let left = rest.len();
                Err(self.lack(end, format_args!("{length} bytes, of which {left} are here")))
            }
        }
    }

    /// There are too few bytes up to `end`: more would help where the input ends with them.
    #[cold]
    fn lack(&mut self, end: usize, expected: std::fmt::Arguments<'_>) -> crate::trail::Stop {
        match end == self.bytes.len() {
            true => self.trail.cut(self.at, expected),
            false => self.trail.fault(self.at, expected),
        }
    }
}
