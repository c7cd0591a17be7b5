//! Checks whether values of a type can be read back from the array layout.

use std::collections::VecDeque;

use manywire_format::Format;
use manywire_shape::{ArrayFault, Node, NodeId, Shape, VariantKind};

use crate::{Error, Result, Segment};

/// Checks that serde's derive can read values of a type from arrays of their fields.
///
/// serde's derive cannot read the types that [`Shape::array_faults`] lists: their values would be
/// rejected, or taken for different values. The check concerns only types that derive serde's
/// traits. Dynamic values are arranged by their shape, which keeps the field names where a reader
/// needs them.
///
/// # Errors
///
/// Fails with [`Category::Unsupported`](crate::Category) and the path to the first such type.
pub fn check_array_layout(shape: &Shape) -> Result<()> {
    if shape.array_faults().is_empty() {
        return Ok(());
    }
    // Breadth first, so that the path is a shortest one.
    let mut came_from: Vec<Option<(NodeId, Option<Segment>)>> = vec![None; shape.nodes().len()];
    let mut seen = vec![false; shape.nodes().len()];
    seen[shape.root().index()] = true;
    let mut waiting = VecDeque::from([shape.root()]);
    while let Some(id) = waiting.pop_front() {
        if let Some((_, fault)) = shape.array_faults().iter().find(|(known, _)| *known == id) {
            return Err(refused(&came_from, id, *fault));
        }
        for (part, segment) in parts(shape, id) {
            if !std::mem::replace(&mut seen[part.index()], true) {
                came_from[part.index()] = Some((id, segment));
                waiting.push_back(part);
            }
        }
    }
    Ok(())
}

#[cold]
fn refused(
    came_from: &[Option<(NodeId, Option<Segment>)>],
    mut id: NodeId,
    fault: ArrayFault,
) -> Error {
    let message = match fault {
        ArrayFault::ReadByName => {
            "serde reads a struct variant of an untagged or adjacently tagged enum by the names of \
             its fields, which the array layout does not have: put the fields in a struct within an \
             external or adjacent newtype variant, or leave msgpack-array out of the formats"
        }
        ArrayFault::Shifted => {
            "a field is skipped either when written or when read, so the fields after it have \
             different positions in the array layout: skip the field in both directions, or leave \
             msgpack-array out of the formats"
        }
        ArrayFault::SkippedInBuffer => {
            "a field within an untagged or internally tagged enum may be skipped, and serde does not \
             read the null in its position in the array layout: make the field an `Option`, write it \
             always, or leave msgpack-array out of the formats"
        }
        ArrayFault::TakenForBranch => {
            "serde takes the first branch of an untagged enum that fits, and an array of fields may \
             fit another struct or list: tag the enum, or leave msgpack-array out of the formats"
        }
    };
    let mut error = Error::unsupported(message).with_format(Format::MsgPackArray);
    while let Some((above, segment)) = &came_from[id.index()] {
        error = match segment {
            Some(Segment::Key(key)) => error.under_key(key),
            Some(Segment::Index(index)) => error.under_index(*index),
            None => error,
        };
        id = *above;
    }
    error
}

/// Returns the nodes inside a node, each with the step of the path that leads to it.
fn parts(shape: &Shape, id: NodeId) -> Vec<(NodeId, Option<Segment>)> {
    let key = |name: &str| Some(Segment::Key(name.to_owned()));
    let indexed = |items: &[NodeId]| {
        let items = items.iter().enumerate();
        items.map(|(index, item)| (*item, Some(Segment::Index(index)))).collect()
    };
    match shape.node(id) {
        Node::Option(inner) => vec![(*inner, None)],
        Node::Array(array) => vec![(array.item, Some(Segment::Index(0)))],
        Node::Tuple(items) => indexed(items),
        Node::Union(branches) => branches.iter().map(|branch| (*branch, None)).collect(),
        Node::Map { key: of, value } => vec![(*of, None), (*value, key("*"))],
        Node::Record(record) => {
            let fields = record.fields.iter().map(|field| (field.node, key(&field.name)));
            fields.chain(record.rest.map(|rest| (rest, key("*")))).collect()
        }
        Node::Enum(sum) => sum
            .variants
            .iter()
            .flat_map(|variant| match &variant.kind {
                VariantKind::Unit => Vec::new(),
                VariantKind::Newtype(inner) | VariantKind::Struct(inner) => {
                    vec![(*inner, key(&variant.name))]
                }
                VariantKind::Tuple(items) => {
                    items.iter().map(|item| (*item, key(&variant.name))).collect()
                }
            })
            .collect(),
        _ => Vec::new(),
    }
}
