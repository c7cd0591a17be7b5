use http::StatusCode;
use manywire_format::Format;
use manywire_shape::Literal;

use super::Sources;
use super::literal::{object, single};
use super::parameters::parameters;
use super::responses::{Problems, failures};
use crate::content::{FORM, Framing, Media, Type, offer};
use crate::endpoint::{Route, captures};
use crate::input::Described;

impl Sources<'_> {
    /// An operation object (OpenAPI 3.1, section 4.8.10).
    pub(super) fn operation(&self, route: &Route, id: String, problems: &Problems<'_>) -> Literal {
        let formats = route.head.formats.as_deref().unwrap_or(self.formats);
        let mut members = vec![("operationId", Literal::text(id))];
        if let Some(summary) = &route.head.summary {
            members.push(("summary", Literal::text(summary)));
        }
        let parameters = parameters(&route.inputs, &self.schemas);
        if !parameters.is_empty() {
            members.push(("parameters", Literal::Array(parameters)));
        }
        let body = route.inputs.iter().find_map(|input| match input {
            Described::Body(media) => Some(media),
            _ => None,
        });
        if let Some(media) = body {
            let body = [
                ("required", Literal::Boolean(true)),
                ("content", self.content(media, formats, Direction::Taken)),
            ];
            members.push(("requestBody", object(body)));
        }
        let mut responses = vec![self.answer(route, formats)];
        let inputs = !route.inputs.is_empty();
        responses.extend(failures(route.fails, inputs, body.is_some(), problems));
        members.push(("responses", object(responses)));
        object(members)
    }

    /// The answer where all goes well.
    fn answer(&self, route: &Route, formats: &[Format]) -> (String, Literal) {
        let is_empty = matches!(&route.returns, Media::Nothing);
        let status = route.head.status.unwrap_or(if is_empty { 204 } else { 200 });
        let reason = StatusCode::from_u16(status).ok().and_then(|code| code.canonical_reason());
        let mut members = vec![("description", Literal::text(reason.unwrap_or("Done")))];
        if !route.head.fields.is_empty() {
            let text = || single("schema", single("type", Literal::text("string")));
            let fields = route.head.fields.iter().map(|name| (*name, text()));
            members.push(("headers", object(fields)));
        }
        if !is_empty {
            members.push(("content", self.content(&route.returns, formats, Direction::Given)));
        }
        (status.to_string(), object(members))
    }

    /// Content, in each of its media types.
    fn content(&self, media: &Media, formats: &[Format], direction: Direction) -> Literal {
        let nothing = || object::<&str>([]);
        match media {
            Media::Formats(ty) => {
                let mut content: Vec<(String, Literal)> = Vec::new();
                for format in formats {
                    let name = match direction {
                        Direction::Given => offer(*format).media_type().to_string(),
                        // Both layouts of MessagePack are read by one name.
                        Direction::Taken => format.row().media_type.to_owned(),
                    };
                    if !content.iter().any(|(known, _)| *known == name) {
                        content.push((name, self.in_format(ty, *format)));
                    }
                }
                object(content)
            }
            Media::Items(ty) => {
                let framings = formats.iter().flat_map(|format| Framing::of(*format));
                // Events go one way.
                let is_here = |framing: &&Framing| {
                    matches!(direction, Direction::Given) || **framing != Framing::Events
                };
                let framings = framings.filter(is_here);
                object(framings.map(|framing| {
                    let name = framing.offer().media_type().to_string();
                    (name, self.in_framing(ty, *framing))
                }))
            }
            // A list is sent as the same name several times, which is what is meant without a word.
            Media::Form(ty) => single(FORM, single("schema", self.schemas.of(ty))),
            Media::Text => {
                let text = single("schema", single("type", Literal::text("string")));
                single("text/plain", text)
            }
            Media::Raw => match direction {
                Direction::Given => single("application/octet-stream", nothing()),
                Direction::Taken => single("*/*", nothing()),
            },
            Media::Named(name) => single(name, nothing()),
            Media::Nothing => nothing(),
        }
    }

    /// A media type object of many values: what each of them is, but for an array, which is one
    /// JSON text. OpenAPI 3.1 has no word for the items of a sequence.
    fn in_framing(&self, ty: &Type, framing: Framing) -> Literal {
        match framing {
            Framing::Array => {
                let kind = ("type", Literal::text("array"));
                single("schema", object([kind, ("items", self.schemas.of(ty))]))
            }
            Framing::Lines | Framing::Events => single("x-item-schema", self.schemas.of(ty)),
            other => self.in_format(ty, other.format()),
        }
    }

    /// A media type object: the schema of the values, or where the format's own schema is.
    fn in_format(&self, ty: &Type, format: Format) -> Literal {
        match format {
            Format::Json => single("schema", self.schemas.of(ty)),
            // Types such as addresses are text to people and bytes to machines.
            Format::MsgPack | Format::Cbor | Format::Bson if ty.shape() == ty.readable() => {
                single("schema", self.schemas.of(ty))
            }
            Format::MsgPack | Format::Cbor | Format::Bson | Format::MsgPackArray => {
                object::<&str>([])
            }
            Format::Protobuf => {
                let name = self.messages.as_ref().and_then(|messages| messages.name(ty));
                object(name.map(|name| ("x-proto-message", Literal::text(name))))
            }
            Format::Avro => {
                let schema = self.avro.iter().find(|(key, _)| *key == ty.key());
                object(schema.map(|(_, schema)| ("x-avro-schema", Literal::text(schema.path()))))
            }
        }
    }
}

/// Which way content goes.
#[derive(Clone, Copy)]
enum Direction {
    Taken,
    Given,
}

/// What an operation is called: `getHotelsById` for `GET /hotels/{id}`.
pub(super) fn operation_id(route: &Route) -> String {
    let mut id = route.head.method.as_str().to_ascii_lowercase();
    let mut add = |word: &str| {
        for part in word.split(|c: char| !c.is_ascii_alphanumeric()) {
            let mut characters = part.chars();
            id.extend(characters.next().map(|first| first.to_ascii_uppercase()));
            id.extend(characters);
        }
    };
    let pattern = &route.head.pattern;
    for segment in pattern.split('/').filter(|segment| !segment.contains('{')) {
        add(segment);
    }
    for (index, name) in captures(pattern).enumerate() {
        add(if index == 0 { "By" } else { "And" });
        add(name);
    }
    id
}
