//! A field: what it holds, how often, and what its absence means.

use super::collection::repeated;
use super::{Lowering, Result, invalid};
use crate::proto::schema::{Absent, Field, Kind, Label};
use crate::{Node, NodeId, Presence};

impl Lowering<'_> {
    /// What a field holds, how often, and what its absence means. `hint` names the types that have
    /// no name of their own.
    pub(super) fn place(
        &mut self,
        field: &mut Field,
        node: NodeId,
        presence: Presence,
        hint: &str,
    ) -> Result<()> {
        let (inner, nullable) = self.strip(node)?;
        field.nullable = nullable;
        field.required = presence == Presence::Required;
        field.absent = match presence {
            Presence::Optional => Absent::Missing,
            _ if nullable => Absent::Null,
            Presence::Defaulted => Absent::Missing,
            Presence::Required => Absent::Zero,
        };
        let told_apart = nullable || presence == Presence::Optional;
        match *self.shape.node(inner) {
            Node::Array(array) if !told_apart || array.non_empty => {
                field.kind = self.item(array.item, hint)?;
                field.label = repeated(field.kind);
                if !told_apart {
                    field.absent = Absent::Zero;
                }
            }
            Node::Map { key, value } if !told_apart => {
                field.kind = Kind::Message(self.entry(key, value, hint)?);
                field.label = Label::Repeated;
                field.absent = Absent::Zero;
            }
            Node::Null => {
                field.kind = self.single(inner, hint)?;
                field.label = Label::Optional;
                // What is always null need not be written.
                if presence == Presence::Required {
                    field.nullable = true;
                    field.absent = Absent::Null;
                }
            }
            _ => {
                field.kind = self.single(inner, hint)?;
                if told_apart || presence == Presence::Defaulted {
                    field.label = Label::Optional;
                }
            }
        }
        Ok(())
    }

    /// The node within options, and whether there were any. An option of an option is one option,
    /// as in JSON.
    pub(super) fn strip(&self, mut node: NodeId) -> Result<(NodeId, bool)> {
        let mut nullable = false;
        for _ in 0..=self.shape.nodes().len() {
            match *self.shape.node(node) {
                Node::Option(inner) => node = inner,
                _ => return Ok((node, nullable)),
            }
            nullable = true;
        }
        invalid("an option holds nothing but itself")
    }
}
