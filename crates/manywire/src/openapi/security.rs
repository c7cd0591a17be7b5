//! The security schemes of an API, and the credentials that each operation requires.

use manywire_shape::Literal;

use super::json::{empty, object, single};
use crate::endpoint::Route;
use crate::input::InputDescription;
use crate::security::{SchemeKind, SecurityRequirement, SecurityScheme};

/// The schemes of all endpoints, by the names of their components.
pub(super) struct SecuritySchemes(Vec<(String, SecurityScheme)>);

impl SecuritySchemes {
    /// Collects the schemes. Different schemes of one name are numbered.
    pub(super) fn new(routes: &[Route]) -> SecuritySchemes {
        let mut schemes: Vec<(String, SecurityScheme)> = Vec::new();
        for scheme in routes.iter().filter_map(requirement).flat_map(|it| it.schemes()) {
            if schemes.iter().any(|(_, known)| known == scheme) {
                continue;
            }
            let numbered = (2..).map(|number| format!("{}{number}", scheme.name()));
            let mut names = std::iter::once(scheme.name().to_owned()).chain(numbered);
            let is_free = |name: &String| !schemes.iter().any(|(known, _)| known == name);
            if let Some(name) = names.find(is_free) {
                schemes.push((name, scheme.clone()));
            }
        }
        SecuritySchemes(schemes)
    }

    /// Returns the components, or `None` without security schemes (OpenAPI 3.1, section 4.8.27).
    pub(super) fn components(&self) -> Option<Literal> {
        let schemes = self.0.iter().map(|(name, scheme)| (name.clone(), component(scheme)));
        (!self.0.is_empty()).then(|| object(schemes))
    }

    /// Returns the alternatives of an operation, one of which a request carries (section 4.8.30).
    pub(super) fn alternatives(&self, requirement: &SecurityRequirement) -> Literal {
        let named = requirement.schemes().iter().filter_map(|scheme| {
            let (name, _) = self.0.iter().find(|(_, known)| known == scheme)?;
            Some(single(name, Literal::Array(Vec::new())))
        });
        let none = requirement.is_optional().then(empty);
        Literal::Array(named.chain(none).collect())
    }
}

/// Returns the credentials that an endpoint requires.
pub(super) fn requirement(route: &Route) -> Option<&SecurityRequirement> {
    route.inputs.iter().find_map(|input| match input {
        InputDescription::Credentials(requirement) => Some(requirement),
        _ => None,
    })
}

fn component(scheme: &SecurityScheme) -> Literal {
    let mut members = match scheme.kind() {
        SchemeKind::Http { scheme, bearer_format } => {
            let name = scheme.to_ascii_lowercase();
            let mut members =
                vec![("type", Literal::text("http")), ("scheme", Literal::text(name))];
            if let Some(format) = bearer_format {
                members.push(("bearerFormat", Literal::text(format)));
            }
            members
        }
        SchemeKind::ApiKey { location, name } => vec![
            ("type", Literal::text("apiKey")),
            ("in", Literal::text(location.name())),
            ("name", Literal::text(name)),
        ],
        SchemeKind::OpenIdConnect { url } => {
            let url = ("openIdConnectUrl", Literal::text(url));
            vec![("type", Literal::text("openIdConnect")), url]
        }
    };
    if let Some(description) = scheme.description() {
        members.push(("description", Literal::text(description)));
    }
    object(members)
}
