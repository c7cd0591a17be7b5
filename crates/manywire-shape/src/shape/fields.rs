//! Collects the fields of a record, with serde's rules for flattened fields.

use super::{
    Enum, Field, Name, Node, NodeId, Presence, Record, ShapeBuilder, Tagging, VariantKind,
};

/// The fields of a record under construction, as serde writes them.
///
/// Variants that are flattened side by side may repeat a name. Such fields become one field, whose
/// node is the union of their nodes.
#[derive(Debug, Default)]
pub struct Fields {
    fields: Vec<(Field, Vec<NodeId>)>,
    rest: Vec<NodeId>,
    /// True if serde writes the record as a map, because it has flattened fields.
    is_map: bool,
    /// True if a field is skipped either when written or when read.
    is_shifted: bool,
}

impl Fields {
    /// Adds a field.
    pub fn push(&mut self, field: Field) {
        let Some((known, nodes)) =
            self.fields.iter_mut().find(|(known, _)| known.name == field.name)
        else {
            let node = field.node;
            return self.fields.push((field, vec![node]));
        };
        nodes.push(field.node);
        // The field is always written if one of the fields is.
        known.presence = stricter(known.presence, field.presence);
        known.number = known.number.or(field.number);
        for alias in field.aliases {
            if !known.aliases.contains(&alias) {
                known.aliases.push(alias);
            }
        }
    }

    /// Adds the fields that `#[serde(flatten)]` writes for a value.
    ///
    /// Serde flattens records, maps, options of them, and enums. Serde refuses to write other
    /// values, which therefore add no fields.
    pub fn flatten(&mut self, builder: &mut ShapeBuilder, node: NodeId) {
        self.is_map = true;
        self.flatten_as(builder, node, false);
    }

    /// Adds the fields of one of several alternatives: every field may be absent.
    pub(super) fn flatten_one_of(&mut self, builder: &mut ShapeBuilder, node: NodeId) {
        self.flatten_as(builder, node, true);
    }

    fn flatten_as(&mut self, builder: &mut ShapeBuilder, node: NodeId, optional: bool) {
        if builder.is_open(node) {
            // The record contains itself: its fields are not known yet, and there is no end to
            // them.
            return self.rest.push(builder.add(Node::Any));
        }
        match builder.node(node).clone() {
            Node::Record(record) => {
                for field in record.fields {
                    if !optional {
                        self.push(field);
                        continue;
                    }
                    let node = match field.presence {
                        Presence::Required => written_null(builder, field.node),
                        Presence::Defaulted | Presence::Optional => field.node,
                    };
                    self.push(Field { presence: Presence::Optional, node, ..field });
                }
                self.rest.extend(record.rest);
            }
            Node::Map { value, .. } => self.rest.push(value),
            Node::Any => self.rest.push(node),
            Node::Option(inner) => self.flatten_as(builder, inner, true),
            Node::Union(branches) => {
                for branch in branches {
                    self.flatten_as(builder, branch, true);
                }
            }
            Node::Enum(sum) => self.flatten_enum(builder, sum, optional),
            _ => {}
        }
    }

    fn flatten_enum(&mut self, builder: &mut ShapeBuilder, sum: Enum, optional: bool) {
        let presence = if optional { Presence::Optional } else { Presence::Required };
        let mut tag_field = |builder: &mut ShapeBuilder, tag: Name| {
            let node = builder.add(Node::Str);
            self.push(Field { presence, ..Field::new(tag, node) });
        };
        let content_name = match sum.tagging {
            Tagging::Internal { tag } => {
                tag_field(builder, tag);
                for variant in sum.variants {
                    if let VariantKind::Newtype(inner) | VariantKind::Struct(inner) = variant.kind {
                        self.flatten_as(builder, inner, true);
                    }
                }
                return;
            }
            Tagging::Adjacent { tag, content } => {
                tag_field(builder, tag);
                Some(content)
            }
            Tagging::External => None,
        };
        for variant in sum.variants {
            let node = match variant.kind {
                // An external tag becomes a key, which needs a value; an adjacent tag does not.
                VariantKind::Unit if content_name.is_some() => continue,
                VariantKind::Unit => builder.add(Node::Null),
                VariantKind::Newtype(inner) => {
                    nullable_content(builder, inner, content_name.is_some())
                }
                VariantKind::Struct(inner) => inner,
                VariantKind::Tuple(items) => builder.add(Node::Tuple(items)),
            };
            let presence = Presence::Optional;
            self.push(match &content_name {
                Some(content) => Field { presence, ..Field::new(content.clone(), node) },
                None => Field {
                    aliases: variant.aliases,
                    doc: variant.doc,
                    number: variant.number,
                    presence,
                    ..Field::new(variant.name, node)
                },
            });
        }
    }

    /// Records that a field is skipped when it is written but not when it is read, or the other way
    /// round.
    pub fn shift(&mut self) {
        self.is_shifted = true;
    }

    /// Returns whether serde writes the record of these fields as a map, and whether a field is
    /// skipped either when written or when read.
    pub(super) fn layout(&self) -> (bool, bool) {
        (self.is_map, self.is_shifted)
    }

    /// Returns the record of the collected fields.
    pub fn finish(self, builder: &mut ShapeBuilder, name: Name, doc: Name) -> Record {
        let fields = self
            .fields
            .into_iter()
            .map(|(field, nodes)| Field { node: builder.union(&nodes), ..field })
            .collect();
        let rest = (!self.rest.is_empty()).then(|| builder.union(&self.rest));
        Record { name, doc, fields, rest }
    }
}

/// Returns the node of a field that may be absent because another record was written, although its
/// own record always has it.
///
/// Serde reads an absent `Option` as null. But serde reads the unit variant of an untagged enum
/// only from a written null, so such a null must differ from an absent field. A union of one branch
/// marks this for formats that would write both as null.
fn written_null(builder: &mut ShapeBuilder, node: NodeId) -> NodeId {
    match builder.reads_written_null(node) {
        true => builder.add(Node::Union(vec![node])),
        false => node,
    }
}

/// Returns the node of the content of a newtype variant that is flattened.
///
/// An absent field means another variant, so a null as content must differ from an absent field.
/// Beside an external tag, a union of one branch marks this for formats that would write both as
/// null. Beside an adjacent tag, an option may be absent, but a unit must not: the unit becomes a
/// value of any type, which has a null.
fn nullable_content(builder: &mut ShapeBuilder, node: NodeId, is_adjacent: bool) -> NodeId {
    match builder.node(node) {
        Node::Option(_) if !is_adjacent => builder.add(Node::Union(vec![node])),
        Node::Null if is_adjacent => builder.add(Node::Any),
        _ => node,
    }
}

fn stricter(left: Presence, right: Presence) -> Presence {
    match (left, right) {
        (Presence::Required, _) | (_, Presence::Required) => Presence::Required,
        (Presence::Defaulted, _) | (_, Presence::Defaulted) => Presence::Defaulted,
        (Presence::Optional, Presence::Optional) => Presence::Optional,
    }
}
