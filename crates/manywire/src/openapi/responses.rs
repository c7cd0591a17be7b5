use std::collections::BTreeMap;

use http::StatusCode;
use manywire_format::Format;
use manywire_shape::Literal;

use super::literal::{object, reference, single, texts};
use crate::content::own::AnyFormat;
use crate::problem::{ABOUT_BLANK, ProblemKind, problem_media_type};

/// What the library itself answers: which status, when, and under which name the answer stands
/// among the components.
const GENERAL: [General; 6] = [
    General::new(400, "Malformed", "An input cannot be read", When::Inputs),
    General::new(406, "NotAcceptable", "Nothing that the client accepts is on offer", When::Always),
    General::new(408, "Timeout", "The body paused too long", When::Body),
    General::new(413, "TooLarge", "The body goes beyond a limit", When::Body),
    General::new(415, "NotSupported", "The body is of a type that is not read", When::Body),
    General::new(422, "Invalid", "An input is not what the endpoint takes", When::Inputs),
];

struct General {
    status: u16,
    name: &'static str,
    description: &'static str,
    when: When,
}

#[derive(PartialEq)]
enum When {
    Always,
    Inputs,
    Body,
}

impl General {
    const fn new(status: u16, name: &'static str, description: &'static str, when: When) -> Self {
        General { status, name, description, when }
    }
}

/// The failures of an endpoint, by their status: its own, and those that every one has.
pub(super) fn failures(
    kinds: &[ProblemKind],
    has_inputs: bool,
    has_body: bool,
    content: &Problems<'_>,
) -> Vec<(String, Literal)> {
    let mut own: BTreeMap<StatusCode, Vec<&ProblemKind>> = BTreeMap::new();
    for kind in kinds {
        own.entry(kind.status()).or_default().push(kind);
    }
    let mut failures = BTreeMap::new();
    for general in &GENERAL {
        let applies = match general.when {
            When::Always => true,
            When::Inputs => has_inputs,
            When::Body => has_body,
        };
        if applies {
            failures.insert(general.status, reference("responses", general.name));
        }
    }
    for (status, kinds) in own {
        let general = GENERAL.iter().find(|general| general.status == status.as_u16());
        let is_general = failures.contains_key(&status.as_u16());
        let mut titles: Vec<&str> = kinds.iter().map(|kind| kind.title()).collect();
        titles.extend(general.filter(|_| is_general).map(|general| general.description));
        let mut types: Vec<&str> = kinds.iter().map(|kind| kind.uri()).collect();
        if is_general && !types.contains(&ABOUT_BLANK) {
            types.push(ABOUT_BLANK);
        }
        failures.insert(status.as_u16(), content.of_types(&titles.join("; "), &types));
    }
    let failures = failures.into_iter().map(|(status, response)| (status.to_string(), response));
    failures.chain([("default".to_owned(), reference("responses", "Failed"))]).collect()
}

/// The answers that endpoints share.
pub(super) fn components(content: &Problems<'_>) -> Literal {
    let general = GENERAL.iter().map(|general| (general.name, content.any(general.description)));
    object(general.chain([("Failed", content.any("Any other failure"))]))
}

/// Problems as content.
pub(super) struct Problems<'a> {
    pub(super) formats: &'a [AnyFormat],
    pub(super) schema: Literal,
}

impl Problems<'_> {
    /// An answer that is a problem of any type.
    fn any(&self, description: &str) -> Literal {
        self.response(description, &self.schema)
    }

    /// An answer that is a problem of one of these types.
    fn of_types(&self, description: &str, types: &[&str]) -> Literal {
        let is_one = single("type", single("enum", texts(types.iter().copied())));
        let schema = Literal::Array(vec![self.schema.clone(), single("properties", is_one)]);
        self.response(description, &single("allOf", schema))
    }

    fn response(&self, description: &str, schema: &Literal) -> Literal {
        let content = self.formats.iter().map(|format| {
            let media_type = problem_media_type(*format).to_string();
            let content = match format.built_in() {
                Some(Format::Protobuf | Format::Avro | Format::MsgPackArray) => object::<&str>([]),
                _ => single("schema", schema.clone()),
            };
            (media_type, content)
        });
        object([("description", Literal::text(description)), ("content", object(content))])
    }
}
