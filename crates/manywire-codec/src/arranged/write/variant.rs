//! Variants: a name, a map around their content, or an array behind a tag.

use manywire_shape::{Enum, Node, NodeId, Tagging, Value, VariantKind};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeTuple, Serializer};

use super::slots::Slots;
use crate::arranged::{Arranged, Place, fit};

impl<'v> Arranged<'v> {
    pub(super) fn variant<S: Serializer>(
        &self,
        serializer: S,
        sum: &'v Enum,
        value: &'v Value<'v>,
    ) -> Result<S::Ok, S::Error> {
        match (&sum.tagging, value) {
            (Tagging::External, Value::Str(name)) => {
                match fit::variant(sum, name).map_err(S::Error::custom)? {
                    VariantKind::Unit => value.serialize(serializer),
                    _ => Err(S::Error::custom(fit::bare(name))),
                }
            }
            (Tagging::External, Value::Map([(key @ Value::Str(name), content)])) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_key(key)?;
                map.serialize_value(&self.content(
                    fit::variant(sum, name).map_err(S::Error::custom)?,
                    content,
                    false,
                ))?;
                map.end()
            }
            (Tagging::Internal { tag }, Value::Map(entries)) if !self.place.named => {
                let slots = Slots::new(entries);
                let Some(name @ Value::Str(text)) = slots.find(tag) else {
                    return Err(S::Error::custom(fit::missing(tag)));
                };
                match fit::variant(sum, text).map_err(S::Error::custom)? {
                    VariantKind::Unit if entries.len() == 1 => {
                        let mut tuple = serializer.serialize_tuple(1)?;
                        tuple.serialize_element(name)?;
                        tuple.end()
                    }
                    VariantKind::Newtype(inner) | VariantKind::Struct(inner) => {
                        match self.shape.node(*inner) {
                            Node::Record(record) if record.rest.is_none() => {
                                self.positional(serializer, record, slots.below(tag), Some(name))
                            }
                            // The tag stands among the entries of a map: no place is known.
                            _ => value.serialize(serializer),
                        }
                    }
                    _ => Err(self.misfit()),
                }
            }
            (Tagging::Adjacent { tag, content }, Value::Map(entries)) if !self.place.named => {
                let slots = Slots::new(entries);
                let Some(name @ Value::Str(text)) = slots.find(tag) else {
                    return Err(S::Error::custom(fit::missing(tag)));
                };
                let kind = fit::variant(sum, text).map_err(S::Error::custom)?;
                let content = slots.find(content);
                let count = 1 + usize::from(content.is_some());
                if entries.len() != count || (content.is_some() == (*kind == VariantKind::Unit)) {
                    return Err(self.misfit());
                }
                let mut tuple = serializer.serialize_tuple(count)?;
                tuple.serialize_element(name)?;
                if let Some(content) = content {
                    tuple.serialize_element(&self.content(kind, content, true))?;
                }
                tuple.end()
            }
            (Tagging::Internal { .. } | Tagging::Adjacent { .. }, Value::Map(_)) => {
                value.serialize(serializer)
            }
            _ => Err(self.misfit()),
        }
    }

    fn content(&self, kind: &'v VariantKind, value: &'v Value<'v>, named: bool) -> Content<'v> {
        match kind {
            VariantKind::Unit => Content::Unit(value),
            VariantKind::Newtype(node) => Content::Value(self.below(*node, value)),
            VariantKind::Struct(node) => {
                Content::Value(self.below(*node, value).at(Place { node: *node, named }))
            }
            VariantKind::Tuple(nodes) => Content::Tuple(self.below(self.place.node, value), nodes),
        }
    }
}

/// What a variant carries.
enum Content<'v> {
    Unit(&'v Value<'v>),
    Value(Arranged<'v>),
    Tuple(Arranged<'v>, &'v [NodeId]),
}

impl Serialize for Content<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Content::Unit(Value::Null) => serializer.serialize_unit(),
            Content::Value(arranged) => arranged.serialize(serializer),
            Content::Tuple(arranged, nodes) => match arranged.value {
                Value::Array(items) if items.len() == nodes.len() => {
                    arranged.array(serializer, items, |index| nodes.get(index).copied())
                }
                Value::Array(items) => Err(S::Error::custom(fit::count(nodes.len(), items.len()))),
                _ => Err(arranged.misfit()),
            },
            Content::Unit(value) => Err(S::Error::custom(fit::misfit(&Node::Null, value))),
        }
    }
}
