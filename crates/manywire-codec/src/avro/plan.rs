//! The flat tables that a schema is compiled to.

use std::sync::atomic::{AtomicUsize, Ordering};

use manywire_shape::Tagging;

use crate::core::room::Room;

/// A schema made ready to read and write by.
///
/// Made once for a type or an endpoint and shared by all who need it; names that a decoder hands
/// out are lent by it. See the [module](super) for what it does.
#[derive(Debug)]
pub struct Plan {
    pub(super) ops: Vec<Op>,
    pub(super) records: Vec<Record>,
    pub(super) unions: Vec<Union>,
    pub(super) variants: Vec<Variant>,
    pub(super) enums: Vec<Symbols>,
    pub(super) root: Op,
    /// For [`Plan::to_vec`].
    pub(super) room: Room,
}

/// An index into [`Plan::ops`].
pub(super) type Slot = u32;

/// How one place of a datum is read and written: eight bytes, copied from table to cursor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    Null,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Bytes,
    String,
    /// As many bytes.
    Fixed(u32),
    /// A decimal of scale 0: big-endian two's complement, as long as it needs.
    Integer,
    /// An index into [`Plan::enums`].
    Enum(u32),
    /// Items.
    Array(Slot),
    /// Items that take no bytes, so that their count alone says how many there are.
    Empties(Slot),
    /// Text and values.
    Map(Slot),
    /// An array of entries, an index into [`Plan::records`].
    Entries(u32),
    /// An index into [`Plan::records`].
    Record(u32),
    /// A record whose fields have no names in the data.
    Tuple(u32),
    /// Seconds and nanoseconds.
    Timestamp,
    /// Decimal text.
    Number,
    /// Space, code and content.
    Extension(Slot),
    /// A union of null, the branch 0, and one other, the branch 1.
    Maybe(Slot),
    /// The same with null for branch 1 and the other for branch 0.
    MaybeLast(Slot),
    /// An index into [`Plan::unions`].
    Union(u32),
    /// An index into [`Plan::variants`], the branch of a union being known.
    Variant(u32),
}

impl Op {
    /// What stands here, for messages.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Op::Null => "null",
            Op::Boolean => "a boolean",
            Op::Int => "an integer of 32 bits",
            Op::Long => "an integer of 64 bits",
            Op::Float => "a float",
            Op::Double => "a double",
            Op::Bytes => "bytes",
            Op::String => "a string",
            Op::Fixed(_) => "a fixed number of bytes",
            Op::Integer => "an integer",
            Op::Enum(_) => "a symbol of an enum",
            Op::Array(_) | Op::Empties(_) => "an array",
            Op::Map(_) | Op::Entries(_) => "a map",
            Op::Record(_) => "a record",
            Op::Tuple(_) => "a tuple",
            Op::Timestamp => "a timestamp",
            Op::Number => "a number beyond 64 bits",
            Op::Extension(_) => "an extension",
            Op::Maybe(_) | Op::MaybeLast(_) | Op::Union(_) => "a branch of a union",
            Op::Variant(_) => "a variant",
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) fields: Vec<Field>,
    /// Indexes of fields by name and alias.
    pub(super) names: Names,
    /// The values of the entries that are no field.
    pub(super) rest: Option<Slot>,
    /// Whether it takes no bytes whatever its values.
    pub(super) empty: bool,
    /// The address of the names of a type whose fields are these, in order.
    pub(super) positional: AtomicUsize,
}

impl Record {
    /// Whether a type that has these names for its fields may be given the values alone. One that
    /// is left out has no value to give, and what is no field has no place.
    ///
    /// Serde hands each type the same list at the same address every time, so what was found of an
    /// address need not be found again.
    #[inline]
    pub(super) fn is_positional(&self, names: &'static [&'static str]) -> bool {
        let address = names.as_ptr().addr();
        names.len() == self.fields.len()
            && (self.positional.load(Ordering::Relaxed) == address || self.compare(names, address))
    }

    #[inline(never)]
    fn compare(&self, names: &[&str], address: usize) -> bool {
        let same = self.rest.is_none()
            && self
                .fields
                .iter()
                .zip(names)
                .all(|(field, name)| *field.name == **name && !field.optional);
        if same {
            self.positional.store(address, Ordering::Relaxed);
        }
        same
    }
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: Box<str>,
    pub(super) op: Op,
    pub(super) absent: Absent,
    /// Whether null is read as a field that was left out.
    pub(super) optional: bool,
}

/// What is written for a field that is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Absent {
    /// It must not be.
    Refused,
    /// Null, which takes no bytes.
    Nothing,
    /// The branch of a union that is null.
    Branch(u32),
}

#[derive(Debug)]
pub(super) struct Union {
    pub(super) branches: Vec<Op>,
    /// The first branch that takes a kind of value.
    pub(super) kinds: [Option<u32>; Kind::COUNT],
    /// Branches that are variants, by name.
    pub(super) variants: Names,
    pub(super) maps: Maps,
}

/// What a union makes of a map or a struct.
#[derive(Debug, PartialEq)]
pub(super) enum Maps {
    /// It is the branch of its kind, if there is one.
    Plain,
    /// It is that branch if all its keys are text, and otherwise this other one.
    Keys { entries: u32 },
    /// Its one key names a variant.
    External,
    /// The entry of this key names a variant.
    Tagged { tag: Box<str> },
    /// It must be seen whole.
    Whole,
}

#[derive(Debug)]
pub(super) struct Variant {
    pub(super) name: Box<str>,
    pub(super) form: Form,
    pub(super) tagging: Tagging,
    /// What it carries: the fields for a struct, the items for a tuple, the value for a newtype.
    pub(super) content: Op,
    /// The same where another place is still being compiled.
    pub(super) slot: Slot,
}

pub(super) use manywire_shape::avro::Form;

#[derive(Debug)]
pub(super) struct Symbols {
    pub(super) symbols: Vec<Box<str>>,
    pub(super) names: Names,
}

/// Names sorted for look-up.
#[derive(Debug, Default)]
pub(super) struct Names(Vec<(Box<str>, u32)>);

impl Names {
    /// Of equal names, the first counts.
    pub(super) fn new(names: impl IntoIterator<Item = (Box<str>, u32)>) -> Self {
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort_by(|left, right| left.0.cmp(&right.0));
        names.dedup_by(|later, first| later.0 == first.0);
        Names(names)
    }

    pub(super) fn find(&self, name: &str) -> Option<u32> {
        let found = self.0.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        Some(self.0[found].1)
    }
}

/// What a union tells its branches apart by when a value is written.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub(super) enum Kind {
    Null,
    Boolean,
    Integer,
    Float,
    Text,
    Bytes,
    Seq,
    Map,
    Timestamp,
    Number,
    Extension,
}

impl Kind {
    pub(super) const COUNT: usize = Kind::Extension as usize + 1;

    /// What was found, for messages.
    pub(super) fn found(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "a boolean",
            Kind::Integer => "an integer",
            Kind::Float => "a float",
            Kind::Text => "a string",
            Kind::Bytes => "bytes",
            Kind::Seq => "an array",
            Kind::Map => "a map",
            Kind::Timestamp => "a timestamp",
            Kind::Number => "a number beyond 64 bits",
            Kind::Extension => "an extension",
        }
    }
}

impl Plan {
    #[inline]
    pub(super) fn op(&self, slot: Slot) -> Op {
        self.ops[slot as usize]
    }

    #[inline]
    pub(super) fn record(&self, index: u32) -> &Record {
        &self.records[index as usize]
    }

    #[inline]
    pub(super) fn union(&self, index: u32) -> &Union {
        &self.unions[index as usize]
    }

    #[inline]
    pub(super) fn variant(&self, index: u32) -> &Variant {
        &self.variants[index as usize]
    }
}
