//! The description of a scheme, for challenges and the OpenAPI document.

use http::HeaderValue;

use crate::cookies::is_token;
use crate::problem::{InputLocation, ProblemKind};

/// The description of a way in which requests carry credentials: the challenge of a server
/// (RFC 9110, section 11.6.1), and the security scheme of the OpenAPI document (OpenAPI 3.1, section
/// 4.8.27).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityScheme {
    name: String,
    kind: SchemeKind,
    realm: Option<String>,
    description: Option<String>,
}

/// The place of credentials in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemeKind {
    /// The field `Authorization`, by a scheme of HTTP such as `Basic`.
    Http {
        /// The name of the scheme.
        scheme: String,
        /// The format of a bearer token, such as `JWT`: a hint for people.
        bearer_format: Option<String>,
    },
    /// A header field, a query parameter or a cookie.
    ApiKey {
        /// The location.
        location: InputLocation,
        /// The name of the field, parameter or cookie.
        name: String,
    },
    /// A token of OpenID Connect, sent as a bearer token.
    OpenIdConnect {
        /// The URL of the provider's configuration.
        url: String,
    },
}

impl SecurityScheme {
    /// Describes a scheme of HTTP, in the field `Authorization`.
    pub fn http(scheme: impl Into<String>) -> Self {
        let scheme = scheme.into();
        let name = scheme.to_ascii_lowercase();
        Self::new(name, SchemeKind::Http { scheme, bearer_format: None })
    }

    /// Describes a key in a header field, a query parameter or a cookie.
    pub fn api_key(location: InputLocation, name: impl Into<String>) -> Self {
        let name = name.into();
        Self::new(name.clone(), SchemeKind::ApiKey { location, name })
    }

    /// Describes a token of OpenID Connect, by the URL of the provider's configuration.
    pub fn open_id_connect(url: impl Into<String>) -> Self {
        Self::new("openId".to_owned(), SchemeKind::OpenIdConnect { url: url.into() })
    }

    fn new(name: String, kind: SchemeKind) -> Self {
        SecurityScheme { name, kind, realm: None, description: None }
    }

    /// Sets the name in the document, which tells two schemes of the same kind apart.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the realm, which the challenge names: the part of the server that the credentials are
    /// for.
    #[must_use]
    pub fn with_realm(mut self, realm: impl Into<String>) -> Self {
        self.realm = Some(realm.into());
        self
    }

    /// Sets the description in the document.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the format of a bearer token.
    #[must_use]
    pub(super) fn with_bearer_format(mut self, format: impl Into<String>) -> Self {
        if let SchemeKind::Http { bearer_format, .. } = &mut self.kind {
            *bearer_format = Some(format.into());
        }
        self
    }

    /// Returns the name in the document.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the place of the credentials.
    pub fn kind(&self) -> &SchemeKind {
        &self.kind
    }

    /// Returns the description in the document.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Returns whether two schemes have the same credentials: whether their names and places are
    /// equal.
    #[cfg(feature = "client")]
    pub(crate) fn is_same(&self, other: &SecurityScheme) -> bool {
        let is_same_place = match (&self.kind, &other.kind) {
            (SchemeKind::Http { scheme, .. }, SchemeKind::Http { scheme: other, .. }) => {
                scheme.eq_ignore_ascii_case(other)
            }
            (kind, other) => kind == other,
        };
        self.name == other.name && is_same_place
    }

    /// Returns the place of the credentials, for the error message to a request without them.
    pub(crate) fn place(&self) -> String {
        match &self.kind {
            SchemeKind::Http { scheme, .. } => format!("Authorization: {scheme}"),
            SchemeKind::ApiKey { location: InputLocation::Header, name } => {
                format!("the header field {name}")
            }
            SchemeKind::ApiKey { location: InputLocation::Cookie, name } => {
                format!("the cookie {name}")
            }
            SchemeKind::ApiKey { name, .. } => format!("the query parameter {name}"),
            SchemeKind::OpenIdConnect { .. } => "Authorization: Bearer".to_owned(),
        }
    }

    /// Returns the challenge to a request without valid credentials. `is_invalid` says whether the
    /// request had invalid ones.
    pub(crate) fn challenge(&self, is_invalid: bool) -> Option<HeaderValue> {
        let mut parameters: Vec<(&str, &str)> = Vec::new();
        if let Some(realm) = &self.realm {
            parameters.push(("realm", realm));
        }
        let scheme = match &self.kind {
            SchemeKind::Http { scheme, .. } => scheme,
            SchemeKind::ApiKey { location, name } => {
                parameters.push(("in", location.name()));
                parameters.push(("name", name));
                "ApiKey"
            }
            SchemeKind::OpenIdConnect { .. } => BEARER,
        };
        // RFC 7617, section 2.1: the client may then send text other than ASCII.
        if scheme.eq_ignore_ascii_case(BASIC) {
            parameters.push(("charset", "UTF-8"));
        }
        // RFC 6750, section 3.1. A request without credentials gets no error code.
        if is_invalid && scheme.eq_ignore_ascii_case(BEARER) {
            parameters.push(("error", "invalid_token"));
        }
        let mut challenge = scheme.to_owned();
        for (index, (name, value)) in parameters.into_iter().enumerate() {
            challenge.push_str(if index == 0 { " " } else { ", " });
            challenge.push_str(name);
            challenge.push_str("=\"");
            for character in value.chars() {
                if matches!(character, '"' | '\\') {
                    challenge.push('\\');
                }
                challenge.push(character);
            }
            challenge.push('"');
        }
        HeaderValue::try_from(challenge).ok()
    }

    /// Returns the name of the header field that holds the credentials, or `None` for a query
    /// parameter.
    pub(crate) fn field(&self) -> Option<&str> {
        match &self.kind {
            SchemeKind::Http { .. } | SchemeKind::OpenIdConnect { .. } => Some("authorization"),
            SchemeKind::ApiKey { location: InputLocation::Header, name } => Some(name),
            SchemeKind::ApiKey { location: InputLocation::Cookie, .. } => Some("cookie"),
            SchemeKind::ApiKey { .. } => None,
        }
    }

    /// Checks that a request can hold the credentials, and that the document can hold the name.
    ///
    /// # Errors
    /// Fails with a message for the author of the scheme.
    pub(crate) fn check(&self) -> Result<(), String> {
        let is_key =
            |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
        if self.name.is_empty() || !self.name.chars().all(is_key) {
            return Err(format!(
                "invalid name {:?} of a security scheme: expected letters, digits and -_.",
                self.name
            ));
        }
        let (what, is_valid) = match &self.kind {
            SchemeKind::Http { scheme, .. } => (scheme, is_token(scheme)),
            SchemeKind::ApiKey { location, name } => {
                let is_valid = match location {
                    InputLocation::Header | InputLocation::Cookie => is_token(name),
                    InputLocation::Query => !name.is_empty(),
                    InputLocation::Path | InputLocation::Body => {
                        return Err(format!(
                            "invalid location {location} of a key: expected header, query or cookie"
                        ));
                    }
                };
                (name, is_valid)
            }
            SchemeKind::OpenIdConnect { url } => (url, !url.is_empty()),
        };
        match is_valid && self.challenge(true).is_some() {
            true => Ok(()),
            false => Err(format!("invalid security scheme {what:?}: expected a token of HTTP")),
        }
    }
}

/// The scheme of RFC 6750.
pub(super) const BEARER: &str = "Bearer";
/// The scheme of RFC 7617.
pub(super) const BASIC: &str = "Basic";

/// The credentials that an endpoint requires.
#[derive(Clone, Debug)]
pub struct SecurityRequirement {
    /// The ways to carry the credentials, one of which a request uses.
    pub(crate) schemes: Vec<SecurityScheme>,
    /// Indicates whether a request may come without credentials.
    pub(crate) is_optional: bool,
    /// The failures that the checks name.
    pub(crate) fails: Vec<ProblemKind>,
    /// Indicates whether a check may fail with any problem.
    pub(crate) fails_with_any: bool,
}

impl SecurityRequirement {
    /// Returns the ways to carry the credentials, one of which a request uses.
    pub fn schemes(&self) -> &[SecurityScheme] {
        &self.schemes
    }

    /// Returns whether a request may come without credentials.
    pub fn is_optional(&self) -> bool {
        self.is_optional
    }
}
