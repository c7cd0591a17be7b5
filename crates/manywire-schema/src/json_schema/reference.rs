//! Resolves references to the schemas of the same document: by JSON Pointer, by anchor, and by the
//! `$id` of a schema.
//!
//! A schema with an `$id` is a resource of its own: the references in it are relative to its URI, and
//! their pointers begin there.

use std::collections::HashMap;

use manywire_shape::Literal;

use super::{DEPTH_MAX, Reader, Result};
use crate::json::{Fault, Step, member, text_member};

impl<'l> Reader<'l> {
    /// Follows a chain of references. Returns the pointer and the schema at its end.
    pub(super) fn resolve(&self, reference: &'l str) -> Result<(String, &'l Literal)> {
        let mut reference = reference;
        let mut uri = uri_at(self.document, &self.path);
        // A longer chain is circular, or too long to be useful.
        for _ in 0..DEPTH_MAX {
            let pointer = self.pointer(&uri, reference)?;
            let Some(target) = self.target(&pointer) else {
                return Err(self.unresolved(reference));
            };
            match member(target, "$ref") {
                Some(Literal::String(next)) => reference = next,
                _ => return Ok((pointer, target)),
            }
            uri = uri_at(self.document, &steps(&pointer, self.document));
        }
        Err(self.fault("expected a schema, found circular references of `$ref`"))
    }

    /// Returns the pointer from the root of the document for a reference in the resource with this URI.
    fn pointer(&self, uri: &str, reference: &str) -> Result<String> {
        let target = joined(uri, reference);
        let (resource, fragment) = target.split_once('#').unwrap_or((target.as_str(), ""));
        let resource = match resource {
            "" => Some(""),
            uri => self.identified().get(uri).map(String::as_str),
        };
        let Some(resource) = resource else {
            let message = "expected a reference within the document, by # or the `$id` of a schema";
            return Err(self.fault(format_args!("{message}, found {reference:?}")));
        };
        if !(fragment.is_empty() || fragment.starts_with('/')) {
            let anchor = self.identified().get(&target);
            return anchor.cloned().ok_or_else(|| self.unresolved(reference));
        }
        let pointer = format!("{resource}{fragment}");
        // Some documents mean the root by # although a schema around the reference has an `$id`.
        let is_outside = reference.starts_with('#') && self.target(&pointer).is_none();
        Ok(if is_outside { fragment.to_owned() } else { pointer })
    }

    /// Returns the pointers of all schemas with an `$id` or an anchor, by URI.
    fn identified(&self) -> &HashMap<String, String> {
        self.identified.get_or_init(|| {
            let mut found = HashMap::new();
            identify(self.document, "", "", &mut found);
            found
        })
    }

    fn target(&self, pointer: &str) -> Option<&'l Literal> {
        steps(pointer, self.document).iter().try_fold(self.document, step_into)
    }

    #[cold]
    fn unresolved(&self, reference: &str) -> Box<Fault> {
        self.fault(format_args!("the reference {reference:?} does not resolve"))
    }
}

/// Adds the schemas in a part of the document. If two have the same URI, the first one counts.
fn identify(part: &Literal, around: &str, pointer: &str, found: &mut HashMap<String, String>) {
    match part {
        Literal::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                identify(item, around, &format!("{pointer}/{at}"), found);
            }
        }
        Literal::Object(members) => {
            let uri = uri_of(part, around);
            // Drafts 6 and 7 have anchors in `$id`.
            let in_id = text_member(part, "$id").and_then(|id| id.strip_prefix('#'));
            let anchors = ["$anchor", "$dynamicAnchor"].map(|key| text_member(part, key));
            for anchor in anchors.into_iter().chain([in_id]).flatten() {
                found.entry(format!("{uri}#{anchor}")).or_insert_with(|| pointer.to_owned());
            }
            if uri != around {
                found.entry(uri.clone()).or_insert_with(|| pointer.to_owned());
            }
            for (key, value) in members {
                let key = key.replace('~', "~0").replace('/', "~1").replace('%', "%25");
                identify(value, &uri, &format!("{pointer}/{key}"), found);
            }
        }
        _ => {}
    }
}

/// Returns the URI of the resource that a schema belongs to: by its own `$id`, or else the URI around
/// it.
fn uri_of(schema: &Literal, around: &str) -> String {
    match text_member(schema, "$id") {
        Some(id) if !id.starts_with('#') => joined(around, id.trim_end_matches('#')),
        _ => around.to_owned(),
    }
}

/// Returns the URI of the resource that the schema at the end of these steps belongs to.
fn uri_at(document: &Literal, steps: &[Step]) -> String {
    let (mut schema, mut uri) = (document, uri_of(document, ""));
    for step in steps {
        let Some(inner) = step_into(schema, step) else { break };
        (schema, uri) = (inner, uri_of(inner, &uri));
    }
    uri
}

/// Resolves a reference against a URI without fragment (RFC 3986, section 5.2), apart from segments
/// `.` and `..`.
fn joined(uri: &str, reference: &str) -> String {
    let first = reference.find([':', '/', '?', '#']);
    if first.is_some_and(|at| reference[at..].starts_with(':')) {
        return reference.to_owned();
    }
    let path = uri.find("://").map_or(0, |at| at + 3);
    let kept = match reference.as_bytes().first() {
        None | Some(b'#') => uri.len(),
        Some(b'/') if path == 0 => 0,
        Some(b'/') => uri[path..].find('/').map_or(uri.len(), |slash| path + slash),
        Some(_) => uri[path..].rfind('/').map_or(path, |slash| path + slash + 1),
    };
    format!("{}{reference}", &uri[..kept])
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
