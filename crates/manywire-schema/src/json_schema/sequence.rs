use manywire_shape::{Array, Literal, Node, NodeId};

use super::{Reader, Result};
use crate::json::{Step, member};

impl<'l> Reader<'l> {
    /// An array or a tuple.
    pub(super) fn sequence(&mut self, schema: &'l Literal, hint: &str) -> Result<NodeId> {
        // Up to draft 2019-09 the items of a tuple stood in `items`, those after in
        // `additionalItems`.
        let (prefix, after) = match member(schema, "items") {
            Some(Literal::Array(_)) => ("items", "additionalItems"),
            _ => ("prefixItems", "items"),
        };
        let mut parts = Vec::new();
        for (at, part) in self.listed(schema, prefix)?.unwrap_or_default().iter().enumerate() {
            let part =
                self.within_both(prefix, Step::Index(at), |reader| reader.place(part, hint))?;
            parts.push(part);
        }
        let rest = match member(schema, after) {
            // Nothing may follow, or nothing says that anything does.
            Some(Literal::Boolean(false)) => None,
            None if !parts.is_empty() => None,
            None => Some(self.builder.add(Node::Any)),
            Some(item) => {
                Some(self.within(Step::Key(after.to_owned()), |reader| reader.place(item, hint))?)
            }
        };
        let (min, max) = (self.count(schema, "minItems")?, self.count(schema, "maxItems")?);
        let node = match rest {
            None if !parts.is_empty() => Node::Tuple(parts),
            None => {
                let item = self.builder.add(Node::Null);
                Node::Array(Array { item, len: Some(0), non_empty: false })
            }
            Some(rest) => {
                parts.push(rest);
                let item = self.builder.union(&parts);
                let len = min.filter(|min| Some(*min) == max);
                Node::Array(Array { item, len, non_empty: min > Some(0) && len.is_none() })
            }
        };
        Ok(self.builder.add(node))
    }
}
