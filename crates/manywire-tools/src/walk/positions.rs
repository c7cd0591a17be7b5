//! Paths of records that are written as arrays, with the names of their fields.
//!
//! The bytes of such a record have no names, so a walker reports `$[0]` for the first field, whose
//! path in every other format is `$.id`. The shape of the values gives the name. With equal paths,
//! the same value can be found in every format.

use std::fmt::Write;

use manywire_codec::Segment;
use manywire_codec::arranged::FieldNames;
use manywire_inspect::{Event, Span};
use manywire_shape::{Shape, path};

/// The paths of one walk, with the names of fields. Successive spans often have the same path, so
/// the last path is kept with its names.
#[derive(Debug)]
pub struct NamedPaths<'s> {
    shape: Option<&'s Shape>,
    /// The last path: as the walker reported it, and with the names of fields.
    last: (String, String),
}

impl<'s> NamedPaths<'s> {
    /// Returns paths with the names of the fields of `shape`. Without a shape, [`NamedPaths::pass`]
    /// passes on every event unchanged.
    pub fn of(shape: Option<&'s Shape>) -> Self {
        NamedPaths { shape, last: (String::new(), String::new()) }
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

/// Returns the path with names instead of the positions of fields, as far as the shape determines
/// them. The steps into a key that is a container stay unchanged.
fn named(path: &str, shape: &Shape) -> String {
    let (root, mut steps) = path::split(path);
    let mut names = FieldNames::new(shape);
    let mut out = root.to_owned();
    while let Some(step) = steps.next() {
        let segment = match (step.index(), step.key()) {
            (Some(index), _) => Segment::Index(index),
            (None, Some(key)) => Segment::Key(key.into_owned()),
            (None, None) => return out + step.as_str() + steps.as_str(),
        };
        // Writing to a string does not fail.
        let _ = write!(out, "{}", names.name(segment));
    }
    out
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

    #[test]
    fn fields_of_variants_have_names() {
        let schema = r#"{"oneOf": [{"const": "None"}, {
            "type": "object", "required": ["Circle"], "additionalProperties": false,
            "properties": {"Circle": {"properties": {"radius": {"type": "integer"}}}}}]}"#;
        let shape = manywire_schema::read_json_schema("a.json", schema).expect("a schema");
        assert_eq!(named("$.Circle[0]", &shape), "$.Circle.radius");
        assert_eq!(named("$.Circle[key 4][0]", &shape), "$.Circle[key 4][0]");
    }
}
