//! The events that a walk reports, and the summary of a walk.

use std::fmt;
use std::ops::Range;

use manywire_shape::Value;

/// One event of a walk.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    /// The meaning of the next bytes.
    Span(&'e Span<'e>),
    /// An error in the bytes.
    Fault(&'e Fault<'e>),
    /// Valid bytes that a careful writer would avoid.
    Remark(&'e Remark<'e>),
}

/// A run of bytes with one meaning. Each span begins where the previous one ends.
#[derive(Clone, Debug)]
pub struct Span<'e> {
    /// The range of the span in the input, in bytes.
    pub range: Range<usize>,
    /// The bytes of the span.
    pub bytes: &'e [u8],
    /// The offset of the packed span that this span was unpacked from. If it is set, `range` counts
    /// from the start of the unpacked bytes, and the span covers no bytes of the input.
    pub inside: Option<usize>,
    /// The number of bytes that give kind and length, or delimit the content. The other bytes of
    /// the span are content.
    pub head: usize,
    /// The role of the span.
    pub role: Role,
    /// The number of containers around the span.
    pub depth: usize,
    /// The index of the entry or item of the container that the span belongs to, from 0.
    pub entry: u64,
    /// The path to the value that the span belongs to: `$.a[3]`, `$["odd key"]`. In a stream of
    /// values the path begins with the index of the value: `$#7.a` is within the eighth value.
    pub path: &'e str,
    /// True for the key of a field that the schema's message does not have. The value of such a
    /// span is the field number.
    pub unknown: bool,
    /// The type of the span, such as `2-byte string`.
    pub type_name: fmt::Arguments<'e>,
    /// The value of the span, if the span has one. A JSON number is represented by its text.
    pub value: Option<Value<'e>>,
}

/// The role of the bytes of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Opens or ends a container, or describes the value after it.
    Head,
    /// A length and nothing else.
    Length,
    /// A key, or part of one.
    Key,
    /// A value, or part of one.
    Value,
    /// One of few possible values: null or a boolean.
    Fixed,
    /// White space, commas and colons.
    Separator,
    /// The bytes after the fault that ended the walk.
    Unread,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 7] = [
        Role::Head,
        Role::Length,
        Role::Key,
        Role::Value,
        Role::Fixed,
        Role::Separator,
        Role::Unread,
    ];

    /// Returns the name of the role, one lowercase word.
    pub fn name(self) -> &'static str {
        match self {
            Role::Head => "head",
            Role::Length => "length",
            Role::Key => "key",
            Role::Value => "value",
            Role::Fixed => "fixed",
            Role::Separator => "separator",
            Role::Unread => "unread",
        }
    }
}

/// Bytes that break the rules of their format. The walk continues if the position of the next token
/// is known. Otherwise the fault is the last event before the span of the unread bytes.
#[derive(Clone, Copy, Debug)]
pub struct Fault<'e> {
    /// The offset of the wrong byte, or the length of the input if bytes are missing.
    pub offset: usize,
    /// The offset of the packed span, as in [`Span::inside`].
    pub inside: Option<usize>,
    /// True if the bytes end too early; false if the bytes that are there are wrong.
    pub ends_early: bool,
    /// The path to the value with the fault.
    pub path: &'e str,
    /// The bytes that the format calls for, a phrase to follow "expected".
    pub expected: fmt::Arguments<'e>,
}

/// Valid bytes that a careful writer would not have written.
#[derive(Clone, Copy, Debug)]
pub struct Remark<'e> {
    /// The offset of the first byte that the remark is about.
    pub offset: usize,
    /// The offset of the packed span, as in [`Span::inside`].
    pub inside: Option<usize>,
    /// The path to the value.
    pub path: &'e str,
    /// The message, a clause.
    pub message: fmt::Arguments<'e>,
}

/// The totals of a walk. Keys, heads, values and unread bytes add up to the length of the input, in
/// bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Bytes of the keys of maps, with their heads.
    pub keys: usize,
    /// Bytes of structure: heads, lengths, quotes and separators.
    pub heads: usize,
    /// Bytes of the values' content.
    pub values: usize,
    /// Bytes that were not read.
    pub unread: usize,
    /// Bytes that the keys would take in MessagePack or CBOR if they were integers, counted from 0
    /// in each map.
    pub numbered_keys: usize,
    /// Length in bytes of the value as JSON without white space. Bytes count as base64, times as in
    /// RFC 3339, keys that are not text as the text of their value, and format-specific values as
    /// their content. For a stream, the sum over its values without the separators between them.
    /// `None` if the bytes do not determine the length, or the walk met a fault.
    pub minified_json: Option<usize>,
    /// Length in bytes of the value as JSON with a space after every colon and comma, as many
    /// writers produce it.
    pub spaced_json: Option<usize>,
    /// Number of faults.
    pub faults: usize,
    /// Number of remarks.
    pub remarks: usize,
    /// Number of entries and items in all containers.
    pub entries: usize,
    /// Number of values: 1, or those of the stream.
    pub value_count: u64,
}

impl Summary {
    /// The summary of zero bytes, to which the summaries of parts are added.
    pub(crate) const EMPTY: Summary = Summary {
        keys: 0,
        heads: 0,
        values: 0,
        unread: 0,
        numbered_keys: 0,
        minified_json: Some(0),
        spaced_json: Some(0),
        faults: 0,
        remarks: 0,
        entries: 0,
        value_count: 0,
    };

    /// Adds the summary of a part of the same input, except for its number of values.
    pub(crate) fn add(&mut self, part: &Summary) {
        let both = |one: Option<usize>, other: Option<usize>| Some(one? + other?);
        self.keys += part.keys;
        self.heads += part.heads;
        self.values += part.values;
        self.unread += part.unread;
        self.numbered_keys += part.numbered_keys;
        self.minified_json = both(self.minified_json, part.minified_json);
        self.spaced_json = both(self.spaced_json, part.spaced_json);
        self.faults += part.faults;
        self.remarks += part.remarks;
        self.entries += part.entries;
    }

    /// Removes the counts of values from the summary of bytes that are not a value.
    pub(crate) fn is_no_value(&mut self) {
        (self.minified_json, self.spaced_json) = (Some(0), Some(0));
        (self.entries, self.numbered_keys) = (0, 0);
    }

    /// Marks the length as JSON as unknown.
    pub(crate) fn forget_json(&mut self) {
        (self.minified_json, self.spaced_json) = (None, None);
    }
}
