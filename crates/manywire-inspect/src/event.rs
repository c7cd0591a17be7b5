//! What a walk reports.

use std::fmt;
use std::ops::Range;

use manywire_shape::Value;

/// One thing that a walk found.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    /// What the next bytes are.
    Span(&'e Span<'e>),
    /// What is wrong.
    Fault(&'e Fault<'e>),
    /// What is allowed, and unwise.
    Remark(&'e Remark<'e>),
}

/// A run of bytes with one meaning. Each begins where the one before ended.
#[derive(Clone, Debug)]
pub struct Span<'e> {
    /// Where it stands, in bytes from the start of the input.
    pub range: Range<usize>,
    /// Its bytes.
    pub bytes: &'e [u8],
    /// Where the span begins that this one was unpacked from, if it was: then `range` counts from
    /// the start of what was packed, and the span takes none of the input's bytes itself.
    pub inside: Option<usize>,
    /// How many of its bytes say kind and length, or set it off; the others are content.
    pub head: usize,
    /// What it is for.
    pub role: Role,
    /// How many containers it stands in.
    pub depth: usize,
    /// Which entry or item of its container it belongs to, from 0.
    pub entry: u64,
    /// The path to the value that it belongs to: `$.a[3]`, `$["odd key"]`; in a stream of values
    /// it says which one: `$#7.a` is within the eighth.
    pub path: &'e str,
    /// Whether it is the key of a field that the schema's message does not have; its value is then
    /// the number.
    pub unknown: bool,
    /// What it is, such as `2-byte string`.
    pub type_name: fmt::Arguments<'e>,
    /// What it says, where it says something by itself. The number of a JSON text is its text.
    pub value: Option<Value<'e>>,
}

/// What the bytes of a span are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Opens a container, ends one, or says something of the value after it.
    Head,
    /// Says how long something is, and nothing else.
    Length,
    /// A key, or part of one.
    Key,
    /// A value, or part of one.
    Value,
    /// A value that is one of few: null or a truth value.
    Fixed,
    /// White space, commas and colons.
    Separator,
    /// What stands behind the fault that ended the walk.
    Unread,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 7] = [
        Role::Head,
        Role::Length,
        Role::Key,
        Role::Value,
        Role::Fixed,
        Role::Separator,
        Role::Unread,
    ];

    /// The role in a word.
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

/// Bytes that break the rules of their format. A walk goes on where it still knows what comes
/// next; otherwise this is its last event but the span of what is unread.
#[derive(Clone, Copy, Debug)]
pub struct Fault<'e> {
    /// The byte that is wrong, or the length of the input where more was called for.
    pub offset: usize,
    /// As in [`Span::inside`].
    pub inside: Option<usize>,
    /// Whether the bytes end where there should be more, rather than say what they must not.
    pub ends_early: bool,
    /// The path to where it happened.
    pub path: &'e str,
    /// What was expected instead, to be read after "expected".
    pub expected: fmt::Arguments<'e>,
}

/// Bytes that keep to the rules, although a careful writer would not have written them.
#[derive(Clone, Copy, Debug)]
pub struct Remark<'e> {
    /// The first byte it is about.
    pub offset: usize,
    /// As in [`Span::inside`].
    pub inside: Option<usize>,
    /// The path to the value.
    pub path: &'e str,
    /// What there is to say, as a clause.
    pub message: fmt::Arguments<'e>,
}

/// What a walk found, in all. Keys, heads, values and unread bytes add up to the length of the
/// input, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// What the keys of maps take, with their heads.
    pub keys: usize,
    /// What says kinds, lengths and ends: heads, lengths, quotes and separators.
    pub heads: usize,
    /// What the values themselves take.
    pub values: usize,
    /// What could not be read.
    pub unread: usize,
    /// What the same keys would take as integers, counted from 0 in each map, in MessagePack or
    /// CBOR.
    pub numbered_keys: usize,
    /// What the same value takes as JSON without white space: bytes as base64, times as in RFC
    /// 3339, keys that are not text as the text of their value, values of one format's own as what
    /// they carry; of a stream, what its values take without what stands between them. `None` where
    /// the bytes do not tell, or the walk met a fault.
    pub minified_json: Option<usize>,
    /// The same with a space behind every colon and comma, as many writers have it.
    pub spaced_json: Option<usize>,
    /// How many faults there are.
    pub faults: usize,
    /// How many remarks there are.
    pub remarks: usize,
    /// How many entries and items the values have in all.
    pub entries: usize,
    /// How many values there are: 1, or those of the stream.
    pub value_count: u64,
}

impl Summary {
    /// That of nothing: what others are added to.
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

    /// Adds what a part of the same input came to, apart from how many values it has.
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

    /// Says that what was walked is none of the values.
    pub(crate) fn is_no_value(&mut self) {
        (self.minified_json, self.spaced_json) = (Some(0), Some(0));
        (self.entries, self.numbered_keys) = (0, 0);
    }

    /// Says that how long the values are as JSON is not known.
    pub(crate) fn forget_json(&mut self) {
        (self.minified_json, self.spaced_json) = (None, None);
    }
}
