//! Checks that a shape admits a recorded serialization.

use manywire_shape::{
    Enum, Int, Node, NodeId, Presence, Record, Shape, Tagging, Variant, VariantKind,
};

use super::written::{Content, Written};

pub(crate) type Verdict = Result<(), String>;

/// Checks that a recorded serialization fits a shape; the error tells where it does not.
pub(crate) fn admits(shape: &Shape, id: NodeId, written: &Written) -> Verdict {
    let node = shape.node(id);
    let fits = match (node, written) {
        (Node::Any, _) => true,
        (Node::Null, Written::Unit | Written::None) => true,
        (Node::Option(_), Written::Unit | Written::None) => true,
        (Node::Option(inner), Written::Some(value)) => return admits(shape, *inner, value),
        (Node::Option(inner), value) => return admits(shape, *inner, value),
        (Node::Union(branches), value) => {
            let takers = branches.iter().filter(|id| admits(shape, **id, value).is_ok()).count();
            return if takers == 1 {
                Ok(())
            } else {
                Err(format!("{takers} branches for {value:?}"))
            };
        }
        // In a union, the wider of two numbers represents both.
        (_, Written::Some(value)) => return admits(shape, id, value),
        (Node::Bool, Written::Bool) => true,
        (Node::Int(int), Written::Int { signed, bits }) => holds(*int, *signed, *bits),
        (Node::F32 | Node::F64, Written::F32) | (Node::F64, Written::F64) => true,
        (Node::Char | Node::Str, Written::Char) | (Node::Str, Written::Str(_)) => true,
        // The tag of an adjacently tagged enum, and a unit variant among other text.
        (Node::Str, Written::Variant { content: Content::Unit, .. }) => true,
        (Node::Bytes, Written::Bytes) => true,
        // A slice that is read as bytes is written item by item.
        (Node::Bytes, Written::Seq(items)) => {
            items.iter().all(|item| *item == Written::Int { signed: false, bits: 8 })
        }
        (Node::Timestamp, Written::Timestamp) => true,
        (Node::Array(array), Written::Seq(items) | Written::Tuple(items)) => {
            if array.len.is_some_and(|len| len as usize != items.len()) {
                return Err(format!("{} items in an array of {:?}", items.len(), array.len));
            }
            return admits_all(shape, items.iter().map(|item| (array.item, item)));
        }
        // Serde writes a flattened tuple variant as a sequence.
        (Node::Tuple(nodes), Written::Tuple(items) | Written::Seq(items)) => {
            return tuple(shape, nodes, items);
        }
        (Node::Map { key, value }, Written::Map(entries)) => {
            return admits_all(shape, entries.iter().flat_map(|(k, v)| [(*key, k), (*value, v)]));
        }
        (Node::Record(record), written) => match entries(written) {
            Some(entries) => return fields(shape, record, &entries),
            None => false,
        },
        (Node::Enum(sum), written) => return variant(shape, sum, written),
        _ => false,
    };
    if fits { Ok(()) } else { Err(format!("{node:?} for {written:?}")) }
}

fn holds(int: Int, signed: bool, bits: u8) -> bool {
    match (int.signed, signed) {
        (true, false) => int.bits > bits,
        (false, true) => false,
        _ => int.bits >= bits,
    }
}

fn admits_all<'w>(shape: &Shape, parts: impl Iterator<Item = (NodeId, &'w Written)>) -> Verdict {
    parts.into_iter().try_for_each(|(id, part)| admits(shape, id, part))
}

fn tuple(shape: &Shape, nodes: &[NodeId], items: &[Written]) -> Verdict {
    if nodes.len() != items.len() {
        return Err(format!("{} items in a tuple of {}", items.len(), nodes.len()));
    }
    admits_all(shape, nodes.iter().copied().zip(items))
}

type Entries<'w> = Vec<(&'w str, &'w Written)>;

/// Returns the entries of a struct, or of a map with text keys, which may represent a record.
fn entries(written: &Written) -> Option<Entries<'_>> {
    match written {
        Written::Struct { fields, .. } => {
            Some(fields.iter().map(|(name, value)| (*name, value)).collect())
        }
        Written::Map(entries) => entries
            .iter()
            .map(|(key, value)| match key {
                Written::Str(name) => Some((name.as_str(), value)),
                // The key of a flattened externally tagged enum.
                Written::Variant { name, content: Content::Unit } => Some((*name, value)),
                _ => None,
            })
            .collect(),
        // A variant that is merged into the record of an untagged enum.
        _ => None,
    }
}

/// Checks that the fields are in the order of the shape, and the required ones are present.
fn fields(shape: &Shape, record: &Record, entries: &Entries<'_>) -> Verdict {
    let mut last = None;
    for (name, value) in entries {
        let Some(at) = record.fields.iter().position(|field| field.name == *name) else {
            let rest =
                record.rest.ok_or_else(|| format!("no field {name:?} in {}", record.name))?;
            admits(shape, rest, value)?;
            continue;
        };
        if last.is_some_and(|last| last >= at) {
            return Err(format!("{name:?} of {} is out of order", record.name));
        }
        last = Some(at);
        admits(shape, record.fields[at].node, value).map_err(|why| format!("{name}: {why}"))?;
    }
    for field in record.fields.iter().filter(|field| field.presence != Presence::Optional) {
        if !entries.iter().any(|(name, _)| *name == field.name) {
            return Err(format!("{:?} of {} is absent", field.name, record.name));
        }
    }
    Ok(())
}

fn variant(shape: &Shape, sum: &Enum, written: &Written) -> Verdict {
    let named = |wanted: &str| -> Result<&Variant, String> {
        let found = sum.variants.iter().find(|variant| variant.name == wanted);
        found.ok_or_else(|| format!("no variant {wanted:?} in {}", sum.name))
    };
    let fail = || Err(format!("{sum:?} for {written:?}"));
    match &sum.tagging {
        Tagging::External => {
            let Written::Variant { name, content } = written else { return fail() };
            content_of(shape, &named(name)?.kind, content)
        }
        Tagging::Internal { tag } => {
            let Some(entries) = entries(written) else { return fail() };
            let Some(((name, Written::Str(variant)), rest)) = entries.split_first() else {
                return fail();
            };
            if name != tag {
                return fail();
            }
            match named(variant)?.kind {
                VariantKind::Unit if rest.is_empty() => Ok(()),
                VariantKind::Newtype(id) | VariantKind::Struct(id) => {
                    inner_entries(shape, id, rest)
                }
                _ => fail(),
            }
        }
        Tagging::Adjacent { tag, content } => {
            let Some(entries) = entries(written) else { return fail() };
            match entries[..] {
                [(name, Written::Variant { name: variant, content: Content::Unit })]
                    if name == tag && named(variant)?.kind == VariantKind::Unit =>
                {
                    Ok(())
                }
                [
                    (name, Written::Variant { name: variant, content: Content::Unit }),
                    (key, value),
                ] if name == tag && key == content => match &named(variant)?.kind {
                    VariantKind::Newtype(id) | VariantKind::Struct(id) => admits(shape, *id, value),
                    VariantKind::Tuple(nodes) => match value {
                        Written::Tuple(items) => tuple(shape, nodes, items),
                        _ => fail(),
                    },
                    VariantKind::Unit => fail(),
                },
                _ => fail(),
            }
        }
    }
}

/// Checks that `rest`, the entries of an internally tagged variant other than the tag, fits the
/// node.
fn inner_entries(shape: &Shape, id: NodeId, rest: &[(&str, &Written)]) -> Verdict {
    match shape.node(id) {
        Node::Record(record) => fields(shape, record, &rest.to_vec()),
        Node::Map { value, .. } => {
            admits_all(shape, rest.iter().map(|(_, written)| (*value, *written)))
        }
        Node::Null if rest.is_empty() => Ok(()),
        node => Err(format!("{node:?} beside a tag: {rest:?}")),
    }
}

fn content_of(shape: &Shape, kind: &VariantKind, content: &Content) -> Verdict {
    match (kind, content) {
        (VariantKind::Unit, Content::Unit) => Ok(()),
        (VariantKind::Newtype(id), Content::Newtype(value)) => admits(shape, *id, value),
        (VariantKind::Tuple(nodes), Content::Tuple(items)) => tuple(shape, nodes, items),
        (VariantKind::Struct(id), Content::Struct(entries)) => match shape.node(*id) {
            Node::Record(record) => {
                let entries = entries.iter().map(|(name, value)| (*name, value)).collect();
                fields(shape, record, &entries)
            }
            node => Err(format!("{node:?} for a struct variant")),
        },
        // A struct variant with a flattened field is written as a newtype around a map.
        (VariantKind::Struct(id), Content::Newtype(value)) => admits(shape, *id, value),
        _ => Err(format!("{kind:?} for {content:?}")),
    }
}
