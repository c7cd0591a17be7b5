//! The model of an Avro schema, and the rules for names.

use std::collections::HashSet;
use std::fmt;

use super::Literal;
use crate::Tagging;
use crate::names::unique;

/// An Avro schema: a graph of types, so that named types may refer to themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    pub(super) nodes: Vec<Node>,
    pub(super) root: NodeId,
}

/// The index of a node in its [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Returns the index of the node in [`Schema::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A type, and the logical type that annotates it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The type, which decides the encoding.
    pub ty: Type,
    /// The logical type, which does not change the encoding.
    pub logical: Option<Logical>,
}

impl From<Type> for Node {
    fn from(ty: Type) -> Self {
        Node { ty, logical: None }
    }
}

/// The types of Avro.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// No value, no bytes.
    Null,
    /// One byte, 0 or 1.
    Boolean,
    /// 32 bits, signed, as a zig-zag varint.
    Int,
    /// 64 bits, signed, as a zig-zag varint.
    Long,
    /// 4 bytes, IEEE 754, little-endian.
    Float,
    /// 8 bytes, IEEE 754, little-endian.
    Double,
    /// A length and that many bytes.
    Bytes,
    /// A length and that many bytes of UTF-8.
    String,
    /// Blocks of items.
    Array(NodeId),
    /// Blocks of entries: text and a value.
    Map(NodeId),
    /// The index of a branch, and a value of it.
    Union(Vec<NodeId>),
    /// Fields in order.
    Record(Record),
    /// The index of a symbol.
    Enum(Enum),
    /// A fixed number of bytes.
    Fixed(Fixed),
}

impl Type {
    /// Returns the name of the type in the schema language; for a named type, the word that
    /// declares it.
    pub fn keyword(&self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Boolean => "boolean",
            Type::Int => "int",
            Type::Long => "long",
            Type::Float => "float",
            Type::Double => "double",
            Type::Bytes => "bytes",
            Type::String => "string",
            Type::Array(_) => "array",
            Type::Map(_) => "map",
            Type::Union(_) => "union",
            Type::Record(_) => "record",
            Type::Enum(_) => "enum",
            Type::Fixed(_) => "fixed",
        }
    }

    /// Returns the full name of a record, an enum or a fixed. The other types have none.
    pub fn name(&self) -> Option<&FullName> {
        match self {
            Type::Record(record) => Some(&record.name),
            Type::Enum(symbols) => Some(&symbols.name),
            Type::Fixed(fixed) => Some(&fixed.name),
            _ => None,
        }
    }

    /// Returns the primitive type with this name, or `None` if there is none.
    pub fn primitive(name: &str) -> Option<Type> {
        let all = [
            Type::Null,
            Type::Boolean,
            Type::Int,
            Type::Long,
            Type::Float,
            Type::Double,
            Type::Bytes,
            Type::String,
        ];
        all.into_iter().find(|ty| ty.keyword() == name)
    }
}

/// A logical type: its name and the attributes that Avro defines for logical types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logical {
    /// The name, such as `timestamp-millis`.
    pub name: String,
    /// For `decimal`: the largest number of digits.
    pub precision: Option<u32>,
    /// For `decimal`: the number of digits after the point.
    pub scale: Option<u32>,
}

/// The precision of the decimals that hold every `u64`.
pub const UNSIGNED_64_DIGITS: u32 = 20;

/// The precision of the decimals that hold every `i128` and `u128`.
pub const WIDE_DIGITS: u32 = 39;

/// Named fields in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The name of the type in the schema.
    pub name: FullName,
    /// The name of the type in the data, if it is not a valid Avro name.
    pub original: Option<String>,
    /// Documentation, empty if none.
    pub doc: String,
    /// Former names of the type.
    pub aliases: Vec<String>,
    /// The fields, in the order in which they are encoded.
    pub fields: Vec<Field>,
    /// The kind of value that the record represents.
    pub role: Role,
}

/// The kind of value that a record represents. The names are those of `manywire.role`.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// A record.
    Record,
    /// `tuple`: a fixed number of items, each with a type.
    Tuple,
    /// `transparent`: the value of the only field, whose type needs a name in Avro.
    Transparent,
    /// `entry`: a key and a value. An array of entries is a map.
    Entry,
    /// `timestamp`: seconds since 1970 plus nanoseconds.
    Timestamp,
    /// `number`: a number beyond 64 bits, as decimal text.
    Number,
    /// `extension`: a value that only one format has; see [`crate::Ext`].
    Extension,
    /// A variant of an enum, written as `manywire.variant` instead.
    Variant(VariantOf),
}

impl Role {
    /// The roles that `manywire.role` names.
    pub const NAMED: [(&'static str, Role); 6] = [
        ("tuple", Role::Tuple),
        ("transparent", Role::Transparent),
        ("entry", Role::Entry),
        ("timestamp", Role::Timestamp),
        ("number", Role::Number),
        ("extension", Role::Extension),
    ];

    /// Returns the name in `manywire.role`. A record and a variant have none.
    pub fn name(&self) -> Option<&'static str> {
        Role::NAMED.iter().find(|(_, role)| role == self).map(|(name, _)| *name)
    }
}

/// The enum that a record is a variant of. [`Record::key`] is the name of the variant.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantOf {
    /// The name of the enum, unique within the schema: `"enum"` in the text.
    pub sum: String,
    /// The way in which a self-describing format marks the variant: `"tag"` and `"content"` in the
    /// text.
    pub tagging: Tagging,
    /// The content of the variant: `"form"` in the text.
    pub form: Form,
}

/// The content of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// `unit`: no content.
    Unit,
    /// `newtype`: the one field.
    Newtype,
    /// `tuple`: the fields, in order and without names.
    Tuple,
    /// `struct`: the fields.
    Struct,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 4] = [Form::Unit, Form::Newtype, Form::Tuple, Form::Struct];

    /// Returns the name in the text.
    pub fn name(self) -> &'static str {
        match self {
            Form::Unit => "unit",
            Form::Newtype => "newtype",
            Form::Tuple => "tuple",
            Form::Struct => "struct",
        }
    }
}

/// One field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name in the schema.
    pub name: String,
    /// The name in the data, if it is not a valid Avro name.
    pub original: Option<String>,
    /// Documentation, empty if none.
    pub doc: String,
    /// Other names that readers accept.
    pub aliases: Vec<String>,
    /// The type of the field.
    pub node: NodeId,
    /// The value that readers use if the writer's schema lacks the field.
    pub default: Option<Literal>,
    /// The way in which the field decides the order of two records.
    pub order: Order,
    /// True if null represents an absent field.
    pub optional: bool,
    /// True if the field is the map of all other entries.
    pub rest: bool,
}

/// The way in which a field decides the order of two records (specification, "Sort Order"). Nothing
/// here sorts records; the text keeps it for other programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// `ascending`: smaller values come first.
    #[default]
    Ascending,
    /// `descending`: larger values come first.
    Descending,
    /// `ignore`: the field does not decide.
    Ignore,
}

impl Order {
    /// All orders.
    pub const ALL: [Order; 3] = [Order::Ascending, Order::Descending, Order::Ignore];

    /// Returns the name in the text.
    pub fn name(self) -> &'static str {
        match self {
            Order::Ascending => "ascending",
            Order::Descending => "descending",
            Order::Ignore => "ignore",
        }
    }
}

impl Field {
    /// Returns a required field without documentation, aliases or default.
    pub fn new(name: impl Into<String>, node: NodeId) -> Self {
        Field {
            name: name.into(),
            original: None,
            doc: String::new(),
            aliases: Vec::new(),
            node,
            default: None,
            order: Order::default(),
            optional: false,
            rest: false,
        }
    }

    /// Returns the name in the data.
    pub fn key(&self) -> &str {
        self.original.as_deref().unwrap_or(&self.name)
    }
}

/// An Avro enum: one of several names.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// The name of the type in the schema.
    pub name: FullName,
    /// The name of the type in the data, if it is not a valid Avro name.
    pub original: Option<String>,
    /// Documentation, empty if none.
    pub doc: String,
    /// Former names of the type.
    pub aliases: Vec<String>,
    /// The names, in the order of their indexes.
    pub symbols: Vec<Symbol>,
    /// The symbol that readers use for an unknown one.
    pub default: Option<String>,
}

/// One name of an [`Enum`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name in the schema.
    pub name: String,
    /// The name in the data, if it is not a valid Avro name.
    pub original: Option<String>,
    /// Other names that are written as this symbol.
    pub aliases: Vec<String>,
}

impl Symbol {
    /// Returns the name in the data.
    pub fn key(&self) -> &str {
        self.original.as_deref().unwrap_or(&self.name)
    }
}

/// A fixed number of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The name of the type.
    pub name: FullName,
    /// Former names of the type.
    pub aliases: Vec<String>,
    /// The number of bytes.
    pub size: usize,
}

impl Record {
    /// Returns a record without documentation or aliases, whose name in the data is `name`.
    pub fn new(name: FullName, fields: Vec<Field>, role: Role) -> Self {
        Record { name, original: None, doc: String::new(), aliases: Vec::new(), fields, role }
    }

    /// Returns the name in the data: of the record, or of the variant that it represents.
    pub fn key(&self) -> &str {
        self.original.as_deref().unwrap_or(&self.name.name)
    }
}

impl Schema {
    /// Returns the node of the whole datum.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// Returns the node with this id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Returns the type of the node with this id.
    pub fn ty(&self, id: NodeId) -> &Type {
        &self.node(id).ty
    }

    /// Returns every node, indexed by [`NodeId::index`].
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

/// The error for an invalid Avro schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    message: String,
    node: Option<NodeId>,
    member: Option<usize>,
}

impl SchemaError {
    pub(super) fn new(message: impl fmt::Display) -> Self {
        SchemaError { message: message.to_string(), node: None, member: None }
    }

    /// Adds the node that breaks a rule.
    pub(super) fn in_node(mut self, node: NodeId) -> Self {
        self.node = Some(node);
        self
    }

    /// Adds the index of the field, symbol or branch that breaks a rule.
    pub(super) fn in_member(mut self, member: usize) -> Self {
        self.member = Some(member);
        self
    }

    /// Returns the node that breaks a rule, if one node does.
    pub fn node(&self) -> Option<NodeId> {
        self.node
    }

    /// Returns the index of the field, symbol or branch of the node that breaks a rule.
    pub fn member(&self) -> Option<usize> {
        self.member
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SchemaError {}

/// The name of a type and its namespace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FullName {
    /// The name, without dots.
    pub name: String,
    /// Names joined by dots; empty for the null namespace.
    pub namespace: String,
}

impl FullName {
    /// Returns a name in the null namespace.
    pub fn bare(name: impl Into<String>) -> Self {
        FullName { name: name.into(), namespace: String::new() }
    }
}

impl fmt::Display for FullName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_empty() {
            write!(f, "{}.", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

/// Returns whether this is a valid Avro name (specification, "Names").
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The words of the schema language, which cannot name a type.
const RESERVED_NAMES: &[&str] = &[
    "null", "boolean", "int", "long", "float", "double", "bytes", "string", "record", "error",
    "enum", "array", "map", "union", "fixed",
];

/// The names in use, which new names must not repeat.
#[derive(Debug, Default)]
pub struct Names(HashSet<String>);

/// Collects names that are in use already.
impl<S: Into<String>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        Names(names.into_iter().map(Into::into).collect())
    }
}

impl Names {
    /// Returns the names in use before the first type is named: the words of the schema language.
    pub(super) fn of_types() -> Self {
        RESERVED_NAMES.iter().copied().collect()
    }

    /// Returns an unused valid name that is similar to this text.
    pub fn give(&mut self, text: &str) -> String {
        unique(to_valid_name(text), &mut self.0, "_")
    }

    /// Returns whether the valid name for this text is unused.
    pub(super) fn is_free(&self, text: &str) -> bool {
        !self.0.contains(&to_valid_name(text))
    }
}

/// Replaces the characters that Avro does not allow in a name by underscores. A text that does not
/// begin with an ASCII letter or an underscore gets an underscore in front.
fn to_valid_name(text: &str) -> String {
    let mut name = String::with_capacity(text.len() + 1);
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.push('_');
    }
    name.extend(text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }));
    name
}

/// Returns the original text if the name differs from it.
pub(super) fn original(text: &str, name: &str) -> Option<String> {
    (text != name).then(|| text.to_owned())
}
