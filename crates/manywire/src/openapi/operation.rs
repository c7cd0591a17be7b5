//! One operation of the OpenAPI document: its parameters, body and responses.

use std::collections::BTreeMap;

use http::{Method, StatusCode};
use manywire_format::Format;
use manywire_shape::{Field, Literal, Node};

use super::json::{empty, from_value, object, reference, single, texts};
use super::schemas::Schemas;
use super::security::requirement;
use super::sources::{Sources, kinds};
use crate::content::own::AnyFormat;
use crate::content::{
    AnyFraming, FORM, Framing, MULTIPART, Media, Type, multipart_formats, supported_formats,
};
use crate::distinct::distinct;
use crate::endpoint::{Example, Route, capture_names};
use crate::input::InputDescription;
use crate::problem::{ABOUT_BLANK, InputLocation, Problem, ProblemKind};
use crate::problem_writer::media_type as problem_media_type;
use crate::text::{is_required, item_of, without_option};

impl Sources<'_> {
    /// Returns an operation object (OpenAPI 3.1, section 4.8.10).
    pub(super) fn operation(
        &self,
        route: &Route,
        id: String,
        problems: &ProblemResponses,
    ) -> Literal {
        let formats = route.head.formats.as_deref().unwrap_or(self.formats);
        let mut members = vec![("operationId", Literal::text(id))];
        let texts_of = &route.head.documentation;
        if !texts_of.tags.is_empty() {
            members.push(("tags", texts(&texts_of.tags)));
        }
        members.extend(texts_of.summary.as_ref().map(|text| ("summary", Literal::text(text))));
        let description = texts_of.description.as_ref();
        members.extend(description.map(|text| ("description", Literal::text(text))));
        if texts_of.is_deprecated {
            members.push(("deprecated", Literal::Boolean(true)));
        }
        let parameters = parameters(route, &self.schemas);
        if !parameters.is_empty() {
            members.push(("parameters", Literal::Array(parameters)));
        }
        if let Some(media) = route.inputs.iter().find_map(InputDescription::body) {
            let mut content = self.content(media, formats, Direction::Request);
            add_examples(&mut content, &texts_of.body_examples);
            let body = [("required", Literal::Boolean(true)), ("content", content)];
            members.push(("requestBody", object(body)));
        }
        let mut responses = vec![self.answer(route, formats)];
        responses.extend(self.not_modified(route));
        responses.extend(self.failures(route, problems));
        members.push(("responses", object(responses)));
        if let Some(requirement) = requirement(route) {
            members.push(("security", self.security.alternatives(requirement)));
        }
        object(members)
    }

    /// Returns the response of success.
    fn answer(&self, route: &Route, formats: &[AnyFormat]) -> (String, Literal) {
        let is_empty = matches!(&route.returns, Media::Nothing);
        let status = route.head.status.unwrap_or(if is_empty { 204 } else { 200 });
        let reason = StatusCode::from_u16(status).ok().and_then(|code| code.canonical_reason());
        let mut members = vec![("description", Literal::text(reason.unwrap_or("Done")))];
        let mut fields = route.head.fields.clone();
        if self.has_tag(route) && !fields.contains(&ETAG) {
            fields.push(ETAG);
        }
        if !fields.is_empty() {
            members.push(("headers", text_fields(fields)));
        }
        if !is_empty {
            let mut content = self.content(&route.returns, formats, Direction::Response);
            add_examples(&mut content, &route.head.documentation.examples);
            members.push(("content", content));
        }
        (status.to_string(), object(members))
    }

    /// Returns the response to a client that has the current representation.
    fn not_modified(&self, route: &Route) -> Option<(String, Literal)> {
        let description = ("description", Literal::text("The client has this already"));
        let response = object([description, ("headers", text_fields([ETAG]))]);
        self.has_tag(route).then(|| (StatusCode::NOT_MODIFIED.as_u16().to_string(), response))
    }

    /// Returns whether the response has an entity tag: the library's own, unless the content is a
    /// stream, whose end is unknown when its head is sent; or one from the handler.
    fn has_tag(&self, route: &Route) -> bool {
        let is_whole =
            !matches!(route.returns, Media::Items(_) | Media::RawStream | Media::Nothing);
        let is_got = route.head.method == Method::GET && route.head.status.unwrap_or(200) == 200;
        is_got && (self.is_tagged && is_whole || route.head.fields.contains(&ETAG))
    }

    /// Returns the content for each of its media types.
    fn content(&self, media: &Media, formats: &[AnyFormat], direction: Direction) -> Literal {
        match media {
            Media::Formats(ty) => {
                let mut content: Vec<(String, Literal)> = Vec::new();
                // Building the API fails for an endpoint without formats.
                for format in &supported_formats(ty, formats).unwrap_or_default() {
                    let name = match direction {
                        Direction::Response => format.offer().media_type().to_string(),
                        // Both layouts of MessagePack have the same media type.
                        Direction::Request => format.media_type().to_string(),
                    };
                    if !content.iter().any(|(known, _)| *known == name) {
                        content.push((name, self.in_format(ty, *format)));
                    }
                }
                object(content)
            }
            Media::Items(ty) => {
                // Building the API fails for an endpoint without formats.
                let formats = supported_formats(ty, formats).unwrap_or_default();
                let framings = formats.iter().flat_map(|format| format.framings());
                let is_here = |framing: &AnyFraming| {
                    matches!(direction, Direction::Response) || !framing.is_response_only()
                };
                object(framings.filter(is_here).map(|framing| {
                    let name = framing.offer().media_type().to_string();
                    (name, self.in_framing(ty, framing))
                }))
            }
            // A list repeats the name of its field, which is the default style.
            Media::Form(ty) => single(FORM, single("schema", self.schemas.schema(ty))),
            Media::Multipart(ty) => single(MULTIPART, self.parts(ty, formats)),
            Media::Text => single("text/plain", single("schema", typed("string"))),
            Media::Raw | Media::RawStream => match direction {
                Direction::Response => single("application/octet-stream", undescribed(None)),
                Direction::Request => single("*/*", undescribed(None)),
            },
            Media::Named(name) => single(name, undescribed(Some(name))),
            Media::OneOf(names) => {
                object(names.iter().map(|name| (*name, undescribed(Some(name)))))
            }
            Media::Nothing => empty(),
        }
    }

    /// Returns the media type object of a stream. Its schema is an array of the values, in any
    /// framing, as OpenAPI 3.2 reads it (section 4.14.2); `x-item-schema`, the `itemSchema` of that
    /// version, says that the values are not in an array on the wire.
    fn in_framing(&self, ty: &Type, framing: AnyFraming) -> Literal {
        let schema = || self.schemas.schema(ty);
        let mut members = vec![("schema", list_of(schema()))];
        if framing.built_in() != Some(Framing::Array) {
            members.push(("x-item-schema", schema()));
        }
        members.extend(self.format_schema(ty, framing.format()));
        object(members)
    }

    /// Returns the media type object of a form of parts: the schema of each field, and the media
    /// types of each part.
    fn parts(&self, ty: &Type, formats: &[AnyFormat]) -> Literal {
        let shape = self.schemas.shape();
        let Some(Node::Record(record)) = self.schemas.node(ty).map(|node| shape.node(node)) else {
            return single("schema", typed("object"));
        };
        let formats = &*multipart_formats(formats, self.is_locked);
        let named = distinct(formats.iter().map(|format| format.media_type().to_string()));
        let (mut properties, mut encodings, mut required) = (Vec::new(), Vec::new(), Vec::new());
        for field in &record.fields {
            let item = item_of(shape, field.node);
            let node = without_option(shape, item.unwrap_or(field.node));
            if is_required(shape, field) {
                required.push(&*field.name);
            }
            // Bytes are a file, which OpenAPI describes by the type of its content alone.
            let bytes = || single("contentMediaType", Literal::text("application/octet-stream"));
            let one = match shape.node(node) {
                Node::Bytes => bytes(),
                _ => self.schemas.schema_at(node),
            };
            properties.push((&*field.name, if item.is_some() { list_of(one) } else { one }));
            let is_record = matches!(
                shape.node(node),
                Node::Record(_) | Node::Map { .. } | Node::Tuple(_) | Node::Array(_)
            );
            if is_record {
                let types = single("contentType", Literal::text(named.join(", ")));
                encodings.push((&*field.name, types));
            }
        }
        let mut schema =
            vec![("type", Literal::text("object")), ("properties", object(properties))];
        if !required.is_empty() {
            schema.push(("required", texts(required)));
        }
        let mut content = vec![("schema", object(schema))];
        if !encodings.is_empty() {
            content.push(("encoding", object(encodings)));
        }
        object(content)
    }

    /// Returns the media type object of a value: its JSON Schema, and a reference to its schema in
    /// the language of the format, if there is one. The JSON Schema describes the value in JSON for
    /// every format, since generators take the type of a response from all of its media types.
    fn in_format(&self, ty: &Type, format: AnyFormat) -> Literal {
        let schema = self.schemas.schema(ty);
        object([("schema", schema)].into_iter().chain(self.format_schema(ty, format)))
    }

    /// Returns the member that refers to the schema of a type in the language of a format.
    pub(super) fn format_schema(
        &self,
        ty: &Type,
        format: AnyFormat,
    ) -> Option<(&'static str, Literal)> {
        match format.built_in()? {
            Format::Protobuf => {
                let name = self.messages.as_ref()?.name(ty)?;
                Some(("x-proto-message", Literal::text(name)))
            }
            Format::Avro => {
                let (_, schema) = self.avro.iter().find(|(key, _)| *key == ty.key())?;
                Some(("x-avro-schema", Literal::text(schema.path())))
            }
            _ => None,
        }
    }
}

/// Adds examples to the media types that show them as they are on the wire: JSON, text and forms.
fn add_examples(content: &mut Literal, examples: &[Example]) {
    let Literal::Object(content) = content else { return };
    let examples = examples.iter().filter_map(|example| {
        Some((example.name.clone(), single("value", from_value(example.json()?))))
    });
    let examples = object(examples);
    if examples == empty() {
        return;
    }
    for (name, media_type) in content {
        let is_readable = ["application/json", "text/plain", FORM].contains(&name.as_str());
        if let (true, Literal::Object(members)) = (is_readable, media_type) {
            members.push(("examples".to_owned(), examples.clone()));
        }
    }
}

/// Returns the media type object of content that only the handler knows: text, a value of any kind
/// in JSON, or bytes.
fn undescribed(media_type: Option<&str>) -> Literal {
    let essence = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let schema = match essence {
        text if text.starts_with("text/") => typed("string"),
        json if json == "application/json" || json.ends_with("+json") => empty(),
        _ => object([("type", Literal::text("string")), ("format", Literal::text("binary"))]),
    };
    single("schema", schema)
}

/// Returns the schema of a list whose items have this schema.
fn list_of(items: Literal) -> Literal {
    object([("type", Literal::text("array")), ("items", items)])
}

/// Returns the schema of a type without further keywords.
fn typed(ty: &str) -> Literal {
    single("type", Literal::text(ty))
}

const ETAG: &str = "etag";

/// Returns header fields of which only the names are known.
fn text_fields<'a>(names: impl IntoIterator<Item = &'a str>) -> Literal {
    object(names.into_iter().map(|name| (name, single("schema", typed("string")))))
}

/// The direction of content.
#[derive(Clone, Copy)]
enum Direction {
    Request,
    Response,
}

/// Returns the name of an operation: `getHotelsById` for `GET /hotels/{id}`.
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
    for (index, name) in capture_names(pattern).enumerate() {
        add(if index == 0 { "By" } else { "And" });
        add(name);
    }
    id
}

/// The header fields that OpenAPI describes elsewhere (section 4.8.12.1). Parameters of these names
/// are ignored.
const DESCRIBED_ELSEWHERE: [&str; 3] = ["accept", "content-type", "authorization"];

/// Returns the parameters of an endpoint.
fn parameters(route: &Route, schemas: &Schemas) -> Vec<Literal> {
    let mut parameters = Vec::new();
    for input in &route.inputs {
        let InputDescription::Parameter { place, name, ty } = input else { continue };
        if name.is_empty() {
            parameters.extend(fields(ty, schemas));
        } else if *place != InputLocation::Header || !DESCRIBED_ELSEWHERE.contains(&name.as_str()) {
            let text = route.head.documentation.input(name);
            parameters.push(parameter(*place, name, text, ty, schemas));
        }
    }
    parameters
}

/// Returns a single parameter.
fn parameter(
    place: InputLocation,
    name: &str,
    text: Option<&str>,
    ty: &Type,
    schemas: &Schemas,
) -> Literal {
    let (schema, is_option) = schemas.unwrapped(ty);
    let may_be_absent = is_option || schemas.is_list(ty);
    let mut members = vec![
        ("name", Literal::text(name)),
        ("in", Literal::text(place.to_string())),
        // A path without one of its segments is another path.
        ("required", Literal::Boolean(!may_be_absent || place == InputLocation::Path)),
    ];
    members.extend(text.map(|text| ("description", Literal::text(text))));
    members.push(("schema", schema));
    object(members)
}

/// Returns a parameter for each field of the query's record.
fn fields(ty: &Type, schemas: &Schemas) -> Vec<Literal> {
    let shape = schemas.shape();
    let Some(Node::Record(record)) = schemas.node(ty).map(|node| shape.node(node)) else {
        return Vec::new();
    };
    let field = |field: &Field| {
        let mut members = vec![
            ("name", Literal::text(&*field.name)),
            ("in", Literal::text("query")),
            ("required", Literal::Boolean(is_required(shape, field))),
        ];
        if !field.doc.is_empty() {
            members.push(("description", Literal::text(&*field.doc)));
        }
        members.push(("schema", schemas.schema_at(without_option(shape, field.node))));
        object(members)
    };
    record.fields.iter().map(field).collect()
}

/// The responses of the library itself: their status, the name of their component, and the
/// endpoints they apply to.
const STANDARD_RESPONSES: [StandardResponse; 7] = [
    response(400, "Malformed", "An input cannot be read", Applies::Inputs),
    response(401, "Unauthorized", "The credentials are missing or invalid", Applies::Secured),
    response(
        406,
        "NotAcceptable",
        "The client accepts none of the available representations",
        Applies::Always,
    ),
    response(408, "Timeout", "The body paused too long", Applies::Body),
    response(413, "TooLarge", "The body exceeds a limit", Applies::Body),
    response(415, "NotSupported", "The media type of the body is not supported", Applies::Body),
    response(422, "Invalid", "An input is not valid for the endpoint", Applies::Inputs),
];

struct StandardResponse {
    status: u16,
    name: &'static str,
    description: &'static str,
    when: Applies,
}

#[derive(PartialEq)]
enum Applies {
    Always,
    Inputs,
    Body,
    Secured,
}

impl Applies {
    fn to(&self, route: &Route) -> bool {
        let has = |is: fn(&InputDescription) -> bool| route.inputs.iter().any(is);
        match self {
            Applies::Always => true,
            Applies::Inputs => has(|input| !matches!(input, InputDescription::Credentials(_))),
            Applies::Body => has(|input| matches!(input, InputDescription::Body(_))),
            Applies::Secured => has(|input| matches!(input, InputDescription::Credentials(_))),
        }
    }
}

const fn response(
    status: u16,
    name: &'static str,
    description: &'static str,
    when: Applies,
) -> StandardResponse {
    StandardResponse { status, name, description, when }
}

impl Sources<'_> {
    /// Returns the failures of an endpoint by status: its own, those of the checks of its
    /// credentials, and those of every endpoint.
    fn failures(&self, route: &Route, content: &ProblemResponses) -> Vec<(String, Literal)> {
        let mut own: BTreeMap<StatusCode, Vec<&ProblemKind>> = BTreeMap::new();
        for kind in kinds(route) {
            own.entry(kind.status()).or_default().push(kind);
        }
        let mut failures = BTreeMap::new();
        for general in STANDARD_RESPONSES.iter().filter(|general| general.when.to(route)) {
            failures.insert(general.status, reference("responses", general.name));
        }
        // If the endpoint can fail with any problem, a problem with one of these statuses can have
        // any type.
        let is_open = route.fails.is_open || requirement(route).is_some_and(|it| it.fails_with_any);
        for (status, kinds) in own {
            let is_general = failures.contains_key(&status.as_u16());
            let general = STANDARD_RESPONSES
                .iter()
                .find(|general| is_general && general.status == status.as_u16());
            let mut titles: Vec<&str> = kinds.iter().map(|kind| kind.title()).collect();
            titles.extend(general.map(|general| general.description));
            let own = OwnProblems { kinds, is_general, is_open };
            let mut response =
                content.response(&titles.join("; "), &self.own_problems(&own, content));
            own.add_headers(&mut response, general);
            failures.insert(status.as_u16(), response);
        }
        let failures =
            failures.into_iter().map(|(status, response)| (status.to_string(), response));
        failures.chain([("default".to_owned(), reference("responses", "Failed"))]).collect()
    }

    /// Returns the schema of an endpoint's own problems of one status: a problem of these types with
    /// the members of its kind.
    fn own_problems(&self, own: &OwnProblems<'_>, content: &ProblemResponses) -> Literal {
        let general = own.is_general.then_some(ABOUT_BLANK);
        let types = distinct(own.kinds.iter().map(|kind| kind.uri()).chain(general));
        let mut properties: Vec<(&str, Vec<Literal>)> = Vec::new();
        if !own.is_open {
            properties.push(("type", vec![single("enum", texts(types.iter().copied()))]));
        }
        let is_single = own.kinds.len() == 1 && !own.is_general && !own.is_open;
        let mut required = Vec::new();
        for member in own.kinds.iter().flat_map(|kind| kind.members()) {
            let (schema, may_be_absent) = self.schemas.unwrapped(&member.ty());
            if is_single && !may_be_absent {
                required.push(member.name());
            }
            match properties.iter_mut().find(|(known, _)| *known == member.name()) {
                Some((_, schemas)) if schemas.contains(&schema) => {}
                Some((_, schemas)) => schemas.push(schema),
                None => properties.push((member.name(), vec![schema])),
            }
        }
        if properties.is_empty() {
            return content.schema.clone();
        }
        let properties = properties.into_iter().map(|(name, mut schemas)| {
            let schema = match schemas.len() {
                1 => schemas.swap_remove(0),
                _ => single("anyOf", Literal::Array(schemas)),
            };
            (name, schema)
        });
        let mut narrowed = vec![("properties", object(properties))];
        if !required.is_empty() {
            narrowed.push(("required", texts(required)));
        }
        single("allOf", Literal::Array(vec![content.schema.clone(), object(narrowed)]))
    }
}

/// The problems of one status that an endpoint names.
struct OwnProblems<'a> {
    kinds: Vec<&'a ProblemKind>,
    /// Indicates whether the library itself also responds with this status.
    is_general: bool,
    /// Indicates whether the endpoint may fail with any problem.
    is_open: bool,
}

impl OwnProblems<'_> {
    /// Adds the header fields of these problems, and those that the library adds itself.
    fn add_headers(&self, response: &mut Literal, general: Option<&StandardResponse>) {
        let mut names: Vec<&str> = Vec::new();
        if general.is_some_and(|general| general.when == Applies::Secured) {
            names.push(CHALLENGE);
        }
        for name in self.kinds.iter().flat_map(|kind| kind.headers()) {
            if !names.contains(name) {
                names.push(name);
            }
        }
        add_headers(response, names);
    }
}

/// Adds header fields of which only the names are known to a response.
fn add_headers(response: &mut Literal, names: Vec<&str>) {
    if let (Literal::Object(members), false) = (response, names.is_empty()) {
        // Inserts after the description.
        members.insert(1, ("headers".to_owned(), text_fields(names)));
    }
}

/// The field of a response to a request without valid credentials.
const CHALLENGE: &str = "www-authenticate";

/// Returns the responses that these endpoints share.
pub(super) fn components(routes: &[Route], content: &ProblemResponses) -> Literal {
    let is_used = |general: &&StandardResponse| routes.iter().any(|route| general.when.to(route));
    let general = STANDARD_RESPONSES.iter().filter(is_used).map(|general| {
        let mut response = content.any(general.description);
        if general.when == Applies::Secured {
            add_headers(&mut response, vec![CHALLENGE]);
        }
        (general.name, response)
    });
    object(general.chain([("Failed", content.any("Any other failure"))]))
}

/// The content of problem responses.
pub(super) struct ProblemResponses {
    /// The media types, with the references to the schemas of their formats.
    content: Vec<(String, Option<(&'static str, Literal)>)>,
    schema: Literal,
}

impl ProblemResponses {
    /// Describes problems in these formats.
    pub(super) fn new(sources: &Sources<'_>, formats: &[AnyFormat]) -> ProblemResponses {
        let problem = Type::of::<Problem>();
        let content = formats.iter().map(|format| {
            let media_type = problem_media_type(*format).to_string();
            (media_type, sources.format_schema(&problem, *format))
        });
        ProblemResponses { content: content.collect(), schema: sources.schemas.schema(&problem) }
    }

    /// Returns a response that is a problem of any type.
    fn any(&self, description: &str) -> Literal {
        self.response(description, &self.schema)
    }

    fn response(&self, description: &str, schema: &Literal) -> Literal {
        let content = self.content.iter().map(|(media_type, of_format)| {
            let schema = [("schema", schema.clone())];
            (media_type, object(schema.into_iter().chain(of_format.clone())))
        });
        object([("description", Literal::text(description)), ("content", object(content))])
    }
}
