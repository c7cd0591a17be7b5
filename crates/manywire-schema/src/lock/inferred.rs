//! Inferred shapes in the types of a lock.
//!
//! Inference chooses the type of a number by the samples that it has seen: `sint64` if one was
//! negative, `int64` if all were integers, although they may be prices. It knows no type for a field
//! that was always null, and for a list that was always empty. The lock knows the type, so a field
//! keeps it if the type holds the values that were seen.

use manywire_shape::proto::{Field, Kind, Schema};
use manywire_shape::{Array, Int, IntEncoding, Node, NodeId, Record, Shape, ShapeBuilder};

use super::{Lock, pair_fields};
use crate::proto::scalar_node;

impl Lock {
    /// Returns the shape with the types of the lock in place of those that inference chose among
    /// several, or did not know. The method is for inferred shapes, whose types are not declared.
    /// `next` is the schema of the shape.
    pub fn retype(&self, shape: &Shape, next: &Schema) -> Shape {
        let mut builder = ShapeBuilder::default();
        let mut records = Vec::new();
        // Nodes that are added in order keep their ids.
        for node in shape.nodes() {
            let id = builder.add(node.clone());
            if let Node::Record(record) = node {
                records.push((id, record));
            }
        }
        for (id, record) in records {
            let record = self.retyped_record(record, shape, next, &mut builder);
            builder.fill(id, Node::Record(record));
        }
        builder.finish(shape.root())
    }

    fn retyped_record(
        &self,
        record: &Record,
        shape: &Shape,
        next: &Schema,
        builder: &mut ShapeBuilder,
    ) -> Record {
        let mut record = record.clone();
        let mut messages = next.messages.iter().filter(|message| message.is_declared());
        let message = messages.find(|message| message.name == *record.name);
        let (Some(old), Some(message)) = (self.message(&record.name), message) else {
            return record;
        };
        let found = pair_fields(old, &message.fields);
        for field in &mut record.fields {
            let at = message.fields.iter().position(|lowered| lowered.name == *field.name);
            let Some(at) = at.and_then(|at| found[at]) else { continue };
            let locked = &old.fields[at];
            if let Some(node) = self.retyped(locked, shape, field.node, builder) {
                field.node = node;
            }
        }
        record
    }

    /// Returns a new node for the values of a field, or `None` if the inferred node stays.
    fn retyped(
        &self,
        locked: &Field,
        shape: &Shape,
        id: NodeId,
        builder: &mut ShapeBuilder,
    ) -> Option<NodeId> {
        let entry = self.schema.map_entry(locked.kind).map(|entry| &entry.fields[..]);
        match (shape.node(id), entry) {
            (Node::Option(inner), None) if !locked.label.is_repeated() => {
                let inner = scalar(locked.kind, shape.node(*inner))?;
                let inner = builder.add(inner);
                Some(builder.add(Node::Option(inner)))
            }
            (Node::Null, None) if !locked.label.is_repeated() => {
                let inner = builder.add(scalar(locked.kind, &Node::Null)?);
                Some(builder.add(Node::Option(inner)))
            }
            (Node::Array(array), None) if locked.label.is_repeated() => {
                let item = builder.add(scalar(locked.kind, shape.node(array.item))?);
                Some(builder.add(Node::Array(Array { item, ..*array })))
            }
            (Node::Map { key, value }, Some([_, content])) => {
                let value = builder.add(scalar(content.kind, shape.node(*value))?);
                Some(builder.add(Node::Map { key: *key, value }))
            }
            (node, None) if !locked.label.is_repeated() => {
                scalar(locked.kind, node).map(|node| builder.add(node))
            }
            _ => None,
        }
    }
}

/// Returns the scalar of the lock if it holds the values of an inferred node and differs from it.
fn scalar(locked: Kind, inferred: &Node) -> Option<Node> {
    let node = match inferred {
        Node::Int(inferred) => number(locked, *inferred)?,
        Node::Null => scalar_of(locked)?,
        _ => return None,
    };
    (node != *inferred).then_some(node)
}

/// Returns the number type of the lock, with 64 bits, if it holds the inferred integers. A double
/// holds them as far as its digits suffice, as it does in samples with fractions.
fn number(locked: Kind, inferred: Int) -> Option<Node> {
    let int = match scalar_of(locked)? {
        _ if inferred.bits > 64 => return None,
        Node::F64 => return Some(Node::F64),
        Node::Int(Int { bits: 32, encoding: IntEncoding::Fixed, .. }) => return None,
        Node::Int(int) => Int { bits: 64, ..int },
        _ => return None,
    };
    // Inference chooses zigzag only if a sample was negative, and an unsigned type only if one was
    // above the largest signed integer.
    let holds_all = match inferred.encoding {
        IntEncoding::Zigzag => int.signed,
        IntEncoding::Varint | IntEncoding::Fixed => inferred.signed || !int.signed,
    };
    holds_all.then_some(Node::Int(int))
}

/// Returns the scalar of the lock for values of which only null was seen; `None` for the kinds that
/// have no type of Protocol Buffers.
fn scalar_of(locked: Kind) -> Option<Node> {
    match locked {
        Kind::BigInt | Kind::Number => None,
        _ => scalar_node(locked),
    }
}
