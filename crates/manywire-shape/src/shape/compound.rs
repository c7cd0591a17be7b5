//! The nodes of compound types of Rust, structs and enums, as serde writes them.

use super::fields::Fields;
use super::{
    ArrayFault, Enum, Name, Node, NodeId, Record, ShapeBuilder, Tagging, Variant, VariantKind,
};

/// Returns the node of a struct with named fields.
pub fn record(
    builder: &mut ShapeBuilder,
    type_name: &'static str,
    name: &'static str,
    doc: &'static str,
    fields: impl FnOnce(&mut ShapeBuilder, &mut Fields),
) -> NodeId {
    let outline = Record { name: name.into(), ..Record::default() };
    let mut layout = (false, false);
    let id = builder.outlined(type_name, Node::Record(outline), |builder| {
        let mut collected = Fields::default();
        fields(builder, &mut collected);
        layout = collected.layout();
        Node::Record(collected.finish(builder, name.into(), doc.into()))
    });
    set_layout(builder, id, layout);
    id
}

/// Records whether serde writes a record as a map, and whether its fields are shifted.
fn set_layout(builder: &mut ShapeBuilder, id: NodeId, (is_map, is_shifted): (bool, bool)) {
    if is_map {
        builder.set_written_as_map(id);
    } else if is_shifted {
        builder.add_array_fault(id, ArrayFault::Shifted);
    }
}

/// Returns a new record node for the fields of a struct variant. No other type shares the node.
pub fn fields_of_variant(
    builder: &mut ShapeBuilder,
    name: &'static str,
    fields: impl FnOnce(&mut ShapeBuilder, &mut Fields),
) -> NodeId {
    let mut collected = Fields::default();
    fields(builder, &mut collected);
    let layout = collected.layout();
    let record = collected.finish(builder, name.into(), Name::default());
    let id = builder.add(Node::Record(record));
    set_layout(builder, id, layout);
    id
}

/// Returns the node of the fields of a struct variant that serde reads by name only, because its
/// enum is untagged or tagged adjacently.
pub fn fields_read_by_name(
    builder: &mut ShapeBuilder,
    name: &'static str,
    fields: impl FnOnce(&mut ShapeBuilder, &mut Fields),
) -> NodeId {
    let id = fields_of_variant(builder, name, fields);
    builder.add_array_fault(id, ArrayFault::ReadByName);
    id
}

/// Returns the node of a tagged enum.
pub fn tagged(
    builder: &mut ShapeBuilder,
    type_name: &'static str,
    name: &'static str,
    doc: &'static str,
    tagging: Tagging,
    variants: impl FnOnce(&mut ShapeBuilder) -> Vec<Variant>,
) -> NodeId {
    let sum = |doc: &'static str, tagging, variants| {
        Node::Enum(Enum { name: name.into(), doc: doc.into(), tagging, variants })
    };
    let outline = sum("", tagging.clone(), Vec::new());
    let is_buffered = matches!(tagging, Tagging::Internal { .. });
    let mut skips = false;
    let id = builder.outlined(type_name, outline, |builder| {
        let variants = variants(builder);
        if is_buffered {
            let contents = variants.iter().filter_map(|variant| match variant.kind {
                VariantKind::Newtype(inner) | VariantKind::Struct(inner) => Some(inner),
                VariantKind::Unit | VariantKind::Tuple(_) => None,
            });
            skips = builder.may_skip_values(&contents.collect::<Vec<_>>());
        }
        sum(doc, tagging, variants)
    });
    if skips {
        builder.add_array_fault(id, ArrayFault::SkippedInBuffer);
    }
    id
}

/// Returns the node of an untagged enum.
pub fn untagged(
    builder: &mut ShapeBuilder,
    type_name: &'static str,
    branches: impl FnOnce(&mut ShapeBuilder) -> Vec<NodeId>,
) -> NodeId {
    builder.alias(type_name, |builder| {
        let branches = branches(builder);
        let skips = builder.may_skip_values(&branches);
        let is_ambiguous = builder.has_records_like_others(&branches);
        let id = builder.union(&branches);
        if branches.iter().any(|branch| *builder.node(*branch) == Node::Null) {
            builder.set_unit_variant(id);
        }
        if skips {
            builder.add_array_fault(id, ArrayFault::SkippedInBuffer);
        }
        if is_ambiguous {
            builder.add_array_fault(id, ArrayFault::TakenForBranch);
        }
        id
    })
}

/// Returns a variant of a tagged enum.
pub fn variant(
    name: &'static str,
    aliases: &[&'static str],
    doc: &'static str,
    number: Option<u32>,
    kind: VariantKind,
) -> Variant {
    Variant { name: name.into(), aliases: names(aliases), doc: doc.into(), kind, number }
}

/// Converts aliases to the names of a shape.
pub fn names(aliases: &[&'static str]) -> Vec<Name> {
    aliases.iter().copied().map(Name::Borrowed).collect()
}

/// Records that a type has `#[serde(deny_unknown_fields)]`.
pub fn deny_unknown_fields(builder: &mut ShapeBuilder) {
    builder.deny_unknown_fields();
}

/// Marks a node as unchecked, because values of the type or field `name` are written as this node
/// but not checked against its constraints. Returns the node.
pub fn unchecked(builder: &mut ShapeBuilder, name: &'static str, node: NodeId) -> NodeId {
    builder.set_unchecked(node, name.into());
    node
}
