use super::Result;
use super::check::{Fit, holds_text};
use super::faults::Faults;
use crate::{Node, NodeId, Value};

impl Fit<'_> {
    /// Tries the key of a map. In JSON every key is text, so text may stand for a number.
    pub(super) fn key(self, id: NodeId, key: &Value<'_>, depth: usize) -> Result<()> {
        let fits = match (self.shape.node(id), key) {
            (Node::Str | Node::Any, Value::Str(_)) => true,
            (Node::Int(int), Value::Str(text)) => holds_text(*int, text),
            (Node::Bool, Value::Str(text)) => matches!(*text, "true" | "false"),
            _ => return self.node(id, key, depth + 1),
        };
        if fits { Ok(()) } else { Err(Faults::new(self.expected(id), super::expected::found(key))) }
    }
}
