use http::StatusCode;
use manywire_codec::{Category, Error};
use manywire_format::MediaType;
use manywire_shape::{Node, NodeId, Shape};

use super::sent::Sent;
use super::typed::is_record;
use crate::content::own::AnyFormat;
use crate::problem::{Fault, Problem};

/// Whether every part is of a media type that is read into its field; parts that no field waits for
/// are passed over.
///
/// # Errors
/// 415, with each part that is not, and what would have been read.
pub(super) fn check<'p>(
    parts: impl IntoIterator<Item = (&'p Sent, Option<NodeId>)>,
    shape: &Shape,
    formats: &[AnyFormat],
) -> Result<(), Problem> {
    let is_unread =
        |(part, node): &(&Sent, NodeId)| part.is_of_another_type() && !takes_anything(shape, *node);
    let known = parts.into_iter().filter_map(|(part, node)| Some((part, node?)));
    let unread: Vec<(&Sent, NodeId)> = known.filter(is_unread).collect();
    if unread.is_empty() { Ok(()) } else { Err(problem(&unread, shape, formats)) }
}

/// Whether bytes of any type will do: for a file, or several.
fn takes_anything(shape: &Shape, node: NodeId) -> bool {
    matches!(shape.node(one(shape, node)), Node::Bytes)
}

/// Whether a text, or several, will do.
fn takes_text(shape: &Shape, node: NodeId) -> bool {
    !is_record(shape, one(shape, node))
}

/// What one of several is of, where there may be several; where it may be left out, what it is of
/// if it is not.
fn one(shape: &Shape, node: NodeId) -> NodeId {
    let inner = |node| match shape.node(node) {
        Node::Option(inner) => *inner,
        _ => node,
    };
    match shape.node(inner(node)) {
        Node::Array(array) => inner(array.item),
        _ => inner(node),
    }
}

#[cold]
fn problem(unread: &[(&Sent, NodeId)], shape: &Shape, formats: &[AnyFormat]) -> Problem {
    let mut of_formats: Vec<String> =
        formats.iter().map(|format| format.media_type().to_string()).collect();
    // Both layouts of MessagePack are read by one name.
    of_formats.dedup();
    let with_text: Vec<String> =
        std::iter::once("text/plain".to_owned()).chain(of_formats.iter().cloned()).collect();
    let taken = |node| if takes_text(shape, node) { &with_text } else { &of_formats };
    let fault = |(part, node): &(&Sent, NodeId)| {
        let found = part.content_type.as_ref().map(MediaType::to_string).unwrap_or_default();
        let message = format_args!("expected {}, found {found}", taken(*node).join(", "));
        Fault::of_body(&Error::new(Category::Data, message).under_key(&part.name), &[])
    };
    let some_may_be_text = unread.iter().any(|(_, node)| takes_text(shape, *node));
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE)
        .with_errors(unread.iter().map(fault).collect())
        .with_available(if some_may_be_text { with_text } else { of_formats })
}
