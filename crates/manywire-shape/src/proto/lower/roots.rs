//! Several types in one schema: what an API publishes, and what a lock is held against.

use std::collections::HashMap;

use super::{Lowering, Result};
use crate::proto::schema::{Kind, Message, Schema};
use crate::{Node, NodeId, Shape};

/// How far into a type its name is looked for: lists of lists end somewhere, types that are lists
/// of themselves do not.
const DEPTH_MAX: usize = 8;

impl Schema {
    /// The messages that hold the values of several nodes of a shape, and which message is the
    /// whole value of each: the same bytes as [`Schema::from_shape`] says of each alone.
    ///
    /// Where that calls the message around a value that is no record `Root`, here it is named by
    /// its content (`HotelList`, `TextValue`), so that the name stays when other types come.
    ///
    /// # Errors
    ///
    /// As [`Schema::from_shape`].
    pub fn from_roots(shape: &Shape, roots: &[NodeId]) -> Result<(Schema, Vec<usize>)> {
        let mut lowering = Lowering::new(shape);
        let mut known = HashMap::new();
        // Records first: no message around a value takes the name of a type.
        let is_record = |id: &&NodeId| matches!(shape.node(**id), Node::Record(_));
        let (records, others): (Vec<_>, Vec<_>) = roots.iter().partition(is_record);
        for root in records.into_iter().chain(others) {
            if !known.contains_key(root) {
                let name = match shape.node(*root) {
                    Node::Array(_) | Node::Map { .. } => words(shape, *root, 0),
                    _ => format!("{}Value", words(shape, *root, 0)),
                };
                known.insert(*root, lowering.root(*root, &name)?);
            }
        }
        lowering.name_enum_values();
        let indexes: Vec<usize> =
            roots.iter().filter_map(|root| known.get(root).copied()).collect();
        let root = indexes.first().copied().unwrap_or_default();
        Ok((Schema { messages: lowering.messages, enums: lowering.enums, root }, indexes))
    }

    /// The part of the schema that one of its messages needs, as the schema of that message.
    pub fn rooted_at(&self, root: usize) -> Schema {
        let (mut reached, mut enums_reached) = (vec![root], Vec::new());
        let mut messages = Vec::new();
        while let Some(index) = reached.get(messages.len()).copied() {
            let mut message: Message = self.messages[index].clone();
            for field in &mut message.fields {
                field.kind = match field.kind {
                    Kind::Message(index) => Kind::Message(place(&mut reached, index)),
                    Kind::Enum(index) => Kind::Enum(place(&mut enums_reached, index)),
                    kind => kind,
                };
            }
            messages.push(message);
        }
        let enums = enums_reached.iter().map(|index| self.enums[*index].clone()).collect();
        Schema { messages, enums, root: 0 }
    }
}

/// Where an index stands among those that are reached.
fn place(reached: &mut Vec<usize>, index: usize) -> usize {
    reached.iter().position(|known| *known == index).unwrap_or_else(|| {
        reached.push(index);
        reached.len() - 1
    })
}

/// What a type is called where nobody named it.
fn words(shape: &Shape, id: NodeId, depth: usize) -> String {
    if depth == DEPTH_MAX {
        return "Root".to_owned();
    }
    let inner = |id: NodeId| words(shape, id, depth + 1);
    match shape.node(id) {
        Node::Record(record) => record.name.to_string(),
        Node::Enum(sum) => sum.name.to_string(),
        Node::Array(array) => format!("{}List", inner(array.item)),
        Node::Map { value, .. } => format!("{}Map", inner(*value)),
        Node::Option(some) => format!("Optional{}", inner(*some)),
        Node::Null => "Null".to_owned(),
        Node::Bool => "Boolean".to_owned(),
        Node::Int(_) => "Integer".to_owned(),
        Node::F32 | Node::F64 => "Number".to_owned(),
        Node::Char | Node::Str => "Text".to_owned(),
        Node::Bytes => "Bytes".to_owned(),
        Node::Timestamp => "Timestamp".to_owned(),
        Node::Any => "Any".to_owned(),
        Node::Tuple(_) => "Tuple".to_owned(),
        Node::Union(_) => "Union".to_owned(),
    }
}
