//! Which branch of a union a value belongs to.

use manywire_shape::{Node, NodeId, Shape, Tagging, Value, VariantKind};

use super::{Place, fit};

/// The kinds of container that bytes can hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Array,
    Map,
}

/// The place of a value below options and unions: the branch that takes its kind, or where none
/// does, the place as it was.
pub(super) fn place_of(shape: &Shape, place: Place, value: &Value<'_>) -> Place {
    settle(shape, place, |node| match value {
        Value::Null => matches!(node, Node::Null | Node::Any),
        Value::Array(_) => matches!(node, Node::Array(_) | Node::Tuple(_) | Node::Any),
        Value::Map(_) => is_map(node),
        Value::Str(name) => {
            fit::scalar(node, value) || matches!(node, Node::Enum(_) if is_unit(node, name))
        }
        _ => fit::scalar(node, value),
    })
}

/// The place of a container that is about to be read.
pub(super) fn place_of_container(shape: &Shape, place: Place, container: Container) -> Place {
    settle(shape, place, |node| match container {
        Container::Array => match node {
            Node::Array(_) | Node::Tuple(_) | Node::Any => true,
            // Only where no branch is an array do records of a union come as arrays.
            node => is_positional(node) && !has_arrays(shape, place.node),
        },
        Container::Map => is_map(node),
    })
}

/// Goes down options and into the branch of a union that `takes` the value.
fn settle(shape: &Shape, mut place: Place, takes: impl Fn(&Node) -> bool) -> Place {
    // A shape that is an option of itself has no end; no value has that many options either.
    for _ in 0..shape.nodes().len() {
        place = match shape.node(place.node) {
            Node::Option(inner) => Place { node: *inner, ..place },
            Node::Union(branches) => {
                let named = place.named || has_arrays(shape, place.node);
                let taken =
                    branches.iter().find(|branch| takes(shape.node(below(shape, **branch))));
                match taken {
                    Some(branch) => Place { node: *branch, named },
                    None => return place,
                }
            }
            _ => return place,
        };
    }
    place
}

/// The node below options.
fn below(shape: &Shape, mut node: NodeId) -> NodeId {
    for _ in 0..shape.nodes().len() {
        match shape.node(node) {
            Node::Option(inner) => node = *inner,
            _ => break,
        }
    }
    node
}

/// Whether null fits a node.
pub(super) fn takes_null(shape: &Shape, node: NodeId) -> bool {
    match shape.node(node) {
        Node::Null | Node::Any | Node::Option(_) => true,
        Node::Union(branches) => branches
            .iter()
            .any(|branch| matches!(shape.node(*branch), Node::Null | Node::Any | Node::Option(_))),
        _ => false,
    }
}

fn has_arrays(shape: &Shape, node: NodeId) -> bool {
    let Node::Union(branches) = shape.node(below(shape, node)) else { return false };
    branches.iter().any(|branch| {
        let node = shape.node(below(shape, *branch));
        matches!(node, Node::Array(_) | Node::Tuple(_) | Node::Any)
    })
}

fn is_map(node: &Node) -> bool {
    match node {
        Node::Map { .. } | Node::Record(_) | Node::Any => true,
        Node::Enum(sum) => {
            sum.tagging != Tagging::External
                || sum.variants.iter().any(|variant| variant.kind != VariantKind::Unit)
        }
        _ => false,
    }
}

fn is_positional(node: &Node) -> bool {
    match node {
        Node::Record(record) => record.rest.is_none(),
        Node::Enum(sum) => sum.tagging != Tagging::External,
        _ => false,
    }
}

fn is_unit(node: &Node, name: &str) -> bool {
    matches!(node, Node::Enum(sum) if sum.tagging == Tagging::External
    && sum.variants.iter().any(|variant| {
        variant.kind == VariantKind::Unit && variant.name == name
    }))
}
