//! Writes the documents of an API from its sources: the OpenAPI document around its operations.

use std::collections::HashSet;

use manywire_format::Format;
use manywire_shape::Literal;

use super::documents::Documents;
use super::info::Info;
use super::json::object;
use super::operation::{ProblemResponses, components, operation_id};
use super::sources::Sources;
use crate::endpoint::Route;
use crate::field_numbers::Messages;

/// The methods that a path of a document may have (OpenAPI 3.1, section 4.8.9).
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

impl Sources<'_> {
    /// Writes the documents.
    pub(crate) fn documents(self, info: &Info) -> Documents {
        let openapi = self.openapi(info).pretty();
        let proto = self.messages.as_ref().map(Messages::text);
        let mut seen = HashSet::new();
        let schemas = self.avro.into_iter().map(|(_, schema)| schema);
        let avro = schemas.filter(|schema| seen.insert(schema.fingerprint)).collect();
        Documents { openapi, proto, avro }
    }

    fn openapi(&self, info: &Info) -> Literal {
        let mut formats = self.formats.to_vec();
        if !formats.contains(&Format::Json.into()) {
            formats.push(Format::Json.into());
        }
        let problems = ProblemResponses::new(self, &formats);
        let mut parts = vec![
            ("schemas", object(self.schemas.components.iter().cloned())),
            ("responses", components(self.routes, &problems)),
        ];
        parts.extend(self.security.components().map(|schemes| ("securitySchemes", schemes)));
        let mut members = vec![
            ("openapi", Literal::text("3.1.0")),
            ("info", info.object()),
            ("servers", info.servers()),
            // The default: an operation that lists no requirements needs no credentials.
            ("security", Literal::Array(Vec::new())),
        ];
        members.extend(info.tags(self.routes).map(|tags| ("tags", tags)));
        members.extend([("paths", self.paths(&problems)), ("components", object(parts))]);
        object(members)
    }

    fn paths(&self, problems: &ProblemResponses) -> Literal {
        let mut paths: Vec<(String, Vec<(String, Literal)>)> = Vec::new();
        // Given names come first: if a name from method and path is taken, it gets a number.
        let given = |route: &Route| route.head.documentation.name.clone();
        let mut ids: HashSet<String> = self.routes.iter().filter_map(given).collect();
        for route in self.routes {
            let method = route.head.method.as_str().to_ascii_lowercase();
            if !METHODS.contains(&method.as_str()) {
                tracing::warn!(%method, "OpenAPI does not support this method, so it is not documented");
                continue;
            }
            let id = given(route).unwrap_or_else(|| {
                let id = operation_id(route);
                let numbered = (2..).map(|number| format!("{id}{number}"));
                let mut free = std::iter::once(id.clone()).chain(numbered);
                free.find(|id| ids.insert(id.clone())).unwrap_or(id)
            });
            let operation = (method, self.operation(route, id, problems));
            // OpenAPI has no separate syntax for a capture of the rest of a path.
            let path = route.head.pattern.replace("{*", "{");
            match paths.iter_mut().find(|(known, _)| *known == path) {
                Some((_, operations)) => operations.push(operation),
                None => paths.push((path, vec![operation])),
            }
        }
        object(paths.into_iter().map(|(path, operations)| (path, object(operations))))
    }
}
