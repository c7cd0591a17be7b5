//! The texts about an API as a whole.

use manywire_shape::Literal;

use super::json::object;
use crate::endpoint::Route;

/// The texts about an API that its documents begin with.
#[derive(Clone, Debug)]
pub(crate) struct Info {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: Option<String>,
    pub(crate) license: Option<License>,
    /// The URLs at which the API is served, each with a description.
    pub(crate) servers: Vec<(String, String)>,
    /// The tags, each with a description.
    pub(crate) tags: Vec<(String, String)>,
}

/// The license of an API (OpenAPI 3.1, section 4.8.4).
#[derive(Clone, Debug)]
pub(crate) enum License {
    /// An SPDX license expression.
    Spdx(String),
    /// A name and the URL of the text.
    Url { name: String, url: String },
}

impl Info {
    /// Creates the texts of an API of version 1.
    pub(crate) fn new(name: String) -> Info {
        Info {
            name,
            version: "1".to_owned(),
            description: None,
            license: None,
            servers: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// Returns the info object (section 4.8.2).
    pub(super) fn object(&self) -> Literal {
        let mut members = vec![("title", Literal::text(&self.name))];
        members.extend(self.description.as_ref().map(|text| ("description", Literal::text(text))));
        members.extend(self.license.as_ref().map(|license| {
            let (name, place) = match license {
                License::Spdx(expression) => (expression, ("identifier", expression)),
                License::Url { name, url } => (name, ("url", url)),
            };
            let (key, place) = place;
            ("license", object([("name", Literal::text(name)), (key, Literal::text(place))]))
        }));
        members.push(("version", Literal::text(&self.version)));
        object(members)
    }

    /// Returns the servers. Without any, the default of the specification is written (section
    /// 4.8.1), because linters expect it.
    pub(super) fn servers(&self) -> Literal {
        let servers = self.servers.iter().map(|(url, text)| described("url", url, text));
        let mut servers: Vec<Literal> = servers.collect();
        if servers.is_empty() {
            servers.push(described("url", "/", ""));
        }
        Literal::Array(servers)
    }

    /// Returns the tags: those of the API, then those that only its endpoints have. Returns `None`
    /// if there are no tags.
    pub(super) fn tags(&self, routes: &[Route]) -> Option<Literal> {
        let mut tags: Vec<(&str, &str)> =
            self.tags.iter().map(|(name, text)| (&**name, &**text)).collect();
        for tag in routes.iter().flat_map(|route| &route.head.documentation.tags) {
            if !tags.iter().any(|(known, _)| known == tag) {
                tags.push((tag, ""));
            }
        }
        let tags: Vec<Literal> =
            tags.into_iter().map(|(name, text)| described("name", name, text)).collect();
        (!tags.is_empty()).then_some(Literal::Array(tags))
    }
}

/// Returns an object of one member and a description, if there is one.
fn described(key: &str, value: &str, text: &str) -> Literal {
    let text = (!text.is_empty()).then(|| ("description", Literal::text(text)));
    object([(key, Literal::text(value))].into_iter().chain(text))
}
