//! A record as the parts that it is sent in.

use std::sync::Arc;

use manywire_codec::{Category, Error, Result, json};
use manywire_shape::{Node, NodeId, Presence, Shape};
use serde::Serialize;

use super::files::files;
use super::outgoing::{Content, Sending};
use crate::content::own::AnyFormat;
use crate::content::{Codecs, Encoding};
use crate::input::{Fields, TextError, fields, texts};

/// The parts of a record: texts and files as such, everything else in a format.
///
/// # Errors
/// A value that the format has no place for.
pub(super) fn parts<T: Serialize>(
    record: &T,
    shape: &Shape,
    format: AnyFormat,
) -> Result<Vec<Sending>> {
    let written = fields(record, Parts { shape, format, parts: Vec::new() });
    let parts = written.map_err(|mut error| {
        let name = error.name.take();
        let error = Error::new(Category::Unsupported, error);
        match name {
            Some(name) => error.under_key(&name),
            None => error,
        }
    });
    Ok(parts?.parts)
}

/// One value as the content of a part.
///
/// # Errors
/// A value that the format has no place for.
pub(super) fn value<T: Serialize>(value: &T, shape: &Shape, format: AnyFormat) -> Result<Content> {
    let codecs = Arc::new(Codecs::of_part(shape, format)?);
    let representation = codecs.representation(format);
    let to = Encoding { representation, codecs: Some(&codecs), capacity_bytes: 0 };
    let content_type = format.media_type().to_string();
    Ok(Content::Whole { content: to.value(value)?, content_type: Some(content_type) })
}

struct Parts<'s> {
    shape: &'s Shape,
    format: AnyFormat,
    parts: Vec<Sending>,
}

impl Parts<'_> {
    /// The type of a field, and whether it may be left out.
    fn field(&self, name: &str) -> Option<(NodeId, bool)> {
        match self.shape.node(self.shape.root()) {
            Node::Record(record) => {
                let field = record.fields.iter().find(|field| *field.name == *name)?;
                Some((field.node, field.presence != Presence::Required))
            }
            Node::Map { value, .. } => Some((*value, false)),
            _ => None,
        }
    }

    /// What is there where it is not absent: a part that is there needs no word for that.
    fn inner_id(&self, node: NodeId) -> NodeId {
        match self.shape.node(node) {
            Node::Option(inner) => *inner,
            _ => node,
        }
    }

    fn inner(&self, node: NodeId) -> &Node {
        self.shape.node(self.inner_id(node))
    }
}

impl Fields for Parts<'_> {
    fn add<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> std::result::Result<(), TextError> {
        let unknown = || TextError::new("the shape of the record has no such field");
        let (node, may_be_left_out) = self.field(name).ok_or_else(unknown)?;
        let (item, is_list) = match self.inner(node) {
            Node::Array(array) => (self.inner(array.item), true),
            node => (node, false),
        };
        let contents = |texts: Vec<String>| texts.into_iter().map(Content::from).collect();
        let sent: Option<Vec<Content>> = match item {
            Node::Bytes => Some(files(value)?.into_iter().map(Content::from).collect()),
            // No text says one of these; that there is none of them needs no words.
            Node::Record(_) | Node::Map { .. } | Node::Tuple(_) | Node::Array(_) => {
                texts(value).ok().filter(Vec::is_empty).map(contents)
            }
            // What no text can say, such as a variant with content, has its format.
            _ => texts(value).ok().map(contents),
        };
        match sent {
            Some(sent) if !sent.is_empty() => {
                self.parts.extend(sent.into_iter().map(|content| Sending::new(name, content)));
                return Ok(());
            }
            Some(_) if is_list && may_be_left_out || is_null(value) => return Ok(()),
            // Whoever waits for a list must be told of one that is empty.
            _ => {}
        }
        let shape = self.shape.clone().rooted_at(self.inner_id(node)).reachable();
        let content = self::value(&value, &shape, self.format).map_err(TextError::new)?;
        self.parts.push(Sending::new(name, content));
        Ok(())
    }
}

/// Whether a value of which no text is left is none at all, and not an empty list.
fn is_null<T: Serialize + ?Sized>(value: &T) -> bool {
    texts(value).is_ok_and(|texts| texts.is_empty())
        && json::to_vec(value).is_ok_and(|text| text == b"null")
}
