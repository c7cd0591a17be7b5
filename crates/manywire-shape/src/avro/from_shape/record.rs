//! Records: the fields of what was given a place and a name.

use super::{Mapping, Work, record};
use crate::avro::name::{Names, original};
use crate::avro::{Field, Literal, NodeId, Record, Role, SchemaError, Type, VariantOf};
use crate::{self as shape, Presence, Tagging, Variant, VariantKind};

impl<'s> Mapping<'s> {
    pub(super) fn fill(&mut self, work: Work<'s>) -> Result<(), SchemaError> {
        match work {
            Work::Record(place, name, of, role) => {
                let fields = self.fields(of)?;
                let filled = Record {
                    original: original(&of.name, &name.name).filter(|text| !text.is_empty()),
                    doc: of.doc.to_string(),
                    ..record(name, fields, role)
                };
                self.builder.set(place, Type::Record(filled));
            }
            Work::Tuple(place, name, items, role) => {
                let fields = self.items(items)?;
                self.builder.set(place, Type::Record(record(name, fields, role)));
            }
            Work::Entry(place, name, key, value) => {
                let (key, value) = (self.place(key)?, self.place(value)?);
                let fields = vec![Field::new("key", key), Field::new("value", value)];
                self.builder.set(place, Type::Record(record(name, fields, Role::Entry)));
            }
            Work::Knot(place, name, id) => {
                let inner = self.build(id)?;
                let fields = vec![Field::new("value", inner)];
                self.builder.set(place, Type::Record(record(name, fields, Role::Transparent)));
            }
            Work::Variant(place, name, variant, of) => {
                let fields = match &variant.kind {
                    VariantKind::Unit => Vec::new(),
                    VariantKind::Newtype(inner) => {
                        self.check_tag(&of, variant, *inner)?;
                        vec![Field::new("value", self.place(*inner)?)]
                    }
                    VariantKind::Tuple(items) => self.items(items)?,
                    VariantKind::Struct(inner) => match self.shape.node(*inner) {
                        shape::Node::Record(inner) => self.fields(inner)?,
                        _ => {
                            return Err(SchemaError::new(format_args!(
                                "variant {} of {} has fields, but its node is no record",
                                variant.name, of.sum
                            )));
                        }
                    },
                };
                let filled = Record {
                    original: original(&variant.name, &name.name),
                    doc: variant.doc.to_string(),
                    aliases: variant.aliases.iter().map(|alias| alias.to_string()).collect(),
                    ..record(name, fields, Role::Variant(of))
                };
                self.builder.set(place, Type::Record(filled));
            }
        }
        Ok(())
    }

    /// A tag stands among fields, so an internally tagged variant must have some.
    fn check_tag(
        &self,
        of: &VariantOf,
        variant: &Variant,
        inner: shape::NodeId,
    ) -> Result<(), SchemaError> {
        let Tagging::Internal { tag } = &of.tagging else { return Ok(()) };
        match self.shape.node(inner) {
            shape::Node::Record(_) | shape::Node::Null => Ok(()),
            shape::Node::Map { key, .. } if self.is_text(*key) => Ok(()),
            _ => Err(SchemaError::new(format_args!(
                "variant {} of {} has no fields that the tag `{tag}` could stand beside",
                variant.name, of.sum
            ))),
        }
    }

    fn items(&mut self, items: &[shape::NodeId]) -> Result<Vec<Field>, SchemaError> {
        let items = items.iter().enumerate();
        items.map(|(index, &item)| Ok(Field::new(format!("_{index}"), self.place(item)?))).collect()
    }

    fn fields(&mut self, of: &shape::Record) -> Result<Vec<Field>, SchemaError> {
        let mut names = Names::default();
        let mut fields = Vec::with_capacity(of.fields.len() + 1);
        for field in &of.fields {
            let optional = field.presence == Presence::Optional;
            let node = if optional { self.optional(field.node)? } else { self.place(field.node)? };
            let name = names.give(&field.name);
            fields.push(Field {
                original: original(&field.name, &name),
                doc: field.doc.to_string(),
                aliases: field.aliases.iter().map(|alias| alias.to_string()).collect(),
                default: self.may_be_null(field.node, optional).then_some(Literal::Null),
                optional,
                ..Field::new(name, node)
            });
        }
        if let Some(rest) = of.rest {
            let value = self.place(rest)?;
            let map = self.builder.add(Type::Map(value));
            fields.push(Field { rest: true, ..Field::new(names.give("rest"), map) });
        }
        Ok(fields)
    }

    /// The node of a field that may be left out.
    fn optional(&mut self, id: shape::NodeId) -> Result<NodeId, SchemaError> {
        if let Some(&place) = self.optional.get(&id) {
            return Ok(place);
        }
        let place = if self.knots.contains(&id) {
            let branches = vec![self.builder.add(Type::Null), self.place(id)?];
            self.builder.add(Type::Union(branches))
        } else {
            self.union(id, true)?
        };
        self.optional.insert(id, place);
        Ok(place)
    }

    /// Whether null is the first branch of a field's type, and so may be its default.
    fn may_be_null(&self, id: shape::NodeId, optional: bool) -> bool {
        let inner_null = |id| match self.shape.node(id) {
            shape::Node::Option(_) => true,
            shape::Node::Union(branches) => branches.iter().any(|&branch| {
                matches!(self.shape.node(branch), shape::Node::Null | shape::Node::Option(_))
            }),
            _ => false,
        };
        optional || (!self.knots.contains(&id) && inner_null(id))
    }
}
