use manywire_shape::{Literal, Node, NodeId, Record};

use super::{Reader, Result};
use crate::json::{Step, member};

impl<'l> Reader<'l> {
    /// The node of the schema that a `$ref` leads to.
    pub(super) fn refer(&mut self, reference: &'l str) -> Result<NodeId> {
        let (pointer, target) = self.resolve(reference)?;
        if let Some(id) = self.referred.get(&pointer) {
            return Ok(*id);
        }
        let is_object = ["properties", "allOf"].iter().any(|key| member(target, key).is_some());
        let id = self.builder.reserve(if is_object { outline() } else { Node::Null });
        let steps = steps(&pointer, self.document);
        let name = match steps.last() {
            Some(Step::Key(name)) => name.clone(),
            _ => "Root".to_owned(),
        };
        self.referred.insert(pointer, id);
        let outer = std::mem::replace(&mut self.path, steps);
        let node = self.place(target, &name);
        self.path = outer;
        let node = node?;
        if node == id {
            return Err(self.fault("expected a schema, found a reference to itself"));
        }
        let node = self.builder.node(node).clone();
        self.builder.fill(id, node);
        Ok(id)
    }

    /// Follows a reference until it leads to a schema that is none: its pointer, and the schema.
    fn resolve(&self, reference: &'l str) -> Result<(String, &'l Literal)> {
        let mut reference = reference;
        // A chain longer than this goes in a circle, or might as well.
        for _ in 0..super::DEPTH_MAX {
            let Some(pointer) = reference.strip_prefix('#') else {
                let message = "expected a reference within the document, which begins with #";
                return Err(self.fault(format_args!("{message}, found {reference:?}")));
            };
            let target = steps(pointer, self.document).iter().try_fold(self.document, step_into);
            let target = target.filter(|_| pointer.is_empty() || pointer.starts_with('/'));
            let Some(target) = target else {
                return Err(self.fault(format_args!("there is nothing at {reference:?}")));
            };
            match member(target, "$ref") {
                Some(Literal::String(next)) => reference = next,
                _ => return Ok((pointer.to_owned(), target)),
            }
        }
        Err(self.fault("expected a schema, found references in a circle"))
    }
}

fn step_into<'l>(value: &'l Literal, step: &Step) -> Option<&'l Literal> {
    match (value, step) {
        (Literal::Object(_), Step::Key(key)) => member(value, key),
        (Literal::Array(items), Step::Index(index)) => items.get(*index),
        _ => None,
    }
}

/// The steps of a JSON Pointer (RFC 6901) in a URI fragment, from the root of the document.
fn steps(pointer: &str, document: &Literal) -> Vec<Step> {
    let mut value = Some(document);
    let tokens = pointer.split('/').skip(1);
    let step = |token: &str| {
        let key = percent_decoded(token).replace("~1", "/").replace("~0", "~");
        let step = match (value, key.parse()) {
            (Some(Literal::Array(_)), Ok(index)) => Step::Index(index),
            _ => Step::Key(key),
        };
        value = value.and_then(|value| step_into(value, &step));
        step
    };
    tokens.map(step).collect()
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        let code = |digits: &[u8]| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok();
        match (byte, tail.get(..2).and_then(code)) {
            (b'%', Some(decoded)) => {
                bytes.push(decoded);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What is known of a record before its fields are.
fn outline() -> Node {
    Node::Record(Record {
        name: Default::default(),
        doc: Default::default(),
        fields: Vec::new(),
        rest: None,
    })
}
