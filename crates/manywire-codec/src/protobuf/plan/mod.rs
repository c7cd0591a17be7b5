//! The tables that a schema is compiled into.

mod compile;
mod field;
mod lookup;
mod union;

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;

use manywire_shape::proto::Absent;

use crate::core::room::Room;

/// How values are laid out as one message and those inside it: made once, used by any number of
/// threads.
#[derive(Debug)]
pub struct Plan {
    pub(super) messages: Box<[Message]>,
    pub(super) enums: Box<[Enum]>,
    pub(super) root: usize,
    /// The place of the whole value: a message with neither tag nor length.
    pub(super) whole: Field,
    /// For [`Plan::to_vec`].
    pub(super) room: Room,
}

#[derive(Debug)]
pub(super) struct Message {
    pub(super) name: Box<str>,
    pub(super) form: Form,
    pub(super) fields: Box<[Field]>,
    /// Indexes of fields by number, for the small numbers that nearly all fields have.
    by_number: Box<[u16]>,
    /// Numbers beyond that table, in order.
    by_great_number: Box<[(u32, u16)]>,
    by_name: HashMap<Box<str>, u16>,
    /// How many fields have names in the value: all but the rest of a record, which is the last.
    named: usize,
    /// The fields that must be in a dynamic value, a bit each, of the first 64.
    pub(super) required: u64,
    /// Whether any field belongs to a oneof.
    pub(super) has_oneof: bool,
    /// Whether it is a record whose fields all have values, there or not.
    is_total: bool,
    /// Where a static list of names lies that was found to be these, 0 before.
    static_names: AtomicUsize,
}

/// Which value a message stands for; see [`Form`](manywire_shape::proto::Form).
#[derive(Debug, PartialEq)]
pub(super) enum Form {
    Record { rest: Option<usize> },
    Tuple,
    Wrapper,
    Entry,
    External,
    Internal { tag: Box<str> },
    Adjacent { tag: Box<str>, content: Box<str> },
    Union(Branches),
    Null,
    Timestamp,
}

/// The index of the branch that takes each kind of value.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Branches {
    pub(super) null: Option<u16>,
    pub(super) bool: Option<u16>,
    pub(super) signed: Option<u16>,
    pub(super) unsigned: Option<u16>,
    pub(super) big: Option<u16>,
    pub(super) float: Option<u16>,
    pub(super) double: Option<u16>,
    pub(super) text: Option<u16>,
    pub(super) bytes: Option<u16>,
    pub(super) timestamp: Option<u16>,
    pub(super) number: Option<u16>,
    pub(super) array: Option<u16>,
    pub(super) map: Option<u16>,
    pub(super) variants: Option<u16>,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) kind: Kind,
    /// The wire type of one value.
    pub(super) wire: u8,
    /// The field number and wire type as written; nothing for an item of a packed field.
    pub(super) tag: [u8; 5],
    pub(super) tag_len: u8,
    /// The same bytes as a little-endian word.
    pub(super) tag_word: u64,
    /// Whether zero is left out when written.
    pub(super) omit_zero: bool,
    pub(super) nullable: bool,
    pub(super) required: bool,
    pub(super) absent: Absent,
    pub(super) number: u32,
    /// The index of the message or enum.
    pub(super) target: u32,
    pub(super) oneof: Option<u16>,
    pub(super) name: Box<str>,
    /// Where a static name lies that was found to be this one, 0 before. A derived type writes
    /// every value of it with the same static names, which are then known without being read.
    static_name: AtomicUsize,
    /// What an item of a repeated field, or an entry of a map, is.
    pub(super) item: Option<Box<Field>>,
}

/// What stands in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Float,
    Double,
    String,
    Bytes,
    BigInt,
    Number,
    Enum,
    Message,
    /// Items one by one, each with the tag.
    Repeated,
    /// Items within one length.
    Packed,
    /// Entries one by one.
    Map,
}

#[derive(Debug)]
pub(super) struct Enum {
    pub(super) name: Box<str>,
    pub(super) values: Box<[(Box<str>, i32)]>,
    by_name: HashMap<Box<str>, u16>,
    pub(super) open: bool,
}

impl Plan {
    #[inline]
    pub(super) fn message(&self, field: &Field) -> &Message {
        &self.messages[field.target as usize]
    }
}
