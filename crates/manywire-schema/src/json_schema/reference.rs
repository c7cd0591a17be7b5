//! Resolves references to the schemas of the same document.

use manywire_shape::Literal;

use super::{DEPTH_MAX, Reader, Result};
use crate::json::{Step, member};

impl<'l> Reader<'l> {
    /// Follows a chain of references. Returns the pointer and the schema at its end.
    pub(super) fn resolve(&self, reference: &'l str) -> Result<(String, &'l Literal)> {
        let mut reference = reference;
        // A longer chain is circular, or too long to be useful.
        for _ in 0..DEPTH_MAX {
            let Some(pointer) = reference.strip_prefix('#') else {
                let message = "expected a reference within the document, which begins with #";
                return Err(self.fault(format_args!("{message}, found {reference:?}")));
            };
            let target = steps(pointer, self.document).iter().try_fold(self.document, step_into);
            let target = target.filter(|_| pointer.is_empty() || pointer.starts_with('/'));
            let Some(target) = target else {
                return Err(
                    self.fault(format_args!("the reference {reference:?} does not resolve"))
                );
            };
            match member(target, "$ref") {
                Some(Literal::String(next)) => reference = next,
                _ => return Ok((pointer.to_owned(), target)),
            }
        }
        Err(self.fault("expected a schema, found circular references of `$ref`"))
    }
}

fn step_into<'l>(value: &'l Literal, step: &Step) -> Option<&'l Literal> {
    match (value, step) {
        (Literal::Object(_), Step::Key(key)) => member(value, key),
        (Literal::Array(items), Step::Index(index)) => items.get(*index),
        _ => None,
    }
}

/// Returns the steps of a JSON Pointer (RFC 6901) in a URI fragment, from the root of the document.
pub(super) fn steps(pointer: &str, document: &Literal) -> Vec<Step> {
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
