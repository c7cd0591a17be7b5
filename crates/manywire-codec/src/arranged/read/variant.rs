//! A variant behind its tag, and what it carries.

use std::fmt;

use manywire_shape::{Enum, Node, Tagging, Value, VariantKind};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny, SeqAccess, Visitor};

use super::item::{Also, Item};
use super::{ArrangedSeed, count_error, fit_error};
use crate::arranged::{Place, fit};

impl<'a> ArrangedSeed<'a> {
    /// A variant behind its tag.
    pub(super) fn tagged<'de: 'a, A: SeqAccess<'de>>(
        &mut self,
        sum: &'a Enum,
        mut seq: A,
    ) -> Result<Value<'a>, A::Error> {
        let start = self.entries.len();
        let Some(name) = seq.next_element_seed(&mut self.values)? else {
            return Err(count_error(1, 0));
        };
        let Value::Str(text) = name else { return Err(fit_error(&Node::Str, &name)) };
        let kind = fit::variant(sum, text).map_err(de::Error::custom)?;
        match (&sum.tagging, kind) {
            (Tagging::Adjacent { tag, content }, kind) => {
                self.entries.push((Value::Str(tag), name));
                if *kind != VariantKind::Unit {
                    let value =
                        seq.next_element_seed(Content { kind, named: true, reader: &mut *self })?;
                    let value = value.ok_or_else(|| count_error(2, 1))?;
                    self.entries.push((Value::Str(content), value));
                }
            }
            (Tagging::Internal { tag }, VariantKind::Unit) => {
                self.entries.push((Value::Str(tag), name));
            }
            (
                Tagging::Internal { tag },
                VariantKind::Newtype(inner) | VariantKind::Struct(inner),
            ) => {
                let Node::Record(record) = self.shape.node(*inner) else {
                    return Err(fit_error(self.shape.node(*inner), &Value::Array(&[])));
                };
                self.entries.push((Value::Str(tag), name));
                self.fields(record, &mut seq)?;
            }
            (Tagging::Internal { .. }, VariantKind::Tuple(_)) | (Tagging::External, _) => {
                return Err(de::Error::custom("only records stand behind an internal tag"));
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self.map_from(start))
    }
}

/// The content of a variant.
pub(super) struct Content<'r, 'a> {
    pub(super) kind: &'a VariantKind,
    pub(super) named: bool,
    pub(super) reader: &'r mut ArrangedSeed<'a>,
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for Content<'_, 'a> {
    type Value = Value<'a>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value<'a>, D::Error> {
        match self.kind {
            VariantKind::Unit => <()>::deserialize(deserializer).map(|()| Value::Null),
            VariantKind::Newtype(node) => self.reader.below(*node).deserialize(deserializer),
            VariantKind::Struct(node) => {
                let place = Place { node: *node, named: self.named };
                Item { place, also: Also::Nothing, reader: self.reader }.deserialize(deserializer)
            }
            VariantKind::Tuple(_) => deserializer.deserialize_any(self),
        }
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Content<'_, 'a> {
    type Value = Value<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the values of a variant")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value<'a>, A::Error> {
        let start = self.reader.items.len();
        if let VariantKind::Tuple(nodes) = self.kind {
            self.reader.tuple(nodes, &mut seq)?;
        }
        Ok(self.reader.array_from(start))
    }
}
