//! Arrays and maps, and the messages around them where a field alone cannot hold them.

use super::{Lowering, Result};
use crate::proto::schema::{Absent, Field, Form, Kind, Label};
use crate::{Node, NodeId, Tagging, VariantKind};

impl Lowering<'_> {
    /// The message around an array. One of scalars is shared by all arrays of these scalars; any
    /// other is the node's own, since the node may be inside itself.
    pub(super) fn array(&mut self, node: NodeId, item: NodeId, hint: &str) -> Result<Kind> {
        let (inner, nullable) = self.strip(item)?;
        let scalar = matches!(
            self.shape.node(inner),
            Node::Bool
                | Node::Int(_)
                | Node::F32
                | Node::F64
                | Node::Char
                | Node::Str
                | Node::Bytes
        );
        if scalar && !nullable {
            let kind = self.single(inner, hint)?;
            return Ok(Kind::Message(self.wrapper(repeated(kind), kind, hint)));
        }
        let index = self.reserve_of(node, &format!("{hint}List"), "", Form::Wrapper);
        let mut field = Field::new("items", 1, Kind::Bool);
        field.kind = self.item(item, hint)?;
        field.label = repeated(field.kind);
        self.messages[index].fields.push(field);
        Ok(Kind::Message(index))
    }

    /// The message around one kind of place.
    pub(super) fn wrapper(&mut self, label: Label, kind: Kind, hint: &str) -> usize {
        if let Some(index) = self.wrappers.get(&(label, kind)) {
            return *index;
        }
        let base = self.kind_name(kind).unwrap_or_else(|| hint.to_owned());
        let (name, field_name) = match label {
            Label::Optional | Label::Singular => (format!("Optional{base}"), "value"),
            Label::Repeated | Label::Packed => (format!("{base}List"), "items"),
        };
        let index = self.reserve(&name, "", Form::Wrapper);
        let mut field = Field::new(field_name, 1, kind);
        field.label = label;
        if label == Label::Optional {
            field.nullable = true;
            field.absent = Absent::Null;
        }
        self.messages[index].fields.push(field);
        self.wrappers.insert((label, kind), index);
        index
    }

    /// A word for a kind, to name what is made around it.
    pub(super) fn kind_name(&self, kind: Kind) -> Option<String> {
        Some(match kind {
            Kind::Message(index) => {
                let name = &self.messages[index].name;
                name.rsplit('.').next().unwrap_or(name).to_owned()
            }
            Kind::Enum(index) => self.enums[index].name.clone(),
            Kind::BigInt => "BigInt".to_owned(),
            scalar => format!("{scalar:?}"),
        })
    }

    /// The message of a map's entries.
    pub(super) fn entry(&mut self, key: NodeId, value: NodeId, hint: &str) -> Result<usize> {
        let shape = self.shape;
        let (key_kind, native) = match shape.node(key) {
            // An enum is no key in Protocol Buffers, but the name of its value is.
            Node::Enum(each)
                if each.tagging == Tagging::External
                    && each.variants.iter().all(|variant| variant.kind == VariantKind::Unit) =>
            {
                (Kind::String, true)
            }
            Node::Bool | Node::Char | Node::Str | Node::Int(_) => (self.single(key, hint)?, true),
            _ => (self.item(key, &format!("{hint}Key"))?, false),
        };
        let value_kind = self.item(value, hint)?;
        if let Some(index) = self.entries.get(&(key_kind, value_kind)) {
            return Ok(*index);
        }
        let index = self.reserve(&format!("{hint}Entry"), "", Form::Entry { native });
        self.messages[index].fields =
            vec![Field::new("key", 1, key_kind), Field::new("value", 2, value_kind)];
        self.entries.insert((key_kind, value_kind), index);
        Ok(index)
    }
}

pub(super) fn repeated(kind: Kind) -> Label {
    if kind.is_packable() { Label::Packed } else { Label::Repeated }
}
