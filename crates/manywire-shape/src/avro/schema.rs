use std::collections::HashSet;
use std::fmt;

use super::Literal;
use super::check::check;
use crate::Tagging;

/// An Avro schema: a graph of types, so that named types may refer to themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    nodes: Vec<Node>,
    root: NodeId,
}

/// The place of a node within its [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The index of the node in [`Schema::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A type, and the logical type that annotates it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// How it is encoded.
    pub ty: Type,
    /// What it means, which the encoding does not depend on.
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
    /// A length and as many bytes.
    Bytes,
    /// A length and as many bytes of UTF-8.
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

/// A logical type: its name and the attributes that Avro defines for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logical {
    /// Its name, such as `timestamp-millis`.
    pub name: String,
    /// For `decimal`: how many digits it has at most.
    pub precision: Option<u32>,
    /// For `decimal`: how many of them stand after the point.
    pub scale: Option<u32>,
}

/// Named fields in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The name of the type in the schema.
    pub name: FullName,
    /// The name of the type in the data, where that is not a name to Avro.
    pub original: Option<String>,
    /// Documentation, empty if none.
    pub doc: String,
    /// Former names of the type.
    pub aliases: Vec<String>,
    /// The fields, in the order they are encoded.
    pub fields: Vec<Field>,
    /// What the record stands for.
    pub role: Role,
}

/// What a record stands for beyond Avro's own words. The names are those of `manywire.role`.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// A record.
    Record,
    /// `tuple`: items of different types, each in its place.
    Tuple,
    /// `transparent`: its only field, which needed a name for Avro's sake.
    Transparent,
    /// `entry`: a key and a value; an array of these is a map.
    Entry,
    /// `timestamp`: seconds since 1970 and nanoseconds on top.
    Timestamp,
    /// `number`: a number beyond 64 bits, as decimal text.
    Number,
    /// `extension`: what only one other format can say; see [`crate::Ext`].
    Extension,
    /// One variant of a sum type; stands in `manywire.variant` instead.
    Variant(VariantOf),
}

/// Which sum type a record is a variant of. The record's own name is the variant's.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantOf {
    /// The name of the sum type, unique within the schema: `"enum"` in the text.
    pub sum: String,
    /// How a self-describing format says which variant it is: `"tag"` and `"content"` in the text.
    pub tagging: Tagging,
    /// What the variant carries: `"form"` in the text.
    pub form: Form,
}

/// What a variant carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// `unit`: nothing.
    Unit,
    /// `newtype`: the one field.
    Newtype,
    /// `tuple`: the fields, in order and without names.
    Tuple,
    /// `struct`: the fields.
    Struct,
}

/// One field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name in the schema.
    pub name: String,
    /// The name in the data, where that is not a name to Avro.
    pub original: Option<String>,
    /// Documentation, empty if none.
    pub doc: String,
    /// Other names it is read under.
    pub aliases: Vec<String>,
    /// What it holds.
    pub node: NodeId,
    /// What a reader takes for it when the writer's schema lacks it.
    pub default: Option<Literal>,
    /// Whether null stands for a field that was left out.
    pub optional: bool,
    /// Whether it is the map of the entries that are no named field.
    pub rest: bool,
}

impl Field {
    /// A field that must be there, without documentation, aliases or default.
    pub fn new(name: impl Into<String>, node: NodeId) -> Self {
        Field {
            name: name.into(),
            original: None,
            doc: String::new(),
            aliases: Vec::new(),
            node,
            default: None,
            optional: false,
            rest: false,
        }
    }

    /// The name in the data.
    pub fn key(&self) -> &str {
        self.original.as_deref().unwrap_or(&self.name)
    }
}

/// One of several names.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// The name of the type in the schema.
    pub name: FullName,
    /// The name of the type in the data, where that is not a name to Avro.
    pub original: Option<String>,
    /// Documentation, empty if none.
    pub doc: String,
    /// Former names of the type.
    pub aliases: Vec<String>,
    /// The names, in the order of their indexes.
    pub symbols: Vec<Symbol>,
    /// The symbol that a reader takes for one it does not know.
    pub default: Option<String>,
}

/// One name of an [`Enum`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name in the schema.
    pub name: String,
    /// The name in the data, where that is not a name to Avro.
    pub original: Option<String>,
    /// Other names it is written from.
    pub aliases: Vec<String>,
}

impl Symbol {
    /// The name in the data.
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
    /// How many bytes.
    pub size: usize,
}

impl Record {
    /// The name in the data, of the record itself or of the variant that it is.
    pub fn key(&self) -> &str {
        self.original.as_deref().unwrap_or(&self.name.name)
    }
}

impl Schema {
    /// The node of the whole datum.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The node at a place.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The type at a place.
    pub fn ty(&self, id: NodeId) -> &Type {
        &self.node(id).ty
    }

    /// Every node, indexed by [`NodeId::index`].
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

/// Collects nodes into a [`Schema`].
#[derive(Debug, Default)]
pub struct SchemaBuilder {
    nodes: Vec<Node>,
}

impl SchemaBuilder {
    /// Adds a node.
    pub fn add(&mut self, node: impl Into<Node>) -> NodeId {
        let id = u32::try_from(self.nodes.len()).expect("a schema has fewer than 2^32 nodes");
        self.nodes.push(node.into());
        NodeId(id)
    }

    /// A place for a node that is not known yet: null until it is [`set`](Self::set).
    pub fn reserve(&mut self) -> NodeId {
        self.add(Type::Null)
    }

    /// Puts a node in the place reserved for it.
    pub fn set(&mut self, id: NodeId, node: impl Into<Node>) {
        self.nodes[id.index()] = node.into();
    }

    /// The finished schema.
    ///
    /// # Errors
    ///
    /// What the specification forbids: a name that is none, a name given twice, a union with two
    /// branches that look alike, a record that contains itself on every path.
    pub fn finish(self, root: NodeId) -> Result<Schema, SchemaError> {
        let schema = Schema { nodes: self.nodes, root };
        check(&schema)?;
        Ok(schema)
    }
}

/// Why something is no Avro schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError(String);

impl SchemaError {
    pub(super) fn new(message: impl fmt::Display) -> Self {
        SchemaError(message.to_string())
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SchemaError {}

/// The name of a type and the namespace it stands in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FullName {
    /// The name, without dots.
    pub name: String,
    /// Names joined by dots; empty for the null namespace.
    pub namespace: String,
}

impl FullName {
    /// A name in the null namespace.
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

/// Whether Avro takes this for a name (specification, "Names").
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The words that a bare reference to a type could not be told apart from.
const TAKEN: &[&str] = &[
    "null", "boolean", "int", "long", "float", "double", "bytes", "string", "record", "error",
    "enum", "array", "map", "union", "fixed",
];

/// Names given out so far, each once.
#[derive(Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Names of types: the words of the schema language itself are taken.
    pub(super) fn of_types() -> Self {
        Names(TAKEN.iter().map(|&word| word.to_owned()).collect())
    }

    /// The nearest name to this text that Avro allows and that is still free.
    pub(super) fn give(&mut self, text: &str) -> String {
        let name = nearest(text);
        let free = std::iter::once(name.clone())
            .chain((2..).map(|number: u32| format!("{name}_{number}")))
            .find(|candidate| !self.0.contains(candidate))
            .expect("numbers do not end");
        self.0.insert(free.clone());
        free
    }

    /// Whether the nearest name to this text is still free.
    pub(super) fn is_free(&self, text: &str) -> bool {
        !self.0.contains(&nearest(text))
    }
}

/// Text with what Avro does not allow in a name replaced by underscores.
fn nearest(text: &str) -> String {
    let mut name = String::with_capacity(text.len() + 1);
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.push('_');
    }
    name.extend(text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }));
    name
}

/// What to keep of the text beside the name it was given: nothing where they are the same.
pub(super) fn original(text: &str, name: &str) -> Option<String> {
    (text != name).then(|| text.to_owned())
}
