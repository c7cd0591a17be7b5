//! A node where a type stands in the text.

use std::fmt::{self, Display, Formatter, Write};

use super::Outline;
use crate::shape::{Array, Int, IntEncoding, Node, NodeId};

impl Outline<'_> {
    /// A node where a type stands in the text. Recursion passes through a record or an enum, which
    /// are written by name, or comes back to a node that is being written: then it is cut.
    pub(super) fn inline(&self, f: &mut Formatter<'_>, id: NodeId) -> fmt::Result {
        self.inline_within(f, id, &mut Vec::new())
    }

    fn inline_within(
        &self,
        f: &mut Formatter<'_>,
        id: NodeId,
        outer: &mut Vec<NodeId>,
    ) -> fmt::Result {
        if let Some(name) = self.names.get(&id) {
            return f.write_str(name);
        }
        if outer.contains(&id) {
            return f.write_str("…");
        }
        outer.push(id);
        match self.shape.node(id) {
            Node::Null => f.write_str("null"),
            Node::Bool => f.write_str("bool"),
            Node::Int(int) => write!(f, "{int}"),
            Node::F32 => f.write_str("f32"),
            Node::F64 => f.write_str("f64"),
            Node::Char => f.write_str("char"),
            Node::Str => f.write_str("str"),
            Node::Bytes => f.write_str("bytes"),
            Node::Timestamp => f.write_str("timestamp"),
            Node::Any => f.write_str("any"),
            Node::Option(inner) => {
                let union = matches!(self.shape.node(*inner), Node::Union(_));
                f.write_str(if union { "(" } else { "" })?;
                self.inline_within(f, *inner, outer)?;
                f.write_str(if union { ")?" } else { "?" })
            }
            Node::Array(Array { item, len, non_empty }) => {
                f.write_char('[')?;
                self.inline_within(f, *item, outer)?;
                match (len, non_empty) {
                    (Some(len), _) => write!(f, "; {len}]"),
                    (None, true) => f.write_str("; 1..]"),
                    (None, false) => f.write_char(']'),
                }
            }
            Node::Tuple(items) => {
                f.write_char('(')?;
                self.separated(f, items, ", ", outer)?;
                f.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
            Node::Union(branches) => self.separated(f, branches, " | ", outer),
            Node::Map { key, value } => {
                f.write_char('{')?;
                self.inline_within(f, *key, outer)?;
                f.write_str(": ")?;
                self.inline_within(f, *value, outer)?;
                f.write_char('}')
            }
            Node::Record(record) => f.write_str(&record.name),
            Node::Enum(sum) => f.write_str(&sum.name),
        }?;
        outer.pop();
        Ok(())
    }

    pub(super) fn list(
        &self,
        f: &mut Formatter<'_>,
        open: &str,
        items: &[NodeId],
        close: &str,
    ) -> fmt::Result {
        f.write_str(open)?;
        self.separated(f, items, ", ", &mut Vec::new())?;
        f.write_str(close)
    }

    fn separated(
        &self,
        f: &mut Formatter<'_>,
        items: &[NodeId],
        separator: &str,
        outer: &mut Vec<NodeId>,
    ) -> fmt::Result {
        for (at, item) in items.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { separator })?;
            self.inline_within(f, *item, outer)?;
        }
        Ok(())
    }
}

impl Display for Int {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)?;
        f.write_str(match self.encoding {
            IntEncoding::Varint => "",
            IntEncoding::Zigzag => " zigzag",
            IntEncoding::Fixed => " fixed",
        })
    }
}
