//! The model of a Protocol Buffers schema: messages, fields and enums.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::RangeInclusive;

use super::names::{json_name, snake};
use crate::Tagging;

/// The largest field number: the encoding has 29 bits for it.
pub const FIELD_NUMBER_MAX: u32 = (1 << 29) - 1;

/// The field numbers reserved for implementations of Protocol Buffers.
pub const RESERVED_NUMBERS: RangeInclusive<u32> = 19_000..=19_999;

/// A Protocol Buffers schema: messages and enums that refer to each other by index, and the message
/// of the whole value.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// The messages, in the order in which they are written.
    pub messages: Vec<Message>,
    /// The enums, in the order in which they are written.
    pub enums: Vec<Enum>,
    /// The index of the message of the whole value.
    pub root: usize,
}

/// A message type.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The name in the `.proto`; the full name if the message is imported.
    pub name: String,
    /// Documentation, empty if none.
    pub doc: String,
    /// The file that declares the message, if it is imported.
    pub import: Option<String>,
    /// The value that the message represents.
    pub form: Form,
    /// The fields, in the order in which they are written.
    pub fields: Vec<Field>,
    /// The names of the message's oneofs, indexed by [`Field::oneof`].
    pub oneofs: Vec<String>,
    /// The numbers and names that no field may have, because they belonged to removed fields.
    pub reserved: Reserved,
}

/// Numbers and names that were used once and must not be used again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    /// Ranges of numbers, including both ends.
    pub numbers: Vec<RangeInclusive<i32>>,
    /// Names.
    pub names: Vec<String>,
}

impl Reserved {
    /// Returns whether a number is reserved.
    pub fn has_number(&self, number: i32) -> bool {
        self.range_of(number).is_some()
    }

    /// Returns the first range that has a number.
    pub fn range_of(&self, number: i32) -> Option<&RangeInclusive<i32>> {
        self.numbers.iter().find(|range| range.contains(&number))
    }

    /// Returns whether a name is reserved.
    pub fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|reserved| reserved == name)
    }
}

/// The kind of value that a message represents.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A record: named fields.
    Record {
        /// The index of the map field for all other entries, which is always the last field.
        rest: Option<usize>,
    },
    /// A tuple: the fields in order.
    Tuple,
    /// The value of its only field, where Protocol Buffers needs a message around it.
    Wrapper,
    /// The entry of a map: the key, then the value.
    Entry {
        /// True if the `.proto` writes the entry as `map<K, V>` instead of as a message.
        native: bool,
    },
    /// An enum: the field of the oneof that is set. A variant without content is a message of the
    /// form [`Form::Null`].
    Variants(Tagging),
    /// A union of values of different kinds: the field that is set.
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
    /// Other names that readers accept.
    pub aliases: Vec<String>,
    /// Documentation, empty if none.
    pub doc: String,
    /// The field number.
    pub number: u32,
    /// True if the number was declared and not assigned.
    pub given: bool,
    /// The type of the field, or of its items.
    pub kind: Kind,
    /// The number of times that the field may occur, and its presence.
    pub label: Label,
    /// The index of the oneof that the field belongs to.
    pub oneof: Option<usize>,
    /// True if the value may be null, which is written as absence.
    pub nullable: bool,
    /// True if writing a dynamic value without the field fails.
    pub required: bool,
    /// The value that readers use if the field is absent.
    pub absent: Absent,
    /// True if the message in the field is written between two tags, as proto2's groups are.
    pub delimited: bool,
    /// The default value as the `.proto` writes it, kept for other programs. Our readers leave an
    /// absent field out of a dynamic value.
    pub default: Option<String>,
}

/// The enums of a file with their names, by the message that declares them, or `None` for those at the
/// top level.
pub(super) type ScopedEnums<'s> = HashMap<Option<&'s str>, Vec<(&'s str, &'s Enum)>>;

/// The type of a field.
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
    /// A number in JSON's grammar of any size, a `string`.
    Number,
    /// The enum at an index of [`Schema::enums`].
    Enum(usize),
    /// The message at an index of [`Schema::messages`].
    Message(usize),
}

/// The number of times that a field may occur in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// Once, with implicit presence: a scalar's zero is not written.
    Singular,
    /// At most once, with explicit presence: absence differs from zero.
    Optional,
    /// Any number of times.
    Repeated,
    /// Any number of scalars in one length-delimited field.
    Packed,
}

impl Label {
    /// Returns whether a field may occur any number of times.
    pub fn is_repeated(self) -> bool {
        matches!(self, Label::Repeated | Label::Packed)
    }
}

/// The value that readers use for an absent field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Absent {
    /// Zero, empty text, an empty list, or a message of absent fields.
    Zero,
    /// Null.
    Null,
    /// No value: the field is also missing from the record.
    Missing,
    /// No value: a message without the field is invalid (proto2's `required`).
    Invalid,
}

/// An enum type.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// The name in the `.proto`; the full name if the enum is imported.
    pub name: String,
    /// The message that the `.proto` declares the enum in, if it is not declared at the top level. No
    /// message of the schema needs to have this name.
    ///
    /// The values of an enum are siblings of the enum: two enums in one scope cannot share the name
    /// of a value (Protocol Buffers, "Enum Definitions").
    pub scope: Option<String>,
    /// Documentation, empty if none.
    pub doc: String,
    /// The file that declares the enum, if it is imported.
    pub import: Option<String>,
    /// The values. If none has the number 0, the `.proto` gets an unspecified value with it.
    pub values: Vec<EnumValue>,
    /// True if readers keep an unknown number as an integer instead of refusing it.
    pub open: bool,
    /// True if a field with an unknown number is an unknown field, as in proto2.
    pub closed: bool,
    /// The numbers and names that no value may have, because they belonged to removed values.
    pub reserved: Reserved,
}

impl Enum {
    /// Returns whether the `.proto` has several names for a number.
    pub fn allows_aliases(&self) -> bool {
        self.values.iter().any(|value| !value.proto_aliases.is_empty())
    }

    /// Returns the name in the `.proto` of a value with this name: values share one scope, so the
    /// name of the enum is a prefix.
    pub fn value_name(&self, value: &str) -> String {
        let (prefix, word) = (snake(&self.name), snake(value));
        format!("{prefix}_{}", word.trim_start_matches('_')).to_uppercase()
    }
}

/// A value of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumValue {
    /// The name in the value.
    pub name: String,
    /// The name in the `.proto`.
    pub proto_name: String,
    /// The names in the `.proto` of further values with the same number (`allow_alias`).
    pub proto_aliases: Vec<String>,
    /// Other names that readers accept.
    pub aliases: Vec<String>,
    /// Documentation, empty if none.
    pub doc: String,
    /// The number on the wire.
    pub number: i32,
    /// True if the number was declared and not assigned.
    pub given: bool,
}

/// A scalar type of the language.
#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    /// The type.
    pub kind: Kind,
    /// The name (Protocol Buffers language specification, "Fields").
    pub name: &'static str,
    /// The number in descriptors (`FieldDescriptorProto.Type`).
    pub number: u64,
}

/// The scalar types of the language.
pub static SCALARS: [Scalar; 15] = [
    Scalar { kind: Kind::Double, name: "double", number: 1 },
    Scalar { kind: Kind::Float, name: "float", number: 2 },
    Scalar { kind: Kind::Int64, name: "int64", number: 3 },
    Scalar { kind: Kind::Uint64, name: "uint64", number: 4 },
    Scalar { kind: Kind::Int32, name: "int32", number: 5 },
    Scalar { kind: Kind::Fixed64, name: "fixed64", number: 6 },
    Scalar { kind: Kind::Fixed32, name: "fixed32", number: 7 },
    Scalar { kind: Kind::Bool, name: "bool", number: 8 },
    Scalar { kind: Kind::String, name: "string", number: 9 },
    Scalar { kind: Kind::Bytes, name: "bytes", number: 12 },
    Scalar { kind: Kind::Uint32, name: "uint32", number: 13 },
    Scalar { kind: Kind::Sfixed32, name: "sfixed32", number: 15 },
    Scalar { kind: Kind::Sfixed64, name: "sfixed64", number: 16 },
    Scalar { kind: Kind::Sint32, name: "sint32", number: 17 },
    Scalar { kind: Kind::Sint64, name: "sint64", number: 18 },
];

impl Kind {
    /// Returns the scalar type with this name, or `None` if there is none.
    pub fn scalar(name: &str) -> Option<Self> {
        SCALARS.iter().find(|scalar| scalar.name == name).map(|scalar| scalar.kind)
    }

    /// Returns the type that the `.proto` declares: numbers as decimal text are strings.
    pub fn declared(self) -> Self {
        match self {
            Kind::BigInt | Kind::Number => Kind::String,
            kind => kind,
        }
    }

    /// Returns the name of the scalar type that the `.proto` declares, or `None` for messages and
    /// enums.
    pub fn scalar_name(self) -> Option<&'static str> {
        let declared = self.declared();
        SCALARS.iter().find(|scalar| scalar.kind == declared).map(|scalar| scalar.name)
    }

    /// Returns whether repeated values of this type can be packed: all numbers, booleans and enums
    /// can.
    pub fn is_packable(self) -> bool {
        !matches!(self, Kind::String | Kind::Bytes | Kind::BigInt | Kind::Number | Kind::Message(_))
    }
}

impl Schema {
    /// Returns the message of the entries, if fields of this type are a `map<K, V>`.
    pub fn map_entry(&self, kind: Kind) -> Option<&Message> {
        let Kind::Message(index) = kind else { return None };
        Some(&self.messages[index]).filter(|message| message.form == Form::Entry { native: true })
    }

    /// Returns the name by which the `.proto` refers to a type.
    pub fn type_name(&self, kind: Kind) -> Cow<'_, str> {
        match kind {
            Kind::Message(index) => Cow::Borrowed(self.messages[index].name.as_str()),
            Kind::Enum(index) => {
                let Enum { name, scope, .. } = &self.enums[index];
                match scope {
                    Some(scope) => Cow::Owned(format!("{scope}.{name}")),
                    None => Cow::Borrowed(name.as_str()),
                }
            }
            scalar => Cow::Borrowed(scalar.scalar_name().unwrap_or_default()),
        }
    }

    /// Returns the enums that a file declares. The file is an import, or this schema for `None`.
    pub(super) fn enums_of(&self, file: Option<&str>) -> ScopedEnums<'_> {
        let mut scopes = ScopedEnums::new();
        for each in self.enums.iter().filter(|each| each.import.as_deref() == file) {
            let (scope, name) = place_of(each);
            scopes.entry(scope).or_default().push((name, each));
        }
        scopes
    }

    /// Returns the messages that the `.proto` declares for their enums alone.
    pub(super) fn enum_scopes(&self) -> BTreeSet<&str> {
        let mut scopes: BTreeSet<&str> =
            self.enums.iter().filter_map(|each| each.scope.as_deref()).collect();
        for message in self.messages.iter().filter(|message| message.is_declared()) {
            scopes.remove(message.name.as_str());
        }
        scopes
    }
}

/// Returns the message that an enum is declared in, and the name of the enum there. The name of an
/// imported enum has its package, and its message if it is in one.
fn place_of(each: &Enum) -> (Option<&str>, &str) {
    let Some(import) = &each.import else { return (each.scope.as_deref(), &each.name) };
    match each.name.rsplit_once('.') {
        Some((around, name)) => ((around != package_of(import)).then_some(around), name),
        None => (None, &each.name),
    }
}

/// Returns the package of an imported file: all are files of Google, whose folders are their packages.
pub(super) fn package_of(import: &str) -> String {
    import.rsplit_once('/').map_or("", |(folder, _)| folder).replace('/', ".")
}

impl Message {
    /// Returns a declared message without documentation and fields.
    pub fn new(name: impl Into<String>, form: Form) -> Self {
        Message {
            name: name.into(),
            doc: String::new(),
            import: None,
            form,
            fields: Vec::new(),
            oneofs: Vec::new(),
            reserved: Reserved::default(),
        }
    }

    /// Returns whether the `.proto` declares the message: it is neither imported nor the entry of a
    /// `map<K, V>`.
    pub fn is_declared(&self) -> bool {
        self.import.is_none() && self.form != (Form::Entry { native: true })
    }

    /// Returns whether several fields have one default name in JSON, which proto3 does not permit.
    pub(super) fn shares_json_names(&self) -> bool {
        let mut names = HashSet::new();
        !self.fields.iter().all(|field| names.insert(json_name(&field.proto_name)))
    }
}

impl Field {
    /// Returns a required field without documentation or aliases.
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
            delimited: false,
            default: None,
        }
    }
}
