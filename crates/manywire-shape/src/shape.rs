//! Shapes: the static types that describe values, as graphs of nodes.

mod builder;
pub(crate) mod compound;
pub(crate) mod fields;
mod invalid_constraints;
mod outline;
mod union;

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::constraints::Constraints;

pub use builder::ShapeBuilder;

/// A name in a shape: borrowed if it comes from a Rust type, owned if it was read from a schema or
/// inferred.
pub type Name = Cow<'static, str>;

/// The type of a value: a graph of [`Node`]s, so that types may contain themselves.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Graph")]
pub struct Shape {
    nodes: Vec<Node>,
    root: NodeId,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    array_faults: Vec<(NodeId, ArrayFault)>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    denies_unknown_fields: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    constraints: Vec<(NodeId, Constraints)>,
    /// Nodes whose values are not checked, each with the name of the Rust type or field that is
    /// written as the node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unchecked: Vec<(NodeId, Name)>,
}

/// A reason why serde's derive cannot read a type from an array of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ArrayFault {
    /// A struct variant of an enum that is untagged or tagged adjacently is read by the names of its
    /// fields only.
    ReadByName,
    /// A field is skipped when a value is written but not when it is read, or the other way round,
    /// so the positions of the fields after it differ.
    Shifted,
    /// An enum that is untagged or tagged internally is buffered before its type is known, and a
    /// field inside it that was skipped is then null, which only an `Option` accepts.
    SkippedInBuffer,
    /// An untagged enum tries its branches in turn, and an array of fields fits an earlier branch:
    /// another record, a tuple or an array.
    TakenForBranch,
}

/// The index of a node in its [`Shape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(u32);

impl NodeId {
    /// Returns the index of the node in [`Shape::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The type of one part of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Node {
    /// Always null: `()`, a unit struct, or a field that was null in every sample.
    Null,
    /// A boolean.
    Bool,
    /// An integer.
    Int(Int),
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
    /// One Unicode scalar value, written as text.
    Char,
    /// Text.
    Str,
    /// Bytes.
    Bytes,
    /// A point in time.
    Timestamp,
    /// Any value: nothing is known of the type, or the samples varied too much.
    Any,
    /// Null or the inner node.
    Option(NodeId),
    /// Items of one type.
    Array(Array),
    /// A fixed number of items, each with a type. Serde treats fixed-size Rust arrays as tuples;
    /// here they are [`Array`]s with a length.
    Tuple(Vec<NodeId>),
    /// Entries whose keys have one type and whose values have one type.
    Map {
        /// The node of the keys.
        key: NodeId,
        /// The node of the values.
        value: NodeId,
    },
    /// Named fields in order.
    Record(Record),
    /// An enum with named variants.
    Enum(Enum),
    /// One of several nodes, distinguished by the kind of the value alone (null, boolean, integer,
    /// float, text, bytes, array, map or record). No two branches have the same kind.
    Union(Vec<NodeId>),
}

impl Node {
    /// Returns whether each value is a boolean, a number, text, bytes or a point in time.
    pub fn is_scalar(&self) -> bool {
        matches!(
            self,
            Node::Bool
                | Node::Int(_)
                | Node::F32
                | Node::F64
                | Node::Char
                | Node::Str
                | Node::Bytes
                | Node::Timestamp
        )
    }

    /// Returns the nodes that this node refers to, in order.
    pub(crate) fn parts(&self) -> Vec<NodeId> {
        match self {
            Node::Option(inner) => vec![*inner],
            Node::Array(array) => vec![array.item],
            Node::Tuple(items) | Node::Union(items) => items.clone(),
            Node::Map { key, value } => vec![*key, *value],
            Node::Record(record) => {
                record.fields.iter().map(|field| field.node).chain(record.rest).collect()
            }
            Node::Enum(sum) => {
                sum.variants.iter().flat_map(|variant| variant.kind.parts()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The range of an integer and its encoding in Protocol Buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Int {
    /// True if the integer may be negative.
    pub signed: bool,
    /// The width in bits: 8, 16, 32, 64 or 128.
    pub bits: u8,
    /// The encoding in Protocol Buffers. In Avro, [`IntEncoding::Fixed`] makes an unsigned integer
    /// of 64 bits a decimal. Other formats ignore the encoding.
    pub encoding: IntEncoding,
}

impl Int {
    /// Returns a signed integer of this many bits, encoded as a varint.
    pub const fn signed(bits: u8) -> Self {
        Int { signed: true, bits, encoding: IntEncoding::Varint }
    }

    /// Returns an unsigned integer of this many bits, encoded as a varint.
    pub const fn unsigned(bits: u8) -> Self {
        Int { signed: false, bits, encoding: IntEncoding::Varint }
    }

    /// Returns the smallest integer of the type.
    pub const fn min_value(self) -> i128 {
        if self.signed { i128::MIN >> self.unused_bits() } else { 0 }
    }

    /// Returns the largest integer of the type.
    pub const fn max_value(self) -> u128 {
        if self.signed {
            (i128::MAX >> self.unused_bits()).cast_unsigned()
        } else {
            u128::MAX >> self.unused_bits()
        }
    }

    const fn unused_bits(self) -> u32 {
        // A shift by the whole width would overflow.
        let unused = 128_u32.saturating_sub(self.bits as u32);
        if unused > 127 { 127 } else { unused }
    }
}

/// The three integer encodings of Protocol Buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum IntEncoding {
    /// `int64`, `uint32` …: small numbers take few bytes; a negative number takes ten.
    Varint,
    /// `sint64`: numbers of small magnitude take few bytes. Inference chooses it if a sample was
    /// negative.
    Zigzag,
    /// `fixed64`, `sfixed32`: every number takes the full width. Inference chooses it for unsigned
    /// integers above `i64::MAX`. In Avro, an unsigned integer of 64 bits is then a decimal, because
    /// a `long` does not hold all of them.
    Fixed,
}

/// Items of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Array {
    /// The node of the items.
    pub item: NodeId,
    /// The number of items, if the type fixes it.
    pub len: Option<u32>,
    /// True if the array always has items: an empty one does not fit. A format may then write an
    /// absent array as an empty one.
    pub non_empty: bool,
    /// True if the shape is inferred and no sample was empty. An empty array fits. A format may
    /// still write an absent array as an empty one. Such a format refuses to write an empty array
    /// where the array may be absent.
    pub never_seen_empty: bool,
}

impl Array {
    /// Returns an array of any length.
    pub fn new(item: NodeId) -> Self {
        Array { item, len: None, non_empty: false, never_seen_empty: false }
    }
}

/// Named fields in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Record {
    /// The name of the type.
    pub name: Name,
    /// Documentation, empty if none.
    pub doc: Name,
    /// The fields, in the order in which they are written.
    pub fields: Vec<Field>,
    /// The node of the values of all other keys (`#[serde(flatten)]` of a map).
    pub rest: Option<NodeId>,
}

/// One field of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    /// The name on the wire.
    pub name: Name,
    /// Other names that readers accept for the field.
    pub aliases: Vec<Name>,
    /// Documentation, empty if none.
    pub doc: Name,
    /// The type of the field.
    pub node: NodeId,
    /// The presence of a field in a record.
    pub presence: Presence,
    /// The Protocol Buffers number, if one was declared.
    pub number: Option<u32>,
}

impl Field {
    /// Returns whether readers accept a name for the field: the field's own or an alias.
    pub fn is_named(&self, name: &str) -> bool {
        *self.name == *name || self.aliases.iter().any(|alias| **alias == *name)
    }

    /// Returns a required field without documentation, aliases or number.
    pub fn new(name: impl Into<Name>, node: NodeId) -> Self {
        Field {
            name: name.into(),
            aliases: Vec::new(),
            doc: Name::default(),
            node,
            presence: Presence::Required,
            number: None,
        }
    }
}

/// The presence of a field in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Presence {
    /// Always written. Readers refuse a record without the field.
    Required,
    /// Always written. Readers use a default if the field is missing.
    Defaulted,
    /// May be left out by writers. Readers then use a default.
    Optional,
}

/// An enum with named variants.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Enum {
    /// The name of the type.
    pub name: Name,
    /// Documentation, empty if none.
    pub doc: Name,
    /// The way in which a self-describing format marks the variant.
    pub tagging: Tagging,
    /// The variants, in order.
    pub variants: Vec<Variant>,
}

/// The ways in which serde marks the variant. Untagged enums are [`Node::Union`]s.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Tagging {
    /// `{"Variant": content}`, or the name alone for a unit variant.
    External,
    /// `{"tag": "Variant", …fields}`.
    Internal {
        /// The name of the tag.
        tag: Name,
    },
    /// `{"tag": "Variant", "content": content}`.
    Adjacent {
        /// The name of the tag.
        tag: Name,
        /// The name of the content.
        content: Name,
    },
}

/// One variant of an [`Enum`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Variant {
    /// The name on the wire.
    pub name: Name,
    /// Other names that readers accept for the variant.
    pub aliases: Vec<Name>,
    /// Documentation, empty if none.
    pub doc: Name,
    /// The content of the variant.
    pub kind: VariantKind,
    /// The Protocol Buffers number, if one was declared.
    pub number: Option<u32>,
}

impl Enum {
    /// Returns whether each value is a name alone: the enum is tagged externally, and no variant has
    /// content.
    pub fn is_names(&self) -> bool {
        self.tagging == Tagging::External
            && self.variants.iter().all(|variant| variant.kind == VariantKind::Unit)
    }
}

impl Variant {
    /// Returns a variant without documentation, aliases or number.
    pub fn new(name: impl Into<Name>, kind: VariantKind) -> Self {
        Variant { name: name.into(), aliases: Vec::new(), doc: Name::default(), kind, number: None }
    }

    /// Returns whether readers accept a name for the variant: the variant's own or an alias.
    pub fn is_named(&self, name: &str) -> bool {
        *self.name == *name || self.aliases.iter().any(|alias| **alias == *name)
    }
}

/// The content of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VariantKind {
    /// No content.
    Unit,
    /// One value.
    Newtype(NodeId),
    /// Several values in order.
    Tuple(Vec<NodeId>),
    /// Named fields: the node is a [`Node::Record`].
    Struct(NodeId),
}

impl VariantKind {
    /// Returns the nodes of the content, in order.
    fn parts(&self) -> Vec<NodeId> {
        match self {
            VariantKind::Unit => Vec::new(),
            VariantKind::Newtype(inner) | VariantKind::Struct(inner) => vec![*inner],
            VariantKind::Tuple(items) => items.clone(),
        }
    }
}

/// A shape as it is deserialized, before its nodes are checked.
#[derive(Deserialize)]
struct Graph {
    nodes: Vec<Node>,
    root: NodeId,
    #[serde(default)]
    array_faults: Vec<(NodeId, ArrayFault)>,
    #[serde(default)]
    denies_unknown_fields: bool,
    #[serde(default)]
    constraints: Vec<(NodeId, Constraints)>,
    #[serde(default)]
    unchecked: Vec<(NodeId, Name)>,
}

/// The error for a shape that refers to a node that it does not have.
#[derive(Debug)]
struct UnknownNode {
    id: NodeId,
    nodes: usize,
}

impl fmt::Display for UnknownNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownNode { id, nodes } = self;
        write!(f, "invalid shape: node {} of {nodes}; nodes are counted from 0", id.0)
    }
}

impl TryFrom<Graph> for Shape {
    type Error = UnknownNode;

    fn try_from(graph: Graph) -> Result<Self, Self::Error> {
        let Graph { nodes, root, array_faults, denies_unknown_fields, constraints, unchecked } =
            graph;
        let count = nodes.len();
        let check = |id: NodeId| match id.index() < count {
            true => Ok(()),
            false => Err(UnknownNode { id, nodes: count }),
        };
        check(root)?;
        array_faults.iter().try_for_each(|(id, _)| check(*id))?;
        constraints.iter().try_for_each(|(id, _)| check(*id))?;
        unchecked.iter().try_for_each(|(id, _)| check(*id))?;
        nodes.iter().flat_map(Node::parts).try_for_each(check)?;
        Ok(Shape { nodes, root, array_faults, denies_unknown_fields, constraints, unchecked })
    }
}

impl Shape {
    /// Returns the shape that every value fits.
    pub fn any() -> Shape {
        let mut builder = ShapeBuilder::default();
        let root = builder.add(Node::Any);
        builder.finish(root)
    }

    /// Returns the node of the whole value.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// Returns the node with this id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Returns every node, indexed by [`NodeId::index`].
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the nodes of Rust types that serde's derive cannot read from an array of their
    /// fields, and the reason for each.
    pub fn array_faults(&self) -> &[(NodeId, ArrayFault)] {
        &self.array_faults
    }

    /// Returns whether a Rust type within this shape has `#[serde(deny_unknown_fields)]`.
    pub fn denies_unknown_fields(&self) -> bool {
        self.denies_unknown_fields
    }

    /// Returns the nodes whose values have constraints. No two entries have the same node, unless a
    /// constraint was declared twice.
    pub fn constraints(&self) -> &[(NodeId, Constraints)] {
        &self.constraints
    }

    /// Returns this shape with another node as its root.
    pub fn rooted_at(mut self, root: NodeId) -> Shape {
        assert!(root.index() < self.nodes.len(), "a root must be a node of the shape");
        self.root = root;
        self
    }

    /// Returns this shape without the nodes that are not reachable from the root, such as the one
    /// that a flattened record leaves behind. Nodes are renumbered in the order in which they are
    /// reached; the root becomes node 0.
    pub fn reachable(&self) -> Shape {
        let mut numbers = vec![None; self.nodes.len()];
        let mut reached = vec![self.root];
        numbers[self.root.index()] = Some(NodeId(0));
        let mut nodes = Vec::new();
        while let Some(id) = reached.get(nodes.len()) {
            let mut node = self.node(*id).clone();
            for part in parts_mut(&mut node) {
                let number = numbers[part.index()].get_or_insert_with(|| {
                    reached.push(*part);
                    // The cast is lossless: the shape had at most 2³² nodes before.
                    NodeId((reached.len() - 1) as u32)
                });
                *part = *number;
            }
            nodes.push(node);
        }
        let number = |id: NodeId| numbers[id.index()];
        Shape {
            nodes,
            root: NodeId(0),
            array_faults: renumbered(&self.array_faults, number).collect(),
            denies_unknown_fields: self.denies_unknown_fields,
            constraints: renumbered(&self.constraints, number).collect(),
            unchecked: renumbered(&self.unchecked, number).collect(),
        }
    }
}

/// Returns the facts in `known` with the new ids of their nodes, without the facts of nodes for
/// which `number` returns `None`.
fn renumbered<T: Clone>(
    known: &[(NodeId, T)],
    number: impl Fn(NodeId) -> Option<NodeId>,
) -> impl Iterator<Item = (NodeId, T)> {
    known.iter().filter_map(move |(id, fact)| Some((number(*id)?, fact.clone())))
}

/// Returns the ids of [`Node::parts`], to replace them.
fn parts_mut(node: &mut Node) -> Vec<&mut NodeId> {
    match node {
        Node::Option(inner) => vec![inner],
        Node::Array(array) => vec![&mut array.item],
        Node::Tuple(items) | Node::Union(items) => items.iter_mut().collect(),
        Node::Map { key, value } => vec![key, value],
        Node::Record(record) => {
            record.fields.iter_mut().map(|field| &mut field.node).chain(&mut record.rest).collect()
        }
        Node::Enum(sum) => sum
            .variants
            .iter_mut()
            .flat_map(|variant| match &mut variant.kind {
                VariantKind::Unit => vec![],
                VariantKind::Newtype(inner) | VariantKind::Struct(inner) => vec![inner],
                VariantKind::Tuple(items) => items.iter_mut().collect(),
            })
            .collect(),
        Node::Null
        | Node::Bool
        | Node::Int(_)
        | Node::F32
        | Node::F64
        | Node::Char
        | Node::Str
        | Node::Bytes
        | Node::Timestamp
        | Node::Any => vec![],
    }
}

impl ShapeBuilder {
    /// Adds every node of a finished shape and returns the id of its root. This method combines
    /// inferred shapes and shapes of schemas with those of Rust types.
    pub fn embed(&mut self, shape: &Shape) -> NodeId {
        // All nodes are added first, because a node may refer to a later one.
        let mut moved = Vec::with_capacity(shape.nodes.len());
        for node in &shape.nodes {
            moved.push(self.add(node.clone()));
        }
        for id in &moved {
            for part in parts_mut(&mut self.nodes[id.index()]) {
                *part = moved[part.index()];
            }
        }
        let number = |id: NodeId| Some(moved[id.index()]);
        self.array_faults.extend(renumbered(&shape.array_faults, number));
        self.constraints.extend(renumbered(&shape.constraints, number));
        self.unchecked.extend(renumbered(&shape.unchecked, number));
        if shape.denies_unknown_fields {
            self.deny_unknown_fields();
        }
        moved[shape.root.index()]
    }
}
