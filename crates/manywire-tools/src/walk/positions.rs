//! Paths of records that are written as arrays, with the names of their fields.
//!
//! The bytes of such a record have no names, so a walker reports `$[0]` for the first field, whose
//! path in every other format is `$.id`. The shape of the values gives the name. With equal paths,
//! the same value can be found in every format.

use manywire_inspect::{Event, Span};
use manywire_shape::path::KeyStep;
use manywire_shape::{Node, NodeId, Shape};

/// The names of fields for the paths of one walk. Successive spans often have the same path, so the
/// last path is kept with its names.
#[derive(Debug)]
pub struct FieldNames<'s> {
    shape: Option<&'s Shape>,
    /// The last path: as the walker reported it, and with the names of fields.
    last: (String, String),
}

impl<'s> FieldNames<'s> {
    /// Returns the names of the fields of `shape`. Without a shape, [`FieldNames::pass`] passes on
    /// every event unchanged.
    pub fn of(shape: Option<&'s Shape>) -> Self {
        FieldNames { shape, last: (String::new(), String::new()) }
    }

    /// Calls `then` with the event. In the path of a span, names replace the positions of the
    /// fields that the shape has.
    pub fn pass(&mut self, event: &Event<'_>, then: impl FnOnce(&Event<'_>)) {
        let (Some(shape), Event::Span(span)) = (self.shape, event) else { return then(event) };
        if self.last.0 != span.path {
            self.last = (span.path.to_owned(), named(span.path, shape));
        }
        then(&Event::Span(&Span { path: &self.last.1, ..(*span).clone() }));
    }
}

/// Returns the path with names instead of the positions of fields. Positions without a field in the
/// shape, and all steps below them, stay unchanged.
fn named(path: &str, shape: &Shape) -> String {
    let (root, steps) = split_root(path);
    let mut out = root.to_owned();
    let mut node = Some(shape.root());
    for step in Steps(steps) {
        let index = step.strip_prefix('[').and_then(|step| step.strip_suffix(']')?.parse().ok());
        match (node.map(|node| container(shape, node)), index) {
            (Some(Some(Node::Record(record))), Some(index)) => {
                match record.fields.get::<usize>(index) {
                    Some(field) => {
                        // Writing to a string does not fail.
                        let _ = KeyStep(&field.name).write_to(&mut out);
                        node = Some(field.node);
                    }
                    None => {
                        out.push_str(step);
                        node = None;
                    }
                }
            }
            (Some(Some(inner)), index) => {
                out.push_str(step);
                node = match (inner, index) {
                    (Node::Array(array), Some(_)) => Some(array.item),
                    (Node::Tuple(items), Some(index)) => items.get(index).copied(),
                    (Node::Map { value, .. }, _) => Some(*value),
                    _ => None,
                };
            }
            _ => {
                out.push_str(step);
                node = None;
            }
        }
    }
    out
}

/// Returns the container that a node describes: itself, the inner node of an option, or the only branch
/// of a union that is a container.
fn container(shape: &Shape, node: NodeId) -> Option<&Node> {
    match shape.node(node) {
        Node::Option(inner) => container(shape, *inner),
        Node::Union(branches) => {
            let mut containers = branches.iter().filter_map(|branch| container(shape, *branch));
            containers.next().filter(|_| containers.next().is_none())
        }
        node @ (Node::Array(_) | Node::Tuple(_) | Node::Map { .. } | Node::Record(_)) => Some(node),
        _ => None,
    }
}

/// Splits a path after `$`, or after `$#7` in a stream.
fn split_root(path: &str) -> (&str, &str) {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    path.split_at(end)
}

/// The steps of a path: `.name`, `["any text"]`, `[3]`.
struct Steps<'p>(&'p str);

impl<'p> Iterator for Steps<'p> {
    type Item = &'p str;

    fn next(&mut self) -> Option<&'p str> {
        let end = match self.0.as_bytes().first()? {
            b'[' => end_of_bracket(self.0),
            _ => self.0[1..].find(['.', '[']).map_or(self.0.len(), |end| end + 1),
        };
        let (step, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(step)
    }
}

/// Returns the length of a step in brackets. A quoted name may contain brackets.
fn end_of_bracket(steps: &str) -> usize {
    let (mut quoted, mut escaped) = (false, false);
    for (index, byte) in steps.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b']' if !quoted => return index + 1,
            _ => {}
        }
    }
    steps.len()
}

#[cfg(test)]
mod tests {
    use manywire_shape::infer::Inference;
    use manywire_shape::{Arena, Value};

    use super::*;

    #[test]
    fn positions_become_names() {
        let arena = Arena::new();
        let text = br#"{"id":1,"rooms":[{"odd key":1,"b":[1,2]}],"pair":{"x":{"y":null}}}"#;
        let format = manywire_format::Format::Json;
        let limits = manywire_codec::Limits::DEFAULT;
        let value: Value<'_> =
            manywire_codec::read_value(format, text, &arena, limits).expect("JSON");
        let mut inference = Inference::new();
        inference.add(&value);
        let shape = inference.shape();
        let cases = [
            ("$", "$"),
            ("$[0]", "$.id"),
            ("$#7[0]", "$#7.id"),
            ("$[1]", "$.rooms"),
            ("$[1][0][0]", r#"$.rooms[0]["odd key"]"#),
            ("$[1][3][1][12]", "$.rooms[3].b[12]"),
            ("$[2][0][0]", "$.pair.x.y"),
            ("$[2][0][0][5]", "$.pair.x.y[5]"),
            ("$[9][1]", "$[9][1]"),
            (r#"$["a]\"["][0]"#, r#"$["a]\"["][0]"#),
        ];
        for (path, expected) in cases {
            assert_eq!(named(path, &shape), expected, "{path}");
        }
    }
}
