//! Shapes: what is known of a value before any value is seen.

mod builder;
pub(crate) mod fields;
mod outline;
mod union;

use std::borrow::Cow;

use crate::Shaped;

pub use builder::ShapeBuilder;

/// A name in a shape: static when it comes from a Rust type, owned when it was read or inferred.
pub type Name = Cow<'static, str>;

/// What a value looks like: a graph of [`Node`]s, so that types may contain themselves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    nodes: Vec<Node>,
    root: NodeId,
}

/// The place of a node within its [`Shape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The index of the node in [`Shape::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One place of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Always null: `()`, a unit struct, a field that was never anything else.
    Null,
    /// A truth value.
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
    /// Anything at all: nothing is known, or samples were too varied to say.
    Any,
    /// Null or the inner node.
    Option(NodeId),
    /// Items of one kind.
    Array(Array),
    /// Items of different kinds, each in its place. Fixed-size Rust arrays are tuples to serde,
    /// but [`Array`]s with a length here.
    Tuple(Vec<NodeId>),
    /// Entries with keys of one kind and values of one kind.
    Map {
        /// The node of the keys.
        key: NodeId,
        /// The node of the values.
        value: NodeId,
    },
    /// Named fields in order.
    Record(Record),
    /// A sum type with named variants.
    Enum(Enum),
    /// One of several nodes, told apart by their kind alone (null, boolean, integer, float, text,
    /// bytes, array, map or record): no two branches are of one kind.
    Union(Vec<NodeId>),
}

/// An integer's range and how Protocol Buffers should lay it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Int {
    /// Whether it may be negative.
    pub signed: bool,
    /// Its width in bits: 8, 16, 32, 64 or 128.
    pub bits: u8,
    /// Its layout in Protocol Buffers; other formats ignore it.
    pub encoding: IntEncoding,
}

impl Int {
    /// A signed integer of this many bits, as a varint.
    pub const fn signed(bits: u8) -> Self {
        Int { signed: true, bits, encoding: IntEncoding::Varint }
    }

    /// An unsigned integer of this many bits, as a varint.
    pub const fn unsigned(bits: u8) -> Self {
        Int { signed: false, bits, encoding: IntEncoding::Varint }
    }
}

/// The three layouts that Protocol Buffers has for an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntEncoding {
    /// `int64`, `uint32` …: small where the number is small; a negative number takes ten bytes.
    Varint,
    /// `sint64`: small where the magnitude is small. Inference chooses it where it saw a negative.
    Zigzag,
    /// `fixed64`, `sfixed32`: always the full width.
    Fixed,
}

/// Items of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Array {
    /// The node of the items.
    pub item: NodeId,
    /// The number of items, where the type fixes it.
    pub len: Option<u32>,
    /// Whether an empty array never occurs, so that a format may write absence as emptiness.
    pub non_empty: bool,
}

/// Named fields in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// The name of the type.
    pub name: Name,
    /// Documentation, empty if none.
    pub doc: Name,
    /// The fields, in the order they are written.
    pub fields: Vec<Field>,
    /// The node of the values of entries that are no named field (`#[serde(flatten)]` of a map).
    pub rest: Option<NodeId>,
}

/// One field of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The name on the wire.
    pub name: Name,
    /// Other names it is read under.
    pub aliases: Vec<Name>,
    /// Documentation, empty if none.
    pub doc: Name,
    /// What it holds.
    pub node: NodeId,
    /// Whether it may be left out.
    pub presence: Presence,
    /// Its Protocol Buffers number, where one was given.
    pub number: Option<u32>,
}

impl Field {
    /// A required field without documentation, aliases or number.
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

/// Whether a field may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// Always written, and must be there to be read.
    Required,
    /// Always written; a reader that misses it fills in a default.
    Defaulted,
    /// May be left out when written; a reader takes that for its default.
    Optional,
}

/// A sum type with named variants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Enum {
    /// The name of the type.
    pub name: Name,
    /// Documentation, empty if none.
    pub doc: Name,
    /// How a self-describing format says which variant it is.
    pub tagging: Tagging,
    /// The variants, in order.
    pub variants: Vec<Variant>,
}

/// How serde marks the variant (untagged enums are [`Node::Union`]s).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tagging {
    /// `{"Variant": content}`, or the bare name of a unit variant.
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The name on the wire.
    pub name: Name,
    /// Other names it is read under.
    pub aliases: Vec<Name>,
    /// Documentation, empty if none.
    pub doc: Name,
    /// What it carries.
    pub kind: VariantKind,
    /// Its Protocol Buffers number, where one was given.
    pub number: Option<u32>,
}

/// What a variant carries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VariantKind {
    /// Nothing.
    Unit,
    /// One value.
    Newtype(NodeId),
    /// Several values in order.
    Tuple(Vec<NodeId>),
    /// Named fields: the node is a [`Node::Record`].
    Struct(NodeId),
}

impl Shape {
    /// The shape that a Rust type is written in by binary formats.
    pub fn of<T: Shaped + ?Sized>() -> Shape {
        Shape::built::<T>(ShapeBuilder::default())
    }

    /// The shape that a Rust type is written in by formats for people, such as JSON: there an
    /// address or an identifier is text, where binary formats have its bytes.
    pub fn of_readable<T: Shaped + ?Sized>() -> Shape {
        Shape::built::<T>(ShapeBuilder::human_readable())
    }

    fn built<T: Shaped + ?Sized>(mut builder: ShapeBuilder) -> Shape {
        let root = T::node(&mut builder);
        builder.finish(root).reachable()
    }

    /// The shape of anything at all.
    pub fn any() -> Shape {
        let mut builder = ShapeBuilder::default();
        let root = builder.add(Node::Any);
        builder.finish(root)
    }

    /// The node of the whole value.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The node at a place.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Every node, indexed by [`NodeId::index`].
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// This shape with another node for its root.
    pub fn rooted_at(mut self, root: NodeId) -> Shape {
        assert!(root.index() < self.nodes.len(), "a root must be a node of the shape");
        self.root = root;
        self
    }
}

impl Shape {
    /// This shape without the nodes that nothing refers to (a flattened record leaves one
    /// behind), numbered in the order they are reached from the root, which becomes node 0.
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
                    // No more nodes are reached than there were, and those were numbered in 32 bits.
                    NodeId((reached.len() - 1) as u32)
                });
                *part = *number;
            }
            nodes.push(node);
        }
        Shape { nodes, root: NodeId(0) }
    }
}

/// The nodes that a node refers to, in order.
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
    /// Adds every node of a finished shape, and gives the place of its root: how values whose
    /// shape was inferred or read stand among those of Rust types.
    pub fn embed(&mut self, shape: &Shape) -> NodeId {
        // The nodes stay together and in order, so that each moves by the same distance.
        let mut moved = Vec::with_capacity(shape.nodes.len());
        for node in &shape.nodes {
            moved.push(self.add(node.clone()));
        }
        for id in &moved {
            for part in parts_mut(&mut self.nodes[id.index()]) {
                *part = moved[part.index()];
            }
        }
        moved[shape.root.index()]
    }
}
