//! The collected types of an API, from which its documents are written.

use manywire_format::Format;
use manywire_shape::avro;

use super::documents::AvroSchema;
use super::schemas::Schemas;
use super::security::{SecuritySchemes, requirement};
use crate::content::own::AnyFormat;
use crate::content::{Media, Type};
use crate::endpoint::Route;
use crate::field_numbers::{FieldNumbers, Messages, is_numbered};
use crate::input::InputDescription;
use crate::problem::{Problem, ProblemKind, ProblemMember};
use crate::types::TypeKey;

/// The types and endpoints of an API, from which its documents are written.
pub(crate) struct Sources<'a> {
    pub(super) formats: &'a [AnyFormat],
    pub(super) schemas: Schemas,
    pub(super) messages: Option<Messages>,
    /// The Avro schemas by type.
    pub(super) avro: Vec<(TypeKey, AvroSchema)>,
    /// Indicates whether the field numbers are locked.
    pub(super) is_locked: bool,
    /// Indicates whether responses have entity tags.
    pub(super) is_tagged: bool,
    pub(super) security: SecuritySchemes,
    pub(super) routes: &'a [Route],
}

impl<'a> Sources<'a> {
    /// Collects the types of all endpoints.
    ///
    /// # Errors
    /// Returns a message for a type that a format of its endpoint cannot represent.
    pub(crate) fn new(
        routes: &'a [Route],
        formats: &'a [AnyFormat],
        numbers: &FieldNumbers,
    ) -> Result<Self, String> {
        let mut content: Vec<Type> = routes.iter().flat_map(content).filter_map(typed).collect();
        content.retain(|ty| !ty.is_shapeless());
        // `Problem` comes last, so that a type of the service with the same name keeps it.
        content.push(Type::of::<Problem>());
        let mut parameters: Vec<Type> = routes.iter().flat_map(taken_as_text).collect();
        let members = routes.iter().flat_map(kinds).flat_map(|kind| kind.members());
        parameters.extend(members.map(ProblemMember::ty));
        let mut avro = Vec::new();
        for ty in types_in(|format| format == Format::Avro, routes, formats) {
            let schema =
                avro::Schema::from_shape(&ty.shape()).map_err(|error| error.to_string())?;
            let (fingerprint, text) = (schema.fingerprint(), schema.to_string());
            avro.push((ty.key(), AvroSchema { fingerprint, text }));
        }
        let messages = match numbers.messages() {
            Some(locked) => Some(locked.clone()),
            None => Some(types_in(is_numbered, routes, formats))
                .filter(|types| !types.is_empty())
                .map(|types| Messages::new(&types))
                .transpose()
                .map_err(|error| error.to_string())?,
        };
        let schemas = Schemas::new(&content, &parameters);
        let is_locked = numbers.messages().is_some();
        let security = SecuritySchemes::new(routes);
        let is_tagged = false;
        Ok(Sources { formats, schemas, messages, avro, is_locked, is_tagged, security, routes })
    }

    /// Sets whether responses have entity tags.
    pub(crate) fn with_entity_tags(self, is_tagged: bool) -> Self {
        Sources { is_tagged, ..self }
    }
}

/// Returns the kinds of failure that an endpoint and the checks of its credentials name.
pub(super) fn kinds(route: &Route) -> impl Iterator<Item = &ProblemKind> {
    let checks = requirement(route).into_iter().flat_map(|checks| &checks.fails);
    route.fails.kinds.iter().chain(checks)
}

/// Returns the types that are written field by field.
fn taken_as_text(route: &Route) -> Vec<Type> {
    let parameters = route.inputs.iter().filter_map(|input| match input {
        InputDescription::Body(Media::Multipart(ty)) => Some(ty.clone()),
        InputDescription::Parameter { ty, .. } => Some(ty.clone()),
        InputDescription::Body(_) | InputDescription::Credentials(_) => None,
    });
    parameters.collect()
}

/// Returns the types that some endpoint carries in a format for which `is_one` is true, and
/// `Problem` if problems are written in such a format.
pub(crate) fn types_in(
    is_one: fn(Format) -> bool,
    routes: &[Route],
    formats: &[AnyFormat],
) -> Vec<Type> {
    let is_one = |format: &AnyFormat| format.built_in().is_some_and(is_one);
    let has_any = |formats: &[AnyFormat]| formats.iter().any(is_one);
    let speaks = |route: &&Route| has_any(route.head.formats.as_deref().unwrap_or(formats));
    let mut types: Vec<Type> =
        routes.iter().filter(speaks).flat_map(content).filter_map(in_formats).collect();
    if has_any(formats) || routes.iter().any(|route| speaks(&route)) {
        types.push(Type::of::<Problem>());
    }
    types
}

/// Returns the content that an endpoint takes and returns.
fn content(route: &Route) -> impl Iterator<Item = &Media> {
    route.inputs.iter().filter_map(InputDescription::body).chain([&route.returns])
}

/// Returns the type of typed content.
fn typed(media: &Media) -> Option<Type> {
    match media {
        Media::Formats(ty) | Media::Items(ty) | Media::Form(ty) => Some(ty.clone()),
        _ => None,
    }
}

/// Returns the type of content that is written in the formats of its endpoint.
fn in_formats(media: &Media) -> Option<Type> {
    typed(media).filter(|ty| !matches!(media, Media::Form(_)) && !ty.is_shapeless())
}
