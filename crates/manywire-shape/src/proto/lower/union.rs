//! Unions: one member of a oneof for each branch.

use super::record::Names;
use super::{Lowering, Result};
use crate::proto::names::camel;
use crate::proto::schema::{Field, Form, Kind};
use crate::{Node, NodeId};

impl Lowering<'_> {
    pub(super) fn union(&mut self, node: NodeId, branches: &[NodeId], hint: &str) -> Result<Kind> {
        let index = self.reserve_of(node, hint, "", Form::Union);
        self.messages[index].oneofs.push("kind".to_owned());
        let mut nodes = Vec::new();
        let mut nullable = false;
        for branch in branches {
            let (inner, null) = self.strip(*branch)?;
            match self.shape.node(inner) {
                Node::Null => nullable = true,
                _ => nodes.push(inner),
            }
            nullable |= null;
        }
        let mut taken = Names::default();
        taken.add("kind");
        let mut number = 1;
        if nullable {
            let field = Field::new(taken.add("null"), number, Kind::Message(self.empty()));
            self.member(index, field);
            number += 1;
        }
        for branch in nodes {
            let name = taken.add(branch_name(self.shape.node(branch)));
            let kind = self.single(branch, &format!("{hint}{}", camel(&name)))?;
            self.member(index, Field::new(name, number, kind));
            number += 1;
        }
        Ok(Kind::Message(index))
    }
}

fn branch_name(node: &Node) -> &'static str {
    match node {
        Node::Null | Node::Option(_) => "null",
        Node::Bool => "bool",
        Node::Int(_) => "int",
        Node::F32 => "float",
        Node::F64 => "double",
        Node::Char | Node::Str => "string",
        Node::Bytes => "bytes",
        Node::Timestamp => "timestamp",
        Node::Any => "any",
        Node::Array(_) => "list",
        Node::Tuple(_) => "tuple",
        Node::Map { .. } => "map",
        Node::Record(_) => "record",
        Node::Enum(_) => "enum",
        Node::Union(_) => "union",
    }
}
