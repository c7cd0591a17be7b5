//! Finds the constraints of a shape that are invalid, that do not suit their nodes, or that nothing
//! checks.

use super::{Name, Node, NodeId, Shape};
use crate::constraints::{Choice, Constraints, InvalidConstraint};

impl Shape {
    /// Returns the first constraint that is invalid, that does not suit its node, or that is not
    /// checked because a Rust type is written as another one.
    pub fn invalid_constraint(&self) -> Option<InvalidConstraint> {
        let of_node = |(at, (id, constraints)): (usize, &(NodeId, Constraints))| {
            if self.constraints[..at].iter().any(|(known, _)| known == id) {
                return Some(InvalidConstraint::Repeated);
            }
            constraints.validate_for(self.node(*id)).err()
        };
        let invalid = self.constraints.iter().enumerate().find_map(of_node);
        let is_constrained = |(id, name): &(NodeId, Name)| {
            let inner = self.clone().rooted_at(*id).reachable();
            let found = !inner.constraints.is_empty();
            found.then(|| InvalidConstraint::Unchecked(name.clone()))
        };
        invalid.or_else(|| {
            let unchecked = if self.constraints.is_empty() { &[] } else { &*self.unchecked };
            unchecked.iter().find_map(is_constrained)
        })
    }
}

impl Constraints {
    /// Checks that the constraints are valid and apply to the values of a node.
    fn validate_for(&self, node: &Node) -> Result<(), InvalidConstraint> {
        self.validate()?;
        let is_number = matches!(node, Node::Int(_) | Node::F32 | Node::F64);
        let is_text = matches!(node, Node::Str);
        let has_length = match node {
            Node::Array(array) => array.len.is_none(),
            Node::Str | Node::Bytes | Node::Map { .. } => true,
            _ => false,
        };
        let choices = self.one_of.as_ref().and_then(|choices| choices.first());
        let used = [
            ("min", self.min.is_some(), is_number),
            ("max", self.max.is_some(), is_number),
            ("multiple_of", self.multiple_of.is_some(), is_number),
            ("length", self.length.is_some(), has_length),
            ("pattern", self.pattern.is_some(), is_text),
            ("one_of", matches!(choices, Some(Choice::Number(_))), is_number),
            ("one_of", matches!(choices, Some(Choice::Text(_))), is_text),
        ];
        match used.into_iter().find(|(_, is_used, suits)| *is_used && !suits) {
            Some((keyword, ..)) => Err(InvalidConstraint::Unsuitable { keyword, kind: kind(node) }),
            None => Ok(()),
        }
    }
}

/// Returns the name of a node's kind, for messages.
fn kind(node: &Node) -> &'static str {
    match node {
        Node::Null => "null",
        Node::Bool => "a boolean",
        Node::Int(_) => "an integer",
        Node::F32 | Node::F64 => "a float",
        Node::Char => "a character",
        Node::Str => "text",
        Node::Bytes => "bytes",
        Node::Timestamp => "a timestamp",
        Node::Any => "a value of any type",
        Node::Option(_) => "an option",
        Node::Array(array) if array.len.is_some() => "an array of fixed length",
        Node::Array(_) => "an array",
        Node::Tuple(_) => "a tuple",
        Node::Map { .. } => "a map",
        Node::Record(_) => "a record",
        Node::Enum(_) => "an enum",
        Node::Union(_) => "one of several types",
    }
}
