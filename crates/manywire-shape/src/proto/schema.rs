use std::ops::RangeInclusive;

use crate::Tagging;

/// The greatest number a field may have (the encoding keeps 29 bits for it).
pub const FIELD_NUMBER_MAX: u32 = (1 << 29) - 1;

/// Field numbers that belong to implementations of Protocol Buffers.
pub(super) const RESERVED_NUMBERS: RangeInclusive<u32> = 19_000..=19_999;

/// Messages and enums that refer to each other by index, and the message of the whole value.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// The messages, in the order they are written.
    pub messages: Vec<Message>,
    /// The enums, in the order they are written.
    pub enums: Vec<Enum>,
    /// The index of the message of the whole value.
    pub root: usize,
}

/// A message type.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The name in the `.proto`; a full one where the message is imported.
    pub name: String,
    /// Documentation, empty if none.
    pub doc: String,
    /// The file that declares the message, where it is not this one.
    pub import: Option<String>,
    /// Which value the message stands for.
    pub form: Form,
    /// The fields, in the order they are written.
    pub fields: Vec<Field>,
    /// The names of the message's oneofs, indexed by [`Field::oneof`].
    pub oneofs: Vec<String>,
    /// What no field may be called or numbered: those that were removed.
    pub reserved: Reserved,
}

/// Numbers and names that were given once, and must not be given again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    /// Ranges of numbers, both ends within.
    pub numbers: Vec<RangeInclusive<i32>>,
    /// Names.
    pub names: Vec<String>,
}

impl Reserved {
    /// Whether a number is reserved.
    pub fn has_number(&self, number: i32) -> bool {
        self.numbers.iter().any(|range| range.contains(&number))
    }

    /// Whether a name is reserved.
    pub fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|reserved| reserved == name)
    }
}

/// Which value a message stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A record: the fields by name.
    Record {
        /// The map field, always the last, that takes the entries which are no named field.
        rest: Option<usize>,
    },
    /// A tuple: the fields in order.
    Tuple,
    /// The value of its only field: a place that protobuf has no plainer way to write.
    Wrapper,
    /// The entry of a map: the key, then the value.
    Entry {
        /// Whether it is written `map<K, V>` where it is used, instead of as a message.
        native: bool,
    },
    /// A sum type: the one field of the oneof that is set. A variant that carries nothing is a
    /// message of the form [`Form::Null`].
    Variants(Tagging),
    /// One of several values without names, told apart by their kind: the field that is set.
    Union,
    /// Null: a message without fields.
    Null,
    /// A point in time: seconds, then nanoseconds.
    Timestamp,
}

/// A field of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name in the value: a record's key, a variant's name.
    pub name: String,
    /// The name in the `.proto`.
    pub proto_name: String,
    /// Other names it is read under.
    pub aliases: Vec<String>,
    /// Documentation, empty if none.
    pub doc: String,
    /// The field number.
    pub number: u32,
    /// Whether the number was asked for rather than found free.
    pub given: bool,
    /// What it holds, or what each of its items is.
    pub kind: Kind,
    /// How often it stands there, and what its absence says.
    pub label: Label,
    /// The index of the oneof it belongs to.
    pub oneof: Option<usize>,
    /// Whether null may stand here; it is written as absence.
    pub nullable: bool,
    /// Whether a dynamic value without it is refused when written.
    pub required: bool,
    /// What a reader makes of its absence.
    pub absent: Absent,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the .proto language")]
pub enum Kind {
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
    /// An integer of 128 bits as decimal text, a `string`.
    BigInt,
    /// A number in JSON's grammar that may be beyond every type, a `string`.
    Number,
    /// The enum at an index of [`Schema::enums`].
    Enum(usize),
    /// The message at an index of [`Schema::messages`].
    Message(usize),
}

/// How often a field stands in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// Once; a scalar's zero is not written.
    Singular,
    /// Once or not at all, and that is told apart from zero.
    Optional,
    /// Any number of times.
    Repeated,
    /// Any number of numbers within one length.
    Packed,
}

/// What a reader makes of the absence of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Absent {
    /// Zero, empty text, no items, a message of absent fields.
    Zero,
    /// Null.
    Null,
    /// Nothing: the field is missing from the value too.
    Missing,
}

/// An enum type.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// The name in the `.proto`.
    pub name: String,
    /// Documentation, empty if none.
    pub doc: String,
    /// The values. Where none has the number 0, the `.proto` gets an unspecified value for it.
    pub values: Vec<EnumValue>,
    /// Whether a number that no value has is kept as an integer instead of refused.
    pub open: bool,
    /// What no value may be called or numbered: those that were removed.
    pub reserved: Reserved,
}

/// A value of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumValue {
    /// The name in the value.
    pub name: String,
    /// The name in the `.proto`.
    pub proto_name: String,
    /// Other names it is read under.
    pub aliases: Vec<String>,
    /// Documentation, empty if none.
    pub doc: String,
    /// The number on the wire.
    pub number: i32,
    /// Whether the number was asked for rather than found free.
    pub given: bool,
}

impl Kind {
    /// The scalar type that the language calls so (Protocol Buffers language specification,
    /// "Fields"); `None` if it is none.
    pub fn scalar(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Kind::Bool,
            "int32" => Kind::Int32,
            "int64" => Kind::Int64,
            "uint32" => Kind::Uint32,
            "uint64" => Kind::Uint64,
            "sint32" => Kind::Sint32,
            "sint64" => Kind::Sint64,
            "fixed32" => Kind::Fixed32,
            "fixed64" => Kind::Fixed64,
            "sfixed32" => Kind::Sfixed32,
            "sfixed64" => Kind::Sfixed64,
            "float" => Kind::Float,
            "double" => Kind::Double,
            "string" => Kind::String,
            "bytes" => Kind::Bytes,
            _ => return None,
        })
    }

    /// Whether repeated values of this kind can be packed: all numbers, booleans and enums.
    pub fn is_packable(self) -> bool {
        !matches!(self, Kind::String | Kind::Bytes | Kind::BigInt | Kind::Number | Kind::Message(_))
    }
}

impl Field {
    /// A required field of a scalar, enum or message, without documentation or aliases.
    pub fn new(name: impl Into<String>, number: u32, kind: Kind) -> Self {
        let name = name.into();
        Field {
            proto_name: name.clone(),
            name,
            aliases: Vec::new(),
            doc: String::new(),
            number,
            given: false,
            kind,
            label: Label::Singular,
            oneof: None,
            nullable: false,
            required: true,
            absent: Absent::Zero,
        }
    }
}
