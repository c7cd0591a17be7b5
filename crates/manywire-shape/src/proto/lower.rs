//! From a shape to the messages that hold its values.

mod collection;
mod number;
mod place;
mod record;
mod roots;
mod union;
mod variant;
mod well_known;

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::names::{camel, snake};
use super::schema::{Enum, Field, Form, Kind, Label, Message, Reserved, Schema};
use crate::{IntEncoding, Node, NodeId, Presence, Shape, Tagging, VariantKind};

/// Why a shape has no Protocol Buffers schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSchema(String);

impl fmt::Display for InvalidSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidSchema {}

type Result<T> = std::result::Result<T, InvalidSchema>;

fn invalid<T>(message: impl fmt::Display) -> Result<T> {
    Err(InvalidSchema(message.to_string()))
}

impl Schema {
    /// The messages that hold the values of a shape.
    ///
    /// Fields and variants keep the numbers they were given; the others get the lowest free ones
    /// in the order of declaration. Fails on numbers given twice or out of range, on an option
    /// that holds nothing but itself, and on internally tagged variants that carry no record.
    pub fn from_shape(shape: &Shape) -> Result<Schema> {
        let mut lowering = Lowering::new(shape);
        let root = lowering.root(shape.root(), "Root")?;
        lowering.name_enum_values();
        Ok(Schema { messages: lowering.messages, enums: lowering.enums, root })
    }
}

/// The parts of the schema made so far, and where they came from.
struct Lowering<'s> {
    shape: &'s Shape,
    messages: Vec<Message>,
    enums: Vec<Enum>,
    type_names: HashSet<String>,
    /// The message or enum of a node; reserved before its fields are lowered, so that a node may
    /// hold itself.
    of_node: HashMap<NodeId, Kind>,
    /// Messages around a place, shared by all places alike.
    wrappers: HashMap<(Label, Kind), usize>,
    entries: HashMap<(Kind, Kind), usize>,
    imported: HashMap<&'static str, usize>,
    any: Option<usize>,
}

impl<'s> Lowering<'s> {
    fn new(shape: &'s Shape) -> Self {
        Lowering {
            shape,
            messages: Vec::new(),
            enums: Vec::new(),
            type_names: HashSet::new(),
            of_node: HashMap::new(),
            wrappers: HashMap::new(),
            entries: HashMap::new(),
            imported: HashMap::new(),
            any: None,
        }
    }

    /// The message of a whole value; one that is no record is field 1 of a message of this name.
    fn root(&mut self, root: NodeId, name: &str) -> Result<usize> {
        if let Node::Record(_) = self.shape.node(root) {
            return match self.single(root, name)? {
                Kind::Message(index) => Ok(index),
                _ => unreachable!("a record is a message"),
            };
        }
        let index = self.reserve(name, "", Form::Wrapper);
        let (_, nullable) = self.strip(root)?;
        let mut field = Field::new("value", 1, Kind::Bool);
        self.place(&mut field, root, Presence::Required, name)?;
        if matches!(field.label, Label::Repeated | Label::Packed) && !nullable {
            field.name = "items".to_owned();
            field.proto_name = "items".to_owned();
        }
        self.messages[index].fields.push(field);
        Ok(index)
    }

    /// Adds a message whose fields are still to come.
    fn reserve(&mut self, name: &str, doc: &str, form: Form) -> usize {
        let name = self.type_name(name);
        self.messages.push(Message {
            name,
            doc: doc.to_owned(),
            import: None,
            form,
            fields: Vec::new(),
            oneofs: Vec::new(),
            reserved: Reserved::default(),
        });
        self.messages.len() - 1
    }

    /// A name for a type that no other has. Types are told apart by their words, since an enum's
    /// values are prefixed with these in upper case.
    fn type_name(&mut self, name: &str) -> String {
        let name = camel(name);
        let mut free = name.clone();
        let mut count = 2;
        while !self.type_names.insert(snake(&free).replace('_', "")) {
            free = format!("{name}{count}");
            count += 1;
        }
        free
    }

    /// What stands for a node where it stands once and is never absent: an item of an array, the
    /// value of a map, the content of a variant.
    fn item(&mut self, node: NodeId, hint: &str) -> Result<Kind> {
        let (inner, nullable) = self.strip(node)?;
        if !nullable {
            return self.single(inner, hint);
        }
        let kind = self.single(inner, hint)?;
        Ok(Kind::Message(self.wrapper(Label::Optional, kind, hint)))
    }

    /// What stands for a node that is no option.
    fn single(&mut self, node: NodeId, hint: &str) -> Result<Kind> {
        let shape = self.shape;
        if let Some(kind) = self.of_node.get(&node) {
            return Ok(*kind);
        }
        Ok(match shape.node(node) {
            Node::Bool => Kind::Bool,
            Node::F32 => Kind::Float,
            Node::F64 => Kind::Double,
            Node::Char | Node::Str => Kind::String,
            Node::Bytes => Kind::Bytes,
            Node::Int(int) => integer(int.signed, int.bits, int.encoding),
            Node::Null => Kind::Message(self.empty()),
            Node::Timestamp => Kind::Message(self.timestamp()),
            Node::Any => Kind::Message(self.any()),
            Node::Option(_) => self.item(node, hint)?,
            Node::Array(array) => self.array(node, array.item, hint)?,
            Node::Map { key, value } => {
                let index = self.reserve_of(node, &format!("{hint}Map"), "", Form::Wrapper);
                let mut field = Field::new("entries", 1, Kind::Bool);
                field.kind = Kind::Message(self.entry(*key, *value, hint)?);
                field.label = Label::Repeated;
                self.messages[index].fields.push(field);
                Kind::Message(index)
            }
            Node::Tuple(items) => {
                let index = self.reserve_of(node, hint, "", Form::Tuple);
                self.tuple(index, items, hint)?;
                Kind::Message(index)
            }
            Node::Record(record) => self.record(node, record)?,
            Node::Enum(each) => {
                let unit = each.variants.iter().all(|variant| variant.kind == VariantKind::Unit);
                if unit && each.tagging == Tagging::External && !each.variants.is_empty() {
                    self.enumeration(node, each)?
                } else {
                    self.variants(node, each)?
                }
            }
            Node::Union(branches) => self.union(node, branches, hint)?,
        })
    }

    fn reserve_of(&mut self, node: NodeId, name: &str, doc: &str, form: Form) -> usize {
        let index = self.reserve(name, doc, form);
        self.of_node.insert(node, Kind::Message(index));
        index
    }
}

fn integer(signed: bool, bits: u8, encoding: IntEncoding) -> Kind {
    use IntEncoding::{Fixed, Varint, Zigzag};
    match (bits, signed, encoding) {
        (65.., _, _) => Kind::BigInt,
        (33..=64, true, Varint) => Kind::Int64,
        (33..=64, true, Zigzag) => Kind::Sint64,
        (33..=64, true, Fixed) => Kind::Sfixed64,
        (33..=64, false, Varint | Zigzag) => Kind::Uint64,
        (33..=64, false, Fixed) => Kind::Fixed64,
        (_, true, Varint) => Kind::Int32,
        (_, true, Zigzag) => Kind::Sint32,
        (_, true, Fixed) => Kind::Sfixed32,
        (_, false, Varint | Zigzag) => Kind::Uint32,
        (_, false, Fixed) => Kind::Fixed32,
    }
}
