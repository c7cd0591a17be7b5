//! The types of fields that are sent one by one: as text, or as the parts of a form. An absent
//! option is left out, and a list has one text or part for each item.

use manywire_shape::{Field, Node, NodeId, Presence, Shape};

/// Returns the type inside an option, since a value that is sent is never absent. Any other type is
/// returned unchanged.
pub(crate) fn without_option(shape: &Shape, node: NodeId) -> NodeId {
    match shape.node(node) {
        Node::Option(inner) => *inner,
        _ => node,
    }
}

/// Returns the type of the items if a type is a list, which may be optional.
pub(crate) fn item_of(shape: &Shape, node: NodeId) -> Option<NodeId> {
    match shape.node(without_option(shape, node)) {
        Node::Array(array) => Some(array.item),
        _ => None,
    }
}

/// Returns whether a field must be sent. An option and a list may be left out, even if the field has
/// no default.
pub(crate) fn is_required(shape: &Shape, field: &Field) -> bool {
    matches!(field.presence, Presence::Required)
        && !matches!(shape.node(field.node), Node::Option(_) | Node::Array(_))
}
